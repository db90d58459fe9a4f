//! Rules about the text as a whole: `code_non_empty`, `code_too_large`, `nesting_too_deep`, `syntax_valid`,
//! `regexp_too_complex`, `not_checked`.

use std::time::Duration;

use super::super::stack::MAX_DEPTH;
use ses_protocol::{Diagnostic, Location};

pub(in super::super) fn is_blank(code: &str) -> bool {
    code.chars().all(|character| character.is_whitespace() || character == '\u{feff}')
}

pub(in super::super) fn code_non_empty() -> Diagnostic {
    Diagnostic::error("code_non_empty", "the program is empty").with_fix("Pass at least one statement")
}

pub(in super::super) fn code_too_large(bytes: usize, max: usize) -> Diagnostic {
    Diagnostic::error("code_too_large", format!("the program has {bytes} bytes; at most {max} are accepted"))
        .with_fix("Leave large data out of the program: get it from a variable or a tool")
}

const LESS_NESTING: &str = "Use a loop or an array instead of nesting expressions or statements";

pub(in super::super) fn nesting_too_deep(at: Location) -> Diagnostic {
    Diagnostic::error("nesting_too_deep", format!("the program is nested too deeply (limit: {MAX_DEPTH} levels)"))
        .at(at)
        .with_fix(LESS_NESTING)
}

/// The engine does not have enough stack to compile it.
pub(in super::super) fn nesting_too_deep_to_compile(at: Location) -> Diagnostic {
    Diagnostic::error("nesting_too_deep", "the program is nested too deeply to be compiled")
        .at(at)
        .with_fix(LESS_NESTING)
}

pub(in super::super) fn syntax_valid(message: impl Into<String>, at: Location) -> Diagnostic {
    Diagnostic::error("syntax_valid", message).at(at)
}

pub(in super::super) fn export(at: Location, is_declaration: bool) -> Diagnostic {
    let message = "export is not available: end the program with an expression to return its value";
    let diagnostic = syntax_valid(message, at);
    if is_declaration { diagnostic.with_fix("Leave out the `export` before the declaration") } else { diagnostic }
}

pub(in super::super) fn regexp_too_complex(at: Location) -> Diagnostic {
    Diagnostic::error(
        "regexp_too_complex",
        "the regular expressions of the program name too many properties (`\\p{…}`)",
    )
    .at(at)
    .with_fix("Use one regular expression in a loop")
}

/// The parser gave up without reporting an error.
pub(in super::super) fn parser_failed() -> Diagnostic {
    Diagnostic::error("syntax_valid", "the program could not be parsed")
        .with_fix("Check the program for stray characters")
}

/// The program is large, and a slash or an escape in it prevents an estimate of its depth before parsing.
pub(in super::super) fn nesting_not_estimable(openers: usize) -> Diagnostic {
    Diagnostic::error(
        "nesting_too_deep",
        format!(
            "the program may be nested too deeply: it has {openers} brackets and operators, and an ambiguous slash"
        ),
    )
    .with_fix(
        "Write a smaller program, or write `new RegExp(text)` instead of a regular expression after a closing brace",
    )
}

/// The check had not finished when its caller stopped waiting.
pub fn not_checked_in_time(waited: Duration) -> Diagnostic {
    let message = format!("the program could not be checked within {} ms", waited.as_millis());
    Diagnostic::error("not_checked", message).with_fix("Run it: that checks it too, and does not block the host")
}

/// There is no thread to check the program on.
pub fn not_checked() -> Diagnostic {
    Diagnostic::error(
        "not_checked",
        "the program could not be checked: the threads for checking are busy or cannot start",
    )
}
