//! The thread on which Turbofan compiles for one isolate while its guest runs.
//!
//! V8's own threads compile for all isolates in turn. One guest could delay the others, and the memory of such a thread
//! could not be counted for a guest. So each isolate has its own queue and its own thread. The linker redirects three
//! functions of V8 to this file (`--wrap`, build.rs). Two of them make and destroy an isolate's queue. The third posts
//! the task that works on the queue.
//!
//! In a process with many isolates, the guest compiles large functions itself (tiers.rs), so that it never waits long
//! for this thread. In a process with one isolate, the thread is made before the sandbox is closed, because the sandbox
//! allows no new threads.

use std::array;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use crate::memory::budget::BufferBudget;
use crate::memory::{compiled_for, parking, single_isolate, thread_leftovers};
use ses_sync::priority;

/// The thread ends after this time without work. The next work starts another one.
const IDLE: Duration = Duration::from_millis(if cfg!(test) { 10 } else { 2_000 });
/// How long an isolate with a full heap waits for the thread.
const SETTLING: Duration = Duration::from_millis(200);
/// V8 limits a compiler's use of the stack to 1 MB.
const STACK_BYTES: usize = 4 << 20;

/// The compile queue of one isolate. Shared by its handles and the thread.
struct CompileThread {
    /// Never locked while V8 is called.
    state: Mutex<State>,
    /// Notified when the state changes.
    changed: Condvar,
    /// The task must return soon.
    is_cancelled: AtomicBool,
    /// Allocations of the thread count for this isolate.
    buffers: Arc<BufferBudget>,
}

#[derive(Default)]
struct State {
    /// Absent: not posted, or cancelled.
    task: Option<Task>,
    /// The queue may contain functions.
    is_wanted: bool,
    is_running: bool,
    /// The isolate has a guest. Before that nothing is compiled, because code that is hot while an isolate is made does
    /// not run again.
    is_open: bool,
    has_thread: bool,
    /// The thread stays without work, because another one could not be made.
    stays: bool,
}

thread_local! {
    /// The compile thread of the isolate that this thread has made most recently.
    static OF_THIS_THREAD: RefCell<Weak<CompileThread>> = const { RefCell::new(Weak::new()) };
    /// The executor that is being started belongs to one isolate, not to V8's group of isolates.
    static IS_ISOLATES: Cell<bool> = const { Cell::new(false) };
}

fn of_this_thread() -> Option<Arc<CompileThread>> {
    OF_THIS_THREAD.with_borrow(Weak::upgrade)
}

/// Starts compiling for the calling thread's isolate, which has a guest from now on.
pub fn open() {
    if let Some(shared) = of_this_thread() {
        shared.state().is_open = true;
        shared.changed.notify_all();
    }
}

/// Makes the compile thread in advance if the calling thread's isolate is the only one of its process.
pub fn start_ahead() {
    if let Some(shared) = of_this_thread().filter(|_| single_isolate::is_declared()) {
        let mut state = shared.state();
        state.stays = true;
        shared.make_thread(&mut state);
    }
}

/// Whether the functions that V8 queues for the calling thread's isolate will be compiled. False: the guest must
/// compile them itself.
pub fn is_ready() -> bool {
    of_this_thread().is_some_and(|shared| shared.start(&mut shared.state()))
}

/// Whether a function is being compiled, or about to be, for the calling thread's isolate.
pub fn is_busy() -> bool {
    of_this_thread().is_some_and(|shared| shared.state().is_busy())
}

/// Waits until nothing is compiled for the calling thread's isolate, because compilation keeps garbage alive. The wait
/// is short: the compiler itself may need a collection by the calling thread.
pub fn settle() {
    if let Some(shared) = of_this_thread() {
        drop(shared.changed.wait_timeout_while(shared.state(), SETTLING, |state| state.is_busy()));
    }
}

impl State {
    fn is_busy(&self) -> bool {
        self.is_running || (self.is_wanted && self.has_thread)
    }
}

impl CompileThread {
    fn new(buffers: Arc<BufferBudget>) -> Arc<Self> {
        let (state, changed, is_cancelled) = Default::default();
        Arc::new(Self { state, changed, is_cancelled, buffers })
    }

