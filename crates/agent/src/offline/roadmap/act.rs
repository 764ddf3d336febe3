//! The Executor's part without a model: does what a title asks for, to the files of its copy. What it cannot do it says,
//! with the reason; nothing is invented. Must not know the engine, nor how a title is read.

use serde_json::json;

use super::super::brief::Facts;
use super::super::execute;
use super::super::text_goal::{self, Goal};
use super::deed::{Check, Deed, Form, What};
use super::extract::{self, Otherwise};
use super::ground::Ground;
use crate::contract::{Brief, Report, ReportStatus};
use crate::roadmap::{Asked, Context};

/// A file may grow to this by what is added, in bytes.
const LARGEST: usize = 4 << 20;
/// The mark of a list that was made.
const BY_RULE: &str = "(by rule, without a model)";

/// What came of it: a summary, or why it cannot be done.
type Acted = Result<String, String>;

/// Does it. Nothing if it was told to stop.
pub(super) fn act(deed: &Deed, ground: &Ground<'_>, context: &Context, stopped: &dyn Fn() -> bool) -> Option<Report> {
    if let Deed::Ask { question, default, to } = deed {
        return Some(ask(question, default, to.as_deref(), ground, &context.asked));
    }
    let acted = match deed {
        Deed::Extract { form, about, sources, to } => extracted(*form, about, sources, to, ground, stopped)?,
        Deed::Section { file, title, sources } => section(file, title, sources, ground, stopped)?,
        deed => simple(deed, ground),
    };
    Some(match acted {
        Ok(summary) => Report::done(&format!("{summary} {BY_RULE}")),
        Err(reason) => Report::failed(&reason),
    })
}

fn simple(deed: &Deed, ground: &Ground<'_>) -> Acted {
    match deed {
        Deed::Text(goal) => text(goal, ground),
        Deed::Write { file, text } => {
            let changed = ground.write(file, &ended(text))?;
            Ok(if changed { format!("wrote {file}") } else { format!("{file} says so already") })
        }
        Deed::Append { file, text } => append(file, text, ground),
        Deed::Replace { old, new, files } => replace(old, new, files, ground),
        Deed::Copy { from, to } => {
            let changed = ground.write(to, &ground.needed(from)?)?;
            Ok(if changed { format!("copied {from} to {to}") } else { format!("{to} is the same as {from} already") })
        }
        Deed::Join { from, to } => join(from, to, ground),
        Deed::List { what, sources, to } => list(*what, sources, to, ground),
        Deed::Count { what, sources, to } => count(*what, sources, to, ground),
        Deed::Check(Check::Exists(files)) => {
            let missing: Vec<&str> = files.iter().filter(|file| !ground.exists(file)).map(String::as_str).collect();
            match missing.is_empty() {
                true => Ok(format!("{} is there", files.join(", "))),
                false => Err(format!("`{}` is not there", missing.join("`, `"))),
            }
        }
        Deed::Check(Check::Contains { files, text }) => {
            for file in files {
                if !ground.needed(file)?.contains(text.as_str()) {
                    return Err(format!("`{file}` does not contain \"{text}\""));
                }
            }
            Ok(format!("{} contains \"{text}\"", files.join(", ")))
        }
        Deed::Extract { .. } | Deed::Section { .. } | Deed::Ask { .. } => Err("this is done elsewhere".into()),
    }
}

/// A goal over text files: all of it at once.
fn text(goal: &Goal, ground: &Ground<'_>) -> Acted {
    let mut goal = goal.clone();
    // Where the title names no files, those of the task are meant.
    let (Goal::Glossary { sources, .. } | Goal::Links { sources } | Goal::Headings { sources, .. }) = &mut goal;
    if sources.is_empty() {
        *sources = ground.dirs().to_vec();
    }
    let files = ground.texts();
    let bounds = text_goal::Bounds { lines: usize::MAX, files: usize::MAX };
    let change = text_goal::mend(&goal, &files, &bounds);
    let stuck: Vec<String> =
        change.stuck.iter().take(5).map(|gap| format!("{}:{}: {}", gap.path, gap.line, gap.reason)).collect();
    if change.edits.is_empty() && !stuck.is_empty() {
        return Err(format!("no rule can mend these: {}", stuck.join("; ")));
    }
    for edit in &change.edits {
        ground.write(&edit.path, &edit.after)?;
    }
    let told = match change.edits.is_empty() {
        true => format!("nothing to do: {}", goal.in_words()),
        false => {
            let files: Vec<&str> = change.edits.iter().map(|edit| edit.path.as_str()).collect();
            format!("{}: {} mended in {}", goal.in_words(), change.mended.len(), files.join(", "))
        }
    };
    Ok(match stuck.is_empty() {
        true => told,
        false => format!("{told}; left, because no rule knows how: {}", stuck.join("; ")),
    })
}

