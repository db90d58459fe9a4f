//! Memory of one isolate outside its heap: array buffers, other memory from the host, and allocations of V8 and ICU.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::memory::usage::Usage;
use crate::memory::zones::Zones;

/// The allocator's overhead and rounding for an array buffer.
const BUFFER_OVERHEAD_BYTES: usize = 32;

/// An amount smaller than this fraction of a limit makes no difference to it.
const LITTLE: usize = 16;

/// Bytes outside the heap by which an isolate may exceed its limit before its thread is parked.
const NATIVE_EXCESS_BYTES: usize = 32 << 20;
/// Bytes including the heap by which it may exceed the limit.
const EXCESS_BYTES: usize = 48 << 20;

/// Bytes of array buffers that an isolate may hold, and its current use.
pub struct BufferBudget {
    pub(super) limit: usize,
    pub(super) used: AtomicUsize,
    /// Memory of V8 and ICU for the isolate outside its heap. Never refused.
    pub(super) native: Usage,
    /// Memory for parsing and compiling. Never refused.
    pub zones: Zones,
    /// The size of the heap after its last full collection.
    pub(super) heap: AtomicUsize,
    /// An allocation was refused since the guard last checked.
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

    /// The most bytes that the isolate may hold.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Whether this many bytes make no difference to the limit.
    pub(super) fn is_little(&self, bytes: usize) -> bool {
        bytes < self.limit / LITTLE
    }

    /// Memory of V8 and ICU for the isolate outside its heap, without array buffers.
    pub fn native_bytes(&self) -> usize {
        self.native.bytes() + self.zones.bytes()
    }

    /// All memory of the isolate outside V8's heap.
    pub fn outside(&self) -> usize {
        self.used.load(Ordering::Relaxed) + self.native_bytes()
    }

    /// All memory of the isolate. The heap counts as the last full collection left it.
    pub fn total(&self) -> usize {
        self.heap.load(Ordering::Relaxed) + self.outside()
    }

    /// Whether the isolate exceeds its limit by far outside its heap.
    pub fn is_far_over(&self) -> bool {
        self.is_far_over_with(0, self.heap.load(Ordering::Relaxed))
    }

    /// The same with `bytes` more and a heap of `heap` bytes.
    pub(super) fn is_far_over_with(&self, bytes: usize, heap: usize) -> bool {
        let outside = self.outside() + bytes;
        // V8 itself limits the heap as long as the heap is what is too large.
        outside > NATIVE_EXCESS_BYTES
            && (outside > self.limit + NATIVE_EXCESS_BYTES || heap + outside > self.limit + EXCESS_BYTES)
    }

    /// Records that an array buffer was refused.
    pub fn note_refusal(&self) {
        self.refused.store(true, Ordering::Relaxed);
    }

    /// Counts an array buffer, or the characters of a string, of `length` bytes outside the heap. False: there is no
    /// room.
    pub(super) fn take(&self, length: usize) -> bool {
        let others = self.heap.load(Ordering::Relaxed) + self.native_bytes();
        let cost = length.saturating_add(BUFFER_OVERHEAD_BYTES);
        let add = |used: usize| {
            used.checked_add(cost).filter(|sum| sum.checked_add(others).is_some_and(|all| all <= self.limit))
        };
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok()
    }

    /// Subtracts bytes that were counted.
    pub fn release(&self, length: usize) {
        self.used.fetch_sub(length + BUFFER_OVERHEAD_BYTES, Ordering::Relaxed);
    }
}
