//! The thread on which Turbofan compiles for one isolate, beside its guest. build.rs has the linker send here (`--wrap`) where V8 asks
//! for one.
//!
//! V8's own threads compile for all isolates in turn: one guest could keep the others slow, and nobody would know for whom they
//! hold memory. In a process with many, what is large does not come here (tiers.rs), so that nobody waits long for what is under way.
//! In a process with one, the thread is made before that is confined, which begins no thread then.

use std::array;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use deno_core::v8;

use crate::memory::budget::BufferBudget;
use crate::memory::{compiled_for, parking, remains, sole};
use ses_sync::priority::{self, Thread};
use ses_sync::processor::{self, Processors};

/// After so long without work the thread ends, and the next work starts another one.
const IDLE: Duration = Duration::from_millis(if cfg!(test) { 10 } else { 2_000 });
/// How long an isolate waits whose heap is full.
const SETTLING: Duration = Duration::from_millis(200);
/// V8 bounds what a compiler takes of a stack at 1 MB.
const STACK_BYTES: usize = 4 << 20;

/// What V8 compiles with for one isolate. Shared by its handles and the thread.
struct CompileThread {
    /// Never held while V8 is called.
    state: Mutex<State>,
    changed: Condvar,
    /// The task is to return soon.
    is_cancelled: AtomicBool,
    buffers: Arc<BufferBudget>,
}

#[derive(Default)]
struct State {
    /// Absent: not posted, or cancelled.
    task: Option<Task>,
    /// The queue may have something.
    is_wanted: bool,
    is_running: bool,
    /// What is wanted is compiled: not while the isolate is made, since nothing that is hot then comes again.
    is_open: bool,
    has_thread: bool,
    /// The thread stays without work: another one could not be made.
    stays: bool,
    /// The processor that the guest was on when it wanted something, where it goes on.
    guest_is_on: i32,
    /// The thread, for the guest to keep it off its processor.
    thread: Option<Thread>,
    /// The processor that the thread is kept off, if there are others.
    is_off: Option<i32>,
}

thread_local! {
    /// Of the isolate that this thread has made last.
    static OF_THIS_THREAD: RefCell<Weak<CompileThread>> = const { RefCell::new(Weak::new()) };
    /// An executor is being made that is one isolate's, and not that of V8's group of isolates.
    static IS_ISOLATES: Cell<bool> = const { Cell::new(false) };
}

/// Begins to compile for the calling thread's isolate, which is a guest's from now on.
pub fn open() {
    if let Some(shared) = OF_THIS_THREAD.with_borrow(Weak::upgrade) {
        shared.state().is_open = true;
        shared.changed.notify_all();
    }
}

/// Makes the thread of the calling thread's isolate if that is the only one, whose process begins none any more when guest code comes.
pub fn start_ahead() {
    if sole::is_declared()
        && let Some(shared) = OF_THIS_THREAD.with_borrow(Weak::upgrade)
    {
        let mut state = shared.state();
        state.stays = true;
        shared.make_thread(&mut state);
    }
}

/// Has the thread keep off where the guest of the calling thread's isolate goes: behind a collection, for which they wait for each other, that
/// may be where the thread has been.
pub fn follow(isolate: &mut v8::Isolate) {
    isolate.add_gc_epilogue_callback(behind_collection, std::ptr::null_mut(), v8::GCType::kGCTypeAll);
}

unsafe extern "C" fn behind_collection(
    _isolate: v8::UnsafeRawIsolatePtr,
    _kind: v8::GCType,
    _flags: v8::GCCallbackFlags,
    _data: *mut c_void,
) {
    if let Some(shared) = OF_THIS_THREAD.with_borrow(Weak::upgrade) {
        let mut state = shared.state();
        if state.is_busy() {
            state.keep_apart();
        }
    }
}

/// Whether what V8 queues for the calling thread's isolate will be compiled. False: the guest has to do it itself.
pub fn is_ready() -> bool {
    OF_THIS_THREAD.with_borrow(Weak::upgrade).is_some_and(|shared| shared.start(&mut shared.state()))
}

/// Whether something is compiled for the calling thread's isolate, or about to be.
pub fn is_busy() -> bool {
    OF_THIS_THREAD.with_borrow(Weak::upgrade).is_some_and(|shared| shared.state().is_busy())
}

