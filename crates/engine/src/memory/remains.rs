//! What the allocator keeps for a thread whose isolate is gone.

use std::sync::Arc;

use crate::memory::budget::BufferBudget;

/// Bytes of a program from which on its syntax tree leaves much. 128 KiB.
const LARGE_PROGRAM_BYTES: usize = 128 << 10;
/// And of zones. 8 MiB.
const LARGE_ZONES_BYTES: usize = 8 << 20;

/// When this is dropped, the system gets back what may be much.
pub struct Remains {
    buffers: Arc<BufferBudget>,
    /// Bytes of the longest program.
    longest: usize,
}

impl Remains {
    pub fn new(buffers: Arc<BufferBudget>) -> Self {
        Self { buffers, longest: 0 }
    }

    /// A program of this length has been prepared.
    pub fn note_program(&mut self, bytes: usize) {
        self.longest = self.longest.max(bytes);
    }
}

impl Drop for Remains {
    fn drop(&mut self) {
        if self.longest > LARGE_PROGRAM_BYTES || self.buffers.zones.peak() > LARGE_ZONES_BYTES {
            #[cfg(all(target_os = "linux", target_env = "gnu"))]
            // SAFETY: this may be called at any time; the argument is what is kept of the main thread's memory.
            unsafe {
                libc::malloc_trim(0);
            }
        }
    }
}
