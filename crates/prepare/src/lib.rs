//! VALIDATE and TRANSFORM (specification sections 6 and 7.2): program text in, runnable text or diagnostics out.
//!
//! Pure: no V8, no napi, no I/O. Every function accepts any text on any thread, however little stack that thread has
//! left. The work runs on a separate stack if needed (`stack.rs`), nesting is bounded, and time and memory are linear
//! in the length of the text.
//!
//! ```text
//! text ─ options ─▶ parse ─▶ TypeScript to JavaScript ─▶ analyze (rules, bindings) ─▶ transform ─▶ print ─▶
//! Program { code, positions }
//! ```

mod analyze;
mod around;
mod cache;
mod code_frame;
mod descent;
mod diagnostics;
mod dialect;
mod goal;
mod nesting;
mod observed;
mod options;
mod parse;
mod positions;
mod print;
mod regexps;
mod rules;
mod sandbox;
mod source_index;
mod stack;
mod syntax;
#[cfg(test)]
mod tests;
mod transform;
mod trivia;
mod typescript;

pub use cache::Programs;
pub use code_frame::code_frame;
use observed::Meant;
pub use observed::{Lookups, Observed};
pub use options::PrepareOptions;
pub use positions::PositionMap;
pub use regexps::may_be_costly;
pub use rules::imports::{MAX_NAME_CHARS, module_name};
pub use rules::mistakes::{WRAPPING_RULES, without_wrapping};
pub use rules::text::{not_checked, not_checked_in_time};
pub use sandbox::{CallStyle, Insertion, SandboxKind, SandboxProgram, SandboxRequest, sandbox_program};
pub use transform::guest_text;

use std::sync::{Arc, OnceLock};

use analyze::Analysis;
use diagnostics::{Report, has_errors};
use dialect::Dialect;
use goal::Goal;
use nesting::Nesting;
use parse::{ParsedSource, SyntaxErrors};
use positions::{Functions, Source};
use ses_protocol::{Diagnostic, Language, Location};
use source_index::SourceIndex;
use stack::Room;
use swc_ecma_ast::{Module, Stmt};

/// Positions are 32-bit, and the parser reserves a few of their values.
const MAX_CODE_BYTES: usize = 1 << 30; // 1 GiB

/// Modules come from the host, which may pass on a whole library. 8 MiB.
const MAX_MODULE_BYTES: usize = 8 << 20;

/// A program that passed VALIDATE, after TRANSFORM.
#[derive(Debug)]
pub struct Program {
    /// The text that runs. From [`prepare`]: a classic script; from [`prepare_module`]: an ES module.
    pub code: String,
    /// What that gives; nothing for a module.
    pub form: Form,
    /// From positions in `code` to positions in the text that was passed in.
    pub positions: Arc<PositionMap>,
    /// JavaScript with something that our parser and V8 may not agree on: V8 has to be asked about the text as it was written.
    pub is_doubtful: bool,
    /// Diagnostics that do not block the run (WARNING and INFO).
    pub diagnostics: Vec<Diagnostic>,
    /// Names that the program declares for itself, so that no earlier one may observe them.
    pub private: Vec<String>,
    /// Names that it means as cells of earlier programs, or not, as it was told that they are.
    meant: Vec<Meant>,
    /// What it leaves when it has run.
    pub lookups: Lookups,
    /// What V8 has made of `code`, for isolates of this process that run it later; see [`Programs::keep_bytecode`].
    pub bytecode: OnceLock<Box<[u8]>>,
}

/// What the value of a program's text is. As little as its statements need, since V8 takes a considerable part of a short
/// run to compile functions, async ones above all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// That of the program.
    Script,
    /// A function that returns it.
    Function,
    /// The same, of a program that waits.
    AsyncFunction,
}

impl Form {
    /// `has_cells`: there are constants to declare.
    fn of(body: &[Stmt], can_be_suspended: bool, has_cells: bool) -> Self {
        if can_be_suspended {
            Form::AsyncFunction
        } else if !has_cells && !body.is_empty() && body.iter().all(Stmt::is_expr) {
            Form::Script
        } else {
            Form::Function
        }
    }
}

impl Program {
    /// Whether it may run in a realm whose earlier programs have left `observed`.
    pub fn suits(&self, observed: &Observed) -> bool {
        !self.private.iter().any(|name| observed.contains(name))
            && self.meant.iter().all(|one| observed.is_reached_as_cell(&one.name, one.is_written) == one.is_cell)
    }
}

/// Validates a guest program, by all rules of the specification's appendix B and our own, and rewrites it for execution in a
/// realm that has run no other one.
///
/// Diagnostics about options come first, then those about the text in the order of their positions.
///
/// # Errors
///
/// All diagnostics, at least one of which is an ERROR.
pub fn prepare(code: &str, options: &PrepareOptions) -> Result<Program, Vec<Diagnostic>> {
    prepare_for(&Observed::default(), code, options)
}