/// Waits for that, which keeps alive what it is compiled with; not long, since to go on it may need a collection by this thread.
pub fn settle() {
    let Some(shared) = OF_THIS_THREAD.with_borrow(Weak::upgrade) else { return };
    let mut state = shared.state();
    state.let_go();
    drop(shared.changed.wait_timeout_while(state, SETTLING, |state| state.is_busy()));
}

impl State {
    fn is_busy(&self) -> bool {
        self.is_running || (self.is_wanted && self.has_thread)
    }

    /// Notes where the calling thread, the guest's, is, and keeps the other one off there.
    fn keep_apart(&mut self) {
        let here = processor::current();
        self.guest_is_on = here;
        if let Some(thread) = self.thread.filter(|_| self.is_off != Some(here))
            && let Some(all) = Processors::of_this_thread()
        {
            all.without(here).keep(thread);
            self.is_off = Some(here);
        }
    }

    /// Has the thread go on wherever the guest may, which waits for it.
    fn let_go(&mut self) {
        if let (Some(thread), Some(all)) = (self.thread, Processors::of_this_thread()) {
            all.keep(thread);
            self.is_off = None;
        }
    }
}

impl CompileThread {
    /// That of the isolate that the calling thread is making. `None`: it makes none.
    fn of_this_thread() -> Option<Arc<Self>> {
        let buffers = parking::buffers()?;
        OF_THIS_THREAD.with_borrow_mut(|last| {
            let shared = last.upgrade().filter(|shared| Arc::ptr_eq(&shared.buffers, &buffers));
            let shared = shared.unwrap_or_else(|| {
                let (state, changed, is_cancelled) = Default::default();
                Arc::new(Self { state, changed, is_cancelled, buffers })
            });
            *last = Arc::downgrade(&shared);
            Some(shared)
        })
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
        state.keep_apart();
        if self.start(&mut state) {
            // Not while it is locked, for which the thread would wait where it is woken.
            drop(state);
            self.changed.notify_all();
        }
    }

    /// Sees to it that there is the thread, if it is time for it. False: the system refuses.
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

    /// Waits until the task has returned, which is asked to do so soon if `is_cancelled`, and the thread has ended. Takes the task
    /// away.
    fn take(&self, is_cancelled: bool) -> Option<Task> {
        self.is_cancelled.store(is_cancelled, Ordering::Relaxed);
        let mut state = self.state();
        state.let_go();
        let task = state.task.take();
        state.is_wanted = false;
        self.changed.notify_all();
        while state.has_thread {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        task
    }

    /// The thread.
    fn work(&self) {
        priority::help_guests();
        compiled_for::set(self.buffers.clone());
        let all = Processors::of_this_thread();
        let mut patience = IDLE;
        loop {
            if let Some(task) = self.next(patience) {
                patience = IDLE;
                if let Some(all) = all {
                    self.keep_off_guest(all);
                }
                task.run(&Delegate { table: &DELEGATE, is_cancelled: &self.is_cancelled });
                self.state().is_running = false;
                self.changed.notify_all();
                continue;
            }
            remains::give_back();
            let mut state = self.state();
            let goes_on = state.is_wanted || (state.stays && state.task.is_some());
            if !goes_on {
                (state.has_thread, state.thread, state.is_off) = (false, None, None);
                self.changed.notify_all();
                return;
            }
            // There is nothing to give back until it has worked.
            patience = Duration::MAX;
        }
    }

    /// Keeps the calling thread off the guest's processor from now on: it is woken there each time, also behind a collection, for which it
    /// stops. From then on the guest does, which need not wait until this thread is awake. In a sandbox no thread may say that of another one.
    fn keep_off_guest(&self, all: Processors) {
        let State { guest_is_on, is_off, thread, .. } = *self.state();
        if thread.is_some() || is_off == Some(guest_is_on) {
            return;
        }
        all.without(guest_is_on).keep(Thread::CALLER);
        let mut state = self.state();
        state.is_off = Some(guest_is_on);
        state.thread = (!sole::is_declared()).then(Thread::this);
    }

    /// What is to be done next, which is under way from now on; waits. `None`: nothing is left, or nothing came for as long as its patience
    /// lasts.
    fn next(&self, patience: Duration) -> Option<Task> {
        let mut state = self.state();
        loop {
            let task = state.task?;
            if state.is_wanted && state.is_open {
                (state.is_wanted, state.is_running) = (false, true);
                return Some(task);
            }
            let (waited, timeout) = self.changed.wait_timeout(state, patience).unwrap_or_else(PoisonError::into_inner);
            state = waited;
            if timeout.timed_out() && !state.is_wanted {
                return None;
            }
        }
    }
}

/// A `v8::JobTask`, which whoever has taken it away deletes.
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

