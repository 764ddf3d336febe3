//! The documents of the protocol `roadmap`: the task file with its questions, the log with roadmap and work log, and
//! `jixo.config.json`.
//!
//! - `task`, `question`, `language`: the goal, and what is asked about it; `config`: where tasks are
//! - `log`: a log, read; `sections`: where its parts are; `outline`: what in its roadmap is an item, a group, or neither;
//!   `face`, `title`: what one of them shows; `entries`, `stamp`, `objective`: the work log; `tell`: what is odd
//! - `index`: where everything is, in pieces; `edit`, `place`: operations; `follow`: those of others; `write`: the one form
//! - `lower`: what facts change in the documents; `compare`: the documents as the machine reads them
//! - `front`: front matter, whatever became of it; `words`: every spelling that is understood; `problem`: what is odd
//!
//! Reading never fails and loses no byte: an edit splices the bytes of its span, and what it does not know stays.

mod compare;
mod config;
mod edit;
mod entries;
mod face;
mod follow;
mod front;
mod index;
mod language;
mod log;
mod lower;
mod objective;
mod outline;
mod place;
mod problem;
mod question;
mod sections;
mod stamp;
mod task;
mod tell;
mod title;
mod words;
mod write;

pub use compare::{compare, reading, task_reading};
pub use config::{CONFIG, Config, Source, initial_config, is_wanted};
pub use follow::Followed;
pub use language::Language;
pub use log::{Front, FrontChange, Log, LogEntry, LogGroup, LogItem};
pub use lower::{Step, lower};
pub use problem::{Deviation, Weight};
pub use question::{Question, append_question, remove_question, write_response};
pub use task::{FOLDER, LOG_ENDING, TASK_ENDING, TaskFile, initial_task};
pub use write::initial_log;
