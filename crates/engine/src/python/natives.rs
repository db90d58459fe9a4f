//! Native functions with which `js/python/shell.js` boots Pyodide. The functions that replace the environment remain
//! afterwards. They cannot reach the host.

use std::cell::RefCell;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use deno_core::v8;

use crate::memory::budget::BufferBudget;
use crate::platform::startup::random_bytes;
use crate::platform::{session_clock, session_random};
use crate::python::distribution::Distribution;
use crate::python::facts::Facts;
use crate::python::image::{Image, PAGE_BYTES};
use crate::state::log_room::floor_char_boundary;
use crate::values::adopt;
use ses_protocol::Block;

pub type Arguments<'s> = v8::FunctionCallbackArguments<'s>;
pub type Returned<'s> = v8::ReturnValue<'s, v8::Value>;

/// Bytes of the printed output that are kept while Pyodide boots.
const MAX_PRINTED_BYTES: usize = 4 << 10;
/// The most random bytes per call.
const MAX_RANDOM_BYTES: usize = 1 << 20;
/// The most bytes of a string that is encoded or decoded. 128 MiB.
const MAX_TEXT_BYTES: usize = 128 << 20;
/// Encodings, as numbered in shell.js.
const UTF_16: u32 = 1;
const LATIN_1: u32 = 2;

/// The inputs for booting an isolate. Stored in a slot of the isolate until it is sealed.
pub struct Origin {
    pub distribution: Arc<Distribution>,
    pub image: Option<Arc<Image>>,
    /// The most pages of the isolate's WebAssembly memory.
    pub max_pages: u32,
    /// The printed output, to explain a failed boot.
    pub printed: RefCell<String>,
}

/// An object of native functions, which receive the number `data`.
macro_rules! natives {
    ($visibility:vis fn $table:ident: $($name:literal $function:ident)*) => {
        $visibility fn $table<'s>(scope: &mut v8::PinScope<'s, '_>, data: u32) -> Option<v8::Local<'s, v8::Object>> {
            let object = v8::Object::new(scope);
            let data = v8::Integer::new_from_unsigned(scope, data).into();
            $(
                let function = v8::Function::builder($function)
                    .data(data)
                    .constructor_behavior(v8::ConstructorBehavior::Throw)
                    .build(scope)?;
                let name = v8::String::new(scope, $name)?;
                function.set_name(name);
                object.set(scope, name.into(), function.into())?;
            )*
            Some(object)
        }
    };
}
pub(super) use natives;

natives! {
    pub fn environment:
    "now" now
    "random" random
    "decode" decode
    "encode" encode
    "encodeInto" encode_into
    "print" print
    "text" text
    "bytes" bytes
    "modules" modules
    "module" module
    "pages" pages
    "header" header
    "restore" restore
    "refused" refused
}

fn origin(scope: &v8::PinScope) -> Option<Rc<Origin>> {
    scope.get_slot::<Rc<Origin>>().cloned()
}

/// Throws an error that the embedder's own script does not expect.
pub fn throw(scope: &mut v8::PinScope, message: &str) {
    if let Some(message) = v8::String::new(scope, message) {
        let error = v8::Exception::error(scope, message);
        scope.throw_exception(error);
    }
}

/// The memory of the interpreter could not grow.
fn refused<'s>(scope: &mut v8::PinScope<'s, '_>, _: Arguments<'s>, _: Returned<'s>) {
    note_refused(scope);
}

fn note_refused(scope: &v8::PinScope) {
    if let Some(facts) = scope.get_slot::<Rc<Facts>>() {
        facts.note_refused_memory();
    }
}

/// Milliseconds since an arbitrary moment of this process.
fn now<'s>(_: &mut v8::PinScope<'s, '_>, _: Arguments<'s>, mut returned: Returned<'s>) {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    returned.set_double(session_clock::now_ms().unwrap_or_else(|| START.elapsed().as_secs_f64() * 1e3));
}

