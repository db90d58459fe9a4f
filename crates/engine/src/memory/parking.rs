//! The callback for a thread whose isolate cannot go on.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::memory::budget::BufferBudget;
use crate::memory::single_isolate;

/// Called on the isolate's thread when the isolate is about to be parked, with the bytes that it holds.
pub type OnParked = Rc<dyn Fn(usize)>;

#[derive(Clone)]
struct ThreadIsolate {
    on_parked: OnParked,
    buffers: Arc<BufferBudget>,
}

thread_local! {
    static THREAD_ISOLATE: RefCell<Option<ThreadIsolate>> = const { RefCell::new(None) };
}

/// Sets the callback for this thread's isolate.
pub fn set_thread_isolate(on_parked: OnParked, buffers: Arc<BufferBudget>) {
    THREAD_ISOLATE.set(Some(ThreadIsolate { on_parked, buffers }));
}

/// The bytes that the calling thread's isolate holds, if there is one.
#[cfg(target_os = "linux")]
pub fn buffers() -> Option<Arc<BufferBudget>> {
    THREAD_ISOLATE.with_borrow(|isolate| isolate.as_ref().map(|isolate| isolate.buffers.clone()))
}

/// Reports that the calling thread's isolate is lost and never returns. Applies if the thread has an isolate or works
/// for the only one. `bytes`: the memory of the isolate, if it could be measured.
pub fn park_thread(bytes: Option<usize>) {
    let Some(ThreadIsolate { on_parked, buffers }) = THREAD_ISOLATE.with_borrow(Clone::clone) else {
        return single_isolate::end_process();
    };
    on_parked(bytes.unwrap_or_else(|| buffers.total()));
    loop {
        std::thread::park();
    }
}
