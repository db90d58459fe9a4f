//! What a session and its isolate say to each other.

use crate::{Failure, LogEntry, LogIndex, RunLimits, ToolSpec, Value, Values};

/// Number of a call of the public API, chosen by the facade.
pub type CallId = f64;
/// Number of an isolate within its executor; what an abandoned isolate still reports is told by it.
pub type SessionId = u64;
/// Number of what an isolate is asked to do, unique within an executor.
pub type JobId = u64;
/// Number of a tool call, unique within an executor.
pub type ToolCallId = u64;

/// The most calls that are reported to a host together.
pub const MAX_TOLD_CALLS: usize = 16;

/// To the isolate.
#[derive(Debug)]
pub enum Command {
    SetVariables {
        job: JobId,
        names: Vec<String>,
        values: Values,
    },
    SetTools {
        job: JobId,
        tools: Vec<ToolSpec>,
    },
    Run {
        job: JobId,
        code: String,
        limits: RunLimits,
    },
    /// Answers that the host gave together, oldest first.
    ToolReplies(Vec<(ToolCallId, ToolReply)>),
}

/// What a host tool answered.
#[derive(Debug)]
pub enum ToolReply {
    Value(Value),
    Error(ToolError),
    /// The tool, called synchronously, returned a promise; its result follows in another reply.
    Promise,
}

impl ToolReply {
    /// Bytes that wait until the guest takes the answer.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Value(value) => value.wire_bytes(),
            Self::Error(_) | Self::Promise => 0,
        }
    }
}

/// An error that a tool threw, or (`bridge`) that kept its arguments or its result from crossing.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolError {
    pub name: String,
    pub message: String,
    pub code: Option<ErrorCode>,
    pub bridge: bool,
}

/// The `code` of an error.
#[derive(Clone, Debug, PartialEq)]
pub enum ErrorCode {
    Text(String),
    Number(f64),
}

/// Of the isolate.
#[derive(Debug)]
pub enum Event {
    /// It is ready, or could not be made.
    Initialized(Result<(), Failure>),
    /// A job ended. `sound`: the isolate can take the next one.
    Settled { job: JobId, result: Result<Success, Failure>, figures: Figures, sound: bool },
    /// At most [`MAX_TOLD_CALLS`], oldest first.
    ToolCalls(Vec<ToolCall>),
    /// The guest goes on with an answer only: it has taken so many of this run. Said if the run's limits ask for it.
    Idle { answers: u64 },
    /// The guest has taken answers of so many more bytes. Said when it is many.
    Taken { bytes: u64 },
    /// A run has used up its processor time. Said where nobody else can read the isolate's clock, maybe when the run has ended.
    CpuSpent { job: JobId },
    /// How far the run under way has come. It may be left out.
    Progress { operations: u64, tool_calls: u64 },
    /// An entry of the log of the run under way.
    Log { job: JobId, entry: LogEntry },
    /// There is no memory to go on: the isolate's thread is parked, with this many bytes, and says nothing more.
    Parked { bytes: usize },
    /// No guest code runs any more, and the isolate is about to be freed. `panicked`: its thread did not end by itself.
    Closed { panicked: bool },
    /// The isolate's process is gone, or does not answer, and nobody had it end. `reason` is for people.
    Lost { reason: String },
}

/// A call of a host tool.
#[derive(Debug)]
pub struct ToolCall {
    pub id: ToolCallId,
    pub tool: u32,
    /// The guest has a promise already.
    pub is_async: bool,
    pub args: Values,
    /// Calls that the run has made, this one included.
    pub made: u64,
}

/// What an isolate knows of a job that it has done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Guarded loop iterations.
    pub operations: u64,
    pub tool_calls: u64,
    pub heap_used_bytes: u64,
    /// Tool calls that the run had not awaited when it ended: their promises never settle.
    pub dropped_calls: u64,
}

/// How a call ended.
#[derive(Debug)]
pub struct Outcome {
    pub result: Result<Success, Failure>,
    /// Present for runs.
    pub report: Option<Report>,
}

/// What a call that did not fail gives.
#[derive(Debug)]
pub enum Success {
    /// `init`, `sendVariables`, `sendTools`, `cleanup`.
    Done,
    /// A run's output.
    Output { value: Value, is_final_answer: bool },
}

/// What every run leaves, also a failed one.
#[derive(Debug)]
pub struct Report {
    pub logs: String,
    pub log_index: LogIndex,
    /// From the call of `run()`, or its turn in the queue, to its outcome.
    pub duration_ms: f64,
    pub figures: Figures,
}

impl Outcome {
    pub fn done() -> Self {
        Self { result: Ok(Success::Done), report: None }
    }

    pub fn failed(failure: Failure) -> Self {
        Self { result: Err(failure), report: None }
    }
}
