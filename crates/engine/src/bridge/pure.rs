//! The functions behind `js/56_pure_globals.js` that libraries implement: encodings, base64, URLs, and V8's own
//! serializer. They access nothing except their arguments. Memory that they take outside the heap counts for the
//! isolate's limit while they work.

use std::borrow::Cow;
use std::mem::MaybeUninit;

use base64::Engine;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use deno_core::v8;
use encoding_rs::Encoding;
use url::{Url, form_urlencoded, quirks};

use crate::bridge::bytes::bytes_of;
use crate::bridge::crypto;
use crate::bridge::interface::Pure;
use crate::memory::array_buffers::reserve_or_collect;
use crate::state::host::Host;
use crate::values::adopt;
use crate::values::serialize::{self, Unwritable};
use ses_protocol::Block;

/// The most UTF-16 units of a URL.
const MAX_URL_UNITS: usize = 1 << 20;
/// The most UTF-16 units of an encoding's label, including white space around it.
const MAX_LABEL_UNITS: usize = 256;
/// Bytes of the two references to a string that becomes part of an array.
const REFERENCE_BYTES: usize = 16;
/// Strings that are made between two checks for termination, because V8 does not check here.
const TEXTS_PER_LOOK: usize = 1_024;
/// Bytes that a UTF-16 unit or a decoded byte can become: three, and the same again in the realm.
const EXPANSION: usize = 6;
/// base64 encodes this many bytes as a group of digits.
const BYTES_OF_GROUP: usize = 3;
const DIGITS_OF_GROUP: usize = 4;
/// Groups that are encoded at a time, so that the whole string is never copied.
const PART_GROUPS: usize = 1 << 10;
/// The growth of a part of a query: each byte of UTF-8 can become three.
const QUERY_EXPANSION: usize = 9;

type Arguments<'a, 's> = &'a v8::FunctionCallbackArguments<'s>;
type Given<'s> = Option<v8::Local<'s, v8::Value>>;

/// The result. `None`: it is undefined, or an exception is pending.
pub fn call<'s>(scope: &mut v8::PinScope<'s, '_>, host: &Host, function: Pure, args: Arguments<'_, 's>) -> Given<'s> {
    match function {
        Pure::Clone => clone(scope, host, args),
        Pure::Decode => decode(scope, host, args),
        Pure::Digest => crypto::digest(scope, host, args),
        Pure::Encode => encode(scope, host, args),
        Pure::Encoding => encoding(scope, args),
        Pure::FromBase64 => from_base64(scope, host, args),
        Pure::Random => crypto::random(scope, args),
        // The guest has a value that crosses to the host as another one.
        Pure::Substitute => {
            host.has_substituted.set(true);
            None
        }
        Pure::ToBase64 => to_base64(scope, host, args),
        Pure::Url => {
            host.has_substituted.set(true);
            url(scope, args)
        }
        Pure::UrlQuery => {
            host.has_substituted.set(true);
            url_query(scope, host, args)
        }
        Pure::UrlQueryText => url_query_text(scope, host, args),
    }
}

/// A copy of the first argument. The copy receives the contents of the array buffers in the list of the second
/// argument. The list contains each buffer once.
fn clone<'s>(scope: &mut v8::PinScope<'s, '_>, host: &Host, args: Arguments<'_, 's>) -> Given<'s> {
    let list = v8::Local::<v8::Array>::try_from(args.get(1)).ok()?;
    let mut buffers = Vec::new();
    for index in 0..list.length() {
        let buffer = v8::Local::<v8::ArrayBuffer>::try_from(list.get_index(scope, index)?).ok();
        match buffer.filter(|buffer| buffer.is_detachable() && !buffer.was_detached()) {
            Some(buffer) => buffers.push(buffer),
            None => {
                serialize::throw_data_clone_error(
                    scope,
                    "structuredClone: transfer must list array buffers, each once",
                );
                return None;
            }
        }
    }
    let config = host.context.config();
    // The buffer that the value is written to is not on the heap.
    let max_bytes = config.max_transfer_bytes.min(config.memory_limit_bytes);
    match serialize::clone(scope, args.get(0), &buffers, max_bytes) {
        Ok(copy) => copy,
        Err(Unwritable::Thrown) => None,
        Err(Unwritable::TooLarge(_)) => {
            throw_range_error(scope, &format!("structuredClone: the value takes more than {max_bytes} bytes"));
            None
        }
    }
}