    fn has_work(self) -> bool {
        // SAFETY: as above.
        unsafe { ((*self.table()).max_concurrency)(self, 0) > 0 }
    }

    fn delete(self) {
        // SAFETY: nobody else has the task any more.
        unsafe { ((*self.table()).delete)(self) }
    }

    /// Whether it is that of the calling thread's isolate, by which Turbofan compiles what it has queued.
    fn is_turbofans(self) -> bool {
        IS_ISOLATES.get() && self.table().addr() == (&raw const TURBOFAN_TASK).addr() + FIRST_FUNCTION
    }
}

/// A `v8::JobDelegate`.
#[repr(C)]
struct Delegate {
    table: *const DelegateTable,
    is_cancelled: *const AtomicBool,
}

#[repr(C)]
struct DelegateTable {
    should_yield: extern "C" fn(&Delegate) -> bool,
    notify_concurrency_increase: extern "C" fn(&Delegate),
    task_id: extern "C" fn(&Delegate) -> u8,
    is_joining_thread: extern "C" fn(&Delegate) -> bool,
}

static DELEGATE: DelegateTable = {
    extern "C" fn should_yield(this: &Delegate) -> bool {
        // SAFETY: it outlives what the delegate is passed to.
        unsafe { &*this.is_cancelled }.load(Ordering::Relaxed)
    }
    extern "C" fn notify_concurrency_increase(_: &Delegate) {}
    extern "C" fn task_id(_: &Delegate) -> u8 {
        0
    }
    extern "C" fn is_joining_thread(_: &Delegate) -> bool {
        false
    }
    DelegateTable { should_yield, notify_concurrency_increase, task_id, is_joining_thread }
};

/// A `v8::JobHandle`, on V8's side of the thread. Its owner deletes it.
#[repr(C)]
struct Handle {
    table: *const HandleTable,
    shared: Arc<CompileThread>,
    is_valid: bool,
}

/// The virtual functions of `v8::JobHandle`.
#[repr(C)]
struct HandleTable {
    destroy: extern "C" fn(&mut Handle),
    delete: extern "C" fn(Box<Handle>),
    notify_concurrency_increase: extern "C" fn(&Handle),
    join: extern "C" fn(&mut Handle),
    cancel: extern "C" fn(&mut Handle),
    cancel_and_detach: extern "C" fn(&mut Handle),
    is_active: extern "C" fn(&Handle) -> bool,
    is_valid: extern "C" fn(&Handle) -> bool,
    update_priority_enabled: extern "C" fn(&Handle) -> bool,
    update_priority: extern "C" fn(&Handle, u8),
}

static HANDLE: HandleTable = {
    extern "C" fn destroy(this: &mut Handle) {
        cancel(this);
    }
    extern "C" fn delete(mut this: Box<Handle>) {
        cancel(&mut this);
    }
    extern "C" fn notify_concurrency_increase(this: &Handle) {
        this.shared.notify();
    }
    extern "C" fn join(this: &mut Handle) {
        this.is_valid = false;
        if let Some(task) = this.shared.take(false) {
            let is_cancelled = &this.shared.is_cancelled;
            while task.has_work() {
                task.run(&Delegate { table: &DELEGATE, is_cancelled });
            }
            task.delete();
        }
    }
    extern "C" fn cancel(this: &mut Handle) {
        // Whoever has joined may have posted the next task before this is deleted.
        if !this.is_valid {
            return;
        }
        this.is_valid = false;
        if let Some(task) = this.shared.take(true) {
            task.delete();
        }
    }
    extern "C" fn is_active(this: &Handle) -> bool {
        let state = this.shared.state();
        state.is_wanted || state.is_running
    }
    extern "C" fn is_valid(this: &Handle) -> bool {
        this.is_valid
    }
    extern "C" fn update_priority_enabled(_: &Handle) -> bool {
        false
    }
    extern "C" fn update_priority(_: &Handle, _: u8) {}
    HandleTable {
        destroy,
        delete,
        notify_concurrency_increase,
        join,
        cancel,
        // What the task works with may be gone when this returns.
        cancel_and_detach: cancel,
        is_active,
        is_valid,
        update_priority_enabled,
        update_priority,
    }
};

