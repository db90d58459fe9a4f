//! The memory limit of one isolate. It covers the heap and memory outside the heap together.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use deno_core::v8;

use crate::control::interrupt::Interrupt;
use crate::memory::budget::BufferBudget;
use crate::memory::locks;
use crate::memory::usage::Account;
#[cfg(target_os = "linux")]
use crate::memory::zones::Zones;
use ses_protocol::Failure;

/// Bytes that a terminated isolate may still allocate while it unwinds.
const HEADROOM_BYTES: usize = 16 << 20;
/// This fraction of the limit must be free for a run to make progress.
const ROOM: usize = 16;
/// The least growth of V8's limit while the budget is not used up.
const STEP_BYTES: usize = 4 << 20;

/// Up to this limit, the young generation only gets the small share. The guest then exceeds all of these limits by the
/// same amount before it has ended.
const SMALL_LIMIT_BYTES: usize = 64 << 20;
/// V8's maximum for the young generation, for heaps of 1 GiB and more. 96 MiB.
const MAX_YOUNG_BYTES: usize = 96 << 20;
/// Number of spaces of this size in the young generation. New values are made in one of them, the semi-space.
const SEMI_SPACES: usize = 3;

/// The maximum of the young generation. With the default limit of 128 MiB, a semi-space has 24 MiB. In Node.js it has
/// 32 MiB.
pub fn young_bytes(limit_bytes: usize) -> usize {
    let beyond = limit_bytes.saturating_sub(SMALL_LIMIT_BYTES);
    (limit_bytes / 16 * 3 + beyond / 4 * 3).min(MAX_YOUNG_BYTES)
}

/// The maximum of the old generation: the limit and a semi-space. V8 collects the whole heap whenever the old
/// generation could not take in everything that is young. Without the semi-space, a guest that holds a good part of its
/// limit would cause a full collection for each MiB that it allocates.
pub fn old_bytes(limit_bytes: usize) -> usize {
    limit_bytes + young_bytes(limit_bytes) / SEMI_SPACES
}

/// Watches the heap of one isolate. Must outlive the isolate, which calls it back.
pub struct MemoryGuard {
    limit_bytes: usize,
    isolate: v8::UnsafeRawIsolatePtr,
    interrupt: Interrupt,
    exceeded: AtomicBool,
    /// V8's heap has received extra room for the guest's end since the last [`Self::recover`].
    has_headroom: AtomicBool,
    buffers: Arc<BufferBudget>,
    account: Account,
    /// The size of array buffers when V8's heap was given the rest of the limit.
    buffers_at_split: AtomicUsize,
    /// A collection is under way. Other threads take part in it.
    collecting: AtomicBool,
    /// V8's heap may be in the middle of a change: see [`Self::begin_change`].
    is_changing: AtomicBool,
    /// Memory of the heap when the last collection of any kind began.
    heap_at_collection: AtomicUsize,
    /// The thread holds the lock of the isolate's handle. Parking needs this lock.
    requesting: AtomicBool,
    /// Memory of the host for the program under way: source texts and positions. Bounded by `maxCodeBytes`.
    program_bytes: AtomicUsize,
}

impl MemoryGuard {
    /// Installs the guard. The caller keeps the box until the isolate is gone.
    pub fn install(isolate: &mut v8::Isolate, buffers: Arc<BufferBudget>) -> Box<Self> {
        let account = Account::new(&buffers.native, native_step(buffers.limit));
        let guard = Box::new(Self {
            limit_bytes: buffers.limit,
            // SAFETY: used on the isolate's thread only, in calls from V8 or from running guest code.
            isolate: unsafe { isolate.as_raw_isolate_ptr() },
            interrupt: Interrupt::new(isolate),
            exceeded: AtomicBool::new(false),
            has_headroom: AtomicBool::new(false),
            buffers,
            account,
            buffers_at_split: AtomicUsize::new(0),
            collecting: AtomicBool::new(false),
            is_changing: AtomicBool::new(false),
            heap_at_collection: AtomicUsize::new(0),
            requesting: AtomicBool::new(false),
            program_bytes: AtomicUsize::new(0),
        });
        guard.watch(isolate);
        isolate.add_gc_epilogue_callback(after_full_collection, guard.data(), v8::GCType::kGCTypeMarkSweepCompact);
        isolate.add_gc_prologue_callback(before_collection, guard.data(), v8::GCType::kGCTypeAll);
        isolate.add_gc_epilogue_callback(after_collection, guard.data(), v8::GCType::kGCTypeAll);
        GUARD.set(&raw const *guard);
        guard
    }

    /// Whether the limit was reached since [`Self::recover`].
    pub fn is_exceeded(&self) -> bool {
        self.exceeded.load(Ordering::Relaxed)
    }

