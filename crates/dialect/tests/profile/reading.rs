//! Profiles and status documents that are right, and every way in which they are wrong.

use dialect::profile::{
    Complaint, PROFILE_SCHEMA, SHIPPED, STATUS_SCHEMA, Schema, idle_status, read_profile, read_status,
};
use machine::profile::{Mode, StepKind, compile};
use syntax::data_edit::write_json;

pub(crate) fn schema() -> Schema {
    Schema::read(PROFILE_SCHEMA).unwrap()
}

/// A small profile in which everything occurs.
pub(crate) const SMALL: &str = "\
name: small
version: 1
description: A small one.
friendly_name: Small
execution_mode: simulation
strict_mode: true
defaults: {max_review_cycles: 2}
gates:
  - {id: OK, phase: plan, owner: lead, required: true}
phases:
  - id: plan
    description: Planning.
    roles:
      - id: write
        role: author
        step_type: owner
        required_outputs: [plan.md]
      - id: check
        role: critic
        step_type: reviewer
        review_of: author
        required_outputs: [review.md]
      - id: decide
        role: lead
        step_type: gate
        gate: OK
        required_outputs: []
";

fn complaints(text: &str) -> Vec<Complaint> {
    read_profile(text.as_bytes(), &schema()).complaints
}

/// The first complaint is at this place, about this field, and says these words.
#[track_caller]
fn check(text: &str, place: &str, field: &str, words: &[&str]) {
    let read = read_profile(text.as_bytes(), &schema());
    assert_eq!(read.profile, None, "{text}");
    let first = read.complaints.first().unwrap_or_else(|| panic!("nothing is wrong with\n{text}"));
    assert_eq!((format!("{}:{}", first.line, first.column).as_str(), first.field.as_str()), (place, field), "{first}");
    let said = format!("{} / {}", first.reason, first.hint);
    for word in words {
        assert!(said.contains(word), "{word:?} is not in {said:?}");
    }
}

#[track_caller]
fn check_changed(old: &str, new: &str, place: &str, field: &str, words: &[&str]) {
    assert!(SMALL.contains(old), "{old}");
    check(&SMALL.replacen(old, new, 1), place, field, words);
}

/// PF-01: two profiles are shipped, with six phases and with a realization; both are right.
#[test]
fn the_shipped_profiles_are_right() {
    let read: Vec<_> = SHIPPED
        .iter()
        .map(|(file, text)| {
            let read = read_profile(text.as_bytes(), &schema());
            assert_eq!(read.complaints, [], "{file}");
            let profile = read.profile.unwrap();
            assert_eq!(format!("{}.yaml", profile.name), *file);
            assert!(text.starts_with("# yaml-language-server: $schema="), "an editor completes from the first line");
            profile
        })
        .collect();
    let phases: Vec<&str> = read[0].phases.iter().map(|phase| phase.id.as_str()).collect();
    assert_eq!(phases, ["requirements", "architecture", "implementation", "verification", "readiness", "release"]);
    assert_eq!((read[0].mode, read[1].mode), (Mode::Simulation, Mode::Realization));
}

#[test]
fn a_profile_is_read_whole() {
    let profile = read_profile(SMALL.as_bytes(), &schema()).profile.unwrap();
    let plan = compile(&profile);
    let steps: Vec<_> = plan.iter().map(|step| (step.step.id.as_str(), step.step.kind, step.producer)).collect();
    assert_eq!(
        steps,
        [("write", StepKind::Owner, None), ("check", StepKind::Reviewer, Some(0)), ("decide", StepKind::Gate, None)]
    );
    assert_eq!((profile.review_cycles(), profile.enforces_handoff()), (2, true));
    let dressed = format!("# head\r\n---\r\n{}", SMALL.replace('\n', "\r\n"));
    assert_eq!(read_profile(dressed.as_bytes(), &schema()).profile, Some(profile), "with CRLF and a comment");
}

