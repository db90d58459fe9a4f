//! Zones of V8: what its parsers and compilers allocate and free as a whole. segments.rs counts them.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of the zones of one isolate. Changed by its thread, and by those that compile for it (compiled_for.rs, single_isolate.rs).
#[derive(Default)]
pub struct Zones {
    bytes: AtomicUsize,
    /// The most there were at a time.
    peak: AtomicUsize,
}

impl Zones {
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    pub fn peak(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }

    #[cfg(target_os = "linux")]
    pub fn add(&self, bytes: usize) {
        let sum = self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.fetch_max(sum, Ordering::Relaxed);
    }

    #[cfg(target_os = "linux")]
    pub fn take(&self, bytes: usize) {
        // What was there before the isolate's account was opened has not been added.
        let rest = |sum: usize| Some(sum.saturating_sub(bytes));
        let _ = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest);
    }
}
