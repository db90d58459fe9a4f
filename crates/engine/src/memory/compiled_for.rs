//! The isolate for which a thread without an isolate compiles.

use std::cell::RefCell;
use std::sync::Arc;

use crate::memory::budget::BufferBudget;
use crate::memory::zones::Zones;

thread_local! {
    static COMPILED_FOR: RefCell<Option<Arc<BufferBudget>>> = const { RefCell::new(None) };
}

/// Declares that the calling thread compiles for the isolate of `buffers`, until the thread ends.
pub fn set(buffers: Arc<BufferBudget>) {
    COMPILED_FOR.set(Some(buffers));
}

/// Calls `work` with the zones of the isolate that the calling thread compiles for, if there is one.
pub fn with_zones(work: impl FnOnce(&Zones)) -> Option<()> {
    // A thread that is ending compiles no more.
    COMPILED_FOR.try_with(|buffers| buffers.borrow().as_ref().map(|buffers| work(&buffers.zones))).ok().flatten()
}