/// Returns this many random bytes.
pub fn random<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let count = args.get(0).uint32_value(scope).unwrap_or_default() as usize;
    let mut bytes = vec![0; count.min(MAX_RANDOM_BYTES)];
    // A shorter result would be used as if it were complete.
    if count > MAX_RANDOM_BYTES || !(session_random::fill(&mut bytes) || random_bytes(&mut bytes)) {
        throw(scope, "the system gives no random bytes");
        return;
    }
    if let Some(array) = new_bytes(scope, &bytes) {
        returned.set(array.into());
    }
}

/// A copy of `bytes`. `None`: an exception is pending.
pub fn new_bytes<'s>(scope: &mut v8::PinScope<'s, '_>, bytes: &[u8]) -> Option<v8::Local<'s, v8::Uint8Array>> {
    let block = Block::copy_of(bytes)?;
    adopt(scope, block)
}

fn adopt<'s>(scope: &mut v8::PinScope<'s, '_>, block: Block) -> Option<v8::Local<'s, v8::Uint8Array>> {
    let budget = scope.get_slot::<Arc<BufferBudget>>()?.clone();
    let adopted = adopt::bytes(scope, &budget, block);
    if adopted.is_none() {
        note_refused(scope);
    }
    adopted
}

/// Decodes the bytes of a view: (view, encoding, whether invalid bytes are an error).
fn decode<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let Ok(view) = v8::Local::<v8::ArrayBufferView>::try_from(args.get(0)) else { return };
    let encoding = args.get(1).uint32_value(scope).unwrap_or_default();
    let is_fatal = args.get(2).is_true();
    let mut storage = [0; v8::TYPED_ARRAY_MAX_SIZE_IN_HEAP];
    if view.byte_length() > MAX_TEXT_BYTES {
        return throw(scope, "the text is too long");
    }
    let bytes = view.get_contents(&mut storage);
    let text = match encoding {
        UTF_16 => {
            let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
            v8::String::new_from_two_byte(scope, &units, v8::NewStringType::Normal)
        }
        LATIN_1 => v8::String::new_from_one_byte(scope, bytes, v8::NewStringType::Normal),
        _ if is_fatal && std::str::from_utf8(bytes).is_err() => {
            let message = v8::String::new(scope, "The encoded data was not valid");
            if let Some(message) = message {
                let error = v8::Exception::type_error(scope, message);
                scope.throw_exception(error);
            }
            return;
        }
        _ => v8::String::new_from_utf8(scope, bytes, v8::NewStringType::Normal),
    };
    match text {
        Some(text) => returned.set(text.into()),
        None => throw(scope, "the text is too long"),
    }
}

/// The UTF-8 of a string.
fn encode<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let Ok(text) = v8::Local::<v8::String>::try_from(args.get(0)) else { return };
    let length = text.utf8_length(scope);
    if length > MAX_TEXT_BYTES {
        return throw(scope, "the text is too long");
    }
    // SAFETY: V8 initializes the first bytes of the room, as many as it returns.
    let block = unsafe {
        Block::fill(length, |room| text.write_utf8_uninit_v2(scope, room, v8::WriteFlags::kReplaceInvalidUtf8, None))
    };
    if let Some(bytes) = block.and_then(|block| adopt(scope, block)) {
        returned.set(bytes.into());
    }
}

/// Writes a string into a view, as far as there is room: `[units read, bytes written]`.
fn encode_into<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let (Ok(text), Ok(view)) =
        (v8::Local::<v8::String>::try_from(args.get(0)), v8::Local::<v8::Uint8Array>::try_from(args.get(1)))
    else {
        return;
    };
    let (mut read, mut written) = (0, 0);
    if let Some(data) = NonNull::new(view.data().cast::<MaybeUninit<u8>>()) {
        // SAFETY: the view's bytes stay in place as long as nothing in the isolate runs, and V8 writes no more than
        // there is room for.
        let room = unsafe { std::slice::from_raw_parts_mut(data.as_ptr(), view.byte_length()) };
        written = text.write_utf8_uninit_v2(scope, room, v8::WriteFlags::kReplaceInvalidUtf8, Some(&mut read));
    }
    let counts = [v8::Number::new(scope, read as f64).into(), v8::Number::new(scope, written as f64).into()];
    returned.set(v8::Array::new_with_elements(scope, &counts).into());
}

