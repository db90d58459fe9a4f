//! A value on its way between two engines. Simple values and bytes are stored directly, all others in serialized form.

use crate::Block;

/// The head of serialized bytes: tag and version.
const HEAD_BYTES: usize = 2;
/// The longest form of a value's tag with the number that may follow it.
const TAG_BYTES: usize = 6;
/// The most arguments that are stored one by one. A call with more of them has one serialized array.
pub const MAX_LISTED: usize = 16;

/// A value on its way between the threads.
#[derive(Debug)]
pub enum Value {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    /// A string with Latin-1 characters only.
    Latin1(Block),
    /// Any other string.
    Utf16(Vec<u16>),
    /// A Uint8Array that covers its whole buffer.
    Bytes(Block),
    /// Any other value, in V8's serialization format.
    Wire(Vec<u8>),
}

impl Value {
    /// Upper bound of the value's serialized size in bytes, at most a few bytes too large.
    pub fn wire_bytes(&self) -> usize {
        match self {
            Self::Undefined | Self::Null | Self::Bool(_) => HEAD_BYTES + 1,
            Self::Number(_) => HEAD_BYTES + 9,
            Self::Latin1(text) => HEAD_BYTES + TAG_BYTES + text.len(),
            Self::Utf16(units) => HEAD_BYTES + TAG_BYTES + 2 * units.len(),
            // The buffer and the view count as two values.
            Self::Bytes(bytes) => HEAD_BYTES + 3 * TAG_BYTES + bytes.len(),
            Self::Wire(wire) => wire.len(),
        }
    }

    /// Upper bound of the serialized size in bytes of an array of `values`.
    pub fn wire_bytes_of(values: &[Self]) -> usize {
        HEAD_BYTES + 2 * TAG_BYTES + values.iter().map(Self::wire_bytes).sum::<usize>()
    }
}

/// Arguments of a call, or values of variables: as a list, or as one serialized array.
#[derive(Debug)]
pub enum Values {
    List(Vec<Value>),
    Wire(Vec<u8>),
}

impl Values {
    /// Upper bound of the serialized size of the array in bytes.
    pub fn wire_bytes(&self) -> usize {
        match self {
            Self::List(values) => Value::wire_bytes_of(values),
            Self::Wire(wire) => wire.len(),
        }
    }
}
