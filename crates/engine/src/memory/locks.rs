//! Locks of V8 and ICU that the calling thread holds.
//!
//! Most of them are of the process: the queue of the platform's tasks, tables of ICU that are made when they are first
//! needed. A thread that never returns must not hold one, so they are counted: the linker sends here (`--wrap`, build.rs)
//! what takes and gives back a lock, and what begins and ends something that is made once, which others wait for.

use std::cell::Cell;

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
}

/// Nothing of V8 is on the calling thread's stack: it holds no lock.
pub fn forget() {
    HELD.set(0);
}

/// Whether the calling thread can be stopped for good as far as V8's and ICU's locks are concerned.
pub fn holds_none() -> bool {
    // A thread that is ending is not stopped.
    HELD.try_with(Cell::get) == Ok(0)
}

#[cfg(target_os = "linux")]
mod wrappers;
