//! `validateCode`, `prepareProgram` and code frames. The caller waits for them (specification, section 6.1).

use std::time::Duration;

use napi_derive::napi;

use ses_prepare::{self as prepare, PrepareOptions};
use ses_protocol::{Diagnostic, Location};

use crate::arguments::language;
use crate::options::NativePrepareOptions;
use crate::resources::checker;

/// How long the host's thread waits for validation alone.
const VALIDATION: Duration = Duration::from_millis(50);

#[napi(object, object_from_js = false)]
#[derive(Clone)]
pub struct NativeDiagnostic {
    pub rule: &'static str,
    #[napi(ts_type = "'ERROR' | 'WARNING' | 'INFO'")]
    pub severity: &'static str,
    pub message: String,
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub fix: Option<String>,
}

/// `transformedCode` is empty if the program was refused.
#[napi(object, object_from_js = false)]
pub struct NativeProgram {
    pub transformed_code: String,
    pub diagnostics: Vec<NativeDiagnostic>,
}

#[napi]
pub fn validate_code(code: String, options: NativePrepareOptions) -> Vec<NativeDiagnostic> {
    prepared(&code, &options.into(), VALIDATION).diagnostics
}

#[napi]
pub fn prepare_program(code: String, options: NativePrepareOptions) -> NativeProgram {
    let time = Duration::try_from_secs_f64(options.timeout_ms / 1_000.0).unwrap_or(VALIDATION);
    prepared(&code, &options.into(), time)
}

/// The outcome of preparing a program, if it is known in time.
fn prepared(code: &str, options: &PrepareOptions, time: Duration) -> NativeProgram {
    let (transformed_code, diagnostics) = match checker().prepare(code, options, time) {
        Ok(program) => (program.code.clone(), program.diagnostics.clone()),
        Err(diagnostics) => (String::new(), diagnostics),
    };
    NativeProgram { transformed_code, diagnostics: diagnostics.into_iter().map(Into::into).collect() }
}

/// Findings in the source of a module, before it runs.
#[napi]
pub fn check_module(code: String, specifier: String, options: NativePrepareOptions) -> Vec<NativeDiagnostic> {
    let diagnostics = match prepare::prepare_module(&code, &specifier, &options.into()) {
        Ok(module) => module.diagnostics,
        Err(diagnostics) => diagnostics,
    };
    diagnostics.into_iter().map(Into::into).collect()
}

#[napi]
pub fn code_frame(code: String, line: u32, column: u32, message: String) -> String {
    prepare::code_frame(&code, Location { line, column }, &message)
}

impl From<NativePrepareOptions> for PrepareOptions {
    fn from(options: NativePrepareOptions) -> Self {
        Self {
            language: language(&options.language),
            authorized_imports: options.authorized_imports,
            globals: options.globals,
            max_operations: options.max_operations,
            timeout_ms: options.timeout_ms,
            max_log_bytes: options.max_log_bytes,
            max_code_bytes: options.max_code_bytes as usize,
        }
    }
}

impl From<Diagnostic> for NativeDiagnostic {
    fn from(diagnostic: Diagnostic) -> Self {
        Self {
            rule: diagnostic.rule,
            severity: diagnostic.severity.as_str(),
            message: diagnostic.message,
            line: diagnostic.location.map(|at| at.line),
            column: diagnostic.location.map(|at| at.column),
            fix: diagnostic.fix,
        }
    }
}
