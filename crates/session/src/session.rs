//! One isolate of an executor, as the executor's side sees it.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ses_protocol::{
    CallId, Command, Config, ERR_TRANSFER_LIMIT_EXCEEDED, ErrorCode, Event, Failure, FailureKind, Figures, JobId,
    LogEntry, ModuleBody, Outcome, RunLimits, SessionId, Success, TIMEOUT_MS, ToolCall, ToolCallId, ToolError,
    ToolReply, ToolSpec,
};

use ses_sync::priority;

use crate::backend::{Boot, Ear, Link, Process};
use crate::counters::Counters;
use crate::engine::Engine;
use crate::jobs::{Job, Jobs};
use crate::notice::{End, Notice, Notices};
use crate::run_clock::{Expired, RunClock};
use crate::share::Share;
use crate::watchdog::{Deadline, Watchdog};

/// `details.hint` of a run that took too long, where earlier ones have left promises that never settle.
const DROPPED_CALLS_HINT: &str = "Do less in one run, and await only promises that settle: those of tool calls that an earlier run \
     did not await never do. Call the tools again and await them in the same run.";
/// `details.reason` of a run that took too long.
const DEADLINE: &str = "deadline";
/// `details.reason` of a run that used up its processor time.
const CPU: &str = "cpu";
/// How long an isolate that was given up may go on until it counts as stuck.
const GRACE: Duration = Duration::from_secs(1);
/// How long a guest that was asked to end at its deadline may take until it is made to.
const PATIENCE: Duration = Duration::from_millis(40);
/// The same of one that somebody wants to end, who would rather wait than lose its variables.
const ABORT_PATIENCE: Duration = Duration::from_secs(2);
/// In `details`: whether variables of earlier runs are gone with the isolate.
const STATE_LOST: &str = "stateLost";

/// Smaller answers are not refused: there are no more of them than calls at once. 1 MiB.
const MIN_COUNTED_BYTES: usize = 1 << 20;

/// What a session knows of its isolate: shared by the owner's thread, the one that the isolate's events come on, and the
/// watchdog's.
struct Desk {
    id: SessionId,
    config: Arc<Config>,
    notices: Notices,
    counters: Arc<Counters>,
    watchdog: Arc<Watchdog>,
    /// Held for a few instructions, the copy of a log entry, or a call of the system that does not wait, by any thread.
    open: Mutex<Open>,
    /// What the isolate gets of the processors, as long as it is live and there is a way to it. Held while the system is asked of the
    /// isolate's threads, which takes up to a millisecond for those of a process: by the watchdog's thread, by the owner's when a run
    /// begins, and by the one that reports the isolate's end, so that nobody asks of threads that are gone. `open` may be taken under it.
    share: Mutex<Option<Share>>,
    /// The session was given up: what the isolate does is nobody's any more.
    is_given_up: AtomicBool,
    /// Of the run under way, as far as they are known.
    operations: AtomicU64,
    tool_calls: AtomicU64,
}

#[derive(Default)]
struct Open {
    jobs: Jobs,
    /// Of the run under way.
    clock: Option<RunClock>,
    /// Tools that answer within some time, whatever the limits of a run are.
    limited_tools: HashSet<u32>,
    /// The run that the guest was asked to end.
    asked: Option<Asked>,
    /// Ends the run under way, which the isolate says when it has used up its processor time.
    on_cpu_spent: Option<(JobId, Box<dyn FnOnce() + Send>)>,
    /// Bytes of answers to the run under way that the guest has not said it has taken.
    untaken: usize,
    /// Log entries that the owner has not taken.
    unsent: Vec<LogEntry>,
    /// A run has ended before tool calls that it had not awaited, whose promises later runs may await.
    has_dropped_calls: bool,
    /// The isolate counts as live.
    is_live: bool,
    /// When the watchdog is to look at its share; absent: no more.
    look_at: Option<Instant>,
    /// Armed when the isolate was given up while it worked.
    grace: Option<Deadline>,
    /// The isolate counts as stuck.
    is_stuck: bool,
}

