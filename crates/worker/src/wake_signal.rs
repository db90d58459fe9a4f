//! The signal by which the host says that it has sent something for a guest that runs.

#[cfg(target_os = "linux")]
use ses_process::NUDGE;

/// Blocks the signal for the calling thread and the threads that it starts from now on, except in [`poll`].
pub fn block() {
    #[cfg(target_os = "linux")]
    // SAFETY: all zeros is a valid action and a valid set, which these calls read and fill. What the action does is safe in any
    // thread at any time: nothing.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let handler: extern "C" fn(libc::c_int) = nothing;
        action.sa_sigaction = handler as *const () as usize;
        libc::sigaction(NUDGE, &raw const action, std::ptr::null_mut());
        let mut signals: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut signals);
        libc::sigaddset(&raw mut signals, NUDGE);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const signals, std::ptr::null_mut());
    }
}

#[cfg(target_os = "linux")]
extern "C" fn nothing(_signal: libc::c_int) {}

/// Waits until something has happened to the pipe, or the signal comes, also if it came before. May wait for nothing.
pub fn poll(pipe: &mut libc::pollfd) {
    #[cfg(target_os = "linux")]
    // SAFETY: `pipe` is one entry, valid for the call, and so is the set, of which all zeros is a valid one. No time: without end.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::ppoll(pipe, 1, std::ptr::null(), &raw const none);
    }
    #[cfg(not(target_os = "linux"))]
    // SAFETY: `pipe` is one entry, valid for the call.
    unsafe {
        libc::poll(pipe, 1, -1);
    }
}
