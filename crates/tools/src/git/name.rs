//! Names in a repository: of objects, of branches. Checked before git sees them, so that none is taken for an option.

use std::fmt;

/// The name of an object: a digest in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(String);

impl ObjectId {
    /// Reads the whole name of an object; a part of one is none.
    pub fn read(text: &str) -> Option<Self> {
        let is_digest = matches!(text.len(), 40 | 64)
            && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        is_digest.then(|| Self(text.into()))
    }

    /// It, in hexadecimal.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first letters, for people.
    pub fn short(&self) -> &str {
        &self.0[..10]
    }

    /// The name of nothing, as long as this one.
    pub(super) fn nothing(&self) -> String {
        "0".repeat(self.0.len())
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The longest name of a branch, in bytes.
const BRANCH_BYTES: usize = 200;

/// Why a text cannot be the name of a branch, by git's own rules and a bound.
pub fn branch_problem(name: &str) -> Option<String> {
    let bad = |letter: char| letter.is_control() || letter == ' ' || "~^:?*[\\".contains(letter);
    let part_problem = |part: &str| {
        if part.is_empty() {
            Some("has an empty part between two `/`")
        } else if part.starts_with('.') || part.ends_with('.') {
            Some("has a part that begins or ends with a full stop")
        } else if part.strip_suffix(".lock").is_some() {
            Some("has a part that ends with `.lock`")
        } else {
            None
        }
    };
    let problem = if name.is_empty() {
        Some("is empty")
    } else if name.len() > BRANCH_BYTES {
        Some("is too long")
    } else if name.starts_with('-') {
        Some("begins with `-`")
    } else if name == "@" || name == "HEAD" || name.contains("@{") || name.contains("..") {
        Some("means something else to git")
    } else if name.contains(bad) {
        Some("has a letter that git does not take in a name")
    } else {
        name.split('/').find_map(part_problem)
    };
    problem.map(|problem| format!("the name of a branch {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_branches_follow_gits_rules() {
        let check = |name: &str, expected: Option<&str>| {
            let problem = branch_problem(name);
            match expected {
                None => assert_eq!(problem, None, "{name}"),
                Some(part) => {
                    assert!(problem.as_ref().is_some_and(|problem| problem.contains(part)), "{name}: {problem:?}");
                }
            }
        };
        for name in ["main", "cycle/2026-01-02-001", "a.b", "größe", "x@y", "feature/-x"] {
            check(name, None);
        }
        check("", Some("empty"));
        check("-d", Some("begins with"));
        check("a//b", Some("empty part"));
        check("/a", Some("empty part"));
        check("a/", Some("empty part"));
        check("a..b", Some("something else"));
        check("a@{1}", Some("something else"));
        check("HEAD", Some("something else"));
        check("a b", Some("letter"));
        check("a\nb", Some("letter"));
        check("a:b", Some("letter"));
        check(".a", Some("full stop"));
        check("a/b.lock", Some(".lock"));
        check(&"a".repeat(201), Some("too long"));
    }

    #[test]
    fn a_part_of_a_digest_is_none() {
        assert!(ObjectId::read(&"a0".repeat(20)).is_some());
        assert!(ObjectId::read(&"a0".repeat(32)).is_some());
        for text in ["", "a0", "HEAD", &"A0".repeat(20), &"g0".repeat(20), &format!("-{}", "a".repeat(39))] {
            assert!(ObjectId::read(text).is_none(), "{text}");
        }
    }
}
