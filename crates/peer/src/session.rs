//! One session of a worker: its jobs, the events that the worker may send, and its deadlines.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use serde_json::json;

use ses_protocol::frames::{Control, Hello, Message};
use ses_protocol::{
    Command, Config, Event, Failure, Figures, JobId, MAX_REPORTED_CALLS, TIMEOUT_MS, ToolCall, ToolCallId,
};
use ses_session::{Deadline, Events, Link, Process, Watchdog};
use ses_sync::CpuClock;
use ses_sync::priority::Thread;

use crate::confinement::Confinement;
use crate::connection::Connection;
use crate::content::readable;
use crate::worker_event::{INVALID_MESSAGE, WorkerEvent};

/// How long a worker may take for actions that guest code cannot prolong: to begin a session, to define variables and
/// tools, to refuse a run. Many times the time that they take on a heavily overloaded machine.
pub const ANSWER: Duration = Duration::from_secs(60);

/// How long a worker that was started ahead of need may take to begin a session before a fresh one replaces it. It only
/// has to read one message. If it does not, it has been stopped.
pub const SPARE_ANSWER: Duration = Duration::from_secs(5);

/// The most events that a worker may send while it has no job, which is more than an honest worker sends. Reading
/// events without a limit would cost the host a processor.
const MAX_UNSOLICITED_EVENTS: usize = 10_000;

/// The most unanswered calls of services, which do not count as tool calls. An honest worker has a few for its timers,
/// and one for each request that it cancels.
const MAX_OPEN_SERVICES: usize = 1_024;

/// Bytes of a frame in addition to one value or one log entry: names, and a failure with its code frame. 8 MiB.
const SLACK_BYTES: usize = 8 << 20;

/// Bytes of the longest body that a frame of a worker may have.
pub fn longest_body(config: &Config) -> usize {
    config.max_transfer_bytes.max(config.max_log_bytes).saturating_add(SLACK_BYTES)
}

/// State shared by the owner's thread and the thread that reads from the worker.
pub struct SessionState {
    /// Any thread may hold it, for a few instructions.
    open: Mutex<Open>,
    /// All further events of the worker are ignored.
    is_over: AtomicBool,
    /// The last greeting. Any thread may hold it, for a few instructions.
    hello: Mutex<Option<Hello>>,
}

#[derive(Default)]
struct Open {
    /// The worker's jobs, oldest first, each with a deadline if no other code watches over it.
    jobs: VecDeque<Asked>,
    /// The deadline for the worker to be ready.
    opening: Option<Deadline>,
    /// A fresh process replaces the worker's process and has not sent its greeting yet.
    is_replaced: bool,
    /// Unanswered calls, with the bytes of their arguments.
    calls: HashMap<ToolCallId, usize>,
    /// Calls that the run under way has made.
    made: u64,
    /// Events that arrived since the last job was done.
    unsolicited: usize,
}

struct Asked {
    job: JobId,
    is_run: bool,
    /// Ends the worker when it expires. Dropped with the job, which cancels it.
    _deadline: Option<Deadline>,
}

impl SessionState {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the worker has no job.
    pub fn is_idle(&self) -> bool {
        self.open().jobs.is_empty()
    }

    /// Records the greeting of the worker.
    ///
    /// # Errors
    ///
    /// The worker must have a sandbox and has none.
    pub fn greet(&self, confinement: Confinement, hello: Hello) -> Result<(), Failure> {
        *self.hello.lock().unwrap_or_else(PoisonError::into_inner) = Some(hello);
        let missing = match hello {
            _ if confinement != Confinement::Required => return Ok(()),
            Hello { landlock: true, seccomp: true, .. } => return Ok(()),
            Hello { landlock: true, .. } => "seccomp",
            Hello { seccomp: true, .. } => "landlock",
            Hello { .. } => "landlock and seccomp",
        };
        self.is_over.store(true, Ordering::Release);
        let sandbox = json!({ "landlock": hello.landlock, "seccomp": hello.seccomp });
        let details = format!("sandbox is \"required\", but this system has no {missing}");
        Err(Failure::init(details).with("sandbox", sandbox))
    }
}

