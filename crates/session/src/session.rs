//! One isolate of an executor, as the executor's side sees it.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use ses_protocol::{
    CallId, Command, Config, Event, Failure, FailureKind, Figures, JobId, LogEntry, Outcome, RunLimits, SessionId,
    Success,
};

use crate::backend::{Boot, Link, Process, Remains};
use crate::counters::Counters;
use crate::engine::Engine;
use crate::jobs::{Job, Jobs};
use crate::notice::{Notice, Notices};
use crate::watchdog::{Deadline, Watchdog};

/// `details.reason` of a run that used up its processor time.
const CPU: &str = "cpu";
/// How long an isolate that was given up may go on until it counts as stuck.
const GRACE: Duration = Duration::from_secs(1);
/// The longest deadline that VALIDATE accepts.
const LONGEST_MS: f64 = i32::MAX as f64;

/// What a session knows of its isolate: shared by the owner's thread, the one that the isolate's events come on, and the
/// watchdog's.
struct Desk {
    id: SessionId,
    config: Arc<Config>,
    notices: Notices,
    counters: Arc<Counters>,
    watchdog: Arc<Watchdog>,
    /// Set once, when there is a way to the isolate.
    remains: OnceLock<Arc<dyn Remains>>,
    /// Held for a few instructions, or the copy of a log entry, by any thread.
    open: Mutex<Open>,
    /// The session was given up: what the isolate does is nobody's any more.
    is_given_up: AtomicBool,
    /// Of the run under way, as far as they are known.
    operations: AtomicU64,
    tool_calls: AtomicU64,
}

#[derive(Default)]
struct Open {
    jobs: Jobs,
    /// Log entries that the owner has not taken.
    unsent: Vec<LogEntry>,
    /// The isolate counts as live.
    is_live: bool,
    /// Armed when the isolate was given up while it worked.
    grace: Option<Deadline>,
    /// The isolate counts as stuck.
    is_stuck: bool,
}

impl Desk {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Acquire)
    }

    /// Takes in what the isolate reports.
    fn on_event(&self, event: Event) {
        let session = self.id;
        match event {
            Event::Initialized(result) => {
                if result.is_err() {
                    self.end_life();
                }
                (self.notices)(Notice::Initialized { session, result });
            }
            Event::Settled { job, result, figures, sound, installing } => {
                let job = self.open().jobs.claim(job);
                if let Some(job) = job {
                    self.settle(job, result, figures, sound, installing);
                }
            }
            Event::Installed(result) => (self.notices)(Notice::Installed { session, result }),
            Event::ToolCall(call) => {
                self.tool_calls.store(call.made, Ordering::Relaxed);
                if !self.is_given_up() {
                    (self.notices)(Notice::ToolCall { session, call });
                }
            }
            Event::Waiting => (self.notices)(Notice::Waiting),
            Event::Progress { operations, tool_calls } => {
                self.operations.store(operations, Ordering::Relaxed);
                self.tool_calls.store(tool_calls, Ordering::Relaxed);
            }
            Event::Log { job, entry } => self.log(job, entry),
            Event::Parked { bytes } => self.on_parked(bytes),
            Event::Lost { reason } => {
                self.end_life();
                (self.notices)(Notice::Lost { session, reason });
            }
            Event::Closed { panicked } => {
                self.end_life();
                (self.notices)(Notice::Closed { session, panicked });
            }
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
            (self.notices)(Notice::Logs { session: self.id });
        }
    }

    /// The isolate is lost with its memory, and with what it worked on.
    fn on_parked(&self, bytes: usize) {
        self.end_life();
        self.counters.losses.add_parked(Some(&self.config.owner), bytes);
        let job = self.open().jobs.claim_current();
        match job {
            Some(job) => {
                let failure = Failure::memory_limit(self.config.memory_limit_bytes).with("parked", true);
                self.give_up(job, failure, None);
            }
            None => (self.notices)(Notice::Closed { session: self.id, panicked: true }),
        }
    }

    /// The isolate no longer counts as live.
    fn end_life(&self) {
        let mut open = self.open();
        if std::mem::take(&mut open.is_live) {
            self.counters.remove_live();
        }
        if std::mem::take(&mut open.is_stuck) {
            self.counters.losses.remove_stuck(&self.config.owner, self.config.memory_limit_bytes);
        }
        let grace = open.grace.take();
        // Dropped without the lock, with what it would have called.
        drop(open);
        drop(grace);
    }

    /// The isolate is given up while it works: looks a while later whether it has let go.
    fn await_end(self: &Arc<Self>) {
        let desk = self.clone();
        // Without a thread for it nobody looks. The run's own deadline has needed that thread before.
        let grace = self.watchdog.arm(Instant::now() + GRACE, move || desk.look_for_end()).ok();
        let mut open = self.open();
        if open.is_live && open.grace.is_none() {
            open.grace = grace;
        }
    }

    /// Counts the isolate as stuck if it still goes on.
    fn look_for_end(&self) {
        // Held until it is held back: the isolate's thread passes here before it ends.
        let mut open = self.open();
        if open.is_live && !open.is_stuck {
            if let Some(remains) = self.remains.get() {
                remains.hold_back();
            }
            open.is_stuck = true;
            self.counters.losses.add_stuck(&self.config.owner, self.config.memory_limit_bytes);
        }
    }

    /// Reports how a job ended that the caller has claimed.
    fn settle(&self, job: Job, result: Result<Success, Failure>, figures: Figures, sound: bool, installing: bool) {
        let (session, id, call) = (self.id, job.id, job.call);
        let outcome = Box::new(Outcome { result, report: job.report(figures) });
        (self.notices)(Notice::Settled { session, job: id, call, outcome, sound, installing });
    }

    /// As [`Self::settle`], with `failure`, of a job that the isolate still works on.
    fn give_up(&self, job: Job, failure: Failure, link: Option<&dyn Link>) {
        self.counters.count_terminated();
        self.is_given_up.store(true, Ordering::Release);
        if let Some(link) = link {
            link.interrupt();
        }
        self.settle(job, Err(failure), self.figures(), false, false);
    }

    /// What is known of the run under way.
    fn figures(&self) -> Figures {
        Figures {
            operations: self.operations.load(Ordering::Relaxed),
            tool_calls: self.tool_calls.load(Ordering::Relaxed),
            heap_used_bytes: 0,
        }
    }
}

