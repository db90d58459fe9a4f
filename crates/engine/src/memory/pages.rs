//! Pages of memory, as the system maps and takes them back.

use std::ptr::NonNull;

pub const PAGE_BYTES: usize = 4_096;

/// The pages that lie wholly within `bytes` from `start`: the address of the first and their size in bytes.
pub fn within(start: NonNull<u8>, bytes: usize) -> (NonNull<u8>, usize) {
    let skipped = start.align_offset(PAGE_BYTES).min(bytes);
    (start.map_addr(|address| address.saturating_add(skipped)), (bytes - skipped) & !(PAGE_BYTES - 1))
}

/// Returns pages to the system. They read as zeros afterwards. Does nothing if the memory is locked.
///
/// # Safety
/// The caller owns the pages, and nothing in them is needed.
pub unsafe fn give_back(first: NonNull<u8>, bytes: usize) {
    // SAFETY: the caller's contract is the same.
    unsafe { libc::madvise(first.as_ptr().cast(), bytes, libc::MADV_DONTNEED) };
}

/// The number of these pages that are resident.
pub fn resident<const PAGES: usize>(first: NonNull<u8>) -> usize {
    let mut pages = [0_u8; PAGES];
    // SAFETY: the system writes a byte for each page, and reads no memory of the process.
    let is_known = unsafe { libc::mincore(first.as_ptr().cast(), PAGES * PAGE_BYTES, pages.as_mut_ptr()) == 0 };
    if is_known { pages.iter().filter(|&page| page & 1 != 0).count() } else { 0 }
}
