//! A value between the two engines: itself where it is simple or just bytes, else its wire.

use crate::Block;

/// The head of serialized bytes: tag and version.
const HEAD_BYTES: usize = 2;
/// The tag of a value and the longest number that may follow it.
const TAG_BYTES: usize = 6;
/// A call with more arguments than this sends them as one serialized array.
pub const MAX_LISTED: usize = 16;

/// A value on its way between the threads.
#[derive(Debug)]
pub enum Value {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    /// A string of Latin-1.
    Latin1(Block),
    /// Any other string.
    Utf16(Vec<u16>),
    /// A Uint8Array on a buffer that holds nothing else.
    Bytes(Block),
    /// Anything, in V8's serialization format.
    Wire(Vec<u8>),
}

impl Value {
    /// Bytes that the value's wire takes, or a few more.
    pub fn wire_bytes(&self) -> usize {
        match self {
            Self::Undefined | Self::Null | Self::Bool(_) => HEAD_BYTES + 1,
            Self::Number(_) => HEAD_BYTES + 9,
            Self::Latin1(text) => HEAD_BYTES + TAG_BYTES + text.len(),
            Self::Utf16(units) => HEAD_BYTES + TAG_BYTES + 2 * units.len(),
            // Buffer and view are two values.
            Self::Bytes(bytes) => HEAD_BYTES + 3 * TAG_BYTES + bytes.len(),
            Self::Wire(wire) => wire.len(),
        }
    }

    /// Serialized size in bytes of an array of `values`, or a few more.
    pub fn wire_bytes_of(values: &[Self]) -> usize {
        HEAD_BYTES + 2 * TAG_BYTES + values.iter().map(Self::wire_bytes).sum::<usize>()
    }
}

/// Arguments of a call, or values of variables: one by one, or as a serialized array.
#[derive(Debug)]
pub enum Values {
    List(Vec<Value>),
    Wire(Vec<u8>),
}

impl Values {
    /// Serialized size in bytes of the array, or a few more.
    pub fn wire_bytes(&self) -> usize {
        match self {
            Self::List(values) => Value::wire_bytes_of(values),
            Self::Wire(wire) => wire.len(),
        }
    }
}
