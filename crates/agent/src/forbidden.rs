//! Owns commands that nobody may run for a brief (`forbidden` in its context, CY-12): a folder with a guard for each program,
//! first on the path of whoever works. It is for accidents, and tells of each try; what keeps a hostile agent in is the
//! sandbox. Must not know who forbids, nor what follows from a try.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::beneath::Folder;
use crate::contract::Brief;
use crate::scratch::HOME;

/// The folder of the guards, in the home of the agent.
const GUARDS: &str = ".forbidden";
/// The file in it that tells of tries, a line each.
const TRIED: &str = "tried";
/// The most that is read of it, in bytes, and the most tries that are told.
const TRIED_BYTES: u64 = 64 << 10;
const TRIES: usize = 10;

/// The commands that a brief forbids: `git push`, `rm -rf*`; a `*` stands for anything.
pub fn forbidden(brief: &Brief) -> Vec<String> {
    let all = brief.context.get("forbidden").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    all.iter().filter_map(Value::as_str).map(|one| one.trim().to_string()).filter(|one| !one.is_empty()).collect()
}

/// The commands that were tried in a workdir and are forbidden.
pub fn tried(workdir: &Path) -> Vec<String> {
    // The agent may have put anything in its place.
    let read = || -> io::Result<Vec<u8>> {
        let file =
            Folder::open(workdir)?.folder(OsStr::new(HOME))?.folder(OsStr::new(GUARDS))?.file(OsStr::new(TRIED))?;
        let mut text = Vec::new();
        if file.metadata()?.is_file() {
            file.take(TRIED_BYTES).read_to_end(&mut text)?;
        }
        Ok(text)
    };
    let text = String::from_utf8_lossy(&read().unwrap_or_default()).into_owned();
    let mut lines: Vec<String> = text.lines().map(|line| line.chars().take(200).collect()).collect();
    lines.dedup();
    lines.truncate(TRIES);
    lines
}

fn guards(workdir: &Path) -> PathBuf {
    workdir.join(HOME).join(GUARDS)
}

/// Puts guards into the home of a workdir, which is there; gives their folder, if any is needed.
pub(crate) fn guard(brief: &Brief, workdir: &Path) -> io::Result<Option<PathBuf>> {
    let folder = guards(workdir);
    let mut programs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for command in forbidden(brief) {
        let (program, rest) = command.split_once(' ').unwrap_or((&command, "*"));
        let program = program.rsplit('/').next().unwrap_or_default();
        // A name with a `*` in it could be anything: only a model's own tools can be held to that.
        if !program.is_empty() && program.chars().all(|letter| letter.is_alphanumeric() || "._+-".contains(letter)) {
            programs.entry(program.into()).or_default().push(rest.trim().into());
        }
    }
    if programs.is_empty() {
        return Ok(None);
    }
    let home = Folder::open(workdir)?.folder(OsStr::new(HOME))?;
    // Those of an earlier try go, and what was told then.
    let _ = home.remove_folder(OsStr::new(GUARDS));
    let made = home.made_folder(OsStr::new(GUARDS))?;
    for (program, rests) in programs {
        let mut file = made.new_file(OsStr::new(&program))?;
        file.write_all(script(&program, &rests, &folder).as_bytes())?;
        file.set_permissions(fs::Permissions::from_mode(0o755))?;
    }
    Ok(Some(folder))
}

/// The guards' folder, if it is there.
pub(crate) fn guarding(workdir: &Path) -> Option<PathBuf> {
    Some(guards(workdir)).filter(|folder| folder.is_dir())
}

fn script(program: &str, rests: &[String], folder: &Path) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let (here, tried) = (quoted(&folder.to_string_lossy()), quoted(&folder.join(TRIED).to_string_lossy()));
    let patterns: Vec<String> = rests.iter().flat_map(|rest| [pattern(rest), pattern(&format!("{rest} *"))]).collect();
    let patterns = patterns.join("|");
    format!(
        "#!/bin/sh\ncase \"$*\" in\n{patterns})\n  echo \"{program} $*\" >> {tried}\n  \
         echo \"{program} $*: this command is forbidden here ([cycle] forbidden in multiverse.toml)\" >&2\n  exit 126;;\nesac\n\
         guards={here}\nPATH=${{PATH#\"$guards\":}}\nexec {program} \"$@\"\n"
    )
}

/// A pattern as a shell reads it: `*` stands for anything, all else for itself.
fn pattern(rest: &str) -> String {
    let letters = rest.chars().map(|letter| match letter {
        '*' => "*".to_string(),
        letter if letter.is_ascii_alphanumeric() => letter.to_string(),
        letter if letter.is_ascii() => format!("\\{letter}"),
        letter => letter.to_string(),
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use serde_json::json;

    use super::*;

    /// CY-12: a forbidden command does not run, and the try is told; all others run.
    #[test]
    fn cy12_forbidden_commands_do_not_run() {
        let workdir = tempfile::tempdir().unwrap();
        fs::create_dir(workdir.path().join(HOME)).unwrap();
        let mut brief = Brief::new("r", "cycle", "actor", "act");
        brief.context = json!({"forbidden": ["echo push", "/bin/ls", "echo it's *", "g*t x", ""]});
        let folder = guard(&brief, workdir.path()).unwrap().unwrap();
        assert_eq!(guarding(workdir.path()), Some(folder.clone()));
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        let run = |program: &str, arguments: &[&str]| {
            // Through a shell: this process finds programs on its own path.
            let mut command = Command::new("/bin/sh");
            command.args(["-c", "exec \"$0\" \"$@\"", program]).args(arguments).env("PATH", &path);
            let output = command.output().unwrap();
            (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
        };
        assert_eq!(run("ls", &["/"]).0, Some(126));
        // The shell's own `echo` stands before every path; `env` looks for the program.
        for (arguments, code, said) in [
            (&["echo", "push"][..], 126, ""),
            (&["echo", "push", "origin"], 126, ""),
            (&["echo", "it's", "so"], 126, ""),
            (&["echo", "pushing"], 0, "pushing\n"),
            (&["echo", "no", "push"], 0, "no push\n"),
        ] {
            assert_eq!(run("env", arguments), (Some(code), said.to_string()), "{arguments:?}");
        }
        assert_eq!(tried(workdir.path()), ["ls /", "echo push", "echo push origin", "echo it's so"]);
        brief.context = json!({});
        let other = tempfile::tempdir().unwrap();
        assert_eq!((guard(&brief, other.path()).unwrap(), guarding(other.path())), (None, None));
        assert!(tried(other.path()).is_empty());
    }
}
