//! Owns the splitting of a stream of server-sent events. Must not know what they say.

/// One event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// Empty if it has none.
    pub(super) name: String,
    pub(super) data: String,
}

/// A stream in the making: bytes come in as they arrive, events go out when they are whole.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    after_return: bool,
    name: String,
    data: Option<String>,
}

impl Events {
    /// Takes the next bytes; gives the events that they complete.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        for &byte in bytes {
            let follows_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if follows_return => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                other => self.line.push(other),
            }
        }
        events
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let name = std::mem::take(&mut self.name);
            return self.data.take().map(|data| Event { name, data });
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_start_matches('\u{feff}');
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.name = value.into(),
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.into()),
            },
            // Comments, ids and times to reconnect say nothing here.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However a stream is cut into pieces, its events are the same.
    #[test]
    fn events_are_whole_however_they_arrive() {
        let stream =
            "\u{feff}event: a\r\ndata: 1\r\ndata: 가\r\n\r\n: comment\rdata:x\r\rid: 3\n\nevent: b\ndata\n\ndata: cut";
        let event = |name: &str, data: &str| Event { name: name.into(), data: data.into() };
        let expected = [event("a", "1\n가"), event("", "x"), event("b", "")];
        for size in 1..stream.len() {
            let mut events = Events::default();
            let found: Vec<Event> = stream.as_bytes().chunks(size).flat_map(|piece| events.take(piece)).collect();
            assert_eq!(found, expected, "in pieces of {size}");
        }
    }
}
