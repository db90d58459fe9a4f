//! The data that an executor and its isolate exchange. Plain data: no V8, no Node-API, no threads.

mod block;
mod config;
mod diagnostics;
mod encoding;
mod engine_spec;
mod facts;
mod failure;
mod failure_kind;
pub mod frames;
mod language;
mod lifecycle;
mod logs;
mod messages;
mod options;
pub mod refusals;
mod value;

pub use block::{Block, populate};
pub use config::{ModuleBody, ModuleSpec, RunLimits, Seed, ToolSpec};
pub use diagnostics::{Diagnostic, Location, Severity};
pub use engine_spec::{EngineSpec, FolderSpec};
pub use facts::are_facts;
pub use failure::Failure;
pub use failure_kind::{
    ERR_IMPORT_NOT_ALLOWED, ERR_MAX_OPS_EXCEEDED, ERR_MEMORY_LIMIT_EXCEEDED, ERR_TOOL_CALL_LIMIT_EXCEEDED,
    ERR_TOOL_PROXY_FAIL, ERR_TRANSFER_LIMIT_EXCEEDED, ERR_VALIDATION_FAILED, FailureKind,
};
pub use language::Language;
pub use lifecycle::{Operation, State, Transition};
pub use logs::{LEVEL_WARN, LEVELS, LogEntry, LogIndex, TRUNCATION_MARKER};
pub use messages::{
    CallId, Command, ErrorCode, Event, Figures, JobId, MAX_REPORTED_CALLS, Outcome, Report, SessionId, Success,
    ToolCall, ToolCallId, ToolError, ToolReply,
};
pub use options::{Config, MAX_OPERATIONS, Range, TIMEOUT_MS};
pub use value::{MAX_LISTED, Value, Values};