impl Open {
    fn know_tools<'a>(&mut self, tools: impl IntoIterator<Item = &'a ToolSpec>) {
        for tool in tools {
            if tool.is_limited {
                self.limited_tools.insert(tool.id);
            } else {
                self.limited_tools.remove(&tool.id);
            }
        }
    }

    fn on_calls(&mut self, calls: &[ToolCall]) {
        let Some(clock) = &mut self.clock else { return };
        for call in calls {
            clock.on_call(call.id, self.limited_tools.contains(&call.tool));
        }
    }

    /// Takes the right to settle a job, and that the guest was asked to end it.
    fn claim(&mut self, id: JobId) -> (Option<Job>, Option<Asked>) {
        let job = self.jobs.claim(id);
        let asked = job.as_ref().and_then(|job| self.asked.take_if(|asked| asked.job == job.id));
        (job, asked)
    }

    /// Asks the guest to end a run, unless it was settled or asked before. `None`: it never looks. Under the lock, so that the
    /// next run is not the one that is asked.
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

    fn clock_of(&mut self, job: JobId) -> Option<&mut RunClock> {
        self.clock.as_mut().filter(|clock| clock.job == job)
    }
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
                let mut open = self.open();
                let (job, asked) = open.claim(job);
                open.has_dropped_calls |= figures.dropped_calls > 0;
                drop(open);
                if let Some(job) = job {
                    // Whatever it gives was too late, but for an answer: guests give none once they are asked.
                    let has_answer = matches!(result, Ok(Success::Output { is_final_answer: true, .. }));
                    let result = match asked {
                        Some(asked) if !has_answer => Err(asked.failure.with(STATE_LOST, !sound)),
                        _ => result,
                    };
                    self.settle(job, result, figures, sound, installing);
                }
            }
            Event::Installed(result) => (self.notices)(Notice::Installed { session, result }),
            Event::ToolCalls(calls) => {
                if let Some(last) = calls.last() {
                    self.tool_calls.store(last.made, Ordering::Relaxed);
                }
                self.open().on_calls(&calls);
                if !self.is_given_up() {
                    (self.notices)(Notice::ToolCalls { session, calls });
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
                // One that has ended is not to end another.
                let end = self.open().on_cpu_spent.take_if(|(run, _)| *run == job);
                if let Some((_, end)) = end {
                    end();
                }
            }
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
                let end = if panicked { End::Panicked } else { End::Ended };
                (self.notices)(Notice::Closed { session, end });
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
            Some(job) => self.give_up(job, Failure::parked(self.config.memory_limit_bytes, bytes), None),
            None => (self.notices)(Notice::Closed { session: self.id, end: End::Parked(bytes) }),
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
        // Dropped without the lock, with what it would have called.
        let grace = open.grace.take();
        drop(open);
        drop(grace);
        let share = self.share().take();
        drop(share);
    }

    fn share(&self) -> MutexGuard<'_, Option<Share>> {
        self.share.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `work` with the isolate's share, if it has one, and notes when to look at that next.
    fn with_share(&self, work: impl FnOnce(&mut Share)) {
        let mut share = self.share();
        if let Some(share) = share.as_mut() {
            work(share);
        }
        self.open().look_at = share.as_ref().and_then(Share::due);
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
        let mut open = self.open();
        if open.is_live && !open.is_stuck {
            open.is_stuck = true;
            self.counters.losses.add_stuck(&self.config.owner, self.config.memory_limit_bytes);
            drop(open);
            self.with_share(Share::hold_back);
        }
    }

    /// Reports how a job ended that the caller has claimed.
    fn settle(&self, job: Job, result: Result<Success, Failure>, figures: Figures, sound: bool, installing: bool) {
        let (session, id, call) = (self.id, job.id, job.call);
        let outcome = Box::new(Outcome { result, report: job.report(figures) });
        (self.notices)(Notice::Settled { session, job: id, call, outcome, sound, installing });
    }

    /// The isolate is given up while it works, which counts once.
    fn count_given_up(&self) {
        if !self.is_given_up.swap(true, Ordering::AcqRel) {
            self.counters.count_terminated();
        }
    }

    /// As [`Self::settle`], with `failure`, of a job that the isolate still works on.
    fn give_up(&self, job: Job, failure: Failure, link: Option<&dyn Link>) {
        self.count_given_up();
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
            dropped_calls: 0,
        }
    }
}

