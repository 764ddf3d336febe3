//! Items and groups that come, go and move in a log. Must not decide where: the order is the machine's.

use machine::roadmap::{Group, Item, Spot};
use syntax::markdown::fields::readable;
use syntax::markdown::lists::{self, Node};
use text::Change;

use super::face::{Face, Head};
use super::index::{Beside, Element};
use super::log::Log;
use super::write::Style;
use crate::trouble::Trouble;

impl Log {
    /// Adds an item where it belongs: in its group, behind the item that the spot names.
    pub fn add_item(&mut self, item: &Item, spot: &Spot) -> Result<(), Trouble> {
        if self.index.has(&item.key) {
            return Ok(());
        }
        let parent = item.group.as_deref().and_then(|group| self.index.find(group));
        self.insert(&item.key, parent, spot, false, &|style| style.item(item))
    }

    /// Adds a group behind all that stands in the group it belongs to. It is one by what is put into it next.
    pub fn add_group(&mut self, group: &Group, spot: &Spot) -> Result<(), Trouble> {
        if self.index.has(&group.key) {
            return Ok(());
        }
        let parent = group.parent.as_deref().and_then(|parent| self.index.find(parent));
        self.insert(&group.key, parent, spot, true, &|style| style.group(&group.title))
    }

    /// Takes an item out, or a group that nothing stands in.
    pub fn drop_item(&mut self, key: &str) -> Result<(), Trouble> {
        let Some(id) = self.index.find(key) else { return Ok(()) };
        let Some(element) = self.index.element(id).filter(|element| element.children == 0) else { return Ok(()) };
        let length = element.face.end;
        let at = self.index.offset(id);
        let change = Change::replace(&self.text, at..at + length, Vec::new());
        self.index.remove(id);
        self.splice(change);
        // What is left of a group, of a list, of lines that stood behind it, may be another thing. Only people take items
        // out, so this may cost what the log holds.
        self.read_again();
        Ok(())
    }

    /// Moves an item behind another, or into another group.
    pub fn move_item(&mut self, key: &str, group: Option<&str>, spot: &Spot) -> Result<(), Trouble> {
        let (id, source) = self.element_source(key)?;
        let parent = group.and_then(|group| self.index.find(group));
        if self.stands_at(id, parent, spot) {
            return Ok(());
        }
        let Some(element) = self.index.element(id).filter(|element| !element.is_group) else { return Ok(()) };
        let Head::Entry { marker, .. } = element.face.head.clone() else {
            let at = self.index.offset(id);
            return Err(self.trouble(at, "an item that is a heading cannot be moved".into(), "move it by hand"));
        };
        let own = source[..marker.start].to_owned();
        self.drop_item(key)?;
        // Where things stand may be known anew.
        let parent = group.and_then(|group| self.index.find(group));
        let key = key.to_owned();
        let moved = |style: &Style| {
            let lines = source.split_inclusive('\n').map(|line| match line.strip_prefix(own.as_str()) {
                Some(rest) => format!("{}{rest}", style.indent),
                None => line.to_owned(),
            });
            let text: String = lines.collect();
            if text.ends_with('\n') { text } else { format!("{text}{}", style.ending) }
        };
        self.insert(&key, parent, spot, false, &moved)
    }

    /// Whether an item stands in a group, behind the item that a spot names.
    fn stands_at(&mut self, id: u32, parent: Option<u32>, spot: &Spot) -> bool {
        if self.index.element(id).is_none_or(|element| element.parent != parent) {
            return false;
        }
        let mut before = self.index.before(id);
        while let Some(group) =
            before.filter(|before| self.index.element(*before).is_some_and(|element| element.is_group))
        {
            before = self.index.before(group);
        }
        match spot {
            Spot::First => before.is_none(),
            Spot::After(key) => before.is_some() && before == self.index.find(key),
            Spot::Last => self.index.last_in(parent) == Some(id),
        }
    }

    /// Where something goes that stands in a group, or in none; nothing where there is nothing yet.
    fn beside(&mut self, parent: Option<u32>, spot: &Spot) -> Option<Beside> {
        let after = match spot {
            Spot::After(key) => self.index.find(key),
            Spot::First | Spot::Last => None,
        };
        let sibling = after.and_then(|after| self.index.top_in(after, parent));
        if let Some(sibling) = sibling.filter(|sibling| !self.is_heading(*sibling)) {
            return Some(Beside::After(self.index.tail_of(sibling)));
        }
        let is_last = sibling.is_some() || *spot == Spot::Last || (parent.is_none() && after.is_some());
        match (is_last, parent) {
            (true, _) => {
                let last = self.index.last_in(parent).or(parent)?;
                // Below a heading it would stand in that one's group.
                Some(match self.first_heading_in(parent) {
                    Some(heading) => Beside::Before(heading),
                    None => Beside::After(self.index.tail_of(last)),
                })
            }
            // Right behind the group's own line: before all others in it.
            (false, Some(parent)) => Some(Beside::After(parent)),
            (false, None) => self.index.ids().next().map(Beside::Before),
        }
    }

