//! What a process gives up before it runs untrusted code. Each step is final: no later step, and no guest, can undo it.
//!
//! The order matters. [`leave_host`] and [`close_files`] run while the process has one thread, because landlock applies
//! to the calling thread and the threads that it starts later. [`close_kernel`] runs after an isolate has warmed up: V8
//! starts its threads and reads facts about the machine once, and the filter is applied to all threads together.

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

/// landlock: denies all files except those in `reach`, TCP, and signals and abstract sockets to other processes, for
/// the calling thread and the threads that it starts from now on. False: the system cannot do that.
pub fn close_files(reach: &[Reach]) -> bool {
    #[cfg(target_os = "linux")]
    return files::close(reach);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = reach;
        false
    }
}

/// seccomp: denies all threads the system calls that a warm isolate with these folders does not need. False: the system
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
