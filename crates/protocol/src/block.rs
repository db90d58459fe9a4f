//! Memory whose ownership is passed without copying: from Node.js to an isolate, or the other way.

use std::fmt;
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::ptr::NonNull;
use std::slice;

/// Bytes in front of the data, for the word of the last owner. The data stays aligned for any typed array.
const HEAD_BYTES: usize = 16;

/// Allocations from this size on are populated in advance. 1 MiB.
#[cfg(target_os = "linux")]
const MIN_POPULATED_BYTES: usize = 1 << 20;
/// The smallest page size of any system. On a system with larger pages, the system refuses the advice.
#[cfg(target_os = "linux")]
const PAGE_BYTES: usize = 4_096;

/// Bytes on the heap, allocated by the system and not by Rust's allocator, with room for one word of their last owner.
pub struct Block {
    data: NonNull<u8>,
    len: usize,
}

// SAFETY: a block owns its memory, and nothing in it is bound to a thread.
unsafe impl Send for Block {}

impl Block {
    /// A block of `len` bytes. `fill` writes them and returns how many it has written. `None`: out of memory.
    ///
    /// # Safety
    /// `fill` has written the first bytes of the slice, as many as it returns.
    pub unsafe fn fill(len: usize, fill: impl FnOnce(&mut [MaybeUninit<u8>]) -> usize) -> Option<Self> {
        let bytes = len.checked_add(HEAD_BYTES).filter(|&bytes| isize::try_from(bytes).is_ok())?;
        // SAFETY: `malloc` may be called with any size.
        let head = NonNull::new(unsafe { libc::malloc(bytes) }.cast::<u8>())?;
        populate(head, bytes);
        // SAFETY: the allocation is longer than the head.
        let data = unsafe { head.add(HEAD_BYTES) };
        // SAFETY: `len` bytes follow the head, and no other code has a pointer to them.
        let room = unsafe { slice::from_raw_parts_mut(data.as_ptr().cast(), len) };
        let mut block = Self { data, len: 0 };
        block.len = fill(room).min(len);
        Some(block)
    }

    /// A copy of `bytes`. `None`: out of memory.
    pub fn copy_of(bytes: &[u8]) -> Option<Self> {
        // SAFETY: the whole slice is written.
        unsafe {
            Self::fill(bytes.len(), |room| {
                room.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                bytes.len()
            })
        }
    }

    /// Gives up ownership of the bytes. Stores a word that [`Self::from_raw`] returns.
    pub fn into_raw(self, owner: Option<NonNull<()>>) -> *mut u8 {
        // SAFETY: the head is in front of the data, large enough for a pointer and aligned for it.
        unsafe { self.data.sub(HEAD_BYTES).cast().write(owner) };
        let data = self.data.as_ptr();
        std::mem::forget(self);
        data
    }

    /// Takes back the memory that [`Self::into_raw`] gave up.
    ///
    /// # Safety
    /// `data` comes from `into_raw` of a block of `len` bytes and is not used afterwards.
    pub unsafe fn from_raw(data: *mut u8, len: usize) -> (Self, Option<NonNull<()>>) {
        // SAFETY: `into_raw` has returned a non-null pointer and has written the word.
        unsafe {
            let data = NonNull::new_unchecked(data);
            (Self { data, len }, data.sub(HEAD_BYTES).cast::<Option<NonNull<()>>>().read())
        }
    }
}

/// Makes the system provide the memory of a large allocation in one step. Providing each page at its first write takes
/// about as long as writing it.
pub fn populate(start: NonNull<u8>, bytes: usize) {
    #[cfg(target_os = "linux")]
    if bytes >= MIN_POPULATED_BYTES {
        let skipped = start.align_offset(PAGE_BYTES);
        // SAFETY: the pages are within the allocation, and the call does not change their contents. A system that does
        // not know this advice ignores it.
        unsafe {
            let first = start.add(skipped).as_ptr().cast();
            libc::madvise(first, (bytes - skipped) & !(PAGE_BYTES - 1), libc::MADV_POPULATE_WRITE);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, bytes);
}

impl fmt::Debug for Block {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "Block of {} bytes", self.len)
    }
}

impl Deref for Block {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the block owns `len` bytes, which `fill` has written.
        unsafe { slice::from_raw_parts(self.data.as_ptr(), self.len) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: this pointer was returned by `malloc`.
        unsafe { libc::free(self.data.sub(HEAD_BYTES).as_ptr().cast()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_the_word_of_their_owner_survive_being_given_away() {
        let mut owner = 7u8;
        let owner = NonNull::from(&mut owner).cast::<()>();
        let block = Block::copy_of(b"bytes").expect("memory");
        let data = block.into_raw(Some(owner));
        // SAFETY: the line above gave up ownership.
        let (block, word) = unsafe { Block::from_raw(data, 5) };
        assert_eq!((&*block, word), (b"bytes".as_slice(), Some(owner)));
    }

    #[test]
    fn a_size_that_no_memory_has_is_refused() {
        // SAFETY: the closure returns 0, so it need not write anything.
        assert!(unsafe { Block::fill(usize::MAX, |_| 0) }.is_none());
    }
}
