//! Links that resolve. A link is mended where exactly one file or heading can be meant; all others stay and are told.
//! Must not follow links that lead elsewhere: only relative ones are looked at.

use super::goal::is_source;
use super::texts::{anchor, heading, lines, links};
use super::{Files, Gap, Measure};

pub(super) fn find(sources: &[String], files: &Files) -> Measure {
    let (mut subjects, mut gaps) = (0, Vec::new());
    for (path, text) in files.iter().filter(|(path, _)| is_source(path, sources)) {
        for line in lines(text) {
            for (target, _) in links(line.text) {
                let is_elsewhere = target.contains("://") || target.starts_with("mailto:") || target.starts_with('/');
                if is_elsewhere {
                    continue;
                }
                subjects += 1;
                if let Some((reason, mend)) = wrong(path, target, files) {
                    gaps.push(Gap { path: path.clone(), line: line.number, reason, subject: target.to_owned(), mend });
                }
            }
        }
    }
    Measure { subjects, gaps }
}

/// Puts the right target in the place of each wrong one, on its own line.
pub(super) fn mend(files: &Files, gaps: &[Gap]) -> Files {
    let mut files = files.clone();
    for gap in gaps {
        let (Some(text), Some(target)) = (files.get(&gap.path), &gap.mend) else { continue };
        let mut changed = String::with_capacity(text.len());
        for (number, whole) in (1..).zip(text.split_inclusive('\n')) {
            let place =
                links(whole.trim_end_matches(['\n', '\r'])).into_iter().find(|(found, _)| *found == gap.subject);
            match place.filter(|_| number == gap.line) {
                Some((_, span)) => {
                    changed.push_str(&whole[..span.start]);
                    changed.push_str(target);
                    changed.push_str(&whole[span.end..]);
                }
                None => changed.push_str(whole),
            }
        }
        files.insert(gap.path.clone(), changed);
    }
    files
}

/// Why a link leads nowhere, and where it can only be meant to lead.
fn wrong(from: &str, target: &str, files: &Files) -> Option<(String, Option<String>)> {
    let (file, fragment) = target.split_once('#').map_or((target, None), |(file, fragment)| (file, Some(fragment)));
    let inside = if file.is_empty() { Some(from.to_owned()) } else { resolve(from, file) };
    let text = inside.as_ref().and_then(|path| files.get(path));
    let is_folder = inside.as_ref().is_some_and(|path| {
        files.keys().any(|known| known.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('/')))
    });
    let suffix = fragment.map_or(String::new(), |fragment| format!("#{fragment}"));
    match (text, fragment) {
        (None, _) if is_folder => None,
        (None, _) => {
            let name = file.rsplit('/').next().unwrap_or(file);
            let same = |known: &&String| known.rsplit('/').next().is_some_and(|other| other.eq_ignore_ascii_case(name));
            let candidates: Vec<&String> = files.keys().filter(same).collect();
            let mend = match candidates.as_slice() {
                [one] => Some(format!("{}{suffix}", relative(from, one))),
                _ => None,
            };
            let why = match candidates.len() {
                0 => "no file has that name".to_owned(),
                1 => "a file of that name is elsewhere".to_owned(),
                several => format!("{several} files have that name"),
            };
            Some((format!("`{target}` leads to no file: {why}"), mend))
        }
        (Some(text), Some(fragment)) => {
            let anchors: Vec<String> =
                lines(text).iter().filter_map(|line| heading(line.text)).map(|(_, title, _)| anchor(title)).collect();
            if fragment.is_empty() || anchors.iter().any(|known| known == fragment) {
                return None;
            }
            let squeezed = |text: &str| {
                text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
            };
            let wanted = squeezed(fragment);
            let candidates: Vec<&String> = anchors.iter().filter(|known| squeezed(known) == wanted).collect();
            let mend = match candidates.as_slice() {
                [one] => Some(format!("{file}#{one}")),
                _ => None,
            };
            Some((format!("`{target}` leads to no heading"), mend))
        }
        (Some(_), None) => None,
    }
}

/// The path that a link means, from the root; nothing if it leads out of the project.
fn resolve(from: &str, target: &str) -> Option<String> {
    let mut names: Vec<&str> = from.split('/').collect();
    names.pop();
    for name in target.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    Some(names.join("/").replace("%20", " "))
}

/// The link from one file to another.
fn relative(from: &str, to: &str) -> String {
    let mut here: Vec<&str> = from.split('/').collect();
    here.pop();
    let there: Vec<&str> = to.split('/').collect();
    let shared = here.iter().zip(&there).take_while(|(one, other)| one == other).count().min(there.len() - 1);
    let up = here[shared..].iter().map(|_| "..");
    up.chain(there[shared..].iter().copied()).collect::<Vec<_>>().join("/").replace(' ', "%20")
}