    /// The compile thread of the isolate that the calling thread is making. `None`: it makes none.
    fn of_new_isolate() -> Option<Arc<Self>> {
        let buffers = parking::buffers()?;
        let last = of_this_thread().filter(|shared| Arc::ptr_eq(&shared.buffers, &buffers));
        let shared = last.unwrap_or_else(|| Self::new(buffers));
        OF_THIS_THREAD.set(Arc::downgrade(&shared));
        Some(shared)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// There may be something to compile.
    fn notify(self: &Arc<Self>) {
        let mut state = self.state();
        if state.task.is_none() {
            return;
        }
        state.is_wanted = true;
        if self.start(&mut state) {
            // Unlocked first: the woken thread would otherwise wait for the lock.
            drop(state);
            self.changed.notify_all();
        }
    }

    /// Makes the thread if it is missing and needed. False: the system refuses.
    fn start(self: &Arc<Self>, state: &mut State) -> bool {
        if state.is_open && !state.has_thread {
            self.make_thread(state);
        }
        state.has_thread || !state.is_open
    }

    fn make_thread(self: &Arc<Self>, state: &mut State) {
        let shared = self.clone();
        let thread = thread::Builder::new().name("ses-compile".to_owned()).stack_size(STACK_BYTES);
        state.has_thread = thread.spawn(move || shared.work()).is_ok();
    }

    /// Removes the task, asks it to return soon, and waits until it has returned and the thread has ended.
    fn take(&self) -> Option<Task> {
        self.is_cancelled.store(true, Ordering::Relaxed);
        let mut state = self.state();
        let task = state.task.take();
        state.is_wanted = false;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| state.has_thread));
        task
    }

    /// The body of the thread.
    fn work(&self) {
        priority::use_helper_priority();
        compiled_for::set(self.buffers.clone());
        let mut limit = IDLE;
        loop {
            if let Some(task) = self.next(limit) {
                limit = IDLE;
                task.run(&Delegate { table: &DELEGATE, is_cancelled: &self.is_cancelled });
                self.state().is_running = false;
                self.changed.notify_all();
                continue;
            }
            thread_leftovers::give_back();
            let mut state = self.state();
            let goes_on = state.is_wanted || (state.stays && state.task.is_some());
            if !goes_on {
                state.has_thread = false;
                self.changed.notify_all();
                return;
            }
            // There is no memory to return until the thread has worked again.
            limit = Duration::MAX;
        }
    }

    /// Waits for the next work and marks it as started. `None`: the task was removed, or no work came for `timeout`.
    fn next(&self, limit: Duration) -> Option<Task> {
        let mut state = self.state();
        loop {
            let task = state.task?;
            if state.is_wanted && state.is_open {
                (state.is_wanted, state.is_running) = (false, true);
                return Some(task);
            }
            let (waited, timeout) = self.changed.wait_timeout(state, limit).unwrap_or_else(PoisonError::into_inner);
            state = waited;
            if timeout.timed_out() && !state.is_wanted {
                return None;
            }
        }
    }
}

/// A `v8::JobTask`. The code that has taken it out of the state deletes it.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Task(*mut *const TaskTable);

// SAFETY: V8 makes tasks that any thread may run.
unsafe impl Send for Task {}

/// The virtual functions of `v8::JobTask`.
#[repr(C)]
struct TaskTable {
    destroy: unsafe extern "C" fn(Task),
    delete: unsafe extern "C" fn(Task),
    run: unsafe extern "C" fn(Task, *const Delegate),
    max_concurrency: unsafe extern "C" fn(Task, usize) -> usize,
}

impl Task {
    fn table(self) -> *const TaskTable {
        // SAFETY: the object lives until `delete`, and begins with the pointer to its virtual functions.
        unsafe { *self.0 }
    }

    fn run(self, delegate: &Delegate) {
        // SAFETY: as above; the delegate is that of a thread that may run the task.
        unsafe { ((*self.table()).run)(self, delegate) }
    }

    fn delete(self) {
        // SAFETY: as above; the caller has taken the task out of the state, so nothing else uses it any more.
        unsafe { ((*self.table()).delete)(self) }
    }

