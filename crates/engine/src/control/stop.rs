//! Lets another thread end a realm's run without its isolate.

use std::sync::atomic::{AtomicU64, Ordering};

use deno_core::v8;

use crate::control::interrupt::StopRequest;
use ses_protocol::JobId;

/// The run that is to end. The thread that names a run then terminates the guest, possibly after that run has ended.
#[derive(Default)]
pub struct Stop {
    /// Numbers begin with 1; 0: no run.
    job: AtomicU64,
}

impl StopRequest for Stop {
    /// Records the run before it terminates the guest. Code that sees the termination finds its reason here.
    fn raise(&self, job: JobId, isolate: &v8::IsolateHandle) {
        self.job.store(job, Ordering::Release);
        isolate.terminate_execution();
    }
}

impl Stop {
    pub fn is_raised(&self, job: JobId) -> bool {
        job != 0 && self.job.load(Ordering::Acquire) == job
    }

    /// Forgets a run that has ended; no thread names it afterwards. Returns whether the guest may have been terminated
    /// for this run or for the next one. The next run then finds itself named.
    pub fn forget(&self, job: JobId) -> bool {
        if self.job.load(Ordering::Acquire) == 0 {
            return false;
        }
        // Another run's request stays.
        let _ = self.job.compare_exchange(job, 0, Ordering::AcqRel, Ordering::Acquire);
        true
    }
}
