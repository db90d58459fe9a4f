//! What the Node.js thread, the executor thread and the watchdog say to each other.

use std::sync::Arc;

use super::config::ToolSpec;
use super::failure::Failure;
use super::job::Job;
use super::logs::{LogEntry, LogIndex};
use crate::transfer::{Value, Values};

/// Number of a call of the public API, chosen by the facade.
pub type CallId = f64;
/// Number of an isolate within its executor; events of an abandoned isolate are told by it.
pub type SessionId = u64;
/// Number of a tool call, unique within an executor.
pub type ToolCallId = u64;

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

/// What a host tool answered.
pub enum ToolReply {
    Value(Value),
    /// `{ name, message, code?, bridge? }`.
    Error(Value),
    /// The tool, called synchronously, returned a promise; its result follows in another reply.
    Promise,
}

/// A call of a host tool. `is_async`: the guest has a promise already.
pub struct ToolCall {
    pub id: ToolCallId,
    pub tool: u32,
    pub is_async: bool,
    pub args: Values,
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

/// How a call ended.
pub struct Outcome {
    pub result: Result<Success, Failure>,
    /// Present for runs.
    pub report: Option<Report>,
}

/// What a call that did not fail gives.
pub enum Success {
    /// `init`, `sendVariables`, `sendTools`, `cleanup`.
    Done,
    /// A run's output.
    Output { value: Value, is_final_answer: bool },
}

/// What every run leaves, also a failed one.
pub struct Report {
    pub logs: String,
    pub log_index: LogIndex,
    pub stats: Stats,
}

/// Figures of one run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    /// From the call of `run()`, or its turn in the queue, to its outcome.
    pub duration_ms: f64,
    /// Guarded loop iterations.
    pub operations: f64,
    pub tool_calls: f64,
    pub heap_used_bytes: f64,
}

impl Outcome {
    pub fn done() -> Self {
        Self { result: Ok(Success::Done), report: None }
    }

    pub fn failed(failure: Failure) -> Self {
        Self { result: Err(failure), report: None }
    }
}

/// Where events go; called on the executor thread and on the watchdog.
pub type EventSink = Arc<dyn Fn(Event) + Send + Sync>;
