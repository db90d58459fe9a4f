//! Values as Node-API passes them: simple ones without a serializer, large strings and bytes with at most one copy.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use napi::bindgen_prelude::{ToNapiValue, TypeName, Uint8Array};
use napi::{Error, Result, Status, ValueType, check_status, sys};

use crate::numbers::{reply_kind, value_kind};
use ses_protocol::{Block, ErrorCode, ToolCallId, ToolError, ToolReply, Value, Values, populate};

/// Memory of at least this size is handed over to Node.js instead of copied, which needs a finalizer. 64 KiB.
const MIN_EXTERNAL_BYTES: usize = 64 << 10;
/// Strings up to this length are checked for Latin-1 here; the facade has checked longer ones.
const SHORT_UNITS: usize = 4096;

/// A value for the facade: a primitive, an ArrayBuffer that stands for a Uint8Array of its bytes, or serialized bytes
/// as a Uint8Array.
pub struct NativeValue(pub Value);

impl TypeName for NativeValue {
    fn type_name() -> &'static str {
        "unknown"
    }

    fn value_type() -> ValueType {
        ValueType::Unknown
    }
}

impl ToNapiValue for NativeValue {
    unsafe fn to_napi_value(env: sys::napi_env, value: Self) -> Result<sys::napi_value> {
        // SAFETY: the caller passes the live environment of this thread.
        unsafe {
            match value.0 {
                Value::Undefined => <()>::to_napi_value(env, ()),
                Value::Null => make(|made| sys::napi_get_null(env, made)),
                Value::Bool(value) => bool::to_napi_value(env, value),
                Value::Number(value) => f64::to_napi_value(env, value),
                Value::Latin1(text) => latin1(env, text),
                Value::Utf16(units) => {
                    make(|made| sys::napi_create_string_utf16(env, units.as_ptr(), units.len() as isize, made))
                }
                Value::Bytes(bytes) => array_buffer(env, &bytes),
                Value::Wire(wire) => wire_bytes(env, wire),
            }
        }
    }
}

/// Adds several values to the arguments of a function: their number and each as a [`NativeValue`], or -1 and a
/// serialized array.
///
/// # Safety
/// `env` is the live environment of this thread.
pub unsafe fn push_values(env: sys::napi_env, values: Values, args: &mut Vec<sys::napi_value>) -> Result<()> {
    // SAFETY: as the caller promises.
    unsafe {
        match values {
            Values::Wire(wire) => args.extend([i32::to_napi_value(env, -1)?, wire_bytes(env, wire)?]),
            Values::List(values) => {
                args.push(u32::to_napi_value(env, values.len() as u32)?);
                for value in values {
                    args.push(NativeValue::to_napi_value(env, NativeValue(value))?);
                }
            }
        }
    }
    Ok(())
}

/// Several values: a list of each as a [`NativeValue`], or a serialized array.
///
/// # Safety
/// `env` is the live environment of this thread.
pub unsafe fn values_list(env: sys::napi_env, values: Values) -> Result<sys::napi_value> {
    // SAFETY: as the caller promises.
    unsafe {
        match values {
            Values::Wire(wire) => wire_bytes(env, wire),
            Values::List(values) => {
                Vec::<NativeValue>::to_napi_value(env, values.into_iter().map(NativeValue).collect())
            }
        }
    }
}

/// Values from the facade: kind and value of each, or a serialized array.
///
/// # Safety
/// `env` is the live environment of this thread, `payload` one of its values.
pub unsafe fn values(env: sys::napi_env, payload: sys::napi_value) -> Result<Values> {
    // SAFETY: as the caller promises.
    unsafe {
        if !is_array(env, payload)? {
            return take_wire(env, payload).map(Values::Wire);
        }
        let parts = elements(env, payload)?;
        let values = parts.chunks_exact(2).map(|pair| value(env, number(env, pair[0])? as u32, pair[1]));
        values.collect::<Result<_>>().map(Values::List)
    }
}

