//! Number and identity of processors.

use std::sync::OnceLock;
use std::thread;

/// Returned instead of a processor's number if it is not known.
pub const UNKNOWN: i32 = -1;

/// The number of the processor on which the calling thread runs, without a system call. [`UNKNOWN`] if the system does
/// not report it.
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
