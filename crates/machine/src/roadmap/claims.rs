//! Files and folders that items say they will change, and which of them clash (BY-10). A claim of a folder is one of all
//! below it; a pattern claims the folder in which it begins.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::tree::Tree;

/// Claims that are in use, with how many items use each.
pub(super) type InUse = Tree<Arc<str>, u32>;

/// A claim as it is compared: from the project's root, without what a pattern leaves open. The root itself is empty. Else,
/// why it is none.
pub(super) fn normal(claim: &str) -> Result<String, &'static str> {
    let claim = claim.trim();
    if claim.is_empty() {
        return Err("is empty");
    }
    if claim.contains('\\') {
        return Err("has a backslash; write / between folders");
    }
    if claim.starts_with('/') || claim.as_bytes().get(1) == Some(&b':') {
        return Err("is absolute; write it from the project's root");
    }
    if claim.chars().any(char::is_control) {
        return Err("has a control character");
    }
    let mut normal = String::new();
    for part in claim.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            return Err("has `..`; write it from the project's root");
        }
        if part.contains(['*', '?', '[', '{']) {
            break;
        }
        if !normal.is_empty() {
            normal.push('/');
        }
        normal.push_str(part);
    }
    Ok(normal)
}

/// The claims of an item as they are compared, in order, none twice. What is no path claims itself.
pub(super) fn all(claims: &[String]) -> Vec<String> {
    let mut all: Vec<String> =
        claims.iter().map(|claim| normal(claim).unwrap_or_else(|_| claim.trim().to_string())).collect();
    all.sort();
    all.dedup();
    all
}

/// A claim in use that one of these clashes with.
pub(super) fn clash<'u>(in_use: &'u InUse, claims: &[String]) -> Option<&'u str> {
    claims.iter().find_map(|claim| clash_of(in_use, claim))
}

fn clash_of<'u>(in_use: &'u InUse, claim: &str) -> Option<&'u str> {
    let (first, _) = in_use.first()?;
    if first.is_empty() || claim.is_empty() {
        return Some(first);
    }
    let folders = claim.match_indices('/').map(|(at, _)| &claim[..at]).chain([claim]);
    for folder in folders {
        if let Some((found, _)) = in_use.from(folder).next()
            && &**found == folder
        {
            return Some(found);
        }
    }
    let below = format!("{claim}/");
    let (found, _) = in_use.from(below.as_str()).next()?;
    found.starts_with(&below).then_some(&**found)
}

/// These are in use once more.
pub(super) fn take(in_use: &mut InUse, claims: &[String]) {
    for claim in claims {
        match in_use.at_mut(claim.as_str()) {
            Some(count) => *count = count.saturating_add(1),
            None => {
                in_use.insert(claim.as_str().into(), 1);
            }
        }
    }
}

/// These are in use once less.
pub(super) fn give_back(in_use: &mut InUse, claims: &[String]) {
    for claim in claims {
        match in_use.at_mut(claim.as_str()) {
            Some(count) if *count > 1 => *count -= 1,
            Some(_) => {
                in_use.remove(claim.as_str());
            }
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;

    /// BY-10: the same file, a folder and what is below it, patterns, the root; and what only looks alike.
    #[test]
    fn what_clashes() {
        let clashes = [
            ("src/a.rs", "src/a.rs"),
            ("src", "src/a.rs"),
            ("src/a.rs", "src/"),
            ("./src//deep/er", "src"),
            ("src/*.rs", "src/a.rs"),
            ("src/**", "src/x/y"),
            ("*.md", "docs/a"),
            (".", "anything"),
            ("anything", "**"),
        ];
        for (one, other) in clashes {
            let mut in_use = InUse::new();
            take(&mut in_use, &all(&[one.into()]));
            assert!(clash(&in_use, &all(&[other.into()])).is_some(), "{one} against {other}");
            give_back(&mut in_use, &all(&[one.into()]));
            assert!(in_use.is_empty());
        }
        let apart = [("src/a.rs", "src/b.rs"), ("src/a", "src/ab"), ("src-old/a", "src/a"), ("src/a.rs", "src/a")];
        for (one, other) in apart {
            let mut in_use = InUse::new();
            take(&mut in_use, &all(&[one.into()]));
            assert_eq!(clash(&in_use, &all(&[other.into()])), None, "{one} against {other}");
        }
    }

    #[test]
    fn what_is_no_claim() {
        for (claim, reason) in [
            ("", "empty"),
            (" ", "empty"),
            ("/etc", "absolute"),
            ("C:/x", "absolute"),
            ("a/../b", ".."),
            ("a\\b", "backslash"),
        ] {
            assert!(normal(claim).is_err_and(|problem| problem.contains(reason)), "{claim}");
        }
        assert_eq!(all(&["b".into(), "./a".into(), "b/".into(), "/x".into()]), ["/x", "a", "b"]);
    }
}
