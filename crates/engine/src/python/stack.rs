//! How much of a thread's stack V8 takes.

use deno_core::v8;

/// Lets V8 take the stack of the calling thread down to `limit`, an address. V8's parameters have that too, but V8 forgets it where an
/// isolate starts from a snapshot, and takes 984 KiB; so it does on other platforms than this one.
///
/// # Safety
///
/// The isolate belongs to the calling thread, whose stack reaches beyond `limit` by what V8's own functions take.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub unsafe fn set_limit(isolate: &mut v8::Isolate, limit: usize) {
    // SAFETY: V8's declaration (`include/v8-isolate.h`), of a method that the `v8` crate has no function for.
    unsafe extern "C" {
        #[link_name = "_ZN2v87Isolate13SetStackLimitEm"]
        fn set_stack_limit(isolate: v8::UnsafeRawIsolatePtr, limit: usize);
    }
    // SAFETY: the isolate is alive, the rest is the caller's contract.
    unsafe { set_stack_limit(isolate.as_raw_isolate_ptr(), limit) }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub unsafe fn set_limit(_isolate: &mut v8::Isolate, _limit: usize) {}