    /// The first heading that stands directly in a group, or in none: behind it nothing else does.
    fn first_heading_in(&mut self, parent: Option<u32>) -> Option<u32> {
        let Some(group) = parent else { return self.first_heading };
        let mut first = None;
        let mut next = self.index.last_in(parent);
        while let Some(heading) = next.filter(|next| self.is_heading(*next)) {
            first = Some(heading);
            let before = self.index.before(heading).filter(|before| *before != group);
            next = before.and_then(|before| self.index.top_in(before, parent));
        }
        first
    }

    fn insert(
        &mut self,
        key: &str,
        parent: Option<u32>,
        spot: &Spot,
        is_group: bool,
        written: &dyn Fn(&Style) -> String,
    ) -> Result<(), Trouble> {
        let Some(beside) = self.beside(parent, spot) else { return self.insert_first(key, written) };
        let style = self.style_in(parent, beside);
        if let Beside::After(other) = beside {
            self.end_line(other, style.ending);
            if let Some(at) = self.behind_lines_of_others(other, &style.indent) {
                return self.insert_at(at, key, &written(&style));
            }
        }
        let text = written(&style);
        let (at, gap, tail) = self.room(beside, &style);
        let Some(face) = Face::read(&text).filter(|face| face.end == text.len() && !face.has_inner) else {
            return Err(self.trouble(at, format!("`{key}` would not be read back"), "give it a title of plain words"));
        };
        let is_settled = parent.is_none_or(|parent| self.is_settled(parent));
        let number = face.title.number.clone();
        let element =
            Element { key: key.into(), number, parent, is_group, gap: gap.len(), face, children: 0, last_child: None };
        self.looked += text.len() as u64;
        self.index.insert(beside, element, tail.len());
        self.splice(Change::one(at, Vec::new(), format!("{gap}{text}{tail}")));
        if !is_settled || self.is_unclosed || !self.is_roadmap_firm {
            self.read_again();
        }
        Ok(())
    }

    /// Whether nothing beside it becomes an item when one is put into a group: lines that say something of a group, and those
    /// that are nobody's, count as items beside one that surely is.
    fn is_settled(&self, group: u32) -> bool {
        let Some(group) = self.index.element(group) else { return true };
        match group.last_child.and_then(|last| self.index.element(last)) {
            Some(last) => last.face.is_strong(),
            None => group.is_group && group.face.is_strong() && group.face.end == group.face.head_end,
        }
    }

    /// Where something new can stand if lines of nobody follow an element: behind those that are indented for what stands
    /// above, which would be lines of the new one. Nothing if only blank lines follow.
    fn behind_lines_of_others(&mut self, id: u32, indent: &str) -> Option<usize> {
        let length = self.index.gap_behind(id);
        let at = self.index.offset(id) + self.index.element(id).map_or(0, |element| element.face.end);
        let gap = self.text.slice(at..at + length).into_owned();
        if gap.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        self.looked += gap.len() as u64;
        let width = |blanks: &str| lists::read(&format!("{blanks}- x")).nodes.first().and_then(Node::indent);
        let own = width(indent);
        let (mut place, mut end) = (0, 0);
        for whole in readable(&gap).split_inclusive('\n') {
            let line = whole.trim_end_matches(['\n', '\r']);
            let blanks = &line[..line.len() - line.trim_start().len()];
            place += whole.len();
            match line.len() == blanks.len() {
                true => {}
                false if width(blanks) > own => end = place,
                false => break,
            }
        }
        Some(at + end)
    }

    /// Puts something new at a place where lines of nobody stand: what they are beside it is read anew.
    fn insert_at(&mut self, at: usize, key: &str, text: &str) -> Result<(), Trouble> {
        self.splice(Change::one(at, Vec::new(), text.to_owned()));
        self.read_again();
        let found = self.index.placed().into_iter().find(|(_, start)| *start == at).map(|(id, _)| id);
        match found {
            Some(id) => {
                self.index.rename(&[(id, key.to_owned())]);
                Ok(())
            }
            None => {
                Err(self.trouble(at, format!("`{key}` would not be read back"), "mend the lines of nobody above it"))
            }
        }
    }

    /// The place beside an element, what must be put before a new one there, and what behind it.
    fn room(&mut self, beside: Beside, style: &Style) -> (usize, String, String) {
        match beside {
            Beside::After(other) => {
                let at = self.index.offset(other) + self.index.element(other).map_or(0, |element| element.face.end);
                let gap = if self.is_heading(other) { style.ending.to_owned() } else { String::new() };
                (at, gap, String::new())
            }
            Beside::Before(other) => {
                let at = self.index.offset(other);
                let tail = if self.is_heading(other) { style.ending.to_owned() } else { String::new() };
                (at, String::new(), tail)
            }
        }
    }

    /// The last line of a file may lack its ending: it gets one before something is put behind it.
    fn end_line(&mut self, id: u32, ending: &str) {
        let source = self.source_of(id);
        let at = self.index.offset(id) + source.len();
        if !source.ends_with('\n')
            && let Some(face) = Face::read(&format!("{source}{ending}"))
        {
            self.index.set_face(id, face);
            self.splice(Change::one(at, Vec::new(), ending.to_owned()));
        }
    }

