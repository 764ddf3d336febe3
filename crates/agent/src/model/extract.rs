//! Owns the way from what a model wrote to the JSON in it: in fences, among prose, with a comma too many or an end too
//! few. Must not know what the JSON is for.

use serde_json::Value;

/// How many places are tried at which an object may begin.
const MAX_STARTS: usize = 200;
/// The longest text that is searched, in bytes; the rest is not looked at.
const MAX_SEARCHED: usize = 4 << 20;

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Found {
    /// The whole answer is this.
    Whole(Value),
    /// This stood in it, among other text.
    Within(Value),
    /// This, after its ends were mended.
    Mended(Value),
    /// No JSON.
    Nothing,
}

/// An answer without the thoughts that some models write before it.
pub(super) fn without_thoughts(text: &str) -> &str {
    let text = text.rsplit_once("</think>").map_or(text, |(_, after)| after);
    if text.trim_start().starts_with("<think>") { "" } else { text.trim() }
}

/// The text in the one fence around an answer; the answer itself if there is none.
pub(super) fn unfenced(text: &str) -> &str {
    let trimmed = text.trim();
    let Some(rest) = trimmed.strip_prefix("```") else { return trimmed };
    let Some((language, body)) = rest.split_once('\n') else { return trimmed };
    let is_word = language.trim().chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '+'));
    match body.trim_end().strip_suffix("```") {
        Some(inner) if is_word && !inner.contains("\n```") => inner.trim_end_matches('\n'),
        _ => trimmed,
    }
}

/// The JSON in an answer.
pub(super) fn found_in(text: &str) -> Found {
    let text = bounded(text.trim());
    let bare = unfenced(text);
    if let Some(value) = container(bare) {
        return Found::Whole(value);
    }
    if let Some(value) = last_fence(text).or_else(|| largest(text)) {
        return Found::Within(value);
    }
    match mended(bare.find(['{', '[']).map_or("", |at| &bare[at..])) {
        Some(value) => Found::Mended(value),
        None => Found::Nothing,
    }
}

fn bounded(text: &str) -> &str {
    let mut end = text.len().min(MAX_SEARCHED);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn container(text: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    says_something(&value).then_some(value)
}

/// An object with fields, or a list of such.
fn says_something(value: &Value) -> bool {
    match value {
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(entries) => entries.iter().any(Value::is_object),
        _ => false,
    }
}

/// The last fenced block that is JSON.
fn last_fence(text: &str) -> Option<Value> {
    let blocks = text.split("```").skip(1).step_by(2);
    let bodies = blocks.map(|block| block.split_once('\n').map_or(block, |(_, body)| body));
    bodies.filter_map(|body| container(body.trim())).last()
}

/// The largest object or list that stands in a text.
fn largest(text: &str) -> Option<Value> {
    let mut best: Option<(usize, Value)> = None;
    let mut at = 0;
    for _ in 0..MAX_STARTS {
        let Some(next) = text[at..].find(['{', '[']) else { break };
        let start = at + next;
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                let size = values.byte_offset();
                if says_something(&value) && best.as_ref().is_none_or(|(other, _)| size > *other) {
                    best = Some((size, value));
                }
                at = start + size;
            }
            _ => at = start + 1,
        }
    }
    best.map(|(_, value)| value)
}

/// JSON whose commas or ends are wrong: a comma before an end is dropped, what is open is closed.
fn mended(text: &str) -> Option<Value> {
    if text.is_empty() {
        return None;
    }
    let mut open = Vec::new();
    let mut out = String::with_capacity(text.len() + 16);
    let mut in_string = false;
    let mut escaped = false;
    for letter in text.chars() {
        if in_string {
            match letter {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => in_string = false,
                // A line break in a text is what small models write for \n.
                '\n' => {
                    out.push_str("\\n");
                    continue;
                }
                '\r' => continue,
                '\t' => {
                    out.push_str("\\t");
                    continue;
                }
                _ => {}
            }
            out.push(letter);
            continue;
        }
        match letter {
            '"' => in_string = true,
            '{' => open.push('}'),
            '[' => open.push(']'),
            '}' | ']' => {
                drop_comma(&mut out);
                if open.pop() != Some(letter) {
                    return None;
                }
            }
            _ => {}
        }
        out.push(letter);
        if open.is_empty() {
            break;
        }
    }
    if in_string {
        out.push('"');
    }
    drop_comma(&mut out);
    if out.trim_end().ends_with(':') {
        out.push_str("null");
    }
    out.extend(open.iter().rev());
    container(&out)
}

fn drop_comma(out: &mut String) {
    let end = out.trim_end().len();
    if out[..end].ends_with(',') {
        out.truncate(end - 1);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(text: &str, expected: &Found) {
        assert_eq!(&found_in(text), expected, "{text}");
    }

    /// QL-32: whatever is around the JSON, it is found.
    #[test]
    fn json_is_found_in_what_models_write() {
        let value = json!({"status": "done", "n": [1, 2]});
        check(" {\"status\": \"done\", \"n\": [1, 2]}\n", &Found::Whole(value.clone()));
        check("```json\n{\"status\": \"done\",\n \"n\": [1, 2]}\n```", &Found::Whole(value.clone()));
        check(
            "Sure! Here it is:\n```\n{\"status\": \"done\", \"n\": [1, 2]}\n```\nAnything else?",
            &Found::Within(value.clone()),
        );
        check(
            "I think {this} is it: {\"status\": \"done\", \"n\": [1, 2]} and {\"a\": 1}.",
            &Found::Within(value.clone()),
        );
        check("{\"status\": \"done\", \"n\": [1, 2,]", &Found::Mended(value.clone()));
        check("{\"status\": \"done\", \"n\": [1, 2", &Found::Mended(value));
        check("{\"text\": \"one\ntwo", &Found::Mended(json!({"text": "one\ntwo"})));
        check("[{\"a\": 1}]", &Found::Whole(json!([{"a": 1}])));
        for prose in ["I have finished the work.", "", "a [1] and {}", "}{", "[[[[[[", "{\"a\" \"b\"}"] {
            check(prose, &Found::Nothing);
        }
    }

    /// QL-25: a text of many megabytes, or of brackets alone, costs no more than its reading.
    #[test]
    fn the_search_is_bounded() {
        check(&"[{".repeat(1 << 20), &Found::Nothing);
        check(&"so it goes ".repeat(1 << 20), &Found::Nothing);
    }

    #[test]
    fn thoughts_and_fences_are_taken_off() {
        assert_eq!(without_thoughts("<think>\nhm {\"a\": 1}\n</think>\n\n# Title\n"), "# Title");
        assert_eq!(without_thoughts("<think>never ends"), "");
        assert_eq!(unfenced("```markdown\n# Title\n\ntext\n```"), "# Title\n\ntext");
        assert_eq!(unfenced("```\na\n```\nand\n```\nb\n```"), "```\na\n```\nand\n```\nb\n```");
        assert_eq!(unfenced("# Title"), "# Title");
    }
}