/// Handle of a session on its owner's thread. Dropping it gives the isolate up.
pub struct Session {
    desk: Arc<Desk>,
    link: Arc<dyn Link>,
    deadlines: Vec<Deadline>,
}

impl Session {
    /// Has an isolate made. [`Notice::Initialized`] follows.
    pub fn start(id: SessionId, config: Arc<Config>, engine: &Engine, notices: Notices) -> Result<Self, Failure> {
        let counters = engine.counters.clone();
        let desk = Arc::new(Desk {
            id,
            config: config.clone(),
            notices,
            counters,
            watchdog: engine.watchdog.clone(),
            remains: OnceLock::new(),
            open: Mutex::new(Open { is_live: true, ..Open::default() }),
            is_given_up: AtomicBool::new(false),
            operations: AtomicU64::new(0),
            tool_calls: AtomicU64::new(0),
        });
        engine.counters.add_live();
        let events = {
            let desk = desk.clone();
            Arc::new(move |event| desk.on_event(event))
        };
        match engine.backend.boot(Boot { session: id, config, events }) {
            Ok(link) => {
                if let Some(remains) = link.remains() {
                    // A second call cannot happen: a session has one isolate.
                    let _ = desk.remains.set(remains);
                }
                Ok(Self { desk, link, deadlines: Vec::new() })
            }
            Err(failure) => {
                desk.end_life();
                Err(failure)
            }
        }
    }

    pub fn id(&self) -> SessionId {
        self.desk.id
    }

    /// The process of its own that the isolate has, if any.
    pub fn process(&self) -> Option<Process> {
        self.link.process()
    }

    /// Hands over a command that belongs to no job.
    pub fn send(&self, command: Command) {
        self.link.send(command);
    }

    /// Hands over what is to be set up.
    pub fn set_up(&self, job: JobId, call: CallId, command: Command) {
        self.desk.open().jobs.add(Job::new(job, call, None, 0));
        self.link.send(command);
    }

