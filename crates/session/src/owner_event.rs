//! Messages to the owner of an executor.

use std::sync::Arc;

use ses_protocol::{CallId, Failure, JobId, LogEntry, Outcome, SessionId, ToolCall};

/// An event on another thread, for [`crate::Executor::on_owner_event`]. An isolate reports [`ses_protocol::Event`]s;
/// its session turns them into this type.
pub enum OwnerEvent {
    /// The isolate is ready, or could not be made.
    Initialized {
        session: SessionId,
        result: Result<(), Failure>,
    },
    /// A job ended. `sound`: the isolate can take the next job.
    Settled {
        session: SessionId,
        job: JobId,
        call: CallId,
        outcome: Box<Outcome>,
        sound: bool,
    },
    ToolCalls {
        session: SessionId,
        calls: Vec<ToolCall>,
    },
    /// Log entries are ready to be taken.
    Logs {
        session: SessionId,
    },
    /// No guest code runs any more.
    Closed {
        session: SessionId,
        end: End,
    },
    /// The isolate's process is gone, for this reason.
    Lost {
        session: SessionId,
        reason: String,
    },
    /// A delivery that could not be returned by the call that caused it.
    Deliver(Delivery),
}

/// How the thread of an isolate ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Normally: its session was given up, or it has reported that the isolate is lost.
    Ended,
    /// By a panic, which is a defect of this project.
    Panicked,
    /// Out of memory and with nothing to do. The thread is parked, and its isolate holds this many bytes.
    Parked(usize),
}

/// What the facade gets next. At most one part is present.
#[derive(Default)]
pub struct Delivery {
    /// A call and its outcome.
    pub settled: Option<(CallId, Box<Outcome>)>,
    /// Oldest first.
    pub tool_calls: Vec<ToolCall>,
    /// Oldest first.
    pub logs: Vec<LogEntry>,
}

impl Delivery {
    pub fn settled(call: CallId, outcome: Box<Outcome>) -> Self {
        Self { settled: Some((call, outcome)), ..Self::default() }
    }

    pub fn tool_calls(tool_calls: Vec<ToolCall>) -> Self {
        Self { tool_calls, ..Self::default() }
    }

    pub fn logs(logs: Vec<LogEntry>) -> Self {
        Self { logs, ..Self::default() }
    }
}

/// Receives events for the owner. Called on any thread.
pub type OwnerEvents = Arc<dyn Fn(OwnerEvent) + Send + Sync>;
