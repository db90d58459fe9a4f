//! The state of a session between two runs, as bytes: the interpreter's memory, and what refers to it from outside.
//!
//! An isolate that is restored has started from the same files, so its JavaScript refers to the same places of the
//! memory. `shell.js` compares that, and refuses what it cannot hold: objects of JavaScript, changed or open files, timers.

use deno_core::v8;
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use crate::platform::{session_clock, session_random};
use crate::python::calls::Own;
use crate::python::image::{self, BLOCK_BYTES, PAGE_BYTES};
use crate::state::host::Host;
use ses_protocol::frames::{HEAD_BYTES, Message};
use ses_protocol::{Command, Seed, ToolSpec};

/// The first bytes of a state of this version.
const MAGIC: &[u8; 8] = b"sesck\0\0\x01";
/// The largest memory, without its zeros, that is worth a checkpoint. 64 MiB: a second of work.
const MAX_BYTES: usize = 64 << 20;
/// Favours speed. Higher levels save a tenth and take three times as long.
const LEVEL: u8 = 1;
/// The kind of the frame that has the tools.
const TOOLS_KIND: u8 = 0x03;

/// Why a state cannot be captured or restored.
pub enum Refusal {
    /// The isolate is as it was.
    Unchanged(String),
    /// The isolate has a part of the state, and must not go on.
    Broken(String),
}

fn refuse<T>(reason: &str) -> Result<T, Refusal> {
    Err(Refusal::Unchanged(reason.to_owned()))
}

/// The state of a session between two runs. `max_bytes`: it is refused if it takes more.
pub fn take(scope: &mut v8::PinScope, host: &Host, own: &Own, max_bytes: usize) -> Result<Vec<u8>, Refusal> {
    if own.has_mounted() || own.has_packages {
        return refuse("it has a folder of the host");
    }
    let (Some((seed, position)), Some(now_ms)) = (session_random::position(), session_clock::now_ms()) else {
        return refuse("it has had no run");
    };
    let outside = text_of(scope, own, "outside", &[])?;
    if !outside.starts_with('{') {
        return Err(Refusal::Unchanged(outside));
    }
    let tools = Command::SetTools { job: 0, tools: own.tools.borrow().clone() };
    let mut framed = Vec::new();
    if tools.write(0, &mut framed).is_err() {
        return refuse("it has too many tools");
    }
    let Some(memory) = own.shell.memory(scope) else { return refuse("it has no memory") };
    let buffer = memory.buffer();
    let Some(base) = buffer.data() else { return refuse("it has no memory") };
    // SAFETY: these are the bytes of the buffer, and nothing in the isolate runs while they are read.
    let bytes = unsafe { std::slice::from_raw_parts(base.cast::<u8>().as_ptr(), buffer.byte_length()) };
    let Some(packed) = image::packed_within(bytes, MAX_BYTES) else { return refuse("its memory is too large") };
    let mut state = Writer(MAGIC.to_vec());
    state.0.extend(own.build);
    state.0.extend(seed.bytes());
    state.0.extend(position.to_le_bytes());
    state.0.extend(now_ms.to_le_bytes());
    state.0.extend(host.calls.borrow().made().to_le_bytes());
    state.part(outside.as_bytes());
    state.part(&framed[HEAD_BYTES..]);
    state.0.extend(compress_to_vec_zlib(&packed, LEVEL));
    if state.0.len() > max_bytes {
        return refuse("it is larger than a transfer may be");
    }
    Ok(state.0)
}

