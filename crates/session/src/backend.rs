//! The interface to the code that makes isolates: on threads of this process, or elsewhere.

use std::sync::Arc;
use std::time::Duration;

use ses_protocol::frames::Hello;
use ses_protocol::{Command, Config, Event, Failure, JobId, SessionId};

use ses_sync::CpuClock;
use ses_sync::priority::Thread;

/// Receives the reports of an isolate, from one thread at a time.
pub type Events = Arc<dyn Fn(Event) + Send + Sync>;

/// The request of a session for an isolate.
pub struct Boot {
    pub session: SessionId,
    pub config: Arc<Config>,
    pub events: Events,
}

/// Makes isolates.
pub trait Backend: Send + Sync {
    /// An executor with these options was made and will need an isolate.
    fn expect(&self, config: &Config);

    /// Starts an isolate or takes one that is ready. Does not wait for it: [`Event::Initialized`] follows.
    ///
    /// # Errors
    ///
    /// No isolate could be started.
    fn boot(&self, boot: Boot) -> Result<Arc<dyn Link>, Failure>;

    /// Whether isolates run on the system of this process, and not on that of a worker of a fleet.
    fn is_local(&self) -> bool {
        true
    }

    /// Whether an isolate that runs out of memory keeps its memory instead of freeing it.
    fn parks(&self) -> bool;
}

/// The connection to an isolate. Dropping it releases the isolate as soon as the isolate lets go. [`Event::Closed`]
/// follows.
pub trait Link: Send + Sync {
    /// Sends a command. Never waits.
    fn send(&self, command: Command);

    /// Ends the isolate's work and gives the isolate up. Later reports about its work are ignored.
    fn interrupt(&self);

    /// Asks the guest to end a run by itself, so that the isolate can go on. Also works while the guest waits. The
    /// wake-up has been delivered when this returns; a later one would wake the guest of the next run. Returns false if
    /// the guest never checks for such requests.
    fn ask(&self, _job: JobId) -> bool {
        false
    }

    /// The thread of this process that the isolate runs on, if any.
    fn thread(&self) -> Option<Thread>;

    /// The processor time of the isolate, if this process can read it. Otherwise the isolate reports
    /// [`ses_protocol::Event::CpuSpent`].
    fn cpu_clock(&self) -> Option<CpuClock>;

    /// The time that a message to the isolate and its answer take, if that is not negligible. Deadlines are later by
    /// this time, so that the guest has all of its own time.
    fn latency(&self) -> Duration {
        Duration::ZERO
    }

    /// Makes the isolate's process keep the deadlines of later runs itself: it asks the guest to end, and reports
    /// [`ses_protocol::Event::TimeOver`] and [`ses_protocol::Event::GraceOver`]. `limits_calls`: all calls of these
    /// runs have a time limit. Returns false if only this process keeps deadlines.
    fn keep_deadlines(&self, _limits_calls: bool) -> bool {
        false
    }

    /// Why an isolate on another machine was lost: `details.reason` of the failure. Absent: the text of
    /// [`ses_protocol::Event::Lost`] is all that is known.
    fn lost_cause(&self) -> Option<&'static str> {
        None
    }

    /// The isolate's own process, if it has one.
    fn process(&self) -> Option<Process>;
}

/// The process of an isolate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Present while the process exists. Absent on another machine.
    pub pid: Option<u32>,
    /// The greeting of the process. Absent: it has not arrived yet.
    pub hello: Option<Hello>,
    /// The machine of the process, if it is another one.
    pub machine: Option<Arc<Machine>>,
}

/// Another machine, on which an isolate lives.
#[derive(Debug, PartialEq, Eq)]
pub struct Machine {
    /// The name of the fleet's worker.
    pub worker: String,
    /// The name of the machine.
    pub node: String,
}
