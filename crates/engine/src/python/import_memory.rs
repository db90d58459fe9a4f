//! Rewrites a WebAssembly module. Its memory becomes an import, whose maximum the embedder chooses, and its tables get
//! a maximum. Exports of unused functions are removed.

use std::borrow::Cow;

/// Sections by their numbers.
const IMPORTS: u8 = 2;
const TABLES: u8 = 4;
const MEMORIES: u8 = 5;
const EXPORTS: u8 = 7;
/// Kinds of imports and exports.
const FUNCTION_KIND: u8 = 0;
const MEMORY_KIND: u8 = 2;
/// Limits with a maximum.
const HAS_MAXIMUM: u8 = 1;
/// Magic number and version.
const HEAD_BYTES: usize = 8;
/// The most entries that a table may grow by.
const TABLE_GROWTH: u32 = 1 << 20;
/// The number of pages that 32 bits can address.
const MAX_PAGES: u32 = 1 << 16;

/// A module that imports its memory.
pub struct Importing {
    pub bytes: Vec<u8>,
    /// The least pages that it needs, and the most that it accepts.
    pub min_pages: u32,
    pub max_pages: u32,
}

/// `wasm` with its only memory imported as `env.memory`, and with only those exported functions for which `is_used` is
/// true. `None`: the module does not have the form that Emscripten produces.
pub fn import_memory(wasm: &[u8], is_used: impl Fn(&[u8]) -> bool) -> Option<Importing> {
    let mut bytes = Vec::with_capacity(wasm.len() + 64);
    bytes.extend_from_slice(wasm.get(..HEAD_BYTES)?);
    let mut at = HEAD_BYTES;
    let mut memory = None;
    let mut imports = None;
    let mut sections = Vec::new();
    while at < wasm.len() {
        let id = wasm[at];
        at += 1;
        let length = read(wasm, &mut at)? as usize;
        let body = wasm.get(at..at.checked_add(length)?)?;
        at += length;
        match id {
            IMPORTS => imports = Some(sections.len()),
            MEMORIES => {
                memory = Some(one_memory(body)?);
                continue;
            }
            _ => {}
        }
        sections.push((id, body));
    }
    let (min_pages, max_pages) = memory?;
    let imports = imports?;
    for (index, (id, body)) in sections.into_iter().enumerate() {
        let body = match id {
            _ if index == imports => with_memory(body, min_pages, max_pages)?.into(),
            TABLES => with_maxima(body)?.into(),
            EXPORTS => with_used(body, &is_used)?.into(),
            _ => Cow::Borrowed(body),
        };
        bytes.push(id);
        write(&mut bytes, u32::try_from(body.len()).ok()?);
        bytes.extend_from_slice(&body);
    }
    Some(Importing { bytes, min_pages, max_pages })
}

fn one_memory(body: &[u8]) -> Option<(u32, u32)> {
    let mut at = 0;
    let count = read(body, &mut at)?;
    let flags = *body.get(at)?;
    at += 1;
    let min = read(body, &mut at)?;
    let max = if flags == HAS_MAXIMUM { read(body, &mut at)? } else { MAX_PAGES };
    (count == 1 && flags <= HAS_MAXIMUM && at == body.len()).then_some((min, max))
}

fn with_memory(body: &[u8], min_pages: u32, max_pages: u32) -> Option<Vec<u8>> {
    let mut at = 0;
    let count = read(body, &mut at)?;
    let mut changed = Vec::with_capacity(body.len() + 32);
    write(&mut changed, count.checked_add(1)?);
    for name in [b"env".as_slice(), b"memory"] {
        write(&mut changed, u32::try_from(name.len()).ok()?);
        changed.extend(name);
    }
    changed.extend([MEMORY_KIND, HAS_MAXIMUM]);
    write(&mut changed, min_pages);
    write(&mut changed, max_pages);
    changed.extend(body.get(at..)?);
    Some(changed)
}

/// Adds a maximum to tables that have none.
fn with_maxima(body: &[u8]) -> Option<Vec<u8>> {
    let mut at = 0;
    let count = read(body, &mut at)?;
    let mut changed = Vec::with_capacity(body.len() + 8);
    write(&mut changed, count);
    for _ in 0..count {
        // `funcref` or `externref`, in one byte.
        let kind = *body.get(at)?;
        let flags = *body.get(at + 1)?;
        if !(kind == 0x70 || kind == 0x6f) || flags > HAS_MAXIMUM {
            return None;
        }
        at += 2;
        let min = read(body, &mut at)?;
        let max = if flags == HAS_MAXIMUM { read(body, &mut at)? } else { min.checked_add(TABLE_GROWTH)? };
        changed.extend([kind, HAS_MAXIMUM]);
        write(&mut changed, min);
        write(&mut changed, max);
    }
    (at == body.len()).then_some(changed)
}

/// Leaves out exports of unused functions: each export takes a separate object in every isolate.
fn with_used(body: &[u8], is_used: impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    let mut at = 0;
    let count = read(body, &mut at)?;
    let mut kept = 0;
    let mut exports = Vec::with_capacity(body.len());
    for _ in 0..count {
        let start = at;
        let length = read(body, &mut at)? as usize;
        let name = body.get(at..at.checked_add(length)?)?;
        at += length;
        let kind = *body.get(at)?;
        at += 1;
        read(body, &mut at)?;
        if kind != FUNCTION_KIND || is_used(name) {
            kept += 1;
            exports.extend_from_slice(&body[start..at]);
        }
    }
    let mut changed = Vec::with_capacity(exports.len() + 5);
    write(&mut changed, kept);
    changed.extend_from_slice(&exports);
    (at == body.len()).then_some(changed)
}

/// An unsigned LEB128 number.
fn read(bytes: &[u8], at: &mut usize) -> Option<u32> {
    let mut value = 0;
    for shift in (0..35).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return u32::try_from(value).ok();
        }
    }
    None
}

fn write(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Imports a function, and has a table of one entry and a memory of two to nine pages, which it exports.
    const MODULE: &[u8] = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x02\x07\x01\x01e\x01f\0\0\x04\x04\x01\x70\0\x01\x05\x04\x01\x01\x02\x09\x07\x05\x01\x01m\x02\0";

    #[test]
    fn the_memory_becomes_an_import_and_the_table_gets_a_maximum() {
        let importing = import_memory(MODULE, |_| true).unwrap();
        assert_eq!((importing.min_pages, importing.max_pages), (2, 9));
        let expected = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x02\x16\x02\x03env\x06memory\x02\x01\x02\x09\x01e\x01f\0\0\x04\x07\x01\x70\x01\x01\x81\x80\x40\x07\x05\x01\x01m\x02\0";
        assert_eq!(importing.bytes, expected);
    }

    #[test]
    fn functions_that_nobody_uses_are_not_exported() {
        // A function of no parameters, exported as `a` and `b`, and a memory as `m`.
        let module =
            b"\0asm\x01\0\0\0\x02\x07\x01\x01e\x01f\0\0\x05\x03\x01\0\x01\x07\x0d\x03\x01a\0\0\x01b\0\0\x01m\x02\0";
        let importing = import_memory(module, |name| name == b"b").unwrap();
        assert!(importing.bytes.ends_with(b"\x07\x09\x02\x01b\0\0\x01m\x02\0"), "{:?}", importing.bytes);
    }

    #[test]
    fn what_is_cut_off_or_has_no_memory_is_refused() {
        for length in 0..MODULE.len() - 7 {
            assert!(import_memory(&MODULE[..length], |_| true).is_none(), "{length}");
        }
    }
}
