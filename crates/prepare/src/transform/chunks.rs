//! Counted innermost loops: most of their iterations run without a guard.
//!
//! A guard in each iteration costs several times what a small loop body does. Where the loop has a variable of its own
//! that counts by a whole number, that variable tells how many iterations were taken, so that the loop can take a chunk
//! of the budget at once (`crates/engine/js/30_guard.js`). If its test compares that variable with a number that cannot change:
//!
//! ```text
//! __smol_v: {
//!   let i = 0;
//!   if (typeof i === "number" && typeof n === "number" && i < n)
//!     for (let __smol_t = __smol_open(i, 1); __smol_t; __smol_t = __smol_extend())
//!       for (; i < __smol_chunk[1]; i++) { if (!(i < n)) { __smol_close(); break __smol_v; } __smol_chunk[0] = i; … }
//!   for (; i < n; i++) { if (--__smol_budget < 0) __smol_guard(); … }
//! }
//! ```
//!
//! If its body only computes, too, with numbers in variables and typed arrays, all iterations are taken at once, since
//! nothing can end the loop early or look at the count meanwhile:
//!
//! ```text
//! {
//!   let i = 0;
//!   if (typeof i === "number" && typeof sum === "number" && __smol_numeric(marks) && __smol_take_all(i, n, 1, true, false))
//!     for (; i < n; i++) sum += marks[i];
//!   else
//!     for (; i < n; i++) { if (--__smol_budget < 0) __smol_guard(); sum += marks[i]; }
//! }
//! ```
//!
//! That goes for `while (i < n) { …; i++; }`, too, and wherever `i` is declared.
//!
//! Any other test may run code that takes the last iteration. So it is evaluated as often as in the original, and before
//! the iteration is taken:
//!
//! ```text
//! __smol_v: {
//!   let i = 0;
//!   let __smol_t = (i < list.length);
//!   if (__smol_t && __smol_open(i, 1)) {
//!     do {
//!       __smol_t = true;
//!       do { __smol_chunk[0] = i; … } while ((i++, __smol_t = (i < list.length)) && i < __smol_chunk[1]);
//!       if (!__smol_t) { __smol_close(); break __smol_v; }
//!     } while (__smol_extend());
//!   }
//!   for (; __smol_t; i++, __smol_t = (i < list.length)) { if (--__smol_budget < 0) __smol_guard(); … }
//! }
//! ```
//!
//! The chunk says at any moment how many iterations were taken, whatever code the body reaches. What leaves the loop
//! closes the chunk; an exception that does not leaves it open, which costs speed only. There is no `try … finally`
//! for that case, because V8 does not unroll loops inside of one.

mod exits;
mod pure;
mod scan;

use swc_common::{DUMMY_SP, Span};
use swc_ecma_ast::{
    AssignExpr, AssignOp, AssignTarget, BinExpr, BinaryOp, BlockStmt, Bool, ComputedPropName, Decl, DoWhileStmt, Expr,
    ExprOrSpread, ExprStmt, ForStmt, Ident, IfStmt, LabeledStmt, Lit, MemberExpr, MemberProp, Number, Pat, SeqExpr,
    SimpleAssignTarget, Stmt, UnaryExpr, UnaryOp, UpdateExpr, UpdateOp, VarDecl, VarDeclKind, VarDeclOrExpr,
    VarDeclarator, WhileStmt,
};

use super::{guards, nodes};
use crate::analyze::LoopNames;
use pure::Assumptions;
use scan::Survey;

/// Nodes of a loop for which chunks pay. V8 compiles both copies of a larger one, which takes longer than guards do; one that
/// only computes is worth it.
const MAX_CHUNK_NODES: u32 = 40;

/// Where a loop stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the program's own body: nothing of the guest is below it on the stack.
    ProgramBody,
    /// In a function, or in a module, whose body may be run by another's `import()`.
    Nested,
}

/// How a loop counts.
pub(super) struct Counter {
    variable: Ident,
    step: Step,
    test: Test,
}

enum Step {
    /// A whole number other than 0.
    Constant(f64),
    /// What a variable holds that cannot change while the loop runs. Only where the loop only computes.
    Variable(Ident),
}

