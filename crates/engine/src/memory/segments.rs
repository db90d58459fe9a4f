//! Segments of V8's zones. build.rs has the linker send here (`--wrap`) what takes one and gives it back. Guests compile on their
//! own threads only (platform.rs), so that the thread is the one of the isolate.

use std::ffi::c_void;

use crate::memory::limits::with_guard;
use crate::memory::stop::park_if_far_over;

// SAFETY: the names are those that the linker gives to the methods of `v8::internal::AccountingAllocator`, of which the
// first returns a block of `malloc` or null, and the second frees it.
unsafe extern "C" {
    fn __real__ZN2v88internal19AccountingAllocator15AllocateSegmentEm(this: *mut c_void, bytes: usize) -> *mut c_void;
    fn __real__ZN2v88internal19AccountingAllocator13ReturnSegmentEPNS0_7SegmentE(
        this: *mut c_void,
        segment: *mut c_void,
    );
}

// SAFETY: the name is that by which the linker knows the wrapper.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal19AccountingAllocator15AllocateSegmentEm(
    this: *mut c_void,
    bytes: usize,
) -> *mut c_void {
    park_if_far_over();
    // SAFETY: the caller's contract is the same.
    let segment = unsafe { __real__ZN2v88internal19AccountingAllocator15AllocateSegmentEm(this, bytes) };
    if !segment.is_null() {
        // SAFETY: a segment is a block of `malloc`.
        with_guard(|guard| guard.zones().add(unsafe { libc::malloc_usable_size(segment) }));
    }
    segment
}

// SAFETY: as above.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal19AccountingAllocator13ReturnSegmentEPNS0_7SegmentE(
    this: *mut c_void,
    segment: *mut c_void,
) {
    // SAFETY: a segment is a block of `malloc`.
    with_guard(|guard| guard.zones().take(unsafe { libc::malloc_usable_size(segment) }));
    // SAFETY: the caller's contract is the same.
    unsafe { __real__ZN2v88internal19AccountingAllocator13ReturnSegmentEPNS0_7SegmentE(this, segment) }
}
