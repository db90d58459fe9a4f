//! The end of a worker process.

/// Ends the process, whatever its threads do.
pub fn exit() -> ! {
    // SAFETY: nothing of the process is used afterwards.
    unsafe { libc::_exit(0) }
}
