//! The processor time of threads.

use std::time::Duration;

/// A clock for the processor time of one thread.
#[derive(Clone, Copy, Debug)]
pub struct CpuClock(#[cfg(target_os = "linux")] libc::clockid_t);

impl CpuClock {
    /// The clock of the calling thread. `None` if the system has no clock that other threads can read.
    pub fn of_this_thread() -> Option<Self> {
        #[cfg(target_os = "linux")]
        {
            let mut clock = 0;
            // SAFETY: `clock` is valid for the write, and `pthread_self` is a live thread.
            let status = unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &raw mut clock) };
            (status == 0).then_some(Self(clock))
        }
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// Time used so far. `None` once the thread has ended.
    pub fn now(self) -> Option<Duration> {
        #[cfg(target_os = "linux")]
        {
            let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
            // SAFETY: `time` is valid for the write; the system checks the clock.
            let status = unsafe { libc::clock_gettime(self.0, &raw mut time) };
            (status == 0).then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
        }
        #[cfg(not(target_os = "linux"))]
        None
    }
}