/// A table of virtual functions, of which only the address is used.
type TypeTable = [usize; 2];
/// Before the first function come the offset of the object and its type.
const FIRST_FUNCTION: usize = 2 * size_of::<usize>();

/// Bytes of a `v8::internal::OptimizingCompileTaskExecutor`: seven times 16, as V8's group of isolates allocates.
type Executor = [u128; 7];

// SAFETY: the names are those that the linker gives to V8's methods and tables of virtual functions. A `unique_ptr` is passed as
// the pointer that it has.
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
    fn __real__ZN2v88platform15DefaultPlatform13CreateJobImplENS_12TaskPriorityENSt4__Cr10unique_ptrINS_7JobTaskENS3_14default_deleteIS5_EEEERKNS_14SourceLocationE(
        platform: *mut c_void,
        priority: u8,
        task: Task,
        location: *const c_void,
    ) -> *mut c_void;
    fn __real__ZN2v88internal27OptimizingCompileDispatcherC1EPNS0_7IsolateEPNS0_29OptimizingCompileTaskExecutorE(
        dispatcher: *mut Dispatcher,
        isolate: *mut c_void,
        executor: *mut Executor,
    );
    fn __real__ZN2v88internal27OptimizingCompileDispatcherD1Ev(dispatcher: *mut Dispatcher);
}

/// Addresses of the executors that are an isolate's own.
static OWN_EXECUTORS: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

fn own_executors() -> MutexGuard<'static, BTreeSet<usize>> {
    OWN_EXECUTORS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a `v8::internal::OptimizingCompileDispatcher` begins with.
#[repr(C)]
struct Dispatcher {
    isolate: *mut c_void,
    executor: *mut Executor,
}

// SAFETY: the name is that by which the linker knows the wrapper of V8's method, which has these parameters.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88platform15DefaultPlatform13CreateJobImplENS_12TaskPriorityENSt4__Cr10unique_ptrINS_7JobTaskENS3_14default_deleteIS5_EEEERKNS_14SourceLocationE(
    platform: *mut c_void,
    priority: u8,
    task: Task,
    location: *const c_void,
) -> *mut c_void {
    if task.is_turbofans()
        && let Some(shared) = CompileThread::of_this_thread()
    {
        shared.is_cancelled.store(false, Ordering::Relaxed);
        shared.state().task = Some(task);
        return Box::into_raw(Box::new(Handle { table: &HANDLE, shared, is_valid: true })).cast();
    }
    // SAFETY: the caller's contract is the same.
    unsafe {
        __real__ZN2v88platform15DefaultPlatform13CreateJobImplENS_12TaskPriorityENSt4__Cr10unique_ptrINS_7JobTaskENS3_14default_deleteIS5_EEEERKNS_14SourceLocationE(
            platform, priority, task, location,
        )
    }
}

/// Gives the isolate a queue of its own.
// SAFETY: as above.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal27OptimizingCompileDispatcherC1EPNS0_7IsolateEPNS0_29OptimizingCompileTaskExecutorE(
    dispatcher: *mut Dispatcher,
    isolate: *mut c_void,
    of_group: *mut Executor,
) {
    // SAFETY: the executor is as large as V8's, which is constructed in it, and destroyed behind the dispatcher.
    unsafe {
        let mut executor = of_group;
        if CompileThread::of_this_thread().is_some() {
            executor = Box::into_raw(Box::new(array::from_fn(|_| 0)));
            own_executors().insert(executor.addr());
            construct_executor(executor);
            IS_ISOLATES.set(true);
            start_executor(executor);
            IS_ISOLATES.set(false);
        }
        __real__ZN2v88internal27OptimizingCompileDispatcherC1EPNS0_7IsolateEPNS0_29OptimizingCompileTaskExecutorE(
            dispatcher, isolate, executor,
        );
    }
}

