//! What is left for when an isolate's thread has nothing else to do: collections of the young generation that are due soon, since between
//! two runs hardly anything of what they look at is alive, and nobody waits; and what is given back when nothing comes for a while.

use std::cell::RefCell;
use std::ffi::c_void;
use std::mem;

use deno_core::v8::{self, PlatformImpl, Task};

#[cfg(target_os = "linux")]
use crate::memory::stack;

/// A young generation of so many bytes has grown. One that has not has two pages of 256 KiB. 4 MiB.
const GROWN_BYTES: usize = 4 << 20;

/// Of the calling thread's isolate.
struct Idle {
    isolate: usize,
    /// What V8 has posted last. It takes back what it posted before.
    task: Option<Task>,
}

thread_local! {
    static OF_THIS_THREAD: RefCell<Option<Idle>> = const { RefCell::new(None) };
}

/// Keeps what V8 posts for the calling thread's isolate from now on, for [`work`].
pub fn begin(isolate: &v8::Isolate) {
    OF_THIS_THREAD.set(Some(Idle { isolate: address_of(isolate), task: None }));
}

fn address_of(isolate: &v8::Isolate) -> usize {
    // SAFETY: it is a pointer and nothing else, and nobody follows it.
    unsafe { mem::transmute::<v8::UnsafeRawIsolatePtr, usize>(isolate.as_raw_isolate_ptr()) }
}

/// Does what V8 has left. Runs no guest code. True: it was a collection.
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

/// Gives back what an isolate does not need while nothing comes: what its thread's stack has been used for, and the pages of a young
/// generation that has grown. V8 gives those back when it collects the whole heap, which takes longer the more is alive.
pub fn rest(isolate: &mut v8::Isolate) {
    if has_grown(isolate) {
        isolate.low_memory_notification();
    }
    #[cfg(target_os = "linux")]
    stack::give_back();
}

/// Drops what has been left: the isolate is about to be taken apart.
pub fn end() {
    OF_THIS_THREAD.take();
}

/// What V8 posts to the threads of its isolates. Kept are collections of the young generation, which are not to be nested; the other
/// tasks of that kind are switched off (flags.rs) or those of `FinalizationRegistry`, which guests do not have. The rest is dropped:
/// without an event loop nothing would run it.
pub struct Posted;

impl PlatformImpl for Posted {
    fn post_task(&self, _isolate: *mut c_void, _task: Task) {}

    fn post_non_nestable_task(&self, isolate: *mut c_void, task: Task) {
        // V8's own threads have none, and a thread on its end may post to isolates of others.
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