fn append(file: &str, text: &str, ground: &Ground<'_>) -> Acted {
    let before = ground.text(file)?.unwrap_or_default();
    if before.lines().any(|line| line == text) || before.ends_with(&ended(text)) {
        return Ok(format!("{file} says so already"));
    }
    let parting = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    ground.write(file, &format!("{before}{parting}{}", ended(text)))?;
    Ok(format!("appended to {file}"))
}

fn replace(old: &str, new: &str, files: &[String], ground: &Ground<'_>) -> Acted {
    let (mut times, mut changed, mut has_new) = (0, Vec::new(), false);
    for path in files.iter().map(|file| ground.below(file)).collect::<Result<Vec<_>, _>>()?.concat() {
        let Ok(Some(text)) = ground.text(&path) else { continue };
        let found = text.matches(old).count();
        has_new |= !new.is_empty() && text.contains(new);
        if found > 0 {
            ground.write(&path, &text.replace(old, new))?;
            times += found;
            changed.push(path);
        }
    }
    match times {
        // An attempt that was repeated finds it done.
        0 if has_new => Ok(format!("\"{old}\" is replaced already")),
        0 => Err(format!("\"{old}\" stands nowhere in {}", files.join(", "))),
        _ => Ok(format!("replaced \"{old}\" {times} times in {}", changed.join(", "))),
    }
}

fn join(from: &[String], to: &str, ground: &Ground<'_>) -> Acted {
    let mut joined = String::new();
    let files = from.iter().map(|file| ground.below(file)).collect::<Result<Vec<_>, _>>()?.concat();
    let files: Vec<String> = files.into_iter().filter(|path| path != to).collect();
    for path in &files {
        let text = ground.needed(path)?;
        if joined.len() + text.len() > LARGEST {
            return Err(format!("joined they would be larger than {} MiB", LARGEST >> 20));
        }
        if !joined.is_empty() {
            joined.push('\n');
        }
        joined.push_str(&ended(text.trim_end()));
    }
    ground.write(to, &joined)?;
    Ok(format!("joined {} files into {to}", files.len()))
}

fn list(what: What, sources: &[String], to: &str, ground: &Ground<'_>) -> Acted {
    let files = ground.sources(sources, to)?;
    let mut lines = Vec::new();
    for path in &files {
        match what {
            What::Files => lines.push(format!("- {path}")),
            What::Lines | What::Words => return Err("lines and words are counted, not listed".into()),
            What::Headings => {
                let text = ground.needed(path)?;
                let found = text_goal::lines(&text).into_iter().filter_map(|line| {
                    let (level, title, _) = text_goal::heading(line.text)?;
                    Some(format!("{}- {title} ({path}:{})", "  ".repeat(level - 1), line.number))
                });
                lines.extend(found);
            }
        }
    }
    let title = match what {
        What::Headings => "Contents",
        _ => "Files",
    };
    ground.write(to, &format!("# {title}\n\n{}\n", lines.join("\n")))?;
    Ok(format!("{} entries in {to}", lines.len()))
}

fn count(what: What, sources: &[String], to: &str, ground: &Ground<'_>) -> Acted {
    let files = ground.sources(sources, to)?;
    let (name, mut rows, mut sum) = (format!("{what:?}").to_lowercase(), String::new(), 0);
    for path in &files {
        let text = ground.needed(path)?;
        let number = match what {
            What::Files => 1,
            What::Lines => text.lines().count(),
            What::Words => text.split_whitespace().count(),
            What::Headings => {
                text_goal::lines(&text).iter().filter(|line| text_goal::heading(line.text).is_some()).count()
            }
        };
        sum += number;
        rows.push_str(&format!("| {path} | {number} |\n"));
    }
    ground.write(to, &format!("| file | {name} |\n|---|---|\n{rows}| together | {sum} |\n"))?;
    Ok(format!("{sum} {name} in {} files, in {to}", files.len()))
}

