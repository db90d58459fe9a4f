//! Failures as values, with details.

use serde_json::{Map, Value, json};

use crate::{Diagnostic, FailureKind, Severity};

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

    /// `ERR_SES_INIT_FAILED`.
    pub fn init(details: impl Into<String>) -> Self {
        Self::new(FailureKind::InitFailed { details: details.into() })
    }

    /// A value whose serialized size exceeds `limit`. `bytes`: the size, if the whole value was written.
    pub fn transfer_limit(limit: usize, bytes: Option<usize>) -> Self {
        let failure = Self::new(FailureKind::TransferLimit { limit }).with("maxTransferBytes", limit);
        match bytes {
            Some(bytes) => failure.with("bytes", bytes),
            None => failure,
        }
    }

    /// The memory limit was reached. `used_bytes`: memory in use at that moment, if known.
    pub fn memory_limit(limit_bytes: usize, used_bytes: Option<usize>) -> Self {
        let limit_mb = limit_bytes as f64 / f64::from(1 << 20);
        let failure = Self::new(FailureKind::Memory { limit_mb }).with("limitBytes", limit_bytes);
        match used_bytes {
            Some(bytes) => failure.with("usedBytes", bytes),
            None => failure,
        }
    }

    /// An isolate was lost because it ran out of memory. It still holds this many bytes.
    pub fn parked(limit_bytes: usize, bytes: usize) -> Self {
        Self::memory_limit(limit_bytes, Some(bytes)).with("parked", true)
    }

    /// Adds the diagnostics of VALIDATE to `details`.
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

    /// `ERR_IMPORT_NOT_ALLOWED` if a diagnostic is about an import, otherwise `ERR_VALIDATION_FAILED`.
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
