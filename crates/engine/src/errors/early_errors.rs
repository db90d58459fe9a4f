//! Early errors that only V8 knows: it compiles a text, which does not run.

use deno_core::v8;
use v8::script_compiler::{self, Source};

use crate::state::origin::origin;
use ses_prepare as prepare;
use ses_protocol::{Diagnostic, Location, Severity};

/// What V8 says of a text that it does not compile; line and column of that text, both from 1.
pub struct EarlyError {
    pub message: String,
    pub line: u32,
    pub column: u32,
}

/// What stands before a program as it was written, on a line of its own: it is the body of an async function.
const HEAD: &str = "async () => {\"use strict\";\n";

/// What V8 finds wrong with a program as it was written.
pub fn of_program(scope: &mut v8::PinScope, code: &str) -> Option<EarlyError> {
    let code = prepare::without_wrapping(code);
    let code = code.strip_prefix('\u{feff}').unwrap_or(&code);
    // A function cannot begin with this comment.
    let (comment, code) = code.strip_prefix("#!").map_or(("", code), |code| ("//", code));
    let error = of_script(scope, &format!("{HEAD}{comment}{code}\n}}"))?;
    Some(EarlyError { line: error.line.saturating_sub(1).max(1), ..error })
}

/// What V8 finds wrong with a script.
pub fn of_script(scope: &mut v8::PinScope, text: &str) -> Option<EarlyError> {
    of_text(scope, text, false)
}

/// What V8 finds wrong with a module.
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

/// What V8 says where its stack does not suffice for a text.
const STACK_OVERFLOW: &str = "Maximum call stack size exceeded";

/// The diagnostic of an early error of `code` that VALIDATE leaves to V8.
pub fn diagnostic(message: String, location: Option<Location>, code: &str) -> Diagnostic {
    if message.ends_with(STACK_OVERFLOW) {
        return prepare::nesting_too_deep_to_compile(code);
    }
    Diagnostic { rule: "syntax_valid", severity: Severity::Error, message, location, fix: None, module: None }
}

impl EarlyError {
    /// Of `code` as it was written.
    pub fn diagnostic(self, code: &str) -> Diagnostic {
        diagnostic(self.message, Some(Location { line: self.line, column: self.column }), code)
    }
}