/// The worker's end of a session.
pub struct Peer {
    session_state: Arc<SessionState>,
    confinement: Confinement,
    config: Arc<Config>,
    events: Events,
    is_initialized: bool,
}

impl Peer {
    pub fn new(confinement: Confinement, config: Arc<Config>, events: Events) -> Self {
        let session_state =
            SessionState { open: Mutex::default(), is_over: AtomicBool::new(false), hello: Mutex::default() };
        Self { session_state: Arc::new(session_state), confinement, config, events, is_initialized: false }
    }

    pub fn session_state(&self) -> Arc<SessionState> {
        self.session_state.clone()
    }

    /// # Errors
    ///
    /// The worker must be ended, for this reason.
    pub fn on_worker_event(&mut self, event: WorkerEvent) -> Result<(), &'static str> {
        match event {
            WorkerEvent::Ready(hello) => {
                self.session_state.open().is_replaced = false;
                self.on_greeting(hello)
            }
            // The event came from a process that was given up.
            WorkerEvent::Event(_) if self.session_state.open().is_replaced => Ok(()),
            WorkerEvent::Event(_) if self.is_over() => Ok(()),
            WorkerEvent::Event(event) => self.on_event(event),
            WorkerEvent::Unstarted(failure) => {
                *self.session_state.open() = Open::default();
                (self.events)(Event::Initialized(Err(failure)));
                Ok(())
            }
            WorkerEvent::Lost(reason) => {
                // Drops the deadlines of jobs that will never be done.
                *self.session_state.open() = Open::default();
                (self.events)(if self.is_over() { Event::Closed { panicked: false } } else { Event::Lost { reason } });
                Ok(())
            }
        }
    }

    fn on_greeting(&self, hello: Hello) -> Result<(), &'static str> {
        self.session_state.greet(self.confinement, hello).map_err(|failure| {
            (self.events)(Event::Initialized(Err(failure)));
            "the worker process has no sandbox"
        })
    }

    fn is_over(&self) -> bool {
        self.session_state.is_over.load(Ordering::Acquire)
    }

    /// Whether the worker has begun the session.
    pub fn is_initialized(&self) -> bool {
        self.is_initialized
    }

    /// Passes on an event if a worker may send it in the present state.
    fn on_event(&mut self, event: Event) -> Result<(), &'static str> {
        let mut is_last = false;
        let event = match event {
            Event::Initialized(result) => {
                if std::mem::replace(&mut self.is_initialized, true) {
                    return Err(INVALID_MESSAGE);
                }
                self.session_state.open().opening = None;
                is_last = result.is_err();
                Event::Initialized(result)
            }
            Event::Settled { job, result, figures, sound } => {
                self.end_job(job)?;
                is_last = !sound;
                Event::Settled { job, result, figures, sound }
            }
            Event::ToolCalls(calls) => {
                self.begin_calls(&calls)?;
                Event::ToolCalls(calls)
            }
            // The process can be ended, which frees its memory.
            Event::Parked { bytes } => {
                let job = self.session_state.open().jobs.pop_front().ok_or("the isolate has no memory left")?.job;
                let failure = Failure::parked(self.config.memory_limit_bytes, bytes);
                is_last = true;
                Event::Settled { job, result: Err(failure), figures: Figures::default(), sound: false }
            }
            Event::Log { job, entry } => {
                if self.session_state.open().jobs.front().is_none_or(|asked| !asked.is_run || asked.job != job) {
                    return Err(INVALID_MESSAGE);
                }
                Event::Log { job, entry }
            }
            event @ (Event::Idle { .. }
            | Event::Taken { .. }
            | Event::CpuSpent { .. }
            | Event::TimeOver { .. }
            | Event::GraceOver { .. }
            | Event::Progress { .. }) => {
                let mut open = self.session_state.open();
                open.unsolicited += usize::from(open.jobs.is_empty());
                if open.unsolicited > MAX_UNSOLICITED_EVENTS {
                    return Err(INVALID_MESSAGE);
                }
                drop(open);
                event
            }
            Event::Closed { .. } | Event::Lost { .. } => return Err(INVALID_MESSAGE),
        };
        let event = readable(event, self.config.max_transfer_bytes).ok_or(INVALID_MESSAGE)?;
        if is_last {
            self.session_state.is_over.store(true, Ordering::Release);
        }
        (self.events)(event);
        if is_last { Err("the isolate was lost") } else { Ok(()) }
    }

    /// Ends the first job. Workers do jobs in the order in which they receive them.
    fn end_job(&self, job: JobId) -> Result<(), &'static str> {
        let mut open = self.session_state.open();
        open.jobs.pop_front().filter(|asked| asked.job == job).ok_or(INVALID_MESSAGE)?;
        open.calls.clear();
        open.made = 0;
        Ok(())
    }

    /// Records tool calls. Only runs make calls, within the limits that the isolate itself enforces.
    /// `maxConcurrentToolCalls` is not among these limits: the host enforces it where it calls tools
    /// (`lib/contract/concurrency-limiter.ts`).
    fn begin_calls(&self, calls: &[ToolCall]) -> Result<(), &'static str> {
        let mut open = self.session_state.open();
        let services = &self.config.services;
        let is_service = |tool| services.iter().any(|service| service.id == tool && !service.is_request());
        open.made += calls.iter().filter(|call| !is_service(call.tool)).count() as u64;
        let is_run = open.jobs.front().is_some_and(|asked| asked.is_run);
        let are_new = calls.iter().all(|call| open.calls.insert(call.id, call.args.wire_bytes()).is_none());
        let is_within = (1..=MAX_REPORTED_CALLS).contains(&calls.len())
            && open.made <= self.config.max_tool_calls
            && open.calls.len() <= MAX_OPEN_SERVICES.saturating_add(self.config.max_tool_calls as usize)
            // Besides these calls, the guest may wait for one call with its own arguments.
            && open.calls.values().sum::<usize>() <= self.config.max_transfer_bytes.saturating_mul(2);
        if is_run && are_new && is_within { Ok(()) } else { Err(INVALID_MESSAGE) }
    }
}

