//! Owns how a command line is taken apart into simple commands, for rules to be held against each of them. Conservative:
//! whatever it does not understand for sure it says so, and then no rule that allows a part of it applies. Must not know
//! what is allowed.

/// The most letters that are looked at, and how deep commands may lie in one another.
const LETTERS: usize = 64 << 10;
const DEPTH: usize = 8;

/// Words that begin something else than a simple command.
const RESERVED: [&str; 26] = [
    "!", "{", "}", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if",
    "in", "select", "then", "time", "until", "while", "eval", "source", ".", "exec",
];

/// What a simple command holds besides plain words. A rule that allows must name it to apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Besides {
    /// `>`, `<`: reads or writes a file that is no argument.
    Redirection,
    /// `$(…)` and backticks: the words come from another command.
    Substitution,
    /// `$name`: the words come from a variable.
    Variable,
    /// Braces, brackets, keywords, quotes that do not end: not understood.
    Unclear,
}

/// One program with its arguments, quotes removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Simple {
    pub(crate) words: Vec<String>,
    pub(crate) besides: Vec<Besides>,
    /// The signs of its redirections, in order; they stand among the words too.
    pub(crate) redirections: Vec<String>,
}

impl Simple {
    pub(crate) fn text(&self) -> String {
        self.words.join(" ")
    }

    fn mark(&mut self, what: Besides) {
        if !self.besides.contains(&what) {
            self.besides.push(what);
        }
    }
}

/// All simple commands of a line, those in substitutions as well.
pub(crate) fn simple_commands(line: &str) -> Vec<Simple> {
    let mut found = Vec::new();
    if line.chars().count() > LETTERS {
        let mut whole = Simple { words: vec![line.chars().take(LETTERS).collect()], ..Simple::default() };
        whole.mark(Besides::Unclear);
        return vec![whole];
    }
    let letters: Vec<char> = line.chars().collect();
    let mut scan = Scan { letters: &letters, at: 0, found: &mut found, depth: 0 };
    scan.list(None);
    found.retain(|simple| !simple.words.is_empty() || !simple.besides.is_empty());
    found
}

struct Scan<'a> {
    letters: &'a [char],
    at: usize,
    found: &'a mut Vec<Simple>,
    depth: usize,
}

/// A command that is being read, and the word in it.
#[derive(Default)]
struct Open {
    simple: Simple,
    word: Option<String>,
}

impl Open {
    fn letter(&mut self, letter: char) {
        self.word.get_or_insert_default().push(letter);
    }

    fn end_word(&mut self) {
        let is_first = self.simple.words.is_empty();
        if let Some(word) = self.word.take() {
            if is_first && RESERVED.contains(&word.as_str()) {
                self.simple.mark(Besides::Unclear);
            }
            self.simple.words.push(word);
        }
    }
}

