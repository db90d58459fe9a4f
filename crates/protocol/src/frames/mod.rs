//! Commands and events as bytes, for peers that share no memory: `u32 length | u8 kind | u32 session | body`, little
//! endian.
//!
//! There is one writer and one reader, and the reader does not trust the peer. It compares each length with the bytes
//! that are present before it allocates memory, limits that memory to a multiple of the frame's size, and refuses
//! unknown kinds, tags and strings. No input makes it panic or recurse.
//!
//! [`VERSION`] is part of the first frame and is incremented with every change. `golden.rs` has the bytes of each kind.

mod messages;
mod parts;
mod stream;

#[cfg(test)]
mod golden;

pub use messages::{Control, FromWorker, Hello, Message, Status, ToWorker};
pub use stream::Frames;

use crate::encoding::LENGTH_BYTES;
pub use crate::encoding::Malformed;

/// The version of the format. Both peers must use the same one, byte for byte.
pub const VERSION: u32 = 13;

/// Bytes of a frame before its body, including the length.
pub const HEAD_BYTES: usize = 9;

/// The head of a frame, before its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub kind: u8,
    pub session: u32,
    /// Number of bytes in the body.
    pub body_bytes: usize,
}

impl Head {
    /// # Errors
    ///
    /// The frame is shorter than the shortest frame, or longer than `most` bytes.
    pub fn read(head: [u8; HEAD_BYTES], most: usize) -> Result<Self, Malformed> {
        let [a, b, c, d, kind, session @ ..] = head;
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        let body_bytes = length.checked_sub(HEAD_BYTES - LENGTH_BYTES).ok_or(Malformed)?;
        if body_bytes > most {
            return Err(Malformed);
        }
        Ok(Self { kind, session: u32::from_le_bytes(session), body_bytes })
    }
}
