//! The beginnings of values in an isolate's output: the kind of each, and the memory that it takes in Node.js.

use std::ops::Range;

use super::reader::{CAUSE, ERROR, ERROR_FIELDS, MESSAGE, Reader, STACK};

/// A value that has parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Object,
    /// An array with all its elements, then other properties.
    Dense,
    /// An array as pairs of keys and values.
    Sparse,
    Map,
    Set,
    /// An error with a cause, its only part.
    Error,
}

impl Kind {
    /// The tag after the last part, and how many numbers follow it.
    fn end(self) -> (u8, usize) {
        match self {
            Self::Object => (b'{', 1),
            Self::Dense => (b'$', 2),
            Self::Sparse => (b'@', 2),
            Self::Map => (b':', 1),
            Self::Set => (b',', 1),
            Self::Error => (b'.', 0),
        }
    }

    /// Whether many parts are kept in a hash table.
    pub fn is_table(self) -> bool {
        !matches!(self, Self::Dense | Self::Error)
    }
}

/// The beginning of a value. The reader is after it, so a value without parts has been read completely.
#[derive(Debug, PartialEq, Eq)]
pub enum Head {
    /// A value without parts, and the number of objects that it is: a view and its buffer are two.
    Leaf { objects: usize },
    /// A reference to an earlier object by its number, which is written at `number`. A view on it may follow, which is
    /// another object.
    Reference { object: usize, number: Range<usize>, views: usize },
    /// A regular expression: the characters of its source, with their tag and length at `text`, and its flags.
    Pattern { text: Range<usize>, flags: usize },
    /// A value whose parts follow; `length` of an array.
    Open { kind: Kind, length: usize },
}

/// Bytes of host memory, by purpose. An element, a property or an entry takes its slot in its container.
const PLACE: usize = 32;
const HEADER: usize = 24;
const OBJECT: usize = 64;
const TABLE: usize = 256;
const BUFFER: usize = 256;
/// V8 parses a regular expression when it is read. This is that time, expressed as memory.
const PATTERN: usize = 4_096;
const PATTERN_BYTE: usize = 64;
/// Arrays up to this length have room for all their elements.
const MAX_ROOM: usize = 32 << 20;
/// Shorter arrays always have it.
const MIN_NEEDLESS_ROOM: usize = 1 << 12;
/// For an element.
const ROOM: usize = 8;

impl Reader<'_> {
    /// Reads the end of a value with parts, if it is next.
    pub fn ends(&mut self, kind: Kind) -> Option<bool> {
        let (end, numbers) = kind.end();
        if self.peek_tag()? != end {
            return Some(false);
        }
        self.at += 1;
        for _ in 0..numbers {
            self.number()?;
        }
        Some(true)
    }

    /// Reads the beginning of a value. The second value: the bytes that it takes in Node.js, or bytes that take as
    /// long, without those of its parts. `None`: V8 does not write such bytes.
    pub fn head(&mut self) -> Option<(Head, usize)> {
        let tag = self.peek_tag()?;
        self.at += 1;
        let (head, bytes) = match tag {
            b'_' | b'0' | b'T' | b'F' | b'-' => (leaf(0), 0),
            b'I' | b'U' => {
                self.number()?;
                (leaf(0), 0)
            }
            b'N' => {
                self.skip(8)?;
                (leaf(0), HEADER)
            }
            b'Z' => (leaf(0), HEADER + self.bigint()?),
            b'"' | b'c' | b'S' => (leaf(0), HEADER + self.text()?),
            b'^' => {
                let from = self.at;
                let object = self.number()?;
                let number = from..self.at;
                let views = self.view()?;
                (Head::Reference { object, number, views }, views * BUFFER)
            }
            b'y' | b'x' => (leaf(1), OBJECT),
            b'D' | b'n' => {
                self.skip(8)?;
                (leaf(1), OBJECT + HEADER)
            }
            b'z' => (leaf(1), OBJECT + HEADER + self.bigint()?),
            b's' => {
                self.text_tag()?;
                (leaf(1), OBJECT + HEADER + self.text()?)
            }
            b'B' | b'~' => {
                let length = self.number()?;
                // The maximum size of a resizable buffer is reserved.
                let reserved = if tag == b'~' { self.number()? } else { length };
                self.skip(length)?;
                let views = self.view()?;
                (leaf(1 + views), reserved.max(length).saturating_add((1 + views) * BUFFER))
            }
            b'R' => {
                let from = self.text_tag()?;
                let bytes = self.text()?;
                let text = from..self.at;
                let flags = self.number()?;
                (Head::Pattern { text, flags }, PATTERN.saturating_add(bytes.saturating_mul(PATTERN_BYTE)))
            }
            b'o' => (open(Kind::Object, 0), OBJECT),
            b'A' => {
                let length = self.number()?;
                (open(Kind::Dense, length), OBJECT)
            }
            b'a' => {
                let length = self.number()?;
                // V8 would take the lowest bits of a larger number.
                u32::try_from(length).ok()?;
                let room = if length < MIN_NEEDLESS_ROOM { length * ROOM } else { 0 };
                (open(Kind::Sparse, length), TABLE + room)
            }
            b';' => (open(Kind::Map, 0), TABLE),
            b'\'' => (open(Kind::Set, 0), TABLE),
            ERROR => self.error()?,
            _ => return None,
        };
        Some((head, bytes.saturating_add(PLACE)))
    }

    /// The fields of an error, up to its cause or its end.
    fn error(&mut self) -> Option<(Head, usize)> {
        let mut bytes = TABLE;
        loop {
            match self.byte()? {
                b'.' => return Some((leaf(1), bytes)),
                CAUSE => return Some((open(Kind::Error, 0), bytes)),
                MESSAGE | STACK => {
                    self.text_tag()?;
                    bytes += HEADER + self.text()?;
                }
                field if ERROR_FIELDS.contains(&field) => {}
                _ => return None,
            }
        }
    }

    /// Reads the tag of a string where only a string may be, and returns its position. Bytes with another tag, copied
    /// into another place, would be read as a different kind of value than the one that was counted.
    fn text_tag(&mut self) -> Option<usize> {
        if !matches!(self.peek_tag()?, b'"' | b'c' | b'S') {
            return None;
        }
        self.at += 1;
        Some(self.at - 1)
    }

    /// The length of a string. Skips its bytes.
    fn text(&mut self) -> Option<usize> {
        let length = self.number()?;
        self.skip(length)?;
        Some(length)
    }

    fn bigint(&mut self) -> Option<usize> {
        let bytes = self.number()? >> 1;
        self.skip(bytes)?;
        Some(bytes)
    }

    /// The number of views that follow the array buffer: one or none.
    fn view(&mut self) -> Option<usize> {
        if self.wire.get(self.at..)?.iter().find(|&&byte| byte != 0) != Some(&b'V') {
            return Some(0);
        }
        self.peek_tag()?;
        self.skip(2)?;
        // Offset, length, flags.
        for _ in 0..3 {
            self.number()?;
        }
        Some(1)
    }
}

/// Whether V8 allocates room for all elements of an array that has few. Such arrays are created differently, see
/// `lib/ses/slices.ts`.
pub fn has_needless_room(length: usize, parts: usize) -> bool {
    (MIN_NEEDLESS_ROOM..=MAX_ROOM).contains(&length) && parts < length / 4
}

fn leaf(objects: usize) -> Head {
    Head::Leaf { objects }
}

fn open(kind: Kind, length: usize) -> Head {
    Head::Open { kind, length }
}
