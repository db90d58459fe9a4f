//! Transfers values into and out of the isolate, by V8's structured clone.

use std::sync::Arc;

use deno_core::v8;
use v8::{ValueDeserializerHelper, ValueSerializerHelper};

use crate::memory::budget::BufferBudget;
use crate::values::adopt;
use ses_protocol::{Block, MAX_LISTED, Value, Values};
use ses_transfer::{self as transfer, Refusal};

/// Smaller buffers are written by V8, because they may be stored on its heap. 64 KiB.
const MIN_BYTES: usize = 64 << 10;

struct Writer;

impl v8::ValueSerializerImpl for Writer {
    fn throw_data_clone_error<'s>(&self, scope: &mut v8::PinScope<'s, '_>, message: v8::Local<'s, v8::String>) {
        let error = v8::Exception::type_error(scope, message);
        scope.throw_exception(error);
    }
}

/// As [`Writer`], for a copy within the realm.
struct Cloner;

impl v8::ValueSerializerImpl for Cloner {
    fn throw_data_clone_error<'s>(&self, scope: &mut v8::PinScope<'s, '_>, message: v8::Local<'s, v8::String>) {
        let message = message.to_rust_string_lossy(scope);
        throw_data_clone_error(scope, &message);
    }
}

struct Copier;

impl v8::ValueDeserializerImpl for Copier {}

struct Reader;

impl v8::ValueDeserializerImpl for Reader {
    /// The host writes every array buffer view as a host object whose body is one nested value. See
    /// `lib/ses/transfer.ts`.
    fn read_host_object<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        deserializer: &dyn v8::ValueDeserializerHelper,
    ) -> Option<v8::Local<'s, v8::Object>> {
        let context = scope.get_current_context();
        deserializer.read_value(context)?.try_into().ok()
    }
}

/// Why a value could not be serialized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwritable {
    /// It cannot be cloned, an exception is pending, or the isolate is being terminated.
    Thrown,
    /// It takes more bytes than allowed. The number is present if it was written to its end.
    TooLarge(Option<usize>),
}

/// How values leave the isolate.
#[derive(Clone, Copy)]
pub struct Way {
    /// The most serialized bytes of a value.
    pub max_bytes: usize,
    /// Leave the format as V8 writes it. The receiver converts it for Node.js.
    pub is_raw: bool,
}

/// Clones `value`. Getters and proxies of the guest run here.
pub fn write_value<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    value: v8::Local<'s, v8::Value>,
    way: Way,
) -> Result<Value, Unwritable> {
    match simple(scope, value, way.max_bytes) {
        Some(value) => Ok(value),
        None => write(scope, value, way).map(Value::Wire),
    }
}

/// Clones the arguments of a call; otherwise as [`write_value`].
pub fn write_values<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: &v8::FunctionCallbackArguments<'s>,
    way: Way,
) -> Result<Values, Unwritable> {
    if let Some(values) = simple_arguments(scope, args, way.max_bytes) {
        return Ok(Values::List(values));
    }
    let array = array_of(scope, args);
    write(scope, array.into(), way).map(Values::Wire)
}

/// Clones the elements of an array of arguments; otherwise as [`write_value`].
pub fn write_list<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    array: v8::Local<'s, v8::Array>,
    way: Way,
) -> Result<Values, Unwritable> {
    let length = array.length();
    let mut values = Vec::new();
    for index in 0..length.min(MAX_LISTED as u32) {
        let value = array.get_index(scope, index).ok_or(Unwritable::Thrown)?;
        // An array of several objects must preserve which of them are identical.
        match simple(scope, value, way.max_bytes) {
            Some(value) if !matches!(value, Value::Bytes(_)) => values.push(value),
            _ => break,
        }
    }
    if values.len() == length as usize && Value::wire_bytes_of(&values) <= way.max_bytes {
        return Ok(Values::List(values));
    }
    write(scope, array.into(), way).map(Values::Wire)
}

/// The arguments of a call as an array.
pub fn array_of<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: &v8::FunctionCallbackArguments<'s>,
) -> v8::Local<'s, v8::Array> {
    let args: Vec<_> = (0..args.length()).map(|index| args.get(index)).collect();
    v8::Array::new_with_elements(scope, &args)
}

/// The arguments, if all of them are simple and at most one is an object, so that no identity is lost.
fn simple_arguments<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: &v8::FunctionCallbackArguments<'s>,
    max_bytes: usize,
) -> Option<Vec<Value>> {
    let length = args.length();
    if length > MAX_LISTED as i32 {
        return None;
    }
    let mut values = Vec::with_capacity(length as usize);
    for index in 0..length {
        values.push(simple(scope, args.get(index), max_bytes)?);
    }
    let objects = values.iter().filter(|value| matches!(value, Value::Bytes(_))).count();
    (objects <= 1 && Value::wire_bytes_of(&values) <= max_bytes).then_some(values)
}

