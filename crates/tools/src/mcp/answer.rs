//! What a server answered, as a model reads it: text as it is, everything else by name, bounded. Pure.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

use crate::ToolAnswer;

const BYTES_OF_A_TOKEN: usize = 4;

pub(crate) fn of(result: &CallToolResult, tokens: usize) -> ToolAnswer {
    let mut parts: Vec<String> = result.content.iter().map(part).collect();
    // What has a form is said in text as well; where it is not, this is all there is.
    if let (true, Some(value)) = (parts.is_empty(), &result.structured_content) {
        parts.push(value.to_string());
    }
    let text = bounded(&parts.join("\n"), tokens);
    match (result.is_error, text.is_empty()) {
        (Some(true), true) => ToolAnswer::wrong("the tool failed and does not say why"),
        (Some(true), false) => ToolAnswer::wrong(text),
        (_, true) => ToolAnswer::well("(the tool says nothing)"),
        (_, false) => ToolAnswer::well(text),
    }
}

fn part(block: &ContentBlock) -> String {
    let kind = |kind: &Option<String>| kind.clone().unwrap_or_else(|| "unknown type".into());
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("[an image of {}, {}: not shown]", image.mime_type, size(&image.data)),
        ContentBlock::Audio(audio) => format!("[a sound of {}, {}: not shown]", audio.mime_type, size(&audio.data)),
        ContentBlock::Resource(resource) => match &resource.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => format!("[{uri}]\n{text}"),
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                format!("[{uri}: a file of {}, {}: not shown]", kind(mime_type), size(blob))
            }
            _ => "[a resource of a kind that is not known here]".into(),
        },
        ContentBlock::ResourceLink(link) => format!("[{}: {}, {}]", link.name, link.uri, kind(&link.mime_type)),
        _ => "[something of a kind that is not known here]".into(),
    }
}

/// Of what is written in 64 letters, four for three bytes.
fn size(data: &str) -> String {
    format!("{} bytes", data.trim_end_matches('=').len() * 3 / 4)
}

/// Without anything that a terminal would obey, and no longer than it may be.
pub(crate) fn bounded(text: &str, tokens: usize) -> String {
    let is_wanted = |character: &char| !character.is_control() || matches!(character, '\n' | '\t');
    let most = tokens * BYTES_OF_A_TOKEN;
    let mut bounded = String::new();
    for character in text.chars().filter(is_wanted) {
        if bounded.len() + character.len_utf8() > most {
            bounded.push_str(&format!(
                "\n[cut here: of {} bytes, {most} are shown; ask for less, or for a part]",
                text.len()
            ));
            return bounded;
        }
        bounded.push(character);
    }
    bounded
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::Went;

    /// BY-17: whatever a server answers, a model reads bounded text.
    #[test]
    fn answers_are_text_by_17() {
        let check = |result: Value, went: Went, expected: &str| {
            let answer = of(&serde_json::from_value(result).unwrap(), 10);
            assert_eq!((answer.went, answer.text.as_str()), (went, expected));
        };
        let text = |text: &str| json!({"type": "text", "text": text});
        check(json!({"content": [text("a"), text("b")]}), Went::Well, "a\nb");
        check(json!({"content": [text("no")], "isError": true}), Went::Wrong, "no");
        check(json!({"content": [], "isError": true}), Went::Wrong, "the tool failed and does not say why");
        check(json!({"content": []}), Went::Well, "(the tool says nothing)");
        check(json!({"structuredContent": {"a": 1}}), Went::Well, "{\"a\":1}");
        check(json!({"content": [text("a")], "structuredContent": {"a": 1}}), Went::Well, "a");
        check(json!({"content": [text("\u{1b}[31mred")]}), Went::Well, "[31mred");
        let cut = "\n[cut here: of 50 bytes, 40 are shown; ask for less, or for a part]";
        check(json!({"content": [text(&"é".repeat(25))]}), Went::Well, &format!("{}{cut}", "é".repeat(20)));
        let image = json!({"type": "image", "mimeType": "image/png", "data": "AAAA"});
        let answer = of(&serde_json::from_value(json!({ "content": [image] })).unwrap(), 100);
        assert_eq!(answer.text, "[an image of image/png, 3 bytes: not shown]");
        let resource = json!({"type": "resource", "resource": {"uri": "file:///a", "text": "hello"}});
        let blob = json!({"type": "resource", "resource": {"uri": "file:///b", "blob": "AAA="}});
        let link = json!({"type": "resource_link", "uri": "file:///c", "name": "c"});
        let answer = of(&serde_json::from_value(json!({"content": [resource, blob, link]})).unwrap(), 100);
        let expected =
            "[file:///a]\nhello\n[file:///b: a file of unknown type, 2 bytes: not shown]\n[c: file:///c, unknown type]";
        assert_eq!(answer.text, expected);
    }
}
