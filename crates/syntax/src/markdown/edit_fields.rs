//! Owns changes to lines of fields: another value for one, and text added at the end of the document. The result is
//! read, and what would change anything else is refused. Must not touch bytes outside its span.

use text::Change;

use super::fields::{self, Field};
use super::{Document, Refusal};

impl Document {
    /// The fields of a line, counted from 1; what is no UTF-8 does not count as part of them.
    pub fn fields(&self, line: usize, known: &dyn Fn(&str) -> bool) -> Vec<Field> {
        match line.checked_sub(1).filter(|line| *line < self.text.line_count()) {
            Some(line) => fields::read_line(&fields::readable(&self.content(line).1), known),
            None => Vec::new(),
        }
    }

    /// Sets the value of the first field on a line (counted from 1) that has this key; case does not count.
    pub fn set_field(
        &mut self,
        line: usize,
        key: &str,
        value: &str,
        known: &dyn Fn(&str) -> bool,
    ) -> Result<Change, Refusal> {
        self.check_editable()?;
        let before = self.fields(line, known);
        let Some(at) = before.iter().position(|field| field.key.to_lowercase() == key.to_lowercase()) else {
            let keys: Vec<String> = before.iter().map(|field| format!("`{}`", field.key)).collect();
            let known = if keys.is_empty() { "none".to_owned() } else { keys.join(", ") };
            return Err(Refusal::NoSuchField { line, key: key.to_owned(), known });
        };
        let unreadable = || Refusal::FieldValue { line, key: key.to_owned() };
        let mut put = fields::write_value(value).ok_or_else(unreadable)?;
        let (start, content) = self.content(line - 1);
        let span = before[at].value_span.clone();
        let is_apart = content[..span.start].last().is_some_and(u8::is_ascii_whitespace);
        if !put.is_empty() && !is_apart {
            put.insert(0, ' ');
        }
        drop(content);
        let change = Change::replace(&self.text, start + span.start..start + span.end, put.into_bytes());
        let parsed = self.changed(&change);
        let mut wanted = before;
        wanted[at].value = value.trim().to_owned();
        let same = |(one, other): (&Field, &Field)| one.key == other.key && one.value == other.value;
        let read = parsed.fields(line, known);
        let is_read_back = read.len() == wanted.len() && read.iter().zip(&wanted).all(same);
        if !is_read_back || parsed.tree.blocks != self.tree.blocks {
            return Err(unreadable());
        }
        self.commit(parsed);
        Ok(change)
    }

    /// Adds text at the end of the document, below a blank line. Whatever stands there keeps its place and its meaning.
    pub fn append_text(&mut self, text: &str) -> Result<Change, Refusal> {
        self.check_editable()?;
        self.insert_text(self.text.line_count(), text)
    }
}