/// Answers of tools from the facade: call, status and payload of each.
///
/// # Safety
/// As for [`values`].
pub unsafe fn replies(env: sys::napi_env, replies: sys::napi_value) -> Result<Vec<(ToolCallId, ToolReply)>> {
    // SAFETY: as the caller promises.
    unsafe {
        let parts = elements(env, replies)?;
        let mut replies = Vec::with_capacity(parts.len() / 3);
        for parts in parts.chunks_exact(3) {
            replies.push(reply(env, number(env, parts[0])?, number(env, parts[1])?, parts[2])?);
        }
        Ok(replies)
    }
}

/// One answer of a tool.
///
/// # Safety
/// As for [`values`].
pub unsafe fn reply(
    env: sys::napi_env,
    call: f64,
    status: f64,
    payload: sys::napi_value,
) -> Result<(ToolCallId, ToolReply)> {
    // SAFETY: as the caller promises.
    let reply = unsafe {
        match status as u32 {
            reply_kind::PROMISE => ToolReply::Promise,
            reply_kind::ERROR => ToolReply::Error(tool_error(env, payload)?),
            kind => ToolReply::Value(value(env, kind, payload)?),
        }
    };
    Ok((call as ToolCallId, reply))
}

/// `[name, message, code, bridge, details]`; a code is a string, a number or undefined. Details are serialized bytes
/// and may be missing.
///
/// # Safety
/// As for [`values`].
unsafe fn tool_error(env: sys::napi_env, parts: sys::napi_value) -> Result<ToolError> {
    // SAFETY: as the caller promises.
    unsafe {
        let parts = elements(env, parts)?;
        let (&[name, message, code, bridge] | &[name, message, code, bridge, _]) = &parts[..] else {
            return Err(not_an_error());
        };
        let details = parts.get(4).map(|&details| take_wire(env, details)).transpose()?;
        let text = |part| match primitive(env, part)? {
            Value::Latin1(text) => Ok(text.iter().map(|&unit| char::from(unit)).collect()),
            Value::Utf16(units) => Ok(String::from_utf16_lossy(&units)),
            _ => Err(not_an_error()),
        };
        let code = match primitive(env, code)? {
            Value::Undefined => None,
            Value::Number(number) => Some(ErrorCode::Number(number)),
            _ => Some(ErrorCode::Text(text(code)?)),
        };
        let bridge = matches!(primitive(env, bridge)?, Value::Bool(true));
        Ok(ToolError { name: text(name)?, message: text(message)?, code, bridge, details })
    }
}

fn not_an_error() -> Error {
    Error::new(Status::InvalidArg, "an error has four or five parts")
}

/// # Safety
/// As for [`values`].
unsafe fn elements(env: sys::napi_env, array: sys::napi_value) -> Result<Vec<sys::napi_value>> {
    let mut length = 0;
    // SAFETY: as the caller promises.
    check_status!(unsafe { sys::napi_get_array_length(env, array, &raw mut length) })?;
    let mut elements = Vec::with_capacity(length as usize);
    for index in 0..length {
        // SAFETY: as the caller promises.
        elements.push(make(|made| unsafe { sys::napi_get_element(env, array, index, made) })?);
    }
    Ok(elements)
}

/// # Safety
/// As for [`values`].
unsafe fn number(env: sys::napi_env, value: sys::napi_value) -> Result<f64> {
    let mut number = 0.0;
    // SAFETY: as the caller promises.
    check_status!(unsafe { sys::napi_get_value_double(env, value, &raw mut number) })?;
    Ok(number)
}

