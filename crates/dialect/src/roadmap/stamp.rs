//! The first line of an entry of the work log: its number, who worked, and when. Pure spelling.

/// What the line says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) number: Option<u64>,
    pub(crate) executor_name: String,
    pub(crate) at: String,
    /// What else it says.
    pub(crate) more: String,
    /// Whether it is written as it should be: `Log 2 @name (time)`.
    pub(crate) is_strict: bool,
    /// Whether it begins with a word for an entry.
    pub(crate) is_named: bool,
}

/// Words that an entry may begin with.
const NAMES: &str = "log entry record session step run iteration logentry worklog 日志 记录 工作日志 第 로그 기록 작업 ログ 記録 eintrag protokoll log-eintrag \
    entrée journal entrada registro запись лог";

impl Stamp {
    /// Reads what a heading, or the first line of an entry, says.
    pub(crate) fn read(title: &str) -> Self {
        let text = title.trim().trim_matches(['*', '_', '`', ':', '：', '[', ']', '#']).trim();
        let mut stamp = Self { is_strict: is_strict(title), ..Self::default() };
        let moment = moment_in(text);
        stamp.at = match in_last_brackets(text) {
            Some(inner) => inner.to_owned(),
            None => moment.map(|(start, end)| text[start..end].to_owned()).unwrap_or_default(),
        };
        let word_end = text.find(|letter: char| !(letter.is_alphabetic())).unwrap_or(text.len());
        stamp.is_named = super::words::is_one_of(&text[..word_end].to_lowercase(), NAMES);
        stamp.number = number_in(text, word_end, stamp.is_named, moment);
        stamp.executor_name = name_in(text);
        stamp.more = rest_of(text);
        stamp
    }

    /// The same of a line that is known to begin an entry: there one word behind the moment is a name, as in
    /// `2025-06-16 runner-1`.
    pub(crate) fn of_entry(title: &str) -> Self {
        let mut stamp = Self::read(title);
        let text = title.trim();
        if let (true, Some((0, end))) = (stamp.executor_name.is_empty(), moment_in(text)) {
            let rest = text[end..].trim();
            if !rest.contains(char::is_whitespace) && rest.starts_with(char::is_alphabetic) {
                rest.clone_into(&mut stamp.executor_name);
            }
        }
        stamp
    }

    /// Whether it is surely an entry, wherever it stands.
    pub(crate) fn is_sure(&self) -> bool {
        let is_numbered = self.is_named && self.number.is_some();
        is_numbered || (!self.executor_name.is_empty() && (!self.at.is_empty() || self.number.is_some()))
    }
}

/// `Log 2 @name (time)`.
fn is_strict(title: &str) -> bool {
    let rest = title.strip_prefix("Log ").map(|rest| rest.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    let Some(rest) = rest.filter(|rest| rest.len() + 4 < title.len()).and_then(|rest| rest.strip_prefix(" @")) else {
        return false;
    };
    rest.split_once(" (").is_some_and(|(name, at)| !name.trim().is_empty() && at.len() > 1 && at.ends_with(')'))
}

fn in_last_brackets(text: &str) -> Option<&str> {
    let (rest, open) = match text.strip_suffix(')') {
        Some(rest) => (rest, '('),
        None => (text.strip_suffix('）')?, '（'),
    };
    let at = rest.rfind(open)?;
    let inner = rest[at + open.len_utf8()..].trim();
    (!inner.is_empty()).then_some(inner)
}

/// Where a moment stands: a date, perhaps with a time.
fn moment_in(text: &str) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let is_date = |at: usize| {
        bytes.get(at..at + 10).is_some_and(|date| {
            date.iter().enumerate().all(|(place, byte)| match place {
                4 | 7 => matches!(byte, b'-' | b'/' | b'.'),
                _ => byte.is_ascii_digit(),
            })
        })
    };
    let start = (0..bytes.len()).find(|at| is_date(*at) && (*at == 0 || !bytes[at - 1].is_ascii_digit()))?;
    let mut end = start + 10;
    let behind = bytes.get(end).is_some_and(|byte| matches!(byte, b'T' | b' '))
        && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
    if behind {
        let part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'Z' | b'+' | b'-' | b'T');
        end += 1 + bytes[end + 1..].iter().take_while(|byte| part(byte)).count();
    }
    Some((start, end))
}