    /// Collects the garbage of the terminated guest. Returns whether the isolate fits its limit again, with room for a
    /// run. `cancel_termination` lets guest code run again.
    pub fn recover(&self, isolate: &mut v8::Isolate, cancel_termination: impl FnOnce(&v8::Isolate)) -> bool {
        // A heap that stays beyond its limit is given up. Its thread must not be parked for lack of room to collect it.
        self.has_headroom.store(false, Ordering::Relaxed);
        isolate.low_memory_notification();
        self.split(isolate);
        // The collection itself may have exceeded the limit and requested termination again.
        cancel_termination(isolate);
        self.exceeded.store(false, Ordering::Relaxed);
        self.has_headroom.store(false, Ordering::Relaxed);
        isolate.get_heap_statistics().used_heap_size() < self.limit_bytes - self.limit_bytes / ROOM
    }

    /// The failure for an exceeded limit, with the memory that the isolate holds now. Must be called on its thread.
    pub fn failure(&self) -> Failure {
        Failure::memory_limit(self.limit_bytes, Some(self.used_heap_bytes() + self.buffers.outside()))
    }

    fn used_heap_bytes(&self) -> usize {
        // SAFETY: this is the isolate's thread, which closes its account before it tears down the isolate.
        let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(self.isolate) };
        isolate.get_heap_statistics().used_heap_size()
    }

    /// Ends the guest, because it is over the limit.
    fn exceed(&self) {
        // Set before the termination, so that code that sees the termination finds its reason.
        self.exceeded.store(true, Ordering::Relaxed);
        self.interrupt.terminate();
    }

    /// Requests that [`collect`] checks the isolate against its limit at V8's next check. For memory that V8 does not
    /// count.
    pub fn request_collection(&self) {
        self.requesting.store(true, Ordering::Relaxed);
        self.interrupt.request(collect, self.data());
        self.requesting.store(false, Ordering::Relaxed);
    }

    /// The thread is in an operator `new` and will not return from it. The heap may be in the middle of a change.
    pub fn begin_change(&self) {
        self.is_changing.store(true, Ordering::Relaxed);
    }

    /// A program begins. Should the thread be parked, these bytes stay with it.
    pub fn begin_program(&self, bytes: usize) {
        self.program_bytes.store(bytes, Ordering::Relaxed);
    }

    /// All memory of the isolate, including garbage, memory reserved for its heap, and the program under way. Must be
    /// called on its thread.
    pub fn held_bytes(&self) -> usize {
        // V8 returns pages a while after the collection that freed them, so they may still be in use.
        let earlier = self.heap_at_collection.load(Ordering::Relaxed);
        let heap = if self.collecting.load(Ordering::Relaxed) || self.is_changing.load(Ordering::Relaxed) {
            earlier
        } else {
            // SAFETY: this is the isolate's thread, which closes its account before it tears down the isolate.
            let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(self.isolate) };
            isolate.get_heap_statistics().total_physical_size().max(earlier)
        };
        heap + self.buffers.outside() + self.program_bytes.load(Ordering::Relaxed)
    }

    /// The isolate of this thread.
    #[cfg(target_os = "linux")]
    pub fn isolate(&self) -> v8::UnsafeRawIsolatePtr {
        self.isolate
    }

    /// Whether the isolate exceeds its limit by far outside its heap.
    pub fn is_far_over(&self) -> bool {
        self.buffers.is_far_over()
    }

    /// Whether it would do so with `bytes` more. If these are many, the heap counts as it is, including garbage. Must
    /// not be called while V8 changes its heap.
    #[cfg(target_os = "linux")]
    pub fn is_far_over_with(&self, bytes: usize) -> bool {
        let heap = if bytes < self.limit_bytes / ROOM {
            self.buffers.heap.load(Ordering::Relaxed)
        } else {
            self.used_heap_bytes()
        };
        self.buffers.is_far_over_with(bytes, heap)
    }

    /// Whether no other thread waits for what this thread is about to do.
    pub fn can_park(&self) -> bool {
        !self.collecting.load(Ordering::Relaxed) && !self.requesting.load(Ordering::Relaxed) && locks::holds_none()
    }

    /// The memory with which V8 compiles for the isolate.
    #[cfg(target_os = "linux")]
    pub fn zones(&self) -> &Zones {
        &self.buffers.zones
    }

    /// Whether the heap and memory outside it exceed the limit, after a collection if necessary. V8 watches only its
    /// heap and collects only for that.
    pub fn is_over(&self, isolate: &mut v8::Isolate) -> bool {
        if !self.may_be_over(isolate) {
            return false;
        }
        isolate.low_memory_notification();
        isolate.get_heap_statistics().used_heap_size() + self.buffers.outside() > self.limit_bytes + HEADROOM_BYTES
    }

    /// V8 is about to make an object of this many bytes on its heap, and grants one beyond any limit. An object that is
    /// larger than the limit puts the guest over it.
    #[cfg(target_os = "linux")]
    pub fn before_object(&self, bytes: usize) {
        if bytes > self.limit_bytes {
            self.exceed();
        }
    }

    /// Guest code runs, so V8 has finished handling a refused array buffer. Later collections have another reason.
    pub fn forget_refusal(&self) {
        self.buffers.refused.store(false, Ordering::Relaxed);
    }

    /// Whether an array buffer was refused since the last call of this or of [`Self::forget_refusal`].
    pub fn take_refusal(&self) -> bool {
        self.buffers.refused.swap(false, Ordering::Relaxed)
    }

    /// Array buffers have grown: requests a check if the heap must make room for them.
    pub fn after_buffer(&self) {
        if self.is_split_stale() {
            self.request_collection();
        }
    }

    fn is_split_stale(&self) -> bool {
        let used = self.buffers.used.load(Ordering::Relaxed);
        !self.buffers.is_little(used.abs_diff(self.buffers_at_split.load(Ordering::Relaxed)))
    }

    /// Gives V8's heap the part of the limit that array buffers leave. Memory that the heap already holds stays.
    fn split(&self, isolate: &mut v8::Isolate) {
        let used = self.buffers.used.load(Ordering::Relaxed);
        self.buffers_at_split.store(used, Ordering::Relaxed);
        let rest = old_bytes(self.limit_bytes).saturating_sub(used).max(self.limit_bytes / 4);
        isolate.remove_near_heap_limit_callback(near_heap_limit, rest);
        self.watch(isolate);
    }

    fn may_be_over(&self, isolate: &mut v8::Isolate) -> bool {
        let outside = self.buffers.outside();
        // While this is small, the heap's own limit suffices.
        outside > self.limit_bytes / 8
            && isolate.get_heap_statistics().used_heap_size() + outside > self.limit_bytes + HEADROOM_BYTES
    }

    /// The count of the isolate's memory outside the heap and array buffers.
    pub fn account(&self) -> &Account {
        &self.account
    }

    fn watch(&self, isolate: &mut v8::Isolate) {
        isolate.add_near_heap_limit_callback(near_heap_limit, self.data());
    }

    fn data(&self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast()
    }
}

