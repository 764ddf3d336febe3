//! Work of a hosted run that a person has: its brief, and what the person hands in. It goes the way of any agent's report.
//! Knows no machine.

use std::path::Path;

use agent::prompt::{Form, Tools};
use agent::{Brief, Ending, Scratch};
use machine::{Holder, Metered};
use store::Fs;

use super::{Came, Ended, Workplace, order_of};
use crate::by_hand::{HandedIn, refused_for, report_of};
use crate::fault::EngineError;
use crate::service::Service;
use crate::step::unknown_run;

impl<F: Fs> Service<F> {
    /// The brief of an attempt of a hosted run, in words for a person.
    pub(crate) fn hosted_brief(&self, run: &str, fence: u64) -> Option<Brief> {
        let engine = &self.engine;
        let mut brief = engine.at_site(|site| engine.state.hosted.get(run)?.brief(fence, site))?;
        brief.prompt = engine.settings.prompts().render(&brief, Form::Report, Tools::None).user;
        Some(brief)
    }

    /// Takes a person's work for a hosted run.
    pub(crate) fn hand_in_hosted(
        &mut self,
        run: &str,
        fence: Option<u64>,
        handed: HandedIn,
    ) -> Result<(), EngineError> {
        self.refuse_if_over(run)?;
        let found = self.engine.state.hosted.get(run).ok_or_else(|| unknown_run(run))?;
        let theirs = found.standing().holders.into_iter().filter(|(_, holder)| **holder == Holder::Person);
        let theirs: Vec<u64> = theirs.map(|(fence, _)| fence).collect();
        let wanted = theirs.iter().copied().find(|one| fence.is_none_or(|fence| *one == fence));
        let Some(fence) = wanted else {
            let known: Vec<String> = theirs.iter().map(u64::to_string).collect();
            let hint = match known.is_empty() {
                true => "`multiverse inbox` shows what waits".into(),
                false => format!("these are: --attempt {}", known.join(", ")),
            };
            return Err(EngineError::refused(format!("no such work of {run} waits for a person"), hint));
        };
        let brief = self.hosted_brief(run, fence).ok_or_else(|| unknown_run(run))?;
        let place = self.place_of(run, fence);
        if place.is_some() {
            // Whoever copies something of the project finds what was committed so far.
            self.engine.store.finish()?;
        }
        let scratch = Scratch::make(&self.engine.settings.project, fence, &brief)
            .map_err(|fault| EngineError::refused(format!("cannot make a scratch folder: {fault}"), ""))?;
        let came = handed_in(&brief, &scratch.workdir(), handed, place);
        // What is left behind there is swept away by the next process.
        let _ = scratch.remove();
        match came? {
            None => Ok(()),
            Some(Came::Broken { problems, .. }) => Err(refused_for(&problems)),
            Some(Came::Failed { error, .. }) => Err(refused_for(&[error])),
            Some(came) => {
                let ended = Ended { run: run.into(), fence, came, used: Metered::default() };
                self.send_order(order_of(ended))
            }
        }
    }

    /// The place in which such work is done, where it is not the scratch folder itself.
    fn place_of(&self, run: &str, fence: u64) -> Option<Box<dyn Workplace>> {
        let engine = &self.engine;
        engine.at_site(|site| engine.state.hosted.get(run)?.place(fence, site))
    }
}

/// What a person's work is to the run, as if an agent had brought it from the same place.
fn handed_in(
    brief: &Brief,
    workdir: &Path,
    handed: HandedIn,
    place: Option<Box<dyn Workplace>>,
) -> Result<Option<Came>, EngineError> {
    let ending = |report| Ending::Report { report, log: String::new() };
    let Some(mut place) = place else {
        return Ok(Came::of(brief, workdir, ending(report_of(brief, workdir, handed)?)));
    };
    let folder = place.make(workdir).map_err(|reason| EngineError::refused(reason, "then hand it in again"))?;
    Ok(place.came(&folder, brief, ending(report_of(brief, &folder, handed)?)))
}
