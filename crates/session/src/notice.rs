//! What the owner of an executor is told.

use std::sync::Arc;

use ses_protocol::{CallId, Failure, JobId, LogEntry, Outcome, SessionId, ToolCall};

/// Something that happened on another thread, for [`crate::Executor::on_notice`].
pub enum Notice {
    /// The isolate is ready, or could not be made.
    Initialized {
        session: SessionId,
        result: Result<(), Failure>,
    },
    /// A job ended. `sound`: the isolate can take the next one. `installing`: not before [`Notice::Installed`].
    Settled {
        session: SessionId,
        job: JobId,
        call: CallId,
        outcome: Box<Outcome>,
        sound: bool,
        installing: bool,
    },
    /// The guest has the variables that the last job has sent, or the isolate is lost.
    Installed {
        session: SessionId,
        result: Result<(), Failure>,
    },
    ToolCalls {
        session: SessionId,
        calls: Vec<ToolCall>,
    },
    /// Entries wait to be taken.
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
    /// A delivery that could not be part of what caused it.
    Deliver(Delivery),
}

/// How the thread of an isolate has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself: its session was given up, or it has said that the isolate is lost.
    Ended,
    /// By a panic, which is a defect of ours.
    Panicked,
    /// Without memory, and with nothing to do. It is parked, and its isolate holds so many bytes.
    Parked(usize),
}

/// What the facade is told.
pub enum Delivery {
    Settled { call: CallId, outcome: Box<Outcome> },
    ToolCalls(Vec<ToolCall>),
    Logs(Vec<LogEntry>),
}

/// Where notices go; called on any thread.
pub type Notices = Arc<dyn Fn(Notice) + Send + Sync>;
