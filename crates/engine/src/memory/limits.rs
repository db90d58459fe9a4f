//! The memory limit of one isolate: one for its heap and what it holds outside of it.

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

/// What a terminated isolate may still allocate until it has unwound.
const HEADROOM_BYTES: usize = 16 << 20;
/// One of so many parts of the limit has to be free for a run to get anywhere.
const ROOM: usize = 16;
/// What V8's limit grows by at least while the budget is not used up.
const STEP_BYTES: usize = 4 << 20;

/// Limits up to here get the small share of the young generation only: what a guest takes beyond its limit until it has ended is the
/// same for all.
const SMALL_LIMIT_BYTES: usize = 64 << 20;
/// What V8 gives the young generation at most, for heaps of 1 GiB and more. 96 MiB.
const MAX_YOUNG_BYTES: usize = 96 << 20;
/// Of so many spaces V8 makes the young generation. Values are made in one of them, the semi-space.
const SEMI_SPACES: usize = 3;

/// What the young generation may take: with the default limit of 128 MiB a semi-space of 24 MiB. That of Node.js has 32.
pub fn young_bytes(limit_bytes: usize) -> usize {
    let beyond = limit_bytes.saturating_sub(SMALL_LIMIT_BYTES);
    (limit_bytes / 16 * 3 + beyond / 4 * 3).min(MAX_YOUNG_BYTES)
}

/// What the old generation may take: the limit and a semi-space. V8 collects the whole heap whenever the old generation could not take in
/// all that is young, which would be for each MiB that is made where a guest holds a good part of its limit.
pub fn old_bytes(limit_bytes: usize) -> usize {
    limit_bytes + young_bytes(limit_bytes) / SEMI_SPACES
}

/// Watches the heap of one isolate. Must outlive the isolate, which calls it back.
pub struct MemoryGuard {
    limit_bytes: usize,
    isolate: v8::UnsafeRawIsolatePtr,
    interrupt: Interrupt,
    exceeded: AtomicBool,
    /// V8's heap has been given room for the guest's end since [`Self::recover`].
    has_headroom: AtomicBool,
    buffers: Arc<BufferBudget>,
    account: Account,
    /// What array buffers took when V8's heap was given the rest of the limit.
    buffers_at_split: AtomicUsize,
    /// A collection is under way, which other threads take part in.
    collecting: AtomicBool,
    /// V8's heap may be in the middle of a change: see [`Self::begin_change`].
    is_changing: AtomicBool,
    /// Memory of the heap when the last collection of any kind began.
    heap_at_collection: AtomicUsize,
    /// The thread holds the lock of the isolate's handle, which parking takes.
    requesting: AtomicBool,
}

impl MemoryGuard {
    /// Installs the guard. The caller keeps the box until the isolate is gone.
    pub fn install(isolate: &mut v8::Isolate, buffers: Arc<BufferBudget>) -> Box<Self> {
        let account = Account::new(&buffers.native, native_step(buffers.limit));
        let guard = Box::new(Self {
            limit_bytes: buffers.limit,
            // SAFETY: used on the isolate's thread only, by what V8 or running guest code calls.
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
        });
        guard.watch(isolate);
        isolate.add_gc_epilogue_callback(after_collection, guard.data(), v8::GCType::kGCTypeMarkSweepCompact);
        isolate.add_gc_prologue_callback(before_collection, guard.data(), v8::GCType::kGCTypeAll);
        isolate.add_gc_epilogue_callback(behind_collection, guard.data(), v8::GCType::kGCTypeAll);
        GUARD.set(&raw const *guard);
        guard
    }

    /// Whether the limit was reached since [`Self::recover`].
    pub fn is_exceeded(&self) -> bool {
        self.exceeded.load(Ordering::Relaxed)
    }

    /// Collects what the terminated guest left. Returns whether the isolate fits its limit again, with room for a run.
    /// `go_on` lets guest code run again.
    pub fn recover(&self, isolate: &mut v8::Isolate, go_on: impl FnOnce(&v8::Isolate)) -> bool {
        // A heap that stays beyond its limit is given up, not parked for want of room to collect it.
        self.has_headroom.store(false, Ordering::Relaxed);
        isolate.low_memory_notification();
        self.split(isolate);
        // The collection itself may have found the limit exceeded and asked for termination once more.
        go_on(isolate);
        self.exceeded.store(false, Ordering::Relaxed);
        self.has_headroom.store(false, Ordering::Relaxed);
        isolate.get_heap_statistics().used_heap_size() < self.limit_bytes - self.limit_bytes / ROOM
    }

    /// That the limit has been met, with what the isolate holds now. On its thread.
    pub fn failure(&self) -> Failure {
        Failure::memory_limit(self.limit_bytes, Some(self.used_heap_bytes() + self.buffers.outside()))
    }

