//! The documents of each protocol: what a run's facts change in them, what they say of a run, and how every status is
//! spelled. Lineage between documents and state goes both ways, [`multiverse::lower`] and [`multiverse::lift`]; what
//! agents hand in with the protocol's column names is read here too.
//!
//! The crate does no I/O and decides nothing. What differs between protocols of one kind is data ([`Protocol`]): which
//! documents there are, and which columns they have.

pub mod cycle;
mod desk;
mod draft;
mod item_row;
mod keys;
mod layout;
mod learned;
mod lift;
mod lower;
pub mod multiverse;
mod places;
mod plan_order;
mod prose;
mod restore;
mod schema;
mod sheet;
mod sheets;
mod spelling;
mod start;
mod tables;
mod take_over;
mod trouble;

pub use desk::{Edit, Lowered};
pub use layout::{Column, Field, GlobalDocument, Layout, LevelDocument, Need, Protocol};
pub use lift::Lifted;
pub use lower::{Before, Step};
pub use restore::{OwnRow, PutBack};
pub use sheet::{Revision, Sheet};
pub use sheets::Sheets;
pub use spelling::{read_state, read_status, state_word, status_word};
pub use tables::{CatalogRow, InstructionRow, RunRow};
pub use trouble::{Problem, Trouble};
