//! The loop: orders come in, each is one commit, what must be done afterwards is done by agents, and what they say
//! comes in again. One service for every interface. Prints nothing, parses no arguments.

mod ancestry;
mod arrive;
mod body;
mod brief;
mod by_hand;
pub mod calls;
mod cause;
mod clock;
mod crew;
pub mod cycle;
mod drive;
mod engine;
mod families;
mod fault;
mod files;
mod hand_edits;
mod hands;
mod hosted;
pub mod import;
mod inputs;
mod interrupt;
mod learning;
pub mod logs;
mod mode;
mod notice;
mod notify;
mod odd;
mod others;
mod profile;
mod readable;
pub mod realization;
mod retry;
pub mod roadmap;
mod service;
mod settings;
mod shelves;
mod simple;
mod speak;
mod step;
mod story;
mod stranded;
mod summary;
mod views;
mod watch;
mod way;
mod why;

/// Workflow profiles and their documents, for those who read, check and draw them.
pub mod workflows {
    pub use dialect::profile::{
        ARTIFACTS, Complaint, Invocation, PROFILE_SCHEMA, PROFILES, ReadProfile, SCHEMAS, SHIPPED, STATUS,
        STATUS_SCHEMA, Schema, choose, env_value, human_gates, read_invocation, read_profile, read_status, slug,
    };
    pub use machine::profile::{Gate, Mode, PlannedStep, Profile, StepKind, compile};
}

pub use agent;
pub use ancestry::{Ancestry, Scope};
pub use body::{Body, Given, HostedFacts};
pub use by_hand::HandedIn;
pub use clock::clock;
pub use crew::Listener;
pub use drive::{Beside, Drove};
pub use engine::Engine;
pub use fault::EngineError;
pub use hosted::Repeated;
pub use interrupt::Interrupt;
pub use knowledge;
pub use learning::Learning;
pub use machine::{AskedAgent, Budget, Fact, Input, Measure, Mode, Role, Used, Verdict};
pub use mode::{Chosen, Earlier, SIMPLE_CHARACTERS, choose};
pub use notice::Notice;
pub use notify::Notify;
pub use odd::odd_in;
pub use profile::{IdeaText, ProfileStart, definition_of};
pub use service::{Begun, Service};
pub use settings::{Casting, FUNCTIONS, SPECIALISTS, Settings, may_hold_a_secret};
pub use shelves::{Depth, INDEX, IndexWas, Shelves};
pub use simple::{Answer, Rehearsal};
pub use story::{Event, Story};
pub use tools::{LogKeeper, Stop};
pub use views::{AttemptView, CatalogView, ItemView, PastView, RestView, RunView, UsageView, Waiting};
pub use watch::watching_problem;
pub use why::{Can, Why};
