//! Adds to a program of `SandboxManager` the code that it needs to call the SDK: where the SDK is created, how
//! functions that run in parallel wait, and where calls are. It only inserts text, and inserts a line break only at the
//! end, so positions stay known.

mod calls;
mod style;

use swc_common::{BytePos, Spanned};
use swc_ecma_ast::{BlockStmt, Class, Decl, Expr, Function, Module, ModuleItem, Pat, ReturnStmt, Stmt};
use swc_ecma_visit::{Visit, VisitWith};

use super::diagnostics::Report;
use super::goal::Goal;
use super::{PrepareOptions, parsed};

/// How a program's calls of the API wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallStyle {
    /// Calls return values.
    Sync,
    /// Calls return promises.
    Async,
}

/// What kind of program it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SdkProgramKind {
    /// Has no API to call.
    Search,
    Execute,
    /// Returns the result of applying a function to the state.
    Mutate,
}

/// What the caller decides.
#[derive(Debug)]
pub struct SdkProgramRequest {
    /// The global through which insertions reach the preparation of the isolate; an identifier.
    pub kit: String,
    pub kind: SdkProgramKind,
    /// `None`: the style in which the program is written.
    pub style: Option<CallStyle>,
}

/// `text` is inserted before the character at `at`, a byte offset.
#[derive(Debug, PartialEq, Eq)]
pub struct Insertion {
    pub at: usize,
    pub text: String,
}

/// Insertions in the order of their positions. There are none if the program does not parse: running it gives the best
/// error.
#[derive(Debug)]
pub struct SdkProgram {
    pub style: CallStyle,
    pub insertions: Vec<Insertion>,
}

/// Determines the style of a program, and the insertions that it needs.
pub fn sdk_program(code: &str, request: &SdkProgramRequest, options: &PrepareOptions) -> SdkProgram {
    let whole = |module: &Module, insertions: &mut Insertions| wrap_values(module, request, insertions);
    if let Some(program) = insertions_of(code, 0, request, options, whole) {
        return program;
    }
    // An expression that is not a statement: a function without a name, or an object.
    let trimmed = code.trim_end_matches(|c: char| c == ';' || c.is_whitespace());
    let in_parentheses = format!("({trimmed}\n)");
    let expression = |module: &Module, insertions: &mut Insertions| {
        let [ModuleItem::Stmt(Stmt::Expr(statement))] = &module.body[..] else { return false };
        if !matches!(&*statement.expr, Expr::Paren(_)) {
            return false;
        }
        insertions.push(BytePos(FIRST + 1), format!("{}.apply((", request.kit));
        insertions.push(BytePos(FIRST + 1 + trimmed.len() as u32), "\n))".into());
        true
    };
    insertions_of(&in_parentheses, 1, request, options, expression)
        .unwrap_or(SdkProgram { style: request.style.unwrap_or(CallStyle::Sync), insertions: Vec::new() })
}

/// The position at which swc starts a source.
const FIRST: u32 = 1;

/// Insertions into a source, by swc's positions. At a start, outer parts come before inner ones; at an end, after them.
#[derive(Default)]
struct Insertions(Vec<(BytePos, String)>);

impl Insertions {
    fn push(&mut self, at: BytePos, text: String) {
        self.0.push((at, text));
    }

    /// Byte offsets in the program. The first `before` bytes do not belong to it.
    fn into_sorted(mut self, before: usize) -> Vec<Insertion> {
        self.0.sort_by_key(|(at, _)| *at);
        let offset = |at: BytePos| (at.0.saturating_sub(FIRST) as usize).saturating_sub(before);
        self.0.into_iter().map(|(at, text)| Insertion { at: offset(at), text }).collect()
    }
}

