//! Memory of V8 and ICU outside the heap, which V8 does not count. A formatter of 100 bytes on the heap holds 20 KB of
//! ICU. An empty array buffer holds 150 bytes of C++, and the JSON parser a separate stack.
//!
//! The thread that allocates counts it for its isolate. Nothing is refused, because V8 aborts the process if an
//! allocation fails. Beyond a threshold, the isolate collects at its next check and is then held to its limit.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The count of bytes for one isolate, in a separate cache line.
#[repr(align(64))]
pub struct Counter(AtomicUsize);

impl Counter {
    /// Adds the size of a block and returns the sum.
    fn add(&self, bytes: usize) -> usize {
        self.0.fetch_add(bytes, Ordering::Relaxed) + bytes
    }

    /// Subtracts bytes that [`Account::charge`] has counted.
    pub fn take(&self, bytes: usize) {
        self.0.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Counters of isolates that are gone. A counter is never freed, so blocks need no reference counts. It is reused only
/// after the last block that it counts was freed.
static RETIRED: Mutex<Vec<&Counter>> = Mutex::new(Vec::new());

/// Memory of an isolate outside its heap, without array buffers.
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

/// Counts allocations of the isolate's thread outside the heap, until a check is needed.
pub struct Account {
    used: &'static Counter,
    /// If more than this is used, the isolate is asked to collect, unless it was asked already.
    threshold: Cell<usize>,
    asked: Cell<bool>,
}

impl Account {
    /// An account of `usage`. The caller keeps `usage` as long as the account.
    pub fn new(usage: &Usage, threshold: usize) -> Self {
        Self { used: usage.0, threshold: Cell::new(threshold), asked: Cell::new(false) }
    }

    /// Counts `bytes`. Also returns whether the isolate must be asked to collect.
    pub fn charge(&self, bytes: usize) -> (&'static Counter, bool) {
        let total = self.used.add(bytes);
        (self.used, total > self.threshold.get() && !self.asked.replace(true))
    }

    /// Whether the use exceeds the threshold at which the isolate was asked to collect.
    pub fn is_above_threshold(&self) -> bool {
        self.used.0.load(Ordering::Relaxed) > self.threshold.get()
    }

    /// Asks again when the use exceeds the amount after a collection by `step` bytes.
    pub fn rearm_after_collection(&self, step: usize) {
        self.threshold.set(self.used.0.load(Ordering::Relaxed) + step);
        self.rearm();
    }

    /// Asks again beyond the same threshold. The excess was temporary, and much of the rest may be garbage.
    pub fn rearm(&self) {
        self.asked.set(false);
    }
}
