//! Work for an idle isolate thread. It collects a young generation that is due for collection soon: between two runs,
//! hardly any of it is alive, and no caller waits. It also returns memory when no command comes for a while.

use std::cell::RefCell;
use std::ffi::c_void;
use std::mem;

use deno_core::v8::{self, PlatformImpl, Task};

#[cfg(target_os = "linux")]
use crate::memory::stack;

/// A young generation of this size has grown. At first it has two pages of 256 KiB. 4 MiB.
const GROWN_BYTES: usize = 4 << 20;

/// Idle work of the calling thread's isolate.
struct Idle {
    isolate: usize,
    /// The task that V8 has posted last. It replaces the task before.
    task: Option<Task>,
}

thread_local! {
    static OF_THIS_THREAD: RefCell<Option<Idle>> = const { RefCell::new(None) };
}

/// From now on, keeps the tasks that V8 posts for the calling thread's isolate, for [`work`].
pub fn begin(isolate: &v8::Isolate) {
    OF_THIS_THREAD.set(Some(Idle { isolate: address_of(isolate), task: None }));
}

fn address_of(isolate: &v8::Isolate) -> usize {
    // SAFETY: the type is a plain pointer, and nothing dereferences it.
    unsafe { mem::transmute::<v8::UnsafeRawIsolatePtr, usize>(isolate.as_raw_isolate_ptr()) }
}

/// Runs the task that V8 has posted. Runs no guest code. True: it was a collection.
pub fn work(isolate: &mut v8::Isolate) -> bool {
    let task = OF_THIS_THREAD.with_borrow_mut(|idle| idle.as_mut()?.task.take());
    let Some(task) = task else { return false };
    v8::scope!(let _scope, isolate);
    task.run();
    true
}

/// Whether the young generation has grown, so that [`rest`] collects.
pub fn has_grown(isolate: &mut v8::Isolate) -> bool {
    young_generation(isolate).is_some_and(|space| space.space_size() >= GROWN_BYTES)
}

/// V8's statistics of the young generation.
fn young_generation(isolate: &mut v8::Isolate) -> Option<v8::HeapSpaceStatistics> {
    (0..isolate.number_of_heap_spaces())
        .filter_map(|index| isolate.get_heap_space_statistics(index))
        .find(|space| space.space_name() == c"new_space")
}

/// Returns memory that an idle isolate does not need: used stack pages of its thread, and the pages of a young
/// generation that has grown. V8 returns the latter only when it collects the whole heap. That takes longer the more is
/// alive.
pub fn rest(isolate: &mut v8::Isolate) {
    if has_grown(isolate) {
        isolate.low_memory_notification();
    }
    #[cfg(target_os = "linux")]
    stack::give_back();
}

/// Drops the posted task: the isolate is about to be torn down.
pub fn end() {
    OF_THIS_THREAD.take();
}

/// Receives the tasks that V8 posts to the threads of its isolates. Keeps collections of the young generation, which
/// must not be nested. The other tasks of that kind are switched off (flags.rs) or belong to `FinalizationRegistry`,
/// which guests do not have. Everything else is dropped, because without an event loop nothing would run it.
pub struct Posted;

impl PlatformImpl for Posted {
    fn post_task(&self, _isolate: *mut c_void, _task: Task) {}

    fn post_non_nestable_task(&self, isolate: *mut c_void, task: Task) {
        // V8's own threads have no idle state. A thread that is ending may post to isolates of other threads.
        let _ = OF_THIS_THREAD.try_with(|idle| {
            let mut idle = idle.borrow_mut();
            let idle = idle.as_mut().filter(|idle| idle.isolate == isolate.addr())?;
            idle.task.replace(task)
        });
    }

    fn post_delayed_task(&self, _isolate: *mut c_void, _task: Task, _seconds: f64) {}

    fn post_non_nestable_delayed_task(&self, _isolate: *mut c_void, _task: Task, _seconds: f64) {}

    fn post_idle_task(&self, _isolate: *mut c_void, _task: v8::IdleTask) {}
}