// SAFETY: as above.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal27OptimizingCompileDispatcherD1Ev(dispatcher: *mut Dispatcher) {
    // SAFETY: the caller's contract is the same; the executor is one of those that were made above.
    unsafe {
        let executor = (*dispatcher).executor;
        __real__ZN2v88internal27OptimizingCompileDispatcherD1Ev(dispatcher);
        if own_executors().remove(&executor.addr()) {
            stop_executor(executor);
            destroy_executor(executor);
            drop(Box::from_raw(executor));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI32, AtomicUsize};

    use super::*;

    /// What tasks did, in words, and among how many processors the last one did it.
    #[derive(Default)]
    struct Notes {
        did: Mutex<Vec<&'static str>>,
        ran_among: AtomicI32,
    }

    type Diary = Arc<Notes>;

    /// How many processors the calling thread may be on.
    fn processors() -> i32 {
        // SAFETY: the set is valid for the write, and zeros are valid for it.
        unsafe {
            let mut set = std::mem::zeroed();
            assert_eq!(libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set), 0);
            libc::CPU_COUNT(&set)
        }
    }

    /// A task as V8 makes them. It works as often as it is asked to, and goes on until it is to return if it is patient.
    #[repr(C)]
    struct Fake {
        table: *const TaskTable,
        work: AtomicUsize,
        is_patient: bool,
        diary: Diary,
    }

    static FAKE: TaskTable = {
        fn fake(task: Task) -> *mut Fake {
            task.0.cast()
        }
        unsafe extern "C" fn destroy(_: Task) {}
        unsafe extern "C" fn delete(task: Task) {
            // SAFETY: `post` has made it.
            let fake = unsafe { Box::from_raw(fake(task)) };
            fake.diary.did.lock().unwrap().push("deleted");
        }
        unsafe extern "C" fn run(task: Task, delegate: *const Delegate) {
            // SAFETY: both live until the task returns.
            let (fake, delegate) = unsafe { (&*fake(task), &*delegate) };
            fake.diary.ran_among.store(processors(), Ordering::Relaxed);
            fake.diary.did.lock().unwrap().push("ran");
            fake.work.fetch_sub(1, Ordering::Relaxed);
            while fake.is_patient && !(DELEGATE.should_yield)(delegate) {
                thread::yield_now();
            }
        }
        unsafe extern "C" fn max_concurrency(task: Task, _: usize) -> usize {
            // SAFETY: it lives until it is deleted.
            unsafe { &*fake(task) }.work.load(Ordering::Relaxed)
        }
        TaskTable { destroy, delete, run, max_concurrency }
    };

    fn shared() -> Arc<CompileThread> {
        let (state, changed, is_cancelled) = Default::default();
        let shared = CompileThread { state, changed, is_cancelled, buffers: BufferBudget::new(1 << 20) };
        shared.state().is_open = true;
        Arc::new(shared)
    }

    /// Posts a task that has `work` to do.
    fn post(shared: &Arc<CompileThread>, work: usize, is_patient: bool, diary: &Diary) -> Handle {
        let fake = Fake { table: &FAKE, work: work.into(), is_patient, diary: diary.clone() };
        shared.state().task = Some(Task(Box::into_raw(Box::new(fake)).cast()));
        Handle { table: &HANDLE, shared: shared.clone(), is_valid: true }
    }

    /// Waits until it is so.
    fn until(mut is_so: impl FnMut() -> bool) {
        while !is_so() {
            thread::yield_now();
        }
    }

    #[test]
    fn the_thread_comes_with_work_and_goes_when_there_was_none_for_a_while() {
        let (shared, diary) = (shared(), Diary::default());
        let mut handle = post(&shared, 2, false, &diary);
        assert!(!shared.state().has_thread);
        for runs in 1..=2 {
            (HANDLE.notify_concurrency_increase)(&handle);
            until(|| diary.did.lock().unwrap().len() == runs);
            until(|| !shared.state().has_thread);
        }
        assert!((HANDLE.is_valid)(&handle) && !(HANDLE.is_active)(&handle));
        (HANDLE.cancel)(&mut handle);
        assert!(!(HANDLE.is_valid)(&handle));
        // Too late, which is nothing new to V8.
        (HANDLE.notify_concurrency_increase)(&handle);
        assert!(!shared.state().has_thread);
        assert_eq!(*diary.did.lock().unwrap(), ["ran", "ran", "deleted"]);
    }

    /// A worker process begins no thread once guest code can come.
    #[test]
    fn a_thread_that_was_made_ahead_stays_until_the_task_goes() {
        let (shared, diary) = (shared(), Diary::default());
        shared.state().is_open = false;
        OF_THIS_THREAD.set(Arc::downgrade(&shared));
        let mut handle = post(&shared, 2, false, &diary);
        {
            let mut state = shared.state();
            state.stays = true;
            shared.make_thread(&mut state);
        }
        (HANDLE.notify_concurrency_increase)(&handle);
        // Twice as long as one without work would stay.
        thread::sleep(2 * IDLE);
        assert!(diary.did.lock().unwrap().is_empty(), "the isolate is no guest's");
        open();
        for runs in 1..=2 {
            until(|| diary.did.lock().unwrap().len() == runs);
            thread::sleep(2 * IDLE);
            assert!(shared.state().has_thread);
            (HANDLE.notify_concurrency_increase)(&handle);
        }
        (HANDLE.cancel)(&mut handle);
        assert!(!shared.state().has_thread);
    }

    #[test]
    fn what_is_wanted_is_done_apart_from_where_the_guest_goes_on() {
        let (shared, diary) = (shared(), Diary::default());
        let mut handle = post(&shared, 1, false, &diary);
        shared.state().stays = true;
        let all = Processors::of_this_thread().expect("Linux says it");
        let count = processors();
        // Each time from another processor, if there are two.
        for runs in 1..=3 {
            (HANDLE.notify_concurrency_increase)(&handle);
            until(|| diary.did.lock().unwrap().len() == runs && !shared.state().is_running);
            assert_eq!(diary.ran_among.load(Ordering::Relaxed), (count - 1).max(1));
            let State { guest_is_on, is_off, .. } = *shared.state();
            assert_eq!(is_off, Some(guest_is_on));
            all.without(guest_is_on).keep(Thread::CALLER);
            all.keep(Thread::CALLER);
        }
        (HANDLE.cancel)(&mut handle);
        assert!(shared.state().thread.is_none());
    }

    #[test]
    fn who_cancels_waits_until_the_task_has_returned_and_the_thread_is_gone() {
        let (shared, diary) = (shared(), Diary::default());
        let mut handle = post(&shared, 1, true, &diary);
        (HANDLE.notify_concurrency_increase)(&handle);
        until(|| !diary.did.lock().unwrap().is_empty());
        assert!((HANDLE.is_active)(&handle));
        (HANDLE.cancel)(&mut handle);
        assert!(!shared.state().has_thread);
        assert_eq!(*diary.did.lock().unwrap(), ["ran", "deleted"]);
    }

    #[test]
    fn what_is_wanted_before_the_isolate_is_a_guests_waits() {
        let (shared, diary) = (shared(), Diary::default());
        shared.state().is_open = false;
        OF_THIS_THREAD.set(Arc::downgrade(&shared));
        let mut handle = post(&shared, 1, false, &diary);
        (HANDLE.notify_concurrency_increase)(&handle);
        assert!(is_ready());
        assert!((HANDLE.is_active)(&handle) && !shared.state().has_thread);
        open();
        assert!(is_ready());
        until(|| !(HANDLE.is_active)(&handle));
        (HANDLE.cancel)(&mut handle);
        assert_eq!(*diary.did.lock().unwrap(), ["ran", "deleted"]);
        let left = Arc::downgrade(&shared);
        drop((handle, shared));
        until(|| left.strong_count() == 0);
        assert!(!is_ready(), "there is no isolate");
    }

    #[test]
    fn who_joins_does_what_is_left() {
        let (shared, diary) = (shared(), Diary::default());
        let mut handle = post(&shared, 3, false, &diary);
        (HANDLE.join)(&mut handle);
        assert_eq!(*diary.did.lock().unwrap(), ["ran", "ran", "ran", "deleted"]);
        assert!(!(HANDLE.is_valid)(&handle));
        let mut next = post(&shared, 1, false, &diary);
        (HANDLE.delete)(Box::new(handle));
        assert_eq!(diary.did.lock().unwrap().len(), 4, "the next task is not its own");
        (HANDLE.cancel)(&mut next);
    }
}
