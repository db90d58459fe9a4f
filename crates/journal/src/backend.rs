//! A backend whose sessions are recorded.

use std::sync::Arc;
use std::time::Duration;

use ses_protocol::{Command, Config, Failure, JobId};
use ses_session::{Backend, Boot, Link, Process};
use ses_sync::CpuClock;
use ses_sync::priority::Thread;

use crate::journal::Journal;

/// Makes the isolates of one executor, and records what they do.
pub struct JournalBackend {
    inner: Arc<dyn Backend>,
    journal: Arc<Journal>,
}

impl JournalBackend {
    pub fn new(inner: Arc<dyn Backend>, journal: Arc<Journal>) -> Self {
        Self { inner, journal }
    }
}

impl Backend for JournalBackend {
    fn expect(&self, config: &Config) {
        self.inner.expect(config);
    }

    /// As of the backend, but [`ses_protocol::Event::Initialized`] follows when the isolate has repeated what the
    /// journal holds.
    fn boot(&self, boot: Boot) -> Result<Arc<dyn Link>, Failure> {
        if self.inner.is_local() && !cfg!(target_os = "linux") {
            return Err(Failure::init(
                "sessions can be recorded on Linux only: the clock cannot be replaced elsewhere",
            ));
        }
        let Boot { session, config, events } = boot;
        self.journal.begin_session(events);
        let journal = self.journal.clone();
        let link = self.inner.boot(Boot { session, config, events: Arc::new(move |event| journal.on_event(event)) })?;
        self.journal.connect(&link);
        Ok(Arc::new(JournalLink { link, journal: self.journal.clone() }))
    }

    fn parks(&self) -> bool {
        self.inner.parks()
    }
}

struct JournalLink {
    link: Arc<dyn Link>,
    journal: Arc<Journal>,
}

impl Link for JournalLink {
    fn send(&self, command: Command) {
        self.journal.on_command(command);
    }

    fn interrupt(&self) {
        self.journal.on_interrupt();
        self.link.interrupt();
    }

    /// Nobody can tell where a guest that computes would end, so it is never asked.
    fn ask(&self, _job: JobId) -> bool {
        false
    }

    fn thread(&self) -> Option<Thread> {
        self.link.thread()
    }

    fn cpu_clock(&self) -> Option<CpuClock> {
        self.link.cpu_clock()
    }

    fn latency(&self) -> Duration {
        self.link.latency()
    }

    fn lost_cause(&self) -> Option<&'static str> {
        self.link.lost_cause()
    }

    fn process(&self) -> Option<Process> {
        self.link.process()
    }
}
