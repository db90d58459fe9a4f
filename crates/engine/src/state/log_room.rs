//! The room that is left in a run's log (specification, section 7.3). Entries are cut here, at their source, because
//! guests can log more than is worth transferring.

use std::time::{SystemTime, UNIX_EPOCH};

use ses_protocol::{LogEntry, TRUNCATION_MARKER};

/// Room for entries up to a limit of UTF-8 bytes, line breaks between entries included.
#[derive(Debug)]
pub struct LogRoom {
    max_bytes: usize,
    /// Bytes of the entries so far, joined by line breaks.
    bytes: usize,
    is_empty: bool,
    is_cut: bool,
}

impl LogRoom {
    pub fn new(max_bytes: usize) -> Self {
        Self { max_bytes, bytes: 0, is_empty: true, is_cut: false }
    }

    /// Whether another entry would be kept, at least in part.
    pub fn is_open(&self) -> bool {
        !self.is_cut
    }

    /// The most bytes of text of the next entry before it is cut.
    pub fn remaining(&self) -> usize {
        self.max_bytes.saturating_sub(self.bytes + self.separator())
    }

    /// The entry, cut to the room that is left. `complete` is false if `message` is only the beginning of a longer
    /// text.
    pub fn take(&mut self, level: usize, mut message: String, complete: bool) -> Option<LogEntry> {
        if self.is_cut {
            return None;
        }
        let room = self.remaining();
        if !complete || self.bytes + self.separator() + message.len() > self.max_bytes {
            message.truncate(floor_char_boundary(&message, room));
            message.push_str(TRUNCATION_MARKER);
            self.is_cut = true;
        }
        self.bytes += self.separator() + message.len();
        self.is_empty = false;
        let at_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_millis() as f64);
        Some(LogEntry { level, message, at_ms })
    }

    /// Bytes between the last entry and the next one.
    fn separator(&self) -> usize {
        usize::from(!self.is_empty)
    }
}

/// `text` with each line indented. If that exceeds `room` bytes, only a beginning of it that does.
pub fn indented(text: &str, indent: usize, room: usize) -> String {
    let mut result = String::new();
    for line in text.split_inclusive('\n') {
        result.extend(std::iter::repeat_n(' ', indent));
        result.push_str(line);
        if result.len() > room {
            return result;
        }
    }
    if text.is_empty() || text.ends_with('\n') {
        result.extend(std::iter::repeat_n(' ', indent));
    }
    result
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

    fn cut(limit: usize, messages: &[&str]) -> String {
        let mut room = LogRoom::new(limit);
        let kept = messages.iter().filter_map(|message| room.take(0, (*message).to_owned(), true));
        kept.map(|entry| entry.message).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn line_breaks_between_entries_count() {
        assert_eq!(cut(100, &["a", "", "b€"]), "a\n\nb€");
        assert_eq!(cut(6, &["abc", "defg", "h"]), "abc\nde...[TRUNCATED]");
    }

    #[test]
    fn text_of_exactly_the_limit_is_whole() {
        assert_eq!(cut(6, &["abc", "de"]), "abc\nde");
    }

    #[test]
    fn an_entry_without_room_leaves_the_marker_on_a_line_of_its_own() {
        assert_eq!(cut(6, &["abc", "de", ""]), "abc\nde\n...[TRUNCATED]");
    }

    #[test]
    fn lines_are_indented_as_far_as_there_is_room() {
        assert_eq!(indented("a\n\nb\n", 2, 100), "  a\n  \n  b\n  ");
        assert_eq!(indented("", 2, 100), "  ");
        assert_eq!(indented(&"\n".repeat(1_000_000), 1_000, 3_000), format!("{}\n", " ".repeat(1_000)).repeat(3));
    }

    #[test]
    fn a_character_is_never_split() {
        assert_eq!(cut(3, &["a€b"]), "a...[TRUNCATED]");
    }

    #[test]
    fn the_beginning_of_a_longer_text_is_marked() {
        let mut room = LogRoom::new(100);
        assert_eq!(room.take(0, "a".to_owned(), false).map(|entry| entry.message), Some("a...[TRUNCATED]".to_owned()));
        assert!(!room.is_open());
    }
}
