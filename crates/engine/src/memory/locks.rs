//! Locks of V8 and ICU that the calling thread holds.
//!
//! Most of them belong to the process: the queue of the platform's tasks, or tables of ICU that are made on first use.
//! A thread that never returns must not hold one, so they are counted. The linker redirects functions that take or
//! release a lock to this file (`--wrap`, build.rs). It also redirects functions that begin or end a one-time
//! initialization that other threads wait for.

use std::cell::Cell;

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
}

/// No frame of V8 is on the calling thread's stack, so it holds no lock.
pub fn forget() {
    HELD.set(0);
}

/// Whether the calling thread holds no lock of V8 or ICU and can be stopped for good.
pub fn holds_none() -> bool {
    // A thread that is ending is not stopped.
    HELD.try_with(Cell::get) == Ok(0)
}

#[cfg(target_os = "linux")]
mod wrappers;
