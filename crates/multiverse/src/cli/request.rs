//! The words of a person: from the command line, a file or stdin. Says what is no request before anything is begun.

use std::fs::File;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};

use super::failure::{Failure, Kind};
use super::project::Start;
use super::visible;

/// The longest text that is taken, in bytes; the engine's own bound on requests is as high.
const TEXT_BYTES: u64 = 4 * 1024 * 1024;

/// Where words come from.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Words {
    /// What is wanted, in your own words; `-` reads it from stdin
    #[arg(value_name = "REQUEST", conflicts_with = "from")]
    words: Vec<String>,

    /// Read it from a file; `-` is stdin
    #[arg(short = 'f', long, value_name = "FILE")]
    from: Option<PathBuf>,
}

impl Words {
    /// A request: words that can be one.
    pub(crate) fn request(&self, start: &Start) -> Result<String, Failure> {
        let text = self.text(start)?;
        if text.trim().is_empty() {
            return Err(Failure::new(Kind::Usage, "the request is empty")
                .hint("say what you want: `multiverse run \"…\"`, or `-f FILE`"));
        }
        if is_one_word(&text) {
            let message = format!("{:?} is one word, and one word is never a request", visible::short(&text, 60));
            return Err(Failure::new(Kind::Usage, message).hint(
                "say in a sentence what you want: `multiverse run \"…\"`; `multiverse help` lists the commands",
            ));
        }
        Ok(text)
    }

    /// The words on the command line, if there are any.
    pub(crate) fn given(&self) -> Option<String> {
        let words = self.words.join(" ");
        Some(words).filter(|words| !words.trim().is_empty() && words != "-")
    }

    /// The words one by one: the filters of a roadmap's tasks.
    pub(crate) fn filters(&self) -> Result<&[String], Failure> {
        match self.from {
            Some(_) => {
                Err(Failure::new(Kind::Usage, "--from has no meaning for a roadmap: its goal is in its task file")
                    .hint("name the tasks, or leave it out"))
            }
            None => Ok(&self.words),
        }
    }

    fn text(&self, start: &Start) -> Result<String, Failure> {
        match (&self.from, self.words.as_slice()) {
            (Some(path), _) => read_text(start, path),
            (None, [only]) if only == "-" => read_text(start, Path::new("-")),
            (None, []) if !io::stdin().is_terminal() => read_text(start, Path::new("-")),
            (None, words) => Ok(words.join(" ")),
        }
    }
}

/// The text of a file, or of stdin.
pub(crate) fn read_text(start: &Start, path: &Path) -> Result<String, Failure> {
    let bytes = read_bytes(start, path)?;
    let shown = shown(path);
    String::from_utf8(bytes).map_err(|_| {
        Failure::new(Kind::NotADocument, format!("cannot use {shown}: it is not text in UTF-8"))
            .at(path)
            .hint("save it as UTF-8; material of other kinds belongs into assets/")
    })
}

/// The bytes of a file, or of stdin.
pub(crate) fn read_bytes(start: &Start, path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        io::stdin().lock().take(TEXT_BYTES + 1).read_to_end(&mut bytes)
    } else {
        return bytes_of(path, &start.place_of(path));
    };
    read.map_err(|error| Failure::reading(path, &error))?;
    bounded(path, bytes)
}

/// The bytes of the file at a place that somebody named like this.
pub(crate) fn bytes_of(path: &Path, place: &Path) -> Result<Vec<u8>, Failure> {
    // Opening a pipe would wait for its writer, so the kind is asked first.
    let metadata = std::fs::metadata(place).map_err(|error| Failure::reading(path, &error))?;
    if !metadata.is_file() {
        let message = format!("cannot use {}: it is not a file", shown(path));
        return Err(Failure::new(Kind::NotADocument, message).at(path).hint("give a file, or `-` for stdin"));
    }
    let mut bytes = Vec::new();
    let read = File::open(place).and_then(|file| file.take(TEXT_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| Failure::reading(path, &error))?;
    bounded(path, bytes)
}

fn bounded(path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>, Failure> {
    if bytes.len() as u64 > TEXT_BYTES {
        let message = format!("cannot use {}: it is larger than 4 MiB", shown(path));
        return Err(Failure::new(Kind::NotADocument, message)
            .at(path)
            .hint("put the material into assets/ and say what to do with it"));
    }
    Ok(bytes)
}

/// Who answers, as it is recorded.
pub(crate) fn user() -> String {
    let named = ["USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok().filter(|name| !name.is_empty()));
    named.unwrap_or_else(|| format!("user {}", rustix::process::getuid().as_raw()))
}

fn shown(path: &Path) -> String {
    if path.as_os_str() == "-" { "stdin".into() } else { visible::path(path) }
}

/// The least number of letters that can be a sentence in a script that is written without blanks.
const LETTERS_WITHOUT_BLANKS: usize = 4;

/// Whether a text is a single word, which is more likely a mistyped command than a request.
pub(crate) fn is_one_word(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let is_single = words.next().is_some() && words.next().is_none();
    let without_blanks = text.chars().filter(|letter| is_written_without_blanks(*letter)).count();
    is_single && without_blanks < LETTERS_WITHOUT_BLANKS
}

/// Thai, Lao, Burmese, Khmer, Japanese, Chinese.
fn is_written_without_blanks(letter: char) -> bool {
    matches!(letter, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_is_never_a_request() {
        for (text, expected) in [
            ("status", true),
            (" report\n", true),
            ("보고서", true),
            ("Make a report", false),
            ("売上レポートを作成してください", false),
            ("売上", true),
            ("", false),
        ] {
            assert_eq!(is_one_word(text), expected, "{text:?}");
        }
    }
}