/// # Safety
/// As for [`values`].
unsafe fn value(env: sys::napi_env, kind: u32, value: sys::napi_value) -> Result<Value> {
    // SAFETY: as the caller promises.
    unsafe {
        match kind {
            value_kind::PLAIN => primitive(env, value),
            value_kind::LATIN1 => latin1_text(env, value).map(Value::Latin1),
            value_kind::BYTES => Block::copy_of(view(env, value)?).map(Value::Bytes).ok_or_else(no_memory),
            value_kind::WIRE => take_wire(env, value).map(Value::Wire),
            _ => Err(Error::new(Status::InvalidArg, "there is no such kind of value")),
        }
    }
}

/// Copies serialized bytes that no other code holds, and frees large ones. If they were left to the host's collector,
/// they would cause collections, and need new pages for each transfer.
///
/// # Safety
/// As for [`values`].
unsafe fn take_wire(env: sys::napi_env, wire: sys::napi_value) -> Result<Vec<u8>> {
    // SAFETY: as the caller promises; the bytes are not used after the buffer is detached.
    unsafe {
        let bytes = view(env, wire)?.to_vec();
        if bytes.len() >= MIN_EXTERNAL_BYTES {
            // If it cannot be detached, the collector frees it.
            sys::napi_detach_arraybuffer(env, buffer_of(env, wire)?);
        }
        Ok(bytes)
    }
}

/// # Safety
/// As for [`values`].
unsafe fn is_array(env: sys::napi_env, value: sys::napi_value) -> Result<bool> {
    let mut is_array = false;
    // SAFETY: as the caller promises.
    check_status!(unsafe { sys::napi_is_array(env, value, &raw mut is_array) })?;
    Ok(is_array)
}

/// The bytes of a Uint8Array; valid until JavaScript runs again.
///
/// # Safety
/// As for [`values`].
unsafe fn view<'a>(env: sys::napi_env, value: sys::napi_value) -> Result<&'a [u8]> {
    let (mut kind, mut length, mut data) = (0, 0, ptr::null_mut());
    // SAFETY: as the caller promises; what is not asked for may be null.
    check_status!(unsafe {
        sys::napi_get_typedarray_info(
            env,
            value,
            &raw mut kind,
            &raw mut length,
            &raw mut data,
            ptr::null_mut(),
            ptr::null_mut(),
        )
    })?;
    if kind != sys::TypedarrayType::uint8_array {
        return Err(Error::new(Status::InvalidArg, "bytes are those of a Uint8Array"));
    }
    if length == 0 {
        return Ok(&[]);
    }
    // SAFETY: the array has `length` elements of one byte there.
    Ok(unsafe { std::slice::from_raw_parts(data.cast(), length) })
}

/// # Safety
/// As for [`values`].
unsafe fn primitive(env: sys::napi_env, value: sys::napi_value) -> Result<Value> {
    let mut kind = 0;
    // SAFETY: as the caller promises.
    unsafe {
        check_status!(sys::napi_typeof(env, value, &raw mut kind))?;
        match kind {
            sys::ValueType::napi_undefined => Ok(Value::Undefined),
            sys::ValueType::napi_null => Ok(Value::Null),
            sys::ValueType::napi_number => number(env, value).map(Value::Number),
            sys::ValueType::napi_string => text(env, value),
            sys::ValueType::napi_boolean => {
                let mut is_true = false;
                check_status!(sys::napi_get_value_bool(env, value, &raw mut is_true))?;
                Ok(Value::Bool(is_true))
            }
            _ => Err(Error::new(Status::InvalidArg, "a value of this kind must be serialized")),
        }
    }
}