impl Drop for MemoryGuard {
    /// Done before any field is dropped. Nothing that the thread frees or allocates later finds the guard.
    fn drop(&mut self) {
        close_account();
    }
}

thread_local! {
    static GUARD: Cell<*const MemoryGuard> = const { Cell::new(std::ptr::null()) };
}

/// From now on, allocations of the calling thread count for no isolate.
pub fn close_account() {
    GUARD.set(std::ptr::null());
}

/// Calls `work`, whose allocations count for no isolate because they belong to the process. It must not run guest code.
pub fn uncounted<R>(work: impl FnOnce() -> R) -> R {
    let guard = GUARD.replace(std::ptr::null());
    let result = work();
    GUARD.set(guard);
    result
}

/// Calls `work` with the guard of the calling thread's isolate, if there is one.
pub fn with_guard<R>(work: impl FnOnce(&MemoryGuard) -> R) -> Option<R> {
    // A thread that is ending has no isolate any more.
    let guard = GUARD.try_with(Cell::get).unwrap_or(std::ptr::null());
    // SAFETY: this thread clears the pointer before anything of the guard is dropped. No `work` drops the guard of its
    // thread.
    unsafe { guard.as_ref() }.map(work)
}

/// V8 calls this when collections no longer keep the heap below the limit.
unsafe extern "C" fn near_heap_limit(data: *mut c_void, current_limit: usize, _initial_limit: usize) -> usize {
    // SAFETY: `data` is the guard that `watch` passed, which outlives the isolate.
    let guard = unsafe { &*data.cast::<MemoryGuard>() };
    // SAFETY: the isolate is alive, since it calls this, and this is its thread.
    let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(guard.isolate) };
    let heap = isolate.get_heap_statistics().used_heap_size();
    if guard.buffers.refused.swap(false, Ordering::Relaxed) && heap < guard.limit_bytes / 2 {
        // V8 collects as a last resort when an array buffer was refused, and calls this only for that. Guest code then
        // gets a RangeError. The error needs room on a heap that was given little.
        return if heap + STEP_BYTES > current_limit { current_limit + STEP_BYTES } else { current_limit };
    }
    let outside = guard.buffers.outside();
    if heap + outside < guard.limit_bytes {
        // Freed array buffers may have lowered V8's limit. Memory in V8's caches counts until a collection frees it.
        return (old_bytes(guard.limit_bytes) - outside).max(current_limit + STEP_BYTES);
    }
    if guard.has_headroom.swap(true, Ordering::Relaxed) {
        // The guest was told to stop and has used up the headroom since. V8 runs out of memory next, and the thread is
        // parked.
        return current_limit;
    }
    guard.exceed();
    // V8 notices a string that doubles only after it has doubled once more. The heap needs room for that, even if array
    // buffers have left it little of the limit.
    let room = if heap < guard.limit_bytes / 2 {
        let most = guard.limit_bytes + guard.limit_bytes.max(3 * HEADROOM_BYTES);
        most.saturating_sub(heap + outside).min(2 * heap).max(HEADROOM_BYTES)
    } else {
        HEADROOM_BYTES
    };
    // V8 grants one huge allocation beyond any limit, so the heap may already be larger than the limit.
    current_limit.max(heap) + room
}

