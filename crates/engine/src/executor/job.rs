//! One call that an isolate works on, shared by the threads that may settle it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use ses_protocol::{CallId, Report, RunLimits, Stats};

use super::logs::LogBuffer;

/// A run, or a `sendVariables` or `sendTools` on its way through the isolate.
///
/// Several threads may try to settle a job: the executor thread when the work is done, the watchdog at the
/// deadline, the Node.js thread on abort and cleanup, the out-of-memory handler. [`Job::claim`] lets exactly
/// one of them win, and only the winner reports.
#[derive(Debug)]
pub struct Job {
    pub call: CallId,
    /// Present for runs.
    pub limits: Option<RunLimits>,
    started: Instant,
    claimed: AtomicBool,
    /// Written by the executor thread, read by whoever settles the job.
    log: Mutex<LogBuffer>,
    tool_calls: AtomicU64,
    operations: AtomicU64,
}

impl Job {
    pub fn new(call: CallId, limits: Option<RunLimits>, log: LogBuffer) -> Self {
        Self {
            call,
            limits,
            started: Instant::now(),
            claimed: AtomicBool::new(false),
            log: Mutex::new(log),
            tool_calls: AtomicU64::new(0),
            operations: AtomicU64::new(0),
        }
    }

    /// Takes the right to settle the job; false if another thread has it.
    pub fn claim(&self) -> bool {
        !self.claimed.swap(true, Ordering::AcqRel)
    }

    /// The job's log. The Node.js thread may wait here: entries are short work, and never hold the lock while
    /// guest code runs. A panic in the middle of a push leaves a log that is still a list of entries.
    pub fn log(&self) -> MutexGuard<'_, LogBuffer> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn started(&self) -> Instant {
        self.started
    }

    pub fn count_tool_call(&self) -> u64 {
        self.tool_calls.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Guarded iterations so far, as far as the executor thread has reported them.
    pub fn set_operations(&self, operations: f64) {
        self.operations.store(operations as u64, Ordering::Relaxed);
    }

    /// Closes the log and takes what a run leaves. Only the thread that claimed the job calls this.
    pub fn report(&self, heap_used_bytes: f64) -> Option<Report> {
        self.limits?;
        let (logs, log_index) = self.log().close();
        Some(Report {
            logs,
            log_index,
            stats: Stats {
                duration_ms: self.started.elapsed().as_secs_f64() * 1e3,
                operations: self.operations.load(Ordering::Relaxed) as f64,
                tool_calls: self.tool_calls.load(Ordering::Relaxed) as f64,
                heap_used_bytes,
            },
        })
    }
}
