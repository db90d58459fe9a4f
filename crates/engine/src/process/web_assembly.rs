//! WebAssembly in a new context. V8 would put it into each one, and hardening take it away again (90_seal.js), as it does elsewhere than on
//! Linux. build.rs has the linker send here (`--wrap`) what puts it there.

use std::cell::Cell;

thread_local! {
    /// It is put into the contexts that the thread makes.
    static IS_WANTED: Cell<bool> = const { Cell::new(false) };
}

/// It is put into the contexts that `make` makes.
pub fn wanted<T>(make: impl FnOnce() -> T) -> T {
    IS_WANTED.set(true);
    let made = make();
    IS_WANTED.set(false);
    made
}

#[cfg(target_os = "linux")]
mod wrapper {
    use std::ffi::c_void;

    // SAFETY: the name is that which the linker gives to V8's function.
    unsafe extern "C" {
        fn __real__ZN2v88internal6WasmJs7InstallEPNS0_7IsolateE(isolate: *mut c_void);
    }

    // SAFETY: the name is that by which the linker knows the wrapper of V8's function, which has this parameter.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn __wrap__ZN2v88internal6WasmJs7InstallEPNS0_7IsolateE(isolate: *mut c_void) {
        if super::IS_WANTED.get() {
            // SAFETY: the caller's contract is the same.
            unsafe { __real__ZN2v88internal6WasmJs7InstallEPNS0_7IsolateE(isolate) }
        }
    }
}
