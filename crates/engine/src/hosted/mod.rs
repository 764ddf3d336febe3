//! Runs of other machines than that of levels, hosted by the same engine (docs/adr/0027-hosted.md): one journal, one commit
//! a step, effects after it, one crew, one recovery. Owns what the engine asks of such a run and what it hands to it. Must
//! not know any one machine: a protocol is one implementation of [`Kind`] and [`Hosted`], listed in [`KINDS`].

mod again;
mod by_hand;
mod came;
mod drive;
mod edits;
mod members;
mod outcome;
mod people;
mod step;
mod views;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent::{Backend, Brief, Ending};
use dialect::Edit;
use machine::{Effect, Holder, Metered, Said};
use serde_json::value::RawValue;
use text::{Change, Text};
use tools::Stop;

use crate::body::Given;
use crate::fault::EngineError;
use crate::notice::Notice;
use crate::settings::Settings;
use crate::step::Output;
use crate::story::Event;
use crate::views::{AttemptView, Driver, RunView, Waiting};
use crate::why::Why;

pub use again::Repeated;
pub(crate) use came::{Came, Ended};
pub(crate) use drive::order_of;
pub(crate) use members::Seen;
pub(crate) use step::kept;

/// The protocols whose runs are hosted.
pub(crate) const KINDS: [&dyn Kind; 3] = [&crate::profile::PROFILE, &crate::cycle::CYCLE, &crate::roadmap::ROADMAP];

/// The kind of a protocol's runs; nothing for one that this program does not know.
pub(crate) fn kind_of(protocol: &str) -> Option<&'static dyn Kind> {
    KINDS.into_iter().find(|kind| kind.protocol() == protocol)
}

/// Runs that are hosted, by id.
pub(crate) type Runs = BTreeMap<String, Box<dyn Hosted>>;

/// A protocol whose runs are hosted: how they come into memory.
pub(crate) trait Kind: Sync {
    /// Its name, as records say whose facts they hold.
    fn protocol(&self) -> &'static str;

    /// A run of which the first fact is told; nothing if that begins none.
    fn begun(&self, id: &str, first: &RawValue) -> Option<Box<dyn Hosted>>;

    /// A run as a checkpoint keeps it.
    fn restored(&self, kept: &RawValue) -> Option<Box<dyn Hosted>>;
}

/// What a run begins with.
pub(crate) trait Beginning: fmt::Debug + Send {
    /// The first step.
    fn begin(&self, id: &str, world: &World<'_>) -> Result<Followed, EngineError>;
}

/// A run of another machine: what the engine asks of it. Nothing here waits for anything or changes files.
pub(crate) trait Hosted: fmt::Debug + Send + Sync {
    /// The protocol it is of.
    fn protocol(&self) -> &'static str;