    /// Arms the deadlines and hands a run over.
    ///
    /// # Errors
    ///
    /// Nothing would watch over the deadlines. The run has not begun.
    pub fn run(
        &mut self,
        engine: &Engine,
        id: JobId,
        call: CallId,
        code: String,
        limits: RunLimits,
    ) -> Result<(), Failure> {
        let job = Job::new(id, call, Some(limits), self.desk.config.max_log_bytes);
        let started = job.started();
        self.desk.operations.store(0, Ordering::Relaxed);
        self.desk.tool_calls.store(0, Ordering::Relaxed);
        // Before the deadline, which may pass at once and has to find what it settles.
        self.desk.open().jobs.add(job);
        if let Err(error) = self.arm(engine, id, started, limits) {
            self.disarm();
            if self.desk.open().jobs.claim(id).is_some() {
                let cause = format!("nothing can watch over the run's deadline: {error}");
                return Err(Failure::new(FailureKind::Runtime { cause }).with("reason", "engine"));
            }
            // A deadline that was armed has settled it.
            return Ok(());
        }
        self.link.send(Command::Run { job: id, code, limits });
        Ok(())
    }

    /// Limits that are out of range arm nothing: VALIDATE refuses the run.
    fn arm(&mut self, engine: &Engine, id: JobId, started: Instant, limits: RunLimits) -> io::Result<()> {
        let expire = |reason: &'static str| {
            let (desk, link) = (self.desk.clone(), self.link.clone());
            move || {
                let mut failure = Failure::new(FailureKind::Timeout { timeout_ms: limits.timeout_ms })
                    .with("timeoutMs", limits.timeout_ms)
                    .with("reason", reason);
                if let (CPU, Some(cpu_ms)) = (reason, limits.cpu_ms) {
                    failure = failure.with("maxCpuMs", cpu_ms);
                }
                interrupt(&desk, &*link, id, failure);
            }
        };
        let duration = |ms: f64| {
            let is_valid = ms.fract() == 0.0 && (1.0..=LONGEST_MS).contains(&ms);
            is_valid.then(|| Duration::from_millis(ms as u64))
        };
        if let Some(timeout) = duration(limits.timeout_ms) {
            self.deadlines.push(engine.watchdog.arm(started + timeout, expire("deadline"))?);
        }
        if let (Some(budget), Some(clock)) = (limits.cpu_ms.and_then(duration), self.link.cpu_clock()) {
            self.deadlines.extend(engine.watchdog.arm_cpu(clock, budget, expire(CPU))?);
        }
        Ok(())
    }

    /// The run has been settled: its deadline no longer counts.
    pub fn disarm(&mut self) {
        self.deadlines.clear();
    }

    /// Log entries that were not taken before.
    pub fn take_logs(&self) -> Vec<LogEntry> {
        std::mem::take(&mut self.desk.open().unsent)
    }

    /// Settles a job with `failure` now and gives the isolate up. Does nothing if somebody else was first.
    pub fn interrupt(&self, job: JobId, failure: Failure) {
        interrupt(&self.desk, &*self.link, job, failure);
    }

    /// Takes a job that is not to be settled by a notice any more, and how it ended.
    pub fn refuse(&self, job: JobId, failure: Failure) -> Option<(CallId, Outcome)> {
        let job = self.desk.open().jobs.claim(job)?;
        self.desk.counters.count_terminated();
        self.desk.await_end();
        Some((job.call, Outcome { result: Err(failure), report: job.report(self.desk.figures()) }))
    }

    /// Tool calls of the run under way, as far as they are known.
    pub fn tool_calls(&self) -> u64 {
        self.desk.figures().tool_calls
    }

    /// As [`Self::refuse`], of the job that the isolate worked on when it was lost.
    pub fn take_lost(&self, failure: Failure) -> Option<(CallId, Outcome)> {
        let job = self.desk.open().jobs.claim_current()?;
        Some((job.call, Outcome { result: Err(failure), report: job.report(self.desk.figures()) }))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.desk.is_given_up.store(true, Ordering::Release);
    }
}

fn interrupt(desk: &Arc<Desk>, link: &dyn Link, job: JobId, failure: Failure) {
    let job = desk.open().jobs.claim(job);
    if let Some(job) = job {
        desk.await_end();
        desk.give_up(job, failure, Some(link));
    }
}