/// V8 calls this after each full collection. Heap and array buffers share one limit, and the heap's own limit does not
/// include the buffers.
unsafe extern "C" fn after_full_collection(
    isolate: v8::UnsafeRawIsolatePtr,
    _kind: v8::GCType,
    _flags: v8::GCCallbackFlags,
    data: *mut c_void,
) {
    // SAFETY: `data` is the guard that `install` passed, which outlives the isolate.
    let guard = unsafe { &*data.cast::<MemoryGuard>() };
    // SAFETY: the isolate is alive, since it calls this, and this is its thread.
    let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(isolate) };
    let heap = isolate.get_heap_statistics().used_heap_size();
    guard.buffers.heap.store(heap, Ordering::Relaxed);
    // Buffers are refused before the sum reaches the limit. If the sum exceeds it, the heap has grown since.
    if heap + guard.buffers.outside() > guard.limit_bytes + HEADROOM_BYTES {
        guard.exceed();
    }
}

/// V8 calls this before each collection, also before one within another.
unsafe extern "C" fn before_collection(
    isolate: v8::UnsafeRawIsolatePtr,
    _kind: v8::GCType,
    _flags: v8::GCCallbackFlags,
    data: *mut c_void,
) {
    // SAFETY: `data` is the guard that `install` passed, which outlives the isolate.
    let guard = unsafe { &*data.cast::<MemoryGuard>() };
    if !guard.collecting.swap(true, Ordering::Relaxed) {
        // SAFETY: the isolate is alive, since it calls this, and this is its thread.
        let heap = unsafe { v8::Isolate::from_raw_isolate_ptr(isolate) }.get_heap_statistics().total_physical_size();
        guard.heap_at_collection.store(heap, Ordering::Relaxed);
    }
}

/// V8 calls this after each collection. The value set here does not depend on earlier calls. If V8 leaves out a call,
/// the next collection corrects the value.
unsafe extern "C" fn after_collection(
    _isolate: v8::UnsafeRawIsolatePtr,
    _kind: v8::GCType,
    _flags: v8::GCCallbackFlags,
    data: *mut c_void,
) {
    // SAFETY: `data` is the guard that `install` passed, which outlives the isolate.
    let guard = unsafe { &*data.cast::<MemoryGuard>() };
    guard.collecting.store(false, Ordering::Relaxed);
}

/// V8 calls this at one of its checks, after [`MemoryGuard::request_collection`].
unsafe extern "C" fn collect(isolate: v8::UnsafeRawIsolatePtr, data: *mut c_void) {
    // SAFETY: `data` is the guard that asked, which outlives the isolate.
    let guard = unsafe { &*data.cast::<MemoryGuard>() };
    // SAFETY: the isolate is alive, since it calls this, and this is its thread.
    let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(isolate) };
    guard.forget_refusal();
    guard.split(&mut isolate);
    // A built-in may since have freed memory that it had allocated for itself.
    if guard.account.is_above_threshold() || guard.may_be_over(&mut isolate) {
        isolate.low_memory_notification();
        let heap = isolate.get_heap_statistics().used_heap_size();
        if heap + guard.buffers.outside() > guard.limit_bytes {
            guard.exceed();
        }
        guard.account.rearm_after_collection(native_step(guard.limit_bytes));
    } else {
        guard.account.rearm();
    }
}

/// Bytes that may be allocated outside the heap between two collections for that memory.
fn native_step(limit_bytes: usize) -> usize {
    (limit_bytes / 4).min(HEADROOM_BYTES)
}

#[cfg(test)]
#[path = "../tests/memory_limits.rs"]
mod tests;