enum Test {
    Any,
    /// A comparison of the variable with a number that cannot change while the loop runs, or none.
    Steady(Option<Comparison>),
    /// Such a comparison, and the body only computes.
    Pure(Comparison, Assumptions),
}

/// `i < bound` and the like.
struct Comparison {
    /// A number or a name.
    bound: Box<Expr>,
    is_upwards: bool,
    is_inclusive: bool,
}

/// The counter of a loop that can run in chunks: `for (let i = …; …; i++)`, with nothing in it that could change `i` or
/// count it wrong. Where `i` is declared elsewhere, only if the loop only computes.
pub(super) fn counter(node: &ForStmt, names: &LoopNames) -> Option<Counter> {
    let (variable, step) = step(node.update.as_deref()?)?;
    let declaration = declaration_of(node, variable)?;
    let Survey { written, nodes } = scan::survey(node, declaration, variable)?;
    let is_written = |name: &Ident| name.sym == variable.sym || written.iter().any(|other| other.sym == name.sym);
    let is_fixed = |name: &Ident| names.steady.contains(&name.span.lo) && !is_written(name);
    let compared = node.test.as_deref().map(|test| comparison(test, variable));
    let test = match compared {
        None => Test::Steady(None),
        Some(Some(compared)) if compared.bound.as_ident().is_none_or(is_fixed) => {
            match pure::assumptions(&node.body, variable, names) {
                Some(assumptions) => Test::Pure(compared, assumptions),
                None => Test::Steady(Some(compared)),
            }
        }
        Some(_) => Test::Any,
    };
    let is_pure = matches!(test, Test::Pure(..));
    let has_value = declaration.is_some() || (is_pure && names.own.contains(&variable.span.lo));
    match &step {
        _ if !has_value || (!is_pure && nodes > MAX_CHUNK_NODES) => None,
        // Where each iteration stores to another line of memory, noting `i` costs as much as a guard.
        Step::Variable(name) if !is_pure || !is_fixed(name) => None,
        _ => Some(Counter { variable: variable.clone(), step, test }),
    }
}

/// `while (…) { … i++; }` as `for (; …; i++) { … }`, if nothing in it goes on with the next iteration and it has a counter then.
pub(super) fn counting(node: &WhileStmt, names: &LoopNames) -> Option<ForStmt> {
    let Stmt::Block(block) = &*node.body else { return None };
    let (last, rest) = block.stmts.split_last()?;
    let update = last.as_expr()?.expr.clone();
    step(&update)?;
    if !rest.iter().all(exits::runs_through) {
        return None;
    }
    let body = Box::new(Stmt::Block(BlockStmt { stmts: rest.to_vec(), ..block.clone() }));
    let counting = ForStmt { span: node.span, init: None, test: Some(node.test.clone()), update: Some(update), body };
    counter(&counting, names).map(|_| counting)
}

/// The declaration of the loop's own variable; none if it is declared elsewhere. `None` if each iteration might have variables
/// of its own beside it.
fn declaration_of<'a>(node: &'a ForStmt, variable: &Ident) -> Option<Option<&'a VarDecl>> {
    let Some(VarDeclOrExpr::VarDecl(declaration)) = &node.init else { return Some(None) };
    if declaration.kind == VarDeclKind::Var {
        return Some(None);
    }
    let is_declared = declaration.decls.iter().any(|declarator| is_binding_of(declarator, variable));
    let is_plain = declaration.decls.iter().all(|declarator| matches!(declarator.name, Pat::Ident(_)));
    (declaration.kind == VarDeclKind::Let && is_declared && is_plain).then_some(Some(declaration))
}

fn is_binding_of(declarator: &VarDeclarator, variable: &Ident) -> bool {
    declarator.init.is_some() && matches!(&declarator.name, Pat::Ident(name) if name.id.sym == variable.sym)
}

