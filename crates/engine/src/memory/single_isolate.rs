//! The only isolate of a process. Memory of helper threads counts for this isolate. They end the process in the cases
//! in which the isolate's own thread would be parked. Large functions, too, are compiled on another thread than the
//! guest's.

use std::sync::{Arc, OnceLock};

use crate::memory::budget::BufferBudget;
use crate::memory::zones::Zones;

/// Called on any thread when the isolate cannot go on, with the bytes that it holds. Ends the process.
pub type OnLost = Box<dyn Fn(usize) + Send + Sync>;

struct SingleIsolate {
    buffers: Arc<BufferBudget>,
    on_lost: OnLost,
}

static SINGLE: OnceLock<SingleIsolate> = OnceLock::new();

/// Declares, before V8 starts, that the process will never have an isolate other than the one of `buffers`.
pub fn declare(buffers: Arc<BufferBudget>, on_lost: OnLost) {
    // The caller promises that there is no second isolate.
    let _ = SINGLE.set(SingleIsolate { buffers, on_lost });
}

/// Whether the threads of this process work for only one isolate.
pub fn is_declared() -> bool {
    SINGLE.get().is_some()
}

/// The memory with which threads without an isolate compile.
pub fn zones() -> Option<&'static Zones> {
    SINGLE.get().map(|single| &single.buffers.zones)
}

/// Ends the process if it has only one isolate. Called when that isolate exceeds its limit by far, or there is no
/// memory left.
pub fn end_process() {
    if let Some(SingleIsolate { buffers, on_lost }) = SINGLE.get() {
        on_lost(buffers.total());
    }
}

/// Ends the process if its only isolate exceeds its limit by far. For threads that compile for it.
#[cfg(target_os = "linux")]
pub fn lose_if_far_over() {
    if SINGLE.get().is_some_and(|single| single.buffers.is_far_over()) {
        end_process();
    }
}
