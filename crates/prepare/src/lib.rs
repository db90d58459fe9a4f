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
mod plan;
mod positions;
mod print;
mod regexps;
mod rules;
mod sdk_program;
mod source_index;
mod stack;
mod syntax;
#[cfg(test)]
mod tests;
mod token_context;
mod transform;
mod trivia;
mod typescript;

pub use cache::Programs;
pub use code_frame::code_frame;
use observed::SharedUse;
pub use observed::{Lookups, Observed};
pub use options::PrepareOptions;
pub use plan::{PlanRequest, plan};
pub use positions::PositionMap;
pub use regexps::may_be_costly;
pub use rules::imports::{MAX_NAME_CHARS, module_name};
pub use rules::mistakes::{WRAPPING_RULES, without_wrapping};
pub use rules::text::{not_checked, not_checked_in_time};
pub use sdk_program::{CallStyle, Insertion, SdkProgram, SdkProgramKind, SdkProgramRequest, sdk_program};
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
use transform::Loops;

/// Positions are 32-bit, and the parser reserves a few of their values.
const MAX_CODE_BYTES: usize = 1 << 30; // 1 GiB

/// Modules come from the host, which may pass on a whole library. 8 MiB.
const MAX_MODULE_BYTES: usize = 8 << 20;

/// A program that passed VALIDATE, after TRANSFORM.
#[derive(Debug)]
pub struct Program {
    /// The text that runs. From [`prepare`]: a classic script; from [`prepare_module`]: an ES module.
    pub code: String,
    /// The form of that text; irrelevant for a module.
    pub form: Form,
    /// Maps positions in `code` to positions in the original text.
    pub positions: Arc<PositionMap>,
    /// JavaScript that our parser and V8 may read differently: V8 has to check the original text.
    pub is_doubtful: bool,
    /// Diagnostics that do not block the run (WARNING and INFO).
    pub diagnostics: Vec<Diagnostic>,
    /// Names that belong to the program alone, so no earlier program may observe them.
    pub private: Vec<String>,
    /// Names that the program treats as cells of earlier programs, or not, according to the given state of the realm.
    shared_uses: Vec<SharedUse>,
    /// The lookups that it leaves after it has run.
    pub lookups: Lookups,
    /// V8's bytecode for `code`, for isolates of this process that run it later; see [`Programs::keep_bytecode`].
    pub bytecode: OnceLock<Box<[u8]>>,
}

/// The form of a program's text. It is as small as its statements allow, because V8 spends a considerable part of a
/// short run on compiling functions, especially async ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The value is that of the script.
    Script,
    /// A function that returns it.
    Function,
    /// The same, for a program that waits.
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
    /// Memory that the text and its positions take.
    pub fn bytes(&self) -> usize {
        self.code.len() + self.positions.bytes()
    }

    /// Whether it may run in a realm whose earlier programs have left `observed`.
    pub fn suits(&self, observed: &Observed) -> bool {
        !self.private.iter().any(|name| observed.contains(name))
            && self.shared_uses.iter().all(|one| observed.is_reached_as_cell(&one.name, one.is_written) == one.is_cell)
    }
}

/// Validates a guest program, by all rules of the specification's appendix B and additional ones, and rewrites it for
/// execution in a realm that has run no other program.
///
/// Diagnostics about options come first, then those about the text in the order of their positions.
///
/// # Errors
///
/// All diagnostics, at least one of which is an ERROR.
pub fn prepare(code: &str, options: &PrepareOptions) -> Result<Program, Vec<Diagnostic>> {
    prepare_for(&Observed::default(), code, options)
}

/// Like [`prepare`], for a realm whose earlier programs have left `observed`.
///
/// # Errors
///
/// As for [`prepare`].
pub fn prepare_for(observed: &Observed, code: &str, options: &PrepareOptions) -> Result<Program, Vec<Diagnostic>> {
    let mut report = Report::new(options.diagnostics());
    let (code, wrapping) = rules::mistakes::unwrapped(code);
    if let Some(wrapping) = wrapping {
        report.push(wrapping.diagnostic());
    }
    let code = &*code;
    let done = parsed(code, options, Goal::Program, &mut report, |source, report| {
        let Analysis { bindings, lookups, cells, shared_uses, waiting, can_be_suspended, functions, is_doubtful } =
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
        let loops = if options.is_unlimited() { Loops::Unlimited } else { Loops::Counted(&waiting) };
        transform::instrument(&mut body, loops);
        let publication = transform::publish(&bindings, &cells, &mut body);
        let printed = print::program(Source { code, functions }, publication, body, form);
        let private =
            bindings.iter().filter(|binding| !binding.is_shared).map(|binding| binding.name.clone()).collect();
        Some(Program { form, is_doubtful, private, shared_uses, lookups, ..runnable(printed) })
    });
    finish(done, report)
}

/// Parses and rewrites a program for a page of a browser. Bindings persist and the program has a value, as in a guest
/// program. The browser contains it, so no name is refused and nothing is guarded. `observed`: as in [`prepare_for`].
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
        // Runs with a limit may call its functions, too.
        transform::instrument(&mut module.body, Loops::Counted(&waiting));
        Some(Program { is_doubtful, ..runnable(print::module(Source { code: source, functions }, module)) })
    });
    finish(done, report).map_err(|mut diagnostics| {
        for diagnostic in &mut diagnostics {
            diagnostic.message = in_module(specifier, diagnostic.location, &diagnostic.message);
        }
        diagnostics
    })
}

/// The text of an error in a module, with the place in its source. The program that imports the module does not see
/// that source.
pub fn in_module(specifier: &str, location: Option<Location>, message: &str) -> String {
    let place = location.map(|Location { line, column }| format!(", line {line}, column {column}"));
    format!("in module {specifier:?}{}: {message}", place.unwrap_or_default())
}

/// The engine does not have enough stack to compile a program. The diagnostic has the place of the deepest nesting.
pub fn nesting_too_deep_to_compile(code: &str) -> Diagnostic {
    let at = nesting::deepest(code, Dialect::JavaScript);
    rules::text::nesting_too_deep_to_compile(SourceIndex::new(code).location(at as u32))
}

/// The tree with the tokens of `code` that the parser dropped or replaced.
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
        shared_uses: Vec::new(),
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

/// Applies the rules that need no parser, parses `code`, makes it JavaScript if necessary, and calls `work`. All of
/// that, including dropping the tree, runs on stacks that suffice for `code`. `None` if the report has an ERROR.
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
            // The author probably meant the dialect that reads more of the text.
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

/// The position of the JSX in source that is not TypeScript, if JSX is the only reason.
fn jsx_in(code: &str, goal: Goal, language: Language) -> Option<Location> {
    let may_be_jsx = language != Language::JavaScript && (code.contains("</") || code.contains("/>"));
    if !may_be_jsx {
        return None;
    }
    on_checked_stack(code, goal, Dialect::TypeScript, |stack| Ok(parse::find_jsx(code, goal, stack))).ok()?
}

/// Runs `work` on a stack that suffices for `code`, and passes the parser's share if that has to be checked.
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

/// Parses `code` as `dialect` and makes it JavaScript. After another dialect has failed, a tree without types does not
/// count as a success: the errors of the other dialect are the relevant ones.
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
