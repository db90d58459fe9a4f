//! A bound on the memory that writing one value may take.
//!
//! V8's serializer writes a string as often as it occurs, so that a small heap can stand for any number of bytes: an
//! array of 100,000 references to one string of a megabyte. It grows its buffer through Rust's allocator, and takes a
//! refused allocation for an error of the value; so that is where the bound is.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Allocations up to this size are never looked at. 1 MiB.
const UNCHECKED_BYTES: usize = 1 << 20;

thread_local! {
    /// The largest allocation that this thread may make; `usize::MAX` outside of [`with_limit`].
    static LARGEST: Cell<usize> = const { Cell::new(usize::MAX) };
    /// Allocations that were refused to this thread.
    static REFUSALS: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, which refuses what [`with_limit`] forbids to its thread. Only whoever makes it the global one has
/// the limit.
pub struct Limited;

// SAFETY: everything is passed on to `System`, or refused as a full memory would refuse it.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's contract is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's contract is the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if is_refused(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's contract is the same.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is the same.
        unsafe { System.dealloc(block, layout) }
    }
}

fn is_refused(size: usize) -> bool {
    // A thread that is ending has no limit any more.
    let refused = size > UNCHECKED_BYTES && LARGEST.try_with(|largest| size > largest.get()).unwrap_or(false);
    if refused {
        let _ = REFUSALS.try_with(|refusals| refusals.set(refusals.get() + 1));
    }
    refused
}

/// Restores the limit that was in force before.
struct Restore(usize);

impl Drop for Restore {
    fn drop(&mut self) {
        LARGEST.set(self.0);
    }
}

/// Calls `write`, in which no single allocation may be larger than a buffer for `max_bytes` bytes needs while it
/// grows. Rust code that allocates within must be prepared for refusal, or use [`without_limit`].
/// The second value: whether an allocation was refused.
pub fn with_limit<R>(max_bytes: usize, write: impl FnOnce() -> R) -> (R, bool) {
    let before = REFUSALS.get();
    // V8 doubles the buffer when it is full.
    let _restore = Restore(LARGEST.replace(max_bytes.saturating_mul(2).max(UNCHECKED_BYTES)));
    let result = write();
    (result, REFUSALS.get() != before)
}

/// Calls `work` without the limit that a caller of this function is under.
pub fn without_limit<R>(work: impl FnOnce() -> R) -> R {
    let _restore = Restore(LARGEST.replace(usize::MAX));
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[global_allocator]
    static ALLOCATOR: Limited = Limited;

    fn can_allocate(bytes: usize) -> bool {
        Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
    }

    #[test]
    fn large_allocations_are_refused_within_only() {
        assert!(can_allocate(8 << 20));
        let ((), refused) = with_limit(2 << 20, || {
            assert!(can_allocate(4 << 20));
            assert!(!can_allocate(8 << 20));
            without_limit(|| assert!(can_allocate(8 << 20)));
            assert!(!can_allocate(8 << 20));
        });
        assert!(refused);
        assert!(can_allocate(8 << 20));
    }

    #[test]
    fn small_allocations_are_never_refused() {
        assert_eq!(with_limit(0, || can_allocate(UNCHECKED_BYTES)), (true, false));
    }
}
