//! Looks through what the host wrote before the isolate reads it.

use super::HOST_VERSION;
use super::reader::{DENSE_ARRAY, END_OF_DENSE, Open, Reader};

/// What V8 takes at most for an object, its map and that of the frozen object, and for one in the list of what is to be
/// frozen.
const OBJECT_BYTES: usize = 320;
/// A property: key and value, a map with its descriptor and a transition to it if no other object has the same keys, the
/// frozen map's descriptor, and the cache of names.
const PROPERTY_BYTES: usize = 256;
/// An array, without its elements and with them frozen.
const ARRAY_BYTES: usize = 112;
/// A place in an array before and after it is frozen, and a number on the heap.
const ELEMENT_BYTES: usize = 48;
/// A string without its characters.
const STRING_BYTES: usize = 32;

/// A value of objects, primitives, and arrays that have elements only. V8 can read one whatever its version, if there is
/// memory and stack.
#[derive(Debug, PartialEq, Eq)]
pub struct Plain {
    /// How deeply the value is nested.
    pub depth: usize,
    /// Bytes that it takes on V8's heap at most, once it is hardened.
    pub heap_bytes: usize,
}

impl Plain {
    /// `None`: the wire holds anything else. Time and memory are linear in its length.
    pub fn of(wire: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(wire);
        let mut open = Vec::new();
        let mut plain = Self { depth: 0, heap_bytes: 0 };
        reader.read_header().filter(|&version| version <= HOST_VERSION.into())?;
        loop {
            let in_array = match open.last() {
                Some(&Open::Until { end, numbers }) if reader.peek_tag()? == end => {
                    let has_properties = end == END_OF_DENSE && *wire.get(reader.at + 1)? != 0;
                    if has_properties {
                        return None;
                    }
                    reader.read_part(&mut open, end, numbers)?;
                    if open.is_empty() {
                        return Some(plain);
                    }
                    continue;
                }
                Some(Open::Until { end, .. }) => *end == END_OF_DENSE,
                Some(_) => return None,
                None => true,
            };
            plain.heap_bytes += if in_array { ELEMENT_BYTES } else { PROPERTY_BYTES / 2 };
            let start = reader.at;
            match reader.peek_tag()? {
                b'_' | b'0' | b'T' | b'F' | b'I' | b'U' | b'N' | b'^' => {}
                b'"' | b'c' => plain.heap_bytes += STRING_BYTES,
                b'o' | b'D' => plain.heap_bytes += OBJECT_BYTES,
                DENSE_ARRAY => plain.heap_bytes += ARRAY_BYTES,
                _ => return None,
            }
            reader.open_value(&mut open)?;
            // All that follows a tag is the length of an array, or the characters of a string.
            plain.heap_bytes += reader.at - start;
            plain.depth = plain.depth.max(open.len());
            if open.is_empty() {
                return Some(plain);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_arrays_and_primitives_are_plain() {
        let wire = b"\xFF\x0FA\x02o\"\x01kA\x01N\0\0\0\0\0\0\xE0\x3F$\0\x01{\x01\"\x04text$\0\x02";
        assert_eq!(Plain::of(wire).map(|plain| plain.depth), Some(3));
        assert_eq!(Plain::of(b"\xFF\x0FI\x02").map(|plain| plain.depth), Some(0));
    }

    #[test]
    fn what_each_part_takes_is_counted() {
        let of_array = |parts: &[u8]| {
            let wire = [b"\xFF\x0FA\x02".as_slice(), parts, b"$\0\x02"].concat();
            Plain::of(&wire).expect("plain").heap_bytes - Plain::of(b"\xFF\x0FA\0$\0\0").expect("plain").heap_bytes
        };
        assert_eq!(of_array(b"TT"), 2 * (ELEMENT_BYTES + 1));
        assert_eq!(of_array(b"T\"\x03abc"), 2 * ELEMENT_BYTES + STRING_BYTES + 6);
        assert_eq!(of_array(b"To{\0"), 2 * ELEMENT_BYTES + OBJECT_BYTES + 2);
        assert_eq!(of_array(b"To\"\x01aT{\x01"), 2 * ELEMENT_BYTES + OBJECT_BYTES + PROPERTY_BYTES + STRING_BYTES + 6);
    }

    #[test]
    fn other_values_versions_and_arrays_with_properties_are_not() {
        for wire in [
            b"\xFF\x10T".as_slice(),
            b"\xFF\x0F;:\0",
            b"\xFF\x0Frm\"\x01x.",
            b"\xFF\x0Fa\x02I\0T@\x01\x02",
            b"\xFF\x0FA\x01T\"\x01kT$\x01\x01",
            b"\xFF\x0FA\x01",
            b"",
        ] {
            assert_eq!(Plain::of(wire), None);
        }
    }
}