/// The connection to a worker's isolate.
pub struct PeerLink {
    session: u32,
    worker: Arc<dyn Connection>,
    session_state: Arc<SessionState>,
    watchdog: Arc<Watchdog>,
    /// How long the worker may take to answer.
    answer: Duration,
    /// The `limits_calls` that the worker was told last. Any thread may hold it, for the sending of a frame.
    kept: Mutex<Option<bool>>,
}

impl PeerLink {
    pub fn new(
        session: u32,
        worker: Arc<dyn Connection>,
        session_state: Arc<SessionState>,
        watchdog: Arc<Watchdog>,
        answer: Duration,
    ) -> Self {
        Self { session, worker, session_state, watchdog, answer, kept: Mutex::default() }
    }

    /// Begins the session.
    pub fn open(&self, control: &Control) {
        let deadline = self.deadline();
        self.session_state.open().opening = deadline;
        self.transmit(control);
    }

    /// Begins the session in a worker that was started ahead of need. If the worker does not answer within `limit`, a
    /// fresh one begins the session.
    pub fn open_spare(&self, control: Control, limit: Duration) {
        let (session, answer) = (self.session, self.answer);
        let (worker, session_state, watchdog) =
            (Arc::downgrade(&self.worker), self.session_state.clone(), self.watchdog.clone());
        let control = Arc::new(control);
        let message = control.clone();
        let expire = move || {
            let Some(worker) = worker.upgrade() else { return };
            let deadline = end_after(answer, &worker, &watchdog);
            {
                let mut open = session_state.open();
                // The worker has answered meanwhile.
                if open.opening.is_none() {
                    return;
                }
                open.opening = deadline;
                open.is_replaced = true;
            }
            match frame_of(session, &*message) {
                Some(frame) => worker.replace(frame),
                None => worker.end(NO_FRAME),
            }
        };
        let deadline = arm(Instant::now() + limit, &*self.worker, &self.watchdog, expire);
        self.session_state.open().opening = deadline;
        self.transmit(&*control);
    }

