//! The jobs of an isolate that are not settled yet.

use std::collections::VecDeque;
use std::time::Instant;

use ses_protocol::{CallId, Figures, JobId, LogEntry, Report, RunLimits};

use crate::logs::LogBuffer;
use crate::watchdog::Deadline;

/// A run, or a `sendVariables` or `sendTools` call on its way through the isolate.
pub struct Job {
    pub id: JobId,
    pub call: CallId,
    /// Present for runs.
    pub limits: Option<RunLimits>,
    /// Ends a job that is not a run if it takes too long, until it is settled.
    pub deadline: Option<Deadline>,
    started: Instant,
    log: LogBuffer,
}

impl Job {
    pub fn new(id: JobId, call: CallId, limits: Option<RunLimits>, max_log_bytes: usize) -> Self {
        Self { id, call, limits, deadline: None, started: Instant::now(), log: LogBuffer::new(max_log_bytes) }
    }

    pub fn started(&self) -> Instant {
        self.started
    }

    /// The report of a run.
    pub fn report(self, figures: Figures) -> Option<Report> {
        self.limits?;
        let duration_ms = self.started.elapsed().as_secs_f64() * 1e3;
        let (logs, log_index) = self.log.into_parts();
        Some(Report { logs, log_index, duration_ms, figures })
    }
}

/// Jobs of one isolate, in the order in which it does them.
///
/// Several threads may try to settle a job: the one that reports the isolate's events, the watchdog at the deadline,
/// and the owner's thread on abort and cleanup. [`Jobs::claim`] gives the job to one of them, and only that one
/// reports.
#[derive(Default)]
pub struct Jobs(VecDeque<Job>);

impl Jobs {
    pub fn add(&mut self, job: Job) {
        self.0.push_back(job);
    }

    /// Takes the right to settle a job. `None` if another thread already has it.
    pub fn claim(&mut self, id: JobId) -> Option<Job> {
        let index = self.0.iter().position(|job| job.id == id)?;
        self.0.remove(index)
    }

    /// Whether there is a run with this number that is not settled.
    pub fn has_run(&self, id: JobId) -> bool {
        self.0.iter().any(|job| job.id == id && job.limits.is_some())
    }

    /// Claims the job that the isolate works on. See [`Self::claim`].
    pub fn claim_current(&mut self) -> Option<Job> {
        self.0.pop_front()
    }

    /// Adds an entry to the log of a job that is not settled. False: the job is settled, or no run can produce this
    /// entry.
    pub fn log(&mut self, id: JobId, entry: &LogEntry) -> bool {
        self.0.iter_mut().find(|job| job.id == id && job.limits.is_some()).is_some_and(|job| job.log.push(entry))
    }
}

#[cfg(test)]
mod tests {
    use ses_protocol::Language;

    use super::*;

    const LIMITS: RunLimits = RunLimits {
        max_operations: 1.0,
        timeout_ms: 1.0,
        cpu_ms: None,
        reports_waits: false,
        now_ms: None,
        seed: None,
        language: Language::Auto,
    };

    fn entry(message: &str) -> LogEntry {
        LogEntry { level: 0, message: message.to_owned(), at_ms: 0.0 }
    }

    #[test]
    fn a_job_is_claimed_once() {
        let mut jobs = Jobs::default();
        jobs.add(Job::new(1, 10.0, None, 0));
        jobs.add(Job::new(2, 20.0, Some(LIMITS), 100));
        assert_eq!(jobs.claim(2).map(|job| job.call), Some(20.0));
        assert!(jobs.claim(2).is_none());
        assert_eq!(jobs.claim_current().map(|job| job.call), Some(10.0));
        assert!(jobs.claim_current().is_none());
    }

    #[test]
    fn a_run_leaves_the_log_so_far() {
        let mut jobs = Jobs::default();
        jobs.add(Job::new(1, 10.0, Some(LIMITS), 100));
        assert!(jobs.log(1, &entry("a")) && jobs.log(1, &entry("b")));
        let report = jobs.claim(1).and_then(|job| job.report(Figures::default())).expect("a run");
        assert_eq!(report.logs, "a\nb");
        assert!(!jobs.log(1, &entry("c")), "it is settled");
    }

    #[test]
    fn what_is_no_run_has_no_log() {
        let mut jobs = Jobs::default();
        jobs.add(Job::new(1, 10.0, None, 100));
        assert!(!jobs.log(1, &entry("a")));
        assert!(jobs.claim(1).is_some_and(|job| job.report(Figures::default()).is_none()));
    }
}
