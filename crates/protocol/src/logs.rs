//! Entries of the log of a run (specification, section 7.3).

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

/// Where the entries are in a log's text, a value per entry: 13 bytes each, so that a million entries cost little.
#[derive(Debug, Default, Clone)]
pub struct LogIndex {
    /// By the index in [`LEVELS`].
    pub levels: Vec<u8>,
    /// Milliseconds since the Unix epoch.
    pub at_ms: Vec<f64>,
    /// UTF-16 units of the message; a line break separates it from the next one.
    pub lengths: Vec<u32>,
}

impl LogIndex {
    /// What separates the next entry from those before.
    pub fn separator(&self) -> &'static str {
        if self.levels.is_empty() { "" } else { "\n" }
    }

    /// Adds an entry to `text`, the messages so far, and where it is.
    pub fn push(&mut self, text: &mut String, entry: &LogEntry) {
        text.push_str(self.separator());
        text.push_str(&entry.message);
        self.levels.push(entry.level as u8);
        self.at_ms.push(entry.at_ms);
        self.lengths.push(entry.message.encode_utf16().count() as u32);
    }
}
