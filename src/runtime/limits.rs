//! Memory of one isolate: heap limit, array buffers, and what happens when V8 has none left.

use std::cell::RefCell;
use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Once};

use deno_core::v8;

use super::interrupt::Interrupt;
use super::native_memory::{Account, Usage, guard_of_thread};
use crate::executor::failure::{Failure, FailureKind};
use crate::executor::messages::Event;
use crate::executor::pool;
use crate::executor::session::Shared;
use crate::executor::stats;

/// What a terminated isolate may still allocate until it has unwound.
const HEADROOM_BYTES: usize = 16 << 20;
/// What an isolate may hold outside of its heap beyond its limit until its thread is parked.
const NATIVE_EXCESS_BYTES: usize = 32 << 20;
/// What V8's limit grows by while the budget is not used up.
const STEP_BYTES: usize = 4 << 20;
/// What the allocator keeps beside the bytes of an array buffer, and rounds up.
const BUFFER_OVERHEAD_BYTES: usize = 32;

/// Watches the heap of one isolate. Must outlive the isolate, which calls it back.
pub struct MemoryGuard {
    limit_bytes: usize,
    isolate: v8::UnsafeRawIsolatePtr,
    interrupt: Interrupt,
    exceeded: AtomicBool,
    buffers: Arc<BufferBudget>,
    account: Account,
    /// What array buffers took when V8's heap was given the rest of the limit.
    buffers_at_split: AtomicUsize,
    /// A collection is under way, which other threads take part in.
    collecting: AtomicBool,
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
            buffers,
            account,
            buffers_at_split: AtomicUsize::new(0),
            collecting: AtomicBool::new(false),
            requesting: AtomicBool::new(false),
        });
        guard.watch(isolate);
        isolate.add_gc_epilogue_callback(after_collection, guard.data(), v8::GCType::kGCTypeMarkSweepCompact);
        isolate.add_gc_prologue_callback(at_collection, guard.data(), v8::GCType::kGCTypeAll);
        isolate.add_gc_epilogue_callback(at_collection, guard.data(), v8::GCType::kGCTypeAll);
        Account::open(&guard);
        isolate.set_oom_error_handler(on_out_of_memory);
        guard
    }

    /// Whether the limit was reached since [`Self::recover`].
    pub fn is_exceeded(&self) -> bool {
        self.exceeded.load(Ordering::Relaxed)
    }

    /// Collects what the terminated guest left. Returns whether the isolate fits its limit again.
    pub fn recover(&self, isolate: &mut v8::Isolate) -> bool {
        isolate.low_memory_notification();
        self.split(isolate);
        // The collection itself may have found the limit exceeded and asked for termination once more.
        isolate.cancel_terminate_execution();
        self.exceeded.store(false, Ordering::Relaxed);
        isolate.get_heap_statistics().used_heap_size() < self.limit_bytes
    }

    pub fn failure(&self) -> Failure {
        memory_failure(self.limit_bytes)
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

    /// Parks the thread if the isolate holds far more than its limit: a built-in that makes objects of ICU by the million
    /// looks for no termination. Only to be called where V8 itself allocates, since ICU has locks of the process.
    pub fn park_if_far_over(&self) {
        let far = self.limit_bytes + NATIVE_EXCESS_BYTES;
        let can_park = !self.collecting.load(Ordering::Relaxed) && !self.requesting.load(Ordering::Relaxed);
        if can_park && self.buffers.outside() > far {
            park();
        }
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

    /// Holds the isolate to its limit again, at a place where guest code runs.
    pub fn check(&self) {
        // SAFETY: this is the isolate's thread, and guest code runs, so that the isolate is alive.
        let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(self.isolate) };
        if self.is_split_stale() {
            self.split(&mut isolate);
        }
        if self.may_be_over(&mut isolate) {
            self.request_collection();
        }
    }

    /// Array buffers have grown: asks for a check if the heap has to make room for them.
    fn after_buffer(&self) {
        if self.is_split_stale() {
            self.request_collection();
        }
    }

    fn is_split_stale(&self) -> bool {
        let used = self.buffers.used.load(Ordering::Relaxed);
        used.abs_diff(self.buffers_at_split.load(Ordering::Relaxed)) > self.limit_bytes / 16
    }

    /// Gives V8's heap what array buffers leave of the limit. What the heap holds already stays.
    fn split(&self, isolate: &mut v8::Isolate) {
        let used = self.buffers.used.load(Ordering::Relaxed);
        self.buffers_at_split.store(used, Ordering::Relaxed);
        let rest = self.limit_bytes.saturating_sub(used).max(self.limit_bytes / 4);
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

/// `ERR_MEMORY_LIMIT_EXCEEDED` for a limit in bytes.
fn memory_failure(limit_bytes: usize) -> Failure {
    let limit_mb = limit_bytes as f64 / f64::from(1 << 20);
    Failure::new(FailureKind::Memory { limit_mb }).with("limitBytes", limit_bytes)
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
    if heap + guard.buffers.outside() < guard.limit_bytes {
        // V8's limit is that of the old generation, which is smaller than the budget, and what V8 keeps in caches
        // counts until a collection that frees them.
        return current_limit + STEP_BYTES;
    }
    if guard.exceeded.load(Ordering::Relaxed) {
        // The guest has been told to stop and has used the headroom since: V8 runs out of memory next, and the
        // thread is parked.
        return current_limit;
    }
    guard.exceed();
    // V8 grants one huge allocation beyond any limit, so that the heap may be larger than the limit already.
    current_limit.max(heap) + HEADROOM_BYTES
}

/// V8 calls this after each full collection: heap and array buffers together have one limit, and the heap's own limit
/// does not know of the buffers.
unsafe extern "C" fn after_collection(
    isolate: v8::UnsafeRawIsolatePtr,
    _kind: v8::GCType,
    _flags: v8::GCCallbackFlags,
    data: *mut c_void,
) {
    // SAFETY: `data` is the guard that `watch` passed, which outlives the isolate.
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

/// V8 calls this before and after each collection.
unsafe extern "C" fn at_collection(
    _isolate: v8::UnsafeRawIsolatePtr,
    _kind: v8::GCType,
    _flags: v8::GCCallbackFlags,
    data: *mut c_void,
) {
    // SAFETY: `data` is the guard that `install` passed, which outlives the isolate.
    let guard = unsafe { &*data.cast::<MemoryGuard>() };
    guard.collecting.fetch_not(Ordering::Relaxed);
}

/// V8 calls this at a check of its own, after [`MemoryGuard::request_collection`].
unsafe extern "C" fn collect(isolate: v8::UnsafeRawIsolatePtr, data: *mut c_void) {
    // SAFETY: `data` is the guard that asked, which outlives the isolate.
    let guard = unsafe { &*data.cast::<MemoryGuard>() };
    // SAFETY: the isolate is alive, since it calls this, and this is its thread.
    let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(isolate) };
    guard.split(&mut isolate);
    // A built-in may have freed since what it took for its own use.
    if guard.account.is_above_threshold() || guard.may_be_over(&mut isolate) {
        isolate.low_memory_notification();
        let heap = isolate.get_heap_statistics().used_heap_size();
        if heap + guard.buffers.outside() > guard.limit_bytes {
            guard.exceed();
        }
    }
    guard.account.rearm(native_step(guard.limit_bytes));
}

/// What may be taken outside of the heap between two collections that are made for it.
fn native_step(limit_bytes: usize) -> usize {
    (limit_bytes / 4).min(HEADROOM_BYTES)
}

/// Who has the isolate of a thread.
#[derive(Clone)]
pub enum Owner {
    Session(Arc<Shared>),
    /// Nobody yet: it is made for the pool.
    Pool,
}

/// What the handlers of fatal errors know of the thread that they are called on.
#[derive(Clone)]
struct ThreadIsolate {
    owner: Owner,
    buffers: Arc<BufferBudget>,
}

thread_local! {
    static THREAD_ISOLATE: RefCell<Option<ThreadIsolate>> = const { RefCell::new(None) };
}

/// Names who [`on_out_of_memory`] reports to on this thread.
pub fn set_thread_isolate(owner: Owner, buffers: Arc<BufferBudget>) {
    static FATAL_ERROR_HANDLER: Once = Once::new();
    FATAL_ERROR_HANDLER.call_once(|| v8::V8::set_fatal_error_handler(on_fatal_error));
    THREAD_ISOLATE.set(Some(ThreadIsolate { owner, buffers }));
}

/// An invariant of V8 does not hold, so that its memory cannot be trusted: the process ends when this returns.
fn on_fatal_error(file: &str, line: i32, message: &str) {
    eprintln!(
        "ses-executor: V8 found an invariant broken ({message}, {file}:{line}) and ends the process. Please report it \
         with the template .github/ISSUE_TEMPLATE/crash.md of the project, and the code that ran."
    );
}

/// V8 aborts the process when this returns, so it does not: the run is settled, the thread parked for good.
/// Nothing of V8 is on the stack of any other thread that waits for this one.
unsafe extern "C" fn on_out_of_memory(_location: *const c_char, _details: &v8::OomDetails) {
    park();
}

/// Settles what the calling thread's isolate works at and never returns, if the thread has an isolate.
fn park() {
    let Some(ThreadIsolate { owner, buffers }) = THREAD_ISOLATE.with_borrow(Clone::clone) else { return };
    // What reporting allocates is nobody's.
    Account::close();
    stats::count_parked(buffers.heap.load(Ordering::Relaxed) + buffers.outside());
    match owner {
        Owner::Session(shared) => {
            stats::count_lost();
            match shared.current() {
                Some(job) => {
                    shared.interrupt(&job, memory_failure(shared.config.memory_limit_bytes).with("parked", true))
                }
                None => (shared.sink)(Event::Closed { session: shared.id, panicked: true }),
            }
        }
        Owner::Pool => pool::booted(),
    }
    loop {
        std::thread::park();
    }
}

/// Bytes of array buffers that an isolate may hold, and what it holds.
pub struct BufferBudget {
    limit: usize,
    used: AtomicUsize,
    /// What V8 and ICU hold for the isolate outside of its heap. Never refused.
    native: Usage,
    /// The heap after its last full collection.
    heap: AtomicUsize,
    /// An allocation has been refused since [`near_heap_limit`] looked.
    refused: AtomicBool,
}

impl BufferBudget {
    /// A budget of `limit` bytes.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            used: AtomicUsize::new(0),
            native: Usage::new(),
            heap: AtomicUsize::new(0),
            refused: AtomicBool::new(false),
        })
    }

    /// What V8 and ICU hold for the isolate outside of its heap, array buffers not included.
    pub fn native_bytes(&self) -> usize {
        self.native.bytes()
    }

    /// What the isolate holds outside of V8's heap.
    pub fn outside(&self) -> usize {
        self.used.load(Ordering::Relaxed) + self.native.bytes()
    }

    /// Counts an array buffer, or the text of a string, of `length` bytes outside of the heap. False: there is no room.
    pub fn reserve(&self, length: usize) -> bool {
        let others = self.heap.load(Ordering::Relaxed) + self.native.bytes();
        let cost = length.saturating_add(BUFFER_OVERHEAD_BYTES);
        let add = |used: usize| {
            used.checked_add(cost).filter(|sum| sum.checked_add(others).is_some_and(|all| all <= self.limit))
        };
        if self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_err() {
            return false;
        }
        if let Some(guard) = guard_of_thread() {
            guard.after_buffer();
        }
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