/// `value` if it needs no serializer. Runs no guest code.
fn simple<'s>(scope: &mut v8::PinScope<'s, '_>, value: v8::Local<'s, v8::Value>, max_bytes: usize) -> Option<Value> {
    let simple = if let Ok(number) = v8::Local::<v8::Number>::try_from(value) {
        Value::Number(number.value())
    } else if let Ok(text) = v8::Local::<v8::String>::try_from(value) {
        text_of(scope, text, max_bytes)?
    } else if value.is_undefined() {
        Value::Undefined
    } else if value.is_boolean() {
        Value::Bool(value.is_true())
    } else if value.is_null() {
        Value::Null
    } else {
        bytes_of(scope, value.try_into().ok()?, max_bytes)?
    };
    (simple.wire_bytes() <= max_bytes).then_some(simple)
}

fn text_of(scope: &mut v8::PinScope, text: v8::Local<v8::String>, max_bytes: usize) -> Option<Value> {
    if text.length() > max_bytes {
        return None;
    }
    if text.contains_only_onebyte() {
        // SAFETY: V8 initializes all characters, as many as there is room for.
        let block = unsafe {
            Block::fill(text.length(), |room| {
                text.write_one_byte_uninit_v2(scope, 0, room, v8::WriteFlags::default());
                room.len()
            })
        };
        return block.map(Value::Latin1);
    }
    if text.length() > max_bytes / 2 {
        return None;
    }
    let mut units = vec![0u16; text.length()];
    text.write_v2(scope, 0, &mut units, v8::WriteFlags::default());
    Some(Value::Utf16(units))
}

/// The contents of a large array that covers its buffer, which is neither shared nor resizable.
fn bytes_of<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    array: v8::Local<'s, v8::Uint8Array>,
    max_bytes: usize,
) -> Option<Value> {
    let length = array.byte_length();
    if !(MIN_BYTES..=max_bytes).contains(&length) || array.byte_offset() != 0 {
        return None;
    }
    let buffer = array.buffer(scope)?;
    if v8::Local::<v8::Value>::from(buffer).is_shared_array_buffer() || buffer.byte_length() != length {
        return None;
    }
    if buffer.get_backing_store().is_resizable_by_user_javascript() {
        return None;
    }
    // SAFETY: `copy_contents_uninit` returns how many bytes it has written.
    unsafe { Block::fill(length, |room| array.copy_contents_uninit(room)) }.map(Value::Bytes)
}

/// Clones `value` into serialized bytes. Getters and proxies of the guest run here.
fn write<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    value: v8::Local<'s, v8::Value>,
    Way { max_bytes, is_raw }: Way,
) -> Result<Vec<u8>, Unwritable> {
    let wire = serialize(scope, value, &[], max_bytes, Writer)?;
    let wire = transfer::for_host(wire).map(transfer::with_dense_arrays).ok_or(Unwritable::Thrown)?;
    let ready = if is_raw { transfer::unless_refused(wire, max_bytes) } else { transfer::for_node(wire, max_bytes) };
    ready.map_err(|refusal| match refusal {
        Refusal::TooLarge => Unwritable::TooLarge(None),
        Refusal::Broken => Unwritable::Thrown,
    })
}

/// V8's serialization of `value`, with `buffers` by their numbers only. Getters and proxies of the guest run here.
fn serialize<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    value: v8::Local<'s, v8::Value>,
    buffers: &[v8::Local<'s, v8::ArrayBuffer>],
    max_bytes: usize,
    delegate: impl v8::ValueSerializerImpl + 'static,
) -> Result<Vec<u8>, Unwritable> {
    let context = scope.get_current_context();
    let serializer = v8::ValueSerializer::new(scope, Box::new(delegate));
    let (written, refused) = transfer::with_limit(max_bytes, || {
        serializer.write_header();
        for (number, buffer) in (0..).zip(buffers) {
            serializer.transfer_array_buffer(number, *buffer);
        }
        serializer.write_value(context, value)
    });
    if written.flatten() != Some(true) {
        return Err(if refused { Unwritable::TooLarge(None) } else { Unwritable::Thrown });
    }
    let wire = serializer.release();
    if wire.len() > max_bytes {
        return Err(Unwritable::TooLarge(Some(wire.len())));
    }
    Ok(wire)
}

/// A copy of `value` in its own realm. The copies of `buffers` get their contents. Getters and proxies of the guest run
/// here. `Ok(None)`: an exception is pending.
pub fn clone<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    value: v8::Local<'s, v8::Value>,
    buffers: &[v8::Local<'s, v8::ArrayBuffer>],
    max_bytes: usize,
) -> Result<Option<v8::Local<'s, v8::Value>>, Unwritable> {
    let wire = serialize(scope, value, buffers, max_bytes, Cloner)?;
    let context = scope.get_current_context();
    let mut contents = Vec::with_capacity(buffers.len());
    for buffer in buffers {
        contents.push(buffer.get_backing_store());
        buffer.detach(None);
    }
    let received: Vec<_> = contents.iter().map(|store| v8::ArrayBuffer::with_backing_store(scope, store)).collect();
    let deserializer = v8::ValueDeserializer::new(scope, Box::new(Copier), &wire);
    for (number, buffer) in (0..).zip(received) {
        deserializer.transfer_array_buffer(number, buffer);
    }
    if deserializer.read_header(context) != Some(true) {
        return Ok(None);
    }
    {
        v8::tc_scope!(let attempt, scope);
        let copy = deserializer.read_value(context);
        // Bytes that were just written are well-formed.
        if attempt.exception().and_then(|thrown| is_broken(attempt, thrown)) != Some(true) {
            attempt.rethrow();
            return Ok(copy);
        }
    }
    adopt::throw_no_memory(scope);
    Ok(None)
}