    fn is_heading(&self, id: u32) -> bool {
        self.index.element(id).is_some_and(|element| matches!(element.face.head, Head::Heading(_)))
    }

    /// How something is written that stands in a group: like those that are there, or a step further in than the group.
    fn style_in(&mut self, parent: Option<u32>, beside: Beside) -> Style {
        let (Beside::After(other) | Beside::Before(other)) = beside;
        // Behind a group's own line, the first in it is the nearest: it may be indented further than the last.
        let beside = if Some(other) == parent { self.index.next(other) } else { Some(other) };
        let near = beside.and_then(|near| self.index.top_in(near, parent)).filter(|near| !self.is_heading(*near));
        let like = near.or_else(|| self.index.last_in(parent)).filter(|like| !self.is_heading(*like));
        let ending = self.ending();
        if let Some(like) = like {
            let (indent, bullet) = self.head_of(like);
            let step = self.step_of(like, &indent);
            return Style { indent, bullet, step, ending };
        }
        match parent.filter(|parent| !self.is_heading(*parent)) {
            None => Style { indent: String::new(), bullet: '-', step: "  ".into(), ending },
            Some(parent) => {
                let (indent, bullet) = self.head_of(parent);
                let step = if indent.ends_with('\t') { "\t" } else { "  " };
                Style { indent: format!("{indent}{step}"), bullet, step: step.into(), ending }
            }
        }
    }

    /// The blanks in front of an element, and its bullet.
    fn head_of(&mut self, id: u32) -> (String, char) {
        let source = self.source_of(id);
        let Some(Head::Entry { marker, .. }) = self.index.element(id).map(|element| element.face.head.clone()) else {
            return (String::new(), '-');
        };
        let bullet = source[marker.clone()].chars().next().filter(|bullet| matches!(bullet, '-' | '*' | '+'));
        (source[..marker.start].to_owned(), bullet.unwrap_or('-'))
    }

    /// What lines below an element are indented by.
    fn step_of(&mut self, id: u32, indent: &str) -> String {
        let source = self.source_of(id);
        let line = self.index.element(id).and_then(|element| element.face.lines.first().cloned());
        let step = line.and_then(|line| {
            let text = &source[line.span.start..line.name_span.start];
            let blanks = &text[..text.len() - text.trim_start().len()];
            blanks.strip_prefix(indent).filter(|step| step.len() > 1 || *step == "\t").map(str::to_owned)
        });
        step.unwrap_or_else(|| if indent.ends_with('\t') { "\t".into() } else { "  ".into() })
    }

    /// The first entry of a roadmap, and the roadmap itself if there is none.
    fn insert_first(&mut self, key: &str, written: &dyn Fn(&Style) -> String) -> Result<(), Trouble> {
        let ending = self.ending();
        let style = Style { indent: String::new(), bullet: '-', step: "  ".into(), ending };
        let text = written(&style);
        let (at, head) = match self.roadmap_piece {
            Some(piece) => (self.first_place(piece), String::new()),
            // Above the work log's heading, or at the end.
            None => match self.log_piece {
                Some(piece) => (self.line_above(piece), format!("## Roadmap{ending}{ending}")),
                None => (self.text.len(), format!("## Roadmap{ending}{ending}")),
            },
        };
        let gap = self.gap_before(at, ending);
        let is_followed = self
            .text
            .slice(at..self.text.line(self.text.line_at(at)).end)
            .iter()
            .any(|byte| !byte.is_ascii_whitespace());
        let tail = if is_followed { ending } else { "" };
        self.splice(Change::one(at, Vec::new(), format!("{gap}{head}{text}{tail}")));
        self.read_again();
        let found = self.index.ids().next();
        if let Some(first) =
            found.filter(|first| self.index.element(*first).is_some_and(|element| &*element.key != key))
        {
            self.index.rename(&[(first, key.to_owned())]);
        }
        match found {
            Some(_) => Ok(()),
            None => {
                Err(self.trouble(at, format!("`{key}` would not be read back"), "close what is open above this line"))
            }
        }
    }

    /// Where the first entry of a roadmap goes: to its top, or below lines of a list that are nobody's, which would be its own.
    fn first_place(&mut self, piece: u32) -> usize {
        let (start, length) = (self.index.start(piece), self.index.length(piece));
        let source = self.text.slice(start..start + length);
        self.looked += length as u64;
        let is_list = !lists::read(&readable(&source)).nodes.is_empty();
        start + if is_list { length } else { 0 }
    }

    /// Where the heading above a piece begins.
    fn line_above(&mut self, piece: u32) -> usize {
        let at = self.index.start(piece);
        let mut line = self.text.line_at(at);
        while line > 0 {
            line -= 1;
            let range = self.text.line(line);
            if self.text.slice(range.clone()).starts_with(b"#") {
                return range.start;
            }
        }
        at
    }
}
