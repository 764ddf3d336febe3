//! Secrets are named, never written: `env:NAME`, `file:PATH`, `cmd:COMMAND`. Owns how each is fetched, and what is wrong
//! when it cannot be; what is fetched is in no message (QL-35).

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// A larger file, or a longer answer of a command, is no key.
const MOST_BYTES: u64 = 64 * 1024;

/// What a reference leads to.
pub(crate) fn reveal(reference: &str, project: &Path) -> Result<String, String> {
    let (kind, rest) = reference.split_once(':').unwrap_or(("", reference));
    let found = match kind {
        "env" => std::env::var(rest.trim()).map_err(|_| format!("the variable {} is not set", rest.trim())),
        "file" => of_file(&project.join(rest.trim())),
        "cmd" => of_command(rest.trim(), project),
        _ => Err("must say where the secret is: env:NAME, file:PATH or cmd:COMMAND".into()),
    }?;
    let found = found.trim();
    match found.is_empty() {
        true => Err(format!("{reference} is empty")),
        false => Ok(found.into()),
    }
}

fn of_file(path: &Path) -> Result<String, String> {
    let shown = path.display();
    let about = std::fs::metadata(path).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    let mode = about.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(format!("{shown} can be read by others (mode {mode:03o}); mend it with: chmod 600 {shown}"));
    }
    if about.len() > MOST_BYTES {
        return Err(format!("{shown} is larger than a key can be"));
    }
    std::fs::read_to_string(path).map_err(|error| format!("{shown} cannot be read: {error}"))
}

/// The user's own command, with the user's own rights: it stands in the user's own file.
fn of_command(command: &str, project: &Path) -> Result<String, String> {
    let (status, printed) =
        tools::own_command(command, project).map_err(|error| format!("`{command}` cannot be started: {error}"))?;
    if !status.success() {
        return Err(format!("`{command}` failed ({status})"));
    }
    if printed.len() as u64 > MOST_BYTES {
        return Err(format!("`{command}` printed more than a key can be"));
    }
    String::from_utf8(printed).map_err(|_| format!("`{command}` printed what is no text"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// QL-35: a key comes from a place that is named, and a file that others can read is refused.
    #[test]
    fn secrets_come_from_where_they_are() {
        let place = tempfile::tempdir().unwrap();
        let project = place.path();
        fs::write(project.join("key"), "sesame\n").unwrap();
        fs::set_permissions(project.join("key"), fs::Permissions::from_mode(0o644)).unwrap();
        assert!(reveal("file:key", project).unwrap_err().contains("chmod 600"));
        fs::set_permissions(project.join("key"), fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(reveal("file:key", project).as_deref(), Ok("sesame"));
        assert_eq!(reveal("cmd:printf 'a b'", project).as_deref(), Ok("a b"));
        assert!(reveal("cmd:echo secret; exit 3", project).unwrap_err().contains("failed"));
        assert!(!reveal("cmd:echo hidden-words; exit 3 #", project).unwrap_err().contains("hidden-words\n"));
        assert_eq!(reveal("cmd:true", project).unwrap_err(), "cmd:true is empty");
        assert_eq!(
            reveal("env:NO_SUCH_VARIABLE_HERE", project).unwrap_err(),
            "the variable NO_SUCH_VARIABLE_HERE is not set"
        );
        assert!(reveal("file:none", project).unwrap_err().contains("cannot be read"));
        assert!(reveal("sesame", project).unwrap_err().contains("env:NAME"));
    }
}