/// PF-01: errors of the schema, each with line, column, field and how to mend it.
#[test]
fn what_the_schema_refuses() {
    check_changed("name: small\n", "name: Small One\n", "1:7", "name", &["`Small One` does not match"]);
    check_changed("name: small\n", "", "1:1", "name", &["`name` is missing", "add `name`"]);
    check_changed("version: 1", "version: 0", "2:10", "version", &["less than 1"]);
    check_changed("version: 1", "version: 1.5", "2:10", "version", &["integer is expected", "whole number"]);
    check_changed("version: 1", "version: '1'", "2:10", "version", &["a text stands", "without quotes"]);
    check_changed("simulation", "simulated", "5:17", "execution_mode", &["valid: simulation, realization"]);
    check_changed("strict_mode: true", "strict_mode: yes", "6:14", "strict_mode", &["write true or false"]);
    check_changed("max_review_cycles: 2", "max_review_cycles: 0", "7:31", "defaults.max_review_cycles", &["1 or more"]);
    check_changed(
        "max_review_cycles",
        "max_reviews",
        "7:12",
        "defaults.max_reviews",
        &["not known", "valid: max_review_cycles"],
    );
    check_changed("friendly_name", "freindly_name", "1:1", "friendly_name", &["is missing"]);
    let text = SMALL.replacen("friendly_name: Small", "friendly_name: Small\nfreindly_name: x", 1);
    check(&text, "5:1", "freindly_name", &["did you mean `friendly_name`?"]);
    check_changed("required: true}", "required: 1}", "9:50", "gates[0].required", &["write true or false"]);
    check_changed("owner: lead, ", "", "9:5", "gates[0].owner", &["`owner` is missing"]);
    check_changed(
        "step_type: owner",
        "step_type: worker",
        "16:20",
        "phases[0].roles[0].step_type",
        &["valid: owner, reviewer, gate, validator"],
    );
    check_changed(
        "        review_of: author\n",
        "",
        "18:9",
        "phases[0].roles[1].review_of",
        &["`review_of` is missing"],
    );
    check_changed("        gate: OK\n", "", "9:10", "gates[0].id", &["no step comes to it"]);
    check_changed("[plan.md]", "plan.md", "17:27", "phases[0].roles[0].required_outputs", &["write a list"]);
    check_changed("[plan.md]", "[1]", "17:28", "phases[0].roles[0].required_outputs[0]", &["between quotes"]);
    check_changed("role: author", "role: ''", "15:15", "phases[0].roles[0].role", &["0 characters"]);
    check_changed(
        "role: author\n",
        "role: author\n        colour: red\n",
        "16:9",
        "phases[0].roles[0].colour",
        &["not known"],
    );
    check("[]\n", "1:1", "the document", &["a list stands where object"]);
    check("", "1:1", "the document", &["it is empty", "profile new"]);
    let at = SMALL.find("phases:").unwrap();
    let found = complaints(&format!("{}phases: []\n", &SMALL[..at]));
    assert!(found.iter().any(|one| one.field == "phases" && one.reason.contains("at least 1")), "{found:?}");
}

/// PF-01: what refers to nothing, with the valid names.
#[test]
fn what_refers_to_nothing_is_refused() {
    check_changed("phase: plan", "phase: plans", "9:21", "gates[0].phase", &["did you mean `plan`?", "valid: plan"]);
    check_changed("gate: OK", "gate: KO2", "9:10", "gates[0].id", &["no step comes to it"]);
    let text = SMALL.replacen("gate: OK", "gate: NOPE", 1).replacen("required: true}", "required: false}", 1);
    check(&text, "26:15", "phases[0].roles[2].gate", &["no gate `NOPE`", "valid: OK"]);
    check_changed(
        "review_of: author",
        "review_of: nobody",
        "21:20",
        "phases[0].roles[1].review_of",
        &["no role and no step", "valid: author"],
    );
    check_changed(
        "review_of: author",
        "review_of: critic",
        "21:20",
        "phases[0].roles[1].review_of",
        &["is this step itself", "valid: author"],
    );
    let later = format!(
        "{SMALL}  - id: build\n    description: x\n    roles:\n      - {{id: code, role: developer, step_type: owner, required_outputs: []}}\n"
    );
    assert_eq!(complaints(&later), []);
    let text = later.replacen("review_of: author", "review_of: developer", 1);
    check(&text, "21:20", "phases[0].roles[1].review_of", &["`developer` comes later", "valid: author"]);
    check_changed(
        "id: check",
        "id: write",
        "18:13",
        "phases[0].roles[1].id",
        &["there already, at phases[0].roles[0]"],
    );
    for odd in ["../x.md", "/etc/passwd", "a//b", "03_transition_trace.csv", "'a\\b'", "' a'", "."] {
        check_changed("[plan.md]", &format!("[{odd}]"), "17:28", "phases[0].roles[0].required_outputs[0]", &[]);
    }
    check_changed(
        "step_type: owner\n",
        "step_type: owner\n        gate: OK\n",
        "17:15",
        "phases[0].roles[0].gate",
        &["of type owner names a gate"],
    );
}

