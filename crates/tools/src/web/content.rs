//! What the bytes of a reply are: their kind, their alphabet, and the text that a model is shown. Pure; knows nothing of
//! where they came from.

use encoding_rs::{Encoding, UTF_8};
use reqwest::Url;

use super::fetch::Fetched;
use super::html;

/// A reply as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) title: Option<String>,
    pub(crate) text: String,
    /// Whether something is missing at its end.
    pub(crate) cut: bool,
}

/// What is no text, by name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it is {kind} of {size}, which is not text; shown are pages, text, JSON and XML")]
pub(crate) struct NotText {
    kind: String,
    size: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Html,
    Text,
    Other,
}

/// The first bytes in which a page may say what alphabet it is in.
const DECLARED_WITHIN: usize = 2048;

const TEXT_TYPES: [&str; 14] = [
    "application/json",
    "application/xml",
    "application/yaml",
    "application/x-yaml",
    "application/toml",
    "application/javascript",
    "application/x-javascript",
    "application/ecmascript",
    "application/x-sh",
    "application/sql",
    "application/graphql",
    "application/x-ndjson",
    "application/jsonl",
    "application/rtf",
];

/// The text of a reply; a page becomes Markdown with whole links.
pub(crate) fn document(fetched: &Fetched) -> Result<Document, NotText> {
    let bytes = fetched.bytes.as_slice();
    let kind = kind(&fetched.content_type, bytes);
    if kind == Kind::Other {
        let named = essence(&fetched.content_type);
        let kind =
            if named.is_empty() { "a file of an unknown kind".into() } else { format!("a file of type {named}") };
        let more = if fetched.cut { "more than " } else { "" };
        return Err(NotText { kind, size: format!("{more}{} bytes", bytes.len()) });
    }
    let decoded = decode(&fetched.content_type, bytes, kind);
    let document = match kind {
        Kind::Html => page(&decoded, &fetched.url),
        _ => Document { title: None, text: decoded, cut: false },
    };
    let text = without_controls(&document.text);
    Ok(Document { text, cut: document.cut || fetched.cut, ..document })
}

fn page(decoded: &str, url: &Url) -> Document {
    let page = html::to_markdown(decoded, Some(url));
    Document { title: page.title, text: page.text, cut: page.cut }
}

fn essence(content_type: &str) -> String {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence.chars().filter(|character| character.is_ascii_graphic()).take(100).collect()
}

fn kind(content_type: &str, bytes: &[u8]) -> Kind {
    match essence(content_type).as_str() {
        "text/html" | "application/xhtml+xml" => Kind::Html,
        "" | "application/octet-stream" | "unknown/unknown" => guessed(bytes),
        named if named.starts_with("text/") || TEXT_TYPES.contains(&named) => Kind::Text,
        named if named.ends_with("+json") || named.ends_with("+xml") => Kind::Text,
        _ => Kind::Other,
    }
}

/// For replies that do not say what they are.
fn guessed(bytes: &[u8]) -> Kind {
    let start = bytes[..bytes.len().min(DECLARED_WITHIN)].trim_ascii_start().to_ascii_lowercase();
    if start.starts_with(b"<!doctype html") || start.starts_with(b"<html") {
        return Kind::Html;
    }
    // The last character may be cut through.
    let is_text = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    if is_text && !bytes.contains(&0) { Kind::Text } else { Kind::Other }
}

fn decode(content_type: &str, bytes: &[u8], kind: Kind) -> String {
    let declared = charset(content_type).or_else(|| (kind == Kind::Html).then(|| declared_inside(bytes)).flatten());
    // A mark at the front is believed more than any header.
    let (text, _, _) = declared.unwrap_or(UTF_8).decode(bytes);
    text.into_owned()
}

fn charset(content_type: &str) -> Option<&'static Encoding> {
    let named = content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches(['"', '\'']))
    });
    Encoding::for_label(named?.as_bytes())
}

/// `<meta charset=…>` and its older form both have the word and a value behind it.
fn declared_inside(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes[..bytes.len().min(DECLARED_WITHIN)].to_ascii_lowercase();
    let at = start.windows(8).position(|window| window == b"charset=")?;
    let value = start[at + 8..].trim_ascii_start();
    let value = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value);
    let end = value.iter().position(|byte| !(byte.is_ascii_alphanumeric() || b"-_:".contains(byte)))?;
    Encoding::for_label(&value[..end])
}

/// Nothing that a terminal would obey, and one kind of line end.
fn without_controls(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let is_wanted = |character: &char| !character.is_control() || matches!(character, '\n' | '\t');
    text.chars().filter(is_wanted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetched(content_type: &str, bytes: &[u8]) -> Fetched {
        let url = Url::parse("https://host/a/b").unwrap();
        Fetched { url, status: 200, content_type: content_type.into(), bytes: bytes.into(), cut: false }
    }

    #[test]
    fn replies_become_text_or_are_named() {
        let check = |content_type: &str, bytes: &[u8], expected: Result<&str, &str>| {
            let shown = document(&fetched(content_type, bytes));
            match (shown, expected) {
                (Ok(document), Ok(text)) => assert_eq!(document.text, text, "{content_type}"),
                (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{content_type}: {error}"),
                (shown, expected) => panic!("{content_type}: {shown:?}, not {expected:?}"),
            }
        };
        check("text/plain", b"a\r\nb\x1b[31m", Ok("a\nb[31m"));
        check("text/plain; charset=iso-8859-1", b"caf\xe9", Ok("café"));
        check("text/plain", b"caf\xe9", Ok("caf\u{fffd}"));
        check("text/plain", b"\xff\xfea\0b\0", Ok("ab"));
        check("text/html", b"<meta charset=\"windows-1251\"><p>\xcf\xf0", Ok("Пр"));
        check("Text/HTML; Charset=\"UTF-8\"", "<p>é".as_bytes(), Ok("é"));
        check("text/html", b"<a href='c'>x</a>", Ok("[x](https://host/a/c)"));
        check("application/json", b"{\"b\":1}", Ok("{\"b\":1}"));
        check("application/problem+json", b"{half", Ok("{half"));
        check("", b" <!DOCTYPE HTML><p>x", Ok("x"));
        check("", b"plain", Ok("plain"));
        check("", "cut: é".as_bytes().split_last().unwrap().1, Ok("cut: \u{fffd}"));
        check("application/octet-stream", b"\0\x01\x02", Err("application/octet-stream of 3 bytes"));
        check("image/png", b"x", Err("a file of type image/png of 1 bytes, which is not text"));
        check("image/svg+xml", b"<svg/>", Ok("<svg/>"));
        check("application/pdf", b"%PDF", Err("application/pdf"));
    }
}
