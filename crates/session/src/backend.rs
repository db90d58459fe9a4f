//! What makes isolates: on threads of this process, or elsewhere.

use std::sync::Arc;

use ses_protocol::frames::Hello;
use ses_protocol::{Command, Config, Event, Failure, JobId, SessionId};

use ses_sync::CpuClock;
use ses_sync::priority::Thread;

/// Where an isolate reports, from any one thread at a time.
pub type Events = Arc<dyn Fn(Event) + Send + Sync>;

/// A session that needs an isolate.
pub struct Boot {
    pub session: SessionId,
    pub config: Arc<Config>,
    pub events: Events,
}

/// Makes isolates.
pub trait Backend: Send + Sync {
    /// An executor with these options was made, which will need an isolate.
    fn expect(&self, config: &Config);

    /// Has an isolate made, or takes one that is ready, and does not wait for it: [`Event::Initialized`] follows.
    ///
    /// # Errors
    ///
    /// Nothing could be started.
    fn boot(&self, boot: Boot) -> Result<Arc<dyn Link>, Failure>;

    /// Whether an isolate that has no memory left keeps what it has.
    fn parks(&self) -> bool;
}

/// The way to an isolate. When it is dropped, the isolate is released, as soon as it lets go, and [`Event::Closed`] follows.
pub trait Link: Send + Sync {
    /// Hands over a command. Never waits.
    fn send(&self, command: Command);

    /// Ends what the isolate does and gives it up. What it reports of its work from now on counts for nothing.
    fn interrupt(&self);

    /// Asks the guest to end a run by itself, so that the isolate can go on, also if it waits for something. What wakes it is there
    /// when this returns: later it would wake the guest of the next run. False: it never looks.
    fn ask(&self, _job: JobId) -> bool {
        false
    }

    /// The thread of this process that the isolate runs on, if any.
    fn thread(&self) -> Option<Thread>;

    /// The processor time of the isolate, if it can be read here. Where it cannot, [`ses_protocol::Event::CpuSpent`] comes.
    fn cpu_clock(&self) -> Option<CpuClock>;

    /// The process of its own that the isolate has, if any.
    fn process(&self) -> Option<Process>;
}

/// A process that has an isolate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// As long as it is there.
    pub pid: Option<u32>,
    /// What it has said of itself; absent: nothing yet.
    pub hello: Option<Hello>,
}
