//! Memory that V8 and ICU take outside of the heap, which V8 does not count: a formatter of 100 bytes on the heap holds
//! 20 KB of ICU, an empty array buffer 150 bytes of C++, the parser of JSON a stack of its own.
//!
//! It is counted per isolate, by the thread that allocates. Nothing is refused, since V8 aborts the process when it gets
//! nothing; beyond a threshold the isolate collects at its next check and is then held to its limit.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bytes that are counted for one isolate. In a cache line of its own.
#[repr(align(64))]
pub struct Counter(AtomicUsize);

impl Counter {
    /// Adds what a block takes, and returns the sum.
    fn add(&self, bytes: usize) -> usize {
        self.0.fetch_add(bytes, Ordering::Relaxed) + bytes
    }

    /// Takes back what [`Account::charge`] has counted.
    pub fn take(&self, bytes: usize) {
        self.0.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Counters of isolates that are gone. A counter is never freed, so that blocks need no count of references, and not used
/// again before the last block that it counts is free.
static RETIRED: Mutex<Vec<&Counter>> = Mutex::new(Vec::new());

/// What an isolate holds outside of its heap, array buffers not included.
pub struct Usage(&'static Counter);

impl Usage {
    pub fn new() -> Self {
        let mut retired = RETIRED.lock().unwrap_or_else(PoisonError::into_inner);
        let free = retired.iter().position(|Counter(bytes)| bytes.load(Ordering::Relaxed) == 0);
        Self(match free {
            Some(index) => retired.swap_remove(index),
            None => Box::leak(Box::new(Counter(AtomicUsize::new(0)))),
        })
    }

    pub fn bytes(&self) -> usize {
        self.0.0.load(Ordering::Relaxed)
    }
}

impl Drop for Usage {
    fn drop(&mut self) {
        RETIRED.lock().unwrap_or_else(PoisonError::into_inner).push(self.0);
    }
}

/// What the isolate's thread allocates outside of the heap, counted until somebody must look.
pub struct Account {
    used: &'static Counter,
    /// Use beyond which the isolate is asked to collect, unless it has been asked already.
    threshold: Cell<usize>,
    asked: Cell<bool>,
}

impl Account {
    /// An account of `usage`, which the caller keeps for as long.
    pub fn new(usage: &Usage, threshold: usize) -> Self {
        Self { used: usage.0, threshold: Cell::new(threshold), asked: Cell::new(false) }
    }

    /// Counts `bytes`. Also returns whether the isolate has to be asked to collect.
    pub fn charge(&self, bytes: usize) -> (&'static Counter, bool) {
        let total = self.used.add(bytes);
        (self.used, total > self.threshold.get() && !self.asked.replace(true))
    }

    /// Whether more is used than when the isolate was asked to collect.
    pub fn is_above_threshold(&self) -> bool {
        self.used.0.load(Ordering::Relaxed) > self.threshold.get()
    }

    /// Asks again when `step` more bytes are used than a collection has left.
    pub fn rearm_after_collection(&self, step: usize) {
        self.threshold.set(self.used.0.load(Ordering::Relaxed) + step);
        self.rearm();
    }

    /// Asks again beyond the same threshold: what was above it was for a moment, and much of the rest may be garbage.
    pub fn rearm(&self) {
        self.asked.set(false);
    }
}
