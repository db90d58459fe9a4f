//! Deadlines of all executors, and V8's delayed tasks, on one timer thread of the process.

use std::time::Instant;

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

impl Drop for Deadline {
    fn drop(&mut self) {
        self.0.abort();
    }
}