/// Decodes bytes: (bytes, name of the encoding, whether a byte order mark stays, whether errors are fatal).
fn decode<'s>(scope: &mut v8::PinScope<'s, '_>, host: &Host, args: Arguments<'_, 's>) -> Given<'s> {
    let name = args.get(1).to_rust_string_lossy(scope);
    let encoding = Encoding::for_label(name.as_bytes())?;
    let (keeps_bom, is_fatal) = (args.get(2).is_true(), args.get(3).is_true());
    let Some(bytes) = bytes_of(args.get(0)) else {
        throw_type_error(scope, "decode: the input must be an ArrayBuffer or a view of one");
        return None;
    };
    // SAFETY: the bytes stay in place as long as no code of the realm runs, and none runs before they are decoded.
    let bytes = unsafe { std::slice::from_raw_parts(bytes.0, bytes.1) };
    // Well-formed bytes are not copied.
    let is_borrowed = encoding == encoding_rs::UTF_8 && Encoding::utf8_valid_up_to(bytes) == bytes.len();
    let room = if is_borrowed { 0 } else { bytes.len().saturating_mul(EXPANSION) };
    let decoded = with_room(scope, host, room, |_| {
        let (text, has_errors) = match keeps_bom {
            true => encoding.decode_without_bom_handling(bytes),
            false => encoding.decode_with_bom_removal(bytes),
        };
        (!(is_fatal && has_errors)).then_some(text)
    })??;
    string(scope, decoded.as_bytes())
}

/// Encodes a string as UTF-8. Returns a new `Uint8Array`. If the second argument is one, writes into it and returns
/// [units, bytes].
fn encode<'s>(scope: &mut v8::PinScope<'s, '_>, host: &Host, args: Arguments<'_, 's>) -> Given<'s> {
    let text = v8::Local::<v8::String>::try_from(args.get(0)).ok()?;
    let flags = v8::WriteFlags::kReplaceInvalidUtf8;
    if args.length() > 1 {
        let target = v8::Local::<v8::Uint8Array>::try_from(args.get(1)).ok().and_then(|array| bytes_of(array.into()));
        let Some((start, length)) = target else {
            throw_type_error(scope, "encodeInto: the destination must be a Uint8Array");
            return None;
        };
        // SAFETY: as in `decode`; the array belongs to the realm, which may write to it.
        let room = unsafe { std::slice::from_raw_parts_mut(start.cast_mut(), length) };
        let mut units = 0;
        let bytes = text.write_utf8_v2(scope, room, flags, Some(&mut units));
        let counts = [units, bytes].map(|count| v8::Number::new(scope, count as f64).into());
        return Some(v8::Array::new_with_elements(scope, &counts).into());
    }
    let length = text.utf8_length(scope);
    // SAFETY: V8 initializes as many bytes as it returns, within the room.
    let bytes =
        unsafe { block(scope, host, length, |scope, room| text.write_utf8_uninit_v2(scope, room, flags, None)) }?;
    adopt::bytes(scope, &host.memory, bytes).map(Into::into)
}

/// The name of the encoding that a label stands for.
fn encoding<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'_, 's>) -> Given<'s> {
    let label =
        v8::Local::<v8::String>::try_from(args.get(0)).ok().filter(|label| label.length() <= MAX_LABEL_UNITS)?;
    let label = label.to_rust_string_lossy(scope);
    let encoding = Encoding::for_label_no_replacement(label.as_bytes())?;
    string(scope, encoding.name().to_ascii_lowercase().as_bytes())
}

/// base64 as tolerantly as browsers: white space, missing padding, and leftover bits are allowed.
const FORGIVING: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone),
);

fn from_base64<'s>(scope: &mut v8::PinScope<'s, '_>, host: &Host, args: Arguments<'_, 's>) -> Given<'s> {
    let mut digits = latin1(scope, host, args.get(0))?;
    let decoded = with_room(scope, host, digits.len().saturating_mul(2), |_| {
        digits.retain(|byte| !b"\t\n\x0C\r ".contains(byte));
        if digits.len().is_multiple_of(4) {
            let padding = digits.iter().rev().take(2).take_while(|&&byte| byte == b'=').count();
            digits.truncate(digits.len() - padding);
        }
        FORGIVING.decode(digits).ok()
    })??;
    v8::String::new_from_one_byte(scope, &decoded, v8::NewStringType::Normal).map(Into::into)
}

