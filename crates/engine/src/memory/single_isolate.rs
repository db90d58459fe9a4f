//! The isolate of a process that has no other one. What threads hold that work for some isolate is this one's, and they end the process
//! where the isolate's own thread would be parked. Also what is large is compiled beside the guest.

use std::sync::{Arc, OnceLock};

use crate::memory::budget::BufferBudget;
use crate::memory::zones::Zones;

/// Told on any thread, with the bytes that the isolate holds, when that cannot go on. Ends the process.
pub type OnLost = Box<dyn Fn(usize) + Send + Sync>;

struct SingleIsolate {
    buffers: Arc<BufferBudget>,
    on_lost: OnLost,
}

static SINGLE: OnceLock<SingleIsolate> = OnceLock::new();

/// Says, before V8 is prepared, that the process will never have another isolate than the one of `buffers`.
pub fn declare(buffers: Arc<BufferBudget>, on_lost: OnLost) {
    // That there is no second one is the caller's promise.
    let _ = SINGLE.set(SingleIsolate { buffers, on_lost });
}

/// Whether nobody but one isolate waits for the threads of this process.
pub fn is_declared() -> bool {
    SINGLE.get().is_some()
}

/// What threads compile with that have no isolate.
pub fn zones() -> Option<&'static Zones> {
    SINGLE.get().map(|single| &single.buffers.zones)
}

/// Ends the process, if it has one isolate only: that holds far more than its limit, or there is no memory.
pub fn lose() {
    if let Some(SingleIsolate { buffers, on_lost }) = SINGLE.get() {
        on_lost(buffers.total());
    }
}

/// Ends the process if its only isolate holds far more than its limit. For threads that compile for it.
#[cfg(target_os = "linux")]
pub fn lose_if_far_over() {
    if SINGLE.get().is_some_and(|single| single.buffers.is_far_over()) {
        lose();
    }
}
