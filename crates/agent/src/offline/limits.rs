//! The most of everything: the offline agent does bounded work on any input, and says where it stopped.

/// Bytes read from one file; a longer one is read from its beginning.
pub(crate) const FILE_BYTES: usize = 2 * 1024 * 1024;
/// Files read for one task.
pub(crate) const FILES: usize = 400;
/// Tasks that read sources in one stage; more sources are shared out among them.
pub(crate) const READING_TASKS: usize = 40;
/// Characters of one sentence; a longer one is cut, with an ellipsis.
pub(crate) const SENTENCE_CHARS: usize = 600;
/// Sentences taken from one file for ranking.
pub(crate) const SENTENCES: usize = 20_000;
/// Key sentences reported for one file.
pub(crate) const KEY_SENTENCES: usize = 12;
/// Figures reported for one file.
pub(crate) const FIGURES: usize = 40;
/// Phrases that recur, reported for one file.
pub(crate) const PHRASES: usize = 12;
/// Charts drawn of one table.
pub(crate) const CHARTS: usize = 3;
/// Points of one chart.
pub(crate) const POINTS: usize = 200;
/// Groups that a column is divided into.
pub(crate) const GROUPS: usize = 12;
/// Sections of tables and charts carried into the deliverable.
pub(crate) const SHEETS: usize = 40;
/// Dates reported for one file.
pub(crate) const DATES: usize = 40;
/// Tables whose columns are measured in one file.
pub(crate) const TABLES: usize = 20;
/// Columns measured in one table.
pub(crate) const COLUMNS: usize = 40;
/// Claims compared over all sources.
pub(crate) const CLAIMS: usize = 200_000;
/// Names of one document that are kept to tell what it is about.
pub(crate) const NAMES: usize = 2_000;
/// Pairs of claims looked at.
pub(crate) const COMPARISONS: usize = 1_000_000;
/// Figures and dates that are compared where they only may be of one thing.
pub(crate) const MENTIONS: usize = 20_000;
/// Of one unit, those up to which each is asked what else it could be of.
pub(crate) const RIVALS: usize = 600;
/// Pairs of them, of one unit, that are weighed.
pub(crate) const WEIGHED: usize = 100_000;
/// Words of each by which those are found that have one in common, where there are more.
pub(crate) const RAREST: usize = 6;
/// Pairs of them that are to be checked.
pub(crate) const DOUBTS: usize = 10;
/// Contradictions reported.
pub(crate) const CONTRADICTIONS: usize = 200;
/// Further places named with one contradiction.
pub(crate) const ALSO: usize = 4;
/// Findings in the summary.
pub(crate) const SUMMARY: usize = 6;
/// Ranked findings.
pub(crate) const FINDINGS: usize = 30;
/// Themes of an outline, the one for all the rest apart.
pub(crate) const THEMES: usize = 6;
/// Figures and dates carried into the deliverable.
pub(crate) const CARRIED: usize = 60;
/// Depth of nested JSON that is read.
pub(crate) const JSON_DEPTH: usize = 64;
/// Instructions drawn from a request.
pub(crate) const INSTRUCTIONS: usize = 20;
/// Earlier instructions that are named although nothing speaks against them.
pub(crate) const STANDING: usize = 12;
/// Bytes of a sentence that can make a claim: what is longer is no sentence.
pub(crate) const CLAIM_BYTES: usize = 8_000;
/// Sentences that no rule reads and that are named.
pub(crate) const UNREAD: usize = 6;
/// Past runs whose papers are read again.
pub(crate) const PAST_RUNS: usize = 3;
/// Statements taken over from one paper of a past run.
pub(crate) const PAST_STATEMENTS: usize = 10;
/// Of these, statements that this run found again and that are shown.
pub(crate) const PAST_AGAIN: usize = 3;
/// Sentences in the answer to a simple task.
pub(crate) const ANSWER: usize = 8;
/// Rows that set two things side by side.
pub(crate) const SIDES: usize = 40;
/// Characters of what one page holds, the words about it apart.
pub(crate) const PAGE_CHARS: usize = 2_800;
