//! Scratch folders and the files that come out of them (MV-21, MV-31, MV-32, QL-30).

mod stage;

use std::fs;
use std::os::unix::fs::symlink;

use agent::{Access, Expects, OutputLimits, Report, ReportOutput, ReportStatus, Scratch, collect_outputs};
use stage::{OUTPUT, Stage, file};

fn claim(path: &str, content: Option<&str>) -> ReportOutput {
    ReportOutput { path: path.into(), content: content.map(String::from) }
}

/// MV-31: the files of the brief are where it says, to read by link, to change as a copy; nothing else is there.
#[test]
fn a_scratch_has_the_files_of_its_brief() {
    let mut stage = Stage::new();
    stage.brief.files.extend([
        file("runs/run-1/notes.md", Access::Write),
        file("runs/run-1", Access::Read),
        file("assets", Access::Read),
        file("not/there.md", Access::Read),
        file("not/there/either.md", Access::Write),
        file("../outside/secret", Access::Write),
        file("/etc/passwd", Access::Read),
        file("brief.json", Access::Read),
    ]);
    let job = stage.job();
    let kind = |path: &str| fs::symlink_metadata(job.workdir.join(path)).map(|about| about.file_type());
    assert!(kind("assets").unwrap().is_symlink());
    assert_eq!(fs::read_to_string(job.workdir.join("assets/a.csv")).unwrap(), "a,b\n1,2\n");
    // The output's folder is there already, so the run's folder cannot be a link as well.
    assert!(kind("runs/run-1").unwrap().is_dir() && kind("runs/run-1/workspace/ANALYSIS").unwrap().is_dir());
    assert!(kind("runs/run-1/notes.md").unwrap().is_file());
    assert!(kind("not/there.md").unwrap().is_symlink() && kind("not/there/either.md").is_err());
    let mut names: Vec<_> = fs::read_dir(&job.workdir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["assets", "not", "runs"]);
    fs::write(job.workdir.join("runs/run-1/notes.md"), "changed").unwrap();
    stage.assert_untouched();
}

/// MV-31: wherever outputs lie, together or apart or deep, their folders are there, and no others.
#[test]
fn outputs_have_their_folders() {
    let mut stage = Stage::new();
    let deep = vec!["d"; 40].join("/");
    let outputs =
        ["a/b/c/1.md", "a/b/2.md", &format!("{deep}/3.md"), &format!("{deep}/e/4.md"), "a/b/c/e/5.md", "6.md"];
    stage.brief.expects.outputs = outputs.iter().map(|output| (*output).to_string()).collect();
    let job = stage.job();
    for output in outputs {
        assert!(job.workdir.join(output).parent().unwrap().is_dir(), "{output}");
    }
    let mut names: Vec<_> = fs::read_dir(&job.workdir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["a", "assets", "d"]);
    assert_eq!(fs::read_dir(job.workdir.join("a/b")).unwrap().count(), 1);
}

/// QL-30: removal takes links, not what they lead to; other attempts of the run stay.
#[test]
fn removal_leaves_the_project_alone() {
    let mut stage = Stage::new();
    let job = stage.job();
    let other = Scratch::make(&stage.project, 8, &stage.brief).unwrap();
    symlink(&stage.project, job.workdir.join("all")).unwrap();
    symlink(&stage.outside, job.workdir.join("runs/out")).unwrap();
    stage.scratch.as_ref().unwrap().remove().unwrap();
    assert!(!job.workdir.exists() && other.workdir().exists());
    stage.assert_untouched();
    other.remove().unwrap();
    other.remove().unwrap();
    assert_eq!(fs::read_dir(stage.project.join(".multiverse/scratch/run-1")).unwrap().count(), 0);
}

/// A scratch that a crash left is made anew, and swept when nobody works on it.
#[test]
fn leftovers_are_swept() {
    let mut stage = Stage::new();
    assert_eq!(Scratch::sweep(&stage.project, &|_, _| false).unwrap(), 0);
    let job = stage.job();
    fs::write(job.workdir.join("left"), "x").unwrap();
    stage.job();
    assert!(!job.workdir.join("left").exists());
    let other = Scratch::make(&stage.project, 8, &stage.brief).unwrap();
    let swept = Scratch::sweep(&stage.project, &|run, fence| (run, fence) == ("run-1", 8)).unwrap();
    assert_eq!((swept, job.workdir.exists(), other.workdir().exists()), (1, false, true));
    assert_eq!(Scratch::sweep(&stage.project, &|_, _| false).unwrap(), 1);
    assert!(!stage.project.join(".multiverse/scratch/run-1").exists());
    stage.assert_untouched();
}

/// Attempts of one run begin and end at the same time, while somebody sweeps: none is in the way of another.
#[test]
fn scratches_of_a_run_are_made_at_the_same_time() {
    let stage = Stage::new();
    std::thread::scope(|scope| {
        for fence in 1..=4_u64 {
            let (project, brief) = (&stage.project, &stage.brief);
            scope.spawn(move || {
                for _ in 0..100 {
                    let scratch = Scratch::make(project, fence, brief).unwrap();
                    assert!(scratch.workdir().join("assets/a.csv").exists());
                    scratch.remove().unwrap();
                }
            });
        }
        scope.spawn(|| (0..200).for_each(|_| assert_eq!(Scratch::sweep(&stage.project, &|_, _| true).unwrap(), 0)));
    });
}