/// Handle of a session on its owner's thread. Dropping it gives the isolate up.
pub struct Session {
    desk: Arc<Desk>,
    link: Arc<dyn Link>,
    /// Of the run under way.
    deadline: Option<RunDeadline>,
    cpu_deadline: Option<Deadline>,
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
            open: Mutex::new(Open { is_live: true, ..Open::default() }),
            share: Mutex::default(),
            is_given_up: AtomicBool::new(false),
            operations: AtomicU64::new(0),
            tool_calls: AtomicU64::new(0),
        });
        desk.open().know_tools(desk.config.modules.iter().flat_map(|module| match &module.body {
            ModuleBody::Source(_) => [].as_slice(),
            ModuleBody::Exports { functions, .. } => functions,
        }));
        engine.counters.add_live();
        let events = {
            let desk = desk.clone();
            Arc::new(move |event| desk.on_event(event))
        };
        match engine.backend.boot(Boot { session: id, config, events }) {
            Ok(link) => {
                let mut share = desk.share();
                if desk.open().is_live {
                    *share = Some(Share::new(link.tasks(), priority::can_restore));
                }
                drop(share);
                Ok(Self { desk, link, deadline: None, cpu_deadline: None })
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

    /// As [`Link::ear`].
    pub fn ear(&self) -> Option<Arc<dyn Ear>> {
        self.link.ear()
    }

    /// Hands answers of tools over to the run under way.
    pub fn answer(&self, mut replies: Vec<(ToolCallId, ToolReply)>) {
        let limit = self.desk.config.memory_limit_bytes;
        let mut open = self.desk.open();
        for (_, reply) in &mut replies {
            let bytes = reply.bytes();
            // The host would keep for the guest what the guest has no room for.
            if bytes > MIN_COUNTED_BYTES && open.untaken.saturating_add(bytes) > limit {
                *reply = ToolReply::Error(no_room(bytes, limit));
            }
            open.untaken += reply.bytes();
        }
        let due = open.clock.as_mut().and_then(|clock| clock.on_answers(&replies, Instant::now()));
        drop(open);
        if let (Some(due), Some(deadline)) = (due, &self.deadline) {
            deadline.arm_or_end(due);
        }
        self.link.send(Command::ToolReplies(replies));
    }

    /// Hands over what is to be set up.
    pub fn set_up(&self, job: JobId, call: CallId, command: Command) {
        let mut open = self.desk.open();
        open.jobs.add(Job::new(job, call, None, 0));
        if let Command::SetTools { tools, .. } = &command {
            open.know_tools(tools);
        }
        drop(open);
        self.link.send(command);
    }

    /// Arms the deadlines and hands a run over.
    ///
    /// # Errors
    ///
    /// Nothing would watch over the deadlines. The run has not begun.
    pub fn run(&mut self, id: JobId, call: CallId, code: String, limits: RunLimits) -> Result<(), Failure> {
        let job = Job::new(id, call, Some(limits), self.desk.config.max_log_bytes);
        let started = job.started();
        self.desk.operations.store(0, Ordering::Relaxed);
        self.desk.tool_calls.store(0, Ordering::Relaxed);
        // Before the deadline, which may pass at once and has to find what it settles.
        let mut open = self.desk.open();
        open.jobs.add(job);
        open.untaken = 0;
        drop(open);
        if let Err(error) = self.arm(id, started, limits) {
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
    fn arm(&mut self, job: JobId, started: Instant, limits: RunLimits) -> io::Result<()> {
        let duration = |ms: f64| TIMEOUT_MS.takes(ms).then(|| Duration::from_millis(ms as u64));
        let (desk, link) = (self.desk.clone(), self.link.clone());
        if let Some(timeout) = duration(limits.timeout_ms) {
            let due = started + timeout;
            self.desk.open().clock = Some(RunClock::new(job, due, limits.tool_timeout_ms.is_some()));
            self.desk.with_share(|share| share.begin(started));
            let deadline = RunDeadline { desk: desk.clone(), link: link.clone(), job, timeout_ms: limits.timeout_ms };
            deadline.arm(due)?;
            self.deadline = Some(deadline);
        }
        if let Some(cpu_ms) = limits.cpu_ms
            && let Some(budget) = duration(cpu_ms)
        {
            let failure = timed_out(limits.timeout_ms, CPU).with("maxCpuMs", cpu_ms);
            let expire = move || interrupt(&desk, &link, job, failure, PATIENCE);
            match self.link.cpu_clock() {
                Some(clock) => self.cpu_deadline = self.desk.watchdog.arm_cpu(clock, budget, expire)?,
                None => self.desk.open().on_cpu_spent = Some((job, Box::new(expire))),
            }
        }
        Ok(())
    }

    /// The run has been settled: its deadline no longer counts.
    pub fn disarm(&mut self) {
        self.deadline = None;
        self.cpu_deadline = None;
        // Dropped without the lock, with what it would have called.
        let mut open = self.desk.open();
        let left = (open.clock.take(), open.asked.take(), open.on_cpu_spent.take());
        drop(open);
        drop(left);
    }

    /// Log entries that were not taken before.
    pub fn take_logs(&self) -> Vec<LogEntry> {
        std::mem::take(&mut self.desk.open().unsent)
    }

    /// Ends a job with `failure`: at once with its isolate, or soon without. Does nothing if somebody else was first.
    pub fn interrupt(&self, job: JobId, failure: Failure) {
        interrupt(&self.desk, &self.link, job, failure, ABORT_PATIENCE);
    }

    /// Takes a job that is not to be settled by a notice any more, and how it ended.
    pub fn refuse(&self, job: JobId, failure: Failure) -> Option<(CallId, Outcome)> {
        let job = self.desk.open().jobs.claim(job)?;
        self.desk.count_given_up();
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
        self.disarm();
        self.desk.is_given_up.store(true, Ordering::Release);
    }
}

/// A run that is to end by itself.
struct Asked {
    job: JobId,
    /// Why.
    failure: Failure,
    /// When it is made to.
    grace: Option<Deadline>,
}

/// Settles a run when its time is over.
#[derive(Clone)]
struct RunDeadline {
    desk: Arc<Desk>,
    link: Arc<dyn Link>,
    job: JobId,
    timeout_ms: f64,
}

impl RunDeadline {
    /// Arms it for the moment at which the run is due, or to be looked at.
    ///
    /// # Errors
    ///
    /// Nothing would watch over it.
    fn arm(&self, due: Instant) -> io::Result<()> {
        let deadline = self.clone();
        // Armed and noted under the lock: else it may expire in between, and what is armed then would be dropped for it.
        let mut open = self.desk.open();
        let at = open.look_at.map_or(due, |look| look.min(due));
        let armed = self.desk.watchdog.arm(at, move || deadline.on_expired())?;
        let before = match open.clock_of(self.job) {
            Some(clock) => clock.deadline.replace(armed),
            None => Some(armed),
        };
        // Without the lock, with what it would have called.
        drop(open);
        drop(before);
        Ok(())
    }

    /// Arms it again. A run that nothing watches over any more is ended.
    fn arm_or_end(&self, due: Instant) {
        if self.arm(due).is_err() {
            self.end();
        }
    }

    fn on_expired(&self) {
        let now = Instant::now();
        if self.desk.open().look_at.is_some_and(|at| at <= now) {
            self.desk.with_share(|share| share.look(now));
        }
        let expired = match self.desk.open().clock_of(self.job) {
            Some(clock) => clock.on_expired(now),
            None => return,
        };
        match expired {
            Expired::Due => self.end(),
            Expired::Later(due) => self.arm_or_end(due),
            Expired::Still => {}
        }
    }

    fn end(&self) {
        let mut failure = timed_out(self.timeout_ms, DEADLINE);
        if self.desk.open().has_dropped_calls {
            failure = failure.with("hint", DROPPED_CALLS_HINT);
        }
        interrupt(&self.desk, &self.link, self.job, failure, PATIENCE);
    }
}

/// Why the guest gets no result of so many bytes.
fn no_room(bytes: usize, limit: usize) -> ToolError {
    let message = format!(
        "the result takes {bytes} bytes, and with the results that the code has not taken yet more than its memory limit ({limit}): \
         make fewer calls at once"
    );
    let code = Some(ErrorCode::Text(ERR_TRANSFER_LIMIT_EXCEEDED.to_owned()));
    ToolError { name: "RangeError".to_owned(), message, code, bridge: true }
}

fn timed_out(timeout_ms: f64, reason: &str) -> Failure {
    Failure::new(FailureKind::Timeout { timeout_ms }).with("timeoutMs", timeout_ms).with("reason", reason)
}

/// Ends a job with `failure`: has the guest end it, as long as `patience` lasts, or gives the isolate up.
fn interrupt(desk: &Arc<Desk>, link: &Arc<dyn Link>, job: JobId, failure: Failure, patience: Duration) {
    let is_asked = if desk.config.keep_state { desk.open().ask(job, &failure, &**link) } else { None };
    match is_asked {
        None if desk.config.keep_state => return end(desk, &**link, job, failure.with(STATE_LOST, true)),
        None => return end(desk, &**link, job, failure),
        Some(false) => return,
        Some(true) => {}
    }
    let (impatient, to_isolate) = (desk.clone(), link.clone());
    let late = failure.clone().with(STATE_LOST, true);
    match desk.watchdog.arm(Instant::now() + patience, move || end(&impatient, &*to_isolate, job, late)) {
        Ok(grace) => {
            let mut open = desk.open();
            // If it has ended meanwhile, the deadline is dropped without the lock.
            let before = match &mut open.asked {
                Some(asked) if asked.job == job => asked.grace.replace(grace),
                _ => Some(grace),
            };
            drop(open);
            drop(before);
        }
        // Nobody would look.
        Err(_) => end(desk, &**link, job, failure.with(STATE_LOST, true)),
    }
}

/// Settles a job with `failure` now and gives the isolate up.
fn end(desk: &Arc<Desk>, link: &dyn Link, job: JobId, failure: Failure) {
    let (job, asked) = desk.open().claim(job);
    drop(asked);
    if let Some(job) = job {
        desk.await_end();
        desk.give_up(job, failure, Some(link));
    }
}
