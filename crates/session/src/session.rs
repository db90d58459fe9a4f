//! One isolate of an executor, seen from the executor's side.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ses_protocol::{
    CallId, Command, Config, ERR_TRANSFER_LIMIT_EXCEEDED, ErrorCode, Failure, FailureKind, JobId, LogEntry, Outcome,
    RunLimits, SessionId, TIMEOUT_MS, ToolCallId, ToolError, ToolReply,
};

use crate::backend::{Boot, Link, Process};
use crate::jobs::Job;
use crate::owner_event::OwnerEvents;
use crate::resources::Resources;
use crate::run_clock::RunClock;
use crate::run_deadline::{ABORT_GRACE, CPU, KEPT_MARGIN, RunDeadline, STOP_GRACE, arm_set_up, interrupt, timed_out};
use crate::session_state::SessionState;
use crate::watchdog::Deadline;

/// Smaller answers are not refused: their number is limited by the number of concurrent calls. 1 MiB.
const MIN_COUNTED_BYTES: usize = 1 << 20;

/// Handle of a session on its owner's thread. Dropping it gives the isolate up.
pub struct Session {
    session_state: Arc<SessionState>,
    link: Arc<dyn Link>,
    /// The deadline of the run under way.
    deadline: Option<RunDeadline>,
    cpu_deadline: Option<Deadline>,
}

impl Session {
    /// Starts an isolate. [`OwnerEvent::Initialized`] follows.
    pub fn start(
        id: SessionId,
        config: Arc<Config>,
        resources: &Resources,
        owner_events: OwnerEvents,
    ) -> Result<Self, Failure> {
        let session_state = Arc::new(SessionState::new(id, config.clone(), resources, owner_events));
        resources.counters.add_live();
        let events = {
            let session_state = session_state.clone();
            Arc::new(move |event| session_state.on_event(event))
        };
        match resources.backend.boot(Boot { session: id, config, events }) {
            Ok(link) => Ok(Self { session_state, link, deadline: None, cpu_deadline: None }),
            Err(failure) => {
                session_state.end_life();
                Err(failure)
            }
        }
    }

    pub fn id(&self) -> SessionId {
        self.session_state.id
    }

    /// The isolate's own process, if it has one.
    pub fn process(&self) -> Option<Process> {
        self.link.process()
    }

