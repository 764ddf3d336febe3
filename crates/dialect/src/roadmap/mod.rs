//! The documents of the protocol `roadmap`: the task file with its questions, the log with roadmap and work log, and
//! `jixo.config.json`.
//!
//! - `task`, `question`, `language`: the goal, and what is asked about it; `config`: where tasks are
//! - `log`: the log and its operations
//! - `front`: front matter, whatever became of it; `words`: every spelling that is understood; `problem`: what is odd
//!
//! Reading never fails and loses no byte: an edit splices the bytes of its span, and what it does not know stays.

mod config;
mod front;
mod language;
mod log;
mod problem;
mod question;
mod task;
mod words;

pub use config::{CONFIG, Config, Source, initial_config, is_wanted};
pub use language::Language;
pub use log::{Front, FrontChange, Log, LogEntry, LogGroup, LogItem, Where};
pub use problem::{Deviation, Weight};
pub use question::{Question, append_question, remove_question, write_response};
pub use task::{FOLDER, LOG_ENDING, TASK_ENDING, TaskFile, initial_task};
