//! Segments of V8's zones. The linker redirects the functions that allocate and free them to this file (`--wrap`,
//! build.rs). The calling thread is the isolate's or compiles for that isolate alone (compiled_for.rs), or there is
//! only one isolate (single_isolate.rs).

use std::ffi::c_void;

use crate::memory::limits::with_guard;
use crate::memory::stop::park_if_far_over;
use crate::memory::zones::Zones;
use crate::memory::{compiled_for, single_isolate};

// SAFETY: the linker gives these names to the methods of `v8::internal::AccountingAllocator`. The first returns a block
// of `malloc` or null, and the second frees it.
unsafe extern "C" {
    fn __real__ZN2v88internal19AccountingAllocator15AllocateSegmentEm(this: *mut c_void, bytes: usize) -> *mut c_void;
    fn __real__ZN2v88internal19AccountingAllocator13ReturnSegmentEPNS0_7SegmentE(
        this: *mut c_void,
        segment: *mut c_void,
    );
}

/// Counts the segment in the zones of the isolate that the calling thread works for.
fn count(segment: *mut c_void, count: fn(&Zones, usize)) {
    // SAFETY: a segment is a block of `malloc`.
    let bytes = unsafe { libc::malloc_usable_size(segment) };
    let of_thread = with_guard(|guard| count(guard.zones(), bytes));
    let of_helper = || compiled_for::with_zones(|zones| count(zones, bytes));
    of_thread.or_else(of_helper).or_else(|| single_isolate::zones().map(|zones| count(zones, bytes)));
}

// SAFETY: the name is the linker's name for the wrapper.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal19AccountingAllocator15AllocateSegmentEm(
    this: *mut c_void,
    bytes: usize,
) -> *mut c_void {
    park_if_far_over();
    // SAFETY: the caller's contract is the same.
    let segment = unsafe { __real__ZN2v88internal19AccountingAllocator15AllocateSegmentEm(this, bytes) };
    if !segment.is_null() {
        count(segment, Zones::add);
    }
    segment
}

// SAFETY: as above.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal19AccountingAllocator13ReturnSegmentEPNS0_7SegmentE(
    this: *mut c_void,
    segment: *mut c_void,
) {
    count(segment, Zones::take);
    // SAFETY: the caller's contract is the same.
    unsafe { __real__ZN2v88internal19AccountingAllocator13ReturnSegmentEPNS0_7SegmentE(this, segment) }
}
