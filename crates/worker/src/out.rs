//! Events on their way to the host. Writing waits until the host has room for them, which slows the guest down to what its
//! host takes.

use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ses_protocol::Event;
use ses_protocol::frames::{Message, Status};

use crate::end::exit;

/// Bytes that the buffer keeps between two events.
const MAX_KEPT_BYTES: usize = 16 << 10;
/// How often the host is told how far a run has come.
const PROGRESS: Duration = Duration::from_millis(20);

/// Used by the isolate's thread, and by the watchdog's when a run has used up its processor time.
pub struct Out {
    /// Held while the host has no room, by those two.
    pipe: Mutex<Pipe>,
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
        Self { pipe: Mutex::new(pipe) }
    }

    /// A session has the worker from now on.
    pub fn begin(&self, session: u32) {
        self.pipe().session = session;
    }

    /// Says something of the worker itself.
    pub fn say(&self, status: Status) {
        self.pipe().write(&status);
    }

    /// Reports an event, at once.
    pub fn report(&self, event: Event) {
        let mut pipe = self.pipe();
        if let Event::Progress { .. } = event {
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
