//! Which item the objective of a work-log entry names: by its number, and where that is not enough by its title. Must not
//! know how entries are written.

use std::collections::HashMap;

use super::log::{Log, LogItem};
use super::title;
use super::words::squeezed;

/// The items of a log as objectives may name them.
pub(crate) struct Items {
    items: Vec<LogItem>,
    numbers: HashMap<String, Vec<usize>>,
    /// Titles without case and signs, in order.
    titles: Vec<(String, usize)>,
}

impl Items {
    pub(crate) fn of(log: &Log) -> Self {
        let items = log.items();
        let mut numbers: HashMap<String, Vec<usize>> = HashMap::new();
        let mut titles = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            if !item.number.is_empty() {
                numbers.entry(item.number.clone()).or_default().push(at);
            }
            titles.push((squeezed(&item.title), at));
        }
        titles.sort();
        Self { items, numbers, titles }
    }

    /// The key of the item that is meant.
    pub(crate) fn named_by(&self, objective: &str) -> Option<String> {
        let line = objective.lines().next().unwrap_or_default();
        let line = line.trim().trim_end_matches(['.', '…']).trim();
        let direct = self.by_number(line);
        let found = direct.or_else(|| {
            // `Execute task 10: …`, `Working on 1.2 …`
            let rest = line.split_once(char::is_whitespace).map(|(_, rest)| rest.trim())?;
            self.by_number(rest).or_else(|| self.by_number(rest.split_once(char::is_whitespace)?.1.trim()))
        });
        let found = found.or_else(|| self.by_title(line));
        found.map(|at| self.items[at].key.clone())
    }

    fn by_number(&self, line: &str) -> Option<usize> {
        let (read, _) = title::read(line, 0..line.len(), true);
        let candidates = self.numbers.get(&read.number).filter(|_| !read.number.is_empty())?;
        let wanted = squeezed(&read.text);
        let same = |at: &&usize| {
            let own = squeezed(&self.items[**at].title);
            own == wanted || (!wanted.is_empty() && own.starts_with(&wanted))
        };
        candidates.iter().find(same).or(candidates.first()).copied()
    }

    /// A title, or one that was cut off, if only one begins so.
    fn by_title(&self, line: &str) -> Option<usize> {
        const LEAST: usize = 12;
        let wanted = squeezed(line);
        let first = self.titles.partition_point(|(title, _)| *title < wanted);
        let mut found = self.titles[first..].iter().take_while(|(title, _)| title.starts_with(&wanted));
        let (title, at) = found.next().filter(|_| !wanted.is_empty())?;
        let is_clear = *title == wanted || (wanted.chars().count() >= LEAST && found.next().is_none());
        is_clear.then_some(*at)
    }
}
