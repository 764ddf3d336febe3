//! Planner and Executor of a roadmap without a model: a goal's list becomes items, an item that a rule reads is done to the
//! files of the attempt's copy, and what cannot be done is said, with the reason.
//!
//! - `entries`, `references`, `outline`: what a goal asks for, and in which order; `plan`: items of it, next to those there are
//! - `around`: what becomes of failed and blocked items, and of answers
//! - `words`, `paths`, `deed`: what a title asks for; `act`, `extract`, `ground`: doing it
//!
//! Must not know the engine: all it is told stands in the brief, and all it writes lies in the working folder.

mod act;
mod around;
mod deed;
mod entries;
mod extract;
mod ground;
mod outline;
mod paths;
mod plan;
mod references;
mod words;

#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::backend::{Ending, Job};
use crate::contract::Report;
use crate::roadmap::{Context, DO, Item, PLAN, Plan, Why};
use deed::{DOABLE, Deed};
use ground::Ground;

/// What a brief of a roadmap comes to; nothing if it is none.
pub(super) fn work(job: &Job, stop: &tools::Stop) -> Option<Ending> {
    let context = Context::of(&job.brief)?;
    let report = match job.brief.action.as_str() {
        PLAN => planned(&with_the_rest(job, context)),
        DO => match done(job, &context, stop) {
            Some(report) => report,
            None => return Some(Ending::Stopped),
        },
        _ => return None,
    };
    Some(Ending::Report { report, log: String::new() })
}

/// Of a long roadmap a brief tells a part. What else there is stands in the log: nothing is planned twice.
fn with_the_rest(job: &Job, mut context: Context) -> Context {
    let is_for_goal = matches!(context.why, None | Some(Why::Goal));
    if context.left_out > 0 && is_for_goal {
        let log = std::fs::read_to_string(job.project.join(&context.task.log_file)).unwrap_or_default();
        let told: std::collections::BTreeSet<String> = context.items.iter().map(|item| item.key.clone()).collect();
        context.items.extend(outline::in_log(&log).into_iter().filter(|item| !told.contains(&item.key)));
    }
    context
}

fn planned(context: &Context) -> Report {
    let (plan, summary) = match &context.why {
        None | Some(Why::Goal) => match plan::plan(context) {
            Ok(planned) => planned,
            Err(reason) => return Report::failed(&reason),
        },
        Some(Why::Blocked { item, summary } | Why::Failed { item, summary }) => around::around(context, item, summary),
        Some(Why::Reply { question, response, item, .. }) => around::replied(context, item, question, response),
    };
    Report { result: result_of(&plan), ..Report::done(&summary) }
}

fn result_of(plan: &Plan) -> Value {
    serde_json::to_value(plan).unwrap_or_default()
}

/// Does the item of a brief. Nothing if it was told to stop.
fn done(job: &Job, context: &Context, stop: &tools::Stop) -> Option<Report> {
    let item: Item = serde_json::from_value(Value::Object(job.brief.item.clone())).unwrap_or_default();
    let Some(deed) = Deed::read(&item.title) else {
        return Some(Report::failed(&format!("`{}`: {DOABLE}", item.title)));
    };
    let ground = Ground::new(job, context);
    act::act(&deed, &ground, context, &|| stop.is_stopped())
}
