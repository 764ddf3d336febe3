//! Reads Rust source as far as the rules need it: which bytes are code, and where each definition begins and ends.
//! Strings, characters and comments of every form are told apart; nothing is parsed beyond that.

/// A source text with its code alone beside it.
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    /// The same length as `text`, line breaks in the same places; comments and the insides of literals are blanks.
    pub(crate) code: String,
}

/// A named definition: `fn name`, `struct Name`, …
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Definition<'a> {
    pub(crate) keyword: &'static str,
    pub(crate) name: &'a str,
    /// Of its keyword, counted from 1.
    pub(crate) line: usize,
    /// Byte offset just behind the name.
    after_name: usize,
}

/// A function that has a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Function<'a> {
    pub(crate) name: &'a str,
    pub(crate) line: usize,
    /// From the line of `fn` to the line of the closing brace, both counted.
    pub(crate) lines: usize,
    pub(crate) body: &'a str,
}

const KEYWORDS: [&str; 7] = ["fn", "mod", "struct", "enum", "trait", "type", "union"];

impl<'a> Source<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, code: code_only(text) }
    }

    /// Every named definition, in the order of the text.
    pub(crate) fn definitions(&self) -> Vec<Definition<'_>> {
        let mut found = Vec::new();
        let mut words = words(&self.code).peekable();
        while let Some((start, word)) = words.next() {
            let Some(keyword) = KEYWORDS.into_iter().find(|keyword| *keyword == word) else { continue };
            let Some(&(name_start, name)) = words.peek() else { break };
            // Between keyword and name stands white space alone; `fn(u8)` is a type.
            if self.code[start + word.len()..name_start].trim().is_empty() {
                found.push(Definition {
                    keyword,
                    name,
                    line: self.line_of(start),
                    after_name: name_start + name.len(),
                });
            }
        }
        found
    }

    /// Every function with a body, those inside others too.
    pub(crate) fn functions(&self) -> Vec<Function<'_>> {
        let functions = self.definitions().into_iter().filter(|definition| definition.keyword == "fn");
        let with_body = functions.filter_map(|definition| {
            let body = body_range(&self.code, definition.after_name)?;
            let last_line = self.line_of(body.end - 1);
            Some((definition, body, last_line))
        });
        with_body
            .map(|(definition, body, last_line)| Function {
                name: definition.name,
                line: definition.line,
                lines: last_line - definition.line + 1,
                body: &self.code[body],
            })
            .collect()
    }

    /// The line, counted from 1, in which a byte lies.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.code.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count() + 1
    }
}

/// Words of code with their offsets.
fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + code[rest..].find(is_word)?;
        let length = code[start..].find(|character| !is_word(character)).unwrap_or(code.len() - start);
        rest = start + length;
        Some((start, &code[start..rest]))
    })
}

/// From the opening to behind the closing brace of the body that follows; none if the declaration ends without one.
fn body_range(code: &str, from: usize) -> Option<std::ops::Range<usize>> {
    let bytes = code.as_bytes();
    let mut nesting = 0_usize;
    let open = (from..bytes.len()).find_map(|at| match bytes[at] {
        b'(' | b'[' => {
            nesting += 1;
            None
        }
        b')' | b']' => {
            nesting = nesting.saturating_sub(1);
            None
        }
        b';' if nesting == 0 => Some(None),
        b'{' if nesting == 0 => Some(Some(at)),
        _ => None,
    })??;
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(open..at + 1),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Blanks out comments and the insides of string and character literals.
fn code_only(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = literal_or_comment_end(bytes, at);
        if end > at {
            let blanked = code[at..end].iter_mut().filter(|byte| **byte != b'\n');
            blanked.for_each(|byte| *byte = b' ');
            at = end;
        } else {
            at += 1;
            // A word is stepped over whole, so that `r` in `for"` or `b` in `ab'` opens nothing.
            if is_word_byte(bytes[at - 1]) {
                while at < bytes.len() && is_word_byte(bytes[at]) {
                    at += 1;
                }
            }
        }
    }
    // Whole literals and comments were blanked, each from an ASCII byte to behind an ASCII byte.
    String::from_utf8(code).unwrap()
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Where the literal or comment that begins here ends; the same place if none begins here.
fn literal_or_comment_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    if rest.starts_with(b"//") {
        return at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    }
    if rest.starts_with(b"/*") {
        return at + block_comment_length(rest);
    }
    let prefix = rest.iter().take_while(|byte| matches!(byte, b'b' | b'c' | b'r')).count();
    if prefix > 2 {
        return at;
    }
    let quoted = &rest[prefix..];
    if rest[..prefix].ends_with(b"r") {
        let hashes = quoted.iter().take_while(|byte| **byte == b'#').count();
        if quoted.get(hashes) == Some(&b'"') {
            return at + prefix + raw_string_length(quoted, hashes);
        }
        return at;
    }
    match quoted.first() {
        Some(b'"') => at + prefix + escaped_length(quoted, b'"'),
        Some(b'\'') if is_character_literal(quoted) => at + prefix + escaped_length(quoted, b'\''),
        _ => at,
    }
}