/// The variable that an update expression counts, and by what.
fn step(update: &Expr) -> Option<(&Ident, Step)> {
    match update {
        Expr::Update(UpdateExpr { op, arg, .. }) => {
            let step = if *op == UpdateOp::PlusPlus { 1.0 } else { -1.0 };
            Some((arg.as_ident()?, Step::Constant(step)))
        }
        Expr::Assign(AssignExpr { op: op @ (AssignOp::AddAssign | AssignOp::SubAssign), left, right, .. }) => {
            let AssignTarget::Simple(SimpleAssignTarget::Ident(variable)) = left else { return None };
            let step = match &**right {
                Expr::Lit(Lit::Num(Number { value, .. })) => {
                    let is_usable = *value > 0.0 && value.fract() == 0.0 && *value <= f64::from(1 << 16);
                    let signed = if *op == AssignOp::AddAssign { *value } else { -value };
                    is_usable.then_some(Step::Constant(signed))?
                }
                Expr::Ident(name) if *op == AssignOp::AddAssign => Step::Variable(name.clone()),
                _ => return None,
            };
            Some((&variable.id, step))
        }
        _ => None,
    }
}

impl Counter {
    fn variable(&self) -> Box<Expr> {
        nodes::name(&self.variable.sym, self.variable.span)
    }

    fn step(&self) -> Box<Expr> {
        match &self.step {
            Step::Constant(step) => nodes::number(*step),
            Step::Variable(name) => nodes::name(&name.sym, name.span),
        }
    }

    /// `i < end`, or `>` if `i` counts down.
    fn is_before(&self, end: Box<Expr>) -> Box<Expr> {
        let before = match self.step {
            Step::Constant(step) if step < 0.0 => BinaryOp::Gt,
            _ => BinaryOp::Lt,
        };
        binary(before, self.variable(), end)
    }
}

/// A test that compares `variable` with a number or a name.
fn comparison(test: &Expr, variable: &Ident) -> Option<Comparison> {
    let Expr::Bin(BinExpr { op, left, right, .. }) = test.unwrap_parens() else { return None };
    let (is_upwards, is_inclusive) = match op {
        BinaryOp::Lt => (true, false),
        BinaryOp::LtEq => (true, true),
        BinaryOp::Gt => (false, false),
        BinaryOp::GtEq => (false, true),
        _ => return None,
    };
    let is_variable = matches!(&**left, Expr::Ident(name) if name.sym == variable.sym);
    let is_simple = matches!(&**right, Expr::Ident(_) | Expr::Lit(Lit::Num(_)));
    (is_variable && is_simple).then(|| Comparison { bound: right.clone(), is_upwards, is_inclusive })
}

/// Replaces a loop that [`counter`] has accepted.
pub(super) fn run_in_chunks(statement: &mut Stmt, counter: &Counter, place: Place) {
    let Stmt::For(node) = statement else { return };
    let span = node.span;
    let first = node.init.take().map(|init| match init {
        VarDeclOrExpr::VarDecl(declaration) => Stmt::Decl(Decl::Var(declaration)),
        VarDeclOrExpr::Expr(expr) => Stmt::Expr(ExprStmt { span, expr }),
    });
    let open = match place {
        Place::ProgramBody => "__smol_open_first",
        Place::Nested => "__smol_open",
    };
    let open = call(open, [counter.variable(), counter.step()], span);
    let statements = match &counter.test {
        Test::Any => behind_test(node, counter, open),
        Test::Steady(comparison) => behind_steady_test(node, counter, comparison.as_ref(), open),
        Test::Pure(comparison, assumptions) => vec![computing(node, counter, comparison, assumptions)],
    };
    let statements = first.into_iter().chain(statements).collect();
    let body = Box::new(Stmt::Block(nodes::block(DUMMY_SP, statements)));
    *statement = Stmt::Labeled(LabeledStmt { span: DUMMY_SP, label: nodes::ident(exits::LABEL, DUMMY_SP), body });
}

