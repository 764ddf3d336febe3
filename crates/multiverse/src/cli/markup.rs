//! Foreign text as text in pages and diagrams, whatever it holds (QL-34), and the frame that all pages share: no script,
//! nothing from elsewhere, light and dark. Knows nothing of what is shown.

use std::fmt::Write as _;

/// Colours and type of all pages.
const STYLE: &str = "\
:root{--back:#fff;--text:#1b1f24;--faint:#57606a;--line:#8c959f;--box:#f6f8fa;--edge:#d0d7de;--bad:#b00020;--given:#e6f4ea;--focus:#0550ae}
@media(prefers-color-scheme:dark){:root{--back:#0d1117;--text:#e6edf3;--faint:#9198a1;--line:#6e7681;--box:#161b22;--edge:#30363d;--bad:#ff7b72;--given:#12261e;--focus:#79c0ff}}
*{box-sizing:border-box}
body{margin:0;padding:1.5rem;background:var(--back);color:var(--text);font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.3rem;margin:0 0 .3rem;overflow-wrap:anywhere}
p{margin:.2rem 0 1rem;color:var(--faint)}
.drawing{overflow:auto;max-height:85vh;border:1px solid var(--edge);border-radius:8px}
svg{display:block}
svg text{fill:var(--text);font:12px system-ui,sans-serif}
svg .what{fill:var(--faint);font-size:11px}
svg rect{fill:var(--box);stroke:var(--edge);stroke-width:1.5}
svg path{fill:none;stroke:var(--line);stroke-width:1.3}
table{border-collapse:collapse;width:100%;margin-top:1.5rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid var(--edge);overflow-wrap:anywhere}
a{color:var(--focus)}
@media print{.drawing{max-height:none;overflow:visible}}
";

/// A whole page. The title is plain text; `style` and `body` are markup.
pub(crate) fn page(title: &str, style: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n\
         {body}</main>\n</body>\n</html>\n"
    )
}

/// Text in a page.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            letter => safe.push(letter),
        }
    }
    safe
}

/// Text in a label of Mermaid, which reads characters as entities with a number sign; little else is safe there.
pub(crate) fn entities(text: &str) -> String {
    let mut safe = String::new();
    for letter in text.chars() {
        match letter {
            '"' | '<' | '>' | '&' | '#' | '`' | '[' | ']' | '{' | '}' | '(' | ')' | '|' | ';' | '\\' => {
                let _ = write!(safe, "#{};", u32::from(letter));
            }
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    /// QL-34: what files hold and are called is text.
    #[test]
    fn foreign_text_stays_text() {
        assert_eq!(escaped("<script>&'\""), "&lt;script&gt;&amp;&#39;&quot;");
        assert_eq!(entities(r#"a"]<b>"#), "a#34;#93;#60;b#62;");
        assert_eq!(entities("보고서.md"), "보고서.md");
    }
}
