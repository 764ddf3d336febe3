//! The offline agent: Planner, Executor and Communicator without a network and without a model.
//!
//! It reads the files it is given, takes sentences, figures, dates, tables and contradictions out of them, each with its
//! file and line, and orders them by fixed rules. It concludes nothing, and says so at the top of everything it writes.
//! The same brief and the same files make the same bytes: there is no clock, no chance, no order of threads in it.
//! It must not write any file, nor read one that the brief does not name.

mod alike;
mod analysis;
mod around;
mod asides;
mod bounds;
mod brief;
mod cells;
mod charts;
mod claims;
mod clauses;
mod clock;
mod columns;
mod communicate;
mod conflicts;
mod contradictions;
mod dates;
mod doubts;
mod evidence;
mod execute;
mod figures;
mod files;
mod likeness;
mod limits;
mod lineage;
mod loops;
mod mentions;
mod names;
mod number_words;
mod ordered;
mod paper;
mod past;
mod phrases;
mod place;
mod plan;
mod propose;
mod qualifiers;
mod rank;
mod read;
mod request;
mod restrict;
mod roadmap;
mod roles;
mod same_time;
mod sentences;
mod shorten;
mod sides;
mod speech;
mod style;
mod svg;
mod table_claims;
mod tables;
pub mod text_goal;
mod things;
mod tongue;
mod turns;
mod units;
mod vocabulary;
mod wanted;
mod wanted_form;
mod wanted_scope;
mod words;
mod write_flat;
mod write_html;
mod write_md;

use serde_json::{Value, json};

use crate::backend::{Backend, Ending, Job, Pace};
use crate::contract::Report;

use brief::Facts;

/// The backend `offline`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Offline;

impl Backend for Offline {
    fn name(&self) -> String {
        "offline".to_owned()
    }

    fn pace(&self) -> Pace {
        Pace::Slow
    }

    fn is_guided(&self) -> bool {
        false
    }

    fn work(&self, job: &Job, stop: &tools::Stop, say: &dyn Fn(&str)) -> Ending {
        if let Some(ending) = roadmap::work(job, stop) {
            return ending;
        }
        let facts = Facts::new(&job.brief);
        let report = match job.brief.action.as_str() {
            "plan_tasks" if job.brief.plan_target.as_deref() == Some("phase:0") => {
                planned(json!({ "tasks": [] }), "the fixed rows of phase 0 stand")
            }
            "propose" => planned(propose::propose(&facts), "instructions drawn from the request"),
            "plan_sub_stages" => planned(lineage::sub_stages(&facts), "sub-stages planned by fixed rules"),
            "plan_tasks" if facts.is_lineage() => planned(lineage::tasks(&facts), "tasks planned by fixed rules"),
            "plan_stages" => planned(plan::stages(&facts), "stages planned by fixed rules"),
            "plan_tasks" => planned(plan::tasks(&facts), "tasks planned by fixed rules"),
            "plan_tools" => match plan::tools(&facts, job.brief.plan_target.as_deref().unwrap_or_default()) {
                Some(result) => planned(result, "one tool task planned"),
                None => Report::failed(
                    "the offline agent plans WebSearch before and DataVisualization after a task, and that tool is not there; configure it, or leave the tool purpose of the task empty",
                ),
            },
            "communicate" => planned(communicate::communicate(&facts), "told the user"),
            "execute" => {
                let paths = facts.files();
                say(&format!("reading {} files", paths.len()));
                let bounds = files::Bounds { run: facts.run_id(), project: &job.project, readable: &job.readable };
                match files::material(&bounds, &paths, &|| stop.is_stopped()) {
                    Some(mut material) => {
                        let wanted = facts.wanted();
                        let (documents, left) = restrict::restrict(material.documents, &wanted);
                        material.documents = documents;
                        material.unread.extend(left);
                        execute::execute(&facts, &material, &wanted)
                    }
                    None => return Ending::Stopped,
                }
            }
            _ if job.brief.protocol == "cycle"
                && let Some(report) = loops::turn(job) =>
            {
                report
            }
            other => Report::failed(&format!(
                "the offline agent cannot do `{other}`: it has no judgement of its own; it can do propose, plan_stages, plan_sub_stages, plan_tasks, plan_tools, execute and communicate; configure another agent for the role `{}`",
                job.brief.role
            )),
        };
        Ending::Report { report, log: String::new() }
    }
}

fn planned(result: Value, summary: &str) -> Report {
    Report { result, ..Report::done(&format!("{summary} (without a model)")) }
}
