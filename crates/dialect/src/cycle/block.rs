//! One block: where it is, what it says, what is odd about it, and what it means. Must not know the blocks around it.

use std::ops::Range;

use machine::cycle::{Lap, Party, Route, Routed, Signature, Standing, Word, route, words};
use syntax::markdown::fields::{Field, Marker, Separator};

use super::lines::{Key, Line, named};
use super::values::{self, Read, shown};

/// One SIGNAL BLOCK of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its bytes.
    pub span: Range<usize>,
    /// The line it begins on, from 1.
    pub line: usize,
    /// How it is written.
    pub form: Form,
    /// Whose it is.
    pub agent: Option<Party>,
    /// What it says.
    pub result: Option<Word>,
    /// What happened.
    pub summary: String,
    /// How sure.
    pub confidence: Option<u8>,
    /// Whom it names as the next one.
    pub next: Option<Party>,
    /// What the next one must know.
    pub context: String,
    /// How far the whole goal is.
    pub standing: Option<Standing>,
    /// How it is signed.
    pub signature: Option<Signature>,
    /// All other fields, in order; those that the protocol names are spelled as it spells them.
    pub fields: Vec<(String, String)>,
    /// What stands there, word for word, of the fields that decide: Agent, Result, Confidence, Next, Signature.
    pub written: Vec<(&'static str, String)>,
    /// Where it leads.
    pub meaning: Meaning,
    /// What is odd.
    pub deviations: Vec<Deviation>,
}

/// How a block is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `- Agent: x`: as it should be.
    Bullets,
    /// `**Agent**: x`.
    Bold,
    /// `Agent = x | Result = y`.
    OneLine,
    /// `Agent: x`.
    Plain,
    /// `| Agent | x |`.
    Table,
}

/// Where a block leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    /// As the protocol's table says.
    Goes(Route),
    /// To the Human, because it cannot be routed: why.
    Asks(String),
}

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deviation {
    /// The bytes it is about.
    pub span: Range<usize>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// How much it matters.
    pub weight: Weight,
    /// What is odd, as a fragment.
    pub reason: String,
    /// How to mend it.
    pub mend: String,
}

/// How much a deviation matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It is read all the same.
    Form,
    /// It is against the protocol.
    Rule,
    /// It cannot be told what is meant: the Human is asked.
    Unclear,
}

/// A field of a block, and the line it stands on.
pub(super) struct Placed<'a> {
    pub(super) field: Field,
    pub(super) line: &'a Line<'a>,
    /// Lines below it that belong to its value.
    pub(super) more: Vec<&'a str>,
    /// Whether it stands deeper than the fields of the block.
    pub(super) is_nested: bool,
    /// The field that it stands for, where the block has none of that name.
    pub(super) instead: Option<Key>,
}

impl Placed<'_> {
    fn value(&self) -> String {
        let more = self.more.iter().map(|line| line.trim_end());
        let lines: Vec<&str> = std::iter::once(self.field.value.as_str()).chain(more).collect();
        lines.join("\n").trim().to_owned()
    }

    fn value_span(&self) -> Range<usize> {
        let span = &self.field.value_span;
        self.line.start + span.start..self.line.start + span.end
    }

    fn key_span(&self) -> Range<usize> {
        let span = &self.field.key_span;
        self.line.start + span.start..self.line.start + span.end
    }

    pub(super) fn own_key(&self) -> Option<Key> {
        self.instead.or_else(|| Key::of(&self.field.key)).filter(|_| !self.is_nested)
    }

    /// A value of one line: behind the key, or alone on the line below it.
    fn single(&self) -> String {
        let below = || self.more.iter().map(|line| line.trim().trim_start_matches(['-', '*', '+']).trim());
        match self.field.value.is_empty() {
            true => below().find(|line| !line.is_empty()).unwrap_or_default().to_owned(),
            false => self.field.value.clone(),
        }
    }

    fn is_below(&self) -> bool {
        self.field.value.is_empty() && !self.single().is_empty()
    }
}

/// What a block's lines say.
pub(super) struct Source<'a> {
    pub(super) title: Option<&'a Line<'a>>,
    pub(super) is_strict_title: bool,
    pub(super) is_fenced: bool,
    pub(super) fields: Vec<Placed<'a>>,
    pub(super) span: Range<usize>,
    pub(super) first_line: usize,
}

