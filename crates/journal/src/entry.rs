//! What one entry of a journal says.

use ses_protocol::frames::{HEAD_BYTES, Head, Malformed, Message};
use ses_protocol::{Command, Event, Seed, ToolCallId};

/// Kinds of frames that only journals have.
const HEAD: u8 = 0x40;
const NOTE: u8 = 0x41;
const SEED: u8 = 0x42;
const ANSWERS: u8 = 0x43;
const RESTART: u8 = 0x44;
const CHECKPOINT: u8 = 0x45;
/// Kinds of frames of the protocol: a command with answers of tools, and an event with calls.
const TOOL_REPLIES: u8 = 0x05;
const TOOL_CALLS: u8 = 0x85;
/// Kinds from here on are events.
const FIRST_EVENT: u8 = 0x80;
/// Bytes of a frame's length field, which counts what follows it.
const LENGTH_BYTES: usize = 4;
/// Bits of a call's number that are the same in each isolate of a session.
const CALL_BITS: u64 = (1 << 32) - 1;
/// Bytes of a digest.
pub const DIGEST_BYTES: usize = 32;
/// Bytes of the number of a call.
const CALL_BYTES: usize = 8;

/// The digest of an answer that the journal does not have.
pub type Digest = [u8; DIGEST_BYTES];

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
    /// Some answers of the command are not kept. The command has [`ses_protocol::ToolReply::Promise`] in their place.
    Answers {
        withheld: Vec<(ToolCallId, Digest)>,
        command: Command,
    },
    /// The entries before it are not repeated. JSON text that describes the session from now on.
    Restart(String),
    /// The state of the session at this point. `engine`: text of the owner that says which engines can go on from it.
    /// The entries before it remain valid: engines that cannot use it repeat them.
    Checkpoint {
        engine: String,
        state: Vec<u8>,
    },
    Command(Command),
    Event(Event),
}

/// Kinds that are known without reading the entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    Note,
    Calls,
    Answers,
}

impl Entry {
    /// # Errors
    ///
    /// The bytes are not one whole frame of a known kind.
    pub fn read(frame: &[u8]) -> Result<Self, Malformed> {
        let (head, body) = parts(frame)?;
        let text = || String::from_utf8(body.to_vec()).map_err(|_| Malformed);
        let body = match head.kind {
            HEAD => EntryBody::Head(text()?),
            NOTE => EntryBody::Note(text()?),
            SEED => EntryBody::Seed(Seed::of_bytes(body.try_into().map_err(|_| Malformed)?)),
            ANSWERS => read_answers(body)?,
            RESTART => EntryBody::Restart(text()?),
            CHECKPOINT => read_checkpoint(body)?,
            kind if kind < FIRST_EVENT => EntryBody::Command(Command::read(kind, body)?),
            kind => EntryBody::Event(Event::read(kind, body)?),
        };
        Ok(Self { run: head.session, body })
    }

    /// The kind of a frame that is whole. `None`: it is another one.
    pub fn kind_of(frame: &[u8]) -> Option<EntryKind> {
        match *frame.get(LENGTH_BYTES)? {
            NOTE => Some(EntryKind::Note),
            TOOL_CALLS => Some(EntryKind::Calls),
            ANSWERS | TOOL_REPLIES => Some(EntryKind::Answers),
            _ => None,
        }
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

pub fn seed_frame(run: u32, seed: Seed) -> Vec<u8> {
    frame(SEED, run, &seed.bytes())
}

pub fn restart_frame(run: u32, text: &str) -> Vec<u8> {
    frame(RESTART, run, text.as_bytes())
}

/// The frame of a checkpoint. `None`: it is longer than a frame can be.
pub fn checkpoint_frame(run: u32, engine: &str, state: &[u8]) -> Option<Vec<u8>> {
    let mut body = (engine.len() as u32).to_le_bytes().to_vec();
    body.extend(engine.as_bytes());
    body.extend(state);
    u32::try_from(body.len() + HEAD_BYTES).ok()?;
    Some(frame(CHECKPOINT, run, &body))
}

fn read_checkpoint(body: &[u8]) -> Result<EntryBody, Malformed> {
    let (length, rest) = body.split_first_chunk().ok_or(Malformed)?;
    let (engine, state) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or(Malformed)?;
    let engine = String::from_utf8(engine.to_vec()).map_err(|_| Malformed)?;
    Ok(EntryBody::Checkpoint { engine, state: state.to_vec() })
}

/// The frame of answers some of which are not kept. `None`: it is longer than a frame can be.
pub fn answers_frame(run: u32, withheld: &[(ToolCallId, Digest)], command: &Command) -> Option<Vec<u8>> {
    let mut body = (withheld.len() as u32).to_le_bytes().to_vec();
    for (call, digest) in withheld {
        body.extend(call.to_le_bytes());
        body.extend(digest);
    }
    body.extend(message_frame(run, command)?);
    u32::try_from(body.len() + HEAD_BYTES).ok()?;
    Some(frame(ANSWERS, run, &body))
}

fn read_answers(body: &[u8]) -> Result<EntryBody, Malformed> {
    let (count, mut rest) = body.split_first_chunk().ok_or(Malformed)?;
    let mut withheld = Vec::new();
    for _ in 0..u32::from_le_bytes(*count) {
        let (call, after) = rest.split_first_chunk::<CALL_BYTES>().ok_or(Malformed)?;
        let (digest, after) = after.split_first_chunk().ok_or(Malformed)?;
        withheld.push((u64::from_le_bytes(*call), *digest));
        rest = after;
    }
    // Not an entry, which could be one of this kind again, to any depth.
    match parts(rest)? {
        (Head { kind: TOOL_REPLIES, .. }, body) => {
            Ok(EntryBody::Answers { withheld, command: Command::read(TOOL_REPLIES, body)? })
        }
        _ => Err(Malformed),
    }
}

/// The head and the body of one whole frame.
fn parts(frame: &[u8]) -> Result<(Head, &[u8]), Malformed> {
    let (head, body) = frame.split_first_chunk::<HEAD_BYTES>().ok_or(Malformed)?;
    let head = Head::read(*head, frame.len())?;
    if head.body_bytes == body.len() { Ok((head, body)) } else { Err(Malformed) }
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
