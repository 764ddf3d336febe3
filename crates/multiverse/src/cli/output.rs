//! The two streams: data on stdout, talk on stderr; as text for a person or as JSON lines for a program.
//! With `--json` stdout carries all that a program needs, errors too, and a reader follows one stream.
//! Knows no command.

use std::io::{self, BufWriter, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use super::failure::Failure;
use super::live;
use super::project::Left;
use super::visible;

pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default();
pub(crate) const PLACE: Style = Style::new().bold();
pub(crate) const FRAME: Style = AnsiColor::Blue.on_default();

/// The form of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Json,
}

/// How much is said beside the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Loudness {
    /// Errors alone.
    Quiet,
    Normal,
    /// Every step.
    Verbose,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Wherever the output goes
    Always,
    /// Not at all
    Never,
}

/// Where a command puts what it has to say.
pub(crate) struct Output {
    data: AutoStream<Box<dyn Write>>,
    talk: AutoStream<Box<dyn Write>>,
    form: Form,
    loudness: Loudness,
    /// The reader of the data has gone (`| head`). That is its good right: the rest is not written.
    data_closed: bool,
    columns: Option<usize>,
}

impl Output {
    /// The streams of this process.
    pub(crate) fn of_process(form: Form, loudness: Loudness, color: Color) -> Self {
        let (stdout, stderr) = (io::stdout(), io::stderr());
        let data_color = color.resolve(&stdout);
        let talk_color = color.resolve(&stderr);
        let columns = rustix::termios::tcgetwinsize(&stdout).map(|size| usize::from(size.ws_col)).ok();
        let this =
            Self::new(Box::new(BufWriter::new(stdout)), data_color, Box::new(stderr), talk_color, form, loudness);
        Self { columns: columns.filter(|columns| *columns > 0), ..this }
    }

    fn new(
        data: Box<dyn Write>,
        data_color: ColorChoice,
        talk: Box<dyn Write>,
        talk_color: ColorChoice,
        form: Form,
        loudness: Loudness,
    ) -> Self {
        Self {
            data: AutoStream::new(data, data_color),
            talk: AutoStream::new(talk, talk_color),
            form,
            loudness,
            data_closed: false,
            columns: None,
        }
    }

    pub(crate) fn form(&self) -> Form {
        self.form
    }

    pub(crate) fn loudness(&self) -> Loudness {
        self.loudness
    }

    /// Whether what is said beside the data has colours.
    pub(crate) fn talk_color(&self) -> ColorChoice {
        self.talk.current_choice()
    }

    /// How wide a line beside the data may be; nothing when no terminal will break it.
    pub(crate) fn talk_columns(&self) -> Option<usize> {
        let size = rustix::termios::tcgetwinsize(io::stderr()).ok()?;
        Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
    }

    /// How wide a line of data may be; nothing when no terminal will break it.
    pub(crate) fn columns(&self) -> Option<usize> {
        self.columns
    }

    /// Writes data as it is. The text may hold styles; foreign text in it was made visible before.
    pub(crate) fn data(&mut self, text: &str) -> io::Result<()> {
        if self.data_closed {
            return Ok(());
        }
        let written = self.data.write_all(text.as_bytes());
        self.unless_closed(written)
    }