    /// Why an isolate on another machine was lost.
    pub fn lost_cause(&self) -> Option<&'static str> {
        self.link.lost_cause()
    }

    /// Hands answers of tools over to the run under way. Returns those for which the guest has no room.
    pub fn answer(&self, mut replies: Vec<(ToolCallId, ToolReply)>) -> Vec<Refusal> {
        let limit = self.session_state.config.memory_limit_bytes;
        let mut refused = Vec::new();
        let mut open = self.session_state.open();
        for (call, reply) in &mut replies {
            let bytes = reply.bytes();
            // The host would have to store answers for which the guest has no room.
            if bytes > MIN_COUNTED_BYTES && open.untaken.saturating_add(bytes) > limit {
                let error = no_room(bytes, limit);
                refused.push(Refusal { call: *call, message: error.message.clone() });
                *reply = ToolReply::Error(error);
            }
            open.untaken += reply.bytes();
        }
        let due = open.clock.as_mut().and_then(|clock| clock.on_answers(&replies, Instant::now()));
        drop(open);
        if let (Some(due), Some(deadline)) = (due, &self.deadline) {
            deadline.arm_or_end(due);
        }
        self.link.send(Command::ToolReplies { replies, now_ms: None });
        refused
    }

    /// Hands over variables or tools. In some engines this may run guest code, such as the finalizer of a replaced
    /// value.
    pub fn set_up(&self, id: JobId, call: CallId, command: Command) {
        let mut job = Job::new(id, call, None, 0);
        let mut open = self.session_state.open();
        // Under the lock: the job must be registered before the deadline can expire.
        if self.session_state.config.keep_state {
            job.deadline = arm_set_up(&self.session_state, &self.link, id);
        }
        open.jobs.add(job);
        if let Command::SetTools { tools, .. } = &command {
            open.tools.add(tools);
        }
        drop(open);
        self.link.send(command);
    }

    /// Arms the deadlines and hands a run over. `limits_calls`: all calls of the run have a time limit, whatever their
    /// tools are.
    ///
    /// # Errors
    ///
    /// The deadlines could not be armed, so nothing would watch them. The run has not begun.
    pub fn run(
        &mut self,
        id: JobId,
        call: CallId,
        code: String,
        mut limits: RunLimits,
        limits_calls: bool,
    ) -> Result<(), Failure> {
        let job = Job::new(id, call, Some(limits), self.session_state.config.max_log_bytes);
        let started = job.started();
        self.session_state.operations.store(0, Ordering::Relaxed);
        self.session_state.tool_calls.store(0, Ordering::Relaxed);
        // Registered before the deadline is armed: it may expire immediately and must find the job.
        let mut open = self.session_state.open();
        open.jobs.add(job);
        open.untaken = 0;
        limits.reports_waits = open.tools.may_stop_clock(limits_calls);
        drop(open);
        if let Err(error) = self.arm(id, started, limits, limits_calls) {
            self.disarm();
            if self.session_state.open().jobs.claim(id).is_some() {
                let cause = format!("the watchdog for deadlines cannot be started: {error}");
                return Err(Failure::new(FailureKind::Runtime { cause }).with("reason", "engine"));
            }
            // An armed deadline has already settled the job.
            return Ok(());
        }
        self.link.send(Command::Run { job: id, code, limits });
        Ok(())
    }

    /// Arms nothing for limits that are out of range. VALIDATE refuses such a run.
    fn arm(&mut self, job: JobId, started: Instant, limits: RunLimits, limits_calls: bool) -> io::Result<()> {
        let duration = |ms: f64| TIMEOUT_MS.takes(ms).then(|| Duration::from_millis(ms as u64));
        let (session_state, link) = (self.session_state.clone(), self.link.clone());
        if let Some(timeout) = duration(limits.timeout_ms) {
            let latency = self.link.latency();
            let is_kept = self.link.keep_deadlines(limits_calls);
            let margin = if is_kept { KEPT_MARGIN } else { Duration::ZERO };
            let due = started + timeout + latency + margin;
            let deadline = RunDeadline {
                session_state: session_state.clone(),
                link: link.clone(),
                job,
                timeout_ms: limits.timeout_ms,
                margin,
            };
            let mut open = self.session_state.open();
            open.clock = Some(RunClock::new(job, due, limits_calls).with_latency(latency));
            open.on_over = is_kept.then(|| (job, deadline.ending()));
            drop(open);
            deadline.arm(due)?;
            self.deadline = Some(deadline);
        }
        if let Some(cpu_ms) = limits.cpu_ms
            && let Some(budget) = duration(cpu_ms)
        {
            let failure = timed_out(limits.timeout_ms, CPU).with("maxCpuMs", cpu_ms);
            let expire = move || interrupt(&session_state, &link, job, failure, STOP_GRACE);
            match self.link.cpu_clock() {
                Some(clock) => self.cpu_deadline = self.session_state.watchdog.arm_cpu(clock, budget, expire)?,
                None => self.session_state.open().on_cpu_spent = Some((job, Box::new(expire))),
            }
        }
        Ok(())
    }

    /// The run is settled, so its deadline no longer counts.
    pub fn disarm(&mut self) {
        self.deadline = None;
        self.cpu_deadline = None;
        // Dropped without the lock, because its callback takes the lock.
        let mut open = self.session_state.open();
        let left = (open.clock.take(), open.asked.take(), open.on_cpu_spent.take(), open.on_over.take());
        drop(open);
        drop(left);
    }

    /// Log entries that were not taken before.
    pub fn take_logs(&self) -> Vec<LogEntry> {
        std::mem::take(&mut self.session_state.open().unsent)
    }

    /// Ends a job with `failure`: immediately, together with its isolate, or soon and without it. Does nothing if the
    /// job is already settled.
    pub fn interrupt(&self, job: JobId, failure: Failure) {
        interrupt(&self.session_state, &self.link, job, failure, ABORT_GRACE);
    }

    /// Takes a job, so that no event settles it any more. Returns its outcome.
    pub fn refuse(&self, job: JobId, failure: Failure) -> Option<(CallId, Outcome)> {
        let job = self.session_state.open().jobs.claim(job)?;
        self.session_state.count_given_up();
        self.session_state.await_end(self.link.thread());
        Some((job.call, Outcome { result: Err(failure), report: job.report(self.session_state.figures()) }))
    }

    /// Tool calls of the run under way, as far as they are known.
    pub fn tool_calls(&self) -> u64 {
        self.session_state.figures().tool_calls
    }

    /// Takes the job that the isolate worked on when it was lost. See [`Self::refuse`].
    pub fn take_lost(&self, failure: Failure) -> Option<(CallId, Outcome)> {
        let job = self.session_state.open().jobs.claim_current()?;
        Some((job.call, Outcome { result: Err(failure), report: job.report(self.session_state.figures()) }))
    }
}

/// An answer for which the guest has no room. It gets an error with this message in its place.
pub struct Refusal {
    pub call: ToolCallId,
    pub message: String,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.disarm();
        self.session_state.is_given_up.store(true, Ordering::Release);
    }
}

/// The error for a guest that has no room for a result of this many bytes.
fn no_room(bytes: usize, limit: usize) -> ToolError {
    let message = format!(
        "the result takes {bytes} bytes, which together with results that the code has not received yet is more than its memory limit ({limit}): \
         make fewer calls at once"
    );
    let code = Some(ErrorCode::Text(ERR_TRANSFER_LIMIT_EXCEEDED.to_owned()));
    ToolError { name: "RangeError".to_owned(), message, code, bridge: true, details: None }
}
