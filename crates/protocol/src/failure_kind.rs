// Generated from lib/contract/error-table.ts by scripts/generate.mjs. Do not edit: run `npm run generate`.
//! Codes, severities, retryability and messages of failures (specification, section 8.2).

use crate::encoding;

/// The reason why a call failed. Each variant says in which state the executor is afterwards.
#[derive(Clone, Debug)]
pub enum FailureKind {
    /// The call is not legal in this state. The executor is unchanged.
    InvalidState { state: &'static str },
    /// The isolate could not be made. The executor is DEAD.
    InitFailed { details: String },
    /// VALIDATE or TRANSFORM refused the code, which did not run. The executor is READY.
    ValidationFailed,
    /// An import that is not in `authorizedImports`. The executor is READY.
    ImportNotAllowed { module: String },
    /// The loop guards counted more than `maxOperations`. The executor is READY.
    MaxOperations { limit: f64 },
    /// The deadline passed or the caller aborted. The executor is DIRTY, or unchanged if it was aborted before it
    /// began; READY with `keepState`, if the run could be ended without its isolate.
    Timeout { timeout_ms: f64 },
    /// Guest code threw. The executor is READY.
    Runtime { cause: String },
    /// A tool, or the bridge to it, failed and the guest did not handle it. The executor is READY.
    Tool { cause: String },
    /// The memory limit was reached. The executor is READY, or DIRTY with `details.parked` or `details.stateLost`.
    Memory { limit_mb: f64 },
    /// The run made more tool calls than `maxToolCalls`. The executor is READY.
    ToolCallLimit { limit: u64 },
    /// A value takes more bytes than `maxTransferBytes`. The executor is READY.
    TransferLimit { limit: usize },
    /// `cleanup()` met a thread that had died. The executor is DEAD.
    CleanupFailed { cause: String },
    /// The process of the isolate has ended, or does not answer. The executor is DIRTY, or DEAD if it happened in
    /// `init()`.
    WorkerLost { reason: String },
    /// The rest of the run waits for calls that are answered from outside. The executor is WAITING.
    RunWaiting,
    /// The replay of a journal did not do what the journal says. The executor is DEAD.
    ReplayDiverged { cause: String },
    /// The journal has no room for the next entry. The executor is DIRTY.
    JournalLimit { limit: usize },
    /// No worker of a fleet has taken the session. The executor is DEAD.
    NoWorker { reason: String },
}

encoding::choice!(FailureKind {
    0 InvalidState { state },
    1 InitFailed { details },
    2 ValidationFailed,
    3 ImportNotAllowed { module },
    4 MaxOperations { limit },
    5 Timeout { timeout_ms },
    6 Runtime { cause },
    7 Tool { cause },
    8 Memory { limit_mb },
    9 ToolCallLimit { limit },
    10 TransferLimit { limit },
    11 CleanupFailed { cause },
    12 WorkerLost { reason },
    13 RunWaiting,
    14 ReplayDiverged { cause },
    15 JournalLimit { limit },
    16 NoWorker { reason },
});

impl FailureKind {
    /// `ExecutorError.code`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidState { .. } => ERR_INVALID_STATE,
            Self::InitFailed { .. } => ERR_SES_INIT_FAILED,
            Self::ValidationFailed => ERR_VALIDATION_FAILED,
            Self::ImportNotAllowed { .. } => ERR_IMPORT_NOT_ALLOWED,
            Self::MaxOperations { .. } => ERR_MAX_OPS_EXCEEDED,
            Self::Timeout { .. } => ERR_EXEC_TIMEOUT,
            Self::Runtime { .. } => ERR_RUNTIME_EXCEPTION,
            Self::Tool { .. } => ERR_TOOL_PROXY_FAIL,
            Self::Memory { .. } => ERR_MEMORY_LIMIT_EXCEEDED,
            Self::ToolCallLimit { .. } => ERR_TOOL_CALL_LIMIT_EXCEEDED,
            Self::TransferLimit { .. } => ERR_TRANSFER_LIMIT_EXCEEDED,
            Self::CleanupFailed { .. } => ERR_CLEANUP_FAILED,
            Self::WorkerLost { .. } => ERR_WORKER_LOST,
            Self::RunWaiting => ERR_RUN_WAITING,
            Self::ReplayDiverged { .. } => ERR_REPLAY_DIVERGED,
            Self::JournalLimit { .. } => ERR_JOURNAL_LIMIT,
            Self::NoWorker { .. } => ERR_NO_WORKER,
        }
    }

    /// `ExecutorError.severity`.
    pub fn severity(&self) -> &'static str {
        match self {
            Self::InvalidState { .. }
            | Self::ValidationFailed
            | Self::ImportNotAllowed { .. }
            | Self::MaxOperations { .. }
            | Self::Timeout { .. }
            | Self::Runtime { .. }
            | Self::Tool { .. }
            | Self::Memory { .. }
            | Self::ToolCallLimit { .. }
            | Self::TransferLimit { .. }
            | Self::WorkerLost { .. }
            | Self::JournalLimit { .. }
            | Self::NoWorker { .. } => "ERROR",
            Self::InitFailed { .. } | Self::ReplayDiverged { .. } => "FATAL",
            Self::CleanupFailed { .. } | Self::RunWaiting => "WARN",
        }
    }

    /// Whether sending rewritten code, or the same call again, can succeed.
    pub fn retryable(&self) -> bool {
        match self {
            Self::InvalidState { .. }
            | Self::InitFailed { .. }
            | Self::CleanupFailed { .. }
            | Self::RunWaiting
            | Self::ReplayDiverged { .. }
            | Self::JournalLimit { .. } => false,
            Self::ValidationFailed
            | Self::ImportNotAllowed { .. }
            | Self::MaxOperations { .. }
            | Self::Timeout { .. }
            | Self::Runtime { .. }
            | Self::Tool { .. }
            | Self::Memory { .. }
            | Self::ToolCallLimit { .. }
            | Self::TransferLimit { .. }
            | Self::WorkerLost { .. }
            | Self::NoWorker { .. } => true,
        }
    }

    /// `ExecutorError.message`.
    pub fn message(&self) -> String {
        match self {
            Self::InvalidState { state } => format!("Invalid executor state: {state}"),
            Self::InitFailed { details } => format!("SES init failed: {details}"),
            Self::ValidationFailed => "Code validation failed".to_owned(),
            Self::ImportNotAllowed { module } => format!("Import not allowed: {module}"),
            Self::MaxOperations { limit } => format!("Max operations exceeded ({limit})"),
            Self::Timeout { timeout_ms } => format!("Execution timed out after {timeout_ms}ms"),
            Self::Runtime { cause } => format!("Runtime exception: {cause}"),
            Self::Tool { cause } => format!("Tool execution failed: {cause}"),
            Self::Memory { limit_mb } => format!("Memory limit exceeded ({limit_mb} MB)"),
            Self::ToolCallLimit { limit } => format!("Tool call limit exceeded ({limit})"),
            Self::TransferLimit { limit } => format!("Transfer limit exceeded ({limit} bytes)"),
            Self::CleanupFailed { cause } => format!("Cleanup failed: {cause}"),
            Self::WorkerLost { reason } => format!("Worker lost: {reason}"),
            Self::RunWaiting => "The run waits for answers to tool calls".to_owned(),
            Self::ReplayDiverged { cause } => format!("Replay diverged from the journal: {cause}"),
            Self::JournalLimit { limit } => format!("Journal limit exceeded ({limit} bytes)"),
            Self::NoWorker { reason } => format!("No worker: {reason}"),
        }
    }
}

