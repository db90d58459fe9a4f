//! The bytes of a message between a client and a supervisor: a payload, one byte for its kind, four for a number.

use bytes::Bytes;

/// The longest payload of a message with bytes of a frame. 64 KiB.
pub const PART_BYTES: usize = 64 << 10;
/// Bytes after the payload.
pub const TRAILER_BYTES: usize = 5;
/// Bytes that a message takes in addition to its payload: its subjects, and its places in queues.
const OVERHEAD_BYTES: usize = 128;

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bytes of frames. Numbered.
    Data,
    /// To a worker: check for frames, even while guest code runs. Numbered, so that it follows the frames before it.
    Wake,
    /// From a supervisor: the process has ended, for this reason. Numbered, and the last one.
    Lost,
    /// Everything before the number has arrived.
    Ack,
    /// The part with this number is missing: send again from there.
    Resend,
    /// To a supervisor: end the process.
    Kill,
    /// From a supervisor: the process that was to be ended has ended.
    Closed,
    /// From a supervisor: the worker ends soon.
    Drain,
    /// From a supervisor: checks whether the client exists and has the session. If not, it answers with `Kill`.
    Probe,
    /// Answer to a claim: the session's address as JSON.
    Claimed,
    /// Answer to a claim: there is no room.
    Full,
    /// Answer to a claim: the worker cannot serve such a session, for this reason.
    Refused,
}

/// All kinds, by their byte.
const KINDS: [Kind; 12] = [
    Kind::Data,
    Kind::Wake,
    Kind::Lost,
    Kind::Ack,
    Kind::Resend,
    Kind::Kill,
    Kind::Closed,
    Kind::Drain,
    Kind::Probe,
    Kind::Claimed,
    Kind::Full,
    Kind::Refused,
];

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    pub kind: Kind,
    pub number: u32,
    pub payload: Bytes,
}

impl Packet {
    /// `None`: not a message of this protocol.
    pub fn read(mut payload: Bytes) -> Option<Self> {
        let at = payload.len().checked_sub(TRAILER_BYTES)?;
        let trailer = payload.split_off(at);
        let &[kind, a, b, c, d] = trailer.first_chunk::<TRAILER_BYTES>()?;
        let kind = *KINDS.get(usize::from(kind))?;
        Some(Self { kind, number: u32::from_le_bytes([a, b, c, d]), payload })
    }
}

/// The room that a message takes, in bytes. Messages without a payload take some too, so room also limits their number.
pub fn room_of(payload: &[u8]) -> usize {
    payload.len() + OVERHEAD_BYTES
}

/// The bytes of a message.
pub fn packet(kind: Kind, number: u32, mut payload: Vec<u8>) -> Bytes {
    payload.reserve_exact(TRAILER_BYTES);
    payload.push(KINDS.iter().position(|&known| known == kind).unwrap_or_default() as u8);
    payload.extend_from_slice(&number.to_le_bytes());
    payload.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_as_it_was_written() {
        for kind in KINDS {
            let read = Packet::read(packet(kind, 0x0102_0304, b"abc".to_vec()));
            assert_eq!(read, Some(Packet { kind, number: 0x0102_0304, payload: Bytes::from_static(b"abc") }));
        }
    }

    #[test]
    fn bytes_that_are_no_message_are_refused() {
        for bytes in [&b""[..], b"abcd", b"\x0C\0\0\0\0", b"\xFF\0\0\0\0"] {
            assert_eq!(Packet::read(Bytes::copy_from_slice(bytes)), None);
        }
    }
}