fn to_base64<'s>(scope: &mut v8::PinScope<'s, '_>, host: &Host, args: Arguments<'_, 's>) -> Given<'s> {
    let text = one_byte(args.get(0))?;
    let length = text.length().div_ceil(BYTES_OF_GROUP) * DIGITS_OF_GROUP;
    let encode = |scope: &mut v8::PinScope, room: &mut [MaybeUninit<u8>]| {
        let (mut bytes, mut digits) = ([0; PART_GROUPS * BYTES_OF_GROUP], [0; PART_GROUPS * DIGITS_OF_GROUP]);
        let mut written = 0;
        for start in (0..text.length()).step_by(PART_GROUPS * BYTES_OF_GROUP) {
            let part = &mut bytes[..(text.length() - start).min(PART_GROUPS * BYTES_OF_GROUP)];
            text.write_one_byte_v2(scope, start as u32, part, v8::WriteFlags::default());
            let count = STANDARD.encode_slice(part, &mut digits).unwrap_or(0);
            for (place, digit) in room[written..].iter_mut().zip(&digits[..count]) {
                place.write(*digit);
            }
            written += count;
        }
        written
    };
    // SAFETY: exactly the counted bytes are written, from the first on.
    let encoded = unsafe { block(scope, host, length, encode) }?;
    adopt::string(scope, &host.memory, encoded).map(Into::into)
}

/// A string that has only Latin-1 characters.
fn one_byte<'s>(text: v8::Local<'s, v8::Value>) -> Option<v8::Local<'s, v8::String>> {
    v8::Local::<v8::String>::try_from(text).ok().filter(|text| text.contains_only_onebyte())
}

/// The characters of such a string.
fn latin1(scope: &mut v8::PinScope, host: &Host, text: v8::Local<v8::Value>) -> Option<Vec<u8>> {
    let text = one_byte(text)?;
    let mut bytes = with_room(scope, host, text.length(), |_| vec![0; text.length()])?;
    text.write_one_byte_v2(scope, 0, &mut bytes, v8::WriteFlags::default());
    Some(bytes)
}

/// The parts of a URL: (string, base, number of a part to set, its value). `undefined` if it is not a URL, or the part
/// cannot be set.
fn url<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'_, 's>) -> Given<'s> {
    for index in [0, 1, 3] {
        let is_long = |text: v8::Local<v8::String>| text.length() > MAX_URL_UNITS;
        if v8::Local::<v8::String>::try_from(args.get(index)).is_ok_and(is_long) {
            throw_range_error(scope, &format!("URL: the input has more than {MAX_URL_UNITS} characters"));
            return None;
        }
    }
    let text = |scope: &mut v8::PinScope<'s, '_>, index: i32| {
        let value = args.get(index);
        value.is_string().then(|| value.to_rust_string_lossy(scope))
    };
    let base = match text(scope, 1) {
        Some(base) => Some(Url::parse(&base).ok()?),
        None => None,
    };
    let mut url = Url::options().base_url(base.as_ref()).parse(&text(scope, 0)?).ok()?;
    if let Some(value) = text(scope, 3) {
        set_part(&mut url, args.get(2).uint32_value(scope)?, &value)?;
    }
    let origin = quirks::origin(&url);
    let parts = [
        quirks::href(&url),
        &origin,
        quirks::protocol(&url),
        quirks::username(&url),
        quirks::password(&url),
        quirks::host(&url),
        quirks::hostname(&url),
        quirks::port(&url),
        quirks::pathname(&url),
        quirks::search(&url),
        quirks::hash(&url),
    ];
    strings(scope, parts.into_iter().map(Cow::Borrowed))
}

fn set_part(url: &mut Url, part: u32, value: &str) -> Option<()> {
    match part {
        0 => quirks::set_href(url, value).ok(),
        2 => quirks::set_protocol(url, value).ok(),
        3 => quirks::set_username(url, value).ok(),
        4 => quirks::set_password(url, value).ok(),
        5 => quirks::set_host(url, value).ok(),
        6 => quirks::set_hostname(url, value).ok(),
        7 => quirks::set_port(url, value).ok(),
        _ => {
            match part {
                8 => quirks::set_pathname(url, value),
                9 => quirks::set_search(url, value),
                10 => quirks::set_hash(url, value),
                _ => return None,
            }
            Some(())
        }
    }
}

/// Names and values of a query, alternating.
fn url_query<'s>(scope: &mut v8::PinScope<'s, '_>, host: &Host, args: Arguments<'_, 's>) -> Given<'s> {
    let query = v8::Local::<v8::String>::try_from(args.get(0)).ok()?;
    let room = query.length().saturating_mul(EXPANSION);
    let query = with_room(scope, host, room, |scope| query.to_rust_string_lossy(scope))?;
    let texts = 2 * (1 + query.bytes().filter(|&byte| byte == b'&').count());
    let room = query.len().saturating_add(texts.saturating_mul(REFERENCE_BYTES));
    let texts = form_urlencoded::parse(query.as_bytes()).flat_map(|(name, value)| [name, value]);
    with_room(scope, host, room, |scope| strings(scope, texts))?
}

