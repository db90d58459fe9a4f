//! Processors.

use std::sync::OnceLock;
use std::thread;

/// No processor.
pub const UNKNOWN: i32 = -1;

/// The one that the calling thread is on; [`UNKNOWN`] where the system does not say, which takes no system call.
pub fn current() -> i32 {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: takes nothing and touches no memory of ours.
        unsafe { libc::sched_getcpu() }
    }
    #[cfg(not(target_os = "linux"))]
    UNKNOWN
}

/// How many there are for this process.
pub fn count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}
