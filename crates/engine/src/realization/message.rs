//! Messages of commits: `<type>(<role>): <what>`. Checked where a role commits itself, made where it does not.

/// What a commit can be about.
pub const TYPES: [&str; 9] = ["feat", "fix", "docs", "test", "refactor", "style", "chore", "security", "review"];

/// The longest first line that is made here, in characters.
const LINE: usize = 100;

/// Why a message is not one of this role; the first line counts.
pub fn message_problem(message: &str, role: &str) -> Option<String> {
    let line = message.lines().next().unwrap_or_default().trim_end();
    let form = "<type>(<role>): <what>";
    let Some((head, what)) = line.split_once(':') else {
        return Some(format!("its message `{line}` is not of the form `{form}`"));
    };
    let parts = head.trim_end_matches('!').strip_suffix(')').and_then(|head| head.split_once('('));
    let Some((kind, said)) = parts else {
        return Some(format!("its message `{line}` is not of the form `{form}`"));
    };
    if !TYPES.contains(&kind) {
        return Some(format!("its message begins with `{kind}`; valid: {}", TYPES.join(", ")));
    }
    if said != role {
        return Some(format!("its message names the role `{said}`, and the step is of `{role}`"));
    }
    if what.trim().is_empty() {
        return Some(format!("its message `{line}` does not say what was done"));
    }
    None
}

/// A message for a role that does not commit itself. `kind` is the type of the step, `what` the role's own summary.
pub fn message_for(kind: &str, role: &str, what: &str, step: &str) -> String {
    let kind = match kind {
        "reviewer" => "review",
        "validator" => "test",
        _ => "feat",
    };
    let words = what.split_whitespace().collect::<Vec<_>>().join(" ");
    let what = if words.is_empty() { step.to_owned() } else { words };
    let line = format!("{kind}({role}): {what}");
    match line.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PF-10: what a role's own message must be.
    #[test]
    fn messages_name_a_type_the_role_and_what_was_done() {
        let check = |message: &str, expected: Option<&str>| {
            let problem = message_problem(message, "backend_dev");
            match expected {
                None => assert_eq!(problem, None, "{message}"),
                Some(part) => {
                    assert!(problem.as_ref().is_some_and(|found| found.contains(part)), "{message}: {problem:?}");
                }
            }
        };
        check("feat(backend_dev): the parser", None);
        check("fix(backend_dev)!: no more crashes\n\nwith more words\n", None);
        check("security(backend_dev): secrets are kept", None);
        check("the parser", Some("not of the form"));
        check("feat: the parser", Some("not of the form"));
        check("feat(backend_dev) the parser", Some("not of the form"));
        check("feat(): the parser", Some("names the role ``"));
        check("feat(qa): the parser", Some("names the role `qa`, and the step is of `backend_dev`"));
        check("feature(backend_dev): x", Some("valid: feat, fix"));
        check("feat(backend_dev):  ", Some("does not say what"));
        check("", Some("not of the form"));
    }

    #[test]
    fn messages_that_are_made_pass_the_check() {
        for (kind, what) in [("owner", "a\nb  c"), ("reviewer", ""), ("validator", &"long ".repeat(100))] {
            let message = message_for(kind, "qa", what, "s1");
            assert_eq!(message_problem(&message, "qa"), None, "{message}");
            assert!(message.chars().count() <= LINE + 1, "{message}");
        }
        assert_eq!(message_for("reviewer", "qa", " ", "s1"), "review(qa): s1");
    }
}
