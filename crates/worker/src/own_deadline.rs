//! The deadline of a run, kept by the process of its isolate.
//!
//! A host on another machine learns late that a run is due, and its request to end the run arrives late. So this
//! process asks the guest itself, and reports that to the host. The host ends a run that this process does not end.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ses_engine::Interrupt;
use ses_protocol::{Config, Event, JobId, RunLimits, TIMEOUT_MS, ToolCall, ToolCallId, ToolReply, ToolSpec};
use ses_session::{Deadline, Expired, LimitedTools, RunClock, STOP_GRACE, Watchdog};

use crate::event_writer::EventWriter;
use crate::exit::exit;

/// Keeps the deadlines of the runs of a session. Does nothing before [`OwnDeadline::keep`] was called.
#[derive(Clone)]
pub struct OwnDeadline {
    /// Guards the clock of the run. Held for a few instructions, by the isolate's thread or the watchdog's.
    state: Arc<Mutex<State>>,
    watchdog: Arc<Watchdog>,
    out: Arc<EventWriter>,
    interrupt: Interrupt,
    keeps_state: bool,
}

struct State {
    tools: LimitedTools,
    /// All calls have a time limit. Absent: the host keeps the deadlines.
    limits_calls: Option<bool>,
    run: Option<Run>,
}

struct Run {
    clock: RunClock,
    /// The run is over its time.
    is_over: bool,
    /// [`OwnDeadline::take_request`] has returned true.
    is_told: bool,
    /// When the host is told that the guest does not end the run.
    grace: Option<Deadline>,
}

impl OwnDeadline {
    pub fn new(config: &Config, watchdog: Arc<Watchdog>, out: Arc<EventWriter>, interrupt: Interrupt) -> Self {
        let state = State { tools: LimitedTools::new(config), limits_calls: None, run: None };
        let keeps_state = config.keep_state;
        Self { state: Arc::new(Mutex::new(state)), watchdog, out, interrupt, keeps_state }
    }

    /// Later runs have deadlines. `limits_calls`: all their calls have a time limit.
    pub fn keep(&self, limits_calls: bool) {
        self.state().limits_calls = Some(limits_calls);
    }

    pub fn add_tools(&self, tools: &[ToolSpec]) {
        self.state().tools.add(tools);
    }

    pub fn begin(&self, job: JobId, limits: &RunLimits) {
        let mut state = self.state();
        // The isolate refuses a run whose limits are out of range.
        let Some(limits_calls) = state.limits_calls.filter(|_| TIMEOUT_MS.takes(limits.timeout_ms)) else { return };
        let due = Instant::now() + Duration::from_millis(limits.timeout_ms as u64);
        let mut run = Run { clock: RunClock::new(job, due, limits_calls), is_over: false, is_told: false, grace: None };
        run.clock.deadline = Some(self.arm(job, due));
        let before = state.run.replace(run);
        // Dropped without the lock, because its callback takes the lock.
        drop(state);
        drop(before);
    }

    /// The run is settled.
    pub fn end(&self) {
        let run = self.state().run.take();
        // Dropped without the lock, because its callback takes the lock.
        drop(run);
    }

    pub fn on_calls(&self, calls: &[ToolCall]) {
        let mut state = self.state();
        let State { tools, run, .. } = &mut *state;
        if let Some(run) = run {
            tools.on_calls(&mut run.clock, calls);
        }
    }

    pub fn on_idle(&self, answers: u64) {
        if let Some(run) = &mut self.state().run {
            run.clock.on_idle(answers, Instant::now());
        }
    }

    pub fn on_answers(&self, replies: &[(ToolCallId, ToolReply)]) {
        let mut state = self.state();
        let Some(run) = &mut state.run else { return };
        let Some(due) = run.clock.on_answers(replies, Instant::now()) else { return };
        let before = run.clock.deadline.replace(self.arm(run.clock.job, due));
        // Dropped without the lock, because its callback takes the lock.
        drop(state);
        drop(before);
    }

    /// When the run under way is due, if its clock goes on and it is not over its time.
    pub fn due(&self) -> Option<Instant> {
        self.state().run.as_ref().filter(|run| !run.is_over)?.clock.due()
    }

    /// Returns true once if the guest was asked to end the run under way. Called by the guest's thread before it waits,
    /// and at the deadline: neither the request nor the watchdog's thread ends a wait.
    pub fn take_request(&self) -> bool {
        let due = self.due();
        if due.is_some_and(|due| due <= Instant::now()) {
            let job = self.state().run.as_ref().map(|run| run.clock.job);
            job.into_iter().for_each(|job| self.on_expired(job));
        }
        let mut state = self.state();
        let Some(run) = state.run.as_mut().filter(|run| run.is_over && self.keeps_state) else { return false };
        !std::mem::replace(&mut run.is_told, true)
    }

    fn arm(&self, job: JobId, due: Instant) -> Deadline {
        let own = self.clone();
        self.arm_with(due, move || own.on_expired(job))
    }

    fn arm_with(&self, at: Instant, expire: impl FnOnce() + Send + 'static) -> Deadline {
        // The deadline could not be kept. This does not happen, because the watchdog's thread has already started.
        self.watchdog.arm(at, expire).unwrap_or_else(|_| exit())
    }

    fn on_expired(&self, job: JobId) {
        let mut state = self.state();
        let Some(run) = state.run.as_mut().filter(|run| run.clock.job == job && !run.is_over) else { return };
        match run.clock.on_expired(Instant::now()) {
            Expired::Still => {}
            Expired::Later(due) => {
                let before = run.clock.deadline.replace(self.arm(job, due));
                drop(state);
                drop(before);
            }
            Expired::Due => {
                run.is_over = true;
                if self.keeps_state {
                    // Under the lock, so that the request cannot reach the next run.
                    self.interrupt.ask(job);
                    let out = self.out.clone();
                    let report = move || out.report(Event::GraceOver { job });
                    run.grace = Some(self.arm_with(Instant::now() + STOP_GRACE, report));
                }
                drop(state);
                self.out.report(Event::TimeOver { job });
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
