//! WebAssembly modules that packages load while guest code runs. Only modules with a digest that the host knows are
//! allowed.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use deno_core::v8;
use sha2::Sha256;

use crate::memory::limits::uncounted;

pub type Digest = [u8; 32];

/// The largest adapter. Adapters only pass calls on.
const MAX_ADAPTER_BYTES: usize = 256;
/// The most different adapters of an isolate. There is one for each list of parameter types.
const MAX_ADAPTERS: usize = 128;
/// Magic number and version.
const HEAD: &[u8] = b"\0asm\x01\0\0\0";
/// The sections of a module without code: types, imports, exports.
const WITHOUT_CODE: [u8; 3] = [1, 2, 7];

/// Libraries that were compiled, once per process.
static COMPILED: Mutex<BTreeMap<Digest, Arc<v8::CompiledWasmModule>>> = Mutex::new(BTreeMap::new());

/// The libraries that an isolate may load, stored in a slot of the isolate.
#[derive(Default)]
pub struct Libraries {
    known: BTreeSet<Digest>,
    adapters: RefCell<BTreeMap<Vec<u8>, v8::Global<v8::WasmModuleObject>>>,
}

impl Libraries {
    pub fn new(known: BTreeSet<Digest>) -> Self {
        Self { known, adapters: RefCell::default() }
    }

    /// The module of `bytes`. It may be a library or an adapter. An adapter makes a JavaScript function callable from
    /// WebAssembly and contains no code.
    ///
    /// # Errors
    ///
    /// The module may not be loaded. The message is for people.
    pub fn module<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        bytes: &[u8],
    ) -> Result<v8::Local<'s, v8::WasmModuleObject>, &'static str> {
        if bytes.len() <= MAX_ADAPTER_BYTES && is_without_code(bytes) {
            return self.adapter(scope, bytes);
        }
        let digest = <Sha256 as sha2::Digest>::digest(bytes).into();
        if !self.known.contains(&digest) {
            return Err("it is not a library of the executor's packages");
        }
        let compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner).get(&digest).cloned();
        if let Some(compiled) = compiled {
            return v8::WasmModuleObject::from_compiled_module(scope, &compiled).ok_or("there is no memory for it");
        }
        // All isolates of the process share the module from now on.
        let module = uncounted(|| compile(scope, bytes))?;
        let compiled = Arc::new(module.get_compiled_module());
        COMPILED.lock().unwrap_or_else(PoisonError::into_inner).entry(digest).or_insert(compiled);
        Ok(module)
    }

    fn adapter<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        bytes: &[u8],
    ) -> Result<v8::Local<'s, v8::WasmModuleObject>, &'static str> {
        if let Some(module) = self.adapters.borrow().get(bytes) {
            return Ok(v8::Local::new(scope, module));
        }
        if self.adapters.borrow().len() >= MAX_ADAPTERS {
            return Err("there are too many adapters");
        }
        let module = compile(scope, bytes)?;
        let kept = v8::Global::new(scope, module);
        self.adapters.borrow_mut().insert(bytes.to_vec(), kept);
        Ok(module)
    }
}

/// Compiles a module. V8 does not check here whether the isolate may compile code, and the isolate itself may not.
fn compile<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    bytes: &[u8],
) -> Result<v8::Local<'s, v8::WasmModuleObject>, &'static str> {
    v8::tc_scope!(let attempt, scope);
    v8::WasmModuleObject::compile(attempt, bytes).ok_or("V8 does not compile it")
}

/// Whether a module contains only types, imports and exports.
fn is_without_code(bytes: &[u8]) -> bool {
    let Some(mut rest) = bytes.strip_prefix(HEAD) else { return false };
    while let [id, length, body @ ..] = rest {
        // Emscripten writes the length of the types in two bytes. The highest bit of the first byte is set.
        let (length, body) = match (*length, body) {
            (low @ 0x80.., [high, body @ ..]) if *high < 0x80 => {
                (usize::from(low & 0x7f) | usize::from(*high) << 7, body)
            }
            (length @ ..0x80, body) => (usize::from(length), body),
            _ => return false,
        };
        if !WITHOUT_CODE.contains(id) || body.len() < length {
            return false;
        }
        rest = &body[length..];
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Emscripten's adapter for a function with an `i32` parameter and no result.
    const ADAPTER: &[u8] =
        b"\0asm\x01\0\0\0\x01\x87\0\x01\x60\x81\0\x7f\x80\0\x02\x07\x01\x01e\x01f\0\0\x07\x05\x01\x01f\0\0";

    #[test]
    fn an_adapter_has_no_code() {
        assert!(is_without_code(ADAPTER));
        assert!(is_without_code(HEAD));
        // A module with one function that has a body.
        assert!(!is_without_code(b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x0a\x04\x01\x02\0\x0b"));
        // A memory, a table, and a custom section.
        for section in [b"\x05\x03\x01\0\x01".as_slice(), b"\x04\x04\x01\x70\0\x01", b"\0\x02\x01a"] {
            assert!(!is_without_code(&[HEAD, section].concat()), "{section:?}");
        }
        for length in (1..ADAPTER.len()).filter(|length| ![8, 18, 27].contains(length)) {
            assert!(!is_without_code(&ADAPTER[..length]), "{length}");
        }
    }
}
