//! Owns the steps of an attempt: how many turns there are, what the model is told as they come to an end, and what it is
//! when they are used up (RM-06). Must not know what is done in a turn.

use serde_json::json;

use crate::contract::{Brief, Report, ReportStatus};
use crate::roadmap::{LAST_STEPS, quota};
use crate::words::quote;

/// Turns of an attempt, where the brief does not say.
const STEPS: u32 = 100;
/// The most of what the model said last that a summary keeps, in characters.
const LAST_WORDS: usize = 1200;

/// The turns of one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Steps {
    pub(super) most: u32,
    ending: Ending,
}

/// What it is that they are used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Failure,
    /// The work stays, and is taken up again.
    Pause,
}

impl Steps {
    pub(super) fn of(brief: &Brief) -> Self {
        let most = if brief.limits.steps == 0 { STEPS } else { brief.limits.steps };
        match quota(brief) {
            Some(quota) => Self { most: quota.min(most), ending: Ending::Pause },
            None => Self { most, ending: Ending::Failure },
        }
    }

    pub(super) fn is_last(&self, step: u32) -> bool {
        step == self.most
    }

    /// What is said with the first message: who has few steps knows it from the beginning.
    pub(super) fn opening(&self) -> Option<String> {
        let is_short = self.ending == Ending::Pause && self.most <= LAST_STEPS;
        is_short.then(|| format!("\n\n{}", self.few(self.most)))
    }

    /// What is said before a step that is not the first.
    pub(super) fn before(&self, step: u32) -> Option<String> {
        let left = self.most.saturating_sub(step) + 1;
        match self.ending {
            _ if step == 1 => None,
            Ending::Failure => (left == 1).then(|| "No more calls can be made. Give your report now.".to_string()),
            Ending::Pause if left == 1 => Some(
                "This is your last step, and no more calls can be made. Give your report now: `done` if the item is done, \
                 else `paused` with a summary of what is done and what is left."
                    .into(),
            ),
            Ending::Pause => (left == LAST_STEPS).then(|| self.few(left)),
        }
    }

    fn few(&self, left: u32) -> String {
        let steps = if left == 1 { "1 step remains".to_string() } else { format!("{left} steps remain") };
        format!(
            "{steps} of your {}, this one included. If you cannot finish within them, leave what you have in the files and \
             report `paused` with a summary: what is done, what is left, where to go on.",
            self.most
        )
    }

    /// What an attempt comes to that has no steps left and no report: a pause with what was said last, or why it failed.
    pub(super) fn used_up(&self, said_last: &str) -> Result<Report, String> {
        let most = self.most;
        if self.ending == Ending::Failure {
            return Err(format!("the model used its {most} turns without a report"));
        }
        let said = said_last.trim();
        let said = match said.is_empty() {
            true => "it said nothing of how far it came: look at the files".to_string(),
            false => format!("it said last: {}", quote(said, LAST_WORDS)),
        };
        Ok(Report {
            status: ReportStatus::Paused,
            result: json!({"blocker": false}),
            summary: format!("the {most} steps were used up before the item was done; {said}"),
            ..Report::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(protocol: &str, limit: u32, quota: u32) -> Steps {
        let mut brief = Brief::new("r", protocol, "executor", "do_item");
        brief.limits.steps = limit;
        brief.context = json!({"Current_Task_Max_Steps_Quota": quota});
        Steps::of(&brief)
    }

    /// RM-06: once, when five remain, and at the last; another protocol hears of the last alone.
    #[test]
    fn rm06_an_executor_is_told_when_five_steps_remain() {
        let told =
            |steps: Steps| -> Vec<u32> { (1..=steps.most).filter(|step| steps.before(*step).is_some()).collect() };
        let ten = steps("roadmap", 0, 10);
        assert_eq!(told(ten), [6, 10]);
        assert!(ten.before(6).unwrap().starts_with("5 steps remain of your 10, this one included."));
        assert_eq!(ten.opening(), None);
        let three = steps("roadmap", 0, 3);
        assert_eq!(told(three), [3]);
        assert!(three.opening().unwrap().contains("3 steps remain of your 3"));
        assert_eq!(steps("roadmap", 4, 10).most, 4, "the brief's own limit is kept");
        assert_eq!(told(steps("cycle", 8, 0)), [8]);
        assert_eq!(steps("cycle", 0, 0).most, STEPS);
    }

    /// RM-06: who runs out has paused, and has not failed.
    #[test]
    fn rm06_used_up_steps_are_a_pause() {
        let report = steps("roadmap", 0, 10).used_up(" half of it ").unwrap();
        assert_eq!((report.status, &report.result["blocker"]), (ReportStatus::Paused, &json!(false)));
        assert!(report.summary.ends_with("it said last: half of it"), "{}", report.summary);
        assert!(steps("cycle", 8, 0).used_up("x").unwrap_err().contains("8 turns without a report"));
    }
}
