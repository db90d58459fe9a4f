//! Rewrites frozen arrays in an isolate's output as ordinary arrays.
//!
//! V8 writes a frozen array as a sparse one, with the key of each element, and takes half as long again to read it.
//! Values from the host are frozen, and so are values that guests harden.

use super::reader::{DENSE_ARRAY, END_OF_DENSE, END_OF_SPARSE, INTEGER, Open, Reader, SPARSE_ARRAY};

/// Shorter values are read as fast as they are searched.
const MIN_BYTES: usize = 1 << 10;
/// Bytes that are examined together.
const CHUNK_BYTES: usize = 256;

/// `wire` with all sparse arrays made dense. Unchanged if there is none, or if one is really sparse or has other
/// properties.
pub fn with_dense_arrays(wire: Vec<u8>) -> Vec<u8> {
    if wire.len() < MIN_BYTES || !may_hold_sparse_array(&wire) {
        return wire;
    }
    rewrite(&wire).unwrap_or(wire)
}

/// Searches for the beginning of a sparse array with an element 0: a tag, a length, a key.
fn may_hold_sparse_array(wire: &[u8]) -> bool {
    let is_array = |at: usize| {
        let is_key = wire[at..].starts_with(&[INTEGER, 0]);
        is_key && at > 1 && wire[at.saturating_sub(6)..at - 1].contains(&SPARSE_ARRAY)
    };
    let next = wire.get(1..).unwrap_or_default();
    let mut chunks = wire.chunks(CHUNK_BYTES).zip(next.chunks(CHUNK_BYTES)).enumerate();
    chunks.any(|(index, (chunk, next))| {
        // Without branches, so that many bytes are compared at once.
        let has_key = chunk.iter().zip(next).fold(false, |has, (&a, &b)| has | ((a == INTEGER) & (b == 0)));
        has_key && (index * CHUNK_BYTES..).take(CHUNK_BYTES).take_while(|&at| at < wire.len()).any(is_array)
    })
}

/// Time and memory are linear in the length. `None`: not all arrays can be dense, or V8 does not write such bytes.
fn rewrite(wire: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader::new(wire);
    let mut open = Vec::new();
    // Elements read so far of each open sparse array.
    let mut counts = Vec::new();
    let mut dense = Vec::with_capacity(wire.len());
    // The bytes from here on are not copied yet.
    let mut from = 0;
    reader.read_header()?;
    loop {
        let known = open.len();
        match open.last().copied() {
            Some(Open::Error) => drop(reader.read_field(&mut open)?),
            Some(Open::Until { end, numbers }) => reader.read_part(&mut open, end, numbers)?,
            Some(Open::Sparse { length, .. }) => {
                let count = counts.last_mut()?;
                let tag = reader.peek_tag()?;
                dense.extend_from_slice(&wire[from..reader.at]);
                reader.at += 1;
                match tag {
                    INTEGER if *count < length && reader.number()? == 2 * *count => {
                        from = reader.at;
                        *count += 1;
                        reader.open_value(&mut open)?;
                    }
                    END_OF_SPARSE if *count == length && reader.number()? == length => {
                        // No other properties; the length follows.
                        dense.extend_from_slice(&[END_OF_DENSE, 0]);
                        from = reader.at;
                        reader.number()?;
                        counts.pop();
                        open.pop();
                    }
                    _ => return None,
                }
            }
            None if reader.is_at_end() => break,
            None => reader.open_value(&mut open)?,
        }
        if open.len() > known
            && let Some(&Open::Sparse { tag_at, .. }) = open.last()
        {
            dense.extend_from_slice(&wire[from..tag_at]);
            dense.push(DENSE_ARRAY);
            from = tag_at + 1;
            counts.push(0);
        }
    }
    dense.extend_from_slice(&wire[from..]);
    Some(dense)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `["text", [0.5, [], { k: ["x"] }]]` with all arrays frozen.
    const FROZEN: &[u8] = b"\xFF\x0Fa\x02I\0\"\x04textI\x02a\x03I\0N\0\0\0\0\0\0\xE0\x3FI\x02a\0@\0\0I\x04o\"\x01ka\x01I\0\"\x01x@\x01\x01{\x01@\x03\x03@\x02\x02";
    const DENSE: &[u8] =
        b"\xFF\x0FA\x02\"\x04textA\x03N\0\0\0\0\0\0\xE0\x3FA\0$\0\0o\"\x01kA\x01\"\x01x$\0\x01{\x01$\0\x03$\0\x02";

    #[test]
    fn frozen_arrays_become_dense() {
        assert!(may_hold_sparse_array(FROZEN));
        assert_eq!(rewrite(FROZEN).as_deref(), Some(DENSE));
        assert_eq!(rewrite(DENSE).as_deref(), Some(DENSE));
    }

    #[test]
    fn arrays_with_holes_or_other_properties_are_left_alone() {
        for wire in [
            b"\xFF\x0Fa\x02I\0T@\x01\x02".as_slice(),
            b"\xFF\x0Fa\x02I\x02T@\x01\x02",
            b"\xFF\x0Fa\x01I\0T\"\x01kT@\x02\x01",
            b"\xFF\x0Fa\x01I\0TI\x02T@\x02\x01",
        ] {
            assert_eq!(rewrite(wire), None);
        }
    }

    #[test]
    fn only_wires_with_a_sparse_array_are_rewritten() {
        let long = |wire: &[u8]| [wire, &[b'_'; MIN_BYTES]].concat();
        assert_eq!(with_dense_arrays(long(FROZEN)), long(DENSE));
        assert!(!may_hold_sparse_array(&long(DENSE)));
        assert_eq!(with_dense_arrays(FROZEN.to_vec()), FROZEN);
    }

    #[test]
    fn every_prefix_and_every_changed_byte_is_survived() {
        for length in 0..FROZEN.len() {
            rewrite(&FROZEN[..length]);
        }
        for at in 0..FROZEN.len() {
            for byte in 0..=u8::MAX {
                let mut broken = FROZEN.to_vec();
                broken[at] = byte;
                rewrite(&broken);
            }
        }
    }
}