/// The query for a list of names and values.
fn url_query_text<'s>(scope: &mut v8::PinScope<'s, '_>, host: &Host, args: Arguments<'_, 's>) -> Given<'s> {
    let list = v8::Local::<v8::Array>::try_from(args.get(0)).ok()?;
    let mut units = 0_usize;
    for index in 0..list.length() {
        units = units.saturating_add(with_text(scope, list, index, |_, text| text.length())?);
    }
    let room = units.saturating_mul(QUERY_EXPANSION).saturating_add(list.length() as usize);
    with_room(scope, host, room, |scope| {
        let query = query_of(scope, list)?;
        string(scope, query.as_bytes())
    })?
}

fn query_of(scope: &mut v8::PinScope, list: v8::Local<v8::Array>) -> Option<String> {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for index in (1..list.length()).step_by(2) {
        let name = with_text(scope, list, index - 1, |scope, text| text.to_rust_string_lossy(scope))?;
        query.append_pair(&name, &with_text(scope, list, index, |scope, text| text.to_rust_string_lossy(scope))?);
    }
    Some(query.finish())
}

/// The result of `work` for a string in a list. Keeps no reference to the string.
fn with_text<R>(
    scope: &mut v8::PinScope,
    list: v8::Local<v8::Array>,
    index: u32,
    work: impl FnOnce(&mut v8::PinScope, v8::Local<v8::String>) -> R,
) -> Option<R> {
    v8::scope!(let inner, scope);
    let text = v8::Local::<v8::String>::try_from(list.get_index(inner, index)?).ok()?;
    Some(work(inner, text))
}

/// Does work that takes up to `bytes` outside the heap. `None`: there is no room for them, and an exception that says
/// so is pending.
fn with_room<'s, 'i, T>(
    scope: &mut v8::PinScope<'s, 'i>,
    host: &Host,
    bytes: usize,
    work: impl FnOnce(&mut v8::PinScope<'s, 'i>) -> T,
) -> Option<T> {
    if !reserve_or_collect(scope, &host.memory, bytes) {
        adopt::throw_no_memory(scope);
        return None;
    }
    let done = work(scope);
    host.memory.release(bytes);
    Some(done)
}

/// A block of up to `length` bytes that `fill` writes. `None`: there is no room for them, and an exception that says so
/// is pending.
///
/// # Safety
/// As for [`Block::fill`].
unsafe fn block(
    scope: &mut v8::PinScope,
    host: &Host,
    length: usize,
    fill: impl FnOnce(&mut v8::PinScope, &mut [MaybeUninit<u8>]) -> usize,
) -> Option<Block> {
    with_room(scope, host, length, |_| ())?;
    // SAFETY: the caller's contract is the same.
    let made = unsafe { Block::fill(length, |room| fill(scope, room)) };
    if made.is_none() {
        adopt::throw_no_memory(scope);
    }
    made
}

fn string<'s>(scope: &mut v8::PinScope<'s, '_>, utf8: &[u8]) -> Given<'s> {
    let text = v8::String::new_from_utf8(scope, utf8, v8::NewStringType::Normal);
    if text.is_none() {
        throw_range_error(scope, "Invalid string length");
    }
    text.map(Into::into)
}

fn strings<'s, 'a>(scope: &mut v8::PinScope<'s, '_>, texts: impl Iterator<Item = Cow<'a, str>>) -> Given<'s> {
    let mut made = Vec::new();
    for text in texts {
        if made.len() % TEXTS_PER_LOOK == 0 && scope.is_execution_terminating() {
            return None;
        }
        made.push(string(scope, text.as_bytes())?);
    }
    Some(v8::Array::new_with_elements(scope, &made).into())
}

fn throw_type_error(scope: &mut v8::PinScope, message: &str) {
    if let Some(message) = v8::String::new(scope, message) {
        let error = v8::Exception::type_error(scope, message);
        scope.throw_exception(error);
    }
}

fn throw_range_error(scope: &mut v8::PinScope, message: &str) {
    if let Some(message) = v8::String::new(scope, message) {
        let error = v8::Exception::range_error(scope, message);
        scope.throw_exception(error);
    }
}
