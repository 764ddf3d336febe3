//! The documents of a project in memory, as of the journal's head, with the changes that led there: enough to say a
//! change again on top of others, and to recognise an older version that turns up on the disk.

use std::collections::VecDeque;
use std::time::Duration;

use text::{Change, Closest, Text, additions, diff};

use crate::by_path::ByPath;
use crate::fs::Stamp;
use crate::limits;
use crate::record::Presence;

/// All documents under the journal, by path.
pub(crate) type Documents = ByPath<Document>;

/// One document: what it is by the journal, and what is known of its file.
#[derive(Debug, Default)]
pub(crate) struct Document {
    /// Its content as of the head; nothing when it does not exist.
    pub text: Option<Text>,
    /// The record that last changed it.
    pub version: u64,
    /// The changes that led here, oldest first.
    past: VecDeque<Past>,
    past_bytes: usize,
    /// The version before it came into being and the record that made it, once that change is not remembered any more:
    /// where nobody has come to place a file, none that is missing was taken away.
    born: Option<(u64, u64)>,
    /// Whether what the journal has of its past was looked up, as far as that is worth remembering.
    pub past_is_complete: bool,
    pub disk: Disk,
    /// When the file may be placed again.
    pub place_after: Duration,
    /// The record that said so: it leaves memory with the next checkpoint.
    pub retired: Option<u64>,
}

/// One change of a document.
#[derive(Debug, Clone)]
pub(crate) struct Past {
    pub number: u64,
    /// The version before this change.
    pub version_before: u64,
    /// Whether the document existed before this change.
    pub was: Presence,
    pub change: Change,
    /// The file that this change was merged from, if it was.
    pub found: Option<Text>,
    /// Whether a person made it, on top of what lay there, and it was taken as it was.
    pub by_hand: bool,
    /// Whether it had been retired before.
    pub retired: Option<u64>,
}

impl Past {
    /// About how much memory it takes.
    fn weight(&self) -> usize {
        self.change.weight() + self.found.as_ref().map_or(0, Text::len) + 64
    }
}

/// What is known of the file.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Disk {
    /// The version that was last seen there, and how its file looked.
    pub seen: Option<Seen>,
    /// A state of the file that is none of ours, and since when it has looked like that.
    pub suspect: Option<(Option<Stamp>, Duration)>,
    /// The version, itself an absence, at which there was seen to be no file. One that is there later is somebody's.
    pub gone: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    pub version: u64,
    pub stamp: Stamp,
    /// Its times were so close to the clock's that a later change may look the same.
    pub racy: bool,
}

/// What some bytes on the disk are to a document.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// The version of this record.
    Version(u64),
    /// None that is remembered.
    Foreign,
}

/// Why a change cannot be said on top of what has happened since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clash {
    pub record: u64,
}

/// Where an edit started.
struct Started {
    text: Text,
    /// What leads from there to a version, if it is none.
    bridge: Option<Change>,
    /// The place in the past of the first change after that.
    next: usize,
}

/// How an edited text stands to what was found of the document before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Age {
    /// It stands in the document's place: what it lacks was taken out.
    Newest,
    /// It came out of there, and may be older than a file that was taken over since: what it lacks of that was not
    /// written yet.
    Unknown,
}

/// A foreign text as a change of the head.
#[derive(Debug, Clone)]
pub(crate) struct Merged {
    pub base: u64,
    pub clashes: usize,
    pub change: Change,
}

impl Document {
    /// A document as a checkpoint has it.
    pub(crate) fn at(version: u64, text: Text) -> Self {
        Self { text: Some(text), version, ..Self::default() }
    }

    /// Takes a committed change. The caller has checked that it fits.
    pub(crate) fn take(&mut self, number: u64, change: Change, after: Option<Text>, found: Option<Text>) {
        let was = Presence::of(self.text.as_ref());
        let retired = self.retired.take();
        let past = Past { number, version_before: self.version, was, change, found, by_hand: false, retired };
        self.past_bytes += past.weight();
        self.past.push_back(past);
        self.text = after;
        self.version = number;
        while self.past.len() > limits::REMEMBERED_CHANGES
            || (self.past_bytes > limits::REMEMBERED_BYTES && self.past.len() > 1)
        {
            if let Some(oldest) = self.past.pop_front() {
                self.past_bytes -= oldest.weight();
                self.past_is_complete = false;
                if !oldest.was.is_present() {
                    self.born = Some((oldest.version_before, oldest.number));
                }
            }
        }
    }