/// `if (… && i < n) for (let __smol_t = …) for (; i < __smol_chunk[1]; i++) { … }` and the guarded loop.
fn behind_steady_test(
    node: &ForStmt,
    counter: &Counter,
    comparison: Option<&Comparison>,
    open: Box<Expr>,
) -> Vec<Stmt> {
    let mut body = node.body.clone();
    exits::close_before_exits(&mut body);
    note_progress(&mut body, &counter.variable, node.span);
    let mut condition = is_number(&counter.variable);
    if let Some(test) = &node.test {
        let failed = negated(nodes::parenthesized(test.clone()));
        nodes::prepend(&mut body, nodes::if_statement(failed, exits::close_and_leave(DUMMY_SP), DUMMY_SP));
        if let Some(name) = comparison.and_then(|comparison| comparison.bound.as_ident()) {
            condition = and(condition, is_number(name));
        }
        condition = and(condition, test.clone());
    }
    let test = Some(counter.is_before(chunk_slot(1.0, node.span)));
    let taken = ForStmt { span: node.span, init: None, test, update: node.update.clone(), body };
    let rounds = ForStmt {
        span: DUMMY_SP,
        init: Some(VarDeclOrExpr::VarDecl(Box::new(declare_result(open)))),
        test: Some(test_result()),
        update: Some(assign_result(call("__smol_extend", [], node.span))),
        body: Box::new(Stmt::For(taken)),
    };
    vec![nodes::if_statement(condition, Stmt::For(rounds), DUMMY_SP), guarded(node)]
}

/// `if (… && __smol_take_all(…)) for (; i < n; i++) …; else` the guarded loop.
fn computing(node: &ForStmt, counter: &Counter, comparison: &Comparison, assumptions: &Assumptions) -> Stmt {
    let mut numbers: Vec<&Ident> = assumptions.numbers.iter().collect();
    numbers.extend(comparison.bound.as_ident());
    if let Step::Variable(name) = &counter.step {
        numbers.push(name);
    }
    let mut condition = is_number(&counter.variable);
    for name in numbers {
        condition = and(condition, is_number(name));
    }
    for array in &assumptions.arrays {
        condition = and(condition, call("__smol_numeric", [nodes::name(&array.sym, array.span)], node.span));
    }
    let flag = |value| Box::new(Expr::Lit(Lit::Bool(Bool { span: DUMMY_SP, value })));
    let (upwards, inclusive) = (flag(comparison.is_upwards), flag(comparison.is_inclusive));
    let bound = comparison.bound.clone();
    let taken = call("__smol_take_all", [counter.variable(), bound, counter.step(), upwards, inclusive], node.span);
    Stmt::If(IfStmt {
        span: DUMMY_SP,
        test: and(condition, taken),
        cons: Box::new(Stmt::Block(nodes::block(DUMMY_SP, vec![Stmt::For(ForStmt { init: None, ..node.clone() })]))),
        alt: Some(Box::new(guarded(node))),
    })
}

/// The loop without its first part, guarded.
fn guarded(node: &ForStmt) -> Stmt {
    let mut guarded = Stmt::For(ForStmt { init: None, ..node.clone() });
    guards::guard_loop(&mut guarded);
    guarded
}

/// `let __smol_t = (test); if (__smol_t && …) { do … }` and the guarded loop.
fn behind_test(node: &mut ForStmt, counter: &Counter, open: Box<Expr>) -> Vec<Stmt> {
    let span = node.span;
    let update = node.update.take().unwrap_or_else(truth);
    let test = node.test.take().unwrap_or_else(truth);
    let body = std::mem::replace(&mut node.body, Box::new(nodes::empty()));
    let next = sequence(update, assign_result(test.clone()));
    let tested = Stmt::Decl(Decl::Var(Box::new(declare_result(nodes::parenthesized(test)))));
    let chunks = chunks(body.clone(), next.clone(), counter, span);
    let chunks = nodes::if_statement(and(test_result(), open), chunks, span);
    let mut guarded = Stmt::For(ForStmt { span, init: None, test: Some(test_result()), update: Some(next), body });
    guards::guard_loop(&mut guarded);
    vec![tested, chunks, guarded]
}

