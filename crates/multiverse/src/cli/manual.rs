//! `multiverse man`: the help pages as manual pages, made of the same words. Writes nothing but those pages.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::CommandFactory as _;
use clap_mangen::Man;
use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::output::{Form, Output, counted};
use super::{resolve, visible};

/// Write manual pages
///
/// Without DIR the page of the program goes to stdout, for `man -l -`. With DIR one page
/// a command is written there (multiverse.1, multiverse-run.1, …); the folder is made if
/// it is not there.
///
/// With --json, one object: {"page": {"name", "text"}}, or {"pages": {"folder", "names"}}.
///
/// Exit codes: 0 done, 1 error, 2 usage
///
/// Examples:
///   multiverse man
///   multiverse man man1
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Where to put the pages
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// A page.
#[derive(Debug, Serialize)]
struct Page<'a> {
    name: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Page(&'a Page<'a>),
    Pages { folder: &'a str, names: Vec<&'a str> },
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let mut program = super::Arguments::command();
        program.build();
        let Some(folder) = &self.folder else {
            let page = page(&program)?;
            let text = String::from_utf8_lossy(&page);
            match output.form() {
                Form::Json => output.json(&Line::Page(&Page { name: "multiverse", text: &text }))?,
                Form::Text => output.data(&text)?,
            }
            return Ok(Exit::Done);
        };
        let folder = resolve(given, folder);
        std::fs::create_dir_all(&folder).map_err(|error| Failure::writing(&folder, &error))?;
        let commands = program.get_subcommands().filter(|command| command.get_name() != "help");
        let pages: Vec<(String, Vec<u8>)> = std::iter::once(Ok(("multiverse".into(), page(&program)?)))
            .chain(commands.map(|command| {
                let name = format!("multiverse-{}", command.get_name());
                let named = command.clone().display_name(name.clone());
                Ok((name, page(&named)?))
            }))
            .collect::<Result<_, Failure>>()?;
        for (name, page) in &pages {
            let path = folder.join(format!("{name}.1"));
            std::fs::write(&path, page).map_err(|error| Failure::writing(&path, &error))?;
        }
        if output.form() == Form::Json {
            let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
            output.json(&Line::Pages { folder: &folder.to_string_lossy(), names })?;
            return Ok(Exit::Done);
        }
        output.say(&format!("{} in {}", counted(pages.len(), "page"), visible::path(&folder)))?;
        Ok(Exit::Done)
    }
}

/// A page: clap's own sections, and between them what the doc comment says, its paragraphs kept.
fn page(command: &clap::Command) -> Result<Vec<u8>, Failure> {
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    let about = command.get_long_about().or_else(|| command.get_about());
    page.write_all(description(&about.map(ToString::to_string).unwrap_or_default()).as_bytes())?;
    man.render_options_section(&mut page)?;
    if command.get_subcommands().next().is_some() {
        man.render_subcommands_section(&mut page)?;
    }
    Ok(page)
}

/// The paragraphs of a help page in the language of manual pages.
fn description(about: &str) -> String {
    let mut page = String::from(".SH DESCRIPTION\n");
    // The first line is the page's name.
    for paragraph in about.split("\n\n").skip(1) {
        if let Some(examples) = paragraph.strip_prefix("Examples:\n") {
            page.push_str(&format!(".SH EXAMPLES\n.nf\n{}\n.fi\n", escaped(examples)));
        } else if let Some(codes) = paragraph.strip_prefix("Exit codes: ") {
            page.push_str(&format!(".SH EXIT STATUS\n{}\n", escaped(codes)));
        } else if paragraph.lines().all(|line| line.starts_with("  ")) {
            page.push_str(&format!(".PP\n.nf\n{}\n.fi\n", escaped(paragraph)));
        } else {
            page.push_str(&format!(".PP\n{}\n", escaped(paragraph)));
        }
    }
    page
}

/// Text in which nothing is a command.
fn escaped(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        // A dot or a quote at the beginning would be a request.
        if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_stay_paragraphs_and_nothing_is_a_request() {
        let about = "Do it\n\nSome words\n.PP `a\\b`\n\n  shell  line\n\nExit codes: 0 done\n\nExamples:\n  multiverse do \"x\" --yes";
        insta::assert_snapshot!(description(about), @"
        .SH DESCRIPTION
        .PP
        Some words
        \\&.PP `a\\eb`
        .PP
        .nf
          shell  line
        .fi
        .SH EXIT STATUS
        0 done
        .SH EXAMPLES
        .nf
          multiverse do \"x\" \\-\\-yes
        .fi
        ");
    }
}