/// Gives an isolate, which has had no command, the state that [`take`] has returned.
pub fn restore(scope: &mut v8::PinScope, host: &Host, own: &Own, state: &[u8]) -> Result<(), Refusal> {
    let Some(read) = Read::of(state) else { return refuse("it has another form") };
    if read.build != own.build {
        return refuse("it was made by another build");
    }
    // The packed memory also has an offset and a length for each run of it.
    let limit = MAX_BYTES + MAX_BYTES / BLOCK_BYTES * image::RUN_BYTES + BLOCK_BYTES;
    let Ok(packed) = decompress_to_vec_zlib_with_limit(read.packed, limit) else {
        return refuse("it has another form");
    };
    let Some((length, runs)) = image::unpacked(&packed) else { return refuse("it has another form") };
    if length % PAGE_BYTES != 0 {
        return refuse("it has another form");
    }
    let Some(outside) = v8::String::new(scope, read.outside) else { return refuse("it has another form") };
    let size = v8::Number::new(scope, length as f64).into();
    let reason = text_of(scope, own, "admit", &[outside.into(), size])?;
    if !reason.is_empty() {
        return Err(Refusal::Broken(reason));
    }
    let Some(memory) = own.shell.memory(scope) else { return refuse("it has no memory") };
    let buffer = memory.buffer();
    let base = buffer.data().filter(|_| buffer.byte_length() >= length);
    let Some(base) = base else { return Err(Refusal::Broken("its memory is too small".to_owned())) };
    // SAFETY: these are the bytes of the buffer, and nothing in the isolate runs while they are written.
    let bytes = unsafe { std::slice::from_raw_parts_mut(base.cast::<u8>().as_ptr(), buffer.byte_length()) };
    image::unpack(bytes, &runs);
    session_random::resume(scope, read.seed, read.position);
    session_clock::set_now(Some(read.now_ms));
    host.calls.borrow_mut().go_on_from(read.calls);
    own.add_tools(host, &read.tools);
    Ok(())
}

/// The result of a function of the shell.
fn text_of<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    own: &Own,
    name: &str,
    args: &[v8::Local<'s, v8::Value>],
) -> Result<String, Refusal> {
    let text = own.shell.call(scope, name, args).and_then(|text| v8::Local::<v8::String>::try_from(text).ok());
    let Some(text) = text else { return Err(Refusal::Broken(format!("{name} has failed"))) };
    Ok(text.to_rust_string_lossy(scope))
}

struct Writer(Vec<u8>);

impl Writer {
    fn part(&mut self, bytes: &[u8]) {
        self.0.extend((bytes.len() as u64).to_le_bytes());
        self.0.extend(bytes);
    }
}

/// A state that was read.
struct Read<'a> {
    build: [u8; 32],
    seed: Seed,
    position: u128,
    now_ms: f64,
    calls: u64,
    outside: &'a str,
    tools: Vec<ToolSpec>,
    packed: &'a [u8],
}

impl<'a> Read<'a> {
    /// `None`: it is not a state of this version.
    fn of(state: &'a [u8]) -> Option<Self> {
        let (magic, rest) = state.split_first_chunk::<8>()?;
        let (build, rest) = rest.split_first_chunk::<32>()?;
        let (seed, rest) = rest.split_first_chunk::<32>()?;
        let (position, rest) = rest.split_first_chunk::<16>()?;
        let (now_ms, rest) = rest.split_first_chunk::<8>()?;
        let (calls, rest) = rest.split_first_chunk::<8>()?;
        let (outside, rest) = part(rest)?;
        let (tools, packed) = part(rest)?;
        let Ok(Command::SetTools { tools, .. }) = Command::read(TOOLS_KIND, tools) else { return None };
        (magic == MAGIC).then_some(Self {
            build: *build,
            seed: Seed::of_bytes(*seed),
            position: u128::from_le_bytes(*position),
            now_ms: f64::from_le_bytes(*now_ms),
            calls: u64::from_le_bytes(*calls),
            outside: std::str::from_utf8(outside).ok()?,
            tools,
            packed,
        })
    }
}

fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_is_cut_off_or_of_another_version_is_refused() {
        let mut framed = Vec::new();
        let tool = ToolSpec { path: vec!["pay".to_owned()], id: 4, is_async: true, length: 1, is_limited: false };
        Command::SetTools { job: 0, tools: vec![tool] }.write(0, &mut framed).unwrap();
        let mut state = Writer(MAGIC.to_vec());
        state.0.extend([0; 96]);
        state.part(b"{}");
        state.part(&framed[HEAD_BYTES..]);
        let whole = state.0;
        let read = Read::of(&whole).unwrap();
        assert_eq!((read.outside, read.tools[0].id, read.packed.len()), ("{}", 4, 0));
        assert!((0..whole.len()).all(|length| Read::of(&whole[..length]).is_none()));
        let mut other = whole;
        other[7] += 1;
        assert!(Read::of(&other).is_none());
    }
}
