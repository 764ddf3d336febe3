//! What a project begins with.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says why")]

use dialect::multiverse;
use text::Text;

fn document(path: &str) -> String {
    multiverse::PROTOCOL.initial_documents().into_iter().find(|(known, _)| *known == path).expect("a document").1
}

/// MV-01: the headers are exactly the seed's, and there is no empty row.
#[test]
fn mv01_headers_are_those_of_the_seed() {
    for (path, header, rows) in [
        (
            multiverse::RUNS,
            "| run_id | user_request | status | current_phase_id | current_stage_id | current_task_id |",
            0,
        ),
        (
            multiverse::INSTRUCTIONS,
            "| instruction_id | run_id | instruction_type | content | status (ACTIVE, SUPERSEDED) | superseded_by_id | justification |",
            0,
        ),
        (multiverse::CATALOG, "| file_path | run_id | asset_type | source_task_id | summary |", 0),
        (multiverse::TEMPLATE, "| phase_id | phase_name | phase_purpose |", 4),
    ] {
        let text = document(path);
        let table: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(table[0], header, "{path}");
        assert_eq!(table.len(), 2 + rows, "{path}");
        assert!(table[1].replace(" :--- |", "") == "|", "{path}: {}", table[1]);
        assert!(text.starts_with("# ") && syntax::Document::parse(text.as_str()).problems().is_empty(), "{path}");
    }
    assert_eq!(multiverse::PROTOCOL.initial_documents().len(), 4);
}

/// MV-01, MV-07: every folder comes after the one that it is in.
#[test]
fn folders_can_be_made_in_their_order() {
    let mut made = vec![String::new()];
    let all = multiverse::PROTOCOL.folders.iter().map(|folder| (*folder).to_owned()).collect::<Vec<_>>();
    for folder in all.into_iter().chain(multiverse::PROTOCOL.run_folders("r")) {
        let parent = folder.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
        assert!(made.contains(&parent), "{folder}");
        made.push(folder);
    }
    for layer in ["ANALYZING", "STRATEGIZING", "REFINING_CONTENT", "GENERATING_OUTPUT"] {
        assert!(made.contains(&format!("runs/r/workspace/{layer}")));
    }
    assert!(made.contains(&"outputs/r".to_owned()));
}

/// The tables of a run, with the two columns that the seed forgot.
#[test]
fn run_documents_have_the_seeds_columns() {
    let headers: Vec<String> = multiverse::PROTOCOL
        .levels
        .iter()
        .map(|level| level.layout.columns.iter().map(|column| column.header).collect::<Vec<_>>().join(" | "))
        .collect();
    assert_eq!(
        headers,
        [
            "phase_id | run_id | phase_name | phase_purpose | status",
            "stage_id | run_id | phase_id | stage_name | stage_goal | execution_order | status",
            "task_id | run_id | stage_id | task_name | task_purpose | related_references | output_path | \
             pre_tool_purpose | post_tool_purpose | execution_order | status",
            "tool_task_id | run_id | parent_task_id | timing (PRE/POST) | tool_type | tool_task_name | \
             tool_task_purpose | execution_order | status | related_references | output_path",
        ]
    );
    let own = [multiverse::phases("r"), multiverse::stages("r"), multiverse::tasks("r"), multiverse::tool_tasks("r")];
    assert_eq!(multiverse::PROTOCOL.run_documents("r", &[]), own);
}

/// MV-14: the template gives the four phases; one that was changed is refused with the difference.
#[test]
fn mv14_a_changed_template_is_refused_with_the_difference() {
    let template = document(multiverse::TEMPLATE);
    let rows = multiverse::PROTOCOL.check_template(&Text::from(template.as_str())).unwrap();
    let names: Vec<(&str, &str)> = rows.iter().map(|row| (row.id.as_deref().unwrap(), row.name.as_str())).collect();
    let expected =
        [("P01", "ANALYZING"), ("P02", "STRATEGIZING"), ("P03", "REFINING_CONTENT"), ("P04", "GENERATING_OUTPUT")];
    assert_eq!(names, expected);
    assert!(rows.iter().all(|row| !row.purpose.is_empty() && row.order.is_some()));

    let same = [
        template.replace(" | ", "   |  ").replace('\n', "\r\n"),
        template.replace("# Phases of every run", "# Our phases") + "\nA note of ours.\n",
        template.clone() + "| | | |\n",
    ];
    for text in same {
        assert_eq!(multiverse::PROTOCOL.check_template(&Text::from(text.as_str())).as_ref(), Ok(&rows), "{text}");
    }
    let other = [
        (template.replace("ANALYZING", "ANALYSING"), "-| P01 | ANALYZING |", "+| P01 | ANALYSING |"),
        (template.replace("phase_purpose", "goal"), "-| phase_id | phase_name | phase_purpose |", "goal |"),
        (template.clone() + "| P05 | RESTING | none |\n", "", "+| P05 | RESTING | none |"),
        (template.replace("| P02 ", "| P09 "), "-| P02 |", "+| P09 |"),
        (template.lines().filter(|line| !line.contains("P03")).collect::<Vec<_>>().join("\n"), "-| P03 |", ""),
        ("nothing here\n".to_owned(), "-| P01 |", ""),
    ];
    for (text, missing, added) in other {
        let difference = multiverse::PROTOCOL.check_template(&Text::from(text.as_str())).expect_err("a difference");
        assert!(difference.contains(missing) && difference.contains(added), "{difference}");
        assert!(difference.lines().all(|line| line.starts_with(['-', '+'])), "{difference}");
    }
}