/// Reads a block.
pub(super) fn read_block(source: &Source<'_>) -> Block {
    let mut reader = Reader { source, deviations: Vec::new(), unclear: Vec::new() };
    let form = reader.form();
    let agent = reader.value(Key::Agent, values::party);
    let result = reader.value(Key::Result, values::word);
    let confidence = match agent {
        // A Human need not say how sure they are.
        Some(Party::Human) => reader.only(Key::Confidence).and_then(|at| values::confidence(&at).value()),
        _ => reader.value(Key::Confidence, values::confidence),
    };
    let next = reader.value(Key::Next, values::party);
    let signature = reader.value(Key::Signature, values::signature);
    let summary = reader.text(Key::Summary);
    let context = reader.text(Key::Context);
    let fields = reader.further();
    let standing = reader.standing(&fields, result);
    reader.check_fields(agent, result, signature);
    let written = reader.written();
    let mut block = Block {
        span: source.span.clone(),
        line: source.first_line,
        form,
        agent,
        result,
        summary,
        confidence,
        next,
        context,
        standing,
        signature,
        fields,
        written,
        meaning: Meaning::Asks(String::new()),
        deviations: Vec::new(),
    };
    block.meaning = reader.meaning(&block);
    block.deviations = reader.deviations;
    block.deviations.sort_by_key(|one| (one.line, one.column, one.weight));
    block
}

struct Reader<'a> {
    source: &'a Source<'a>,
    deviations: Vec<Deviation>,
    /// Why the block cannot be routed.
    unclear: Vec<String>,
}

