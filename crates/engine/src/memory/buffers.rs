//! Array buffers of one isolate, and other memory outside of its heap that the host gives it.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use deno_core::v8;

use crate::memory::limits::MemoryGuard;
use crate::memory::native_memory::{Usage, with_guard};
use crate::memory::zones::Zones;

/// What the allocator keeps beside the bytes of an array buffer, and rounds up.
const BUFFER_OVERHEAD_BYTES: usize = 32;

/// Bytes of array buffers that an isolate may hold, and what it holds.
pub struct BufferBudget {
    pub(super) limit: usize,
    pub(super) used: AtomicUsize,
    /// What V8 and ICU hold for the isolate outside of its heap. Never refused.
    pub(super) native: Usage,
    /// What it is parsed and compiled with. Never refused.
    pub zones: Zones,
    /// The heap after its last full collection.
    pub(super) heap: AtomicUsize,
    /// An allocation has been refused since the guard looked.
    pub(super) refused: AtomicBool,
}

impl BufferBudget {
    /// A budget of `limit` bytes.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            used: AtomicUsize::new(0),
            native: Usage::new(),
            zones: Zones::default(),
            heap: AtomicUsize::new(0),
            refused: AtomicBool::new(false),
        })
    }

    /// What V8 and ICU hold for the isolate outside of its heap, array buffers not included.
    pub fn native_bytes(&self) -> usize {
        self.native.bytes() + self.zones.bytes()
    }

    /// What the isolate holds outside of V8's heap.
    pub fn outside(&self) -> usize {
        self.used.load(Ordering::Relaxed) + self.native_bytes()
    }

    /// What the isolate holds, its heap as the last full collection left it.
    pub fn total(&self) -> usize {
        self.heap.load(Ordering::Relaxed) + self.outside()
    }

    /// Counts an array buffer, or the text of a string, of `length` bytes outside of the heap. False: there is no room.
    pub fn reserve(&self, length: usize) -> bool {
        let others = self.heap.load(Ordering::Relaxed) + self.native_bytes();
        let cost = length.saturating_add(BUFFER_OVERHEAD_BYTES);
        let add = |used: usize| {
            used.checked_add(cost).filter(|sum| sum.checked_add(others).is_some_and(|all| all <= self.limit))
        };
        if self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_err() {
            return false;
        }
        with_guard(MemoryGuard::after_buffer);
        true
    }

    /// Takes back what [`Self::reserve`] counted.
    pub fn release(&self, length: usize) {
        self.used.fetch_sub(length + BUFFER_OVERHEAD_BYTES, Ordering::Relaxed);
    }

    /// An allocator of array buffers that refuses what exceeds the budget; V8 then throws a RangeError.
    pub fn allocator(self: &Arc<Self>) -> v8::UniqueRef<v8::Allocator> {
        // SAFETY: the table's functions match `BufferBudget`, and its `drop` takes back the reference that
        // `into_raw` leaves.
        unsafe { v8::new_rust_allocator(Arc::into_raw(self.clone()), &ALLOCATOR) }
    }
}

static ALLOCATOR: v8::RustAllocatorVtable<BufferBudget> = v8::RustAllocatorVtable {
    allocate,
    // The guest must not read what the process has freed.
    allocate_uninitialized: allocate,
    free,
    drop: drop_budget,
};

unsafe extern "C" fn allocate(budget: &BufferBudget, length: usize) -> *mut c_void {
    if !budget.reserve(length) {
        budget.refused.store(true, Ordering::Relaxed);
        return std::ptr::null_mut();
    }
    // SAFETY: `calloc` may be called with any size; a size of 0 is rounded up, since V8 takes null for failure.
    let data = unsafe { libc::calloc(length.max(1), 1) };
    if data.is_null() {
        budget.release(length);
    }
    data
}

unsafe extern "C" fn free(budget: &BufferBudget, data: *mut c_void, length: usize) {
    // SAFETY: V8 frees what `allocate` returned, once.
    unsafe { libc::free(data) };
    budget.release(length);
}

unsafe extern "C" fn drop_budget(budget: *const BufferBudget) {
    // SAFETY: `allocator` left this reference for V8, which drops it once.
    drop(unsafe { Arc::from_raw(budget) });
}