    /// What follows from an input. A person's refused command is an error and changes nothing.
    fn take(&self, input: &Input, world: &World<'_>) -> Result<Followed, EngineError>;

    /// What follows from a word that only its own protocol knows.
    fn take_own(&self, _word: &dyn Any, _world: &World<'_>) -> Result<Followed, EngineError> {
        let reason = format!("a run of the protocol {} takes no such word", self.protocol());
        Err(EngineError::refused(reason, "`multiverse explain` says what can be done"))
    }

    /// Takes facts of the journal into it. Decides nothing.
    fn apply(&mut self, facts: &[Box<RawValue>]);

    /// Takes note of how somebody else changed one of its documents.
    fn follow_document(&self, _path: &str, _change: &Change) {}

    /// As a checkpoint keeps it.
    fn kept(&self) -> Result<Box<RawValue>, serde_json::Error>;

    /// Where it stands, for the loop.
    fn standing(&self) -> Standing<'_>;

    /// What is to be done for an attempt of this process.
    fn deed(&self, fence: u64, site: &Site<'_>) -> Option<Deed>;

    /// Whether there is something for an opening, or something to settle. Where many carry a run on,
    /// nobody takes the project's lock to find out that there is not.
    fn has_work(&self, _me: &str, _room: Room, _settings: &Settings) -> bool {
        true
    }

    /// Whether the time that somebody was given is up, so that it is to look what follows.
    fn is_overdue(&self, _now: &str, _settings: &Settings) -> bool {
        false
    }

    /// How many hands of an opening it takes.
    fn busy(&self, me: &str) -> usize {
        self.standing().held_by(me)
    }

    /// Looks at what came of an attempt before anything is decided on it, where files may still be read and kept.
    fn before(&self, _fence: u64, _came: &mut Came, _site: &Site<'_>) {}

    /// Keeps what came with a report that was refused because it came too late; gives what people should know.
    fn keep_aside(&self, _fence: u64, _came: &Came, _settings: &Settings) -> Option<String> {
        None
    }

    /// How what comes after its end is begun, for whoever speaks to a run that is over.
    fn again(&self) -> String {
        "`multiverse run` begins another".into()
    }

    /// Does what is to be done outside the journal for what became so, when nobody is at work: safe to repeat, and to
    /// leave out. Gives what people should know.
    fn settle(&self, _settings: &Settings) -> Option<String> {
        None
    }

    /// The brief of an attempt, for a person who has it; nothing where no such work is people's.
    fn brief(&self, _fence: u64, _site: &Site<'_>) -> Option<Brief> {
        None
    }

    /// The place in which a person's work for an attempt is taken in, where it is not a scratch folder.
    fn place(&self, _fence: u64, _site: &Site<'_>) -> Option<Box<dyn Workplace>> {
        None
    }

    /// What somebody plays at, and is given, for the record that begins the attempt.
    fn given(&self, fence: u64, settings: &Settings) -> Vec<Given>;

    /// The documents whose edits by hand concern it.
    fn documents(&self) -> Vec<String>;

    /// The documents that it writes itself: where files of others lie there already, they are taken under the journal
    /// first.
    fn writes(&self) -> Vec<String> {
        Vec::new()
    }

    /// The folders in which people edit them.
    fn folders(&self) -> Vec<String>;

    /// What there is to tell the user: the kind of message, and the words.
    fn message(&self, said: Said) -> (&'static str, String);

    /// It at a glance.
    fn view(&self, driver: Driver) -> RunView;

    /// Who is at work on what.
    fn attempts(&self) -> Vec<AttemptView>;

    /// What it wants of people.
    fn waits(&self) -> Vec<Waiting>;

    /// Why it, or one step of it, is where it is.
    fn why(&self, item: Option<&str>, driver: Driver) -> Result<Why, EngineError>;

    /// A fact in words, as it reads to the run before it.
    fn tell(&self, fact: &RawValue, event: &mut Event);

    /// It as what it is, for its own protocol.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }
}

/// Where a run stands, as far as the loop cares.
#[derive(Debug, Clone)]
pub(crate) struct Standing<'a> {
    pub driven: Driven<'a>,
    pub is_paused: bool,
    pub is_over: bool,
    pub began_at: &'a str,
    /// Attempts under way, and who has them.
    pub holders: Vec<(u64, &'a Holder)>,
    /// From when and until when it rests, if it does.
    pub rest: Option<(&'a str, &'a str)>,
}

/// Whether an opening has a hand free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    Some,
    None,
}

/// Who hands out the work of a run.
#[derive(Debug, Clone)]
pub(crate) enum Driven<'a> {
    /// One opening at a time.
    By(Option<&'a str>),
    /// Each of these takes its own, and any other may join.
    Together(Vec<&'a str>),
}

/// What comes to a run, whatever its machine: what processes, agents and people say, and files that were edited.
#[derive(Debug)]
pub(crate) enum Input {
    /// Look what can go on.
    Wake,
    /// A process wants to drive it.
    Claim,
    /// The driving process lets go.
    Release,
    /// An attempt ended.
    Ended { fence: u64, came: Came },
    /// A person's answer; without a question, to the only one there is.
    Answer { question: Option<String>, answer: String, by: String },
    /// A person's reply at a gate; without one, at the gate that waits.
    Gate { gate: Option<String>, reply: String, reason: String, by: String },
    /// A decision that was made is to be made again.
    Reopen { gate: String, reason: String, by: String },
    /// A question was shown to somebody.
    Delivered { question: String },
    /// Hand out no more work.
    Pause { reason: String },
    /// Go on.
    Resume,
    /// End it.
    Cancel { by: String },
    /// One of its documents was edited by hand.
    Edited,
}

/// What is known of the world when a decision is made.
pub(crate) struct World<'a> {
    pub now: &'a str,
    pub me: &'a str,
    pub alive: &'a BTreeSet<String>,
    /// Openings that live and do not go on: their processes were stopped, or are silent.
    pub stopped: &'a BTreeSet<String>,
    /// How many more attempts this process may have.
    pub free: usize,
    /// What the attempt used whose end the input is.
    pub used: Metered,
    pub settings: &'a Settings,
    /// All runs that are hosted here.
    pub runs: &'a Runs,
    /// A document as it is before the step.
    pub read: &'a dyn Fn(&str) -> Option<Text>,
}

/// What follows from an input: the run afterwards, and all that becomes so in one commit.
#[derive(Debug)]
pub(crate) struct Followed {
    /// The run with the facts taken in.
    pub run: Box<dyn Hosted>,
    pub facts: Vec<Box<RawValue>>,
    /// What must be done after the commit.
    pub effects: Vec<Effect>,
    /// What changes in documents.
    pub edits: Vec<(String, Edit)>,
    /// Files that are committed with it.
    pub outputs: Vec<Output>,
    /// What there is to tell people.
    pub notices: Vec<Notice>,
    /// Why the record is there, in words.
    pub cause: String,
    /// What the agent of a refused report said.
    pub said: Option<String>,
    /// Whether what waited for a person can be tried again.
    pub is_resumed: bool,
    /// Whether it was a report that came too late: what came with it is kept aside.
    pub is_late: bool,
}

/// What an attempt is done with.
pub(crate) struct Site<'a> {
    pub settings: &'a Settings,
    /// A file of the project, whether it is a document or not.
    pub read: &'a dyn Fn(&str) -> Option<Text>,
    /// Documents that are newer than their files.
    pub newer: &'a dyn Fn() -> Vec<(String, Text)>,
}

/// What is to be done for an attempt. However it is done, it is answered with the attempt's fence.
pub(crate) enum Deed {
    /// An agent works on a brief.
    Brief(Box<Brief>, Arc<dyn Backend>),
    /// The same, in a place that is made for it.
    At(Box<Brief>, Arc<dyn Backend>, Box<dyn Workplace>),
    /// Code works, on a thread of its own: it may start programs and wait for them, must end when it is told to stop, and
    /// must be safe to do again, because a process that dies in the middle of it leaves nothing but what it did so far.
    Code(Code),
    /// The same, for what needs no document in its place.
    Apart(Code),
    /// It was done by saying so.
    AtOnce(Came),
}

/// A folder in which an agent works, and what becomes of what it did there. Made and looked at on the agent's own thread.
pub(crate) trait Workplace: Send {
    /// Makes ready the folder in which the agent works, within this one; gives it. What is beside it in there is out of
    /// the agent's reach.
    fn make(&mut self, within: &Path) -> Result<PathBuf, String>;

    /// Whether it is the scratch folder itself, in which the files of the brief are laid out.
    fn is_laid_out(&self) -> bool {
        true
    }

    /// Whether all documents must be in their places for it.
    fn needs_files_in_place(&self) -> bool {
        true
    }

    /// How it is told that the work is to stop, for what it does itself.
    fn watch(&mut self, _stop: &Stop) {}

    /// What it is to the run that the folder could not be made, for this reason.
    fn unmade(&mut self, reason: String) -> Came {
        Came::Failed { error: reason, said: String::new() }
    }

    /// What became of the work that was done there; nothing while a person has it.
    fn came(&mut self, folder: &Path, brief: &Brief, ending: Ending) -> Option<Came>;
}

/// Work that code does. What it says on the way is shown as progress.
pub(crate) type Code = Box<dyn FnOnce(&Stop, &dyn Fn(&str)) -> Came + Send>;

impl fmt::Debug for Deed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Brief(brief, backend) => out.debug_tuple("Brief").field(brief).field(&backend.name()).finish(),
            Self::At(brief, backend, _) => out.debug_tuple("At").field(brief).field(&backend.name()).finish(),
            Self::Code(_) | Self::Apart(_) => out.debug_tuple("Code").finish_non_exhaustive(),
            Self::AtOnce(came) => out.debug_tuple("AtOnce").field(came).finish(),
        }
    }
}

