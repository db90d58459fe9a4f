//! Who is told when the isolate of a thread cannot go on.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::memory::budget::BufferBudget;
use crate::memory::single_isolate;

/// Told on the isolate's thread, with the bytes that the isolate holds, when that is about to be parked.
pub type OnParked = Rc<dyn Fn(usize)>;

#[derive(Clone)]
struct ThreadIsolate {
    on_parked: OnParked,
    buffers: Arc<BufferBudget>,
}

thread_local! {
    static THREAD_ISOLATE: RefCell<Option<ThreadIsolate>> = const { RefCell::new(None) };
}

/// Names who is told of this thread's isolate.
pub fn set_thread_isolate(on_parked: OnParked, buffers: Arc<BufferBudget>) {
    THREAD_ISOLATE.set(Some(ThreadIsolate { on_parked, buffers }));
}

/// What the calling thread's isolate holds, if it has one.
#[cfg(target_os = "linux")]
pub fn buffers() -> Option<Arc<BufferBudget>> {
    THREAD_ISOLATE.with_borrow(|isolate| isolate.as_ref().map(|isolate| isolate.buffers.clone()))
}

/// Reports that the calling thread's isolate is lost and never returns, if the thread has an isolate or works for the only one.
/// `bytes`: what it holds, if that could be measured.
pub fn park_thread(bytes: Option<usize>) {
    let Some(ThreadIsolate { on_parked, buffers }) = THREAD_ISOLATE.with_borrow(Clone::clone) else {
        return single_isolate::lose();
    };
    on_parked(bytes.unwrap_or_else(|| buffers.total()));
    loop {
        std::thread::park();
    }
}