/// Keeps a line to explain why Pyodide does not boot. Lines after the boot are dropped.
fn print<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    let Some(origin) = origin(scope) else { return };
    let mut line = args.get(0).to_rust_string_lossy(scope);
    let mut printed = origin.printed.borrow_mut();
    line.truncate(floor_char_boundary(&line, MAX_PRINTED_BYTES.saturating_sub(printed.len())));
    if !line.is_empty() {
        printed.push_str(&line);
        printed.push('\n');
    }
}

/// A string of the distribution, by its name.
fn text<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let Some(origin) = origin(scope) else { return };
    let Distribution { lock, prelude, .. } = &*origin.distribution;
    let name = args.get(0).to_rust_string_lossy(scope);
    let text = match name.as_str() {
        "pyodide-lock.json" => lock,
        "prelude" => prelude,
        _ => return throw(scope, &format!("Pyodide reads {name}, which does not exist")),
    };
    if let Some(text) = v8::String::new(scope, text) {
        returned.set(text.into());
    }
}

/// A file of the distribution, by its name.
fn bytes<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let Some(origin) = origin(scope) else { return };
    let name = args.get(0).to_rust_string_lossy(scope);
    if name != "python_stdlib.zip" {
        return throw(scope, &format!("Pyodide reads {name}, which does not exist"));
    }
    if let Some(bytes) = new_bytes(scope, &origin.distribution.stdlib) {
        returned.set(bytes.into());
    }
}

/// Names of the modules that are imported before guest code runs.
fn modules<'s>(scope: &mut v8::PinScope<'s, '_>, _: Arguments<'s>, mut returned: Returned<'s>) {
    let Some(origin) = origin(scope) else { return };
    let names = origin.distribution.spec.modules.iter().map(|name| v8::String::new(scope, name).map(Into::into));
    if let Some(names) = names.collect::<Option<Vec<v8::Local<v8::Value>>>>() {
        returned.set(v8::Array::new_with_elements(scope, &names).into());
    }
}

/// The compiled module.
fn module<'s>(scope: &mut v8::PinScope<'s, '_>, _: Arguments<'s>, mut returned: Returned<'s>) {
    let Some(origin) = origin(scope) else { return };
    if let Some(module) = origin.distribution.compiled(scope, origin.image.as_deref()) {
        returned.set(module.into());
    }
}

/// `[initial, maximum]` of the memory.
fn pages<'s>(scope: &mut v8::PinScope<'s, '_>, _: Arguments<'s>, mut returned: Returned<'s>) {
    let Some(origin) = origin(scope) else { return };
    let wasm = &origin.distribution.wasm;
    let initial = origin.image.as_ref().map_or(0, |image| image.pages()).max(wasm.min_pages);
    let maximum = origin.max_pages.min(wasm.max_pages);
    let pages = [initial, maximum].map(|count| v8::Number::new(scope, f64::from(count)).into());
    returned.set(v8::Array::new_with_elements(scope, &pages).into());
}

/// The snapshot's header; undefined without a snapshot.
fn header<'s>(scope: &mut v8::PinScope<'s, '_>, _: Arguments<'s>, mut returned: Returned<'s>) {
    let Some(image) = origin(scope).and_then(|origin| origin.image.clone()) else { return };
    if let Some(header) = new_bytes(scope, &image.header) {
        returned.set(header.into());
    }
}

/// Fills a memory with the snapshot's.
fn restore<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    let Some(image) = origin(scope).and_then(|origin| origin.image.clone()) else { return };
    let Ok(memory) = v8::Local::<v8::WasmMemoryObject>::try_from(args.get(0)) else { return };
    let buffer = memory.buffer();
    let base = buffer.data().filter(|_| buffer.byte_length() >= image.pages() as usize * PAGE_BYTES);
    let Some(base) = base else { return throw(scope, "the memory is too small for the snapshot") };
    // SAFETY: the buffer belongs to a WebAssembly memory of this isolate, has at least as many bytes, and this is the
    // isolate's thread.
    if let Err(error) = unsafe { image.map(base.cast()) } {
        throw(scope, &format!("the snapshot cannot be mapped: {error}"));
    }
}