    /// Writes one object as one line.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string(value).map_err(io::Error::other)?;
        self.data(&format!("{}\n", visible::json(&text)))
    }

    /// Says something that is not data.
    pub(crate) fn say(&mut self, text: &str) -> io::Result<()> {
        self.say_from(Loudness::Normal, text)
    }

    /// Says something that even those must know who asked for silence.
    pub(crate) fn warn(&mut self, text: &str) -> io::Result<()> {
        self.say_from(Loudness::Quiet, text)
    }

    /// Says something for those who asked for every step.
    pub(crate) fn detail(&mut self, text: &str) -> io::Result<()> {
        self.say_from(Loudness::Verbose, text)
    }

    /// What came of a step that may be recorded: as data for a program; for a person in words, unless something kept
    /// it from being in place, which is then what is said.
    pub(crate) fn outcome(&mut self, data: &impl Serialize, words: &[String], left: &Left) -> io::Result<()> {
        if self.form == Form::Json {
            self.json(data)?;
        } else if left.trouble.is_none() {
            for line in words {
                self.say(line)?;
            }
        }
        if let Some(trouble) = &left.trouble {
            self.failure(trouble)?;
        }
        if self.form == Form::Text {
            self.say(&format!("head {}", left.head))?;
        }
        Ok(())
    }

    /// Shows a failure, in the form that was asked for.
    pub(crate) fn failure(&mut self, failure: &Failure) -> io::Result<()> {
        if self.form == Form::Json {
            return self.json(&ErrorLine { error: failure });
        }
        self.finish()?;
        self.talk_of(failure);
        Ok(())
    }

    /// Shows the failure that ends the program. If it is the data that cannot be written, stderr is what is left.
    pub(crate) fn last_failure(&mut self, failure: &Failure) {
        let shown = self.failure(failure).and_then(|()| self.finish());
        if shown.is_err() {
            self.talk_of(failure);
        }
    }

    /// Hands everything over to the system.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let flushed = self.data.flush();
        self.unless_closed(flushed)
    }

    /// Data first, so that on a terminal both streams come in the order they were written.
    fn say_from(&mut self, least: Loudness, text: &str) -> io::Result<()> {
        self.finish()?;
        if self.loudness >= least {
            let text = match self.talk_columns() {
                Some(columns) => broken(text, columns),
                None => text.to_string(),
            };
            self.talk_line(&text);
        }
        Ok(())
    }

    fn talk_of(&mut self, failure: &Failure) {
        self.talk_words(BAD, "error", failure.message());
        if let Some(hint) = failure.hint_text() {
            self.talk_words(HINT, "hint", hint);
        }
        // A person at a terminal can read on.
        if io::IsTerminal::is_terminal(&io::stderr()) {
            self.talk_line(&format!("{HINT}more{HINT:#}: `multiverse explain {}`", failure.kind().code()));
        }
    }

    /// A word and what it is about; on a terminal broken between words, below where they began.
    fn talk_words(&mut self, style: Style, lead: &str, text: &str) {
        let indent = " ".repeat(lead.len() + 2);
        let columns = self.talk_columns().map_or(usize::MAX, |columns| columns.saturating_sub(indent.len() + 1));
        let lines = visible::wrapped(&visible::text(text), columns.max(20));
        for (index, line) in lines.iter().enumerate() {
            match index {
                0 => self.talk_line(&format!("{style}{lead}{style:#}: {line}")),
                _ => self.talk_line(&format!("{indent}{line}")),
            }
        }
    }

    /// Nobody is left to tell when stderr is gone. What is said while a view is shown stays above it.
    fn talk_line(&mut self, text: &str) {
        if !live::say(text) {
            let _ = writeln!(self.talk, "{text}");
        }
    }

    fn unless_closed(&mut self, written: io::Result<()>) -> io::Result<()> {
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.data_closed = true;
                Ok(())
            }
            other => other,
        }
    }
}

/// A number and what it counts: `1 record`, `2 records`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Names in a row, made visible.
pub(crate) fn listed(names: &[String]) -> String {
    names.iter().map(|name| visible::text(name)).collect::<Vec<_>>().join(", ")
}

/// A failure as a line of JSON: the key says what the object is.
#[derive(Serialize)]
struct ErrorLine<'a> {
    error: &'a Failure,
}

impl Color {
    fn resolve<S: io::IsTerminal + anstream::stream::RawStream>(self, stream: &S) -> ColorChoice {
        match self {
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
            // This is what knows NO_COLOR, CLICOLOR and TERM=dumb.
            Self::Auto => AutoStream::choice(stream),
        }
    }

    /// The same choice for the help pages.
    pub(crate) fn for_help(self) -> clap::ColorChoice {
        match self {
            Self::Auto => clap::ColorChoice::Auto,
            Self::Always => clap::ColorChoice::Always,
            Self::Never => clap::ColorChoice::Never,
        }
    }
}

/// Prose as a terminal of so many columns shows it: broken between words. Lines with commands stay whole, so that they
/// can be copied.
fn broken(text: &str, columns: usize) -> String {
    let width = |text: &str| anstream::adapter::strip_str(text).to_string().width();
    let mut lines: Vec<String> = Vec::new();
    for line in text.split('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len();
        if width(line) <= columns || line.contains('`') || indent > 3 || line.starts_with('│') {
            lines.push(line.to_string());
            continue;
        }
        let mut filled = " ".repeat(indent);
        let mut is_begun = false;
        for word in line[indent..].split(' ') {
            if is_begun && width(&filled) + 1 + width(word) > columns {
                lines.push(std::mem::replace(&mut filled, " ".repeat(indent)));
                is_begun = false;
            }
            filled.push_str(if is_begun { " " } else { "" });
            filled.push_str(word);
            is_begun = true;
        }
        lines.push(filled);
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_broken_between_words_and_commands_are_not() {
        let check = |text: &str, expected: &str| assert_eq!(broken(text, 20), expected);
        check("short", "short");
        check("no agent is configured: offline works", "no agent is\nconfigured: offline\nworks");
        check("  the proposal waits for your answer", "  the proposal waits\n  for your answer");
        check("    multiverse confirm run-20261117-071934-001", "    multiverse confirm run-20261117-071934-001");
        check("say `multiverse resume run-1` to go on", "say `multiverse resume run-1` to go on");
        check(
            &format!("{HINT}note{HINT:#}: 아주 긴 문장이 여기에 있다"),
            &format!("{HINT}note{HINT:#}: 아주 긴 문장이\n여기에 있다"),
        );
    }
}
