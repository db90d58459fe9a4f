//! Ends runs that do not end by themselves: at a deadline, or on request.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ses_hints::run_outcomes;
use ses_protocol::{Failure, FailureKind, JobId};

use crate::backend::Link;
use crate::run_clock::Expired;
use crate::session_state::{EndOver, Over, STATE_LOST, SessionState};
use crate::watchdog::Deadline;

/// `details.reason` of a run that took too long.
const DEADLINE: &str = "deadline";
/// `details.reason` of a run that used up its processor time.
pub const CPU: &str = "cpu";
/// How long a guest that was asked to end at its deadline may take before it is forced to.
pub const STOP_GRACE: Duration = Duration::from_millis(40);
/// How much later this process ends a run whose deadline the isolate's process keeps itself. It ends a run only if that
/// process does not.
pub const KEPT_MARGIN: Duration = Duration::from_millis(250);
/// The same as [`STOP_GRACE`] for a run that was aborted. It is longer, because the caller would rather wait than lose
/// the variables.
pub const ABORT_GRACE: Duration = Duration::from_secs(2);
/// The least time that variables and tools of a session that keeps its state may take. The host decides how long they
/// take. 10 s.
const MIN_SET_UP_MS: f64 = 10_000.0;

/// Settles a run when its time is over.
#[derive(Clone)]
pub struct RunDeadline {
    pub session_state: Arc<SessionState>,
    pub link: Arc<dyn Link>,
    pub job: JobId,
    pub timeout_ms: f64,
    /// How much later than the isolate's process this one ends the run: zero, or [`KEPT_MARGIN`].
    pub margin: Duration,
}

impl RunDeadline {
    /// Arms the deadline for the moment at which the run is due.
    ///
    /// # Errors
    ///
    /// No thread could be started to watch the deadline.
    pub fn arm(&self, due: Instant) -> io::Result<()> {
        let deadline = self.clone();
        // Armed and stored under the lock. Otherwise the deadline may expire between the two, and the one that is armed
        // then would be overwritten and dropped.
        let mut open = self.session_state.open();
        let armed = self.session_state.watchdog.arm(due, move || deadline.on_expired())?;
        let before = match open.clock_of(self.job) {
            Some(clock) => clock.deadline.replace(armed),
            None => Some(armed),
        };
        // Dropped without the lock, because its callback takes the lock.
        drop(open);
        drop(before);
        Ok(())
    }

    /// Arms the deadline again. If that fails, ends the run, because nothing would watch it.
    pub fn arm_or_end(&self, due: Instant) {
        if self.arm(due).is_err() {
            self.end();
        }
    }

    fn on_expired(&self) {
        let now = Instant::now();
        let expired = match self.session_state.open().clock_of(self.job) {
            Some(clock) => clock.on_expired(now),
            None => return,
        };
        match expired {
            Expired::Due => self.end(),
            Expired::Later(due) => self.arm_or_end(due),
            Expired::Still => {}
        }
    }

    /// Ends the run when the isolate's process reports that its time is over.
    pub fn ending(&self) -> EndOver {
        let deadline = self.clone();
        Arc::new(move |over| match over {
            Over::Time => deadline.end(),
            Over::Grace => deadline.end_now(),
        })
    }

    /// Ends the run. A guest that can be asked ends it by itself.
    fn end(&self) {
        interrupt(&self.session_state, &self.link, self.job, self.failure(), STOP_GRACE + self.margin);
    }

    /// Ends the run and gives the isolate up. The guest had its time to end by itself.
    fn end_now(&self) {
        end(&self.session_state, &*self.link, self.job, self.failure().with(STATE_LOST, true));
    }

    fn failure(&self) -> Failure {
        let failure = timed_out(self.timeout_ms, DEADLINE);
        if self.session_state.open().has_dropped_calls {
            return failure.with("hint", run_outcomes::DROPPED_CALLS);
        }
        failure
    }
}

/// Ends variables or tools that take too long. If the watchdog's thread cannot start, nothing ends them.
pub fn arm_set_up(session_state: &Arc<SessionState>, link: &Arc<dyn Link>, job: JobId) -> Option<Deadline> {
    let (late, to_isolate) = (session_state.clone(), link.clone());
    let timeout_ms = session_state.config.timeout_ms.max(MIN_SET_UP_MS);
    let failure = timed_out(timeout_ms, DEADLINE).with(STATE_LOST, true);
    let at = Instant::now() + Duration::from_millis(timeout_ms as u64);
    session_state.watchdog.arm(at, move || end(&late, &*to_isolate, job, failure)).ok()
}

pub fn timed_out(timeout_ms: f64, reason: &str) -> Failure {
    Failure::new(FailureKind::Timeout { timeout_ms }).with("timeoutMs", timeout_ms).with("reason", reason)
}

/// Ends a job with `failure`. First asks the guest to end it within `grace`, then gives the isolate up.
pub fn interrupt(
    session_state: &Arc<SessionState>,
    link: &Arc<dyn Link>,
    job: JobId,
    failure: Failure,
    grace: Duration,
) {
    let is_asked = if session_state.config.keep_state { session_state.ask(job, &failure, &**link) } else { None };
    match is_asked {
        None if session_state.config.keep_state => {
            return end(session_state, &**link, job, failure.with(STATE_LOST, true));
        }
        None => return end(session_state, &**link, job, failure),
        Some(false) => return,
        Some(true) => {}
    }
    let (late_state, to_isolate) = (session_state.clone(), link.clone());
    let late = failure.clone().with(STATE_LOST, true);
    match session_state
        .watchdog
        .arm(Instant::now() + grace + link.latency(), move || end(&late_state, &*to_isolate, job, late))
    {
        Ok(grace) => {
            let mut open = session_state.open();
            // If the job has ended meanwhile, the deadline is dropped without the lock.
            let before = match &mut open.asked {
                Some(asked) if asked.job == job => asked.grace.replace(grace),
                _ => Some(grace),
            };
            drop(open);
            drop(before);
        }
        // Nothing would force the end later.
        Err(_) => end(session_state, &**link, job, failure.with(STATE_LOST, true)),
    }
}

/// Settles a job with `failure` immediately and gives the isolate up.
fn end(session_state: &Arc<SessionState>, link: &dyn Link, job: JobId, failure: Failure) {
    let (job, asked) = session_state.open().claim(job);
    drop(asked);
    if let Some(job) = job {
        session_state.await_end(link.thread());
        session_state.give_up(job, failure, Some(link));
    }
}
