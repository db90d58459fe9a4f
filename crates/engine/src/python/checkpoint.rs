//! The state of a session between two runs, as bytes: the interpreter's memory, files in memory, and what refers to the
//! memory from outside.
//!
//! An isolate that is restored has started from the same files, so its JavaScript refers to the same places of the
//! memory. `outside.js` compares that, and refuses what it cannot hold: objects of JavaScript, files that are not in
//! memory.

use deno_core::v8;
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use crate::platform::{session_clock, session_random};
use crate::python::calls::Own;
use crate::python::image::{self, BLOCK_BYTES, PAGE_BYTES, Run};
use crate::python::natives::new_bytes;
use crate::state::host::Host;
use ses_protocol::frames::{HEAD_BYTES, Message};
use ses_protocol::{Command, Seed, ToolSpec};

/// The first bytes of a state of this version.
const MAGIC: &[u8; 8] = b"sesck\0\0\x02";
/// The most that is worth a checkpoint: files, and memory without its zeros. 64 MiB: a second of work.
const MAX_BYTES: usize = 64 << 20;
/// The packed memory also has an offset and a length for each run of it.
const MAX_BODY_BYTES: usize = MAX_BYTES + MAX_BYTES / BLOCK_BYTES * image::RUN_BYTES + BLOCK_BYTES;
/// Favours speed. Higher levels save a tenth and take three times as long.
const LEVEL: u8 = 1;
/// The kind of the frame that has the tools.
const TOOLS_KIND: u8 = 0x03;
/// Bytes of a length.
const LENGTH_BYTES: usize = 8;
const OTHER_FORM: &str = "it has another form";

/// The state of a session between two runs. `max_bytes`: it is refused if it takes more.
///
/// # Errors
///
/// Why it cannot be captured. The session can go on unless the isolate is being terminated.
pub fn take(scope: &mut v8::PinScope, host: &Host, own: &Own, max_bytes: usize) -> Result<Vec<u8>, String> {
    if own.has_mounted() {
        return refuse("it has a folder of the host");
    }
    if own.has_packages {
        return refuse("it has packages of the host");
    }
    let (Some((seed, position)), Some(now_ms)) = (session_random::position(), session_clock::now_ms()) else {
        return refuse("it has had no run");
    };
    let mut body = outside(scope, own)?;
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
    let Some(packed) = image::packed_within(bytes, MAX_BYTES - body.len()) else {
        return refuse("its memory is too large");
    };
    body.extend(packed);
    let mut state = MAGIC.to_vec();
    state.extend(own.build);
    state.extend(seed.bytes());
    state.extend(position.to_le_bytes());
    state.extend(now_ms.to_le_bytes());
    state.extend(host.calls.borrow().made().to_le_bytes());
    put(&mut state, &framed[HEAD_BYTES..]);
    state.extend(compress_to_vec_zlib(&body, LEVEL));
    if state.len() > max_bytes {
        return refuse("it is larger than a transfer may be");
    }
    Ok(state)
}

/// Gives an isolate, which has had no command, the state that [`take`] has returned.
///
/// # Errors
///
/// Why it cannot be restored. The isolate may have a part of it, and must not go on.
pub fn restore(scope: &mut v8::PinScope, host: &Host, own: &Own, state: &[u8]) -> Result<(), String> {
    let read = Read::of(state).ok_or(OTHER_FORM)?;
    if read.build != own.build {
        return refuse("it was made by another build");
    }
    let body = decompress_to_vec_zlib_with_limit(read.body, MAX_BODY_BYTES).map_err(|_| OTHER_FORM)?;
    let body = Body::of(&body).ok_or(OTHER_FORM)?;
    admit(scope, own, &body)?;
    let memory = own.shell.memory(scope).ok_or("it has no memory")?;
    let buffer = memory.buffer();
    let base = buffer.data().filter(|_| buffer.byte_length() >= body.length).ok_or("its memory is too small")?;
    // SAFETY: these are the bytes of the buffer, and nothing in the isolate runs while they are written.
    let bytes = unsafe { std::slice::from_raw_parts_mut(base.cast::<u8>().as_ptr(), buffer.byte_length()) };
    image::unpack(bytes, &body.runs);
    session_random::resume(scope, read.seed, read.position);
    session_clock::set_now(Some(read.now_ms));
    host.calls.borrow_mut().set_last_number(read.calls);
    own.add_tools(host, &read.tools);
    Ok(())
}

fn refuse<T>(reason: &str) -> Result<T, String> {
    Err(reason.to_owned())
}