    /// Sends a message without waiting. If the message cannot be sent, the worker is ended.
    fn transmit(&self, message: &impl Message) {
        match frame_of(self.session, message) {
            Some(frame) => self.worker.send(frame),
            None => self.worker.end(NO_FRAME),
        }
    }

    /// Like [`Self::transmit`]. The worker reads the message even while guest code runs.
    fn transmit_urgently(&self, message: &impl Message) {
        self.transmit(message);
        self.worker.wake();
    }

    fn deadline(&self) -> Option<Deadline> {
        end_after(self.answer, &self.worker, &self.watchdog)
    }

    /// Records a job of the worker. Must be called before the message is sent, because the worker may answer
    /// immediately.
    fn note(&self, job: JobId, is_run: bool, is_watched: bool) {
        let deadline = if is_watched { None } else { self.deadline() };
        let mut open = self.session_state.open();
        open.jobs.push_back(Asked { job, is_run, _deadline: deadline });
        open.unsolicited = 0;
    }
}

/// The reason for ending a worker to which a message cannot be sent.
const NO_FRAME: &str = "a command does not fit a frame";

fn frame_of(session: u32, message: &impl Message) -> Option<Vec<u8>> {
    let mut frame = Vec::new();
    message.write(session, &mut frame).ok().map(|()| frame)
}

/// Ends a worker that has not answered in time.
fn end_after(answer: Duration, worker: &Arc<dyn Connection>, watchdog: &Watchdog) -> Option<Deadline> {
    let ended: Weak<dyn Connection> = Arc::downgrade(worker);
    arm(Instant::now() + answer, &**worker, watchdog, move || {
        if let Some(worker) = ended.upgrade() {
            worker.end("the worker process does not answer");
        }
    })
}

fn arm(
    at: Instant,
    worker: &dyn Connection,
    watchdog: &Watchdog,
    expire: impl FnOnce() + Send + 'static,
) -> Option<Deadline> {
    let armed = watchdog.arm(at, expire);
    if armed.is_err() {
        worker.end("the watchdog cannot be started");
    }
    armed.ok()
}

impl Link for PeerLink {
    fn send(&self, command: Command) {
        match &command {
            Command::SetVariables { job, .. }
            | Command::SetTools { job, .. }
            | Command::Checkpoint { job }
            | Command::Restore { job, .. } => self.note(*job, false, false),
            // The session watches over a run if its deadline is valid. Other runs are refused immediately.
            Command::Run { job, limits, .. } => self.note(*job, true, TIMEOUT_MS.takes(limits.timeout_ms)),
            Command::ToolReplies { replies, .. } => {
                let mut open = self.session_state.open();
                // A call that was answered with a promise has passed its arguments on. Their number is not limited.
                for (call, _) in replies {
                    open.calls.remove(call);
                }
            }
        }
        self.transmit(&command);
    }

    /// A signal tells a worker that runs guest code that there is something to read. Linux only.
    fn ask(&self, job: JobId) -> bool {
        if cfg!(not(target_os = "linux")) {
            return false;
        }
        self.transmit_urgently(&Control::Stop(job));
        true
    }

    fn interrupt(&self) {
        self.session_state.is_over.store(true, Ordering::Release);
        self.worker.kill();
    }

    fn thread(&self) -> Option<Thread> {
        None
    }

    /// The worker reports when a run has used up its processor time.
    fn cpu_clock(&self) -> Option<CpuClock> {
        None
    }

    fn latency(&self) -> Duration {
        self.worker.latency()
    }

    fn keep_deadlines(&self, limits_calls: bool) -> bool {
        if !self.worker.is_remote() {
            return false;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.replace(limits_calls) != Some(limits_calls) {
            self.transmit(&Control::KeepDeadlines { limits_calls });
        }
        true
    }

    fn lost_cause(&self) -> Option<&'static str> {
        self.worker.lost_cause()
    }

    fn process(&self) -> Option<Process> {
        let hello = *self.session_state.hello.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Process { pid: self.worker.pid(), hello, machine: self.worker.machine() })
    }
}

impl Drop for PeerLink {
    fn drop(&mut self) {
        self.interrupt();
    }
}
