//! Time and memory that work on an input may take.

use std::time::Duration;

use cpu_time::ThreadTime;
use peak_alloc::PeakAlloc;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// What work may take: a constant, and a part that is linear in the input.
pub struct Bounds {
    pub time: Duration,
    pub time_per_byte: Duration,
    pub heap_bytes: usize,
    pub heap_bytes_per_byte: usize,
}

/// Runs `work` on an input of `length` bytes. Heap is that of the whole process: nothing else may run meanwhile.
///
/// # Panics
///
/// When `work` took more than `bounds`.
pub fn within<R>(bounds: &Bounds, length: usize, work: impl FnOnce() -> R) -> R {
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    // Time of this thread, so that a busy machine does not count.
    let started = ThreadTime::now();
    let result = work();
    let (time, heap) = (started.elapsed(), HEAP.peak_usage().saturating_sub(before));
    let most_time = bounds.time + bounds.time_per_byte * length as u32;
    let most_heap = bounds.heap_bytes + bounds.heap_bytes_per_byte * length;
    assert!(time <= most_time, "{time:?} for {length} bytes, more than {most_time:?}");
    assert!(heap <= most_heap, "{heap} bytes of heap for {length} bytes, more than {most_heap}");
    result
}
