//! Writes Markdown as elements open and close. Owns the layout: blocks and the gaps between them, what stands before each
//! line of a list or a quotation, and marks in a line. Nothing in it goes back over what is written.

use reqwest::Url;

use super::table::Table;
use super::tokens::Attributes;

/// Deeper ones are written as if they were not nested.
const DEEPEST: usize = 24;
const LONGEST_LINK: usize = 2 << 10;
const MOST_LINKS: usize = 20_000;
const LONGEST_ALT: usize = 500;

pub(crate) struct Writer {
    base: Option<Url>,
    most: usize,
    out: String,
    /// The block that is being written, without what stands before its lines.
    line: String,
    /// White space that counts once something follows.
    space: bool,
    marks: Vec<Mark>,
    /// What stands before lines: of quotations and list items.
    prefixes: Vec<Prefix>,
    lists: Vec<List>,
    gap: Gap,
    heading: Option<usize>,
    pre: Option<Pre>,
    code: Option<Code>,
    table: Option<Table>,
    /// How many tables are open inside the one that is written.
    inner_tables: usize,
    /// Elements that were too deep to be written.
    too_deep: usize,
    links: usize,
}

/// Emphasis or a link: opened when something is said in it, closed when it ends or its block does.
struct Mark {
    name: String,
    before: &'static str,
    after: String,
    written: bool,
}

struct Prefix {
    name: &'static str,
    /// Before the first line, once.
    first: Option<String>,
    rest: String,
}

struct List {
    next: Option<u64>,
}

struct Code {
    /// Whether white space stands before it.
    space: bool,
    text: String,
}

struct Pre {
    language: String,
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Line,
    Blank,
}