/// Whether V8 has thrown that it could not read a value. It also does so if there is no room for an array buffer.
fn is_broken<'s>(scope: &mut v8::PinScope<'s, '_>, thrown: v8::Local<'s, v8::Value>) -> Option<bool> {
    let thrown = v8::Local::<v8::Object>::try_from(thrown).ok().filter(|_| thrown.is_native_error())?;
    let key = v8::String::new(scope, "message")?;
    let message = v8::Local::<v8::String>::try_from(thrown.get(scope, key.into())?).ok()?;
    Some(message.to_rust_string_lossy(scope) == "Unable to deserialize cloned data.")
}

/// Throws the error of `structuredClone` for a value that cannot be cloned. Guests have no DOMException, so the error
/// only has its name.
pub fn throw_data_clone_error(scope: &mut v8::PinScope, message: &str) {
    let Some(text) = v8::String::new(scope, message) else { return };
    let error = v8::Exception::error(scope, text);
    if let Ok(object) = v8::Local::<v8::Object>::try_from(error)
        && let (Some(key), Some(name)) = (v8::String::new(scope, "name"), v8::String::new(scope, "DataCloneError"))
    {
        object.define_own_property(scope, key.into(), name.into(), v8::PropertyAttribute::DONT_ENUM);
    }
    scope.throw_exception(error);
}

/// Creates `value`, which the host sent, in the current realm. `None`: it is nested more deeply than the stack allows,
/// or memory is exhausted. An exception may be pending.
pub fn read_value<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    budget: &Arc<BufferBudget>,
    value: Value,
) -> Option<v8::Local<'s, v8::Value>> {
    Some(match value {
        Value::Undefined => v8::undefined(scope).into(),
        Value::Null => v8::null(scope).into(),
        Value::Bool(value) => v8::Boolean::new(scope, value).into(),
        Value::Number(value) => v8::Number::new(scope, value).into(),
        Value::Latin1(text) => adopt::string(scope, budget, text)?.into(),
        Value::Utf16(units) => v8::String::new_from_two_byte(scope, &units, v8::NewStringType::Normal)?.into(),
        Value::Bytes(bytes) => adopt::bytes(scope, budget, bytes)?.into(),
        Value::Wire(wire) => read(scope, &wire)?,
    })
}

/// As [`read_value`]. Also returns whether the value contains errors, which have no stacks then.
pub fn read_result<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    budget: &Arc<BufferBudget>,
    value: Value,
) -> Option<(v8::Local<'s, v8::Value>, bool)> {
    let Value::Wire(wire) = value else { return read_value(scope, budget, value).map(|value| (value, false)) };
    let cleaned = transfer::without_stacks(&wire);
    let value = read_without_errors(scope, cleaned.as_deref().unwrap_or(&wire))?;
    Some((value, cleaned.is_some()))
}

/// The array of `values`; otherwise as [`read_value`].
pub fn read_values<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    budget: &Arc<BufferBudget>,
    values: Values,
) -> Option<v8::Local<'s, v8::Value>> {
    match values {
        Values::Wire(wire) => read(scope, &wire),
        Values::List(values) => {
            let values =
                values.into_iter().map(|value| read_value(scope, budget, value)).collect::<Option<Vec<_>>>()?;
            Some(v8::Array::new_with_elements(scope, &values).into())
        }
    }
}

/// Deserializes the value of `wire`, which the host wrote, into the current realm. `None`: the bytes are invalid, the
/// nesting is deeper than the stack allows, or memory is exhausted. An exception may be pending.
pub fn read<'s>(scope: &mut v8::PinScope<'s, '_>, wire: &[u8]) -> Option<v8::Local<'s, v8::Value>> {
    let cleaned = transfer::without_stacks(wire);
    read_without_errors(scope, cleaned.as_deref().unwrap_or(wire))
}

/// As [`read`], without a pending exception.
pub fn read_or_nothing<'s>(scope: &mut v8::PinScope<'s, '_>, wire: &[u8]) -> Option<v8::Local<'s, v8::Value>> {
    v8::tc_scope!(let attempt, scope);
    read(attempt, wire)
}

/// As [`read`], for serialized bytes without errors.
fn read_without_errors<'s>(scope: &mut v8::PinScope<'s, '_>, wire: &[u8]) -> Option<v8::Local<'s, v8::Value>> {
    let context = scope.get_current_context();
    let deserializer = v8::ValueDeserializer::new(scope, Box::new(Reader), wire);
    if deserializer.read_header(context) != Some(true) {
        return None;
    }
    deserializer.read_value(context)
}
