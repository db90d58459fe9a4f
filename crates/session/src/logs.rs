//! Collects the log of one run (specification, section 7.3).

use ses_protocol::{LEVELS, LogEntry, LogIndex, TRUNCATION_MARKER};

/// Collects entries.
#[derive(Debug)]
pub struct LogBuffer {
    /// The messages, joined by line breaks.
    text: String,
    index: LogIndex,
    max_bytes: usize,
}

impl LogBuffer {
    /// A buffer for the log of a run that may have `max_bytes` bytes of text.
    pub fn new(max_bytes: usize) -> Self {
        // The isolate's side cuts the log and adds the marker, at most on a separate line.
        let max_bytes = max_bytes.saturating_add(1 + TRUNCATION_MARKER.len());
        Self { text: String::new(), index: LogIndex::default(), max_bytes }
    }

    /// Adds an entry. False: a run within its limit cannot produce this entry.
    pub fn push(&mut self, entry: &LogEntry) -> bool {
        let bytes = self.text.len() + self.index.separator().len() + entry.message.len();
        if bytes > self.max_bytes || entry.level >= LEVELS.len() {
            return false;
        }
        self.index.push(&mut self.text, entry);
        true
    }

    /// The text and its index.
    pub fn into_parts(self) -> (String, LogIndex) {
        (self.text, self.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(level: usize, message: &str) -> LogEntry {
        LogEntry { level, message: message.to_owned(), at_ms: 0.0 }
    }

    #[test]
    fn entries_are_joined_by_line_breaks() {
        let mut log = LogBuffer::new(100);
        assert!(["a", "", "b€"].iter().all(|message| log.push(&entry(0, message))));
        let (text, index) = log.into_parts();
        assert_eq!((text.as_str(), index.lengths), ("a\n\nb€", vec![1, 0, 2]));
    }

    #[test]
    fn what_no_engine_sends_is_refused() {
        let mut log = LogBuffer::new(3);
        assert!(log.push(&entry(0, "abc")) && log.push(&entry(0, TRUNCATION_MARKER)));
        assert!(!log.push(&entry(0, "")) && !log.push(&entry(LEVELS.len(), "")));
        assert_eq!(log.into_parts().0, format!("abc\n{TRUNCATION_MARKER}"));
    }
}