fn number_in(text: &str, word_end: usize, is_named: bool, moment: Option<(usize, usize)>) -> Option<u64> {
    let from = if is_named { word_end } else { 0 };
    let rest = text[from..].trim_start_matches([' ', '#', '-', ':', '：', '_', '.', '№']);
    let start = text.len() - rest.len();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let is_moment = moment.is_some_and(|(first, end)| (first..end).contains(&start));
    if digits > 0 && !is_moment && (is_named || text.starts_with(|sign: char| sign.is_ascii_digit())) {
        return rest[..digits].parse().ok();
    }
    // 第9次
    let at = text.find('第')? + '第'.len_utf8();
    let rest = text[at..].trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[..digits].parse().ok()
}

fn name_in(text: &str) -> String {
    let bare = |name: &str| name.trim().trim_matches(['`', '*', ':', ',', '，', '"']).trim().to_owned();
    let Some(at) = text.find('@') else {
        // `… for runner-1`, `… by x`
        let place = [" for ", " by "].iter().find_map(|word| text.rfind(word).map(|at| at + word.len()));
        let name = place.map(|at| text[at..].split([' ', '(', ',', '，']).next().unwrap_or_default());
        return name.map(bare).unwrap_or_default();
    };
    let rest = text[at + 1..].trim_start_matches([' ', '`']);
    if let Some((0, end)) = moment_in(rest) {
        // `Log-2 @ 2025-06-16T06:44:46Z for runner-2`
        let after = rest[end..].trim_start();
        let name = after.strip_prefix("for ").or_else(|| after.strip_prefix("by ")).unwrap_or(after);
        return bare(name.split(['(', ',', '，']).next().unwrap_or_default());
    }
    let end = rest.find([' ', '(', '（', ',', '，', ';', '`', ':', '：']).unwrap_or(rest.len());
    // A name of several words is one if the time stands in brackets behind it.
    let whole = rest.split(['(', '（']).next().unwrap_or_default();
    bare(if rest.contains(['(', '（']) && !whole.contains([',', '，', ':', '：']) { whole } else { &rest[..end] })
}

/// What stands behind a colon or a dash: an objective, as some write it.
fn rest_of(text: &str) -> String {
    let at =
        [": ", "：", " - ", " — ", " – "].iter().filter_map(|mark| text.find(mark).map(|at| at + mark.len())).min();
    let rest = at.map(|at| text[at..].trim()).unwrap_or_default();
    // Who and when is no objective.
    if rest.contains('@') || moment_in(rest).is_some() { String::new() } else { rest.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps() {
        for (text, number, name, at, is_sure) in [
            ("Log 2 @Executor_Name (Task_Start_Time)", Some(2), "Executor_Name", "Task_Start_Time", true),
            ("Log 12 @jixo one (2026-01-31T14:05:30Z)", Some(12), "jixo one", "2026-01-31T14:05:30Z", true),
            (
                "Log-11 @ 2025-06-16T06:44:46.032Z for runner-11",
                Some(11),
                "runner-11",
                "2025-06-16T06:44:46.032Z",
                true,
            ),
            ("Log @ 2025-06-16T05:45:33.701Z for test-runner", None, "test-runner", "2025-06-16T05:45:33.701Z", true),
            (
                "时间：`2025-06-09T04:51:42.719Z`，执行者：`@docs`，第9次执行任务：",
                Some(9),
                "docs",
                "2025-06-09T04:51:42.719Z",
                true,
            ),
            ("日志 3 @执行者（2025-06-09）", Some(3), "执行者", "2025-06-09", true),
            ("Log #4: Move the code", Some(4), "", "", true),
            ("[2025-06-09 04:51] by anna", None, "anna", "2025-06-09 04:51", true),
            ("Phase 1", None, "", "", false),
            ("Logging", None, "", "", false),
            ("Log", None, "", "", false),
            ("1.1 Move code (soon)", Some(1), "", "soon", false),
            ("", None, "", "", false),
        ] {
            let stamp = Stamp::read(text);
            assert_eq!(
                (stamp.number, stamp.executor_name.as_str(), stamp.at.as_str(), stamp.is_sure()),
                (number, name, at, is_sure),
                "{text:?}: {stamp:?}"
            );
        }
        assert!(
            Stamp::read("Log 2 @x (y)").is_strict
                && !Stamp::read("Log 2 @x").is_strict
                && !Stamp::read("Log @x (y)").is_strict
        );
    }
}
