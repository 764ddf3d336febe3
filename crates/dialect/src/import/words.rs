//! Words for a status that people and agents use, in several languages, and what they stand for.

/// A status of an item or a run, as the protocols spell it; nothing if the word is not known.
pub(super) fn status(word: &str) -> Option<&'static str> {
    let plain: String = word
        .trim_matches(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '✅' | '✔' | '❌' | '⏳'))
        .to_uppercase()
        .replace([' ', '-'], "_");
    let known = |words: &[&str]| words.contains(&plain.as_str());
    if known(&[
        "PENDING",
        "TODO",
        "TO_DO",
        "NOT_STARTED",
        "OPEN",
        "WAITING",
        "QUEUED",
        "대기",
        "대기중",
        "未着手",
        "⏳",
    ]) {
        Some("PENDING")
    } else if known(&[
        "IN_PROGRESS",
        "RUNNING",
        "PROCESSING",
        "ACTIVE",
        "STARTED",
        "WIP",
        "진행중",
        "진행_중",
        "進行中",
    ]) {
        // Neither protocol has a word for it: what is not done is to be done.
        Some("PENDING")
    } else if known(&[
        "COMPLETED",
        "COMPLETE",
        "DONE",
        "FINISHED",
        "SUCCESS",
        "OK",
        "완료",
        "완료됨",
        "完了",
        "✅",
        "✔",
        "ERLEDIGT",
    ]) {
        Some("COMPLETED")
    } else if known(&["FAILED", "FAIL", "FAILURE", "ERROR", "실패", "失敗", "❌"]) {
        Some("FAILED")
    } else if known(&["AWAITING_CONFIRMATION", "AWAITING_USER_CONFIRMATION", "WAITING_FOR_CONFIRMATION"]) {
        Some("AWAITING_CONFIRMATION")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_a_status_are_known() {
        for (word, expected) in [
            ("Done", Some("COMPLETED")),
            ("완료", Some("COMPLETED")),
            ("✅", Some("COMPLETED")),
            ("in progress", Some("PENDING")),
            ("**failed**", Some("FAILED")),
            ("Awaiting Confirmation", Some("AWAITING_CONFIRMATION")),
            ("perhaps", None),
            ("", None),
        ] {
            assert_eq!(status(word), expected, "{word}");
        }
    }
}
