//! Which URLs a prompt names. Pure.

/// More are not fetched in one call.
pub(crate) const MOST_URLS: usize = 20;

/// The URLs in a text, each once, in order. A dot, a comma or a bracket that closes the sentence around one is not part of
/// it. Schemes that are not fetched are named too, so that they can be refused by name.
pub fn urls_in(text: &str) -> Vec<String> {
    let mut urls: Vec<String> = Vec::new();
    let mut from = 0;
    while let Some(found) = text[from..].find("://") {
        let at = from + found;
        let scheme = scheme_before(&text[from..at]);
        let after = at + 3;
        let is_end = |character: char| {
            character.is_whitespace() || matches!(character, '<' | '>' | '"' | '`' | '|' | '\\' | '^')
        };
        let end = text[after..].find(is_end).map_or(text.len(), |end| after + end);
        let url = without_sentence(&text[at - scheme.len()..end]);
        if !scheme.is_empty() && url.len() > scheme.len() + 3 && !urls.iter().any(|known| known == url) {
            urls.push(url.to_owned());
        }
        from = end.max(after);
    }
    urls
}

/// The letters, digits and signs before `://`, from the first letter on.
fn scheme_before(text: &str) -> &str {
    let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '+' | '.' | '-');
    let start = text
        .rfind(|character| !is_part(character))
        .map_or(0, |at| at + text[at..].chars().next().map_or(0, char::len_utf8));
    text[start..].trim_start_matches(|character: char| !character.is_ascii_alphabetic())
}

fn without_sentence(mut url: &str) -> &str {
    loop {
        let Some(last) = url.chars().next_back() else { return url };
        let opening = match last {
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '_' | '…' | '。' | '，' => None,
            ')' => Some('('),
            ']' => Some('['),
            '}' => Some('{'),
            _ => return url,
        };
        // A bracket that was opened inside the URL belongs to it.
        let count = |wanted: char| url.chars().filter(|character| *character == wanted).count();
        if opening.is_some_and(|opening| count(opening) >= count(last)) {
            return url;
        }
        url = &url[..url.len() - last.len_utf8()];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MV-28: the URLs are in the prompt, among the words that say what to do with them.
    #[test]
    fn urls_are_found_in_sentences() {
        let check = |text: &str, expected: &[&str]| assert_eq!(urls_in(text), expected, "{text}");
        check("Summarise https://a.example/x and compare it.", &["https://a.example/x"]);
        check(
            "See https://a.example/x, http://b/y. (http://c/z)",
            &["https://a.example/x", "http://b/y", "http://c/z"],
        );
        check("[link](https://a/b_(c)) <https://d/e>", &["https://a/b_(c)", "https://d/e"]);
        check("http://a http://a http://b", &["http://a", "http://b"]);
        check("file:///etc/passwd and ftp://x/", &["file:///etc/passwd", "ftp://x/"]);
        check("HTTP://A/", &["HTTP://A/"]);
        check("x=http://a/?q=http://b/", &["http://a/?q=http://b/"]);
        check("http://[::1]:80/ ok", &["http://[::1]:80/"]);
        check("no url :// here http:// ://x", &[]);
        check("é://x ähttp://y/é.", &["http://y/é"]);
    }
}
