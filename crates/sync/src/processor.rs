//! Processors.

use std::sync::OnceLock;
use std::thread;

/// Stands for no processor.
pub const UNKNOWN: i32 = -1;

/// The processor that the calling thread is on, without a system call. [`UNKNOWN`] if the system does not say.
pub fn current() -> i32 {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: the call takes no arguments and touches no memory of ours.
        unsafe { libc::sched_getcpu() }
    }
    #[cfg(not(target_os = "linux"))]
    UNKNOWN
}

/// The number of processors that this process may use.
pub fn count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}
