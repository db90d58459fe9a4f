//! The state that a session keeps about its isolate. Handles the reports of the isolate. Used by several threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ses_protocol::{Config, Event, Failure, Figures, JobId, LogEntry, Outcome, SessionId, Success};

use ses_sync::priority::Thread;

use crate::backend::Link;
use crate::counters::Counters;
use crate::jobs::{Job, Jobs};
use crate::limited_tools::LimitedTools;
use crate::owner_event::{End, OwnerEvent, OwnerEvents};
use crate::resources::Resources;
use crate::run_clock::RunClock;
use crate::watchdog::{Deadline, Watchdog};

/// How long an isolate that was given up may go on before it counts as stuck.
const GRACE: Duration = Duration::from_secs(1);
/// In `details`: whether variables of earlier runs were lost with the isolate.
pub const STATE_LOST: &str = "stateLost";

/// The state that a session keeps about its isolate. Shared by three threads: the owner's, the one that reports the
/// isolate's events, and the watchdog's.
pub struct SessionState {
    pub id: SessionId,
    pub config: Arc<Config>,
    owner_events: OwnerEvents,
    counters: Arc<Counters>,
    pub watchdog: Arc<Watchdog>,
    /// Any thread may hold it, for one of these: a few instructions, the copy of a log entry, or a system call that
    /// does not wait.
    open: Mutex<Open>,
    /// The session was given up: later reports of the isolate have no recipient.
    pub is_given_up: AtomicBool,
    /// Operations of the run under way, as far as they are known.
    pub operations: AtomicU64,
    pub tool_calls: AtomicU64,
}

#[derive(Default)]
pub struct Open {
    pub jobs: Jobs,
    /// The clock of the run under way.
    pub clock: Option<RunClock>,
    pub tools: LimitedTools,
    /// The run that the guest was asked to end.
    pub asked: Option<Asked>,
    /// The run under way and the action that ends it. Called when the isolate reports that the run has used up its
    /// processor time.
    pub on_cpu_spent: Option<(JobId, Box<dyn FnOnce() + Send>)>,
    /// The run under way and the action that ends it, if the isolate's process keeps its deadline.
    pub on_over: Option<(JobId, EndOver)>,
    /// Bytes of answers to the run under way that the guest has not confirmed.
    pub untaken: usize,
    /// Log entries that the owner has not taken.
    pub unsent: Vec<LogEntry>,
    /// A run ended while it had tool calls that it had not awaited. Later runs may await the promises of these calls.
    pub has_dropped_calls: bool,
    /// The isolate counts as live.
    pub is_live: bool,
    /// Armed if the isolate was given up while it worked.
    grace: Option<Deadline>,
    /// The isolate counts as stuck.
    is_stuck: bool,
}

impl Open {
    /// Takes the right to settle a job. Also returns the request to the guest to end this job, if there was one.
    pub fn claim(&mut self, id: JobId) -> (Option<Job>, Option<Asked>) {
        let job = self.jobs.claim(id);
        let asked = job.as_ref().and_then(|job| self.asked.take_if(|asked| asked.job == job.id));
        (job, asked)
    }

    /// Asks the guest to end a run, unless the run was settled or asked before. `None`: the guest never checks. Called
    /// under the lock, so that the request cannot reach the next run.
    fn ask(&mut self, id: JobId, failure: &Failure, link: &dyn Link) -> Option<bool> {
        if !self.jobs.has_run(id) || self.asked.as_ref().is_some_and(|asked| asked.job == id) {
            return Some(false);
        }
        if !link.ask(id) {
            return None;
        }
        self.asked = Some(Asked { job: id, failure: failure.clone(), grace: None });
        Some(true)
    }

    pub fn clock_of(&mut self, job: JobId) -> Option<&mut RunClock> {
        self.clock.as_mut().filter(|clock| clock.job == job)
    }
}