/// `wrap` adds the insertions for the program's value, and reports whether the text is such a program.
fn insertions_of(
    text: &str,
    before: usize,
    request: &SdkProgramRequest,
    options: &PrepareOptions,
    wrap: impl FnOnce(&Module, &mut Insertions) -> bool,
) -> Option<SdkProgram> {
    let mut report = Report::new(Vec::new());
    parsed(text, options, Goal::Program, &mut report, |source, _| {
        let module = &source.module;
        let first = module.body.first().map(Spanned::span_lo).filter(|at| at.0 >= FIRST)?;
        let survey = style::survey(module);
        let style = request.style.unwrap_or(survey.style);
        let begin = match (request.kind, style) {
            (SdkProgramKind::Search, _) => "search",
            (_, CallStyle::Sync) => "sync",
            (_, CallStyle::Async) => "async",
        };
        let mut insertions = Insertions::default();
        insertions.push(first.max(BytePos(FIRST + before as u32)), format!("{}.begin(\"{begin}\");", request.kit));
        if request.kind != SdkProgramKind::Search {
            calls::compile(module, &request.kit, style, &survey, before, &mut insertions);
        }
        wrap(module, &mut insertions).then(|| SdkProgram { style, insertions: insertions.into_sorted(before) })
    })
}

/// Wraps the value of a program. If a program ends with a function, the value is the function's result, for the state
/// if there is one. The same applies to a program that only declares a function.
fn wrap_values(module: &Module, request: &SdkProgramRequest, insertions: &mut Insertions) -> bool {
    let mut values = Values { request, insertions };
    module.visit_with(&mut values);
    let mut items = module.body.iter().rev().filter(|item| !matches!(item, ModuleItem::Stmt(Stmt::Empty(_))));
    let (last, others) = (items.next(), items.count());
    match last {
        Some(ModuleItem::Stmt(Stmt::Decl(declaration))) if request.kind == SdkProgramKind::Mutate || others == 0 => {
            if let Some(name) = declared_function(declaration) {
                values.insertions.push(declaration.span_hi(), format!(";{}.apply({name})", request.kit));
            }
        }
        Some(ModuleItem::Stmt(statement)) => values.end_with(statement),
        _ => {}
    }
    true
}

/// Expressions that may be the value of the program: those that it returns, and that of its last statement.
struct Values<'a> {
    request: &'a SdkProgramRequest,
    insertions: &'a mut Insertions,
}

impl Values<'_> {
    fn wrap(&mut self, expr: &Expr) {
        let wrapper = match self.request.kind {
            SdkProgramKind::Mutate => "apply",
            _ if style::is_function(expr) => "apply",
            SdkProgramKind::Execute => "done",
            SdkProgramKind::Search => return,
        };
        self.insertions.push(expr.span_lo(), format!("{}.{wrapper}((", self.request.kit));
        self.insertions.push(expr.span_hi(), "))".into());
    }

    fn end_with(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Expr(statement) => self.wrap(&statement.expr),
            Stmt::Block(block) => self.end_with_block(block),
            Stmt::If(statement) => {
                self.end_with(&statement.cons);
                if let Some(other) = &statement.alt {
                    self.end_with(other);
                }
            }
            Stmt::Try(statement) => {
                self.end_with_block(&statement.block);
                if let Some(handler) = &statement.handler {
                    self.end_with_block(&handler.body);
                }
            }
            _ => {}
        }
    }

    fn end_with_block(&mut self, block: &BlockStmt) {
        if let Some(last) = block.stmts.iter().rfind(|statement| !matches!(statement, Stmt::Empty(_))) {
            self.end_with(last);
        }
    }
}

impl Visit for Values<'_> {
    fn visit_return_stmt(&mut self, node: &ReturnStmt) {
        if let Some(expr) = &node.arg {
            self.wrap(expr);
        }
    }

    // Functions and expressions contain no other returns of the program.
    fn visit_function(&mut self, _: &Function) {}

    fn visit_class(&mut self, _: &Class) {}

    fn visit_expr(&mut self, _: &Expr) {}
}

fn declared_function(declaration: &Decl) -> Option<&str> {
    match declaration {
        Decl::Fn(function) => Some(&function.ident.sym),
        Decl::Var(variables) => {
            let [variable] = &variables.decls[..] else { return None };
            let Pat::Ident(name) = &variable.name else { return None };
            variable.init.as_deref().is_some_and(style::is_function).then_some(&name.id.sym)
        }
        _ => None,
    }
}
