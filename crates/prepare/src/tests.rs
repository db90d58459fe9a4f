//! Tests of the module as a whole. Those of one file alone are in that file.

#[cfg(target_os = "linux")]
mod cells;
mod deferral;
mod fixtures;
mod positions;
mod robustness;
mod rules;
mod sdk_program;
mod sweep;
mod typescript;
mod typescript_robustness;

pub(crate) use robustness::SHAPES;

use super::{Diagnostic, Language, PrepareOptions, Program, prepare};

fn options() -> PrepareOptions {
    PrepareOptions {
        authorized_imports: vec!["x-ok".to_owned()],
        globals: Vec::new(),
        max_operations: 50_000.0,
        timeout_ms: 10_000.0,
        max_log_bytes: 262_144.0,
        max_code_bytes: 1 << 21, // 2 MiB
        language: Language::Auto,
    }
}

/// All diagnostics, whether the program is refused or not.
fn validate(code: &str, options: &PrepareOptions) -> Vec<Diagnostic> {
    prepare(code, options).map_or_else(|diagnostics| diagnostics, |program| program.diagnostics)
}

#[track_caller]
fn prepared(code: &str) -> Program {
    match prepare(code, &options()) {
        Ok(program) => program,
        Err(diagnostics) => panic!("{code:?} was rejected: {diagnostics:?}"),
    }
}

#[track_caller]
fn rejected(code: &str) -> Vec<Diagnostic> {
    match prepare(code, &options()) {
        Ok(program) => panic!("{code:?} was accepted: {}", program.code),
        Err(diagnostics) => diagnostics,
    }
}