/// Tabs, duplicate keys, anchors that explode, documents in a row, bytes that are no text.
#[test]
fn yaml_that_is_wrong_has_its_place() {
    check_changed("    roles:", "\troles:", "13:1", "the document", &["tabs"]);
    check_changed("version: 1\n", "version: 1\nversion: 2\n", "3:1", "a key", &["`version` is there already"]);
    check_changed("[plan.md]", "[plan.md", "18:11", "the document", &[]);
    let two = format!("{SMALL}---\nname: other\n");
    assert!(complaints(&two)[0].reason.contains("second document"), "{:?}", complaints(&two));
    let bytes = read_profile(b"name: \xff\n", &schema());
    assert_eq!((bytes.profile, bytes.complaints[0].line, bytes.complaints[0].column), (None, 1, 7));
}

/// What no document is right with: all of it is said at once, and not more than can be read.
#[test]
fn all_that_is_wrong_is_said_at_once() {
    let text = SMALL.replace("version: 1", "version: 0").replace("author", "1").replace("OK", "NO");
    let found = complaints(&text.replacen("NO", "YES", 1));
    assert!(found.len() >= 4, "{found:?}");
    assert!(found.windows(2).all(|pair| (pair[0].line, pair[0].column) <= (pair[1].line, pair[1].column)));
    let mut wrong = SMALL.to_owned();
    for number in 0..500 {
        wrong.push_str(&format!("      - {{id: s{number}, role: 1, step_type: x, required_outputs: 1, y: 1}}\n"));
    }
    assert_eq!(complaints(&wrong).len(), 100);
}

/// PF-01: profiles as others write them say the same, whatever YAML they use.
#[test]
fn profiles_of_others_say_the_same() {
    let profile = read_profile(SMALL.as_bytes(), &schema()).profile.unwrap();
    let check = |text: &str| {
        let read = read_profile(text.as_bytes(), &schema());
        assert_eq!((read.complaints, read.profile.as_ref()), (Vec::new(), Some(&profile)), "{text}");
    };
    let changed = |old: &str, new: &str| {
        assert!(SMALL.contains(old), "{old}");
        SMALL.replacen(old, new, 1)
    };
    check(&format!("\u{feff}{SMALL}"));
    check(&format!("%YAML 1.2\n---\n{SMALL}...\n"));
    check(&changed("name: small", "\"name\": 'small'   # how it is called"));
    check(&changed("description: A small one.", "description: >-\n  A\n  small one."));
    check(&changed("description: A small one.", "? description\n: |-\n  A small one."));
    check(&changed("version: 1", "version: 0x1"));
    check(&changed("version: 1", "version: 1.0"));
    check(&changed("friendly_name: Small", "friendly_name: !!str Small"));
    check(&changed("[plan.md]", "\n          - plan.md"));
    check(&changed("[plan.md]", "[ 'plan.md', ]"));
    check(&changed("strict_mode: true", "strict_mode: True"));
    // What an anchor names is repeated by an alias, and `<<` brings in what is not there yet.
    check(&changed("role: author", "role: &who author").replace("review_of: author", "review_of: *who"));
    let step =
        "      - id: write\n        role: author\n        step_type: owner\n        required_outputs: [plan.md]\n";
    let merged =
        "      - {<<: {step_type: owner, role: nobody}, id: write, role: author, required_outputs: [plan.md]}\n";
    check(&changed(step, merged));
}

/// QL-25: anchors that would explode, and aliases that repeat themselves, have a place; a mistake in what is repeated has that of
/// the alias.
#[test]
fn aliases_are_followed_within_bounds() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..30 {
        bomb.push_str(&format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 9].join(", ")));
    }
    check(&format!("{bomb}{SMALL}"), "5:15", "the document", &["aliases repeat more than 16384 values", "write out"]);
    check_changed("[plan.md]", "&a [plan.md, *a]", "17:40", "the document", &["within the value that it repeats"]);
    check_changed("[plan.md]", "*nobody", "17:27", "the document", &["`*nobody` names no anchor"]);
    let text = SMALL.replacen("[plan.md]", "&a [plan.md, 7]", 1).replacen("[review.md]", "*a", 1);
    let found: Vec<String> =
        complaints(&text).iter().map(|one| format!("{}:{} {}", one.line, one.column, one.field)).collect();
    let outputs = |step: u8| format!("phases[0].roles[{step}].required_outputs[1]");
    assert_eq!(found, [format!("17:40 {}", outputs(0)), format!("22:27 {}", outputs(1))]);
}

