//! What the caller decides, and the rules about it.

use ses_protocol::{Config, Language};
use ses_protocol::{Diagnostic, Severity};

/// Below this many bytes of logs, a few ordinary lines already fill the budget.
const RECOMMENDED_LOG_BYTES: f64 = 16_384.0;
/// `Number.MAX_SAFE_INTEGER`.
const MAX_OPERATIONS: f64 = 9_007_199_254_740_991.0;
/// The longest timer that a host can set, in milliseconds.
const MAX_TIMEOUT_MS: f64 = 2_147_483_647.0;

/// The part of an executor's options that VALIDATE and TRANSFORM depend on.
///
/// Numbers stay as the caller wrote them, since an invalid one is reported as a diagnostic (specification 6.2).
#[derive(Debug, Clone, PartialEq)]
pub struct PrepareOptions {
    pub language: Language,
    /// Module names that `import()` may name, compared exactly.
    pub authorized_imports: Vec<String>,
    /// Loop iterations that a run may take; an integer from 1 to 2^53 - 1.
    pub max_operations: f64,
    /// Wall-clock budget of a run; an integer from 1 to 2^31 - 1.
    pub timeout_ms: f64,
    /// Bytes of console output that a run may keep.
    pub max_log_bytes: f64,
    /// Longest program text in UTF-8 bytes; longer ones are rejected before they are parsed.
    pub max_code_bytes: usize,
}

impl PrepareOptions {
    /// For code in this language, with these limits and what `config` fixed.
    pub fn of(config: &Config, language: Language, max_operations: f64, timeout_ms: f64) -> Self {
        Self {
            language,
            authorized_imports: config.authorized_imports.clone(),
            max_operations,
            timeout_ms,
            max_log_bytes: config.max_log_bytes as f64,
            max_code_bytes: config.max_code_bytes,
        }
    }

    /// For programs of our own.
    pub fn unlimited() -> Self {
        Self {
            language: Language::JavaScript,
            authorized_imports: Vec::new(),
            max_operations: 1.0,
            timeout_ms: 1.0,
            max_log_bytes: RECOMMENDED_LOG_BYTES,
            max_code_bytes: usize::MAX,
        }
    }

    /// Rules `max_operations_valid`, `timeout_valid` and `log_budget_too_small`.
    pub(super) fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        if !is_integer_in(self.max_operations, MAX_OPERATIONS) {
            found.push(
                Diagnostic::error(
                    "max_operations_valid",
                    format!("maxOperations must be an integer from 1 to {MAX_OPERATIONS}, got {}", self.max_operations),
                )
                .with_fix("Pass a positive integer, or leave maxOperations out for the default of 50000"),
            );
        }
        if !is_integer_in(self.timeout_ms, MAX_TIMEOUT_MS) {
            found.push(
                Diagnostic::error(
                    "timeout_valid",
                    format!("timeoutMs must be an integer from 1 to {MAX_TIMEOUT_MS}, got {}", self.timeout_ms),
                )
                .with_fix("Pass a positive number of milliseconds, or leave timeoutMs out for the default of 10000"),
            );
        }
        if self.max_log_bytes < RECOMMENDED_LOG_BYTES {
            found.push(
                Diagnostic::new(
                    "log_budget_too_small",
                    Severity::Info,
                    format!("maxLogBytes is {}, less than the recommended {RECOMMENDED_LOG_BYTES}", self.max_log_bytes),
                )
                .with_fix("Raise maxLogBytes, or expect truncated logs"),
            );
        }
        found
    }
}

fn is_integer_in(value: f64, max: f64) -> bool {
    value.fract() == 0.0 && (1.0..=max).contains(&value)
}