    fn used_heap_bytes(&self) -> usize {
        // SAFETY: this is the isolate's thread, which closes its account before it takes the isolate apart.
        let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(self.isolate) };
        isolate.get_heap_statistics().used_heap_size()
    }

    /// Ends the guest, for it is over the limit.
    fn exceed(&self) {
        // Flagged before terminated, so that whoever sees the termination knows its reason.
        self.exceeded.store(true, Ordering::Relaxed);
        self.interrupt.terminate();
    }

    /// Has the isolate held to its limit at its next check, by [`collect`]. For memory that V8 does not know of.
    pub fn request_collection(&self) {
        self.requesting.store(true, Ordering::Relaxed);
        self.interrupt.request(collect, self.data());
        self.requesting.store(false, Ordering::Relaxed);
    }

    /// The thread is in an operator `new`, and does not come back from it: the heap may be in the middle of a change.
    pub fn begin_change(&self) {
        self.is_changing.store(true, Ordering::Relaxed);
    }

    /// What the isolate holds, garbage and what is reserved for its heap included. On its thread.
    pub fn held_bytes(&self) -> usize {
        // V8 gives pages back a while after the collection that freed them: what it held then may still be there.
        let earlier = self.heap_at_collection.load(Ordering::Relaxed);
        let heap = if self.collecting.load(Ordering::Relaxed) || self.is_changing.load(Ordering::Relaxed) {
            earlier
        } else {
            // SAFETY: this is the isolate's thread, which closes its account before it takes the isolate apart.
            let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(self.isolate) };
            isolate.get_heap_statistics().total_physical_size().max(earlier)
        };
        heap + self.buffers.outside()
    }

    /// The isolate, whose thread this is.
    #[cfg(target_os = "linux")]
    pub fn isolate(&self) -> v8::UnsafeRawIsolatePtr {
        self.isolate
    }

    /// Whether the isolate holds far more than its limit outside of its heap.
    pub fn is_far_over(&self) -> bool {
        self.buffers.is_far_over()
    }

    /// Whether it would with `bytes` more. Where these are many, the heap counts as it is, garbage included. Not to be asked while
    /// V8 changes its heap.
    #[cfg(target_os = "linux")]
    pub fn is_far_over_with(&self, bytes: usize) -> bool {
        let heap = if bytes < self.limit_bytes / ROOM {
            self.buffers.heap.load(Ordering::Relaxed)
        } else {
            self.used_heap_bytes()
        };
        self.buffers.is_far_over_with(bytes, heap)
    }

    /// Whether nobody waits for what the thread is about to do.
    pub fn can_park(&self) -> bool {
        !self.collecting.load(Ordering::Relaxed) && !self.requesting.load(Ordering::Relaxed) && locks::holds_none()
    }

    /// What V8 compiles with for the isolate.
    #[cfg(target_os = "linux")]
    pub fn zones(&self) -> &Zones {
        &self.buffers.zones
    }

    /// Whether heap and what is outside of it exceed the limit, after a collection if need be. V8 watches its heap alone,
    /// and collects for that alone.
    pub fn is_over(&self, isolate: &mut v8::Isolate) -> bool {
        if !self.may_be_over(isolate) {
            return false;
        }
        isolate.low_memory_notification();
        isolate.get_heap_statistics().used_heap_size() + self.buffers.outside() > self.limit_bytes + HEADROOM_BYTES
    }

    /// V8 makes an object of so many bytes on its heap, and grants one beyond any limit: who makes one that is larger than the limit is
    /// over it.
    #[cfg(target_os = "linux")]
    pub fn before_object(&self, bytes: usize) {
        if bytes > self.limit_bytes {
            self.exceed();
        }
    }

    /// V8 is done with an array buffer that was refused, since guest code runs: what it collects for from here on is not that.
    pub fn forget_refusal(&self) {
        self.buffers.refused.store(false, Ordering::Relaxed);
    }

    /// Whether an array buffer has been refused since this or [`Self::forget_refusal`] was called.
    pub fn take_refusal(&self) -> bool {
        self.buffers.refused.swap(false, Ordering::Relaxed)
    }

    /// Array buffers have grown: asks for a check if the heap has to make room for them.
    pub fn after_buffer(&self) {
        if self.is_split_stale() {
            self.request_collection();
        }
    }

    fn is_split_stale(&self) -> bool {
        let used = self.buffers.used.load(Ordering::Relaxed);
        !self.buffers.is_little(used.abs_diff(self.buffers_at_split.load(Ordering::Relaxed)))
    }

    /// Gives V8's heap what array buffers leave of the limit. What the heap holds already stays.
    fn split(&self, isolate: &mut v8::Isolate) {
        let used = self.buffers.used.load(Ordering::Relaxed);
        self.buffers_at_split.store(used, Ordering::Relaxed);
        let rest = old_bytes(self.limit_bytes).saturating_sub(used).max(self.limit_bytes / 4);
        isolate.remove_near_heap_limit_callback(near_heap_limit, rest);
        self.watch(isolate);
    }

    fn may_be_over(&self, isolate: &mut v8::Isolate) -> bool {
        let outside = self.buffers.outside();
        // As long as it is little, the heap's own limit does.
        outside > self.limit_bytes / 8
            && isolate.get_heap_statistics().used_heap_size() + outside > self.limit_bytes + HEADROOM_BYTES
    }

    /// What is counted for the isolate beside heap and array buffers.
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
    /// Before any field is dropped, so that nothing that the thread frees or allocates from here on finds the guard.
    fn drop(&mut self) {
        close_account();
    }
}

