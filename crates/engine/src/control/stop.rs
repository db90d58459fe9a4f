//! How another thread has a realm's run end without its isolate.

use std::sync::atomic::{AtomicU64, Ordering};

use deno_core::v8;

use crate::control::interrupt::StopRequest;
use ses_protocol::JobId;

/// The run that is to end. Whoever names one terminates the guest next, which may come too late for it.
#[derive(Default)]
pub struct Stop {
    /// Numbers begin with 1; 0: none.
    job: AtomicU64,
}

impl StopRequest for Stop {
    /// Records the run before it terminates the guest: whoever sees the termination finds its reason.
    fn raise(&self, job: JobId, isolate: &v8::IsolateHandle) {
        self.job.store(job, Ordering::Release);
        isolate.terminate_execution();
    }
}

impl Stop {
    pub fn is_raised(&self, job: JobId) -> bool {
        job != 0 && self.job.load(Ordering::Acquire) == job
    }

    /// Forgets a run that has ended, after which nobody names it any more. Whether the guest may have been terminated for it, or
    /// for the next one, which then finds itself named.
    pub fn forget(&self, job: JobId) -> bool {
        if self.job.load(Ordering::Acquire) == 0 {
            return false;
        }
        // Another one than this stays.
        let _ = self.job.compare_exchange(job, 0, Ordering::AcqRel, Ordering::Acquire);
        true
    }
}
