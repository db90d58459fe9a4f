//! Memory that the allocator keeps for a thread whose isolate is gone.

use std::sync::Arc;

use crate::memory::budget::BufferBudget;

/// The syntax tree of a program of this size leaves much memory. 128 KiB.
const LARGE_PROGRAM_BYTES: usize = 128 << 10;
/// Zones of this size do too. 8 MiB.
const LARGE_ZONES_BYTES: usize = 8 << 20;

/// When dropped on the isolate's thread, returns memory to the system if there may be much of it.
pub struct ThreadLeftovers {
    buffers: Arc<BufferBudget>,
    /// Bytes of the longest program.
    longest: usize,
}

impl ThreadLeftovers {
    pub fn new(buffers: Arc<BufferBudget>) -> Self {
        Self { buffers, longest: 0 }
    }

    /// Records the length of a program that was prepared.
    pub fn note_program(&mut self, bytes: usize) {
        self.longest = self.longest.max(bytes);
    }
}

impl Drop for ThreadLeftovers {
    fn drop(&mut self) {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        {
            let is_large = arena::may_be_large();
            let has_compiled_much = self.longest > LARGE_PROGRAM_BYTES || self.buffers.zones.peak() > LARGE_ZONES_BYTES;
            if has_compiled_much || (is_large && trims::is_due()) {
                give_back_all();
            } else if is_large {
                arena::give_back();
            }
        }
    }
}

/// Returns the free memory of the calling thread's arena to the system. Other threads use the arena after this one has
/// ended.
#[cfg(target_os = "linux")]
pub fn give_back() {
    #[cfg(target_env = "gnu")]
    arena::give_back();
}

/// The same, and the free memory within all arenas.
#[cfg(target_os = "linux")]
pub fn give_back_all() {
    #[cfg(target_env = "gnu")]
    {
        arena::give_back();
        // SAFETY: this may be called whenever the thread is not in the allocator. The argument is the number of bytes
        // of the main thread's memory to keep.
        unsafe { libc::malloc_trim(0) };
    }
}

/// When all arenas were last trimmed. Much of the memory for the host's values is freed only after the isolate's end.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod trims {
    use std::sync::Mutex;
    use std::time::{Duration, Instant};

    /// The least time between two trims: each scans the free memory of the whole process.
    const PAUSE: Duration = Duration::from_secs(1);

    /// Whether the last trim was long ago. If so, the caller makes the next one.
    pub fn is_due() -> bool {
        static LAST: Mutex<Option<Instant>> = Mutex::new(None);
        let Ok(mut last) = LAST.try_lock() else { return false };
        let is_due = last.is_none_or(|last| last.elapsed() > PAUSE);
        if is_due {
            *last = Some(Instant::now());
        }
        is_due
    }
}

/// The arena of the calling thread. glibc returns the end of an arena only if that is longer than a threshold. The
/// threshold follows the largest block that was ever freed, up to 64 MiB. `malloc_trim` skips the ends of all arenas
/// except the main one.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod arena {
    use std::ffi::c_void;
    use std::mem::MaybeUninit;
    use std::ptr::{self, NonNull};

    use crate::memory::pages::{self, PAGE_BYTES};

    /// Just below 1 MiB.
    const BLOCK_BYTES: usize = (1 << 20) - 64;
    /// As many as fit into an arena's 64 MiB.
    const MAX_BLOCKS: usize = 64;
    /// Pages that lie within a block, wherever it begins.
    const BLOCK_PAGES: usize = BLOCK_BYTES / PAGE_BYTES - 1;
    /// Pages of a thread that leaves much memory. An isolate with a small program needs about 500.
    const LARGE_PAGES: i64 = 600;

    /// Whether the thread has used so much memory that checking its arena may be worth it.
    pub fn may_be_large() -> bool {
        let mut usage = MaybeUninit::<libc::rusage>::uninit();
        // SAFETY: the system writes the whole structure, or reports that it has not.
        unsafe {
            libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) == 0 && usage.assume_init().ru_minflt > LARGE_PAGES
        }
    }

    /// Allocates blocks from free memory, returns their pages to the system, and frees them.
    pub fn give_back() {
        let mut blocks = [ptr::null_mut::<c_void>(); MAX_BLOCKS];
        for block in &mut blocks {
            // SAFETY: `malloc` may be called with any size.
            *block = unsafe { libc::malloc(BLOCK_BYTES) };
            let Some(start) = NonNull::new(*block) else { break };
            if is_mapping(start) {
                // No block this large was ever freed, so glibc itself returns the ends of arenas.
                break;
            }
            give_back_pages(start.cast());
        }
        for block in blocks {
            // SAFETY: the pointer is null, or came from `malloc` and is used nowhere else.
            unsafe { libc::free(block) };
        }
    }

    /// Whether a block is a separate mapping. A block of an arena may use eight bytes of the next block, so its usable
    /// size is not a multiple of 16.
    fn is_mapping(block: NonNull<c_void>) -> bool {
        // SAFETY: the block came from `malloc`.
        unsafe { libc::malloc_usable_size(block.as_ptr()) }.is_multiple_of(16)
    }

    fn give_back_pages(block: NonNull<u8>) {
        let (first, bytes) = pages::within(block, BLOCK_BYTES);
        // SAFETY: the pages are within the block, which has not been written to.
        unsafe {
            if pages::resident::<BLOCK_PAGES>(first) > 0 {
                pages::give_back(first, bytes);
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use std::hint::black_box;
        use std::thread;

        use super::*;
        use crate::tests::own_process;

        const BLOCKS: usize = 24;

        /// Arenas are shared. In a separate process, no other test allocates in this one at the same time.
        #[test]
        fn the_end_of_an_arena_is_given_back() {
            match own_process::part() {
                None => assert!(own_process::run(module_path!(), "the_end_of_an_arena_is_given_back", "all").success()),
                Some(_) => thread::spawn(fill_and_give_back).join().expect("it does not panic"),
            }
        }

        fn fill_and_give_back() {
            assert!(!may_be_large());
            // Once a large block was freed, glibc takes such blocks from arenas and keeps their free memory.
            drop(black_box(vec![1_u8; 30 << 20]));
            let blocks: Vec<Vec<u8>> = (0..BLOCKS).map(|_| vec![1; BLOCK_BYTES]).collect();
            let first = |block: &Vec<u8>| pages::within(NonNull::from(block.as_slice()).cast(), BLOCK_BYTES).0;
            let firsts: Vec<_> = blocks.iter().map(first).collect();
            let resident = || firsts.iter().map(|first| pages::resident::<BLOCK_PAGES>(*first)).sum::<usize>();
            assert_eq!(resident(), BLOCKS * BLOCK_PAGES);
            drop(blocks);
            assert_eq!(resident(), BLOCKS * BLOCK_PAGES);
            assert!(may_be_large());
            give_back();
            // If two blocks touch, one page belongs to both.
            let kept = resident();
            assert!(kept <= BLOCKS, "{kept} pages are kept");
        }
    }
}