thread_local! {
    static GUARD: Cell<*const MemoryGuard> = const { Cell::new(std::ptr::null()) };
}

/// Counts what the calling thread allocates for nobody from now on.
pub fn close_account() {
    GUARD.set(std::ptr::null());
}

/// Calls `work`, whose allocations count for nobody: what it makes is the process's. It runs no guest code.
pub fn uncounted<R>(work: impl FnOnce() -> R) -> R {
    let guard = GUARD.replace(std::ptr::null());
    let result = work();
    GUARD.set(guard);
    result
}

/// Calls `work` with the guard of the isolate whose thread this is, if it has one.
pub fn with_guard<R>(work: impl FnOnce(&MemoryGuard) -> R) -> Option<R> {
    // A thread that is ending has no isolate any more.
    let guard = GUARD.try_with(Cell::get).unwrap_or(std::ptr::null());
    // SAFETY: the pointer is cleared on this thread before anything of the guard is dropped, and none of what is called here drops
    // the guard of its thread.
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
        // V8 collects as a last resort when an array buffer was refused, and calls this for that alone. Guest code
        // gets a RangeError then, which needs room on a heap that has been given little.
        return if heap + STEP_BYTES > current_limit { current_limit + STEP_BYTES } else { current_limit };
    }
    let outside = guard.buffers.outside();
    if heap + outside < guard.limit_bytes {
        // Array buffers that are gone may have lowered V8's limit, and what it keeps in caches counts until a collection that
        // frees them.
        return (old_bytes(guard.limit_bytes) - outside).max(current_limit + STEP_BYTES);
    }
    if guard.has_headroom.swap(true, Ordering::Relaxed) {
        // The guest has been told to stop and has used the headroom since: V8 runs out of memory next, and the
        // thread is parked.
        return current_limit;
    }
    guard.exceed();
    // A string that doubles is noticed only when it has doubled once more, which a heap that array buffers have left little
    // of the limit has to have room for.
    let room = if heap < guard.limit_bytes / 2 {
        let most = guard.limit_bytes + guard.limit_bytes.max(3 * HEADROOM_BYTES);
        most.saturating_sub(heap + outside).min(2 * heap).max(HEADROOM_BYTES)
    } else {
        HEADROOM_BYTES
    };
    // V8 grants one huge allocation beyond any limit, so that the heap may be larger than the limit already.
    current_limit.max(heap) + room
}

/// V8 calls this after each full collection: heap and array buffers together have one limit, and the heap's own limit
/// does not know of the buffers.
unsafe extern "C" fn after_collection(
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
    // Buffers are refused before the sum reaches the limit, so that what is beyond it is a heap that has grown since.
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

/// V8 calls this behind each collection. What is set here does not depend on what was called before, so that a call that V8
/// leaves out is made up for by the next collection.
unsafe extern "C" fn behind_collection(
    _isolate: v8::UnsafeRawIsolatePtr,
    _kind: v8::GCType,
    _flags: v8::GCCallbackFlags,
    data: *mut c_void,
) {
    // SAFETY: `data` is the guard that `install` passed, which outlives the isolate.
    let guard = unsafe { &*data.cast::<MemoryGuard>() };
    guard.collecting.store(false, Ordering::Relaxed);
}

/// V8 calls this at a check of its own, after [`MemoryGuard::request_collection`].
unsafe extern "C" fn collect(isolate: v8::UnsafeRawIsolatePtr, data: *mut c_void) {
    // SAFETY: `data` is the guard that asked, which outlives the isolate.
    let guard = unsafe { &*data.cast::<MemoryGuard>() };
    // SAFETY: the isolate is alive, since it calls this, and this is its thread.
    let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(isolate) };
    guard.forget_refusal();
    guard.split(&mut isolate);
    // A built-in may have freed since what it took for its own use.
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

/// What may be taken outside of the heap between two collections that are made for it.
fn native_step(limit_bytes: usize) -> usize {
    (limit_bytes / 4).min(HEADROOM_BYTES)
}

#[cfg(test)]
#[path = "../tests/memory_limits.rs"]
mod tests;
