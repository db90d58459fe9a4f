//! Reads V8's serialization format as far as needed to find the parts of a value. Bytes that V8 does not write are
//! refused.

/// Errors are tagged `r`; what follows is one of these.
pub const ERROR: u8 = b'r';
pub const ERROR_FIELDS: &[u8] = b"ERFSTUmsc.";
pub const MESSAGE: u8 = b'm';
pub const STACK: u8 = b's';
pub const CAUSE: u8 = b'c';
const END_OF_ERROR: u8 = b'.';

/// An array as its length and its elements.
pub const DENSE_ARRAY: u8 = b'A';
pub const END_OF_DENSE: u8 = b'$';
/// An array as its length and pairs of keys and values.
pub const SPARSE_ARRAY: u8 = b'a';
pub const END_OF_SPARSE: u8 = b'@';
/// A number in zigzag encoding.
pub const INTEGER: u8 = b'I';

/// A container that is open while the serialized bytes are read. Kept in a list, so the depth of the value takes heap
/// and not stack.
#[derive(Clone, Copy)]
pub enum Open {
    /// Until the tag `end`, followed by `numbers` numbers.
    Until { end: u8, numbers: u8 },
    /// A sparse array with its tag at `tag_at`; two numbers follow its end.
    Sparse { tag_at: usize, length: usize },
    /// Between the fields of an error.
    Error,
}

pub struct Reader<'a> {
    pub wire: &'a [u8],
    pub at: usize,
}

impl<'a> Reader<'a> {
    pub fn new(wire: &'a [u8]) -> Self {
        Self { wire, at: 0 }
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.wire.len()
    }

    /// Returns the version.
    pub fn read_header(&mut self) -> Option<usize> {
        if self.byte()? != super::VERSION_TAG {
            return None;
        }
        self.number()
    }

    /// Reads the next field of an error, or its end, and returns its tag.
    pub fn read_field(&mut self, open: &mut Vec<Open>) -> Option<u8> {
        let tag = self.byte()?;
        match tag {
            MESSAGE | STACK => self.skip_string()?,
            CAUSE => self.open_value(open)?,
            END_OF_ERROR => drop(open.pop()),
            field if ERROR_FIELDS.contains(&field) => {}
            _ => return None,
        }
        Some(tag)
    }

    /// Reads the next part of the open container up to the tag `end`, or that end with its numbers.
    pub fn read_part(&mut self, open: &mut Vec<Open>, end: u8, numbers: u8) -> Option<()> {
        if self.peek_tag()? != end {
            return self.open_value(open);
        }
        self.at += 1;
        for _ in 0..numbers {
            self.number()?;
        }
        open.pop();
        Some(())
    }

    /// Reads a value without parts, or the beginning of a value with parts, which it adds to `open`.
    pub fn open_value(&mut self, open: &mut Vec<Open>) -> Option<()> {
        let tag = self.peek_tag()?;
        self.at += 1;
        match tag {
            b'_' | b'0' | b'T' | b'F' | b'-' | b'y' | b'x' => {}
            // A host object is one value, which follows.
            b'\\' => return self.open_value(open),
            b'I' | b'U' => drop(self.number()?),
            b'^' => {
                self.number()?;
                self.skip_view();
            }
            b'N' | b'D' | b'n' => self.skip(8)?,
            b'Z' | b'z' => {
                let bits = self.number()?;
                self.skip(bits >> 1)?;
            }
            b'"' | b'c' | b'S' => {
                let length = self.number()?;
                self.skip(length)?;
            }
            b'B' => {
                let length = self.number()?;
                self.skip(length)?;
                self.skip_view();
            }
            b'~' => {
                let length = self.number()?;
                self.number()?;
                self.skip(length)?;
                self.skip_view();
            }
            b's' => self.skip_string()?,
            b'R' => {
                self.skip_string()?;
                self.number()?;
            }
            b'o' => open.push(Open::Until { end: b'{', numbers: 1 }),
            DENSE_ARRAY => {
                self.number()?;
                open.push(Open::Until { end: END_OF_DENSE, numbers: 2 });
            }
            SPARSE_ARRAY => {
                let tag_at = self.at - 1;
                let length = self.number()?;
                open.push(Open::Sparse { tag_at, length });
            }
            b';' => open.push(Open::Until { end: b':', numbers: 1 }),
            b'\'' => open.push(Open::Until { end: b',', numbers: 1 }),
            ERROR => open.push(Open::Error),
            _ => return None,
        }
        Some(())
    }

    /// Skips the view on the last array buffer, if one follows: together they are one value.
    fn skip_view(&mut self) -> Option<()> {
        if self.peek_tag()? == b'V' {
            self.skip(2)?;
            // Offset, length, flags.
            for _ in 0..3 {
                self.number()?;
            }
        }
        Some(())
    }

    fn skip_string(&mut self) -> Option<()> {
        match self.peek_tag()? {
            b'"' | b'c' | b'S' => {
                self.at += 1;
                let length = self.number()?;
                self.skip(length)
            }
            _ => None,
        }
    }

    /// The next tag. Skips padding before it.
    pub fn peek_tag(&mut self) -> Option<u8> {
        while *self.wire.get(self.at)? == 0 {
            self.at += 1;
        }
        self.wire.get(self.at).copied()
    }

    pub fn byte(&mut self) -> Option<u8> {
        let byte = *self.wire.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// A number of variable length: seven bits a byte, the lowest first.
    pub fn number(&mut self) -> Option<usize> {
        if let Some(&byte) = self.wire.get(self.at).filter(|&&byte| byte < 0x80) {
            self.at += 1;
            return Some(byte.into());
        }
        let mut value = 0usize;
        for shift in (0..).step_by(7) {
            let byte = self.byte()?;
            let bits = usize::from(byte & 0x7F);
            value |= bits.checked_shl(shift).filter(|shifted| shifted >> shift == bits)?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    pub fn skip(&mut self, length: usize) -> Option<()> {
        let end = self.at.checked_add(length).filter(|&end| end <= self.wire.len())?;
        self.at = end;
        Some(())
    }
}