impl SessionState {
    pub fn new(id: SessionId, config: Arc<Config>, resources: &Resources, owner_events: OwnerEvents) -> Self {
        let tools = LimitedTools::new(&config);
        Self {
            id,
            config,
            owner_events,
            counters: resources.counters.clone(),
            watchdog: resources.watchdog.clone(),
            open: Mutex::new(Open { tools, is_live: true, ..Open::default() }),
            is_given_up: AtomicBool::new(false),
            operations: AtomicU64::new(0),
            tool_calls: AtomicU64::new(0),
        }
    }

    pub fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Acquire)
    }

    /// Handles a report of the isolate.
    pub fn on_event(&self, event: Event) {
        let session = self.id;
        match event {
            Event::Initialized(result) => {
                if result.is_err() {
                    self.end_life();
                }
                (self.owner_events)(OwnerEvent::Initialized { session, result });
            }
            Event::Settled { job, result, figures, sound } => {
                let mut open = self.open();
                let (job, asked) = open.claim(job);
                open.has_dropped_calls |= figures.dropped_calls > 0;
                drop(open);
                if let Some(job) = job {
                    // Guests return nothing after they were asked to end, except a final answer. Any other result came
                    // too late.
                    let has_answer = matches!(result, Ok(Success::Output { is_final_answer: true, .. }));
                    let result = match asked {
                        Some(asked) if !has_answer => Err(asked.failure.with(STATE_LOST, !sound)),
                        _ => result,
                    };
                    self.settle(job, result, figures, sound);
                }
            }
            Event::ToolCalls(calls) => {
                if let Some(last) = calls.last() {
                    self.tool_calls.store(last.made, Ordering::Relaxed);
                }
                let mut open = self.open();
                let Open { clock, tools, .. } = &mut *open;
                if let Some(clock) = clock {
                    tools.on_calls(clock, &calls);
                }
                drop(open);
                if !self.is_given_up() {
                    (self.owner_events)(OwnerEvent::ToolCalls { session, calls });
                }
            }
            Event::Idle { answers } => {
                if let Some(clock) = &mut self.open().clock {
                    clock.on_idle(answers, Instant::now());
                }
            }
            Event::Taken { bytes } => {
                let untaken = &mut self.open().untaken;
                *untaken = untaken.saturating_sub(bytes as usize);
            }
            Event::CpuSpent { job } => {
                // The action of a run that has ended must not end another run.
                let end = self.open().on_cpu_spent.take_if(|(run, _)| *run == job);
                if let Some((_, end)) = end {
                    end();
                }
            }
            Event::TimeOver { job } => {
                self.end_over(job, Over::Time);
            }
            Event::GraceOver { job } => {
                self.end_over(job, Over::Grace);
            }
            Event::Progress { operations, tool_calls } => {
                self.operations.store(operations, Ordering::Relaxed);
                self.tool_calls.store(tool_calls, Ordering::Relaxed);
            }
            Event::Log { job, entry } => self.log(job, entry),
            Event::Parked { bytes } => self.on_parked(bytes),
            Event::Lost { reason } => {
                self.end_life();
                (self.owner_events)(OwnerEvent::Lost { session, reason });
            }
            Event::Closed { panicked } => {
                self.end_life();
                let end = if panicked { End::Panicked } else { End::Ended };
                (self.owner_events)(OwnerEvent::Closed { session, end });
            }
        }
    }

    /// Ends a run whose deadline the isolate's process keeps. Does nothing after the run.
    fn end_over(&self, job: JobId, over: Over) {
        let end = self.open().on_over.as_ref().filter(|(run, _)| *run == job).map(|(_, end)| end.clone());
        if let Some(end) = end {
            end(over);
        }
    }

    fn log(&self, job: JobId, entry: LogEntry) {
        let mut open = self.open();
        if !open.jobs.log(job, &entry) || !self.config.stream_logs {
            return;
        }
        open.unsent.push(entry);
        let is_first = open.unsent.len() == 1;
        drop(open);
        if is_first {
            (self.owner_events)(OwnerEvent::Logs { session: self.id });
        }
    }

    /// The isolate is lost, with its memory and the job that it worked on.
    fn on_parked(&self, bytes: usize) {
        self.end_life();
        self.counters.lost_isolates.add_parked(Some(&self.config.owner), bytes);
        let job = self.open().jobs.claim_current();
        match job {
            Some(job) => self.give_up(job, Failure::parked(self.config.memory_limit_bytes, bytes), None),
            None => (self.owner_events)(OwnerEvent::Closed { session: self.id, end: End::Parked(bytes) }),
        }
    }

    /// The isolate no longer counts as live.
    pub fn end_life(&self) {
        let mut open = self.open();
        if std::mem::take(&mut open.is_live) {
            self.counters.remove_live();
        }
        if std::mem::take(&mut open.is_stuck) {
            self.counters.lost_isolates.remove_stuck(&self.config.owner, self.config.memory_limit_bytes);
        }
        // Dropped without the lock, because its callback takes the lock.
        let grace = open.grace.take();
        drop(open);
        drop(grace);
    }

    /// Asks the guest to end a run. See [`Open::ask`].
    pub fn ask(&self, id: JobId, failure: &Failure, link: &dyn Link) -> Option<bool> {
        self.open().ask(id, failure, link)
    }

    /// The isolate on `thread` of this process was given up while it works. Checks a while later whether the isolate
    /// has let go.
    pub fn await_end(self: &Arc<Self>, thread: Option<Thread>) {
        let session_state = self.clone();
        // If the watchdog's thread cannot start, nothing checks. The run's own deadline has needed that thread before.
        let grace = self.watchdog.arm(Instant::now() + GRACE, move || session_state.look_for_end(thread)).ok();
        let mut open = self.open();
        if open.is_live && open.grace.is_none() {
            open.grace = grace;
        }
    }

    /// Counts the isolate as stuck if it still goes on, and lowers the priority of its thread.
    fn look_for_end(&self, thread: Option<Thread>) {
        let mut open = self.open();
        if open.is_live && !open.is_stuck {
            open.is_stuck = true;
            self.counters.lost_isolates.add_stuck(&self.config.owner, self.config.memory_limit_bytes);
            // Under the lock: the thread takes it to report its end, so the thread cannot have ended yet.
            if let Some(thread) = thread {
                thread.set_lowest_priority();
            }
        }
    }

    /// Reports the outcome of a job that the caller has claimed.
    fn settle(&self, job: Job, result: Result<Success, Failure>, figures: Figures, sound: bool) {
        let (session, id, call) = (self.id, job.id, job.call);
        let outcome = Box::new(Outcome { result, report: job.report(figures) });
        (self.owner_events)(OwnerEvent::Settled { session, job: id, call, outcome, sound });
    }

    /// Counts the isolate as given up while it worked, once.
    pub fn count_given_up(&self) {
        if !self.is_given_up.swap(true, Ordering::AcqRel) {
            self.counters.count_terminated();
        }
    }

    /// Settles a job that the isolate still works on with `failure`. See [`Self::settle`].
    pub fn give_up(&self, job: Job, failure: Failure, link: Option<&dyn Link>) {
        self.count_given_up();
        if let Some(link) = link {
            link.interrupt();
        }
        self.settle(job, Err(failure), self.figures(), false);
    }

    /// The figures of the run under way, as far as they are known.
    pub fn figures(&self) -> Figures {
        Figures {
            operations: self.operations.load(Ordering::Relaxed),
            tool_calls: self.tool_calls.load(Ordering::Relaxed),
            heap_used_bytes: 0,
            dropped_calls: 0,
        }
    }
}

/// Ends a run whose deadline the isolate's process keeps.
pub type EndOver = Arc<dyn Fn(Over) + Send + Sync>;

/// What is over of a run whose deadline the isolate's process keeps.
#[derive(Clone, Copy)]
pub enum Over {
    /// The time of the run.
    Time,
    /// The time in which the guest was to end it by itself.
    Grace,
}

/// A run that was asked to end by itself.
pub struct Asked {
    pub job: JobId,
    /// Why it was asked.
    failure: Failure,
    /// When it is forced to end.
    pub grace: Option<Deadline>,
}
