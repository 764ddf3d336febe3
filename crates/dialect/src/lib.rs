//! The documents of each protocol: what a run's facts change in them, what they say of a run, and how every status is
//! spelled. It goes both ways, [`lower()`] and [`Protocol::lift`]; what
//! agents hand in with the protocol's column names is read here too.
//!
//! The crate does no I/O and decides nothing. What differs between protocols of one kind is data ([`Protocol`]): which
//! documents there are, and which columns they have.

mod catalogs;
pub mod cycle;
mod desk;
mod draft;
pub mod import;
mod item_row;
mod keys;
mod layout;
mod learned;
mod lift;
pub mod lineage;
mod lower;
pub mod multiverse;
mod odd;
mod places;
mod plan_order;
pub mod profile;
mod prose;
mod protocol;
mod restore;
pub mod roadmap;
mod schema;
mod settings;
mod sheet;
mod sheets;
mod spelling;
mod start;
mod tables;
mod take_over;
mod trouble;

pub use catalogs::{CatalogEntry, CatalogSheet, is_catalog, meant_path, path_readings};
pub use desk::{Edit, Lowered};
pub use layout::{
    Column, Definition, Field, GlobalDocument, InputFolder, Layout, LevelDocument, Need, OneFor, Procedures, Protocol,
    RunIds, SettingsDocument,
};
pub use lift::Lifted;
pub use lower::{Before, Step, lower};
pub use protocol::{countable, is_without_row, item_object, item_object_at_hand, proposal_of, restore_cells};
pub use restore::{OwnRow, PutBack};
pub use settings::Phases;
pub use sheet::{Revision, Sheet};
pub use sheets::Sheets;
pub use spelling::{read_state, read_status, state_word, status_word};
pub use tables::{CatalogRow, InstructionRow, RunRow};
pub use trouble::{Problem, Trouble};