    /// Says of the newest change that a person made it on top of what lay there.
    pub(crate) fn note_by_hand(&mut self) {
        if let Some(past) = self.past.back_mut() {
            past.by_hand = true;
        }
    }

    /// Whether a person has written since, on top of a version that lay there: then an older file is nobody's delay.
    pub(crate) fn was_edited_since(&self, version: u64) -> bool {
        self.past.iter().rev().take_while(|past| past.number > version).any(|past| past.by_hand)
    }

    /// The record that changed a version, if it is remembered.
    pub(crate) fn changed_by(&self, version: u64) -> Option<u64> {
        let is_birth = |(before, _): &(u64, u64)| *before == version && self.remembers_from() > version + 1;
        let remembered = self.past.get(self.past.partition_point(|past| past.number <= version));
        self.born.filter(is_birth).map(|(_, number)| number).or(remembered.map(|past| past.number))
    }

    /// The oldest change that is remembered: its number, or the one after the version itself.
    pub(crate) fn remembers_from(&self) -> u64 {
        self.past.front().map_or(self.version + 1, |oldest| oldest.number)
    }

    /// Takes in changes from before the oldest that is remembered, newest last.
    pub(crate) fn remember_older(&mut self, older: Vec<Past>) {
        for past in older.into_iter().rev() {
            self.past_bytes += past.weight();
            self.past.push_front(past);
        }
        self.past_is_complete = true;
    }

    /// Takes the newest change back, which could not be written after all.
    pub(crate) fn forget(&mut self, number: u64) {
        while let Some(past) = self.past.pop_back_if(|past| past.number == number) {
            let after = self.text.clone().unwrap_or_default();
            self.text = past.change.inverse().apply(&after).ok().filter(|_| past.was.is_present());
            self.version = past.version_before;
            self.retired = past.retired;
            self.past_bytes -= past.weight();
        }
        self.retired = self.retired.filter(|by| *by != number);
    }

    /// Says a change of the version as of `base` on top of everything since. Coming into being or ceasing to be
    /// clashes with everything.
    pub(crate) fn rebase(
        &self,
        base: u64,
        mut change: Change,
        needs: &mut [std::ops::Range<usize>],
    ) -> Result<Change, Clash> {
        for past in self.since(base)? {
            let clash = Clash { record: past.number };
            if !past.was.is_present() || needs.iter().any(|range| past.change.disturbs(range)) {
                return Err(clash);
            }
            needs.iter_mut().for_each(|range| *range = past.change.moved(range));
            change = change.rebase(&past.change).map_err(|_| clash)?;
        }
        match self.text.is_some() {
            true => Ok(change),
            false => Err(Clash { record: self.version }),
        }
    }

    /// The changes after record `base`; a clash when they are no longer all remembered.
    fn since(&self, base: u64) -> Result<impl Iterator<Item = &Past>, Clash> {
        let reaches = self.version <= base || self.past.front().is_some_and(|oldest| oldest.version_before <= base);
        match reaches {
            true => Ok(self.past.range(self.past.partition_point(|past| past.number <= base)..)),
            false => Err(Clash { record: self.version }),
        }
    }

    /// Which version some bytes are: the newest that equals them.
    pub(crate) fn recognise(&self, found: Option<&Text>) -> Known {
        if self.text.as_ref() == found {
            return Known::Version(self.version);
        }
        let Some(found) = found else {
            let absent = self.past.iter().rev().find(|past| !past.was.is_present());
            let before = absent.map(|past| past.version_before).or(self.born.map(|(before, _)| before));
            return before.map_or(Known::Foreign, Known::Version);
        };
        self.meet(found).map_or(Known::Foreign, |index| Known::Version(self.past[index].version_before))
    }

