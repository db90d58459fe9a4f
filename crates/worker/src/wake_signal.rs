//! The signal with which the host announces data for a running guest.

#[cfg(target_os = "linux")]
use ses_process::WAKE_SIGNAL;

/// Blocks the signal for the calling thread and all threads that it starts from now on, except during [`poll`].
pub fn block() {
    #[cfg(target_os = "linux")]
    // SAFETY: an action and a set of all zeros are valid, and these calls read and fill them. The handler does nothing,
    // so it is safe in any thread at any time.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let handler: extern "C" fn(libc::c_int) = nothing;
        action.sa_sigaction = handler as *const () as usize;
        libc::sigaction(WAKE_SIGNAL, &raw const action, std::ptr::null_mut());
        let mut signals: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut signals);
        libc::sigaddset(&raw mut signals, WAKE_SIGNAL);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const signals, std::ptr::null_mut());
    }
}

#[cfg(target_os = "linux")]
extern "C" fn nothing(_signal: libc::c_int) {}

/// Waits until the state of the pipe changes or the signal arrives, even if the signal arrived before the call. May
/// return spuriously.
pub fn poll(pipe: &mut libc::pollfd) {
    #[cfg(target_os = "linux")]
    // SAFETY: `pipe` is one entry, valid for the call. The set is valid for the call too; a set of all zeros is valid.
    // The null pointer means that there is no time limit.
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
