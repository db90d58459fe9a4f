//! The log of one run (specification, section 7.3).

use std::time::{SystemTime, UNIX_EPOCH};

use ses_protocol::{LogEntry, LogIndex};

/// What is appended when the byte limit cuts the log.
pub const TRUNCATION_MARKER: &str = "...[TRUNCATED]";

/// Collects entries up to a limit of UTF-8 bytes, line breaks between entries included.
#[derive(Debug)]
pub struct LogBuffer {
    /// The messages, joined by line breaks.
    text: String,
    index: LogIndex,
    /// Entries that the reader has not taken; kept only if there is one.
    unsent: Option<Vec<LogEntry>>,
    max_bytes: usize,
    truncated: bool,
    closed: bool,
}

impl LogBuffer {
    /// A buffer for `max_bytes` bytes of text. `stream`: somebody takes entries while the run goes on.
    pub fn new(max_bytes: usize, stream: bool) -> Self {
        let unsent = stream.then(Vec::new);
        Self { text: String::new(), index: LogIndex::default(), unsent, max_bytes, truncated: false, closed: false }
    }

    /// Whether another entry would be kept, at least in part.
    pub fn is_open(&self) -> bool {
        !self.truncated && !self.closed
    }

    /// Bytes of text that the next entry may have before it is cut.
    pub fn remaining(&self) -> usize {
        self.max_bytes.saturating_sub(self.text.len() + self.separator().len())
    }

    /// Adds an entry; `complete` is false if `message` is only the beginning of a longer text.
    /// Returns whether the reader has to be woken: for the first entry of a batch.
    pub fn push(&mut self, level: usize, mut message: String, complete: bool) -> bool {
        if !self.is_open() {
            return false;
        }
        let room = self.remaining();
        let needed = self.separator().len() + message.len();
        if !complete || self.text.len() + needed > self.max_bytes {
            message.truncate(floor_char_boundary(&message, room));
            message.push_str(TRUNCATION_MARKER);
            self.truncated = true;
        }
        let at_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_millis() as f64);
        let separator = self.separator();
        self.text.push_str(separator);
        self.text.push_str(&message);
        self.index.levels.push(level as u8);
        self.index.at_ms.push(at_ms);
        self.index.lengths.push(message.encode_utf16().count() as u32);
        let Some(unsent) = &mut self.unsent else { return false };
        unsent.push(LogEntry { level, message, at_ms });
        unsent.len() == 1
    }

    /// Entries that were not taken before.
    pub fn take_unsent(&mut self) -> Vec<LogEntry> {
        self.unsent.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Takes text and index out. No entry is accepted from now on.
    pub fn close(&mut self) -> (String, LogIndex) {
        self.closed = true;
        (std::mem::take(&mut self.text), std::mem::take(&mut self.index))
    }

    fn separator(&self) -> &'static str {
        if self.index.levels.is_empty() { "" } else { "\n" }
    }
}

/// The largest index of a character boundary that is at most `index`.
pub fn floor_char_boundary(text: &str, index: usize) -> usize {
    if index >= text.len() {
        return text.len();
    }
    (0..=index).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(limit: usize, messages: &[&str]) -> (String, LogIndex) {
        let mut log = LogBuffer::new(limit, false);
        for message in messages {
            log.push(0, (*message).to_owned(), true);
        }
        log.close()
    }

    #[test]
    fn entries_are_joined_by_line_breaks() {
        let (text, index) = filled(100, &["a", "", "b€"]);
        assert_eq!((text.as_str(), index.lengths), ("a\n\nb€", vec![1, 0, 2]));
    }

    #[test]
    fn text_is_cut_at_the_limit_and_marked_once() {
        let (text, index) = filled(6, &["abc", "defg", "h"]);
        assert_eq!(text, "abc\nde...[TRUNCATED]");
        assert_eq!(index.levels.len(), 2);
    }

    #[test]
    fn text_of_exactly_the_limit_is_whole() {
        assert_eq!(filled(6, &["abc", "de"]).0, "abc\nde");
    }

    #[test]
    fn an_entry_without_room_leaves_the_marker_on_a_line_of_its_own() {
        assert_eq!(filled(6, &["abc", "de", ""]).0, "abc\nde\n...[TRUNCATED]");
    }

    #[test]
    fn a_character_is_never_split() {
        assert_eq!(filled(3, &["a€b"]).0, "a...[TRUNCATED]");
    }

    #[test]
    fn a_batch_of_entries_wakes_the_reader_once() {
        let mut log = LogBuffer::new(100, true);
        assert!(log.push(0, "a".into(), true));
        assert!(!log.push(0, "b".into(), true));
        assert_eq!(log.take_unsent().len(), 2);
        assert!(log.push(0, "c".into(), true));
        assert_eq!(log.take_unsent().len(), 1);
    }
}
