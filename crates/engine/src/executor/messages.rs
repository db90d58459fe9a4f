//! What the Node.js thread, the executor thread and the watchdog say to each other.

use std::sync::Arc;

use ses_protocol::{CallId, Failure, LogEntry, Outcome, SessionId, ToolCall, ToolCallId, ToolReply, ToolSpec, Values};

use super::job::Job;

/// To the executor thread.
pub enum Command {
    SetVariables {
        job: Arc<Job>,
        names: Vec<String>,
        values: Values,
    },
    SetTools {
        job: Arc<Job>,
        tools: Vec<ToolSpec>,
    },
    Run {
        job: Arc<Job>,
        code: String,
    },
    /// Answers that the host gave together, oldest first.
    ToolReplies(Vec<(ToolCallId, ToolReply)>),
    /// Another thread has settled the current job or given the session up: stop waiting and look.
    Wake,
}

/// To the Node.js thread.
pub enum Event {
    /// The isolate is ready, or could not be made.
    Initialized {
        session: SessionId,
        result: Result<(), Failure>,
    },
    /// A job ended. `sound`: the isolate can take the next one. `installing`: not before [`Event::Installed`].
    Settled {
        session: SessionId,
        job: Arc<Job>,
        outcome: Outcome,
        sound: bool,
        installing: bool,
    },
    /// The guest has the variables that the last job has sent, or the isolate is lost.
    Installed {
        session: SessionId,
        result: Result<(), Failure>,
    },
    ToolCall {
        session: SessionId,
        call: ToolCall,
    },
    /// The executor thread looks for an answer next, or guest code goes on for long: tool calls that were held back are due.
    Waiting,
    /// Entries wait in the job's log.
    Logs(Arc<Job>),
    /// The executor thread runs no guest code any more and is about to free its isolate. `panicked`: it did not end by itself.
    Closed {
        session: SessionId,
        panicked: bool,
    },
    /// A delivery that could not be part of the event that caused it.
    Deliver(Delivery),
}

/// What the facade is told.
pub enum Delivery {
    Settled { call: CallId, outcome: Box<Outcome> },
    ToolCall(ToolCall),
    Logs(Vec<LogEntry>),
}

/// Where events go; called on the executor thread and on the watchdog.
pub type EventSink = Arc<dyn Fn(Event) + Send + Sync>;