/// QL-30: a scratch is never made through a link, nor under a name that leads elsewhere.
#[test]
fn a_scratch_is_never_made_elsewhere() {
    let stage = Stage::new();
    for name in ["..", "", "a/b", "/tmp", "a\0"] {
        let mut brief = stage.brief.clone();
        brief.run_id = name.into();
        let fault = Scratch::make(&stage.project, 7, &brief).unwrap_err();
        assert!(fault.to_string().contains("is no name of a run"), "{fault}");
    }
    fs::create_dir(stage.project.join(".multiverse")).unwrap();
    symlink(&stage.outside, stage.project.join(".multiverse/scratch")).unwrap();
    assert!(Scratch::make(&stage.project, 7, &stage.brief).is_err());
    assert_eq!(fs::read_dir(&stage.outside).unwrap().count(), 1);
}

/// MV-21: files come in the brief's order, from the report or the workdir, named or not.
#[test]
fn outputs_come_in_the_order_of_the_brief() {
    let mut stage = Stage::new();
    stage.brief.expects.outputs = ["runs/run-1/c", "runs/run-1/a", "runs/run-1/b"].map(String::from).to_vec();
    let job = stage.job();
    fs::write(job.workdir.join("runs/run-1/a"), "A").unwrap();
    fs::write(job.workdir.join("runs/run-1/b"), [0, 255]).unwrap();
    let mut report = Report::done("");
    report.outputs = vec![claim("runs/run-1/b", None), claim("runs/run-1/c", Some("C"))];
    let found = stage.collect(&report).unwrap();
    let found: Vec<(&str, &[u8])> = found.iter().map(|output| (output.path.as_str(), &output.content[..])).collect();
    let expected: [(&str, &[u8]); 3] = [("runs/run-1/c", b"C"), ("runs/run-1/a", b"A"), ("runs/run-1/b", &[0, 255])];
    assert_eq!(found, expected);
    report.status = ReportStatus::Paused;
    report.outputs.truncate(1);
    // Only what was named comes from an attempt that is not done; what else it was asked for may lie there.
    assert_eq!(stage.collect(&report).unwrap().len(), 1);
}

/// MV-21: a copy that was given to be changed is no output unless the report says so.
#[test]
fn an_untouched_copy_is_no_output() {
    let mut stage = Stage::new();
    stage.brief.files = vec![file("runs/run-1/notes.md", Access::Write)];
    stage.brief.expects.outputs = vec!["runs/run-1/notes.md".into()];
    stage.job();
    let mut report = Report::done("");
    assert_eq!(stage.collect(&report).unwrap_err(), ["runs/run-1/notes.md: is missing in the report's outputs"]);
    report.outputs = vec![claim("runs/run-1/notes.md", None)];
    assert_eq!(&stage.collect(&report).unwrap()[0].content[..], b"notes\n");
}

/// QL-32: each file and all of them together are bounded; content in a report as well.
#[test]
fn sizes_are_bounded() {
    let mut stage = Stage::new();
    stage.brief.expects = Expects::default();
    let job = stage.job();
    fs::write(job.workdir.join("a"), [b'x'; 10]).unwrap();
    fs::write(job.workdir.join("b"), [b'x'; 11]).unwrap();
    let limits = OutputLimits { file_bytes: 10, total_bytes: 15 };
    let check = |outputs: &[ReportOutput], expected: &[&str]| {
        let mut report = Report::done("");
        report.outputs = outputs.to_vec();
        let found = collect_outputs(&job.brief, &job.workdir, &report, &limits).err().unwrap_or_default();
        assert_eq!(found, expected);
    };
    check(&[claim("a", None)], &[]);
    check(&[claim("b", None)], &["b: is larger than 10 bytes"]);
    check(&[claim("c", Some("01234567890"))], &["c: is larger than 10 bytes"]);
    check(
        &[claim("a", None), claim("c", Some("012345"))],
        &["c: with it, the outputs are larger than 15 bytes together"],
    );
    check(
        &[claim("../a", None)],
        &["../a: has an empty part, `.` or `..`, expected the shortest way from the project's folder"],
    );
}

/// QL-32: a workdir full of deep folders and odd names does no harm.
#[test]
fn deep_and_odd_workdirs_do_no_harm() {
    use std::os::unix::ffi::OsStrExt;
    let mut stage = Stage::new();
    let job = stage.job();
    let deep = job.workdir.join("db").join(vec!["d"; 40].join("/"));
    fs::create_dir_all(&deep).unwrap();
    fs::write(job.workdir.join("db").join(std::ffi::OsStr::from_bytes(b"\xff\x1b[2J")), "x").unwrap();
    let mut report = Report::done("");
    report.outputs = vec![claim(OUTPUT, Some("x"))];
    let found = stage.collect(&report).unwrap_err();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|problem| problem.starts_with("wrote db/") && !problem.contains('\u{1b}')), "{found:?}");
    stage.scratch.take().unwrap().remove().unwrap();
    assert!(!job.workdir.exists());
}