impl Standing<'_> {
    /// How many attempts an opening has.
    pub(crate) fn held_by(&self, me: &str) -> usize {
        self.holders.iter().filter(|(_, holder)| matches!(holder, Holder::Process(name) if name == me)).count()
    }

    /// Whether an opening drives it.
    pub(crate) fn is_driven_by(&self, me: &str) -> bool {
        !self.is_over && self.drivers().any(|name| name == me)
    }

    /// All who drive it.
    pub(crate) fn drivers(&self) -> impl Iterator<Item = &str> {
        let (one, many) = match &self.driven {
            Driven::By(one) => (*one, &[][..]),
            Driven::Together(many) => (None, many.as_slice()),
        };
        one.into_iter().chain(many.iter().copied())
    }

    /// Whether any number of openings carries it on.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self.driven, Driven::Together(_))
    }

    /// The openings that have to do with it: those who drive it, and those who have work of it.
    pub(crate) fn members(&self) -> BTreeSet<String> {
        let holders = self.holders.iter().filter_map(|(_, holder)| match holder {
            Holder::Process(name) => Some(name.as_str()),
            Holder::Person => None,
        });
        self.drivers().chain(holders).map(String::from).collect()
    }

    /// Whether somebody else is at work on it, so that there may be something for this opening later.
    pub(crate) fn waits_for_others(&self, me: &str) -> bool {
        let is_others = |holder: &Holder| matches!(holder, Holder::Process(name) if name != me);
        let is_going_on = self.is_shared() && !self.is_over && !self.is_paused;
        is_going_on && self.holders.iter().any(|(_, holder)| is_others(holder))
    }
}

impl Input {
    /// What the common words of all runs are to one that is hosted; nothing for those that only levels know.
    pub(crate) fn of(input: &machine::Input) -> Option<Self> {
        Some(match input {
            machine::Input::Wake => Self::Wake,
            machine::Input::Claim => Self::Claim,
            machine::Input::Release => Self::Release,
            machine::Input::Pause { reason } => Self::Pause { reason: reason.clone() },
            machine::Input::Resume => Self::Resume,
            machine::Input::Cancel { by } | machine::Input::Answer { verdict: machine::Verdict::Cancel, by } => {
                Self::Cancel { by: by.clone() }
            }
            machine::Input::Tell { fence: None | Some(0), answer, by } => {
                Self::Answer { question: None, answer: answer.clone(), by: by.clone() }
            }
            machine::Input::Tell { .. }
            | machine::Input::Answer { .. }
            | machine::Input::Report { .. }
            | machine::Input::Edited { .. } => return None,
        })
    }
}
