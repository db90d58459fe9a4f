//! Bytes that change hands without being copied: from Node.js into an isolate, or the other way.

use std::mem::MaybeUninit;
use std::ops::Deref;
use std::ptr::NonNull;
use std::slice;

/// In front of the bytes, which so stay aligned for any typed array.
#[repr(C, align(16))]
struct Head {
    /// For the last owner.
    owner: Option<NonNull<()>>,
    /// Bytes of the mapping that the block is; 0: it came from `malloc`.
    mapped: usize,
}

const HEAD_BYTES: usize = size_of::<Head>();

/// Bytes on the heap, outside of the limit of [`super::with_limit`], with a place for one word of their last owner.
pub struct Block {
    data: NonNull<u8>,
    len: usize,
}

// SAFETY: a block owns its memory, and nothing in it belongs to a thread.
unsafe impl Send for Block {}

impl Block {
    /// A block of `len` bytes that `fill` writes, which returns how many of them there are. `None`: no memory.
    ///
    /// # Safety
    /// `fill` has written the first bytes of the slice, as many as it returns.
    pub unsafe fn fill(len: usize, fill: impl FnOnce(&mut [MaybeUninit<u8>]) -> usize) -> Option<Self> {
        // SAFETY: as the caller promises.
        unsafe { Self::fill_by(malloc, len, fill) }
    }

    /// As [`Self::fill`], in huge pages if there are many bytes and the system has such pages. For blocks that are held for
    /// long, so that their memory is rarely used again at once: the first use of each ordinary page takes longer than to
    /// copy it.
    ///
    /// # Safety
    /// As for [`Self::fill`].
    pub unsafe fn fill_huge(len: usize, fill: impl FnOnce(&mut [MaybeUninit<u8>]) -> usize) -> Option<Self> {
        // SAFETY: as the caller promises.
        unsafe { Self::fill_by(map_or_malloc, len, fill) }
    }

    unsafe fn fill_by(
        allocate: fn(usize) -> Option<(NonNull<Head>, usize)>,
        len: usize,
        fill: impl FnOnce(&mut [MaybeUninit<u8>]) -> usize,
    ) -> Option<Self> {
        let bytes = len.checked_add(HEAD_BYTES).filter(|&bytes| isize::try_from(bytes).is_ok())?;
        let (head, mapped) = allocate(bytes)?;
        // SAFETY: the allocation is longer than the head, and aligned for it.
        let data = unsafe {
            head.write(Head { owner: None, mapped });
            head.add(1).cast::<u8>()
        };
        // SAFETY: `len` bytes follow the head, and nobody else knows of them.
        let room = unsafe { slice::from_raw_parts_mut(data.as_ptr().cast(), len) };
        let mut block = Self { data, len: 0 };
        block.len = fill(room).min(len);
        Some(block)
    }

    /// A copy of `bytes`. `None`: no memory.
    pub fn copy_of(bytes: &[u8]) -> Option<Self> {
        // SAFETY: the whole slice is written.
        unsafe {
            Self::fill(bytes.len(), |room| {
                room.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                bytes.len()
            })
        }
    }

    /// Gives the bytes away, with a word that [`Self::from_raw`] returns with them.
    pub fn into_raw(self, owner: Option<NonNull<()>>) -> *mut u8 {
        // SAFETY: the head is in front of the data.
        unsafe { self.head().as_mut().owner = owner };
        let data = self.data.as_ptr();
        std::mem::forget(self);
        data
    }

    /// Takes back what [`Self::into_raw`] gave away.
    ///
    /// # Safety
    /// `data` is from `into_raw` of a block of `len` bytes, and is not used any more.
    pub unsafe fn from_raw(data: *mut u8, len: usize) -> (Self, Option<NonNull<()>>) {
        // SAFETY: `into_raw` has returned no null and has written the word.
        unsafe {
            let block = Self { data: NonNull::new_unchecked(data), len };
            let owner = block.head().as_ref().owner;
            (block, owner)
        }
    }

