//! `prepare`: whatever the text, a program or diagnostics, which are about the text; in bounded time and memory.

use std::time::Duration;

use ses_prepare::{PrepareOptions, Program, code_frame, prepare, prepare_module};
use ses_protocol::{Diagnostic, Language, Location, Severity};

use crate::bounds::{Bounds, within};

/// As that of an executor. Longer texts are refused before they are looked at.
const MAX_CODE_BYTES: usize = 1 << 20; // 1 MiB

/// Ten times what the costliest inputs of the corpora take, in an optimised build without instrumentation.
const BOUNDS: Bounds = Bounds {
    time: Duration::from_millis(250),
    time_per_byte: Duration::from_micros(20),
    heap_bytes: 4 << 20,          // 4 MiB
    heap_bytes_per_byte: 8 << 10, // 8 KiB
};

/// Checks one text. Bytes that are no UTF-8 are replaced, as they are on their way from JavaScript.
///
/// # Panics
///
/// When something that must hold does not.
pub fn check(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(bytes);
    let options = options();
    match within(&BOUNDS, text.len(), || prepare(text, &options)) {
        Ok(program) => {
            assert!(!program.diagnostics.iter().any(is_error), "accepted in spite of {:?}", program.diagnostics);
            check_diagnostics(text, &program.diagnostics);
            check_positions(text, &program);
        }
        Err(diagnostics) => {
            assert!(diagnostics.iter().any(is_error), "refused without an error");
            check_diagnostics(text, &diagnostics);
        }
    }
    if let Err(diagnostics) = within(&BOUNDS, text.len(), || prepare_module(text, "a-module", &options)) {
        assert!(diagnostics.iter().any(is_error), "module refused without an error");
        check_diagnostics(text, &diagnostics);
    }
}

fn options() -> PrepareOptions {
    PrepareOptions {
        language: Language::Auto,
        authorized_imports: vec!["x-ok".to_owned()],
        max_operations: 50_000.0,
        timeout_ms: 10_000.0,
        max_log_bytes: 262_144.0,
        max_code_bytes: MAX_CODE_BYTES,
        globals: Vec::new(),
    }
}

fn is_error(diagnostic: &Diagnostic) -> bool {
    matches!(diagnostic.severity, Severity::Error)
}

/// Positions lie in the text, and a frame can be drawn at each. Only the first ones: frames cost more than they.
fn check_diagnostics(text: &str, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics.iter().take(4) {
        assert!(!diagnostic.message.is_empty() && !diagnostic.rule.is_empty());
        if let Some(location) = diagnostic.location {
            assert_in_text(text, location);
            code_frame(text, location, &diagnostic.message);
        }
    }
}

/// Every position of the program, also one that does not exist, is one of the text or none.
fn check_positions(text: &str, program: &Program) {
    for (line, code) in (1..).zip(program.code.lines().take(64)) {
        let columns = code.encode_utf16().count() as u32;
        for column in [1, columns / 2 + 1, columns, columns + 1] {
            if let Some(location) = program.positions.original(line, column) {
                assert_in_text(text, location);
            }
        }
    }
    for (line, column) in [(0, 0), (0, 1), (1, 0), (u32::MAX, u32::MAX), (1, u32::MAX), (u32::MAX, 1)] {
        if let Some(location) = program.positions.original(line, column) {
            assert_in_text(text, location);
        }
    }
}

/// JavaScript's line terminators are what counts; columns are UTF-16 units, one more than there are at the end.
#[track_caller]
fn assert_in_text(text: &str, Location { line, column }: Location) {
    let mut lines = text.replace("\r\n", "\n");
    lines = lines.replace(['\r', '\u{2028}', '\u{2029}'], "\n");
    let found = lines.split('\n').nth((line as usize).wrapping_sub(1));
    let Some(found) = found else { panic!("line {line} of {text:?}") };
    let columns = found.encode_utf16().count() as u32;
    assert!((1..=columns + 1).contains(&column), "column {column} in line {line} of {text:?}");
}
