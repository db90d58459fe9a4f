//! One isolate on its thread, as the Node.js thread sees it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::job::Job;
use super::mailbox::{Sender, channel};
use super::messages::{Command, Event, EventSink};
use super::pool;
use super::stats::{self, LiveIsolate};
use super::thread::{self, Handover};
use super::watchdog::{CpuClock, Deadline};
use crate::realm::interrupt::Interrupt;
use ses_protocol::{Config, Failure, FailureKind, Outcome, RunLimits, SessionId};

/// Address space of an executor thread's stack; pages are touched only when used. V8 takes 1 MiB of it. The parser of
/// programs asks for 18 MiB for the nesting that 3 KiB of text could have, and 6 KiB per bracket: what is longer than
/// agents write runs on a stack of its own.
const STACK_BYTES: usize = 32 << 20;

/// `details.reason` of a run that used up its processor time.
const CPU: &str = "cpu";
/// The longest deadline that VALIDATE accepts.
const LONGEST_MS: f64 = i32::MAX as f64;

/// What the executor thread shares with the threads that may interrupt it.
pub struct Shared {
    pub id: SessionId,
    pub config: Arc<Config>,
    pub sink: EventSink,
    commands: Sender<Command>,
    /// Set once by the executor thread; what terminates guest code from any thread.
    interrupt: OnceLock<Interrupt>,
    /// The job that the isolate works on. Held for a few instructions only, by any thread.
    current: Mutex<Option<Arc<Job>>>,
    /// The session was given up: the thread ends as soon as it can.
    abandoned: AtomicBool,
    /// Set once by the executor thread, before it reports that the isolate is ready.
    cpu_clock: OnceLock<CpuClock>,
}

impl Shared {
    /// The clock of the thread whose processor time counts.
    pub fn set_cpu_clock(&self, clock: Option<CpuClock>) {
        if let Some(clock) = clock {
            let _ = self.cpu_clock.set(clock);
        }
    }

    pub fn set_interrupt(&self, interrupt: Interrupt) {
        // A second call cannot happen: a session boots one isolate.
        let _ = self.interrupt.set(interrupt);
        if self.is_abandoned() {
            self.terminate();
        }
    }

    pub fn set_current(&self, job: Option<Arc<Job>>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = job;
    }

    pub fn current(&self) -> Option<Arc<Job>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Acquire)
    }

    /// Reports the outcome of `job`, which the caller has claimed. `installing`: see [`Event::Settled`].
    pub fn settle(&self, job: Arc<Job>, outcome: Outcome, sound: bool, installing: bool) {
        (self.sink)(Event::Settled { session: self.id, job, outcome, sound, installing });
    }

    /// Settles `job` from outside the executor thread and gives the isolate up.
    /// Does nothing if another thread was first.
    pub fn interrupt(&self, job: &Arc<Job>, failure: Failure) {
        if !job.claim() {
            return;
        }
        stats::count_terminated();
        // The log is closed first: what the executor thread finds when it has unwound is no longer the guest's doing.
        let report = job.report(0.0);
        self.abandon();
        self.settle(job.clone(), Outcome { result: Err(failure), report }, false, false);
    }

    /// Ends guest code and the thread as soon as V8 lets go.
    pub fn abandon(&self) {
        // Before it is terminated, so that the thread, once unwound, cannot take another job.
        self.abandoned.store(true, Ordering::Release);
        self.terminate();
        // A thread that waits for a tool is not in V8: wake it.
        self.commands.send(Command::Wake);
    }

    fn terminate(&self) {
        if let Some(interrupt) = self.interrupt.get() {
            interrupt.terminate();
        }
    }
}

/// Name of the thread that serves the session `id`.
pub fn thread_name(id: SessionId) -> String {
    format!("ses-executor-{id}")
}

/// Starts a thread that may have an isolate.
pub fn spawn(name: String, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name(name).stack_size(STACK_BYTES).spawn(work).map(drop)
}

/// Handle of a session on the Node.js thread. Dropping it gives the isolate up.
pub struct Session {
    shared: Arc<Shared>,
    deadlines: Vec<Deadline>,
}

impl Session {
    /// Takes an isolate from the pool, or starts a thread that boots one. [`Event::Initialized`] follows.
    pub fn start(id: SessionId, config: Arc<Config>, sink: EventSink) -> Result<Self, Failure> {
        let warm = pool::take(config.memory_limit_bytes);
        let (commands, inbox) = channel();
        let shared = Arc::new(Shared {
            id,
            config,
            sink,
            commands,
            interrupt: OnceLock::new(),
            current: Mutex::new(None),
            abandoned: AtomicBool::new(false),
            cpu_clock: OnceLock::new(),
        });
        let handover = Handover { shared: shared.clone(), inbox, live: LiveIsolate::count() };
        match warm {
            Some(warm) => {
                shared.set_cpu_clock(warm.cpu_clock);
                shared.set_interrupt(warm.interrupt);
                // The thread of a warm isolate does nothing but wait for this.
                let _ = warm.handover.send(handover);
                (shared.sink)(Event::Initialized { session: id, result: Ok(()) });
            }
            None => spawn(thread_name(id), move || thread::cold(handover))
                .map_err(|error| Failure::new(FailureKind::InitFailed { details: format!("no thread: {error}") }))?,
        }
        Ok(Self { shared, deadlines: Vec::new() })
    }

    pub fn id(&self) -> SessionId {
        self.shared.id
    }

    /// Hands over a command; a thread that is gone reports itself by [`Event::Closed`].
    pub fn send(&self, command: Command) {
        self.shared.commands.send(command);
    }

    /// Arms the deadlines and hands the run over.
    pub fn run(&mut self, job: Arc<Job>, code: String) {
        if let Some(limits) = job.limits {
            self.arm(&job, limits);
        }
        self.send(Command::Run { job, code });
    }

    /// Limits that are out of range arm nothing: VALIDATE refuses the run.
    fn arm(&mut self, job: &Arc<Job>, limits: RunLimits) {
        let expire = |reason: &'static str| {
            let (shared, job) = (self.shared.clone(), job.clone());
            move || {
                let mut failure = Failure::new(FailureKind::Timeout { timeout_ms: limits.timeout_ms })
                    .with("timeoutMs", limits.timeout_ms)
                    .with("reason", reason);
                if let (CPU, Some(cpu_ms)) = (reason, limits.cpu_ms) {
                    failure = failure.with("maxCpuMs", cpu_ms);
                }
                shared.interrupt(&job, failure);
            }
        };
        let duration = |ms: f64| {
            let is_valid = ms.fract() == 0.0 && (1.0..=LONGEST_MS).contains(&ms);
            is_valid.then(|| Duration::from_millis(ms as u64))
        };
        if let Some(timeout) = duration(limits.timeout_ms) {
            self.deadlines.extend(Deadline::arm(job.started() + timeout, expire("deadline")));
        }
        if let (Some(budget), Some(&clock)) = (limits.cpu_ms.and_then(duration), self.shared.cpu_clock.get()) {
            self.deadlines.extend(Deadline::arm_cpu(clock, budget, expire(CPU)).into_iter().flatten());
        }
    }

    /// The run has been settled: its deadline no longer counts.
    pub fn disarm(&mut self) {
        self.deadlines.clear();
    }

    /// Settles `job` with `failure` now and gives the isolate up.
    pub fn interrupt(&self, job: &Arc<Job>, failure: Failure) {
        self.shared.interrupt(job, failure);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.shared.abandon();
    }
}
