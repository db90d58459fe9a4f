//! The log of one run (specification, section 7.3).

use std::time::{SystemTime, UNIX_EPOCH};

/// Console levels in the order of the numbers that the bootstrap passes.
pub const LEVELS: [&str; 5] = ["log", "info", "warn", "error", "debug"];
/// The level of the engine's own remarks.
pub const LEVEL_WARN: usize = 2;
/// What is appended when the byte limit cuts the log.
pub const TRUNCATION_MARKER: &str = "...[TRUNCATED]";

/// One console call.
#[derive(Clone, Debug)]
pub struct LogEntry {
    pub level: usize,
    pub message: String,
    /// Milliseconds since the Unix epoch.
    pub at_ms: f64,
}

/// Collects entries up to a limit of UTF-8 bytes, line breaks between entries included.
#[derive(Debug)]
pub struct LogBuffer {
    entries: Vec<LogEntry>,
    remaining: usize,
    truncated: bool,
    closed: bool,
    /// Entries before this index have been handed out by [`Self::take_unsent`].
    sent: usize,
    /// A wake-up of the reader is under way, so that entries cost one wake-up a batch.
    notified: bool,
}

impl LogBuffer {
    /// A buffer for `max_bytes` bytes of text.
    pub fn new(max_bytes: usize) -> Self {
        Self { entries: Vec::new(), remaining: max_bytes, truncated: false, closed: false, sent: 0, notified: false }
    }

    /// Whether another entry would be kept, at least in part.
    pub fn is_open(&self) -> bool {
        !self.truncated && !self.closed
    }

    /// Bytes of text that the next entry may have before it is cut.
    pub fn remaining(&self) -> usize {
        self.remaining.saturating_sub(self.separator())
    }

    /// Adds an entry; `complete` is false if `message` is only the beginning of a longer text.
    /// Returns whether the reader has to be woken.
    pub fn push(&mut self, level: usize, mut message: String, complete: bool) -> bool {
        if !self.is_open() {
            return false;
        }
        let room = self.remaining();
        if !complete || message.len() > room {
            message.truncate(floor_char_boundary(&message, room));
            message.push_str(TRUNCATION_MARKER);
            self.truncated = true;
            self.remaining = 0;
        } else {
            self.remaining -= message.len() + self.separator();
        }
        let at_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_millis() as f64);
        self.entries.push(LogEntry { level, message, at_ms });
        !std::mem::replace(&mut self.notified, true)
    }

    /// No entry is taken from now on: the outcome has been reported.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// Entries that were not handed out before.
    pub fn take_unsent(&mut self) -> Vec<LogEntry> {
        self.notified = false;
        let unsent = self.entries[self.sent..].to_vec();
        self.sent = self.entries.len();
        unsent
    }

    /// All entries so far.
    pub fn entries(&self) -> &[LogEntry] {
        &self.entries
    }

    /// The messages, joined by line breaks.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(self.entries.iter().map(|entry| entry.message.len() + 1).sum());
        for (index, entry) in self.entries.iter().enumerate() {
            if index > 0 {
                text.push('\n');
            }
            text.push_str(&entry.message);
        }
        text
    }

    fn separator(&self) -> usize {
        usize::from(!self.entries.is_empty())
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

    fn filled(limit: usize, messages: &[&str]) -> LogBuffer {
        let mut log = LogBuffer::new(limit);
        for message in messages {
            log.push(0, (*message).to_owned(), true);
        }
        log
    }

    #[test]
    fn entries_are_joined_by_line_breaks() {
        assert_eq!(filled(100, &["a", "", "b"]).text(), "a\n\nb");
    }

    #[test]
    fn text_is_cut_at_the_limit_and_marked_once() {
        let log = filled(6, &["abc", "defg", "h"]);
        assert_eq!(log.text(), "abc\nde...[TRUNCATED]");
        assert_eq!(log.entries().len(), 2);
        assert!(!log.is_open());
    }

    #[test]
    fn text_of_exactly_the_limit_is_whole() {
        let log = filled(6, &["abc", "de"]);
        assert_eq!(log.text(), "abc\nde");
        assert!(log.is_open());
    }

    #[test]
    fn a_character_is_never_split() {
        assert_eq!(filled(3, &["a€b"]).text(), "a...[TRUNCATED]");
    }

    #[test]
    fn a_batch_of_entries_wakes_the_reader_once() {
        let mut log = LogBuffer::new(100);
        assert!(log.push(0, "a".into(), true));
        assert!(!log.push(0, "b".into(), true));
        assert_eq!(log.take_unsent().len(), 2);
        assert!(log.push(0, "c".into(), true));
        assert_eq!(log.take_unsent().len(), 1);
    }
}
