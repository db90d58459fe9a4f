//! Sends events to the host. A write blocks until the host has room for the event, so the guest cannot run faster than
//! its host reads.

use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ses_protocol::Event;
use ses_protocol::frames::{Message, Status};

use crate::exit::exit;

/// Bytes that the buffer keeps between two events.
const MAX_KEPT_BYTES: usize = 16 << 10;
/// Interval at which the progress of a run is reported to the host.
const PROGRESS: Duration = Duration::from_millis(20);

/// Used by the isolate's thread, and by the watchdog's thread when a run has used up its processor time.
pub struct EventWriter {
    /// Either thread may hold it until the host has room.
    pipe: Mutex<Pipe>,
}

struct Pipe {
    to: File,
    session: u32,
    /// The bytes that are being written.
    frames: Vec<u8>,
    /// The last moment at which progress was reported.
    told: Instant,
}

impl EventWriter {
    pub fn new(to: File) -> Self {
        let pipe = Pipe { to, session: 0, frames: Vec::new(), told: Instant::now() };
        Self { pipe: Mutex::new(pipe) }
    }

    /// The worker belongs to a session from now on.
    pub fn begin(&self, session: u32) {
        self.pipe().session = session;
    }

    /// Sends a message about the worker itself.
    pub fn say(&self, status: Status) {
        self.pipe().write(&status);
    }

    /// Sends an event immediately.
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
            // The limits of values exclude messages of this size.
            exit();
        }
        // The host is gone, or has closed its end.
        if self.to.write_all(&self.frames).is_err() {
            exit();
        }
        self.frames.clear();
        self.frames.shrink_to(MAX_KEPT_BYTES);
    }
}