fn block_comment_length(rest: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

fn raw_string_length(quoted: &[u8], hashes: usize) -> usize {
    let mut closing = vec![b'"'];
    closing.extend(std::iter::repeat_n(b'#', hashes));
    let inside = &quoted[hashes + 1..];
    let end = inside.windows(closing.len()).position(|window| window == closing);
    end.map_or(quoted.len(), |end| hashes + 1 + end + closing.len())
}

fn escaped_length(quoted: &[u8], closing: u8) -> usize {
    let mut at = 1;
    while at < quoted.len() {
        match quoted[at] {
            b'\\' => at += 2,
            byte if byte == closing => return at + 1,
            _ => at += 1,
        }
    }
    quoted.len()
}

/// `'a'` and `'\n'` are characters, `'a` is a lifetime.
fn is_character_literal(quoted: &[u8]) -> bool {
    match quoted.get(1) {
        Some(b'\\') => true,
        Some(first) => {
            let width = match first {
                0xf0.. => 4,
                0xe0.. => 3,
                0xc0.. => 2,
                _ => 1,
            };
            quoted.get(1 + width) == Some(&b'\'')
        }
        None => false,
    }
}

#[test]
fn code_is_told_from_comments_and_literals() {
    for (text, words) in [
        ("a // fn b\nc", "a c"),
        ("a /* x /* y */ z */ b", "a b"),
        ("f(\"fn x {\") ;", "f( ) ;"),
        (r#"f("a\"b{") ;"#, "f( ) ;"),
        ("r\"\\\" + x", "+ x"),
        ("r##\"a\"# {\"## + x", "+ x"),
        ("br\"{\" b\"{\" c\"{\" x", "x"),
        ("'{' x '\\'' y b'}' z", "x y z"),
        ("&'a str '€' x", "&'a str x"),
        ("r#fn x", "r#fn x"),
        ("for\"{\"", "for"),
        ("\"open {", ""),
        ("/* open {", ""),
        ("\"two\nlines\" x", "x"),
    ] {
        let code = code_only(text);
        assert_eq!(code.split_whitespace().collect::<Vec<_>>().join(" "), words, "{text:?}");
        assert_eq!(code.len(), text.len(), "{text:?}");
        assert_eq!(code.lines().count(), text.lines().count(), "{text:?}");
    }
}

#[test]
fn functions_are_found_with_their_lengths() {
    for (text, expected) in [
        ("fn a() {}", vec![("a", 1, 1)]),
        ("fn a();\nfn b() {\n}\n", vec![("b", 2, 2)]),
        ("fn a(x: [u8; 2]) -> [u8; 3]\nwhere\n  X: Y,\n{\n  \"}\"; // }\n}\n", vec![("a", 1, 6)]),
        ("impl A {\n  fn a() {\n    fn b() {\n    }\n  }\n}\n", vec![("a", 2, 4), ("b", 3, 2)]),
        ("let x: fn(u8) -> u8 = y; struct F { f: fn() }", vec![]),
        ("// fn a() {}\nlet x = \"fn b() {}\";", vec![]),
        ("pub(crate) async unsafe fn a<T: Fn() -> u8>(x: T) {\n '{'\n}", vec![("a", 1, 3)]),
        ("fn a() { never closed", vec![]),
    ] {
        let source = Source::new(text);
        let functions = source.functions();
        let found: Vec<_> = functions.iter().map(|function| (function.name, function.line, function.lines)).collect();
        assert_eq!(found, expected, "{text:?}");
    }
}