impl Reader<'_> {
    fn all(&self, key: Key) -> Vec<&Placed<'_>> {
        self.source.fields.iter().filter(|placed| placed.own_key() == Some(key)).collect()
    }

    /// The first line of a field's value.
    fn only(&self, key: Key) -> Option<String> {
        self.all(key).first().map(|placed| placed.single())
    }

    /// What stands there of the fields that decide.
    fn written(&self) -> Vec<(&'static str, String)> {
        let deciding = [Key::Agent, Key::Result, Key::Confidence, Key::Next, Key::Signature];
        let all = deciding.into_iter().flat_map(|key| self.all(key).into_iter().map(move |placed| (key, placed)));
        all.map(|(key, placed)| (key.name(), placed.single())).collect()
    }

    fn form(&mut self) -> Form {
        let own = self.source.fields.iter().filter(|placed| placed.own_key().is_some_and(|key| key != Key::Signature));
        let looks: Vec<_> = own.map(|placed| placed.field.look).collect();
        let form = match looks.first() {
            _ if looks.iter().any(|look| look.marker == Marker::Pipe) => Form::OneLine,
            Some(look) if look.separator == Separator::Cell => Form::Table,
            Some(look) if look.is_bold => Form::Bold,
            Some(look) if look.marker == Marker::Bullet => Form::Bullets,
            Some(_) => Form::Plain,
            None => Form::Bullets,
        };
        let what = match form {
            Form::Bullets => "",
            Form::Bold => "with bold keys",
            Form::OneLine => "on one line",
            Form::Plain => "without bullets",
            Form::Table => "as a table",
        };
        let first = self.source.fields.first();
        if let (false, Some(first)) = (what.is_empty(), first) {
            let (line, span) = (first.line, first.key_span());
            self.deviate(
                line,
                span,
                Weight::Form,
                format!("the block is written {what}"),
                "write `- Agent: …`, one field a line".into(),
            );
        }
        if !matches!(form, Form::OneLine | Form::Table) {
            self.separators();
        }
        match (self.source.title, first) {
            (Some(title), _) if !self.source.is_strict_title => {
                let reason = "the title is written otherwise".into();
                self.deviate(title, title.span(), Weight::Form, reason, "write `### SIGNAL BLOCK`".into());
            }
            (None, Some(first)) => {
                let reason = "the block has no title".into();
                self.deviate(
                    first.line,
                    first.key_span(),
                    Weight::Form,
                    reason,
                    "write `### SIGNAL BLOCK` above it".into(),
                );
            }
            _ => {}
        }
        if let (true, Some(first)) = (self.source.is_fenced, first) {
            let reason = "the block stands in a fenced block of code".into();
            self.deviate(first.line, first.key_span(), Weight::Form, reason, "take the fence away".into());
        }
        form
    }

    /// What stands between a key and its value, where it is no colon.
    fn separators(&mut self) {
        let is_odd = |placed: &&Placed<'_>| {
            let between = placed.field.key_span.end..placed.field.value_span.start;
            let between = placed.line.text.get(between).unwrap_or(":");
            placed.own_key().is_some() && !placed.field.value.is_empty() && !between.contains(':')
        };
        let odd = self.source.fields.iter().find(is_odd);
        if let Some((line, span)) = odd.map(|placed| (placed.line.number, placed.key_span())) {
            let reason = "no `:` stands between key and value".into();
            self.at(line, span, Weight::Form, reason, "write `- Agent: …`, one field a line".into());
        }
    }

    /// A value that decides something: missing, given twice or not clear, the Human is asked.
    fn value<T: Copy + PartialEq>(&mut self, key: Key, read: fn(&str) -> Read<T>) -> Option<T> {
        let placed: Vec<(String, Range<usize>, usize)> =
            self.all(key).iter().map(|placed| (placed.single(), placed.value_span(), placed.line.number)).collect();
        let below: Vec<(usize, Range<usize>)> = (self.all(key).iter().filter(|placed| placed.is_below()))
            .map(|placed| (placed.line.number, placed.key_span()))
            .collect();
        for (line, span) in below {
            let reason = format!("the value of {} stands on the line below", key.name());
            self.at(line, span, Weight::Form, reason, "write it behind the key".into());
        }
        let Some((first, ..)) = placed.first() else {
            self.unclear.push(format!("it has no {}", key.name()));
            return None;
        };
        let values: Vec<Read<T>> = placed.iter().map(|(raw, ..)| read(raw)).collect();
        for ((raw, span, line), value) in placed.iter().zip(&values) {
            match value {
                Read::Clean(_) => {}
                Read::Loose(_, mend) => {
                    let (weight, what) = match raw.contains("~~") {
                        true => (Weight::Rule, "was changed after the fact"),
                        false => (Weight::Form, "is written otherwise"),
                    };
                    let reason = format!("{} {what}: `{}`", key.name(), shown(raw));
                    self.at(*line, span.clone(), weight, reason, mend.clone());
                }
                Read::Unclear(why) => {
                    let (reason, mend) =
                        why.rsplit_once("; ").map_or((why.as_str(), ""), |(reason, mend)| (reason, mend));
                    self.at(*line, span.clone(), Weight::Unclear, format!("{}: {reason}", key.name()), mend.into());
                    self.unclear.push(match raw.trim().is_empty() {
                        true => format!("{} is empty", key.name()),
                        false => format!("{} is not clear: `{}`", key.name(), shown(raw)),
                    });
                }
            }
        }
        let is_same = values.iter().all(|value| value.value() == values[0].value());
        if let Some((raw, span, line)) = placed.get(1) {
            let reason = format!("{} is given twice: `{}` and `{}`", key.name(), shown(first), shown(raw));
            let weight = if is_same { Weight::Form } else { Weight::Unclear };
            self.at(*line, span.clone(), weight, reason, "keep one of them".into());
            if !is_same {
                self.unclear.push(format!("{} is given twice, with different values", key.name()));
                return None;
            }
        }
        values[0].value()
    }

    fn text(&self, key: Key) -> String {
        let all: Vec<String> = self.all(key).iter().map(|placed| placed.value()).collect();
        all.join("\n")
    }

    fn further(&self) -> Vec<(String, String)> {
        let further = self.source.fields.iter().filter(|placed| placed.own_key().is_none());
        further
            .map(|placed| {
                let name = named(&placed.field.key).map_or_else(|| placed.field.key.clone(), str::to_owned);
                (name, placed.value())
            })
            .collect()
    }

    /// How far the whole goal is, which a Judge's PASS is routed by.
    fn standing(&mut self, fields: &[(String, String)], result: Option<Word>) -> Option<Standing> {
        let (_, value) = fields.iter().find(|(name, _)| name == words::field::SUPERORDINATE)?;
        let standing = values::standing(value);
        if standing.is_none() && result == Some(Word::Pass) {
            let found =
                self.source.fields.iter().find(|placed| named(&placed.field.key) == Some(words::field::SUPERORDINATE));
            if let Some((line, span)) = found.map(|placed| (placed.line.number, placed.value_span())) {
                let reason =
                    format!("{}: `{}` does not say whether the goal is met", words::field::SUPERORDINATE, shown(value));
                self.at(line, span, Weight::Unclear, reason, "write SUFFICIENT or PROGRESSING".into());
            }
        }
        standing
    }

    /// Fields that are missing, misspelt or out of their place; a step that is another's.
    fn check_fields(&mut self, agent: Option<Party>, result: Option<Word>, signature: Option<Signature>) {
        let missing: Vec<&str> = Key::ALL.into_iter().filter(|key| self.all(*key).is_empty()).map(Key::name).collect();
        if !missing.is_empty() {
            // A Human need not say how sure they are.
            let is_human = agent == Some(Party::Human);
            let decides = |name: &str| match name {
                "Loop Summary" | "Context" => false,
                "Confidence" => !is_human,
                _ => true,
            };
            let weight = if missing.iter().any(|name| decides(name)) { Weight::Unclear } else { Weight::Rule };
            let span = self.source.span.start..self.source.span.start;
            let reason = format!("the block has no {}", missing.join(", no "));
            let mend: Vec<String> =
                missing
                    .iter()
                    .map(|name| {
                        if *name == "Signature" { "`**Signature**: 1:2:3`".into() } else { format!("`- {name}: …`") }
                    })
                    .collect();
            self.at(self.source.first_line, span, weight, reason, format!("add {}", mend.join(", ")));
        }
        let odd: Vec<(usize, Range<usize>, String, &'static str)> = self
            .source
            .fields
            .iter()
            .filter_map(|placed| {
                let name = placed.own_key().map(Key::name).filter(|name| *name != placed.field.key)?;
                Some((placed.line.number, placed.key_span(), placed.field.key.clone(), name))
            })
            .collect();
        for (line, span, key, name) in odd {
            self.at(
                line,
                span,
                Weight::Form,
                format!("the key is written as `{}`", shown(&key)),
                format!("write `{name}`"),
            );
        }
        let order: Vec<Key> = self.source.fields.iter().filter_map(Placed::own_key).collect();
        if let Some(at) = order.windows(2).position(|pair| pair[0] > pair[1]) {
            let (early, late) = (order[at + 1].name(), order[at].name());
            let place = self.all(order[at + 1]).first().map(|placed| (placed.line.number, placed.key_span()));
            if let Some((line, span)) = place {
                let mend = "the order is Agent, Result, Loop Summary, Confidence, Next, Context, Signature".into();
                self.at(line, span, Weight::Form, format!("{early} stands behind {late}"), mend);
            }
        }
        let place = self.all(Key::Signature).first().map(|placed| (placed.line.number, placed.value_span()));
        if let (Some(agent), Some(signature), Some((line, span))) = (agent, signature, place) {
            let reason = match signature.party() {
                Some(party) if party == agent => return,
                Some(party) => format!("step {} is the {party}'s, and the block is the {agent}'s", signature.step),
                None => format!("there is no step {}", signature.step),
            };
            let step = match (agent, result, signature.lap) {
                (Party::Human, Some(Word::Init), _) => 0,
                (Party::Human, ..) => Signature::HUMAN_STEP,
                (agent, ..) => agent.step(),
            };
            let mend = match signature.party() {
                Some(_) => format!("write {}", Signature { step, ..signature }),
                None => format!("whoever plans again begins another loop: the step of the {agent} is {step}"),
            };
            self.at(line, span, Weight::Rule, reason, mend);
        }
    }

    /// Where the block leads.
    fn meaning(&mut self, block: &Block) -> Meaning {
        if let Some(reason) = self.unclear.first() {
            return Meaning::Asks(reason.clone());
        }
        let (Some(party), Some(word), Some(signature)) = (block.agent, block.result, block.signature) else {
            return Meaning::Asks("it cannot be read".into());
        };
        let (confidence, standing) = (block.confidence, block.standing);
        let routed = Routed { party, word, confidence, standing, signature, wish: block.next };
        let place =
            |reader: &Self, key| reader.all(key).first().map(|placed| (placed.line.number, placed.value_span()));
        match route(&routed) {
            Err(unroutable) => {
                if let Some((line, span)) = place(self, Key::Result) {
                    let mend = match word.party() == party {
                        true => format!("add `- {}: SUFFICIENT` or `PROGRESSING`", words::field::SUPERORDINATE),
                        false => format!("the {party} says {}", said_by(party)),
                    };
                    let is_told = self.deviations.iter().any(|one| one.weight == Weight::Unclear);
                    if !is_told {
                        self.at(line, span, Weight::Unclear, unroutable.reason.clone(), mend);
                    }
                }
                Meaning::Asks(unroutable.reason)
            }
            Ok(route) => {
                // The end has no next one; the Human sets the next goal.
                let expected = route.party().unwrap_or(Party::Human);
                // Whether it is one too many in a row, only the blocks before it tell.
                let is_streak = word == Word::Insufficient && block.next == Some(Party::Human);
                if let (Some(next), Some((line, span))) = (block.next, place(self, Key::Next))
                    && next != expected
                    && !is_streak
                    && !(party == Party::Actor && signature.lap == Lap::Final && next == Party::Human)
                {
                    let why = match route {
                        Route::Human(reason) => format!(", because {reason}"),
                        Route::To(_) | Route::End => String::new(),
                    };
                    let reason = format!("Next is {next}, and {word} of the {party} goes to the {expected}{why}");
                    self.at(line, span, Weight::Rule, reason, format!("write `- Next: {expected}`"));
                }
                Meaning::Goes(route)
            }
        }
    }

    fn deviate(&mut self, line: &Line<'_>, span: Range<usize>, weight: Weight, reason: String, mend: String) {
        self.at(line.number, span, weight, reason, mend);
    }

    /// The column is found when all is known of the file.
    fn at(&mut self, line: usize, span: Range<usize>, weight: Weight, reason: String, mend: String) {
        self.deviations.push(Deviation { span, line, column: 0, weight, reason, mend });
    }
}

fn said_by(party: Party) -> String {
    let names: Vec<&str> = Word::ALL.iter().filter(|word| word.party() == party).map(|word| word.name()).collect();
    names.join(", ")
}
