//! Counts the memory that an isolate's value takes in Node.js, before it gets there.
//!
//! The serialized size says little about that: three bytes are a Map of two hundred bytes, and nine bytes an array with
//! room for 30 million elements.

use std::ops::Range;

use super::head::{Head, Kind, has_needless_room};
use super::patterns::is_cheap;
use super::reader::Reader;

/// Host memory allowed for each serialized byte.
const HOST_FACTOR: usize = 4;
/// The memory that any value may take: 1 MiB.
const MIN_HOST_BYTES: usize = 1 << 20;
/// Larger values are read in slices. Node.js takes about ten milliseconds for this much. 8 MiB.
const MAX_WHOLE_BYTES: usize = 8 << 20;
/// Larger parts are read separately: 256 KiB.
pub const SLICE_BYTES: usize = 256 << 10;
/// Node.js reads a part recursively, on a stack that may already be in use.
const MAX_HEIGHT: usize = 200;
/// More levels than any isolate's stack can write. The reader keeps a record for each open level, which takes several
/// times the memory of the value.
const MAX_DEPTH: usize = 100_000;
/// A guest can choose keys with the same hash, so that each further key takes longer. Only a few may be read in one
/// piece.
const MAX_WHOLE_KEYS: usize = 512;
/// Pairs of keys of one table, in all values that are read in one piece. With equal hashes they take Node.js about ten
/// milliseconds.
const MAX_WHOLE_PAIRS: usize = 32 * MAX_WHOLE_KEYS * MAX_WHOLE_KEYS;
/// The memory per part of a larger table while it grows.
const MANY_KEYS: usize = 1_024;
const GROWTH: usize = 96;

/// Why serialized bytes are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// V8 does not write such bytes.
    Broken,
    /// The value would take too much memory in Node.js.
    TooLarge,
}

/// A regular expression that is too expensive for the host's thread.
#[derive(Debug, PartialEq, Eq)]
pub struct Costly {
    /// Its position in the serialized bytes.
    pub at: Range<usize>,
    /// Its source, with tag and length.
    pub text: Range<usize>,
    pub flags: usize,
}

/// The changes that serialized bytes need before Node.js reads them.
#[derive(Debug, Default)]
pub struct Survey {
    pub host_bytes: usize,
    /// The positions of values that are read part by part, in order. The values that contain them are included.
    pub large: Vec<usize>,
    /// In order.
    pub costly: Vec<Costly>,
    /// Pairs of keys of one table.
    pairs: usize,
    /// Whether a value must not be read in one piece, whatever its size.
    is_uneven: bool,
}

impl Survey {
    /// Whether reading everything in one piece would block the host's thread.
    pub fn needs_slices(&self) -> bool {
        let is_long = self.host_bytes > MAX_WHOLE_BYTES || self.pairs > MAX_WHOLE_PAIRS;
        !self.large.is_empty() && (self.is_uneven || is_long)
    }
}

/// A value whose parts are being examined.
struct Open {
    at: usize,
    kind: Kind,
    length: usize,
    parts: usize,
    /// The size of everything before it.
    before: usize,
    /// The depth of its parts.
    height: usize,
    has_large: bool,
}

impl Open {
    /// Whether it has all parts that its reader assumes.
    fn is_whole(&self) -> bool {
        match self.kind {
            Kind::Dense => self.parts >= self.length,
            Kind::Error => self.parts == 1,
            _ => true,
        }
    }
}

/// Surveys serialized bytes. `max_bytes`: the limit for their length. Time and memory are linear in their length.
pub fn survey(wire: &[u8], max_bytes: usize) -> Result<Survey, Refusal> {
    let max_host_bytes = max_bytes.saturating_mul(HOST_FACTOR).max(MIN_HOST_BYTES);
    let mut found = Survey::default();
    let mut reader = Reader::new(wire);
    let mut open: Vec<Open> = Vec::new();
    reader.read_header().ok_or(Refusal::Broken)?;
    loop {
        if let Some(value) = open.last()
            && reader.ends(value.kind).ok_or(Refusal::Broken)?
        {
            if let Some(value) = open.pop() {
                if !value.is_whole() {
                    return Err(Refusal::Broken);
                }
                found.close(&value, open.last_mut());
            }
        } else {
            if let Some(of) = open.last_mut() {
                of.parts += 1;
                if of.kind.is_table() && of.parts > MANY_KEYS {
                    found.host_bytes += GROWTH;
                }
            }
            reader.peek_tag().ok_or(Refusal::Broken)?;
            let (at, before) = (reader.at, found.host_bytes);
            let (head, bytes) = reader.head().ok_or(Refusal::Broken)?;
            found.host_bytes = before.saturating_add(bytes);
            match head {
                Head::Open { .. } if open.len() == MAX_DEPTH => return Err(Refusal::Broken),
                Head::Open { kind, length } => {
                    open.push(Open { at, kind, length, parts: 0, before, height: 0, has_large: false });
                }
                Head::Pattern { text, flags } if !is_cheap(wire, &text, flags) => {
                    // As a string it takes the memory of a string.
                    found.host_bytes = before + 4 * (reader.at - at) + SLICE_BYTES / 256;
                    found.costly.push(Costly { at: at..reader.at, text, flags });
                }
                _ => {}
            }
        }
        if found.host_bytes > max_host_bytes {
            return Err(Refusal::TooLarge);
        }
        if open.is_empty() {
            break;
        }
    }
    found.large.sort_unstable();
    Ok(found)
}

impl Survey {
    fn close(&mut self, value: &Open, of: Option<&mut Open>) {
        let Open { at, kind, length, parts, before, height, has_large } = *value;
        let keys = if matches!(kind, Kind::Map | Kind::Set) { parts } else { 0 };
        let has_many_keys = keys > MAX_WHOLE_KEYS;
        self.pairs = self.pairs.saturating_add(keys.saturating_mul(keys));
        let is_uneven =
            has_many_keys || height > MAX_HEIGHT || (kind == Kind::Sparse && has_needless_room(length, parts / 2));
        let is_large = has_large || is_uneven || self.host_bytes - before > SLICE_BYTES;
        self.is_uneven |= is_uneven;
        if is_large {
            self.large.push(at);
        }
        if let Some(of) = of {
            of.height = of.height.max(height + 1);
            of.has_large |= is_large;
        }
    }
}
