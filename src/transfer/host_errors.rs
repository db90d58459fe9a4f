//! Takes the stacks out of the errors in what the host wrote.
//!
//! A stack of the host names its files, which is nothing that guests should see. And the place where V8 writes it has
//! moved: Node.js 20 writes it after the cause, where the isolate's newer V8 does not accept it. An error without
//! a stack gets one of the guest's realm when it is read.

/// Errors are tagged `r`; what follows is one of these.
const ERROR_FIELDS: &[u8] = b"ERFSTUmsc.";
const MESSAGE: u8 = b'm';
const STACK: u8 = b's';
const CAUSE: u8 = b'c';

/// What is open while the wire is read: the tag that ends it, and how many numbers follow that tag.
enum Open {
    Until {
        end: u8,
        numbers: u8,
    },
    /// Between the fields of an error.
    Error,
}

/// `wire` without the stacks of its errors; `None` if there are none to take out, or if the bytes are not what
/// `lib/transfer.js` writes, which V8 will then refuse. Time and memory are linear in the length.
pub fn without_stacks(wire: &[u8]) -> Option<Vec<u8>> {
    let may_hold_error = wire.windows(2).any(|pair| pair[0] == b'r' && ERROR_FIELDS.contains(&pair[1]));
    if !may_hold_error {
        return None;
    }
    let mut reader = Reader { wire, at: 0 };
    let mut stacks = Vec::new();
    reader.read_header()?;
    reader.find_stacks(&mut stacks)?;
    if stacks.is_empty() {
        return None;
    }
    let mut kept = Vec::with_capacity(wire.len());
    let mut from = 0;
    for (start, end) in stacks {
        kept.extend_from_slice(wire.get(from..start)?);
        from = end;
    }
    kept.extend_from_slice(wire.get(from..)?);
    Some(kept)
}

struct Reader<'a> {
    wire: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn read_header(&mut self) -> Option<()> {
        if self.byte()? != super::VERSION_TAG {
            return None;
        }
        self.number().map(drop)
    }

    /// Collects the ranges of stacks, tag included. Iterative: the depth of the value costs heap, not stack.
    fn find_stacks(&mut self, stacks: &mut Vec<(usize, usize)>) -> Option<()> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            match open.last() {
                Some(Open::Error) => {
                    let start = self.at;
                    match self.byte()? {
                        MESSAGE => self.skip_string()?,
                        STACK => {
                            self.skip_string()?;
                            stacks.push((start, self.at));
                        }
                        CAUSE => self.open_value(&mut open)?,
                        b'.' => {
                            open.pop();
                        }
                        field if ERROR_FIELDS.contains(&field) => {}
                        _ => return None,
                    }
                }
                Some(&Open::Until { end, numbers }) => {
                    if self.peek_tag()? == end {
                        self.at += 1;
                        for _ in 0..numbers {
                            self.number()?;
                        }
                        open.pop();
                    } else {
                        self.open_value(&mut open)?;
                    }
                }
                None if self.at >= self.wire.len() => return Some(()),
                None => self.open_value(&mut open)?,
            }
        }
    }

    /// Reads a value without parts, or the beginning of one with parts, which it adds to `open`.
    fn open_value(&mut self, open: &mut Vec<Open>) -> Option<()> {
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
            b'A' => {
                self.number()?;
                open.push(Open::Until { end: b'$', numbers: 2 });
            }
            b'a' => {
                self.number()?;
                open.push(Open::Until { end: b'@', numbers: 2 });
            }
            b';' => open.push(Open::Until { end: b':', numbers: 1 }),
            b'\'' => open.push(Open::Until { end: b',', numbers: 1 }),
            b'r' => open.push(Open::Error),
            _ => return None,
        }
        Some(())
    }

    /// Skips the view of the array buffer that was read last, if one follows: together they are one value.
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

    /// The next tag; bytes of padding before it are skipped.
    fn peek_tag(&mut self) -> Option<u8> {
        while *self.wire.get(self.at)? == 0 {
            self.at += 1;
        }
        self.wire.get(self.at).copied()
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.wire.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// A number of variable length: seven bits a byte, the lowest first.
    fn number(&mut self) -> Option<usize> {
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

    fn skip(&mut self, length: usize) -> Option<()> {
        let end = self.at.checked_add(length).filter(|&end| end <= self.wire.len())?;
        self.at = end;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `["text with rs", new Error("m", { cause: "c" })]` as Node.js 20 writes it, with the stack "st".
    fn sample() -> Vec<u8> {
        [b"\xFF\x0FA\x02\"\x0Ctext with rs".as_slice(), b"rm\"\x01mc\"\x01cs\"\x02st.$\x00\x02"].concat()
    }

    #[test]
    fn the_stack_is_taken_out_and_the_rest_kept() {
        let expected = [b"\xFF\x0FA\x02\"\x0Ctext with rs".as_slice(), b"rm\"\x01mc\"\x01c.$\x00\x02"].concat();
        assert_eq!(without_stacks(&sample()), Some(expected));
    }

    #[test]
    fn a_cause_may_be_a_view_of_an_array_buffer() {
        let wire = b"\xFF\x0Frm\"\x01xc\\B\x01\x07VB\x00\x01\x00s\"\x01S.";
        let expected = b"\xFF\x0Frm\"\x01xc\\B\x01\x07VB\x00\x01\x00.";
        assert_eq!(without_stacks(wire).as_deref(), Some(expected.as_slice()));
    }

    #[test]
    fn a_wire_without_errors_is_left_alone() {
        assert_eq!(without_stacks(b"\xFF\x0Fo\"\x01r\"\x03r.s{\x01"), None);
    }

    #[test]
    fn every_prefix_and_every_changed_byte_is_survived() {
        let wire = sample();
        for length in 0..wire.len() {
            without_stacks(&wire[..length]);
        }
        for at in 0..wire.len() {
            for byte in 0..=u8::MAX {
                let mut broken = wire.clone();
                broken[at] = byte;
                without_stacks(&broken);
            }
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let mut wire = b"\xFF\x0F".to_vec();
        wire.extend(std::iter::repeat_n(b"A\x01".as_slice(), 500_000).flatten());
        wire.extend(b"rs\"\x01x.");
        wire.extend(std::iter::repeat_n(b"$\x00\x01".as_slice(), 500_000).flatten());
        let kept = without_stacks(&wire);
        assert_eq!(kept.map(|kept| kept.len()), Some(wire.len() - 4));
    }
}
