//! What an executor and its isolate say to each other.

use crate::{Failure, LogIndex, Value, Values};

/// Number of a call of the public API, chosen by the facade.
pub type CallId = f64;
/// Number of an isolate within its executor; events of an abandoned isolate are told by it.
pub type SessionId = u64;
/// Number of a tool call, unique within an executor.
pub type ToolCallId = u64;

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
