//! Owns the backend that is a person: the engine shows the brief in an inbox and takes the answer when it comes. Must
//! not ask anybody itself.

use crate::backend::{Backend, Ending, Job, Pace};

/// Leaves every brief to a person.
#[derive(Debug, Clone, Copy, Default)]
pub struct Person;

impl Backend for Person {
    fn name(&self) -> String {
        "person".into()
    }

    fn pace(&self) -> Pace {
        Pace::Instant
    }

    fn is_guided(&self) -> bool {
        false
    }

    fn work(&self, _job: &Job, _stop: &tools::Stop, _say: &dyn Fn(&str)) -> Ending {
        Ending::Waiting
    }
}
