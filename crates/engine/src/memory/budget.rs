//! What one isolate holds outside of its heap: array buffers, other memory that the host gives it, what V8 and ICU take.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::memory::usage::Usage;
use crate::memory::zones::Zones;

/// What the allocator keeps beside the bytes of an array buffer, and rounds up.
const BUFFER_OVERHEAD_BYTES: usize = 32;

/// Less than one of so many parts of a limit makes no difference to it.
const LITTLE: usize = 16;

/// What an isolate may hold outside of its heap beyond its limit until its thread is parked.
const NATIVE_EXCESS_BYTES: usize = 32 << 20;
/// What it may hold with its heap.
const EXCESS_BYTES: usize = 48 << 20;

/// Bytes of array buffers that an isolate may hold, and what it holds.
pub struct BufferBudget {
    pub(super) limit: usize,
    pub(super) used: AtomicUsize,
    /// What V8 and ICU hold for the isolate outside of its heap. Never refused.
    pub(super) native: Usage,
    /// What it is parsed and compiled with. Never refused.
    pub zones: Zones,
    /// The heap after its last full collection.
    pub(super) heap: AtomicUsize,
    /// An allocation has been refused since the guard looked.
    pub(super) refused: AtomicBool,
}

impl BufferBudget {
    /// A budget of `limit` bytes.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            used: AtomicUsize::new(0),
            native: Usage::new(),
            zones: Zones::default(),
            heap: AtomicUsize::new(0),
            refused: AtomicBool::new(false),
        })
    }

    /// What the isolate may hold.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Whether so many bytes make no difference to the limit.
    pub(super) fn is_little(&self, bytes: usize) -> bool {
        bytes < self.limit / LITTLE
    }

    /// What V8 and ICU hold for the isolate outside of its heap, array buffers not included.
    pub fn native_bytes(&self) -> usize {
        self.native.bytes() + self.zones.bytes()
    }

    /// What the isolate holds outside of V8's heap.
    pub fn outside(&self) -> usize {
        self.used.load(Ordering::Relaxed) + self.native_bytes()
    }

    /// What the isolate holds, its heap as the last full collection left it.
    pub fn total(&self) -> usize {
        self.heap.load(Ordering::Relaxed) + self.outside()
    }

    /// Whether the isolate holds far more than its limit outside of its heap.
    pub fn is_far_over(&self) -> bool {
        self.is_far_over_with(0, self.heap.load(Ordering::Relaxed))
    }

    /// The same with `bytes` more, and a heap of so many.
    pub(super) fn is_far_over_with(&self, bytes: usize, heap: usize) -> bool {
        let outside = self.outside() + bytes;
        // V8 itself sees to the heap as long as that is what is too large.
        outside > NATIVE_EXCESS_BYTES
            && (outside > self.limit + NATIVE_EXCESS_BYTES || heap + outside > self.limit + EXCESS_BYTES)
    }

    /// An array buffer has been refused.
    pub fn note_refusal(&self) {
        self.refused.store(true, Ordering::Relaxed);
    }

    /// Counts an array buffer, or the text of a string, of `length` bytes outside of the heap. False: there is no room.
    pub(super) fn take(&self, length: usize) -> bool {
        let others = self.heap.load(Ordering::Relaxed) + self.native_bytes();
        let cost = length.saturating_add(BUFFER_OVERHEAD_BYTES);
        let add = |used: usize| {
            used.checked_add(cost).filter(|sum| sum.checked_add(others).is_some_and(|all| all <= self.limit))
        };
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok()
    }

    /// Takes back what was counted.
    pub fn release(&self, length: usize) {
        self.used.fetch_sub(length + BUFFER_OVERHEAD_BYTES, Ordering::Relaxed);
    }
}