    /// Whether this is the task of the calling thread's isolate with which Turbofan compiles queued functions.
    fn is_turbofans(self) -> bool {
        IS_ISOLATES.get() && self.table().addr() == (&raw const TURBOFAN_TASK).addr() + FIRST_FUNCTION
    }
}

/// A function of a table that V8 does not call for Turbofan's task (optimizing-compile-dispatcher.cc).
extern "C" fn never() {
    std::process::abort();
}

/// A `v8::JobDelegate`.
#[repr(C)]
struct Delegate {
    table: *const DelegateTable,
    is_cancelled: *const AtomicBool,
}

/// The virtual functions of `v8::JobDelegate`.
#[repr(C)]
struct DelegateTable {
    should_yield: extern "C" fn(&Delegate) -> bool,
    notify_concurrency_increase: extern "C" fn(),
    task_id: extern "C" fn(&Delegate) -> u8,
    is_joining_thread: extern "C" fn(),
}

static DELEGATE: DelegateTable = {
    extern "C" fn should_yield(this: &Delegate) -> bool {
        // SAFETY: the flag is a field of the `CompileThread` whose thread runs the task and holds it alive.
        unsafe { &*this.is_cancelled }.load(Ordering::Relaxed)
    }
    extern "C" fn task_id(_: &Delegate) -> u8 {
        0
    }
    DelegateTable { should_yield, notify_concurrency_increase: never, task_id, is_joining_thread: never }
};

/// A `v8::JobHandle`. V8 owns it in a `unique_ptr`.
#[repr(C)]
struct Handle {
    table: *const HandleTable,
    shared: Arc<CompileThread>,
}

/// The virtual functions of `v8::JobHandle`.
#[repr(C)]
struct HandleTable {
    destroy: extern "C" fn(),
    delete: extern "C" fn(Box<Handle>),
    notify_concurrency_increase: extern "C" fn(&Handle),
    join: extern "C" fn(),
    cancel: extern "C" fn(&Handle),
    cancel_and_detach: extern "C" fn(),
    is_active: extern "C" fn(),
    is_valid: extern "C" fn(),
    update_priority_enabled: extern "C" fn(&Handle) -> bool,
    update_priority: extern "C" fn(),
}

static HANDLE: HandleTable = {
    extern "C" fn delete(this: Box<Handle>) {
        cancel(&this);
    }
    extern "C" fn notify_concurrency_increase(this: &Handle) {
        this.shared.notify();
    }
    extern "C" fn cancel(this: &Handle) {
        // On the second call there is no task.
        if let Some(task) = this.shared.take() {
            task.delete();
        }
    }
    extern "C" fn update_priority_enabled(_: &Handle) -> bool {
        false
    }
    HandleTable {
        destroy: never,
        delete,
        notify_concurrency_increase,
        join: never,
        cancel,
        cancel_and_detach: never,
        is_active: never,
        is_valid: never,
        update_priority_enabled,
        update_priority: never,
    }
};

/// A table of virtual functions. Only its address is used.
type TypeTable = [usize; 2];
/// The offset of the object and its type come before the first function.
const FIRST_FUNCTION: usize = 2 * size_of::<usize>();

/// Bytes of a `v8::internal::OptimizingCompileTaskExecutor`: seven times 16, as V8's group of isolates allocates.
type Executor = [u128; 7];

/// The beginning of a `v8::internal::OptimizingCompileDispatcher`.
#[repr(C)]
struct Dispatcher {
    isolate: *mut c_void,
    executor: *mut Executor,
}