/// A profile of two hundred steps and more is read.
pub(crate) fn large(steps: usize) -> String {
    let mut text = SMALL.split("phases:").next().unwrap().to_owned() + "phases:\n";
    for phase in 0..steps / 10 {
        let id = if phase == 0 { "plan".to_owned() } else { format!("phase_{phase}") };
        text.push_str(&format!("  - id: {id}\n    description: x\n    roles:\n"));
        for step in 0..10 {
            let (kind, more) = match step {
                9 if phase == 0 => ("gate", "        gate: OK\n".to_owned()),
                5 => ("reviewer", format!("        review_of: role_{phase}_4\n")),
                _ => ("owner", String::new()),
            };
            text.push_str(&format!(
                "      - id: s_{phase}_{step}\n        role: role_{phase}_{step}\n        step_type: {kind}\n{more}        required_outputs: [o_{phase}_{step}.md]\n"
            ));
        }
    }
    text
}

#[test]
fn a_profile_of_many_steps_is_read() {
    let read = read_profile(large(2000).as_bytes(), &schema());
    assert_eq!(read.complaints, []);
    assert_eq!(compile(&read.profile.unwrap()).len(), 2000);
}

/// PF-17: a project may have a schema of its own; words in it that are not understood are said, not passed over.
#[test]
fn a_schema_of_ones_own_counts() {
    let own = PROFILE_SCHEMA.replacen("\"minimum\": 1", "\"minimum\": 7", 1);
    let read = read_profile(SMALL.as_bytes(), &Schema::read(&own).unwrap());
    assert_eq!((read.complaints[0].field.as_str(), read.complaints.len()), ("version", 1));
    let own = PROFILE_SCHEMA.replacen("\"minimum\": 1", "\"multipleOf\": 7", 1);
    let read = read_profile(SMALL.as_bytes(), &Schema::read(&own).unwrap());
    assert!(read.complaints[0].reason.contains("`multipleOf`"), "{:?}", read.complaints);
    assert!(Schema::read("{").is_err() && Schema::read("[]").is_err());
}

/// PF-17: words that schemas of others are written with.
#[test]
fn schemas_of_others_are_understood() {
    let check = |rule: &str, value: &str, words: Option<&str>| {
        let schema = format!("{{\"type\": \"object\", \"properties\": {{\"own\": {rule}}}}}");
        let complaints =
            read_status(format!("{{\"own\": {value}}}").as_bytes(), &Schema::read(&schema).unwrap()).complaints;
        match words {
            None => assert_eq!(complaints, [], "{rule} {value}"),
            Some(words) => {
                assert!(complaints.iter().any(|one| one.to_string().contains(words)), "{rule}: {complaints:?}");
            }
        }
    };
    check("{\"type\": \"string\", \"format\": \"date-time\", \"x-order\": 1}", "\"now\"", None);
    check("{\"maxLength\": 3}", "\"abcd\"", Some("3 at most"));
    check("{\"exclusiveMinimum\": 0}", "0", Some("write more than 0"));
    check("{\"exclusiveMaximum\": 9}", "9", Some("write less than 9"));
    check("{\"uniqueItems\": true}", "[1, 2, 1]", Some("own[2]: `1` is there already"));
    check("{\"uniqueItems\": true}", "[1, 2, 3]", None);
    check("{\"minProperties\": 1}", "{}", Some("at least 1"));
    check("{\"maxProperties\": 1}", "{\"a\": 1, \"b\": 2}", Some("1 at most"));
    check("{\"propertyNames\": {\"pattern\": \"^[a-z]+$\"}}", "{\"A\": 1}", Some("own.A"));
    check("{\"dependentRequired\": {\"a\": [\"b\"]}}", "{\"a\": 1}", Some("`b` is missing"));
    check("{\"dependentRequired\": {\"a\": [\"b\"]}}", "{\"c\": 1}", None);
    let named = "{\"patternProperties\": {\"^n_\": {\"type\": \"integer\"}}, \"additionalProperties\": false}";
    check(named, "{\"n_a\": 1}", None);
    check(named, "{\"n_a\": \"1\"}", Some("own.n_a"));
    check(named, "{\"other\": 1}", Some("`other` is not known"));
}

