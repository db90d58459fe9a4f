//! Array buffers of an isolate, and other memory of the host that becomes part of it.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use deno_core::v8;

use crate::memory::budget::BufferBudget;
use crate::memory::limits::{MemoryGuard, with_guard};

/// Counts `length` bytes outside the heap, on the isolate's thread. False: there is no room.
fn reserve(budget: &BufferBudget, length: usize) -> bool {
    let has_room = budget.take(length);
    if has_room {
        with_guard(MemoryGuard::after_buffer);
    }
    has_room
}

/// As [`reserve`], after a collection if necessary: V8 does not collect for memory that it does not allocate itself.
/// Runs no guest code.
pub fn reserve_or_collect(isolate: &mut v8::Isolate, budget: &BufferBudget, length: usize) -> bool {
    let limit = budget.limit();
    if length > limit {
        return false;
    }
    // The budget has the size of the heap after the last full collection.
    let fits =
        budget.is_little(length) || isolate.get_heap_statistics().used_heap_size() + budget.outside() + length <= limit;
    if fits && reserve(budget, length) {
        return true;
    }
    isolate.low_memory_notification();
    reserve(budget, length)
}

/// An allocator of array buffers that refuses allocations beyond the budget. V8 then throws a RangeError.
pub fn allocator(budget: &Arc<BufferBudget>) -> v8::UniqueRef<v8::Allocator> {
    // SAFETY: the table's functions match `BufferBudget`, and its `drop` takes back the reference that `into_raw`
    // leaves.
    unsafe { v8::new_rust_allocator(Arc::into_raw(budget.clone()), &ALLOCATOR) }
}

static ALLOCATOR: v8::RustAllocatorVtable<BufferBudget> = v8::RustAllocatorVtable {
    allocate,
    // The guest must not read memory that the process has freed, so this allocation is zeroed too.
    allocate_uninitialized: allocate,
    free,
    drop: drop_budget,
};

unsafe extern "C" fn allocate(budget: &BufferBudget, length: usize) -> *mut c_void {
    if !reserve(budget, length) {
        if !budget.refused.swap(true, Ordering::Relaxed) {
            with_guard(MemoryGuard::request_collection);
        }
        return std::ptr::null_mut();
    }
    // SAFETY: `calloc` may be called with any size. A size of 0 is rounded up, because V8 interprets null as failure.
    let data = unsafe { libc::calloc(length.max(1), 1) };
    if data.is_null() {
        budget.release(length);
    }
    data
}

unsafe extern "C" fn free(budget: &BufferBudget, data: *mut c_void, length: usize) {
    // SAFETY: V8 frees a pointer that `allocate` returned, once.
    unsafe { libc::free(data) };
    budget.release(length);
}

unsafe extern "C" fn drop_budget(budget: *const BufferBudget) {
    // SAFETY: `allocator` left this reference for V8, which drops it once.
    drop(unsafe { Arc::from_raw(budget) });
}