    /// The version that holds all that some bytes say: the one that they are, or the one that became of them when they
    /// were found and merged.
    pub(crate) fn stands_for(&self, found: &Text) -> Option<u64> {
        if self.text.as_ref() == Some(found) {
            return Some(self.version);
        }
        let past = &self.past[self.meet(found)?];
        Some(if past.found.as_ref() == Some(found) { past.number } else { past.version_before })
    }

    /// The newest change that some bytes were merged by, or were the version before. Where many processes place a document,
    /// each asks this of each other's file: versions that are longer or shorter are not made anew, and texts of one length
    /// share most of their bytes, and are compared in no time, so no lines are counted (QL-07).
    fn meet(&self, found: &Text) -> Option<usize> {
        let oldest = self.oldest_alike(found)?;
        let mut version = self.text.clone().unwrap_or_default();
        for (index, past) in self.past.iter().enumerate().skip(oldest).rev() {
            // A change that was taken fits, so its inverse does.
            version = past.change.inverse().apply(&version).ok()?;
            if past.found.as_ref() == Some(found) || past.was.is_present() && version == *found {
                return Some(index);
            }
        }
        None
    }

    /// The oldest change that can be meant: some bytes are as long as the version before it, or as what it was merged from.
    fn oldest_alike(&self, found: &Text) -> Option<usize> {
        let mut length = self.text.as_ref().map_or(0, Text::len);
        let mut oldest = None;
        for (index, past) in self.past.iter().enumerate().rev() {
            let (cut, put) = past
                .change
                .splices()
                .iter()
                .fold((0, 0), |(cut, put), splice| (cut + splice.cut.len(), put + splice.put.len()));
            length = (length + cut).saturating_sub(put);
            if length == found.len() || past.found.as_ref().is_some_and(|text| text.len() == found.len()) {
                oldest = Some(index);
            }
        }
        oldest
    }

    /// The version of a record, if it is remembered.
    pub(crate) fn version_of(&self, number: u64) -> Option<Text> {
        let later = self.past.iter().rev().take_while(|past| past.number > number);
        later.map(|past| past.change.inverse()).try_fold(self.text.clone()?, |version, back| back.apply(&version).ok())
    }

    /// An edited text as a change of the head: the difference to what it is closest to, on top of what came after
    /// that. Where both touch the same bytes the edit wins; what came meanwhile and is in the edit, too, comes once.
    pub(crate) fn merge(&self, edited: &Text, age: Age) -> Merged {
        let Some(head) = &self.text else {
            return Merged { base: self.version, clashes: 0, change: Change::one(0, "", edited.to_vec()) };
        };
        let started = self.closest(head, edited);
        let mut change = match (age, &started.bridge) {
            (Age::Unknown, Some(_)) => additions(&started.text, edited),
            _ => diff(&started.text, edited),
        };
        let mut clashes = 0;
        for later in started.bridge.iter().chain(self.past.iter().skip(started.next).map(|past| &past.change)) {
            let (rebased, overlaps) = change.without_repeats(later).rebase_winning(later);
            clashes += overlaps.len();
            change = rebased;
        }
        let base = self.past.get(started.next).map_or(self.version, |past| past.version_before);
        Merged { base, clashes, change }
    }