    fn head(&self) -> NonNull<Head> {
        // SAFETY: the head is in front of the data.
        unsafe { self.data.cast::<Head>().sub(1) }
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
        // SAFETY: this is what was allocated for the block, and nobody uses it any more.
        unsafe { free(self.head()) };
    }
}

/// Memory for `bytes` bytes, head included. The second value: the bytes of its mapping, if it is one.
fn map_or_malloc(bytes: usize) -> Option<(NonNull<Head>, usize)> {
    #[cfg(target_os = "linux")]
    if bytes >= huge::MIN_BYTES
        && let Some((head, mapped)) = huge::map(bytes)
    {
        return Some((head.cast(), mapped));
    }
    malloc(bytes)
}

fn malloc(bytes: usize) -> Option<(NonNull<Head>, usize)> {
    // SAFETY: `malloc` may be called with any size.
    NonNull::new(unsafe { libc::malloc(bytes) }).map(|head| (head.cast(), 0))
}

/// # Safety
/// `head` is of one of the two above, has been written, and is not used any more.
unsafe fn free(head: NonNull<Head>) {
    // SAFETY: as the caller promises.
    unsafe {
        match head.as_ref().mapped {
            0 => libc::free(head.as_ptr().cast()),
            #[cfg(target_os = "linux")]
            mapped => drop(libc::munmap(head.as_ptr().cast(), mapped)),
            #[cfg(not(target_os = "linux"))]
            _ => {}
        }
    }
}

/// Mappings in pages of 2 MiB, as far as the system has them to give.
#[cfg(target_os = "linux")]
mod huge {
    use std::ptr::{self, NonNull};

    const PAGE_BYTES: usize = 2 << 20;
    /// Mappings are multiples of the largest page that a system has ordinarily. 64 KiB.
    const UNIT_BYTES: usize = 64 << 10;
    /// Blocks with a huge page or two.
    pub const MIN_BYTES: usize = 2 * PAGE_BYTES;

    /// A mapping of `bytes` bytes or a few more, which is the second value, aligned for huge pages.
    pub fn map(bytes: usize) -> Option<(NonNull<u8>, usize)> {
        let mapped = bytes.checked_next_multiple_of(UNIT_BYTES)?;
        let room = mapped.checked_add(PAGE_BYTES)?;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping; what is cut off of it is in front of and behind the part that is kept.
        unsafe {
            let start = libc::mmap(ptr::null_mut(), room, access, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0);
            if start == libc::MAP_FAILED {
                return None;
            }
            let before = start.cast::<u8>().align_offset(PAGE_BYTES);
            let kept = start.byte_add(before);
            if before > 0 {
                libc::munmap(start, before);
            }
            if before < PAGE_BYTES {
                libc::munmap(kept.byte_add(mapped), PAGE_BYTES - before);
            }
            libc::madvise(kept, mapped, libc::MADV_HUGEPAGE);
            NonNull::new(kept.cast()).map(|kept| (kept, mapped))
        }
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
        // SAFETY: given away in the line above.
        let (block, word) = unsafe { Block::from_raw(data, 5) };
        assert_eq!((&*block, word), (b"bytes".as_slice(), Some(owner)));
    }

    #[test]
    fn large_blocks_are_as_others() {
        for len in [(4 << 20) - HEAD_BYTES - 1, (4 << 20) - HEAD_BYTES, 10_000_000] {
            let bytes: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
            let mut owner = 7u8;
            let owner = NonNull::from(&mut owner).cast::<()>();
            // SAFETY: all of it is written.
            let block = unsafe {
                Block::fill_huge(len, |room| {
                    room.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), len);
                    len
                })
            };
            let data = block.expect("memory").into_raw(Some(owner));
            assert_eq!(data.align_offset(16), 0);
            // SAFETY: given away in the line above.
            let (block, word) = unsafe { Block::from_raw(data, len) };
            assert_eq!(word, Some(owner));
            assert!(*block == *bytes);
        }
    }

    #[test]
    fn a_size_that_no_memory_has_is_refused() {
        // SAFETY: nothing is said to be written.
        assert!(unsafe { Block::fill(usize::MAX, |_| 0) }.is_none());
    }
}