/// # Safety
/// As for [`values`].
unsafe fn text(env: sys::napi_env, value: sys::napi_value) -> Result<Value> {
    let mut length = 0;
    // SAFETY: as the caller promises.
    check_status!(unsafe { sys::napi_get_value_string_utf16(env, value, ptr::null_mut(), 0, &raw mut length) })?;
    // Node-API terminates the string with a unit of 0.
    let mut units = vec![0u16; length + 1];
    // SAFETY: there is room for as many units.
    check_status!(unsafe {
        sys::napi_get_value_string_utf16(env, value, units.as_mut_ptr(), units.len(), &raw mut length)
    })?;
    units.truncate(length);
    if length > SHORT_UNITS || units.iter().any(|&unit| unit > 0xFF) {
        return Ok(Value::Utf16(units));
    }
    // SAFETY: as many bytes are written as there are units, which is the room.
    let block = unsafe {
        Block::fill(length, |room| {
            for (byte, &unit) in room.iter_mut().zip(&units) {
                byte.write(unit as u8);
            }
            length
        })
    };
    block.map(Value::Latin1).ok_or_else(no_memory)
}

/// # Safety
/// As for [`values`].
unsafe fn latin1_text(env: sys::napi_env, value: sys::napi_value) -> Result<Block> {
    let mut length = 0;
    // SAFETY: as the caller promises.
    check_status!(unsafe { sys::napi_get_value_string_latin1(env, value, ptr::null_mut(), 0, &raw mut length) })?;
    let room = length + 1;
    let mut status = sys::Status::napi_ok;
    let mut read = |room: &mut [MaybeUninit<u8>]| {
        // SAFETY: Node-API writes the text and a byte of 0, and says how long the text is.
        status = unsafe {
            sys::napi_get_value_string_latin1(env, value, room.as_mut_ptr().cast(), room.len(), &raw mut length)
        };
        if status == sys::Status::napi_ok { length } else { 0 }
    };
    // SAFETY: `read` returns how many bytes were written.
    let block = unsafe { Block::fill(room, &mut read) }.ok_or_else(no_memory)?;
    check_status!(status)?;
    Ok(block)
}

/// A string from Rust. ASCII is copied, which takes a fraction of the time that V8 needs to decode UTF-8.
///
/// # Safety
/// As for [`push_values`].
pub unsafe fn rust_text(env: sys::napi_env, text: &str) -> Result<sys::napi_value> {
    let create = if text.is_ascii() { sys::napi_create_string_latin1 } else { sys::napi_create_string_utf8 };
    // SAFETY: the text has `len` bytes, which each of the two reads.
    make(|made| unsafe { create(env, text.as_ptr().cast(), text.len() as isize, made) })
}

/// # Safety
/// As for [`push_values`].
unsafe fn latin1(env: sys::napi_env, text: Block) -> Result<sys::napi_value> {
    let len = text.len();
    if len < MIN_EXTERNAL_BYTES {
        // SAFETY: the text has `len` bytes.
        return make(|made| unsafe { sys::napi_create_string_latin1(env, text.as_ptr().cast(), len as isize, made) });
    }
    let data = text.into_raw(None);
    let (mut made, mut copied) = (ptr::null_mut(), false);
    // SAFETY: the bytes stay in place until `free_text`. Node.js calls it once, also for a string that it copied.
    let status = unsafe {
        sys::node_api_create_external_string_latin1(
            env,
            data.cast(),
            len as isize,
            Some(free_text),
            ptr::without_provenance_mut(len),
            &raw mut made,
            &raw mut copied,
        )
    };
    if status == sys::Status::napi_ok {
        // If Node.js has copied the text, it has called `free_text`.
        // SAFETY: as the caller promises.
        unsafe { hold(env, len as i64) };
        return Ok(made);
    }
    // SAFETY: Node.js has not taken the text.
    let (text, _) = unsafe { Block::from_raw(data, len) };
    // SAFETY: the text has `len` bytes.
    make(|made| unsafe { sys::napi_create_string_latin1(env, text.as_ptr().cast(), len as isize, made) })
}

unsafe extern "C" fn free_text(env: sys::node_api_basic_env, data: *mut c_void, len: *mut c_void) {
    // SAFETY: `latin1` gave away this block, of the length that it passed.
    drop(unsafe { Block::from_raw(data.cast(), len.addr()) });
    // SAFETY: the environment calls this.
    unsafe { hold(env.cast(), -(len.addr() as i64)) };
}

