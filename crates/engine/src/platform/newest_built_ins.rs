//! V8's newest built-ins, such as `Float16Array`, in a new context. V8 adds them to each context that it makes from a
//! snapshot, so that its flags can decide. Here they are in the snapshot already, and frozen. The linker redirects the
//! function that adds them to this file (`--defsym`, build.rs).

use std::ffi::c_void;

// SAFETY: the name is that of `v8::internal::Genesis::InitializeExperimentalGlobal`.
unsafe extern "C" {
    fn _ZN2v88internal7Genesis28InitializeExperimentalGlobalEv(genesis: *mut c_void);
}

// SAFETY: the name is the linker's name for the function.
#[unsafe(no_mangle)]
extern "C" fn ses_executor_no_newest_built_ins(_genesis: *mut c_void) {}

/// Whether the linker has redirected the function.
pub fn are_in_snapshot() -> bool {
    let called = _ZN2v88internal7Genesis28InitializeExperimentalGlobalEv as *const c_void;
    let own = ses_executor_no_newest_built_ins as *const c_void;
    std::hint::black_box(called) == std::hint::black_box(own)
}