/// What refers to the memory from outside: JSON, the number of files with contents, and these contents.
fn outside(scope: &mut v8::PinScope, own: &Own) -> Result<Vec<u8>, String> {
    let told = own.shell.call(scope, "outside", &[]).ok_or("what is outside of its memory cannot be told")?;
    let Ok(list) = v8::Local::<v8::Array>::try_from(told) else { return Err(told.to_rust_string_lossy(scope)) };
    let mut body = Vec::new();
    for at in 0..list.length() {
        let part = list.get_index(scope, at).ok_or("what is outside of its memory cannot be told")?;
        let Ok(view) = v8::Local::<v8::Uint8Array>::try_from(part) else {
            put(&mut body, part.to_rust_string_lossy(scope).as_bytes());
            body.extend(u64::from(list.length() - 1).to_le_bytes());
            continue;
        };
        let start = body.len() + LENGTH_BYTES;
        let end = start + view.byte_length();
        if end > MAX_BYTES {
            return refuse("its files are too large");
        }
        body.extend((view.byte_length() as u64).to_le_bytes());
        body.resize(end, 0);
        view.copy_contents(&mut body[start..]);
    }
    if body.len() > MAX_BYTES { refuse("it has too many files") } else { Ok(body) }
}

/// Gives the isolate what refers to the memory from outside.
fn admit(scope: &mut v8::PinScope, own: &Own, body: &Body) -> Result<(), String> {
    let no_room = "its files need more memory";
    let text = v8::String::new(scope, body.outside).ok_or(OTHER_FORM)?.into();
    let size = v8::Number::new(scope, body.length as f64).into();
    let contents = body.contents.iter().map(|bytes| Some(new_bytes(scope, bytes)?.into()));
    let contents = contents.collect::<Option<Vec<v8::Local<v8::Value>>>>().ok_or(no_room)?;
    let contents = v8::Array::new_with_elements(scope, &contents).into();
    let reason = own.shell.call(scope, "admit", &[text, size, contents]).ok_or(OTHER_FORM)?;
    let reason = reason.to_rust_string_lossy(scope);
    if reason.is_empty() { Ok(()) } else { Err(reason) }
}

/// A state that was read.
struct Read<'a> {
    build: [u8; 32],
    seed: Seed,
    position: u128,
    now_ms: f64,
    calls: u64,
    tools: Vec<ToolSpec>,
    /// Compressed.
    body: &'a [u8],
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
        let (tools, body) = part(rest)?;
        let Ok(Command::SetTools { tools, .. }) = Command::read(TOOLS_KIND, tools) else { return None };
        (magic == MAGIC).then_some(Self {
            build: *build,
            seed: Seed::of_bytes(*seed),
            position: u128::from_le_bytes(*position),
            now_ms: f64::from_le_bytes(*now_ms),
            calls: u64::from_le_bytes(*calls),
            tools,
            body,
        })
    }
}

/// The part of a state that is compressed.
struct Body<'a> {
    /// JSON of `shell.js`.
    outside: &'a str,
    /// Contents of files that are not those of the start.
    contents: Vec<&'a [u8]>,
    /// Bytes of the memory, and those of them that are not zero.
    length: usize,
    runs: Vec<Run<'a>>,
}

impl<'a> Body<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let (outside, rest) = part(bytes)?;
        let (count, mut rest) = rest.split_first_chunk::<LENGTH_BYTES>()?;
        let mut contents = Vec::new();
        for _ in 0..u64::from_le_bytes(*count) {
            let (file, after) = part(rest)?;
            contents.push(file);
            rest = after;
        }
        let (length, runs) = image::unpacked(rest)?;
        let outside = std::str::from_utf8(outside).ok()?;
        (length % PAGE_BYTES == 0).then_some(Self { outside, contents, length, runs })
    }
}

/// Adds bytes after their length.
fn put(to: &mut Vec<u8>, bytes: &[u8]) {
    to.extend((bytes.len() as u64).to_le_bytes());
    to.extend(bytes);
}

fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<LENGTH_BYTES>()?;
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
        let mut whole = MAGIC.to_vec();
        whole.extend([0; 96]);
        put(&mut whole, &framed[HEAD_BYTES..]);
        let read = Read::of(&whole).unwrap();
        assert_eq!((read.tools[0].id, read.body.len()), (4, 0));
        assert!((0..whole.len()).all(|length| Read::of(&whole[..length]).is_none()));
        let mut other = whole;
        other[7] += 1;
        assert!(Read::of(&other).is_none());
    }
    #[test]
    fn a_body_that_is_cut_off_is_refused() {
        let mut whole = Vec::new();
        put(&mut whole, b"{}");
        whole.extend(2u64.to_le_bytes());
        put(&mut whole, b"a file");
        put(&mut whole, b"");
        let memory = [vec![0; PAGE_BYTES], vec![1; PAGE_BYTES]].concat();
        whole.extend(image::packed_within(&memory, PAGE_BYTES).unwrap());
        let body = Body::of(&whole).unwrap();
        assert_eq!((body.outside, body.contents), ("{}", vec![b"a file".as_slice(), b""]));
        assert_eq!((body.length, body.runs), (memory.len(), vec![(PAGE_BYTES, &memory[PAGE_BYTES..])]));
        assert!((0..whole.len()).all(|length| Body::of(&whole[..length]).is_none()));
    }
}