    /// What an edit most likely started from: a version, or a file that somebody had edited before and that was taken
    /// over but not yet replaced. Of two that are as close it is the newer one: such a file is newer than the versions
    /// it was merged with, and older than what became of both.
    fn closest(&self, head: &Text, edited: &Text) -> Started {
        let distance = Closest::new(head, edited).distance();
        let mut best = (distance, Started { text: head.clone(), bridge: None, next: self.past.len() });
        let mut after = head.clone();
        let mut index = self.past.len();
        let mut files = 0;
        // Somebody else's file may share a line with one that brings lines of its own: that must not take out theirs.
        let mut yields = false;
        // A file that ends in the middle of what was there, and of nothing older, was cut off: however close the rest of it
        // comes to a shorter version, nobody started from that. Nor is an older version its origin of which less than half
        // is left, or that ends in the middle of the same line.
        let mut is_cut_off = is_beginning(edited, head);
        let is_torn = is_cut_off && ends_within_a_line(edited, head);
        let may_be_from = |text: &Text| !is_torn && is_beginning(edited, text) && edited.len() * 2 >= text.len();
        self.walk_back(edited, |distance, text| {
            index -= 1;
            is_cut_off = is_cut_off && distance > 0 && !text.is_some_and(may_be_from);
            // Before this the document did not exist: nobody started from that. Nor from a file of that time: what was
            // removed since would come twice.
            let file = self.past[index].found.as_ref().filter(|_| files < limits::REMEMBERED_FILES);
            if let Some(file) = file {
                files += 1;
                let closeness = Closest::new(file, edited);
                if closeness.distance() < best.0 {
                    let bridge = Some(diff(file, &after));
                    let text = file.clone();
                    best = (closeness.distance(), Started { text, bridge, next: index + 1 });
                    yields = !closeness.brings_none();
                }
            }
            let Some(text) = text else { return true };
            if distance < best.0 || distance == best.0 && yields {
                best = (distance, Started { text: text.clone(), bridge: None, next: index });
                yields = false;
            }
            after = text.clone();
            best.0 == 0
        });
        match is_cut_off {
            true => Started { text: head.clone(), bridge: None, next: self.past.len() },
            false => best.1,
        }
    }

    /// Goes from the head to older versions, with each one's distance from `found`, until `stop`. Where the document did not
    /// exist there is no text.
    fn walk_back(&self, found: &Text, mut stop: impl FnMut(u64, Option<&Text>) -> bool) {
        let mut version = self.text.clone().unwrap_or_default();
        let mut closest = Closest::new(&version, found);
        for past in self.past.iter().rev() {
            let back = past.change.inverse();
            let Ok(before) = back.apply(&version) else { return };
            closest.go(&version, &back, &before);
            if stop(closest.distance(), past.was.is_present().then_some(&before)) {
                return;
            }
            version = before;
        }
    }

    /// Whether a file in its place can only be one that somebody made again, even with bytes that were ours.
    pub(crate) fn is_gone(&self) -> bool {
        self.text.is_none() && self.disk.gone == Some(self.version)
    }

    /// Whether the file is known to hold the newest version, or to be as gone as the document.
    pub(crate) fn is_placed(&self) -> bool {
        match (&self.text, self.disk.seen) {
            (Some(_), Some(seen)) => seen.version == self.version,
            (None, None) => true,
            _ => false,
        }
    }
}

/// Whether a text is the beginning of a longer one.
fn is_beginning(text: &Text, whole: &Text) -> bool {
    text.len() < whole.len() && whole.slice(0..text.len()) == text.slice(0..text.len())
}

