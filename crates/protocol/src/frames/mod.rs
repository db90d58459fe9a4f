//! Commands and events as bytes, for peers that share no memory: `u32 length | u8 kind | u32 session | body`, little endian.
//!
//! One writer and one reader, of which neither trusts the other's peer: the reader checks each length against the bytes that
//! are there before it takes memory, holds what it takes to a multiple of the frame's size, and refuses kinds, tags and
//! texts that it does not know. Nothing here panics or recurses by what the bytes say.
//!
//! [`VERSION`] is part of the first frame and grows with every change: `golden.rs` has the bytes of each kind.

mod messages;
mod parts;
mod reader;
mod shapes;
mod stream;
mod writer;

#[cfg(test)]
mod golden;

pub use messages::{Control, FromWorker, Hello, Message, Status, ToWorker};
pub use reader::Malformed;
pub(crate) use reader::Reader;
pub(crate) use shapes::{choice, record};
pub use stream::Frames;
pub(crate) use writer::Writer;

/// What a peer must speak, byte for byte.
pub const VERSION: u32 = 8;

/// Bytes of a frame in front of its body, the length included.
pub const HEAD_BYTES: usize = 9;
/// Bytes that the length does not count: itself.
const LENGTH_BYTES: usize = 4;

/// Something that a frame can carry.
pub(crate) trait Part: Sized {
    fn write(&self, to: &mut Writer);

    /// # Errors
    ///
    /// The bytes are not what [`Self::write`] writes.
    fn read(from: &mut Reader) -> Result<Self, Malformed>;
}

/// The head of a frame, before its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub kind: u8,
    pub session: u32,
    /// Bytes that follow.
    pub body_bytes: usize,
}

impl Head {
    /// # Errors
    ///
    /// The frame is shorter than a frame can be, or longer than `most` bytes.
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
