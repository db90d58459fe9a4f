//! The young generation of an isolate that nobody waits for.
//!
//! What a run leaves is copied twice: within the young generation by the collection behind the run, and out of it by the next one, which
//! otherwise is made in the middle of the next run.
//!
//! V8 keeps the pages of what was alive before a collection for what is alive after the next one, unless hardly anything is allocated: then
//! they go to its pool, from which other isolates take theirs and the system gets back what is left. An isolate that
//! rests says that. build.rs has the linker send here (`--wrap`) what makes the heap, and what V8 asks.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use deno_core::v8;

/// What has to be in the young generation for a collection to give something back. 32 KiB.
const LEAST_BYTES: usize = 32 << 10;
/// What a collection has to leave in the young generation for another one to pay. 1 MiB.
const SURVIVING_BYTES: usize = 1 << 20;
/// One of V8's pages. 256 KiB.
const PAGE_BYTES: usize = 256 << 10;
/// What is alive is copied into pages of those that there are, and by the next collection out of them. And where much was alive, V8 wants
/// more pages once before it gives any back.
const MOST_COLLECTIONS: usize = 4;
/// A young generation with pages of so many bytes has grown. 4 MiB.
const GROWN_BYTES: usize = 4 << 20;

/// `AllocationSpace::NEW_SPACE`, which is also its index among the heap's spaces.
const NEW_SPACE: c_int = 1;
/// `GarbageCollectionReason::kTask`.
const TASK: c_int = 12;
/// Bytes for each millisecond, of which V8 says that they are hardly any. 0 would be that nothing was measured.
const HARDLY_ANYTHING: f64 = 1.0;

thread_local! {
    /// Of the isolate that the thread has made last.
    static HEAP: Cell<Option<NonNull<c_void>>> = const { Cell::new(None) };
    static RESTS: Cell<bool> = const { Cell::new(false) };
}

/// Whether the young generation has grown.
pub fn holds_much(isolate: &mut v8::Isolate) -> bool {
    statistics(isolate).is_some_and(|space| space.space_size() >= GROWN_BYTES)
}

/// Whether the collection that was just made has left much in the young generation.
pub fn has_survivors(isolate: &mut v8::Isolate) -> bool {
    statistics(isolate).is_some_and(|space| space.space_used_size() >= SURVIVING_BYTES)
}

/// Collects the young generation of the calling thread's isolate once more, which moves what has survived a collection out of it. To be
/// called when nobody waits. Runs no guest code.
pub fn promote(isolate: &mut v8::Isolate) {
    if let Some(heap) = HEAP.get() {
        collect(heap, isolate);
    }
}

fn statistics(isolate: &mut v8::Isolate) -> Option<v8::HeapSpaceStatistics> {
    isolate.get_heap_space_statistics(NEW_SPACE as usize)
}

/// Collects the young generation of the calling thread's isolate, and gives back what V8 keeps for it. To be called when nobody waits.
/// Runs no guest code.
pub fn give_back(isolate: &mut v8::Isolate) {
    let Some(heap) = HEAP.get() else { return };
    let is_in_use = statistics(isolate).is_some_and(|space| space.space_used_size() >= LEAST_BYTES);
    if !is_in_use && !has_spare_pages(isolate) {
        return;
    }
    RESTS.set(true);
    for _ in 0..MOST_COLLECTIONS {
        collect(heap, isolate);
        if !has_spare_pages(isolate) {
            break;
        }
    }
    RESTS.set(false);
}

fn has_spare_pages(isolate: &mut v8::Isolate) -> bool {
    statistics(isolate).is_some_and(|space| space.space_size() > PAGE_BYTES)
}

/// `heap`: that of the isolate.
fn collect(heap: NonNull<c_void>, isolate: &mut v8::Isolate) {
    v8::scope!(let _scope, isolate);
    // SAFETY: the isolate has its heap, since `end` was not called yet; the thread has entered it, and refers to its objects by handles only.
    unsafe {
        _ZN2v88internal4Heap14CollectGarbageENS0_15AllocationSpaceENS0_23GarbageCollectionReasonENS_15GCCallbackFlagsENS0_21PerformHeapLimitCheckENS0_34PerformIneffectiveMarkCompactCheckE(heap, NEW_SPACE, TASK, 0, 0, 0);
    }
}

/// The thread's isolate is about to be taken apart.
pub fn end() {
    HEAP.take();
}

// SAFETY: the names are those of V8's methods, and those that the linker gives to them. Enumerations are of the size of an `int`.
unsafe extern "C" {
    fn _ZN2v88internal4Heap14CollectGarbageENS0_15AllocationSpaceENS0_23GarbageCollectionReasonENS_15GCCallbackFlagsENS0_21PerformHeapLimitCheckENS0_34PerformIneffectiveMarkCompactCheckE(
        heap: NonNull<c_void>,
        space: c_int,
        reason: c_int,
        flags: c_int,
        limit_check: c_int,
        effect_check: c_int,
    );
    fn __real__ZN2v88internal4Heap5SetUpEPNS0_9LocalHeapE(heap: NonNull<c_void>, local: *mut c_void);
    fn __real__ZNK2v88internal8GCTracer41AllocationThroughputInBytesPerMillisecondEv(tracer: *const c_void) -> f64;
}

// SAFETY: the name is that by which the linker knows the wrapper of V8's method.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal4Heap5SetUpEPNS0_9LocalHeapE(heap: NonNull<c_void>, local: *mut c_void) {
    HEAP.set(Some(heap));
    // SAFETY: the caller's contract is the same.
    unsafe { __real__ZN2v88internal4Heap5SetUpEPNS0_9LocalHeapE(heap, local) }
}

// SAFETY: as above.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZNK2v88internal8GCTracer41AllocationThroughputInBytesPerMillisecondEv(
    tracer: *const c_void,
) -> f64 {
    if RESTS.get() {
        return HARDLY_ANYTHING;
    }
    // SAFETY: the caller's contract is the same.
    unsafe { __real__ZNK2v88internal8GCTracer41AllocationThroughputInBytesPerMillisecondEv(tracer) }
}