/// `{ do { __smol_t = true; do { … } while (next && i < __smol_chunk[1]); if (!__smol_t) { … } } while (…); }`
fn chunks(mut body: Box<Stmt>, next: Box<Expr>, counter: &Counter, span: Span) -> Stmt {
    exits::close_before_exits(&mut body);
    note_progress(&mut body, &counter.variable, span);
    let test = and(nodes::parenthesized(next), counter.is_before(chunk_slot(1.0, span)));
    let taken = Stmt::DoWhile(DoWhileStmt { span, test, body });
    // This has to stand between the heads of the two loops: V8 takes loops that begin at the same place for one, and
    // its code for that is as slow as that of a guarded loop.
    let reset = Stmt::Expr(ExprStmt { span: DUMMY_SP, expr: assign_result(truth()) });
    let left = nodes::if_statement(negated(test_result()), exits::close_and_leave(DUMMY_SP), DUMMY_SP);
    let round = Box::new(Stmt::Block(nodes::block(DUMMY_SP, vec![reset, taken, left])));
    let rounds = DoWhileStmt { span: DUMMY_SP, test: call("__smol_extend", [], span), body: round };
    Stmt::Block(nodes::block(DUMMY_SP, vec![Stmt::DoWhile(rounds)]))
}

/// `typeof name === "number"`
fn is_number(name: &Ident) -> Box<Expr> {
    let arg = nodes::name(&name.sym, name.span);
    let kind = Box::new(Expr::Unary(UnaryExpr { span: DUMMY_SP, op: UnaryOp::TypeOf, arg }));
    binary(BinaryOp::EqEqEq, kind, Box::new(Expr::Lit(Lit::Str("number".into()))))
}

fn and(left: Box<Expr>, right: Box<Expr>) -> Box<Expr> {
    binary(BinaryOp::LogicalAnd, left, right)
}

fn negated(value: Box<Expr>) -> Box<Expr> {
    Box::new(Expr::Unary(UnaryExpr { span: DUMMY_SP, op: UnaryOp::Bang, arg: value }))
}

fn test_result() -> Box<Expr> {
    nodes::name("__smol_t", DUMMY_SP)
}

/// `__smol_t = (value)`
fn assign_result(value: Box<Expr>) -> Box<Expr> {
    let target = SimpleAssignTarget::Ident(nodes::binding("__smol_t"));
    nodes::assign(target, nodes::parenthesized(value), DUMMY_SP)
}

/// `let __smol_t = value`
fn declare_result(value: Box<Expr>) -> VarDecl {
    let name = Pat::Ident(nodes::binding("__smol_t"));
    let declarator = VarDeclarator { span: DUMMY_SP, name, init: Some(value), definite: false };
    VarDecl { kind: VarDeclKind::Let, decls: vec![declarator], ..VarDecl::default() }
}

fn truth() -> Box<Expr> {
    Box::new(Expr::Lit(Lit::Bool(Bool { span: DUMMY_SP, value: true })))
}

fn sequence(first: Box<Expr>, second: Box<Expr>) -> Box<Expr> {
    Box::new(Expr::Seq(SeqExpr { span: DUMMY_SP, exprs: vec![first, second] }))
}

/// Puts `__smol_chunk[0] = i;` first into the body.
fn note_progress(body: &mut Box<Stmt>, variable: &Ident, span: Span) {
    let Expr::Member(slot) = *chunk_slot(0.0, span) else { return };
    let noted = nodes::assign(SimpleAssignTarget::Member(slot), nodes::name(&variable.sym, variable.span), span);
    nodes::prepend(body, Stmt::Expr(ExprStmt { span, expr: noted }));
}

fn chunk_slot(index: f64, span: Span) -> Box<Expr> {
    let prop = MemberProp::Computed(ComputedPropName { span: DUMMY_SP, expr: nodes::number(index) });
    Box::new(Expr::Member(MemberExpr { span, obj: nodes::name("__smol_chunk", span), prop }))
}

fn binary(op: BinaryOp, left: Box<Expr>, right: Box<Expr>) -> Box<Expr> {
    Box::new(Expr::Bin(BinExpr { span: DUMMY_SP, op, left, right }))
}

fn call(callee: &str, args: impl IntoIterator<Item = Box<Expr>>, span: Span) -> Box<Expr> {
    nodes::call(callee, args.into_iter().map(|expr| ExprOrSpread { spread: None, expr }).collect(), span)
}
