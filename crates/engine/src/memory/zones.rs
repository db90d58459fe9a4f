//! Zones of V8: memory that its parsers and compilers allocate piece by piece and free as a whole. segments.rs counts
//! them.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of the zones of one isolate. Changed by its thread and by threads that compile for it (compiled_for.rs,
/// single_isolate.rs).
#[derive(Default)]
pub struct Zones {
    bytes: AtomicUsize,
    /// The highest value so far.
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
        // Segments that existed before the isolate's account was opened were not added.
        let rest = |sum: usize| Some(sum.saturating_sub(bytes));
        let _ = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest);
    }
}
