//! Entries of the log of a run (specification, section 7.3).

/// Console levels in the order of the numbers that the bootstrap passes.
pub const LEVELS: [&str; 5] = ["log", "info", "warn", "error", "debug"];
/// The level of the engine's own messages.
pub const LEVEL_WARN: usize = 2;
/// Appended when the byte limit truncates the log.
pub const TRUNCATION_MARKER: &str = "...[TRUNCATED]";

/// One console call.
#[derive(Clone, Debug)]
pub struct LogEntry {
    pub level: usize,
    pub message: String,
    /// Milliseconds since the Unix epoch.
    pub at_ms: f64,
}

/// The positions of the entries in the text of a log, as arrays with one value per entry: 13 bytes each, so that a
/// million entries take little memory.
#[derive(Debug, Default, Clone)]
pub struct LogIndex {
    /// Each level is an index of [`LEVELS`].
    pub levels: Vec<u8>,
    /// Milliseconds since the Unix epoch.
    pub at_ms: Vec<f64>,
    /// Lengths of the messages in UTF-16 units. A line break separates each message from the next one.
    pub lengths: Vec<u32>,
}

impl LogIndex {
    /// The text between the existing entries and the next one.
    pub fn separator(&self) -> &'static str {
        if self.levels.is_empty() { "" } else { "\n" }
    }

    /// Appends the message of an entry to `text`, which contains the messages so far, and adds its position.
    pub fn push(&mut self, text: &mut String, entry: &LogEntry) {
        text.push_str(self.separator());
        text.push_str(&entry.message);
        self.levels.push(entry.level as u8);
        self.at_ms.push(entry.at_ms);
        self.lengths.push(entry.message.encode_utf16().count() as u32);
    }
}
