//! RM-01, RM-02: files of others: what is read of each, what is odd and how to mend it. The readings stand beside the files;
//! `MULTIVERSE_BLESS=1` writes them anew, to be looked at line by line.

use std::path::{Path, PathBuf};

use dialect::roadmap::{Config, Deviation, Log, TaskFile};

use crate::shown;

pub(crate) fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/roadmap").join(folder);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
    files.sort();
    files
}

/// Compares what is read of each file with the reading that stands beside it.
fn check(folder: &str, ending: &str, least: usize, read: &dyn Fn(&Path, &[u8]) -> String) {
    let files = files(folder, ending);
    assert!(files.len() >= least, "{} files in {folder}", files.len());
    let mut wrong = Vec::new();
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        let found = read(&path, &bytes);
        let expected = path.with_extension("reading");
        if std::env::var_os("MULTIVERSE_BLESS").is_some() {
            std::fs::write(&expected, &found).unwrap();
        }
        if std::fs::read_to_string(&expected).unwrap_or_default() != found {
            wrong.push(format!("{}:\n{found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rm02_ugly_logs_are_read() {
    check("logs", ".md", 30, &|_, bytes| read_log(bytes));
}

/// The same of forms in which people who do not know this program write; they are read, and not edited at random.
#[test]
fn rm02_logs_of_strangers_are_read() {
    check("strangers", ".md", 3, &|_, bytes| read_log(bytes));
}

fn read_log(bytes: &[u8]) -> String {
    let log = Log::read("x.log.md", bytes);
    assert_eq!(log.text().to_vec(), bytes, "the same bytes");
    shown::check(log.problems(), bytes);
    shown::log(&log)
}

#[test]
fn rm01_ugly_task_files_are_read() {
    check("tasks", ".md", 15, &|path, bytes| {
        let task = TaskFile::read(&path.file_name().unwrap().to_string_lossy(), bytes);
        shown::check(&task.problems, bytes);
        assert!(task.questions.iter().all(|question| question.span.end <= bytes.len()));
        shown::task(&task)
    });
}

#[test]
fn rm01_configurations_are_read() {
    check("configs", ".json", 5, &|_, bytes| {
        let config = Config::read(bytes);
        shown::check(&config.problems, bytes);
        shown::config(&config)
    });
}

/// RM-02: the seed's own form has nothing odd in it.
#[test]
fn rm02_the_strict_form_has_no_deviation() {
    let strict = &files("logs", "01_strict.md")[0];
    let log = Log::read("x.log.md", std::fs::read(strict).unwrap());
    assert_eq!(log.problems(), Vec::<Deviation>::new());
    let task = &files("tasks", "01_strict.task.md")[0];
    assert_eq!(TaskFile::read("x.task.md", &std::fs::read(task).unwrap()).problems, Vec::<Deviation>::new());
}
