//! What all executors of the process hold.

use std::sync::atomic::{AtomicU64, Ordering};

use super::pool;

static LIVE: AtomicU64 = AtomicU64::new(0);
static PARKED: AtomicU64 = AtomicU64::new(0);
static PARKED_BYTES: AtomicU64 = AtomicU64::new(0);
static TERMINATED: AtomicU64 = AtomicU64::new(0);

/// A snapshot of the counters.
#[derive(Clone, Copy, Debug)]
pub struct EngineStats {
    /// Isolates of executors that are not parked.
    pub live: u64,
    /// Isolates that are ready and wait for an executor.
    pub warm: u64,
    /// Isolates whose thread was parked, because V8 could not go on without memory.
    pub parked: u64,
    /// Heap and array buffers of the parked isolates, in bytes.
    pub parked_bytes: u64,
    /// Isolates that were given up while they worked: at a deadline, by an abort, by `cleanup()`.
    pub terminated: u64,
}

/// The counters now.
pub fn engine_stats() -> EngineStats {
    EngineStats {
        live: LIVE.load(Ordering::Relaxed),
        warm: pool::warm() as u64,
        parked: parked(),
        parked_bytes: PARKED_BYTES.load(Ordering::Relaxed),
        terminated: TERMINATED.load(Ordering::Relaxed),
    }
}

/// Isolates that are parked.
pub fn parked() -> u64 {
    PARKED.load(Ordering::Relaxed)
}

/// An isolate was given up while it worked.
pub fn count_terminated() {
    TERMINATED.fetch_add(1, Ordering::Relaxed);
}

/// A live isolate is parked: its [`LiveIsolate`] is never dropped.
pub fn count_lost() {
    LIVE.fetch_sub(1, Ordering::Relaxed);
}

/// The isolate of the calling thread is parked with this much memory.
pub fn count_parked(bytes: usize) {
    PARKED.fetch_add(1, Ordering::Relaxed);
    PARKED_BYTES.fetch_add(bytes as u64, Ordering::Relaxed);
}

/// Counts an isolate as live until it is dropped.
#[derive(Debug)]
pub struct LiveIsolate(());

impl LiveIsolate {
    pub fn count() -> Self {
        LIVE.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for LiveIsolate {
    fn drop(&mut self) {
        LIVE.fetch_sub(1, Ordering::Relaxed);
    }
}