/// As [`prepare`], for a realm whose earlier programs have left `observed`.
///
/// # Errors
///
/// As [`prepare`].
pub fn prepare_for(observed: &Observed, code: &str, options: &PrepareOptions) -> Result<Program, Vec<Diagnostic>> {
    let mut report = Report::new(options.diagnostics());
    let (code, wrapping) = rules::mistakes::unwrapped(code);
    if let Some(wrapping) = wrapping {
        report.push(wrapping.diagnostic());
    }
    let code = &*code;
    let done = parsed(code, options, Goal::Program, &mut report, |source, report| {
        let Analysis { bindings, lookups, cells, meant, waiting, can_be_suspended, functions, is_doubtful } =
            analyze::analyze(&source, code, options, observed, Goal::Program, report)?;
        if report.has_errors() {
            return None;
        }
        let mut body: Vec<Stmt> = as_written(source, code).body.into_iter().filter_map(|item| item.stmt()).collect();
        let form = Form::of(&body, can_be_suspended, !cells.is_empty());
        match form {
            Form::Script => transform::end_with_value(&mut body),
            Form::Function | Form::AsyncFunction => transform::return_completion_value(&mut body),
        }
        transform::instrument(&mut body, &waiting);
        let publication = transform::publish(&bindings, &cells, &mut body);
        let printed = print::program(Source { code, functions }, publication, body, form);
        let private =
            bindings.iter().filter(|binding| !binding.is_shared).map(|binding| binding.name.clone()).collect();
        Some(Program { form, is_doubtful, private, meant, lookups, ..runnable(printed) })
    });
    finish(done, report)
}

/// Parses a program for a page of a browser and rewrites it: bindings persist and there is a value, as in a guest program. What
/// contains it is the browser, so that nothing is refused for what it names and nothing in it is guarded. `observed`: as in
/// [`prepare_for`].
///
/// # Errors
///
/// All diagnostics, at least one of which is an ERROR.
pub fn prepare_page(observed: &Observed, code: &str, options: &PrepareOptions) -> Result<Program, Vec<Diagnostic>> {
    let mut report = Report::new(options.diagnostics());
    let done = parsed(code, options, Goal::Page, &mut report, |source, report| {
        let Analysis { bindings, lookups, cells, can_be_suspended, .. } =
            analyze::analyze(&source, code, options, observed, Goal::Page, report)?;
        if report.has_errors() {
            return None;
        }
        let mut body: Vec<Stmt> = as_written(source, code).body.into_iter().filter_map(|item| item.stmt()).collect();
        let form = if can_be_suspended { Form::AsyncFunction } else { Form::Function };
        transform::return_completion_value(&mut body);
        let publication = transform::publish(&bindings, &cells, &mut body);
        let source = Source { code, functions: Functions::default() };
        Some(Program { form, lookups, ..runnable(print::program(source, publication, body, form)) })
    });
    finish(done, report)
}

/// Validates and rewrites the text of an ES module that the host provides: loop guards, `catch` and `import()` as in a
/// guest program; imports and exports stay. Each module that it imports must be authorized.
///
/// # Errors
///
/// All diagnostics, at least one of which is an ERROR; messages name `specifier`.
pub fn prepare_module(source: &str, specifier: &str, options: &PrepareOptions) -> Result<Program, Vec<Diagnostic>> {
    let mut report = Report::new(Vec::new());
    let done = parsed(source, options, Goal::HostModule, &mut report, |parsed, report| {
        let Analysis { waiting, functions, is_doubtful, .. } =
            analyze::analyze(&parsed, source, options, &Observed::default(), Goal::HostModule, report)?;
        if report.has_errors() {
            return None;
        }
        let mut module = as_written(parsed, source);
        transform::instrument(&mut module.body, &waiting);
        Some(Program { is_doubtful, ..runnable(print::module(Source { code: source, functions }, module)) })
    });
    finish(done, report).map_err(|mut diagnostics| {
        for diagnostic in &mut diagnostics {
            diagnostic.message = in_module(specifier, diagnostic.location, &diagnostic.message);
        }
        diagnostics
    })
}

/// What is wrong with a module, and where in its source. The program that imports it does not see that source.
pub fn in_module(specifier: &str, location: Option<Location>, message: &str) -> String {
    let place = location.map(|Location { line, column }| format!(", line {line}, column {column}"));
    format!("in module {specifier:?}{}: {message}", place.unwrap_or_default())
}

/// Why the engine has not the stack to compile a program, and where that is nested most deeply.
pub fn nesting_too_deep_to_compile(code: &str) -> Diagnostic {
    let at = nesting::deepest(code, Dialect::JavaScript);
    rules::text::nesting_too_deep_to_compile(SourceIndex::new(code).location(at as u32))
}

/// The tree with what the parser has lost of `code` or read another word for.
fn as_written(source: ParsedSource, code: &str) -> Module {
    let ParsedSource { mut module, loses_holes, stand_ins, .. } = source;
    if loses_holes {
        transform::restore_holes(&mut module, code);
    }
    transform::restore_stand_ins(&mut module, &stand_ins);
    module
}

