//! What a process gives up before it runs code that nobody trusts. Each step is for good: no later step, and no guest, gets anything back.
//!
//! The order matters. [`leave_host`] and [`close_files`] come while the process has one thread, since landlock holds for the
//! calling thread and those that it starts later. [`close_kernel`] comes when an isolate has been warmed up: V8 starts its
//! threads and reads about the machine once, and the filter is put on all threads together.

use std::path::PathBuf;

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;
mod limits;

#[cfg(target_os = "linux")]
pub use limits::die_with;
pub use limits::{leave_host, limit_resources};

/// A folder that stays within reach.
#[derive(Clone, Debug)]
pub struct Reach {
    pub folder: PathBuf,
    pub is_writable: bool,
}

/// landlock: takes all files but those in `reach`, TCP, and signals and abstract sockets out of the process away from the calling
/// thread and those that it starts from now on. False: the system cannot do that.
pub fn close_files(reach: &[Reach]) -> bool {
    #[cfg(target_os = "linux")]
    return files::close(reach);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = reach;
        false
    }
}

/// seccomp: takes the system calls that a warm isolate with these folders does not need away from all threads. False: the system
/// cannot do that.
pub fn close_kernel(reach: &[Reach]) -> bool {
    #[cfg(target_os = "linux")]
    return calls::close(reach);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = reach;
        false
    }
}
