//! VALIDATE and TRANSFORM (specification sections 6 and 7.2): program text in, runnable text or diagnostics out.
//!
//! Pure: no V8, no napi, no I/O. Every function accepts any text on any thread, whatever is left of its stack: the work
//! runs on a stack of its own (`stack.rs`), nesting is bounded, and time and memory are linear in the text.
//!
//! ```text
//! text ─ options ─▶ parse ─▶ analyze (rules, bindings) ─▶ transform ─▶ print ─▶ Program { code, positions }
//! ```

mod analyze;
mod cache;
mod code_frame;
mod diagnostics;
mod nesting;
mod options;
mod parse;
mod positions;
mod print;
mod rules;
mod source_index;
mod stack;
#[cfg(test)]
mod tests;
mod transform;

pub use cache::{keep, kept};
pub use code_frame::code_frame;
pub use diagnostics::{Diagnostic, Location, Severity};
pub use options::PrepareOptions;
pub use positions::PositionMap;

use std::sync::Arc;

use analyze::{Analysis, Goal};
use diagnostics::{Report, has_errors};
use nesting::Nesting;
use parse::ParsedSource;
use source_index::SourceIndex;
use swc_ecma_ast::{Module, Stmt};

/// Positions are 32-bit, and the parser's need a few values of their own.
const MAX_CODE_BYTES: usize = 1 << 30; // 1 GiB

/// A program that passed VALIDATE, after TRANSFORM.
#[derive(Debug)]
pub struct Program {
    /// The text that runs. From [`prepare`]: a classic script whose value is an async function; from
    /// [`prepare_module`]: an ES module.
    pub code: String,
    /// From positions in `code` to positions in the text that was passed in.
    pub positions: Arc<PositionMap>,
    /// Diagnostics that do not block the run (WARNING and INFO).
    pub diagnostics: Vec<Diagnostic>,
}

/// Runs all rules of the specification's appendix B, and our own, over a guest program.
///
/// Diagnostics about options come first, then those about the text in the order of their positions.
pub fn validate(code: &str, options: &PrepareOptions) -> Vec<Diagnostic> {
    let mut report = Report::new(options.diagnostics());
    on_checked_stack(code, options, Goal::Program, &mut report, |report| {
        check(code, options, Goal::Program, report).map(drop)
    });
    report.into_sorted()
}

/// Validates a guest program and rewrites it for execution.
///
/// # Errors
///
/// All diagnostics, at least one of which is an ERROR.
pub fn prepare(code: &str, options: &PrepareOptions) -> Result<Program, Vec<Diagnostic>> {
    let mut report = Report::new(options.diagnostics());
    let printed = on_checked_stack(code, options, Goal::Program, &mut report, |report| {
        let (module, analysis) = check(code, options, Goal::Program, report)?;
        if report.has_errors() {
            return None;
        }
        let mut body: Vec<Stmt> = module.body.into_iter().filter_map(|item| item.stmt()).collect();
        transform::return_completion_value(&mut body);
        transform::instrument(&mut body);
        Some(print::program(code, &transform::declaration(&analysis.bindings), body))
    });
    finish(printed, report)
}

/// Validates and rewrites the text of an ES module that the host provides: loop guards, `catch` and `import()` as in a
/// guest program; imports and exports stay. Each module that it imports must be authorized.
///
/// # Errors
///
/// All diagnostics, at least one of which is an ERROR; messages name `specifier`.
pub fn prepare_module(source: &str, specifier: &str, options: &PrepareOptions) -> Result<Program, Vec<Diagnostic>> {
    let mut report = Report::new(Vec::new());
    let printed = on_checked_stack(source, options, Goal::HostModule, &mut report, |report| {
        let (mut module, _) = check(source, options, Goal::HostModule, report)?;
        if report.has_errors() {
            return None;
        }
        transform::instrument(&mut module.body);
        Some(print::module(source, module))
    });
    finish(printed, report).map_err(|mut diagnostics| {
        for diagnostic in &mut diagnostics {
            diagnostic.message = format!("in module {specifier:?}: {}", diagnostic.message);
        }
        diagnostics
    })
}

fn finish(printed: Option<(String, PositionMap)>, report: Report) -> Result<Program, Vec<Diagnostic>> {
    let diagnostics = report.into_sorted();
    match printed {
        Some((code, positions)) if !has_errors(&diagnostics) => {
            Ok(Program { code, positions: Arc::new(positions), diagnostics })
        }
        _ => Err(diagnostics),
    }
}

/// Applies the rules that need no parser, then runs `work` on a stack that suffices for `code`.
fn on_checked_stack<R>(
    code: &str,
    options: &PrepareOptions,
    goal: Goal,
    report: &mut Report,
    work: impl FnOnce(&mut Report) -> Option<R>,
) -> Option<R> {
    if goal == Goal::Program && rules::text::is_blank(code) {
        report.push(rules::text::code_non_empty());
        return None;
    }
    if code.len() > options.max_code_bytes.min(MAX_CODE_BYTES) {
        report.push(rules::text::code_too_large(code.len(), options.max_code_bytes.min(MAX_CODE_BYTES)));
        return None;
    }
    let nesting = Nesting::of(code);
    // Modules come from the host, which may well pass on a large minified library.
    if goal == Goal::Program && nesting.may_be_deep {
        report.push(rules::text::nesting_not_estimable(nesting.openers));
        return None;
    }
    let deep_at = nesting.too_deep_at;
    let Some(bytes) = stack::bytes_for(code.len(), &nesting).filter(|_| deep_at.is_none()) else {
        let offset = deep_at.unwrap_or(0) as u32;
        report.push(rules::text::nesting_too_deep(SourceIndex::new(code).location(offset)));
        return None;
    };
    stack::with_stack(bytes, || work(report)).unwrap_or_else(|| {
        report.push(rules::text::parser_failed());
        None
    })
}

/// Parses `code` and applies every rule about its tree. `None` when the text is not a program (the report then has
/// an ERROR).
fn check(code: &str, options: &PrepareOptions, goal: Goal, report: &mut Report) -> Option<(Module, Analysis)> {
    let source = ParsedSource::parse(code, goal, report)?;
    let analysis = analyze::analyze(&source, options, goal, report)?;
    Some((source.module, analysis))
}
