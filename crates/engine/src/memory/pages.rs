//! Pages of memory, as the system gives and takes them.

use std::ptr::NonNull;

pub const PAGE_BYTES: usize = 4_096;

/// The pages that are wholly within `bytes` from `start`: where the first begins, and their bytes.
pub fn within(start: NonNull<u8>, bytes: usize) -> (NonNull<u8>, usize) {
    let skipped = start.align_offset(PAGE_BYTES).min(bytes);
    (start.map_addr(|address| address.saturating_add(skipped)), (bytes - skipped) & !(PAGE_BYTES - 1))
}

/// Gives pages back to the system, after which they are zeros. Where memory is locked, nothing happens.
///
/// # Safety
/// The pages are the caller's, and nothing in them is needed.
pub unsafe fn give_back(first: NonNull<u8>, bytes: usize) {
    // SAFETY: the caller's contract is the same.
    unsafe { libc::madvise(first.as_ptr().cast(), bytes, libc::MADV_DONTNEED) };
}

/// How many of so many pages are in memory.
pub fn resident<const PAGES: usize>(first: NonNull<u8>) -> usize {
    let mut pages = [0_u8; PAGES];
    // SAFETY: the system writes a byte for each page, and looks at no memory of the process.
    let is_known = unsafe { libc::mincore(first.as_ptr().cast(), PAGES * PAGE_BYTES, pages.as_mut_ptr()) == 0 };
    if is_known { pages.iter().filter(|&page| page & 1 != 0).count() } else { 0 }
}