/// Tells V8 that objects of an environment hold more or fewer bytes than it can see. Its collections depend on this
/// number, too.
///
/// # Safety
/// `env` is the live environment of this thread, which may be in a finalizer.
pub unsafe fn hold(env: sys::napi_env, bytes: i64) {
    let mut held = 0;
    // SAFETY: as the caller promises.
    unsafe { sys::napi_adjust_external_memory(env, bytes, &raw mut held) };
}

/// A buffer owned by V8, so that the caller may transfer it to other threads.
///
/// # Safety
/// As for [`push_values`].
unsafe fn array_buffer(env: sys::napi_env, bytes: &[u8]) -> Result<sys::napi_value> {
    // SAFETY: as the caller of `to_napi_value` promises.
    let (buffer, data) = unsafe { unwritten_buffer(env, bytes.len()) }?;
    if !bytes.is_empty() {
        // SAFETY: the new buffer has as many bytes, and nobody else knows of them.
        unsafe { data.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }
    Ok(buffer)
}

/// An ArrayBuffer and a pointer to its bytes, which are not yet written. A large one is taken from a Buffer, which
/// Node.js does not fill with zeros.
///
/// # Safety
/// As for [`push_values`].
unsafe fn unwritten_buffer(env: sys::napi_env, bytes: usize) -> Result<(sys::napi_value, *mut u8)> {
    let (mut data, mut length) = (ptr::null_mut(), 0);
    if bytes >= MIN_EXTERNAL_BYTES {
        // SAFETY: as the caller promises.
        unsafe {
            let view = make(|made| sys::napi_create_buffer(env, bytes, ptr::null_mut(), made))?;
            let buffer = buffer_of(env, view)?;
            check_status!(sys::napi_get_arraybuffer_info(env, buffer, &raw mut data, &raw mut length))?;
            // Otherwise it is part of a larger buffer that others share.
            if let Some(start) = NonNull::new(data.cast()).filter(|_| length == bytes) {
                populate(start, bytes);
                return Ok((buffer, start.as_ptr()));
            }
        }
    }
    // SAFETY: as the caller promises.
    let buffer = make(|made| unsafe { sys::napi_create_arraybuffer(env, bytes, &raw mut data, made) })?;
    Ok((buffer, data.cast()))
}

/// The ArrayBuffer of a view.
///
/// # Safety
/// As for [`values`].
unsafe fn buffer_of(env: sys::napi_env, view: sys::napi_value) -> Result<sys::napi_value> {
    let nothing = ptr::null_mut();
    // SAFETY: as the caller promises; what is not asked for may be null.
    make(|made| unsafe {
        sys::napi_get_typedarray_info(env, view, ptr::null_mut(), nothing, ptr::null_mut(), made, nothing)
    })
}

/// # Safety
/// As for [`push_values`].
pub unsafe fn wire_bytes(env: sys::napi_env, wire: Vec<u8>) -> Result<sys::napi_value> {
    if wire.len() >= MIN_EXTERNAL_BYTES {
        // SAFETY: as the caller of `to_napi_value` promises.
        return unsafe { Uint8Array::to_napi_value(env, Uint8Array::new(wire)) };
    }
    // SAFETY: as the caller of `to_napi_value` promises.
    unsafe {
        let buffer = array_buffer(env, &wire)?;
        let kind = sys::TypedarrayType::uint8_array;
        make(|made| sys::napi_create_typedarray(env, kind, wire.len(), buffer, 0, made))
    }
}

fn make(call: impl FnOnce(*mut sys::napi_value) -> sys::napi_status) -> Result<sys::napi_value> {
    let mut made = ptr::null_mut();
    check_status!(call(&raw mut made))?;
    Ok(made)
}

fn no_memory() -> Error {
    Error::new(Status::GenericFailure, "there is no memory for a value")
}