/// What sources say, written to a file.
fn extracted(
    form: Form,
    about: &str,
    sources: &[String],
    to: &str,
    ground: &Ground<'_>,
    stopped: &dyn Fn() -> bool,
) -> Option<Acted> {
    if let Some(reason) = ground.not_writable(to) {
        return Some(Err(reason));
    }
    let paths = match ground.sources(sources, to) {
        Ok(paths) if paths.is_empty() => return Some(Err("there is nothing to read: name the files".into())),
        Ok(paths) => paths,
        Err(reason) => return Some(Err(reason)),
    };
    let material = ground.material(&paths, stopped)?;
    if form == Form::Summary && (to.ends_with(".md") || to.ends_with(".txt")) {
        let title = extract::title(about, to);
        return Some(extract::statements(&material, about, Otherwise::Nothing).and_then(|lines| {
            ground.write(to, &format!("# {title}\n\n{}", extract::written(&lines)))?;
            Ok(format!("{} sentences of {} files in {to}", lines.len(), paths.len()))
        }));
    }
    // The papers of the other protocols, asked for in their words.
    let mut brief = Brief::new("roadmap", "multiverse", "executor", "execute");
    let name = to.rsplit('/').next().unwrap_or(to);
    let output = match form {
        Form::Report | Form::Summary => format!("outputs/roadmap/{name}"),
        Form::Analysis => format!("runs/roadmap/workspace/ANALYZING/{name}"),
        Form::Comparison => format!("runs/roadmap/workspace/ANALYZING/comparison_{name}"),
    };
    brief.expects.outputs = vec![output];
    let purpose = if form == Form::Comparison { format!("Compare {about}") } else { about.to_string() };
    brief.context = json!({"request": about});
    brief.item.insert("task_purpose".into(), json!(purpose));
    let facts = Facts::new(&brief);
    let wanted = facts.wanted();
    let made = execute::execute(&facts, &material, &wanted);
    let content = made.outputs.into_iter().next().and_then(|output| output.content);
    Some(match (made.status, content) {
        (ReportStatus::Done, Some(content)) => ground.write(to, &content).map(|_| {
            format!("{} in {to}", made.summary.trim_end_matches(')').replace(" (by extraction, without a model", ""))
        }),
        _ => Err(made.error.unwrap_or_else(|| "nothing could be made of the sources".into())),
    })
}

/// A section of a file: what sources say of its title.
fn section(
    file: &str,
    title: &str,
    sources: &[String],
    ground: &Ground<'_>,
    stopped: &dyn Fn() -> bool,
) -> Option<Acted> {
    let before = match ground.text(file) {
        Ok(before) => before.unwrap_or_default(),
        Err(reason) => return Some(Err(reason)),
    };
    let is_there = |line: &&str| text_goal::heading(line).is_some_and(|(_, own, _)| own == title);
    if before.lines().any(|line| is_there(&line)) {
        return Some(Ok(format!("{file} has the section \"{title}\" already")));
    }
    let paths = match ground.sources(sources, file) {
        Ok(paths) => paths,
        Err(reason) => return Some(Err(reason)),
    };
    let material = ground.material(&paths, stopped)?;
    let otherwise = if sources.is_empty() { Otherwise::Nothing } else { Otherwise::TheBest };
    Some(extract::statements(&material, title, otherwise).and_then(|lines| {
        let parting = match before.as_str() {
            "" => "",
            text if text.ends_with("\n\n") => "",
            text if text.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        ground.write(file, &format!("{before}{parting}## {title}\n\n{}", extract::written(&lines)))?;
        Ok(format!("section \"{title}\" with {} sentences in {file}", lines.len()))
    }))
}

/// A question: what a person said, else what is done until they do.
fn ask(question: &str, default: &str, to: Option<&str>, ground: &Ground<'_>, asked: &[Asked]) -> Report {
    let known = asked.iter().rev().find(|one| one.question.trim() == question.trim());
    let answer = match known {
        None => {
            let result = json!({"default": if default.is_empty() { "it is left out" } else { default }});
            return Report { result, summary: format!("asks: {question}"), ..Report::question(question) };
        }
        Some(Asked { answer: Some(answer), .. }) => answer.clone(),
        Some(_) if default.is_empty() => {
            return Report::done(&format!("nobody answered \"{question}\"; it is left out"));
        }
        Some(_) => default.to_string(),
    };
    match to.map_or(Ok(false), |file| ground.write(file, &ended(&answer))) {
        Err(reason) => Report::failed(&reason),
        Ok(_) => {
            let place = to.map_or(String::new(), |file| format!(", in {file}"));
            Report::done(&format!("\"{question}\": {answer}{place}"))
        }
    }
}

fn ended(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_string() } else { format!("{text}\n") }
}
