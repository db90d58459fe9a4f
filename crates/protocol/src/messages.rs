//! The messages between a session and its isolate.

use crate::{Failure, LogEntry, LogIndex, RunLimits, ToolSpec, Value, Values};

/// Number of a call of the public API, chosen by the facade.
pub type CallId = f64;
/// Number of an isolate within its executor. It identifies late reports of an isolate that was given up.
pub type SessionId = u64;
/// Number of a job, unique within an executor. A job is a run, or a `sendVariables` or `sendTools` call.
pub type JobId = u64;
/// Number of a tool call, unique within an executor.
pub type ToolCallId = u64;

/// The most tool calls that one event reports to the host.
pub const MAX_REPORTED_CALLS: usize = 16;

/// A message to the isolate.
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
    /// Answers that the host sent together, oldest first.
    ToolReplies {
        replies: Vec<(ToolCallId, ToolReply)>,
        /// What the guest's clock shows from now on, in milliseconds since the Unix epoch. `None`: the system's time.
        now_ms: Option<f64>,
    },
    /// Asks for the whole state of the session, as an output of bytes for [`Self::Restore`]. Fails if the engine cannot
    /// capture something exactly. The state stays as it is.
    Checkpoint {
        job: JobId,
    },
    /// Gives an isolate that has had no other command the state of a session.
    Restore {
        job: JobId,
        state: Vec<u8>,
    },
}

/// The answer of a host tool.
#[derive(Debug)]
pub enum ToolReply {
    Value(Value),
    Error(ToolError),
    /// The tool was called synchronously and returned a promise. Its result follows in another reply.
    Promise,
}

impl ToolReply {
    /// Bytes that are held until the guest takes the answer.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Value(value) => value.wire_bytes(),
            Self::Error(error) => error.details.as_ref().map_or(0, Vec::len),
            Self::Promise => 0,
        }
    }
}

/// An error that a tool threw. `bridge`: the tool's arguments or its result could not be transferred.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolError {
    pub name: String,
    pub message: String,
    pub code: Option<ErrorCode>,
    pub bridge: bool,
    /// Its cause, errors, status and data in V8's serialization format, in the form of `lib/contract/error-details.ts`.
    pub details: Option<Vec<u8>>,
}

/// The `code` property of an error.
#[derive(Clone, Debug, PartialEq)]
pub enum ErrorCode {
    Text(String),
    Number(f64),
}

/// A message from the isolate.
#[derive(Debug)]
pub enum Event {
    /// The isolate is ready, or could not be made.
    Initialized(Result<(), Failure>),
    /// A job ended. `sound`: the isolate can take the next job.
    Settled { job: JobId, result: Result<Success, Failure>, figures: Figures, sound: bool },
    /// New tool calls: at most [`MAX_REPORTED_CALLS`], oldest first.
    ToolCalls(Vec<ToolCall>),
    /// The guest has taken this many answers of the run and needs another one to go on. Sent only if the limits of the
    /// run ask for it.
    Idle { answers: u64 },
    /// The guest has taken answers with this many bytes since the last such event. Sent when the number is large.
    Taken { bytes: u64 },
    /// A run has used up its processor time. Sent if no other thread can read the isolate's clock, possibly after the
    /// run has ended.
    CpuSpent { job: JobId },
    /// A run has used up its time, and the guest was asked to end it. Sent if the isolate's process keeps the deadline,
    /// possibly after the run has ended.
    TimeOver { job: JobId },
    /// The guest has not ended a run soon after [`Self::TimeOver`].
    GraceOver { job: JobId },
    /// Progress of the run under way. Implementations may omit this event.
    Progress { operations: u64, tool_calls: u64 },
    /// An entry of the log of the run under way.
    Log { job: JobId, entry: LogEntry },
    /// The isolate is out of memory and cannot go on. Its thread is parked and keeps this many bytes. No further event
    /// follows.
    Parked { bytes: usize },
    /// No guest code runs any more, and the isolate is about to be freed. `panicked`: its thread ended by a panic.
    Closed { panicked: bool },
    /// The isolate's process is gone or does not answer, although its end was not requested. `reason` is for people.
    Lost { reason: String },
}

/// A call of a host tool.
#[derive(Debug)]
pub struct ToolCall {
    pub id: ToolCallId,
    pub tool: u32,
    /// The guest already has a promise for the result.
    pub is_async: bool,
    pub args: Values,
    /// Number of calls that the run has made so far, including this one.
    pub made: u64,
}

/// The isolate's figures of a job that has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Guarded loop iterations.
    pub operations: u64,
    pub tool_calls: u64,
    pub heap_used_bytes: u64,
    /// Tool calls that the run had not awaited when it ended. Their promises never settle.
    pub dropped_calls: u64,
}

/// The outcome of a call.
#[derive(Debug)]
pub struct Outcome {
    pub result: Result<Success, Failure>,
    /// Present for runs.
    pub report: Option<Report>,
}

/// The result of a call that succeeded.
#[derive(Debug)]
pub enum Success {
    /// `init`, `sendVariables`, `sendTools`, `cleanup`.
    Done,
    /// A run's output.
    Output { value: Value, is_final_answer: bool },
}

/// The report of a run, whether it succeeded or failed.
#[derive(Debug)]
pub struct Report {
    pub logs: String,
    pub log_index: LogIndex,
    /// From the call of `run()`, or from the moment at which the run is first in the queue, to its outcome.
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