/// Whether the beginning of a text ends where neither it nor the text has a line end.
fn ends_within_a_line(beginning: &Text, whole: &Text) -> bool {
    let end = beginning.len();
    let around = whole.slice(end.saturating_sub(1)..(end + 1).min(whole.len())).to_vec();
    end > 0 && !around.iter().any(|byte| matches!(byte, b'\n' | b'\r'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(versions: &[&str]) -> Document {
        let mut document = Document::default();
        let mut before = Text::new();
        for (index, version) in versions.iter().enumerate() {
            let after = Text::from(*version);
            document.take(index as u64 + 1, diff(&before, &after), Some(after.clone()), None);
            before = after;
        }
        document
    }

    fn check_merge(versions: &[&str], edited: &str, expected: &str, base: u64, clashes: usize) {
        let document = document(versions);
        let merged = document.merge(&edited.into(), Age::Newest);
        let head = document.text.as_ref().unwrap();
        assert_eq!(merged.change.apply(head), Ok(Text::from(expected)));
        assert_eq!((merged.base, merged.clashes), (base, clashes));
    }

    const ROWS: [&str; 3] = [
        "| T1 | PENDING | |\n| T2 | PENDING | |\n",
        "| T1 | COMPLETED | |\n| T2 | PENDING | |\n",
        "| T1 | COMPLETED | |\n| T2 | COMPLETED | |\n| T3 | PENDING | |\n",
    ];

    /// QL-23: a buffer that was opened long ago brings its own change and takes nothing back.
    #[test]
    fn a_stale_buffer_reverts_no_row_that_nobody_touched() {
        let expected = "| T1 | COMPLETED | |\n| T2 | COMPLETED | mine |\n| T3 | PENDING | |\n";
        check_merge(&ROWS, "| T1 | PENDING | |\n| T2 | PENDING | mine |\n", expected, 1, 0);
        check_merge(&ROWS, "| T1 | COMPLETED | |\n| T2 | PENDING | mine |\n", expected, 2, 0);
    }

    /// QL-23: one that was saved by a formatter, or with other line ends, neither.
    #[test]
    fn a_stale_buffer_that_was_formatted_reverts_no_row() {
        let expected = "| T1  | COMPLETED | |\r\n| T2  | COMPLETED | mine |\r\n| T3 | PENDING | |\n";
        check_merge(&ROWS, "| T1  | PENDING | |\r\n| T2  | PENDING | mine |\r\n", expected, 1, 0);
    }

    /// QL-23: a file that was cut off is what it is: nothing is put together from it and an older version. A stale buffer whose
    /// last line end is gone is still a stale buffer.
    #[test]
    fn a_file_that_was_cut_off_is_merged_with_nothing() {
        let versions = ["{\"at\": 0}\n", "{\"at\": 1, \"rows\": [\n1,\n2,\n3,\n4,\n5,\n6,\n7\n], \"end\": 1}\n"];
        check_merge(&versions, "{\"at\": 1, \"rows\": [\n1,\n2", "{\"at\": 1, \"rows\": [\n1,\n2", 2, 0);
        check_merge(&["a\n", "a\nb\n", "a\nb\nc\n"], "a\nb", "a\nbc\n", 2, 0);
        // The same beginning in every version: it is cut off all the same, in the middle of a line or of all.
        let begins = "{\n1111,\n2222,\n3333,\n";
        let versions = [
            "{\n}\n".to_owned(),
            format!("{begins}\"a\": 4,\n\"b\": 5,\n}}\n"),
            format!("{begins}\"a\": 5,\n\"b\": 6,\n}}\n"),
        ];
        let versions: Vec<&str> = versions.iter().map(String::as_str).collect();
        for cut in ["{\n1111,\n22", "{\n1111,\n2222,\n333", "{\n1111,\n"] {
            check_merge(&versions, cut, cut, 3, 0);
        }
    }

    #[test]
    fn where_both_changed_a_cell_the_person_wins() {
        let expected = "| T1 | FAILED | |\n| T2 | COMPLETED | |\n| T3 | PENDING | |\n";
        check_merge(&ROWS, "| T1 | FAILED | |\n| T2 | PENDING | |\n", expected, 2, 0);
        check_merge(
            &ROWS[..2],
            "| T1 | FAILED | |\n| T2 | PENDING | |\n",
            "| T1 | FAILED | |\n| T2 | PENDING | |\n",
            2,
            0,
        );
    }

    #[test]
    fn a_version_from_before_it_was_removed_is_recognised() {
        let mut document = document(&ROWS[..1]);
        let all = Text::from(ROWS[0]);
        document.take(2, Change::replace(&all, 0..all.len(), ""), None, None);
        document.take(3, Change::one(0, "", ROWS[1]), Some(ROWS[1].into()), None);
        assert_eq!(document.recognise(Some(&all)), Known::Version(1));
        assert_eq!(document.recognise(None), Known::Version(2));
    }

    /// QL-23: a file that somebody had edited before the document was removed brings nothing twice when it comes back.
    #[test]
    fn an_edit_from_before_a_removal_stands_as_it_was_written() {
        let mut document = document(&["| T1 | |\n"]);
        let [found, merged] = ["| T1 | |\n| mine | |\n", "| T1 | |\n| T2 | |\n| mine | |\n"].map(Text::from);
        document.take(2, Change::one(9, "", "| T2 | |\n"), Some("| T1 | |\n| T2 | |\n".into()), None);
        document.take(3, Change::one(18, "", "| mine | |\n"), Some(merged.clone()), Some(found));
        document.take(4, Change::replace(&merged, 0..merged.len(), ""), None, None);
        document.take(5, Change::one(0, "", "| T3 | |\n"), Some("| T3 | |\n".into()), None);
        let back = Text::from("| T1 | |\n| T2 | |\n| mine | |\n| more | |\n");
        let again = document.merge(&back, Age::Newest);
        assert_eq!(again.change.apply(&"| T3 | |\n".into()), Ok(back));
    }

    /// A document in which somebody's file was merged with what had been committed, and then another file is found.
    fn check_second_file(first: &str, second: &str, expected: &str) {
        check_files(Age::Newest, first, second, expected);
    }

    fn check_files(age: Age, first: &str, second: &str, expected: &str) {
        let mut document = document(&["# Plan\n", "# Plan\n| T1 | |\n"]);
        for (number, file) in [(3, first), (4, second)] {
            let file = Text::from(format!("# Plan\n{file}"));
            let change = document.merge(&file, age).change;
            let after = change.apply(document.text.as_ref().unwrap()).unwrap();
            document.take(number, change, Some(after), Some(file));
        }
        assert_eq!(document.text, Some(Text::from(format!("# Plan\n| T1 | |\n{expected}"))));
    }

    /// QL-23: a buffer that is saved again brings no row twice, whether it grew, shrank, or a row in it was changed.
    #[test]
    fn a_file_after_another_of_the_same_buffer_brings_no_row_twice() {
        let rows = |names: &str| names.chars().map(|name| format!("| {name} | mine |\n")).collect::<String>();
        for (first, second, expected) in
            [("a", "ab", "ab"), ("ab", "a", "a"), ("ab", "b", "b"), ("abcde", "a", "abcde")]
        {
            check_second_file(&rows(first), &rows(second), &rows(expected));
        }
        check_second_file(&rows("ab"), "| a | mine |\n| b | changed |\n", "| a | mine |\n| b | changed |\n");
        check_second_file(&rows("a"), "| a | changed |\n| b | mine |\n", "| a | changed |\n| b | mine |\n");
    }

    /// QL-23: what two people wrote stands, even where both wrote the same heading or blank line.
    #[test]
    fn a_file_of_somebody_else_takes_out_nothing() {
        check_second_file("hers\n", "mine\n", "hers\nmine\n");
        check_second_file("\nhers\n\n", "\nmine\n\n", "\nhers\n\n\nmine\n\n");
        check_second_file("\n## Notes\nhers\n", "\n## Notes\nmine\n", "\n## Notes\nhers\n\nmine\n");
    }

    /// QL-23: what came out of its place may be older than what was taken over before it: it takes nothing out of that.
    #[test]
    fn a_file_that_may_be_older_takes_out_nothing() {
        let rows = |names: &str| names.chars().map(|name| format!("| {name} | mine |\n")).collect::<String>();
        for (first, second, expected) in
            [("a", "ab", "ab"), ("ab", "a", "ab"), ("abc", "ab", "abc"), ("ab", "ax", "abx")]
        {
            check_files(Age::Unknown, &rows(first), &rows(second), &rows(expected));
        }
    }

    /// QL-23: of a merged file and a later version that are the same, the version is meant.
    #[test]
    fn a_version_that_equals_an_older_file_is_recognised_as_itself() {
        let mut document = document(&["a\n", "a\nb\n"]);
        document.take(3, Change::one(4, "", "mine\n"), Some("a\nb\nmine\n".into()), Some("a\nmine\n".into()));
        let file = Text::from("a\nmine\n");
        assert_eq!((document.recognise(Some(&file)), document.stands_for(&file)), (Known::Version(2), Some(3)));
        document.take(4, Change::one(2, "b\n", ""), Some(file.clone()), None);
        document.take(5, Change::one(0, "", "c\n"), Some("c\na\nmine\n".into()), None);
        assert_eq!((document.recognise(Some(&file)), document.stands_for(&file)), (Known::Version(4), Some(4)));
    }

    #[test]
    fn an_older_version_is_recognised() {
        let document = document(&ROWS);
        assert_eq!(document.recognise(Some(&ROWS[1].into())), Known::Version(2));
        assert_eq!(document.recognise(None), Known::Version(0));
        assert_eq!(document.recognise(Some(&"x".into())), Known::Foreign);
    }
}
