//! Deadlines of all executors, and V8's delayed tasks, on one timer thread of the process.

use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::AbortHandle;

use std::sync::OnceLock;

/// Never dropped: its one thread sleeps until the next deadline and ends with the process.
static TIMERS: OnceLock<Runtime> = OnceLock::new();

/// The timer runtime.
///
/// # Errors
///
/// The operating system refused a thread.
pub fn timers() -> std::io::Result<&'static Handle> {
    if let Some(runtime) = TIMERS.get() {
        return Ok(runtime.handle());
    }
    let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("ses-watchdog").enable_time().build()?;
    Ok(TIMERS.get_or_init(|| runtime).handle())
}

/// A deadline that is disarmed when dropped.
#[derive(Debug)]
pub struct Deadline(AbortHandle);

impl Deadline {
    /// Calls `expire` on the watchdog thread at `at`, unless the deadline is dropped before.
    ///
    /// `expire` may still be called if it has begun when the deadline is dropped; [`super::job::Job::claim`]
    /// decides that race.
    pub fn arm(timers: &Handle, at: Instant, expire: impl FnOnce() + Send + 'static) -> Self {
        let task = timers.spawn(async move {
            tokio::time::sleep_until(at.into()).await;
            expire();
        });
        Self(task.abort_handle())
    }
}

/// Processor time of one thread.
#[derive(Clone, Copy, Debug)]
pub struct CpuClock(#[cfg(target_os = "linux")] libc::clockid_t);

impl CpuClock {
    /// The clock of the calling thread; `None` where the system has none that other threads can read.
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

    /// Time used so far; `None` once the thread has ended.
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

impl Deadline {
    /// Calls `expire` when `clock` has advanced by `budget`. Sleeps each time for what is left of it, which is the
    /// earliest moment at which it can be used up.
    pub fn arm_cpu(
        timers: &Handle,
        clock: CpuClock,
        budget: Duration,
        expire: impl FnOnce() + Send + 'static,
    ) -> Option<Self> {
        let end = clock.now()? + budget;
        let task = timers.spawn(async move {
            while let Some(left) = clock.now().and_then(|now| end.checked_sub(now)).filter(|left| !left.is_zero()) {
                tokio::time::sleep(left).await;
            }
            expire();
        });
        Some(Self(task.abort_handle()))
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        self.0.abort();
    }
}
