//! Failures as values: code, severity, retryability and message template (specification, section 8.2).

use serde_json::{Map, Value, json};

use crate::{Diagnostic, Severity};

/// Code of [`FailureKind::TransferLimit`], and of the guest's error when a tool call exceeds that limit.
pub const TRANSFER_LIMIT_CODE: &str = "ERR_TRANSFER_LIMIT_EXCEEDED";

/// What made a call fail. Each variant says whether the executor survives it.
#[derive(Clone, Debug)]
pub enum FailureKind {
    /// The isolate could not be made; the executor is DEAD.
    InitFailed { details: String },
    /// The call is not legal in this state; the executor is unchanged.
    InvalidState { state: &'static str },
    /// VALIDATE or TRANSFORM refused the code, which did not run; READY.
    ValidationFailed,
    /// An import that is not in `authorizedImports`; READY.
    ImportNotAllowed { module: String },
    /// The loop guards counted more than `maxOperations`; READY.
    MaxOperations { limit: f64 },
    /// The deadline passed or the caller aborted; DIRTY.
    Timeout { timeout_ms: f64 },
    /// A tool, or the bridge to it, failed and the guest did not handle it; READY.
    Tool { cause: String },
    /// Guest code threw; READY.
    Runtime { cause: String },
    /// The memory limit was reached; READY if the isolate is sound, DIRTY if it was parked.
    Memory { limit_mb: f64 },
    /// The run made more tool calls than `maxToolCalls`; READY.
    ToolCallLimit { limit: u64 },
    /// A value takes more bytes than `maxTransferBytes`; READY.
    TransferLimit { limit: usize },
    /// `cleanup()` met a thread that had died; DEAD.
    CleanupFailed { cause: String },
}

/// A failure that the facade throws as `ExecutorError`.
#[derive(Clone, Debug)]
pub struct Failure {
    pub kind: FailureKind,
    /// Fields of `ExecutorError.details`.
    pub details: Map<String, Value>,
    /// The host tool call whose own error is the cause, if any.
    pub tool_call: Option<u64>,
}

impl Failure {
    pub fn new(kind: FailureKind) -> Self {
        Self { kind, details: Map::new(), tool_call: None }
    }

    /// Adds one field to `details`.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// A value whose wire is larger than `limit`; `bytes`: its size, if it was written to its end.
    pub fn transfer_limit(limit: usize, bytes: Option<usize>) -> Self {
        let failure = Self::new(FailureKind::TransferLimit { limit }).with("maxTransferBytes", limit);
        match bytes {
            Some(bytes) => failure.with("bytes", bytes),
            None => failure,
        }
    }

    /// Adds the findings of VALIDATE to `details`.
    pub fn with_diagnostics(self, diagnostics: &[Diagnostic]) -> Self {
        self.with("diagnostics", diagnostics.iter().map(diagnostic_json).collect::<Vec<_>>())
    }

    /// `ERR_INVALID_STATE` for `operation` in `state`.
    pub fn invalid_state(state: &'static str, operation: &str, hint: &str) -> Self {
        Self::new(FailureKind::InvalidState { state })
            .with("state", state)
            .with("operation", operation)
            .with("hint", hint)
    }

    /// `ERR_IMPORT_NOT_ALLOWED` if a diagnostic is about an import, else `ERR_VALIDATION_FAILED`.
    pub fn from_diagnostics(diagnostics: &[Diagnostic]) -> Self {
        let module = diagnostics
            .iter()
            .find(|d| matches!(d.severity, Severity::Error) && d.module.is_some())
            .and_then(|d| d.module.clone());
        let failure = match module {
            Some(module) => Self::new(FailureKind::ImportNotAllowed { module: module.clone() }).with("module", module),
            None => Self::new(FailureKind::ValidationFailed),
        };
        failure.with_diagnostics(diagnostics)
    }

    pub fn code(&self) -> &'static str {
        match self.kind {
            FailureKind::InitFailed { .. } => "ERR_SES_INIT_FAILED",
            FailureKind::InvalidState { .. } => "ERR_INVALID_STATE",
            FailureKind::ValidationFailed => "ERR_VALIDATION_FAILED",
            FailureKind::ImportNotAllowed { .. } => "ERR_IMPORT_NOT_ALLOWED",
            FailureKind::MaxOperations { .. } => "ERR_MAX_OPS_EXCEEDED",
            FailureKind::Timeout { .. } => "ERR_EXEC_TIMEOUT",
            FailureKind::Tool { .. } => "ERR_TOOL_PROXY_FAIL",
            FailureKind::Runtime { .. } => "ERR_RUNTIME_EXCEPTION",
            FailureKind::Memory { .. } => "ERR_MEMORY_LIMIT_EXCEEDED",
            FailureKind::ToolCallLimit { .. } => "ERR_TOOL_CALL_LIMIT_EXCEEDED",
            FailureKind::TransferLimit { .. } => TRANSFER_LIMIT_CODE,
            FailureKind::CleanupFailed { .. } => "ERR_CLEANUP_FAILED",
        }
    }

    pub fn severity(&self) -> &'static str {
        match self.kind {
            FailureKind::InitFailed { .. } => "FATAL",
            FailureKind::CleanupFailed { .. } => "WARN",
            _ => "ERROR",
        }
    }

    /// Whether sending rewritten code, or the same call again, can succeed.
    pub fn retryable(&self) -> bool {
        match self.kind {
            FailureKind::InitFailed { .. } | FailureKind::InvalidState { .. } | FailureKind::CleanupFailed { .. } => {
                false
            }
            FailureKind::ValidationFailed
            | FailureKind::ImportNotAllowed { .. }
            | FailureKind::MaxOperations { .. }
            | FailureKind::Timeout { .. }
            | FailureKind::Tool { .. }
            | FailureKind::Runtime { .. }
            | FailureKind::Memory { .. }
            | FailureKind::ToolCallLimit { .. }
            | FailureKind::TransferLimit { .. } => true,
        }
    }

    pub fn message(&self) -> String {
        match &self.kind {
            FailureKind::InitFailed { details } => format!("SES init failed: {details}"),
            FailureKind::InvalidState { state } => format!("Invalid executor state: {state}"),
            FailureKind::ValidationFailed => "Code validation failed".to_owned(),
            FailureKind::ImportNotAllowed { module } => format!("Import not allowed: {module}"),
            FailureKind::MaxOperations { limit } => format!("Max operations exceeded ({limit})"),
            FailureKind::Timeout { timeout_ms } => format!("Execution timed out after {timeout_ms}ms"),
            FailureKind::Tool { cause } => format!("Tool execution failed: {cause}"),
            FailureKind::Runtime { cause } => format!("Runtime exception: {cause}"),
            FailureKind::Memory { limit_mb } => format!("Memory limit exceeded ({limit_mb} MB)"),
            FailureKind::ToolCallLimit { limit } => format!("Tool call limit exceeded ({limit})"),
            FailureKind::TransferLimit { limit } => format!("Transfer limit exceeded ({limit} bytes)"),
            FailureKind::CleanupFailed { cause } => format!("Cleanup failed: {cause}"),
        }
    }
}

fn diagnostic_json(diagnostic: &Diagnostic) -> Value {
    let mut fields = json!({
        "rule": diagnostic.rule,
        "severity": diagnostic.severity.as_str(),
        "message": diagnostic.message,
    });
    if let Some(at) = diagnostic.location {
        fields["location"] = json!({ "line": at.line, "column": at.column });
    }
    if let Some(fix) = &diagnostic.fix {
        fields["fix"] = json!(fix);
    }
    fields
}
