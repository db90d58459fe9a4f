//! A limit on the memory that writing one value may take.
//!
//! V8's serializer writes a string each time it occurs, so a small heap can stand for any number of bytes: an array of
//! 100,000 references to one string of a megabyte. The serializer grows its buffer through Rust's allocator, and treats
//! a refused allocation as an error of the value. The limit is therefore in the allocator. A getter of the value may
//! cause another value to be written meanwhile, and so on: all writes under way on a thread share the limit.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Allocations up to this size are never checked. 1 MiB.
const UNCHECKED_BYTES: usize = 1 << 20;
/// Smaller blocks are not counted. 4 KiB.
const UNCOUNTED_BYTES: usize = 4 << 10;

thread_local! {
    /// The largest allocation that this thread may make; `usize::MAX` outside [`with_limit`].
    static LARGEST: Cell<usize> = const { Cell::new(usize::MAX) };
    /// Bytes held by writes within [`with_limit`] on this thread.
    static HELD: Cell<usize> = const { Cell::new(0) };
    /// Allocations that were refused to this thread.
    static REFUSALS: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator. It refuses the allocations that [`with_limit`] forbids to the thread. The limit exists only
/// in programs that make this their global allocator.
pub struct Limited;

// SAFETY: everything is passed on to `System`, or refused as a full memory would refuse it.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the same.
        counted(0, layout.size(), || unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the same.
        counted(0, layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's contract is the same.
        counted(layout.size(), size, || unsafe { System.realloc(block, layout, size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if layout.size() > UNCOUNTED_BYTES && largest() != usize::MAX {
            hold(layout.size(), 0);
        }
        // SAFETY: the caller's contract is the same.
        unsafe { System.dealloc(block, layout) }
    }
}

/// The limit of this thread. A thread that is ending has no limit.
fn largest() -> usize {
    LARGEST.try_with(Cell::get).unwrap_or(usize::MAX)
}

/// Lets `allocate` replace a block of `before` bytes by one of `size` bytes, or refuses it.
fn counted(before: usize, size: usize, allocate: impl FnOnce() -> *mut u8) -> *mut u8 {
    if before.max(size) <= UNCOUNTED_BYTES || largest() == usize::MAX {
        return allocate();
    }
    let held = HELD.try_with(Cell::get).unwrap_or(0);
    if size > UNCHECKED_BYTES && held.saturating_sub(before).saturating_add(size) > largest() {
        refuse();
        return std::ptr::null_mut();
    }
    let block = allocate();
    if !block.is_null() {
        hold(before, size);
    }
    block
}

/// Counts that a block of `before` bytes has become one of `size` bytes.
fn hold(before: usize, size: usize) {
    let counts = |bytes: usize| if bytes > UNCOUNTED_BYTES { bytes } else { 0 };
    // Blocks that existed before the limit was set may be freed within it.
    let _ = HELD.try_with(|held| held.set((held.get() + counts(size)).saturating_sub(counts(before))));
}

fn refuse() {
    let _ = REFUSALS.try_with(|refusals| refusals.set(refusals.get() + 1));
}

/// Restores the previous limit.
struct Restore {
    largest: usize,
    held: usize,
}

impl Drop for Restore {
    fn drop(&mut self) {
        LARGEST.set(self.largest);
        HELD.set(self.held);
    }
}

/// Calls `write`. Within it, blocks may hold no more than a buffer for `max_bytes` bytes needs while it grows, together
/// with those of the writes of this thread that contain it. Rust code that allocates within it must be prepared for
/// refusal, or use [`without_limit`]. `None`: the outer writes already hold too much. The second value: whether an
/// allocation was refused.
pub fn with_limit<R>(max_bytes: usize, write: impl FnOnce() -> R) -> (Option<R>, bool) {
    // V8 doubles the buffer when it is full.
    let limit = max_bytes.saturating_mul(2).max(UNCHECKED_BYTES);
    let held = HELD.get();
    if held > limit {
        return (None, true);
    }
    let before = REFUSALS.get();
    // The result belongs to the caller afterwards.
    let _restore = Restore { largest: LARGEST.replace(limit), held };
    let result = write();
    (Some(result), REFUSALS.get() != before)
}

/// Calls `work` without the limit of the calling code.
pub fn without_limit<R>(work: impl FnOnce() -> R) -> R {
    let _restore = Restore { largest: LARGEST.replace(usize::MAX), held: HELD.get() };
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
        let (done, refused) = with_limit(2 << 20, || {
            assert!(can_allocate(4 << 20));
            assert!(!can_allocate(8 << 20));
            without_limit(|| assert!(can_allocate(8 << 20)));
            assert!(!can_allocate(8 << 20));
        });
        assert!(done.is_some() && refused);
        assert!(can_allocate(8 << 20));
    }

    #[test]
    fn writes_within_writes_share_the_limit() {
        // Each level is a getter that causes the next write, while the level holds what it has written so far.
        fn nested(bytes: usize, depth: usize) -> usize {
            let mut block = Vec::<u8>::new();
            if block.try_reserve_exact(bytes).is_err() || depth == 0 {
                return 0;
            }
            1 + without_limit(|| with_limit(4 << 20, || nested(bytes, depth - 1)).0.unwrap_or(0))
        }
        assert_eq!(with_limit(4 << 20, || nested(3 << 20, 10)).0, Some(2));
        assert_eq!(with_limit(4 << 20, || nested(64 << 10, 1_000)).0, Some(129));
        assert!(can_allocate(8 << 20));
    }

    #[test]
    fn small_allocations_are_never_refused() {
        assert_eq!(with_limit(0, || can_allocate(UNCHECKED_BYTES)), (Some(true), false));
    }
}
