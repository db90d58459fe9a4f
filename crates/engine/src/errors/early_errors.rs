//! Early errors that only V8 reports. It compiles a source without running it.

use deno_core::v8;
use v8::script_compiler::{self, Source};

use crate::state::origin::origin;
use ses_prepare as prepare;
use ses_protocol::{Diagnostic, Location, Severity};

/// An error with which V8 refuses to compile a source. Line and column are positions in that source, both from 1.
pub struct EarlyError {
    pub message: String,
    pub line: u32,
    pub column: u32,
}

/// Stands on a separate line before a program as it was written, because a program is the body of an async function.
const HEAD: &str = "async () => {\"use strict\";\n";

/// The early error that V8 reports for a program as it was written.
pub fn of_program(scope: &mut v8::PinScope, code: &str) -> Option<EarlyError> {
    let code = prepare::without_wrapping(code);
    let code = code.strip_prefix('\u{feff}').unwrap_or(&code);
    // A function cannot begin with this comment.
    let (comment, code) = code.strip_prefix("#!").map_or(("", code), |code| ("//", code));
    let error = of_script(scope, &format!("{HEAD}{comment}{code}\n}}"))?;
    Some(EarlyError { line: error.line.saturating_sub(1).max(1), ..error })
}

/// The early error that V8 reports for a script.
pub fn of_script(scope: &mut v8::PinScope, text: &str) -> Option<EarlyError> {
    of_text(scope, text, false)
}

/// The early error that V8 reports for a module.
pub fn of_module(scope: &mut v8::PinScope, text: &str) -> Option<EarlyError> {
    of_text(scope, text, true)
}

fn of_text(scope: &mut v8::PinScope, text: &str, is_module: bool) -> Option<EarlyError> {
    v8::tc_scope!(let attempt, scope);
    let text = v8::String::new(attempt, text)?;
    let name = v8::String::new(attempt, "check.js")?;
    let origin = origin(attempt, name, is_module);
    let is_compiled = if is_module {
        script_compiler::compile_module(attempt, &mut Source::new(text, Some(&origin))).is_some()
    } else {
        v8::Script::compile(attempt, text, Some(&origin)).is_some()
    };
    if is_compiled {
        return None;
    }
    let message = attempt.message()?;
    let text = message.get(attempt).to_rust_string_lossy(attempt);
    Some(EarlyError {
        message: text.trim_start_matches("Uncaught ").trim_start_matches("SyntaxError: ").to_owned(),
        line: message.get_line_number(attempt)? as u32,
        column: message.get_start_column() as u32 + 1,
    })
}

/// V8's message when its stack does not suffice for a source.
const STACK_OVERFLOW: &str = "Maximum call stack size exceeded";

/// The diagnostic for an early error of `code` that VALIDATE leaves to V8.
pub fn diagnostic(message: String, location: Option<Location>, code: &str) -> Diagnostic {
    if message.ends_with(STACK_OVERFLOW) {
        return prepare::nesting_too_deep_to_compile(code);
    }
    Diagnostic { rule: "syntax_valid", severity: Severity::Error, message, location, fix: None, module: None }
}

impl EarlyError {
    /// The diagnostic for an error in `code` as it was written.
    pub fn diagnostic(self, code: &str) -> Diagnostic {
        diagnostic(self.message, Some(Location { line: self.line, column: self.column }), code)
    }
}