// SAFETY: the linker gives these names to V8's methods and tables of virtual functions. A `unique_ptr` is passed as the
// pointer that it holds.
unsafe extern "C" {
    #[link_name = "_ZTVN2v88internal29OptimizingCompileTaskExecutor11CompileTaskE"]
    static TURBOFAN_TASK: TypeTable;
    #[link_name = "_ZN2v88internal29OptimizingCompileTaskExecutorC1Ev"]
    fn construct_executor(executor: *mut Executor);
    #[link_name = "_ZN2v88internal29OptimizingCompileTaskExecutor13EnsureStartedEv"]
    fn start_executor(executor: *mut Executor);
    #[link_name = "_ZN2v88internal29OptimizingCompileTaskExecutor4StopEv"]
    fn stop_executor(executor: *mut Executor);
    #[link_name = "_ZN2v88internal29OptimizingCompileTaskExecutorD1Ev"]
    fn destroy_executor(executor: *mut Executor);
    #[link_name = "__real__ZN2v88platform15DefaultPlatform13CreateJobImplENS_12TaskPriorityENSt4__Cr10unique_ptrINS_7JobTaskENS3_14default_deleteIS5_EEEERKNS_14SourceLocationE"]
    fn real_create_job(platform: *mut c_void, priority: u8, task: Task, location: *const c_void) -> *mut c_void;
    #[link_name = "__real__ZN2v88internal27OptimizingCompileDispatcherC1EPNS0_7IsolateEPNS0_29OptimizingCompileTaskExecutorE"]
    fn real_construct_dispatcher(dispatcher: *mut Dispatcher, isolate: *mut c_void, executor: *mut Executor);
    #[link_name = "__real__ZN2v88internal27OptimizingCompileDispatcherD1Ev"]
    fn real_destroy_dispatcher(dispatcher: *mut Dispatcher);
}

/// Addresses of the executors that belong to one isolate.
static OWN_EXECUTORS: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

fn own_executors() -> MutexGuard<'static, BTreeSet<usize>> {
    OWN_EXECUTORS.lock().unwrap_or_else(PoisonError::into_inner)
}

// SAFETY: the name is the linker's name for the wrapper of V8's method, which has these parameters.
#[unsafe(export_name = "__wrap__ZN2v88platform15DefaultPlatform13CreateJobImplENS_12TaskPriorityENSt4__Cr10unique_ptrINS_7JobTaskENS3_14default_deleteIS5_EEEERKNS_14SourceLocationE")]
unsafe extern "C" fn create_job(
    platform: *mut c_void,
    priority: u8,
    task: Task,
    location: *const c_void,
) -> *mut c_void {
    if task.is_turbofans()
        && let Some(shared) = CompileThread::of_new_isolate()
    {
        shared.is_cancelled.store(false, Ordering::Relaxed);
        shared.state().task = Some(task);
        return Box::into_raw(Box::new(Handle { table: &HANDLE, shared })).cast();
    }
    // SAFETY: the caller's contract is the same.
    unsafe { real_create_job(platform, priority, task, location) }
}

/// Gives the isolate its own queue.
// SAFETY: as above.
#[unsafe(export_name = "__wrap__ZN2v88internal27OptimizingCompileDispatcherC1EPNS0_7IsolateEPNS0_29OptimizingCompileTaskExecutorE")]
unsafe extern "C" fn construct_dispatcher(dispatcher: *mut Dispatcher, isolate: *mut c_void, of_group: *mut Executor) {
    // SAFETY: the memory of the executor has the size and alignment of V8's. It is constructed here, and destroyed and
    // freed only after the dispatcher that holds it.
    unsafe {
        let mut executor = of_group;
        if CompileThread::of_new_isolate().is_some() {
            executor = Box::into_raw(Box::new(array::from_fn(|_| 0)));
            own_executors().insert(executor.addr());
            construct_executor(executor);
            IS_ISOLATES.set(true);
            start_executor(executor);
            IS_ISOLATES.set(false);
        }
        real_construct_dispatcher(dispatcher, isolate, executor);
    }
}

// SAFETY: as above.
#[unsafe(export_name = "__wrap__ZN2v88internal27OptimizingCompileDispatcherD1Ev")]
unsafe extern "C" fn destroy_dispatcher(dispatcher: *mut Dispatcher) {
    // SAFETY: the caller's contract is the same. If the executor's address is in the set, `construct_dispatcher` has
    // made it, and no dispatcher holds it any more.
    unsafe {
        let executor = (*dispatcher).executor;
        real_destroy_dispatcher(dispatcher);
        if own_executors().remove(&executor.addr()) {
            stop_executor(executor);
            destroy_executor(executor);
            drop(Box::from_raw(executor));
        }
    }
}

#[cfg(test)]
mod tests;
