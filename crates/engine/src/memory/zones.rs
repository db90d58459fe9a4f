//! Zones of V8: what its parsers and compilers allocate and free as a whole.
//!
//! build.rs has the linker send here (`--wrap`) what takes a segment of one and gives it back. Guests compile on their own
//! threads only (platform.rs), so that the thread is the one of the isolate.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of the zones of one isolate. Changed by its thread only.
#[derive(Default)]
pub struct Zones {
    bytes: AtomicUsize,
    /// The most there were at a time.
    peak: AtomicUsize,
}

impl Zones {
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    pub fn peak(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }

    #[cfg(target_os = "linux")]
    fn add(&self, bytes: usize) {
        let sum = self.bytes() + bytes;
        self.bytes.store(sum, Ordering::Relaxed);
        if sum > self.peak() {
            self.peak.store(sum, Ordering::Relaxed);
        }
    }

    #[cfg(target_os = "linux")]
    fn take(&self, bytes: usize) {
        // What was there before the isolate's account was opened has not been added.
        self.bytes.store(self.bytes().saturating_sub(bytes), Ordering::Relaxed);
    }
}

#[cfg(target_os = "linux")]
mod wrappers {
    use std::ffi::c_void;

    use crate::memory::limits::MemoryGuard;
    use crate::memory::native_memory::with_guard;

    // SAFETY: the names are those that the linker gives to the methods of `v8::internal::AccountingAllocator`, of which the
    // first returns a block of `malloc` or null, and the second frees it.
    unsafe extern "C" {
        fn __real__ZN2v88internal19AccountingAllocator15AllocateSegmentEm(
            this: *mut c_void,
            bytes: usize,
        ) -> *mut c_void;
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
        with_guard(MemoryGuard::park_if_far_over);
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
}
