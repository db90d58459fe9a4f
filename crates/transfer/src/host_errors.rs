//! Removes the stacks from the errors in the host's output.
//!
//! A stack of the host names its files, which guests must not see. Also, V8 has changed the place of the stack: Node.js
//! 20 writes it after the cause, where the isolate's newer V8 does not accept it. An error without a stack gets one of
//! the guest's realm when it is read.

use super::reader::{CAUSE, END_OF_SPARSE, ERROR, ERROR_FIELDS, MESSAGE, Open, Reader, STACK};

/// `wire` without the stacks of its errors. `None` if there is nothing to remove, or if the bytes are not what
/// `lib/ses/transfer.ts` writes; V8 then refuses them. Time and memory are linear in the length.
pub fn without_stacks(wire: &[u8]) -> Option<Vec<u8>> {
    if !wire.windows(3).any(may_begin_error) {
        return None;
    }
    let stacks = find_stacks(wire)?;
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

/// Whether an error with a stack can begin with these three bytes. Excludes nearly all text.
fn may_begin_error(bytes: &[u8]) -> bool {
    bytes[0] == ERROR
        && match bytes[1] {
            // A string, or the padding before it.
            MESSAGE | STACK => b"\"cS\0".contains(&bytes[2]),
            CAUSE => true,
            _ => ERROR_FIELDS.contains(&bytes[1]) && ERROR_FIELDS.contains(&bytes[2]),
        }
}

/// The ranges of stacks, including the tag.
fn find_stacks(wire: &[u8]) -> Option<Vec<(usize, usize)>> {
    let mut reader = Reader::new(wire);
    let mut stacks = Vec::new();
    let mut open = Vec::new();
    reader.read_header()?;
    loop {
        let start = reader.at;
        match open.last() {
            Some(Open::Error) => {
                if reader.read_field(&mut open)? == STACK {
                    stacks.push((start, reader.at));
                }
            }
            Some(&Open::Until { end, numbers }) => reader.read_part(&mut open, end, numbers)?,
            Some(Open::Sparse { .. }) => reader.read_part(&mut open, END_OF_SPARSE, 2)?,
            None if reader.is_at_end() => return Some(stacks),
            None => reader.open_value(&mut open)?,
        }
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
