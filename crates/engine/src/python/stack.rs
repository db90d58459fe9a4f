//! The part of a thread's stack that V8 may use.

use deno_core::v8;

/// Lets V8 use the stack of the calling thread down to `limit`, an address. V8's creation parameters have this setting
/// too, but V8 ignores it if the isolate starts from a snapshot, and uses 984 KiB. On other platforms, V8 always uses
/// 984 KiB.
///
/// # Safety
///
/// The isolate belongs to the calling thread. Below `limit`, its stack has enough space for V8's own functions.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub unsafe fn set_limit(isolate: &mut v8::Isolate, limit: usize) {
    // SAFETY: V8's declaration (`include/v8-isolate.h`) of a method for which the `v8` crate has no function.
    unsafe extern "C" {
        #[link_name = "_ZN2v87Isolate13SetStackLimitEm"]
        fn set_stack_limit(isolate: v8::UnsafeRawIsolatePtr, limit: usize);
    }
    // SAFETY: the isolate is alive; the rest is the caller's contract.
    unsafe { set_stack_limit(isolate.as_raw_isolate_ptr(), limit) }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub unsafe fn set_limit(_isolate: &mut v8::Isolate, _limit: usize) {}
