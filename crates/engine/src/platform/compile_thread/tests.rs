//! Tests of the thread with tasks that V8 has not made.

use super::*;

/// The actions of a task.
type Diary = Arc<Mutex<Vec<&'static str>>>;

/// A task in V8's layout. `runs_until_asked`: it returns only when it is asked to.
#[repr(C)]
struct Fake {
    table: *const TaskTable,
    runs_until_asked: bool,
    diary: Diary,
}

static FAKE: TaskTable = {
    unsafe extern "C" fn destroy(_: Task) {}
    unsafe extern "C" fn delete(task: Task) {
        // SAFETY: `post` has made the pointer.
        let fake = unsafe { Box::from_raw(task.0.cast::<Fake>()) };
        fake.diary.lock().unwrap().push("deleted");
    }
    unsafe extern "C" fn run(task: Task, delegate: *const Delegate) {
        // SAFETY: both live until the task returns.
        let (fake, delegate) = unsafe { (&*task.0.cast::<Fake>(), &*delegate) };
        fake.diary.lock().unwrap().push("ran");
        while fake.runs_until_asked && !(DELEGATE.should_yield)(delegate) {
            thread::yield_now();
        }
    }
    unsafe extern "C" fn max_concurrency(_: Task, _: usize) -> usize {
        1
    }
    TaskTable { destroy, delete, run, max_concurrency }
};

/// Posts a task for an isolate. `is_open`: the isolate has a guest.
fn post(is_open: bool, runs_until_asked: bool) -> (Handle, Arc<CompileThread>, Diary) {
    let (shared, diary) = (CompileThread::new(BufferBudget::new(1 << 20)), Diary::default());
    let fake = Fake { table: &FAKE, runs_until_asked, diary: diary.clone() };
    let task = Some(Task(Box::into_raw(Box::new(fake)).cast()));
    *shared.state() = State { task, is_open, ..State::default() };
    OF_THIS_THREAD.set(Arc::downgrade(&shared));
    (Handle { table: &HANDLE, shared: shared.clone() }, shared, diary)
}

/// Waits until the condition holds.
fn until(mut is_so: impl FnMut() -> bool) {
    while !is_so() {
        thread::yield_now();
    }
}

#[test]
fn the_thread_starts_with_work_and_ends_after_a_while_without_work() {
    let (handle, shared, diary) = post(true, false);
    assert!(!shared.state().has_thread);
    for runs in 1..=2 {
        (HANDLE.notify_concurrency_increase)(&handle);
        until(|| diary.lock().unwrap().len() == runs);
        until(|| !shared.state().has_thread);
    }
    (HANDLE.cancel)(&handle);
    // V8 may notify a handle that it has cancelled.
    (HANDLE.notify_concurrency_increase)(&handle);
    assert!(!shared.state().has_thread);
    (HANDLE.delete)(Box::new(handle));
    assert_eq!(*diary.lock().unwrap(), ["ran", "ran", "deleted"]);
}

/// A worker process starts no threads once it may receive guest code.
#[test]
fn a_thread_that_was_made_ahead_stays_until_the_task_is_cancelled() {
    let (handle, shared, diary) = post(false, false);
    shared.state().stays = true;
    shared.make_thread(&mut shared.state());
    (HANDLE.notify_concurrency_increase)(&handle);
    // Twice as long as a thread without work would stay.
    thread::sleep(2 * IDLE);
    assert!(diary.lock().unwrap().is_empty(), "the isolate has no guest");
    open();
    for runs in 1..=2 {
        until(|| diary.lock().unwrap().len() == runs);
        thread::sleep(2 * IDLE);
        assert!(shared.state().has_thread);
        (HANDLE.notify_concurrency_increase)(&handle);
    }
    (HANDLE.cancel)(&handle);
    assert!(!shared.state().has_thread);
}

#[test]
fn cancelling_waits_until_the_task_has_returned_and_the_thread_has_ended() {
    let (handle, shared, diary) = post(true, true);
    (HANDLE.notify_concurrency_increase)(&handle);
    until(|| !diary.lock().unwrap().is_empty());
    assert!(is_busy());
    (HANDLE.cancel)(&handle);
    assert!(!shared.state().has_thread);
    assert_eq!(*diary.lock().unwrap(), ["ran", "deleted"]);
}

#[test]
fn work_waits_until_the_isolate_has_a_guest() {
    let (handle, shared, diary) = post(false, false);
    (HANDLE.notify_concurrency_increase)(&handle);
    assert!(is_ready());
    assert!(shared.state().is_wanted && !shared.state().has_thread);
    open();
    assert!(is_ready());
    until(|| !diary.lock().unwrap().is_empty());
    (HANDLE.cancel)(&handle);
    assert_eq!(*diary.lock().unwrap(), ["ran", "deleted"]);
    let left = Arc::downgrade(&shared);
    drop((handle, shared));
    until(|| left.strong_count() == 0);
    assert!(!is_ready(), "there is no isolate");
}
