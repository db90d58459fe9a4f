//! Waits for data from a pipe.

use std::ffi::c_int;
use std::io;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

/// Waits at most `timeout`. Returns whether a read would not block: there is data, or the other end is closed. A
/// signal does not end the wait.
pub fn is_readable(pipe: &impl AsRawFd, timeout: Duration) -> bool {
    let mut left = timeout;
    let start = Instant::now();
    loop {
        let mut pipe = libc::pollfd { fd: pipe.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // Rounded up, so that the next call does not follow immediately.
        let ms = c_int::try_from(left.as_nanos().div_ceil(1_000_000)).unwrap_or(c_int::MAX);
        // SAFETY: `pipe` is one entry, valid for the call.
        match unsafe { libc::poll(&raw mut pipe, 1, ms) } {
            0 => return false,
            count if count > 0 => return true,
            // The read reports any other error.
            _ if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted => return true,
            _ => left = timeout.saturating_sub(start.elapsed()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Write, pipe};
    use std::os::unix::thread::JoinHandleExt;
    use std::thread;

    use super::*;

    extern "C" fn nothing(_signal: c_int) {}

    #[test]
    fn a_signal_does_not_end_a_wait() {
        // SAFETY: an action of all zeros is valid. The handler does nothing, so it is safe in any thread at any time.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            let handler: extern "C" fn(c_int) = nothing;
            action.sa_sigaction = handler as *const () as usize;
            assert_eq!(libc::sigaction(libc::SIGUSR2, &raw const action, std::ptr::null_mut()), 0);
        }
        let timeout = Duration::from_millis(50);
        let (reader, _writer) = pipe().unwrap();
        let waiting = thread::spawn(move || {
            let start = Instant::now();
            (is_readable(&reader, timeout), start.elapsed())
        });
        while !waiting.is_finished() {
            // SAFETY: the thread has not been joined yet.
            unsafe { libc::pthread_kill(waiting.as_pthread_t(), libc::SIGUSR2) };
        }
        let (is_readable, waited) = waiting.join().unwrap();
        assert!(!is_readable && waited >= timeout, "{is_readable} after {waited:?}");
    }

    #[test]
    fn what_has_come_and_the_end_are_there_at_once() {
        let (reader, mut writer) = pipe().unwrap();
        assert!(!is_readable(&reader, Duration::ZERO));
        writer.write_all(b"a").unwrap();
        assert!(is_readable(&reader, Duration::MAX));
        let (reader, writer) = pipe().unwrap();
        drop(writer);
        assert!(is_readable(&reader, Duration::MAX));
    }
}
