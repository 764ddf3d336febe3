//! Ids of cycles, names of archives and of assets. Pure spelling: what there is in a folder is handed in.

use machine::cycle::Ending;

/// The longest slug, in bytes.
const SLUG_BYTES: usize = 80;

/// What an archive is called by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Archived {
    /// When the cycle ended: `2026-01-31T14:05:30Z`.
    At(String),
    /// The number of its pull request.
    PullRequest(u64),
}

/// The name of an archive, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArchiveName {
    /// `YYYYMMDD_HHMMSS_slug.md`.
    Time {
        /// `YYYYMMDD_HHMMSS`.
        stamp: String,
        /// What it was about.
        slug: String,
        /// How it ended.
        ending: Ending,
    },
    /// `42_slug.md`.
    PullRequest {
        /// Its number.
        number: u64,
        /// What it was about.
        slug: String,
        /// How it ended.
        ending: Ending,
    },
    /// `YYYY-MM-DD_cycle-NNN.md`, as an older form has it.
    Cycle {
        /// `YYYY-MM-DD-NNN`.
        id: String,
    },
}

/// Lower case, with `-` for everything but letters and digits.
pub fn slug(text: &str) -> String {
    let mut slug = String::new();
    for letter in text.chars().flat_map(char::to_lowercase) {
        if slug.len() + letter.len_utf8() > SLUG_BYTES {
            break;
        }
        if letter.is_alphanumeric() {
            slug.push(letter);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "cycle".to_owned() } else { slug.to_owned() }
}

/// The name of a cycle's archive (CY-10); `taken` says which names there are already.
pub fn archive_name(by: &Archived, title: &str, ending: Ending, taken: &dyn Fn(&str) -> bool) -> String {
    let front = match by {
        Archived::At(moment) => {
            let digits: String = moment.chars().filter(char::is_ascii_digit).take(14).collect();
            match digits.split_at_checked(8) {
                Some((day, time)) => format!("{day}_{time:0<6}"),
                None => format!("{digits:0<8}_000000"),
            }
        }
        Archived::PullRequest(number) => number.to_string(),
    };
    let suffix = match ending {
        Ending::Complete => "",
        Ending::Incomplete => "_incomplete",
        Ending::Failed => "_failed",
    };
    let slug = slug(title);
    let first = format!("{front}_{slug}{suffix}.md");
    let names = std::iter::once(first).chain((2..).map(|number| format!("{front}_{slug}-{number}{suffix}.md")));
    names.into_iter().find(|name| !taken(name)).unwrap_or_default()
}

/// What the name of an archive says; nothing if it is none.
pub fn read_archive_name(name: &str) -> Option<ArchiveName> {
    let stem = name.strip_suffix(".md")?;
    if let Some((day, number)) = stem.split_once("_cycle-") {
        let id = format!("{day}-{number}");
        return is_cycle_id(&id).then_some(ArchiveName::Cycle { id });
    }
    let (stem, ending) = match (stem.strip_suffix("_incomplete"), stem.strip_suffix("_failed")) {
        (Some(stem), _) => (stem, Ending::Incomplete),
        (_, Some(stem)) => (stem, Ending::Failed),
        (None, None) => (stem, Ending::Complete),
    };
    let (front, rest) = stem.split_once('_')?;
    let is_number = |text: &str, length: usize| text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    if let (true, Some((time, slug))) =
        (is_number(front, 8), rest.split_once('_').filter(|(time, _)| is_number(time, 6)))
    {
        return Some(ArchiveName::Time { stamp: format!("{front}_{time}"), slug: slug.to_owned(), ending });
    }
    let number = front.parse().ok().filter(|_| front.bytes().all(|byte| byte.is_ascii_digit()))?;
    (!rest.is_empty()).then(|| ArchiveName::PullRequest { number, slug: rest.to_owned(), ending })
}

/// The id of a new cycle on a day (`2026-01-31`), and the next one that is free.
pub fn cycle_id(day: &str, taken: &dyn Fn(&str) -> bool) -> String {
    (1..).map(|number: u32| format!("{day}-{number:03}")).find(|id| !taken(id)).unwrap_or_default()
}

/// Whether a text is `YYYY-MM-DD-NNN`.
pub(super) fn is_cycle_id(id: &str) -> bool {
    let parts: Vec<&str> = id.split('-').collect();
    let digits = |part: &str, least: usize, most: usize| {
        (least..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let within = |part: &str, most: u32| part.parse::<u32>().is_ok_and(|number| (1..=most).contains(&number));
    match parts.as_slice() {
        [year, month, day, number] => {
            digits(year, 4, 4)
                && digits(month, 2, 2)
                && digits(day, 2, 2)
                && digits(number, 3, 6)
                && within(month, 12)
                && within(day, 31)
        }
        _ => false,
    }
}

/// The name of an asset (CY-14): `YYYY-MM-DD_HH-MM-SS_description.ext`, for a moment `2026-01-31T14:05:30Z`.
pub fn asset_name(moment: &str, description: &str, extension: &str) -> String {
    let (day, time) = moment.trim_end_matches('Z').split_once('T').unwrap_or((moment, "00:00:00"));
    let extension: String =
        extension.chars().filter(char::is_ascii_alphanumeric).flat_map(char::to_lowercase).collect();
    let extension = if extension.is_empty() { "png".to_owned() } else { extension };
    format!("{day}_{}_{}.{extension}", time.replace(':', "-"), slug(description))
}

/// Whether a file is named as assets are.
pub fn is_asset_name(name: &str) -> bool {
    let shape = b"0000-00-00_00-00-00_";
    let fits = name.len() > shape.len()
        && name.bytes().zip(shape).all(|(found, wanted)| match wanted {
            b'0' => found.is_ascii_digit(),
            _ => found == *wanted,
        });
    let rest = name.get(shape.len()..).unwrap_or_default();
    let is_slug = |text: &str| !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || letter == '-');
    fits && rest.rsplit_once('.').is_some_and(|(description, extension)| {
        is_slug(description) && !extension.is_empty() && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CY-10: names of archives, there and back.
    #[test]
    fn cy10_archive_names() {
        let at = Archived::At("2025-11-19T14:30:22Z".into());
        let free = |_: &str| false;
        for (by, title, ending, expected) in [
            (&at, "Add JWT auth!", Ending::Complete, "20251119_143022_add-jwt-auth.md"),
            (&at, "용어 사전", Ending::Incomplete, "20251119_143022_용어-사전_incomplete.md"),
            (&at, "../../etc/passwd", Ending::Failed, "20251119_143022_etc-passwd_failed.md"),
            (
                &Archived::PullRequest(42),
                "Implement user authentication",
                Ending::Complete,
                "42_implement-user-authentication.md",
            ),
            (&at, "…", Ending::Complete, "20251119_143022_cycle.md"),
        ] {
            let name = archive_name(by, title, ending, &free);
            assert_eq!(name, expected);
            let read = read_archive_name(&name).expect("its own name is read");
            let (ArchiveName::Time { slug: known, ending: read, .. }
            | ArchiveName::PullRequest { slug: known, ending: read, .. }) = read
            else {
                panic!("{read:?}")
            };
            assert_eq!((known, read), (slug(title), ending));
        }
        let taken = |name: &str| name == "42_a.md" || name == "42_a-2.md";
        assert_eq!(archive_name(&Archived::PullRequest(42), "a", Ending::Complete, &taken), "42_a-3.md");
        assert_eq!(
            read_archive_name("2025-11-08_cycle-001.md"),
            Some(ArchiveName::Cycle { id: "2025-11-08-001".into() })
        );
        for name in ["README.md", "20251119.md", "x_y.md", "42_.md", "2025-11-08_cycle-x.md", "42_a.txt", ""] {
            assert_eq!(read_archive_name(name), None, "{name}");
        }
        assert!(slug(&"a b ".repeat(100)).len() <= SLUG_BYTES);
    }

    /// CY-01: ids of cycles.
    #[test]
    fn cy01_ids() {
        assert_eq!(cycle_id("2026-01-31", &|id| id == "2026-01-31-001"), "2026-01-31-002");
        for (id, is) in [
            ("2025-11-08-001", true),
            ("2025-13-08-001", false),
            ("2025-11-8-001", false),
            ("2025-11-08", false),
            ("YYYY-MM-DD-NNN", false),
            ("", false),
        ] {
            assert_eq!(is_cycle_id(id), is, "{id}");
        }
    }

    /// CY-14: names of assets.
    #[test]
    fn cy14_assets() {
        let name = asset_name("2026-01-31T14:05:30Z", "The login page (new)", ".PNG");
        assert_eq!(name, "2026-01-31_14-05-30_the-login-page-new.png");
        assert!(is_asset_name(&name));
        for name in [
            "login.png",
            "2026-01-31_login.png",
            "2026-01-31_14-05-30_.png",
            "2026-01-31_14-05-30_a b.png",
            "가나다라마바사",
        ] {
            assert!(!is_asset_name(name), "{name}");
        }
    }
}
