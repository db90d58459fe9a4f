//! The options of the caller, and the rules about them.

use ses_protocol::{Config, Diagnostic, Language, MAX_OPERATIONS, Range, Severity, TIMEOUT_MS};

/// With fewer bytes for logs, a few ordinary lines already reach the limit.
const RECOMMENDED_LOG_BYTES: f64 = 16_384.0;

/// The executor options that VALIDATE and TRANSFORM depend on.
///
/// Numbers are kept unchecked, because an invalid one is reported as a diagnostic (specification 6.2).
#[derive(Debug, Clone, PartialEq)]
pub struct PrepareOptions {
    pub language: Language,
    /// Module names that `import()` may use, compared exactly.
    pub authorized_imports: Vec<String>,
    /// Groups of globals that the guest has besides its usual ones (`rules/globals.rs`).
    pub globals: Vec<String>,
    /// Maximum loop iterations of a run: an integer from 1 to 2^53 - 1, or infinity for no limit.
    pub max_operations: f64,
    /// Wall-clock budget of a run; an integer from 1 to 2^31 - 1.
    pub timeout_ms: f64,
    /// Bytes of console output that are kept for a run.
    pub max_log_bytes: f64,
    /// Maximum length of a program in UTF-8 bytes. Longer ones are rejected before they are parsed.
    pub max_code_bytes: usize,
}

impl PrepareOptions {
    /// For code in this language, with these limits and the fixed options of `config`.
    pub fn of(config: &Config, language: Language, max_operations: f64, timeout_ms: f64) -> Self {
        Self {
            language,
            authorized_imports: config.authorized_imports.clone(),
            globals: config.globals.clone(),
            max_operations,
            timeout_ms,
            max_log_bytes: config.max_log_bytes as f64,
            max_code_bytes: config.max_code_bytes,
        }
    }

    /// For this project's own programs.
    pub fn unlimited() -> Self {
        Self {
            language: Language::JavaScript,
            authorized_imports: Vec::new(),
            globals: Vec::new(),
            max_operations: 1.0,
            timeout_ms: 1.0,
            max_log_bytes: RECOMMENDED_LOG_BYTES,
            max_code_bytes: usize::MAX,
        }
    }

    /// Whether a run may take any number of iterations. Its program has no guards.
    pub fn is_unlimited(&self) -> bool {
        self.max_operations == f64::INFINITY
    }

    /// Rules `max_operations_valid`, `timeout_valid` and `log_budget_too_small`.
    pub(super) fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        if !self.is_unlimited() && !MAX_OPERATIONS.takes(self.max_operations) {
            let Range { min, max, default } = MAX_OPERATIONS;
            found.push(
                Diagnostic::error(
                    "max_operations_valid",
                    format!(
                        "maxOperations must be an integer from {min} to {max} or Infinity, got {}",
                        self.max_operations
                    ),
                )
                .with_fix(format!(
                    "Pass a positive integer, Infinity for no limit, or leave maxOperations out for the default of {default}"
                )),
            );
        }
        if !TIMEOUT_MS.takes(self.timeout_ms) {
            let Range { min, max, default } = TIMEOUT_MS;
            found.push(
                Diagnostic::error(
                    "timeout_valid",
                    format!("timeoutMs must be an integer from {min} to {max}, got {}", self.timeout_ms),
                )
                .with_fix(format!(
                    "Pass a positive number of milliseconds, or leave timeoutMs out for the default of {default}"
                )),
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
