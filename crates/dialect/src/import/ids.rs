//! Ids as people and agents write them, and as each protocol does: `phase_1`, `P01`, `Ph-1` are one phase. Must not know
//! tables.

use super::protocol::Kind as ProjectKind;

/// Which level an id is of, the outermost first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Phase,
    Stage,
    SubStage,
    Task,
    ToolTask,
}

/// The level of the ids in a column.
pub(super) fn level_of(column: &str) -> Option<Level> {
    match column {
        "phase_id" | "current_phase_id" => Some(Level::Phase),
        "stage_id" | "current_stage_id" => Some(Level::Stage),
        "sub_stage_id" | "current_sub_stage_id" => Some(Level::SubStage),
        "task_id" | "current_task_id" | "parent_task_id" => Some(Level::Task),
        "tool_task_id" => Some(Level::ToolTask),
        _ => None,
    }
}

/// An id of a level as the protocol writes it; nothing if it cannot be told which is meant.
pub(super) fn canonical(kind: ProjectKind, level: Level, id: &str) -> Option<String> {
    match (parts(id)?.as_slice(), level) {
        ([(found, number)], _) if found.is_none_or(|found| found == level) => Some(written(kind, level, *number)),
        // The full form stands for its last part.
        ([.., (Some(found), number)], _) if kind == ProjectKind::Lineage && *found == level => {
            Some(written(kind, level, *number))
        }
        // `TT05_01`: the tool task names its task.
        ([(Some(Level::ToolTask), task), (None, number)], Level::ToolTask) if kind == ProjectKind::Multiverse => {
            Some(format!("TT{task:02}_{number:02}"))
        }
        _ => None,
    }
}

/// The full id of a task, or what stands before the kind in a document's name, as `lineage` writes it.
pub(super) fn full(id: &str) -> Option<String> {
    let parts = parts(id)?;
    let mut before = None;
    let mut written_parts = Vec::new();
    for (level, number) in parts {
        let level = level?;
        if before.is_some_and(|before| before >= level) {
            return None;
        }
        before = Some(level);
        written_parts.push(written(ProjectKind::Lineage, level, number));
    }
    (!written_parts.is_empty()).then(|| written_parts.join("_"))
}

fn written(kind: ProjectKind, level: Level, number: u64) -> String {
    match (kind, level) {
        (ProjectKind::Lineage, Level::Phase) => format!("ph-{number}"),
        (ProjectKind::Lineage, Level::Stage) => format!("stg-{number}"),
        (ProjectKind::Lineage, Level::SubStage) => format!("sub-{number:02}"),
        (ProjectKind::Lineage, Level::Task) => format!("tsk-{number:02}"),
        (ProjectKind::Lineage, Level::ToolTask) => format!("tool-{number:02}"),
        (ProjectKind::Multiverse, Level::Phase) => format!("P{number:02}"),
        (ProjectKind::Multiverse, Level::Stage | Level::SubStage) => format!("S{number:02}"),
        (ProjectKind::Multiverse, Level::Task) => format!("T{number:02}"),
        (ProjectKind::Multiverse, Level::ToolTask) => format!("TT{number:02}"),
    }
}

/// Letters and numbers in turn: each number with the level that its letters say, if they say one.
fn parts(id: &str) -> Option<Vec<(Option<Level>, u64)>> {
    let mut parts = Vec::new();
    let mut rest = id.trim();
    while !rest.is_empty() {
        let start = rest.find(|letter: char| letter.is_ascii_digit())?;
        let end = rest[start..].find(|letter: char| !letter.is_ascii_digit()).map_or(rest.len(), |end| start + end);
        let letters: String = rest[..start].chars().filter(|letter| letter.is_alphabetic()).collect();
        let is_plain =
            rest[..start].chars().all(|letter| letter.is_alphabetic() || matches!(letter, '-' | '_' | ' ' | '/' | '.'));
        let level = if letters.is_empty() { None } else { Some(level(&letters.to_lowercase())?) };
        if !is_plain {
            return None;
        }
        parts.push((level, rest[start..end].parse().ok()?));
        rest = &rest[end..];
    }
    (!parts.is_empty()).then_some(parts)
}

fn level(letters: &str) -> Option<Level> {
    match letters {
        "p" | "ph" | "phase" => Some(Level::Phase),
        "s" | "st" | "stg" | "stage" => Some(Level::Stage),
        "sub" | "ss" | "substage" | "sst" => Some(Level::SubStage),
        "t" | "tsk" | "task" => Some(Level::Task),
        "tt" | "tool" | "tooltask" => Some(Level::ToolTask),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_known_however_they_are_written() {
        for (kind, level, id, expected) in [
            (ProjectKind::Lineage, Level::Phase, "P01", Some("ph-1")),
            (ProjectKind::Lineage, Level::Phase, "phase_1", Some("ph-1")),
            (ProjectKind::Lineage, Level::Phase, "ph-10", Some("ph-10")),
            (ProjectKind::Lineage, Level::Phase, "1", Some("ph-1")),
            (ProjectKind::Lineage, Level::Stage, "STG_2", Some("stg-2")),
            (ProjectKind::Lineage, Level::SubStage, "sub_stage_3", Some("sub-03")),
            (ProjectKind::Lineage, Level::Task, "ph-1_stg-1_sub-01_tsk-07", Some("tsk-07")),
            (ProjectKind::Lineage, Level::Task, "P01", None),
            (ProjectKind::Lineage, Level::Phase, "discovery", None),
            (ProjectKind::Lineage, Level::Phase, "v2-final3", None),
            (ProjectKind::Multiverse, Level::Phase, "phase-1", Some("P01")),
            (ProjectKind::Multiverse, Level::Stage, "s2", Some("S02")),
            (ProjectKind::Multiverse, Level::ToolTask, "TT05_01", Some("TT05_01")),
            (ProjectKind::Multiverse, Level::ToolTask, "tt5_1", Some("TT05_01")),
            (ProjectKind::Multiverse, Level::Task, "", None),
            (ProjectKind::Multiverse, Level::Task, "T99999999999999999999999", None),
        ] {
            assert_eq!(canonical(kind, level, id).as_deref(), expected, "{id}");
        }
        assert_eq!(full("P01_S02_SUB03_T04").as_deref(), Some("ph-1_stg-2_sub-03_tsk-04"));
        assert_eq!(full("phase_1_stage_2").as_deref(), Some("ph-1_stg-2"));
        assert_eq!((full("stage_1_phase_2"), full("x"), full("")), (None, None, None));
    }
}
