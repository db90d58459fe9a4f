//! What one entry of a journal says.

use ses_protocol::frames::{HEAD_BYTES, Head, Malformed, Message};
use ses_protocol::{Command, Event, Seed, ToolCallId};

/// Kinds of frames that only journals have.
const HEAD: u8 = 0x40;
const NOTE: u8 = 0x41;
const SEED: u8 = 0x42;
/// Kinds from here on are events.
const FIRST_EVENT: u8 = 0x80;
/// Bytes of a frame's length field, which counts what follows it.
const LENGTH_BYTES: usize = 4;
/// Bits of a call's number that are the same in each isolate of a session.
const CALL_BITS: u64 = (1 << 32) - 1;

/// An entry: a frame of the protocol whose session number is the number of the run, from 1. 0: it belongs to no run.
pub struct Entry {
    pub run: u32,
    pub body: EntryBody,
}

pub enum EntryBody {
    /// JSON text that describes the session. Only the owner reads it.
    Head(String),
    /// JSON text that the replay ignores.
    Note(String),
    /// Random numbers of later runs follow from this seed.
    Seed(Seed),
    Command(Command),
    Event(Event),
}

impl Entry {
    /// # Errors
    ///
    /// The bytes are not one whole frame of a known kind.
    pub fn read(frame: &[u8]) -> Result<Self, Malformed> {
        let (head, body) = frame.split_first_chunk::<HEAD_BYTES>().ok_or(Malformed)?;
        let head = Head::read(*head, frame.len())?;
        if head.body_bytes != body.len() {
            return Err(Malformed);
        }
        let text = || String::from_utf8(body.to_vec()).map_err(|_| Malformed);
        let body = match head.kind {
            HEAD => EntryBody::Head(text()?),
            NOTE => EntryBody::Note(text()?),
            SEED => EntryBody::Seed(Seed::of_bytes(body.try_into().map_err(|_| Malformed)?)),
            kind if kind < FIRST_EVENT => EntryBody::Command(Command::read(kind, body)?),
            kind => EntryBody::Event(Event::read(kind, body)?),
        };
        Ok(Self { run: head.session, body })
    }

    /// The number of the run that a frame belongs to. The frame is whole.
    pub fn run_of(frame: &[u8]) -> u32 {
        frame.first_chunk::<HEAD_BYTES>().map_or(0, |&[.., a, b, c, d]| u32::from_le_bytes([a, b, c, d]))
    }
}

pub fn head_frame(text: &str) -> Vec<u8> {
    frame(HEAD, 0, text.as_bytes())
}

pub fn note_frame(run: u32, text: &str) -> Vec<u8> {
    frame(NOTE, run, text.as_bytes())
}

pub fn seed_frame(seed: Seed) -> Vec<u8> {
    frame(SEED, 0, &seed.bytes())
}

fn frame(kind: u8, run: u32, body: &[u8]) -> Vec<u8> {
    let length = (HEAD_BYTES - LENGTH_BYTES + body.len()) as u32;
    let mut frame = Vec::with_capacity(HEAD_BYTES + body.len());
    frame.extend(length.to_le_bytes());
    frame.push(kind);
    frame.extend(run.to_le_bytes());
    frame.extend(body);
    frame
}

/// The frame of a command or an event. `None`: it is longer than a frame can be.
pub fn message_frame(run: u32, message: &impl Message) -> Option<Vec<u8>> {
    let mut frame = Vec::new();
    message.write(run, &mut frame).ok()?;
    Some(frame)
}

/// The number of a call without the part that differs between isolates.
pub fn plain(call: ToolCallId) -> ToolCallId {
    call & CALL_BITS
}
