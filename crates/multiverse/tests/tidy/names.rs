//! Names that say nothing: of crates, files, modules, types and functions.

use crate::Finding;
use crate::scan::Source;

/// Where in a name a word is not wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// As the whole name: `common_prefix` is a good name, `common` is not.
    Whole,
    /// As any word of it.
    Anywhere,
    /// As the first of several words.
    First,
}

/// The words, and why.
const BANNED: [(&str, Place, &str); 9] = [
    ("core", Place::Whole, "everything is core to someone; name what it owns"),
    ("common", Place::Whole, "what is common has no owner; name what it owns"),
    ("util", Place::Anywhere, "it draws in what has no place; name what it does"),
    ("utils", Place::Anywhere, "it draws in what has no place; name what it does"),
    ("helper", Place::Anywhere, "every function helps; name what it does"),
    ("helpers", Place::Anywhere, "every function helps; name what they do"),
    ("manager", Place::Anywhere, "it does not say what is done; name the deed or the thing"),
    ("managers", Place::Anywhere, "it does not say what is done; name the deed or the thing"),
    ("get", Place::First, "a value is named by what it is: `name()`, not `get_name()`"),
];

/// Names that a trait of somebody else asks for.
const GIVEN: [&str; 1] = ["get_stream"];

/// Definitions in a source text.
pub(crate) fn in_source(path: &str, source: &Source<'_>) -> Vec<Finding> {
    let definitions = source.definitions();
    let own = definitions.iter().filter(|definition| !GIVEN.contains(&definition.name));
    let banned = own.filter_map(|definition| {
        let reason = banned(definition.name)?;
        let what = format!("{} {} has a banned name: {reason}", definition.keyword, definition.name);
        Some(Finding::new(path, definition.line, what))
    });
    banned.collect()
}

/// The last name of a path, its ending left out.
pub(crate) fn of_file(path: &str) -> Vec<Finding> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or(name);
    let finding = banned(stem).map(|reason| Finding::new(path, 1, format!("{name} is a banned name: {reason}")));
    finding.into_iter().collect()
}

pub(crate) fn of_crate(path: &str, name: &str) -> Vec<Finding> {
    let finding = banned(name).map(|reason| Finding::new(path, 1, format!("crate {name} is a banned name: {reason}")));
    finding.into_iter().collect()
}

fn banned(name: &str) -> Option<&'static str> {
    let words = words(name);
    let breaks = |word: &str, place: Place| match place {
        Place::Whole => words == [word],
        Place::Anywhere => words.iter().any(|own| own == word),
        Place::First => words.len() > 1 && words[0] == word,
    };
    BANNED.into_iter().find(|(word, place, _)| breaks(word, *place)).map(|(_, _, reason)| reason)
}

/// The words of a name in lower case, however they are joined.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for character in name.chars() {
        if matches!(character, '_' | '-' | ' ') || character.is_uppercase() {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn names_that_say_nothing_are_refused() {
    crate::check_cases(
        |text| in_source("a.rs", &Source::new(text)),
        &[
            ("mod core;", &["a.rs:1: mod core has a banned name"]),
            ("\nmod common {}", &["a.rs:2: mod common"]),
            ("fn test_helper() {}", &["fn test_helper has a banned name: every function helps"]),
            ("struct RunManager;", &["struct RunManager"]),
            ("enum PathUtils {}", &["enum PathUtils"]),
            ("fn get_name() {}", &["fn get_name has a banned name: a value is named"]),
            ("fn get() {} fn common_prefix() {} fn score() {} fn budget_left() {} fn utilise() {}", &[]),
            ("// fn get_name()\nlet x = \"mod core\";", &[]),
        ],
    );
    crate::check_cases(
        of_file,
        &[
            ("crates/a/src/utils.rs", &["utils.rs is a banned name"]),
            ("crates/a/src/common/mod.rs", &[]),
            ("crates/a/src/common", &["common is a banned name"]),
            ("docs/helpers.md", &["helpers.md is a banned name"]),
            (".gitignore", &[]),
            ("crates/a/src/store.rs", &[]),
        ],
    );
    crate::check_cases(
        |name| of_crate("crates/x/Cargo.toml", name),
        &[("core", &["crate core"]), ("multiverse-utils", &["crate multiverse-utils"]), ("store", &[])],
    );
}
