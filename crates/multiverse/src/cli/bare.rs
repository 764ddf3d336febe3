//! A request without a command: `multiverse "Make a report of …"` is `multiverse run "Make a report of …"`. One word is
//! never a request: near a command it is a typo, and nothing is started.

use std::ffi::{OsStr, OsString};

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::request::is_one_word;
use super::topics;

/// The command line that was meant, if one that was not understood holds a request in the place of a command.
pub(crate) fn request(command: &clap::Command, arguments: &[OsString], error: &clap::Error) -> Option<Vec<OsString>> {
    if !matches!(error.kind(), ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument) {
        return None;
    }
    let is_command = |word: &OsStr| {
        command.get_subcommands().any(|known| OsStr::new(known.get_name()) == word) || word == OsStr::new("help")
    };
    let mut before = OsStr::new("");
    for word in arguments.iter().skip(1).map(OsString::as_os_str) {
        let is_option = |word: &OsStr| word.as_encoded_bytes().starts_with(b"-");
        let is_request = |text: &str| !text.trim().is_empty() && !is_one_word(text);
        if is_command(word) {
            return None;
        }
        if !is_option(word) && word.to_str().is_some_and(is_request) {
            return Some([&arguments[..1], &["run".into()], &arguments[1..]].concat());
        }
        // A word may be what an option is set to; otherwise it stands where a command belongs.
        if !is_option(word) && !is_option(before) {
            return None;
        }
        before = word;
    }
    None
}

/// What is no command may have been meant as a request.
pub(crate) fn with_tip(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    let has_suggestion = error.get(ContextKind::SuggestedSubcommand).is_some();
    if error.kind() == ErrorKind::InvalidSubcommand && !has_suggestion {
        let tip = match arguments.get(1).is_some_and(|word| word == "help") {
            true => format!("help is there for each command, and for these topics: {}", topics::names()),
            false => "a request is a sentence in quotes: multiverse \"Make a report of …\"".into(),
        };
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}