impl Scan<'_> {
    fn next(&mut self) -> Option<char> {
        let letter = self.letters.get(self.at).copied();
        self.at += 1;
        letter
    }

    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    /// Reads commands up to the closing letter, or to the end of the line.
    fn list(&mut self, closing: Option<char>) {
        let mut open = Open::default();
        let mut is_closed = closing.is_none();
        while let Some(letter) = self.next() {
            if Some(letter) == closing {
                is_closed = true;
                break;
            }
            self.letter(letter, &mut open);
        }
        if !is_closed {
            open.simple.mark(Besides::Unclear);
        }
        self.end(&mut open);
    }

    // One arm for each letter that means something to a shell.
    fn letter(&mut self, letter: char, open: &mut Open) {
        match letter {
            '\n' | ';' | '&' | '|' => {
                // `>|` and `>&` were taken with their redirection.
                self.end(open);
            }
            ' ' | '\t' => open.end_word(),
            '#' if open.word.is_none() => {
                while self.peek().is_some_and(|letter| letter != '\n') {
                    self.at += 1;
                }
            }
            '\\' => match self.next() {
                Some('\n') => {}
                Some(kept) => open.letter(kept),
                None => open.simple.mark(Besides::Unclear),
            },
            '\'' => self.quoted(open),
            '"' => self.double_quoted(open),
            '`' => self.substituted('`', open),
            '$' => self.dollar(open),
            '>' | '<' => self.redirected(letter, open),
            '(' | ')' | '\r' | '\0' => {
                open.simple.mark(Besides::Unclear);
                self.end(open);
            }
            '{' | '}' => {
                // Alone it groups, in a word it multiplies it.
                open.simple.mark(Besides::Unclear);
                open.letter(letter);
            }
            letter if letter.is_control() || (letter.is_whitespace() && letter != ' ') => {
                open.simple.mark(Besides::Unclear);
                open.letter(letter);
            }
            letter => open.letter(letter),
        }
    }

    fn end(&mut self, open: &mut Open) {
        open.end_word();
        let Open { simple, .. } = std::mem::take(open);
        self.found.push(simple);
    }

    fn quoted(&mut self, open: &mut Open) {
        open.word.get_or_insert_default();
        loop {
            match self.next() {
                Some('\'') => return,
                Some(letter) => open.letter(letter),
                None => return open.simple.mark(Besides::Unclear),
            }
        }
    }

    fn double_quoted(&mut self, open: &mut Open) {
        open.word.get_or_insert_default();
        loop {
            match self.next() {
                Some('"') => return,
                Some('\\') => match self.next() {
                    Some('\n') => {}
                    Some(kept @ ('"' | '\\' | '$' | '`')) => open.letter(kept),
                    Some(other) => {
                        open.letter('\\');
                        open.letter(other);
                    }
                    None => return open.simple.mark(Besides::Unclear),
                },
                Some('`') => self.substituted('`', open),
                Some('$') => self.dollar(open),
                Some(letter) => open.letter(letter),
                None => return open.simple.mark(Besides::Unclear),
            }
        }
    }

    fn dollar(&mut self, open: &mut Open) {
        open.letter('$');
        match self.peek() {
            Some('(') => {
                self.at += 1;
                open.letter('(');
                self.substituted(')', open);
                open.letter(')');
            }
            Some(letter) if letter.is_alphanumeric() || "_@*#?!-$".contains(letter) => {
                open.simple.mark(Besides::Variable);
            }
            // `${…}` can hold a command, `$'…'` and `$"…"` letters that are not what they seem.
            Some('{' | '\'' | '"' | '[') => open.simple.mark(Besides::Unclear),
            _ => {}
        }
    }

    /// A command in a command: its own commands are found as well, and the outer one is marked.
    fn substituted(&mut self, closing: char, open: &mut Open) {
        open.simple.mark(Besides::Substitution);
        if self.depth >= DEPTH {
            open.simple.mark(Besides::Unclear);
            self.at = self.letters.len();
            return;
        }
        self.depth += 1;
        self.list(Some(closing));
        self.depth -= 1;
    }

    fn redirected(&mut self, letter: char, open: &mut Open) {
        // A number right before it says which descriptor.
        if open.word.as_ref().is_some_and(|word| word.chars().all(|digit| digit.is_ascii_digit())) {
            open.word = None;
        }
        open.end_word();
        open.simple.mark(Besides::Redirection);
        let mut sign = String::from(letter);
        while let Some(next) = self.peek().filter(|next| "><&|-".contains(*next)) {
            sign.push(next);
            self.at += 1;
        }
        if sign.starts_with("<<") {
            // What follows on other lines is text, not commands.
            open.simple.mark(Besides::Unclear);
        }
        if self.peek() == Some('(') {
            open.simple.mark(Besides::Substitution);
        }
        open.simple.redirections.push(sign.clone());
        open.simple.words.push(sign);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands of a line, each with marks for what it holds besides words.
    fn check(line: &str, expected: &[&str]) {
        let shown = |simple: &Simple| {
            let marks: String = simple
                .besides
                .iter()
                .map(|what| match what {
                    Besides::Redirection => 'R',
                    Besides::Substitution => 'S',
                    Besides::Variable => 'V',
                    Besides::Unclear => 'U',
                })
                .collect();
            if marks.is_empty() { simple.text() } else { format!("{marks}:{}", simple.text()) }
        };
        let found: Vec<String> = simple_commands(line).iter().map(shown).collect();
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn lines_are_taken_apart() {
        check("git status", &["git status"]);
        check("  git   status  ", &["git status"]);
        check("a; b && c || d | e & f\ng", &["a", "b", "c", "d", "e", "f", "g"]);
        check("a 'x; y' \"p | q\" \\; z", &["a x; y p | q ; z"]);
        check("g\"\"it st'at'us", &["git status"]);
        check("a # b; c\nd", &["a", "d"]);
        check("a#b", &["a#b"]);
        check("a \\\n b", &["a b"]);
        check("", &[]);
        check(" ;; \n", &[]);
    }

    /// What a hostile line hides is found, or the line is marked as not understood.
    #[test]
    fn tricks_are_seen() {
        check("git status $(rm -rf x)", &["rm -rf x", "S:git status $()"]);
        check("git status `rm x`", &["rm x", "S:git status"]);
        check("git \"$(rm x; id)\"", &["rm x", "id", "S:git $()"]);
        check("echo \"a `rm x` b\"", &["rm x", "S:echo a  b"]);
        check("git status > ../x", &["R:git status > ../x"]);
        check("git status 2>/dev/null", &["R:git status > /dev/null"]);
        check("git status >| x", &["R:git status >| x"]);
        check("git status >& x", &["R:git status >& x"]);
        check("git status &> x", &["git status", "R:> x"]);
        check("git log<x", &["R:git log < x"]);
        check("cat <(rm x)", &["RSU:cat <", "U:rm x"]);
        check("(rm x)", &["U:", "U:rm x"]);
        check("git status; (cd /; rm x)", &["git status", "U:", "cd /", "U:rm x"]);
        check("{ rm x; }", &["U:{ rm x", "U:}"]);
        check("rm{,} x", &["U:rm{,} x"]);
        check("if true; then rm x; fi", &["U:if true", "U:then rm x", "U:fi"]);
        check("git() { rm x; }", &["U:git", "U:", "U:{ rm x", "U:}"]);
        check("$x y", &["V:$x y"]);
        check("git $HOME", &["V:git $HOME"]);
        check("git ${x:-$(rm y)}", &["rm y", "US:git ${x:-$()}"]);
        check("git $'\\x41'", &["U:git $\\x41"]);
        check("cat <<E\nrm x\nE", &["RU:cat << E", "rm x", "E"]);
        check("git 'status", &["U:git status"]);
        check("git \"status", &["U:git status"]);
        check("git `status", &["U:status", "S:git"]);
        check("git $(status", &["U:status", "S:git $()"]);
        check("git status \\", &["U:git status "].map(str::trim_end));
        check("eval rm x", &["U:eval rm x"]);
        check(". ./x", &["U:. ./x"]);
        check("A=1 git status", &["A=1 git status"]);
        check("git\u{a0}status", &["U:git\u{a0}status"]);
        check("git status\r", &["U:git status"]);
        check("a\0b", &["U:a", "b"]);
        let deep = format!("{}x{}", "$(".repeat(50), ")".repeat(50));
        assert!(simple_commands(&deep).iter().any(|simple| simple.besides.contains(&Besides::Unclear)));
        let long = simple_commands(&"x".repeat(LETTERS + 1));
        assert_eq!(long[0].besides, [Besides::Unclear]);
    }
}
