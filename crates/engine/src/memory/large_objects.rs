//! Objects of V8's young generation that have separate pages, such as long strings. The linker redirects the function
//! that makes them to this file (`--wrap`, build.rs).
//!
//! V8 grants one such object beyond any limit and notices only with the next one. A string that doubles would double
//! once more.

use std::ffi::c_void;

use crate::memory::limits::with_guard;

// SAFETY: the name is the linker's name for the method of `v8::internal::NewLargeObjectSpace`. A hint is four bytes.
unsafe extern "C" {
    fn __real__ZN2v88internal19NewLargeObjectSpace11AllocateRawEPNS0_9LocalHeapEiNS0_14AllocationHintE(
        this: *mut c_void,
        heap: *mut c_void,
        bytes: i32,
        hint: u32,
    ) -> *mut c_void;
}

// SAFETY: the name is the linker's name for the wrapper.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal19NewLargeObjectSpace11AllocateRawEPNS0_9LocalHeapEiNS0_14AllocationHintE(
    this: *mut c_void,
    heap: *mut c_void,
    bytes: i32,
    hint: u32,
) -> *mut c_void {
    with_guard(|guard| guard.before_object(usize::try_from(bytes).unwrap_or(0)));
    // SAFETY: the caller's contract is the same.
    unsafe {
        __real__ZN2v88internal19NewLargeObjectSpace11AllocateRawEPNS0_9LocalHeapEiNS0_14AllocationHintE(
            this, heap, bytes, hint,
        )
    }
}