fn runnable((code, positions): (String, PositionMap)) -> Program {
    let (diagnostics, private) = (Vec::new(), Vec::new());
    Program {
        code,
        form: Form::Script,
        positions: Arc::new(positions),
        is_doubtful: false,
        diagnostics,
        private,
        meant: Vec::new(),
        lookups: Lookups::default(),
        bytecode: OnceLock::new(),
    }
}

fn finish(done: Option<Program>, report: Report) -> Result<Program, Vec<Diagnostic>> {
    let diagnostics = report.into_sorted();
    match done {
        Some(program) if !has_errors(&diagnostics) => Ok(Program { diagnostics, ..program }),
        _ => Err(diagnostics),
    }
}

/// Applies the rules that need no parser, parses `code`, makes it JavaScript if it is not, and goes on with `work`. All
/// of that, and the drop of the tree, on stacks that suffice for `code`. `None` when the report has an ERROR.
fn parsed<R>(
    code: &str,
    options: &PrepareOptions,
    goal: Goal,
    report: &mut Report,
    work: impl FnOnce(ParsedSource, &mut Report) -> Option<R>,
) -> Option<R> {
    if goal != Goal::HostModule && rules::text::is_blank(code) {
        report.push(rules::text::code_non_empty());
        return None;
    }
    let most =
        if goal == Goal::HostModule { MAX_MODULE_BYTES.max(options.max_code_bytes) } else { options.max_code_bytes };
    if code.len() > most.min(MAX_CODE_BYTES) {
        report.push(rules::text::code_too_large(code.len(), most.min(MAX_CODE_BYTES)));
        return None;
    }
    let mut work = Some(work);
    let mut errors: Option<SyntaxErrors> = None;
    for &dialect in Dialect::of(options.language) {
        let attempt = on_checked_stack(code, goal, dialect, |stack| {
            let source = javascript(code, goal, dialect, errors.is_some(), stack)?;
            Ok(work.take().and_then(|work| work(source, report)))
        });
        match attempt {
            Ok(done) => return done,
            // The dialect that reads more of the text is the one that its author had in mind.
            Err(found) if errors.as_ref().is_none_or(|errors| found.read_more_than(errors)) => errors = Some(found),
            Err(_) => {}
        }
    }
    if let Some(at) = jsx_in(code, goal, options.language) {
        report.push(rules::typescript::jsx(at));
        return None;
    }
    for diagnostic in errors.into_iter().flat_map(|errors| errors.diagnostics) {
        report.push(diagnostic);
    }
    None
}

/// Where the JSX is in source that is not TypeScript, if JSX is the only reason.
fn jsx_in(code: &str, goal: Goal, language: Language) -> Option<Location> {
    let may_be_jsx = language != Language::JavaScript && (code.contains("</") || code.contains("/>"));
    if !may_be_jsx {
        return None;
    }
    on_checked_stack(code, goal, Dialect::TypeScript, |stack| Ok(parse::find_jsx(code, goal, stack))).ok()?
}

/// Runs `work` on a stack that suffices for `code`, with what the parser may take of it where that has to be watched.
fn on_checked_stack<R>(
    code: &str,
    goal: Goal,
    dialect: Dialect,
    work: impl FnOnce(Option<usize>) -> Result<R, SyntaxErrors>,
) -> Result<R, SyntaxErrors> {
    let nesting = Nesting::of(code, dialect);
    let deep_at = nesting.too_deep_at;
    // Modules come from the host, which may well pass on a large minified library.
    let room = if goal == Goal::HostModule {
        let is_known = deep_at.is_none() && !nesting.may_be_deep;
        stack::room_for(code.len(), is_known.then_some(nesting.openers))
    } else if nesting.may_be_deep {
        return Err(rules::text::nesting_not_estimable(nesting.openers).into());
    } else {
        let room = stack::room_for(code.len(), Some(nesting.openers));
        room.filter(|room| deep_at.is_none() && room.parser_bytes.is_none())
    };
    let Some(Room { bytes, parser_bytes }) = room else {
        let offset = deep_at.unwrap_or(0) as u32;
        return Err(rules::text::nesting_too_deep(SourceIndex::new(code).location(offset)).into());
    };
    stack::with_stack(bytes, || work(parser_bytes)).unwrap_or_else(|| Err(rules::text::parser_failed().into()))
}

/// Parses `code` as `dialect` and makes it JavaScript. After a dialect that failed, a tree without types is no success:
/// the errors of the other dialect are those of the text.
fn javascript(
    code: &str,
    goal: Goal,
    dialect: Dialect,
    has_failed: bool,
    stack: Option<usize>,
) -> Result<ParsedSource, SyntaxErrors> {
    let mut source = ParsedSource::parse(code, goal, dialect, stack)?;
    if dialect == Dialect::JavaScript {
        return Ok(source);
    }
    if has_failed && !typescript::has_types(&source.module) {
        return Err(SyntaxErrors::default());
    }
    let refused = |report: Report| SyntaxErrors::of_read_text(report.into_sorted());
    let report = typescript::survey(&mut source, goal);
    if report.has_errors() {
        return Err(refused(report));
    }
    typescript::strip(source, goal).map_err(refused)
}
