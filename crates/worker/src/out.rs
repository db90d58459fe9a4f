//! Events on their way to the host. Writing waits until the host has room for them, which slows the guest down to what its
//! host takes.

use std::fs::File;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ses_protocol::frames::{Message, Status};
use ses_protocol::{Event, Failure, Figures, JobId};

use crate::end::exit;

/// Bytes that the buffer keeps between two events.
const MAX_KEPT_BYTES: usize = 16 << 10;
/// How often the host is told how far a run has come.
const PROGRESS: Duration = Duration::from_millis(20);

/// Numbers of jobs begin at 1.
const NO_RUN: JobId = 0;
/// The run under way has used up its time, and is settled by the watchdog's thread.
const EXPIRED: JobId = JobId::MAX;

/// Used by the isolate's thread, and by the watchdog's when a run has used up its time.
pub struct Out {
    /// Held while the host has no room, by those two.
    pipe: Mutex<Pipe>,
    /// The run under way, [`NO_RUN`], or [`EXPIRED`], which nobody undoes.
    run: AtomicU64,
    operations: AtomicU64,
    tool_calls: AtomicU64,
}

struct Pipe {
    to: File,
    session: u32,
    /// What is being written.
    frames: Vec<u8>,
    /// The host was last told of progress.
    told: Instant,
}

impl Out {
    pub fn new(to: File) -> Self {
        let pipe = Pipe { to, session: 0, frames: Vec::new(), told: Instant::now() };
        Self {
            pipe: Mutex::new(pipe),
            run: AtomicU64::new(NO_RUN),
            operations: AtomicU64::new(0),
            tool_calls: AtomicU64::new(0),
        }
    }

    /// A session has the worker from now on.
    pub fn begin(&self, session: u32) {
        self.pipe().session = session;
    }

    /// A run has begun.
    pub fn begin_run(&self, job: JobId) {
        self.operations.store(0, Ordering::Relaxed);
        self.tool_calls.store(0, Ordering::Relaxed);
        self.run.store(job, Ordering::Release);
    }

    /// Says something of the worker itself.
    pub fn say(&self, status: Status) {
        self.pipe().write(&status);
    }

    /// Reports an event, at once.
    pub fn report(&self, event: Event) {
        if let Event::Settled { .. } = event {
            let end = |run| (run != EXPIRED).then_some(NO_RUN);
            if self.run.fetch_update(Ordering::AcqRel, Ordering::Acquire, end).is_err() {
                // The process is about to end.
                loop {
                    thread::park();
                }
            }
        }
        self.write(event);
    }

    /// Settles a run that has used up its time, unless it has ended, and ends the process.
    pub fn expire(&self, job: JobId, failure: Failure) {
        if self.run.compare_exchange(job, EXPIRED, Ordering::AcqRel, Ordering::Acquire).is_err() {
            return;
        }
        let figures = Figures {
            operations: self.operations.load(Ordering::Relaxed),
            tool_calls: self.tool_calls.load(Ordering::Relaxed),
            heap_used_bytes: 0,
        };
        self.write(Event::Settled { job, result: Err(failure), figures, sound: false, installing: false });
        exit();
    }

    fn write(&self, event: Event) {
        let mut pipe = self.pipe();
        if let Event::Progress { operations, tool_calls } = &event {
            self.operations.store(*operations, Ordering::Relaxed);
            self.tool_calls.store(*tool_calls, Ordering::Relaxed);
            if pipe.told.elapsed() < PROGRESS {
                return;
            }
            pipe.told = Instant::now();
        }
        pipe.write(&event);
    }

    fn pipe(&self) -> MutexGuard<'_, Pipe> {
        self.pipe.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pipe {
    fn write(&mut self, message: &impl Message) {
        if message.write(self.session, &mut self.frames).is_err() {
            // Nothing of that size gets past the limits of values.
            exit();
        }
        // The host is gone, or wants no more.
        if self.to.write_all(&self.frames).is_err() {
            exit();
        }
        self.frames.clear();
        self.frames.shrink_to(MAX_KEPT_BYTES);
    }
}