fn status_complaints(text: &str) -> Vec<String> {
    let read = read_status(text.as_bytes(), &Schema::read(STATUS_SCHEMA).unwrap());
    read.complaints.iter().map(ToString::to_string).collect()
}

/// PF-03, PF-04 rule 2: a status of wrong shape is refused with the field and the fix.
#[test]
fn rule_2_a_status_of_wrong_shape_is_refused() {
    let good = write_json(&idle_status("small"));
    assert_eq!(status_complaints(&good), [""; 0]);
    let more = good.replacen('{', "{\n  \"own_field\": {\"x\": [1]},", 1);
    assert_eq!(status_complaints(&more), [""; 0], "fields of others are theirs");
    let cases = [
        ("\"phase_status\": \"not_started\"", "\"phase_status\": \"done\"", "phase_status: `done` is not among"),
        ("\"current_step_index\": 0", "\"current_step_index\": -1", "current_step_index: `-1` is less than 0"),
        ("\"current_step_index\": 0", "\"current_step_index\": \"0\"", "current_step_index: a text stands"),
        ("\"questions\": []", "\"questions\": {}", "questions: a mapping stands where array"),
        ("\"questions\": []", "\"questions\": [{}]", "questions[0].id: `id` is missing"),
        ("\"review_cycles\": {}", "\"review_cycles\": {\"plan\": \"x\"}", "review_cycles.plan: a text stands"),
        ("\"artifacts\": {}", "\"artifacts\": {\"a\": \"x\"}", "artifacts.a: a text stands"),
        ("  \"answers\": [],\n", "", "answers: `answers` is missing; add `answers`"),
        ("\"timestamps\": {", "\"timestamps\": [", "the document:"),
    ];
    for (old, new, words) in cases {
        assert!(good.contains(old), "{old}");
        let found = status_complaints(&good.replacen(old, new, 1));
        assert!(found.iter().any(|one| one.contains(words)), "{words}: {found:?}");
    }
    let cut = &good[..good.len() / 2];
    assert!(status_complaints(cut)[0].contains("never closed"), "a truncated one: {:?}", status_complaints(cut));
    assert!(
        !status_complaints("").is_empty()
            && !status_complaints("[]").is_empty()
            && !status_complaints("null").is_empty()
    );
}

/// Whatever the schema refuses the reader refuses, and what the reader takes the schema takes: over changes of a
/// profile by chance (QL-25: no panic, and complaints that have a place).
#[test]
fn schema_and_reader_agree_on_profiles_by_chance() {
    let pieces = [
        "\n", "  ", "- ", ": ", "[", "]", "{", "}", "x", "1", "true", "null", "'", "&a", "*a", "#", "owner", "gate",
        "\t", "é",
    ];
    let mut seed = 7_u64;
    let mut roll = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % most.max(1)
    };
    let (mut right, mut wrong) = (0, 0);
    for _ in 0..3000 {
        let mut lines: Vec<String> = SMALL.lines().map(str::to_owned).collect();
        for _ in 0..=roll(2) {
            let at = roll(lines.len());
            match roll(4) {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, lines[roll(lines.len())].clone()),
                2 => {
                    let place = (0..=lines[at].len())
                        .rev()
                        .find(|place| *place <= roll(40) && lines[at].is_char_boundary(*place));
                    lines[at].insert_str(place.unwrap_or(0), pieces[roll(pieces.len())]);
                }
                _ => lines[at] = lines[at].replacen(['a', 'e', 'o'], pieces[roll(pieces.len())], 1),
            }
        }
        let text = lines.join("\n");
        let read = read_profile(text.as_bytes(), &schema());
        assert_eq!(read.profile.is_some(), read.complaints.is_empty(), "{text}\n{:?}", read.complaints);
        assert!(read.complaints.iter().all(|one| one.line >= 1 && one.column >= 1 && !one.hint.is_empty()));
        if read.profile.is_some() { right += 1 } else { wrong += 1 }
    }
    assert!(right > 50 && wrong > 50, "{right} right, {wrong} wrong");
}

#[test]
fn a_status_by_chance_is_read_without_a_panic() {
    let good = write_json(&idle_status("small"));
    let schema = Schema::read(STATUS_SCHEMA).unwrap();
    for at in 0..good.len() {
        for put in ["", "\"", "}", "[", "1"] {
            let text = format!("{}{put}{}", &good[..at], &good[at + 1..]);
            let _ = read_status(text.as_bytes(), &schema);
        }
    }
}
