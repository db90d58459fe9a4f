//! Examines the host's output before the isolate reads it.

use super::HOST_VERSION;
use super::reader::{DENSE_ARRAY, END_OF_DENSE, Reader};

const END_OF_OBJECT: u8 = b'{';

/// The maximum size of an object in V8, its map, the map of the frozen object, and its entry in the list of objects to
/// freeze.
const OBJECT_BYTES: usize = 320;
/// A property: key and value, a map with its descriptor and a transition to it if no other object has the same keys,
/// the descriptor of the frozen map, and the cache of names.
const PROPERTY_BYTES: usize = 320;
/// An array, without its elements and with them frozen.
const ARRAY_BYTES: usize = 112;
/// A slot in an array before and after it is frozen, and a number on the heap.
const ELEMENT_BYTES: usize = 48;
/// A string without its characters.
const STRING_BYTES: usize = 32;

/// A value made of objects, primitives, and arrays with elements only. V8 of any version can read one, if there is
/// enough memory and stack.
#[derive(Debug, PartialEq, Eq)]
pub struct Plain {
    /// The depth of nesting.
    pub depth: usize,
    /// The maximum number of bytes on V8's heap, after hardening.
    pub heap_bytes: usize,
}

impl Plain {
    /// `None`: the serialized bytes hold anything else. Time and memory are linear in their length.
    pub fn of(wire: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(wire);
        // The tags that end the open containers.
        let mut open = Vec::new();
        let mut plain = Self { depth: 0, heap_bytes: 0 };
        reader.read_header().filter(|&version| version <= HOST_VERSION.into())?;
        loop {
            let tag = reader.peek_tag()?;
            reader.at += 1;
            let end = open.last().copied();
            if end == Some(tag) {
                let properties = reader.number()?;
                if tag == END_OF_DENSE {
                    reader.number()?;
                    if properties > 0 {
                        return None;
                    }
                }
                open.pop();
            } else {
                plain.heap_bytes += if end == Some(END_OF_OBJECT) { PROPERTY_BYTES / 2 } else { ELEMENT_BYTES };
                match tag {
                    b'_' | b'0' | b'T' | b'F' => {}
                    b'I' | b'U' | b'^' => drop(reader.number()?),
                    b'N' => reader.skip(8)?,
                    b'"' | b'c' => {
                        let length = reader.number()?;
                        reader.skip(length)?;
                        plain.heap_bytes += STRING_BYTES + length;
                    }
                    b'o' => {
                        plain.heap_bytes += OBJECT_BYTES;
                        open.push(END_OF_OBJECT);
                    }
                    DENSE_ARRAY => {
                        reader.number()?;
                        plain.heap_bytes += ARRAY_BYTES;
                        open.push(END_OF_DENSE);
                    }
                    _ => return None,
                }
                plain.depth = plain.depth.max(open.len());
            }
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
        assert_eq!(of_array(b"TT"), 2 * ELEMENT_BYTES);
        assert_eq!(of_array(b"T\"\x03abc"), 2 * ELEMENT_BYTES + STRING_BYTES + 3);
        assert_eq!(of_array(b"To{\0"), 2 * ELEMENT_BYTES + OBJECT_BYTES);
        assert_eq!(of_array(b"To\"\x01aT{\x01"), 2 * ELEMENT_BYTES + OBJECT_BYTES + PROPERTY_BYTES + STRING_BYTES + 1);
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
