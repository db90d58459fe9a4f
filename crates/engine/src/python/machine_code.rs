//! Machine code that V8 has made from a WebAssembly module, for later processes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use deno_core::v8;

/// A module in the current isolate, made from `machine_code` that [`serialize`] has returned for these bytes. `None`:
/// V8's version or build is different, or the processor is different.
pub fn deserialize<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    wasm: &[u8],
    machine_code: &[u8],
) -> Option<v8::Local<'s, v8::WasmModuleObject>> {
    let made = Rc::new(RefCell::new(None));
    let mut compilation = v8::WasmModuleCompilation::new();
    compilation.set_has_compiled_module_bytes();
    compilation.on_bytes_received(wasm);
    let here = made.clone();
    GIVEN.set((machine_code.as_ptr(), machine_code.len()));
    compilation.finish(scope, Some(give), move |isolate, module| {
        *here.borrow_mut() = module.ok().map(|module| v8::Global::new(isolate, module));
    });
    GIVEN.set((std::ptr::null(), 0));
    // If V8 cannot use the machine code, it would compile the module in tasks, which nothing runs here.
    let module = made.borrow_mut().take()?;
    Some(v8::Local::new(scope, module))
}

thread_local! {
    /// The data that the callback below passes to V8. V8 calls it within `finish` without an argument.
    static GIVEN: Cell<(*const u8, usize)> = const { Cell::new((std::ptr::null(), 0)) };
}

unsafe extern "C" fn give(cache: *mut v8::ModuleCachingInterface) {
    let (bytes, length) = GIVEN.get();
    if !bytes.is_null() {
        // SAFETY: `deserialize` borrows the bytes until `finish`, which calls this, returns. V8 owns `cache` during
        // that time.
        unsafe { (*cache).set_cached_compiled_module_bytes(std::slice::from_raw_parts(bytes, length)) };
    }
}

/// The optimized code of the module so far. `None`: there is none, or V8's symbol is not available on this platform.
pub fn serialize(module: &v8::CompiledWasmModule) -> Option<Vec<u8>> {
    native::serialize(module)
}

/// Whether V8's threads are optimizing, or would be if a processor were idle. False if the platform does not report the
/// state of threads.
pub fn is_compiling() -> bool {
    native::states_of_workers().iter().any(|&state| state != WAITS)
}

/// Linux's letter for the state of a thread that waits for work.
const WAITS: u8 = b'S';

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod native {
    use std::ffi::c_void;
    use std::fs;

    use deno_core::v8;

    /// `v8::OwnedBuffer`.
    #[repr(C)]
    struct OwnedBuffer {
        bytes: *mut u8,
        length: usize,
    }

    // SAFETY: V8's declarations (`include/v8-wasm.h`), for which the `v8` crate has no functions. V8's own C++ library
    // gives `unique_ptr` the ABI of a pointer (`trivial_abi`), so the buffer has that of two words.
    unsafe extern "C" {
        #[link_name = "_ZN2v818CompiledWasmModule9SerializeEv"]
        fn serialize_module(module: *mut c_void) -> OwnedBuffer;
        #[link_name = "_ZdaPv"]
        fn delete_array(array: *mut c_void);
    }

    pub fn serialize(module: &v8::CompiledWasmModule) -> Option<Vec<u8>> {
        const { assert!(size_of::<v8::CompiledWasmModule>() == size_of::<*mut c_void>()) };
        // SAFETY: the crate's type is a pointer to V8's, as its own functions pass it. We own the array and free it
        // once.
        unsafe {
            let OwnedBuffer { bytes, length } =
                serialize_module(std::ptr::from_ref(module).cast::<*mut c_void>().read());
            let copy = (!bytes.is_null() && length > 0).then(|| std::slice::from_raw_parts(bytes, length).to_vec());
            delete_array(bytes.cast());
            copy
        }
    }

    /// The name that V8 gives the threads of its platform, truncated to the length that Linux stores.
    const WORKER: &[u8] = b"(V8 DefaultWorke) ";

    /// The state letter of each thread of V8's platform, as in `/proc`.
    pub fn states_of_workers() -> Vec<u8> {
        let Ok(threads) = fs::read_dir("/proc/self/task") else { return Vec::new() };
        let state_of = |stat: Vec<u8>| {
            let at = stat.windows(WORKER.len()).position(|part| part == WORKER)?;
            stat.get(at + WORKER.len()).copied()
        };
        threads.filter_map(|thread| state_of(fs::read(thread.ok()?.path().join("stat")).ok()?)).collect()
    }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod native {
    use deno_core::v8;

    pub fn serialize(_: &v8::CompiledWasmModule) -> Option<Vec<u8>> {
        None
    }

    pub fn states_of_workers() -> Vec<u8> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::startup::prepare_v8;
    use crate::realm::snapshot::plain;

    /// Exports a function that does nothing.
    const MODULE: &[u8] =
        b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x07\x05\x01\x01f\0\0\x0a\x04\x01\x02\0\x0b";

    #[test]
    fn what_v8_cannot_use_is_compiled_instead() {
        prepare_v8().unwrap();
        let mut instance = plain(v8::CreateParams::default());
        v8::scope_with_context!(scope, &mut instance.isolate, &instance.context);
        // V8 may or may not have compiled it by then.
        let module = deserialize(scope, MODULE, &[7; 4096]).or_else(|| v8::WasmModuleObject::compile(scope, MODULE));
        let module = module.unwrap();
        // Nothing was worth optimising.
        assert_eq!(serialize(&module.get_compiled_module()), None);
    }

    #[test]
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    fn threads_of_v8_are_found() {
        prepare_v8().unwrap();
        // A thread gets its name when it begins.
        while native::states_of_workers().is_empty() {
            std::thread::yield_now();
        }
    }
}