/// Code of [`FailureKind::InvalidState`].
pub const ERR_INVALID_STATE: &str = "ERR_INVALID_STATE";
/// Code of [`FailureKind::InitFailed`].
pub const ERR_SES_INIT_FAILED: &str = "ERR_SES_INIT_FAILED";
/// Code of [`FailureKind::ValidationFailed`].
pub const ERR_VALIDATION_FAILED: &str = "ERR_VALIDATION_FAILED";
/// Code of [`FailureKind::ImportNotAllowed`].
pub const ERR_IMPORT_NOT_ALLOWED: &str = "ERR_IMPORT_NOT_ALLOWED";
/// Code of [`FailureKind::MaxOperations`].
pub const ERR_MAX_OPS_EXCEEDED: &str = "ERR_MAX_OPS_EXCEEDED";
/// Code of [`FailureKind::Timeout`].
pub const ERR_EXEC_TIMEOUT: &str = "ERR_EXEC_TIMEOUT";
/// Code of [`FailureKind::Runtime`].
pub const ERR_RUNTIME_EXCEPTION: &str = "ERR_RUNTIME_EXCEPTION";
/// Code of [`FailureKind::Tool`].
pub const ERR_TOOL_PROXY_FAIL: &str = "ERR_TOOL_PROXY_FAIL";
/// Code of [`FailureKind::Memory`].
pub const ERR_MEMORY_LIMIT_EXCEEDED: &str = "ERR_MEMORY_LIMIT_EXCEEDED";
/// Code of [`FailureKind::ToolCallLimit`].
pub const ERR_TOOL_CALL_LIMIT_EXCEEDED: &str = "ERR_TOOL_CALL_LIMIT_EXCEEDED";
/// Code of [`FailureKind::TransferLimit`].
pub const ERR_TRANSFER_LIMIT_EXCEEDED: &str = "ERR_TRANSFER_LIMIT_EXCEEDED";
/// Code of [`FailureKind::CleanupFailed`].
pub const ERR_CLEANUP_FAILED: &str = "ERR_CLEANUP_FAILED";
/// Code of [`FailureKind::WorkerLost`].
pub const ERR_WORKER_LOST: &str = "ERR_WORKER_LOST";
/// Code of [`FailureKind::RunWaiting`].
pub const ERR_RUN_WAITING: &str = "ERR_RUN_WAITING";
/// Code of [`FailureKind::ReplayDiverged`].
pub const ERR_REPLAY_DIVERGED: &str = "ERR_REPLAY_DIVERGED";
/// Code of [`FailureKind::JournalLimit`].
pub const ERR_JOURNAL_LIMIT: &str = "ERR_JOURNAL_LIMIT";
/// Code of [`FailureKind::NoWorker`].
pub const ERR_NO_WORKER: &str = "ERR_NO_WORKER";