impl Writer {
    pub(crate) fn new(base: Option<Url>, most: usize) -> Self {
        Self {
            base,
            most,
            out: String::new(),
            line: String::new(),
            space: false,
            marks: Vec::new(),
            prefixes: Vec::new(),
            lists: Vec::new(),
            gap: Gap::None,
            heading: None,
            pre: None,
            code: None,
            table: None,
            inner_tables: 0,
            too_deep: 0,
            links: 0,
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        let waiting = self.pre.as_ref().map_or(0, |pre| pre.text.len()) + self.table.as_ref().map_or(0, Table::size);
        self.out.len() + self.line.len() + waiting >= self.most
    }

    pub(crate) fn set_base(&mut self, href: Option<&str>) {
        let href = href.unwrap_or_default();
        let base = match &self.base {
            Some(base) => base.join(href).ok(),
            None => Url::parse(href).ok(),
        };
        self.base = base.or(self.base.take());
    }

    pub(crate) fn finish(mut self) -> String {
        self.close_pre();
        while self.table.is_some() {
            self.inner_tables = 0;
            self.close_table();
        }
        self.end_block(Gap::None);
        self.out.truncate(floor(&self.out, self.most));
        self.out.truncate(self.out.trim_end().len());
        self.out
    }

    pub(crate) fn text(&mut self, text: &str) {
        if let Some(pre) = &mut self.pre {
            pre.text.push_str(text);
            return;
        }
        if self.table.as_ref().is_some_and(|table| !table.has_open_cell()) {
            return;
        }
        for (index, word) in text.split(|character: char| character.is_whitespace()).enumerate() {
            self.space |= index > 0;
            if !word.is_empty() {
                self.say(word);
            }
        }
    }

    pub(crate) fn open(&mut self, name: &str, attributes: &Attributes) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.end_block(Gap::Blank);
                self.heading = name[1..].parse().ok();
            }
            "br" => self.line_break(),
            "hr" => {
                self.end_block(Gap::Blank);
                self.write_line("---");
                self.gap = Gap::Blank;
            }
            "b" | "strong" => self.mark(name, "**", "**"),
            "i" | "em" | "cite" | "dfn" => self.mark(name, "*", "*"),
            "del" | "s" => self.mark(name, "~~", "~~"),
            "a" => self.open_link(attributes),
            "img" => self.image(attributes),
            "code" | "kbd" | "samp" | "tt" if self.pre.is_none() => self.open_code(),
            "code" => self.take_language(attributes),
            "pre" | "listing" | "xmp" => {
                self.end_block(Gap::Blank);
                self.pre = Some(Pre { language: String::new(), text: String::new() });
                self.take_language(attributes);
            }
            "blockquote" => {
                self.end_block(Gap::Blank);
                self.push_prefix("blockquote", None, "> ");
            }
            "ul" | "ol" => self.open_list(name, attributes),
            "li" => self.open_item(),
            "dt" => {
                self.end_block(Gap::Blank);
                self.mark("dt", "**", "**");
            }
            "dd" => {
                self.close_mark("dt");
                self.end_block(Gap::Line);
                self.say(":");
                self.space = true;
            }
            "table" => self.open_table(),
            "tr" | "td" | "th" | "caption" if self.table.is_some() => self.open_part_of_table(name, attributes),
            name if is_block(name) => self.end_block(Gap::Blank),
            _ => {}
        }
    }

    pub(crate) fn close(&mut self, name: &str) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.end_block(Gap::Blank),
            "b" | "strong" | "i" | "em" | "cite" | "dfn" | "del" | "s" | "a" => self.close_mark(name),
            "code" | "kbd" | "samp" | "tt" => self.close_code(),
            "pre" | "listing" | "xmp" => self.close_pre(),
            "blockquote" => self.close_prefix("blockquote", Gap::Blank),
            "ul" | "ol" => self.close_list(),
            "li" => self.close_prefix("li", Gap::Line),
            "dt" => {
                self.close_mark("dt");
                self.end_block(Gap::Line);
            }
            "dd" => self.end_block(Gap::Line),
            "table" => self.close_table(),
            "td" | "th" => self.close_cell(),
            "caption" => self.end_block(Gap::Blank),
            name if is_block(name) => self.end_block(Gap::Blank),
            _ => {}
        }
    }

    /// Adds a word to the line, after the marks that wait for one.
    fn say(&mut self, word: &str) {
        if let Some(code) = &mut self.code {
            if std::mem::take(&mut self.space) && !code.text.is_empty() {
                code.text.push(' ');
            }
            code.text.push_str(word);
            return;
        }
        if std::mem::take(&mut self.space) && !self.line.is_empty() && !self.line.ends_with('\n') {
            self.line.push(' ');
        }
        for mark in self.marks.iter_mut().filter(|mark| !mark.written) {
            mark.written = true;
            self.line.push_str(mark.before);
        }
        self.line.push_str(word);
    }

    fn mark(&mut self, name: &str, before: &'static str, after: &str) {
        if self.pre.is_some() || self.code.is_some() {
            return;
        }
        if self.marks.len() >= DEEPEST || self.marks.iter().any(|mark| mark.before == before) {
            return;
        }
        self.marks.push(Mark { name: name.into(), before, after: after.into(), written: false });
    }

    fn close_mark(&mut self, name: &str) {
        let Some(at) = self.marks.iter().rposition(|mark| mark.name == name) else { return };
        // Marks end in the order in which they began; one that overlaps begins again with the next word.
        for mark in self.marks[at..].iter_mut().rev().filter(|mark| mark.written) {
            mark.written = false;
            self.line.push_str(&mark.after);
        }
        self.marks.remove(at);
    }

    fn open_link(&mut self, attributes: &Attributes) {
        self.close_mark("a");
        if let Some(link) = attributes.href.as_deref().and_then(|href| self.whole(href)) {
            self.mark("a", "[", &format!("]({link})"));
        }
    }

    fn image(&mut self, attributes: &Attributes) {
        let alt: String = attributes.alt.as_deref().unwrap_or_default().chars().take(LONGEST_ALT).collect();
        let alt = alt.split_whitespace().collect::<Vec<_>>().join(" ");
        let in_cell = self.table.as_ref().is_none_or(Table::has_open_cell);
        if alt.is_empty() || self.pre.is_some() || self.code.is_some() || !in_cell {
            return;
        }
        match attributes.src.as_deref().and_then(|source| self.whole(source)) {
            Some(link) => self.say(&format!("![{alt}]({link})")),
            None => self.say(&alt),
        }
    }

    /// A link that can be followed from anywhere; none for scripts and for what carries its content in itself.
    fn whole(&mut self, href: &str) -> Option<String> {
        self.links += 1;
        if self.links > MOST_LINKS {
            return None;
        }
        let url = match &self.base {
            Some(base) => base.join(href).ok()?,
            None => Url::parse(href).ok()?,
        };
        let is_followed = matches!(url.scheme(), "http" | "https" | "mailto" | "ftp");
        let is_here = self.base.as_ref().is_some_and(|base| {
            let (mut there, mut here) = (url.clone(), base.clone());
            there.set_fragment(None);
            here.set_fragment(None);
            url.fragment().is_some() && there == here
        });
        let link = url.as_str().replace('(', "%28").replace(')', "%29");
        (is_followed && !is_here && link.len() <= LONGEST_LINK).then_some(link)
    }

    fn line_break(&mut self) {
        if let Some(pre) = &mut self.pre {
            pre.text.push('\n');
        } else if self.table.is_some() || self.heading.is_some() || self.code.is_some() {
            self.space = true;
        } else if !self.line.is_empty() {
            self.space = false;
            self.line.push('\n');
        }
    }

    fn open_code(&mut self) {
        if self.code.is_none() {
            self.code = Some(Code { space: std::mem::take(&mut self.space), text: String::new() });
        }
    }

    fn close_code(&mut self) {
        let Some(Code { space, text: code }) = self.code.take() else { return };
        if code.is_empty() {
            self.space |= space;
            return;
        }
        let fence = "`".repeat(longest_run(&code) + 1);
        let pad = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
        let after = std::mem::replace(&mut self.space, space);
        self.say(&format!("{fence}{pad}{code}{pad}{fence}"));
        self.space = after;
    }

    fn take_language(&mut self, attributes: &Attributes) {
        let Some(pre) = &mut self.pre else { return };
        let classes = attributes.class.as_deref().unwrap_or_default().split_whitespace();
        let language =
            classes.filter_map(|class| class.strip_prefix("language-").or(class.strip_prefix("lang-"))).next();
        if let Some(language) = language {
            pre.language = language
                .chars()
                .filter(|letter| letter.is_alphanumeric() || "+-#_".contains(*letter))
                .take(20)
                .collect();
        }
    }

    fn close_pre(&mut self) {
        let Some(pre) = self.pre.take() else { return };
        let text = pre.text.trim_end().trim_start_matches(['\n', '\r']);
        if text.is_empty() {
            return;
        }
        if self.table.is_some() {
            self.text(text);
            return;
        }
        let fence = "`".repeat(longest_run(text).max(2) + 1);
        self.write_line(&format!("{fence}{}\n{text}\n{fence}", pre.language));
        self.gap = Gap::Blank;
    }

    fn open_list(&mut self, name: &str, attributes: &Attributes) {
        // A list inside an item belongs to it, without a gap.
        self.end_block(if self.lists.is_empty() { Gap::Blank } else { Gap::Line });
        let start = attributes.start.as_deref().and_then(|start| start.parse().ok());
        self.lists.push(List { next: (name == "ol").then(|| start.unwrap_or(1)) });
        self.lists.truncate(DEEPEST * 2);
    }

    fn close_list(&mut self) {
        self.close_prefix("li", Gap::Line);
        self.lists.pop();
        self.end_block(if self.lists.is_empty() { Gap::Blank } else { Gap::Line });
    }

    fn open_item(&mut self) {
        let depth = self.lists.len().max(1);
        let items = self.prefixes.iter().filter(|prefix| prefix.name == "li").count();
        // The item before was not closed.
        if items >= depth {
            self.close_prefix("li", Gap::Line);
        }
        self.end_block(Gap::Line);
        let marker = match self.lists.last_mut().and_then(|list| list.next.as_mut()) {
            Some(next) => {
                let marker = format!("{next}. ");
                *next = next.saturating_add(1);
                marker
            }
            None => "- ".into(),
        };
        let rest = " ".repeat(marker.len());
        self.push_prefix("li", Some(marker), &rest);
    }

    fn push_prefix(&mut self, name: &'static str, first: Option<String>, rest: &str) {
        if self.prefixes.len() >= DEEPEST || self.table.is_some() {
            self.too_deep += 1;
            return;
        }
        self.prefixes.push(Prefix { name, first, rest: rest.into() });
    }

    fn close_prefix(&mut self, name: &str, gap: Gap) {
        self.end_block(gap);
        if self.too_deep > 0 {
            self.too_deep -= 1;
        } else if self.prefixes.last().is_some_and(|prefix| prefix.name == name) {
            self.prefixes.pop();
        }
    }

    fn open_table(&mut self) {
        if self.table.is_some() {
            self.inner_tables += 1;
            self.space = true;
            return;
        }
        self.end_block(Gap::Blank);
        self.table = Some(Table::default());
    }

    fn open_part_of_table(&mut self, name: &str, attributes: &Attributes) {
        if self.inner_tables > 0 {
            self.space = true;
            return;
        }
        self.close_cell();
        let Some(table) = &mut self.table else { return };
        match name {
            "td" | "th" => {
                let span = attributes.colspan.as_deref().and_then(|span| span.parse().ok());
                table.open_cell(span.unwrap_or(1));
            }
            _ => table.open_row(),
        }
        if name == "caption" {
            table.open_cell(1);
        }
    }

    fn close_cell(&mut self) {
        if self.inner_tables > 0 {
            return;
        }
        self.close_code();
        self.close_marks();
        self.space = false;
        let text = std::mem::take(&mut self.line);
        if let Some(table) = &mut self.table {
            table.close_cell(text.trim());
        }
    }

    fn close_table(&mut self) {
        if self.inner_tables > 0 {
            self.inner_tables -= 1;
            self.space = true;
            return;
        }
        self.close_cell();
        let Some(table) = self.table.take() else { return };
        let lines = table.lines(self.most.saturating_sub(self.out.len()));
        let gap = if lines.first().is_some_and(|line| line.starts_with('|')) { Gap::Line } else { Gap::Blank };
        for line in lines {
            self.write_line(&line);
            self.gap = gap;
        }
        self.gap = Gap::Blank;
    }

    /// Ends the block, if there is one, and asks for a gap before the next.
    fn end_block(&mut self, gap: Gap) {
        self.close_pre();
        if self.table.is_some() {
            self.space = true;
            return;
        }
        self.close_code();
        self.close_marks();
        self.space = false;
        let line = std::mem::take(&mut self.line);
        let line = line.trim();
        let heading = self.heading.take();
        if !line.is_empty() {
            match heading {
                Some(level) => self.write_line(&format!("{} {line}", "#".repeat(level))),
                None => self.write_line(line),
            }
        }
        self.gap = self.gap.max(gap);
    }

    /// Those that were written are closed, and open again with the next word.
    fn close_marks(&mut self) {
        for mark in self.marks.iter_mut().rev().filter(|mark| mark.written) {
            mark.written = false;
            self.line.push_str(&mark.after);
        }
    }

    fn write_line(&mut self, block: &str) {
        if !self.out.is_empty() {
            match self.gap {
                Gap::Blank => {
                    self.out.push('\n');
                    let before: String = self.prefixes.iter().map(|prefix| prefix.rest.as_str()).collect();
                    self.out.push_str(before.trim_end());
                    self.out.push('\n');
                }
                Gap::Line | Gap::None => self.out.push('\n'),
            }
        }
        self.gap = Gap::None;
        for (index, line) in block.split('\n').enumerate() {
            // What stands before lines may be longer than they are.
            if self.out.len() >= self.most {
                return;
            }
            if index > 0 {
                self.out.push('\n');
            }
            let mut before = String::new();
            for prefix in &mut self.prefixes {
                before.push_str(&prefix.first.take().unwrap_or_else(|| prefix.rest.clone()));
            }
            self.out.push_str(if line.is_empty() { before.trim_end() } else { &before });
            self.out.push_str(line.trim_end());
        }
    }
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or_default()
}

fn floor(text: &str, most: usize) -> usize {
    (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "body"
            | "center"
            | "details"
            | "div"
            | "dl"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "header"
            | "html"
            | "legend"
            | "main"
            | "p"
            | "section"
            | "summary"
    )
}
