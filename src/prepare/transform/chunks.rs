//! Counted innermost loops: most of their iterations run without a guard.
//!
//! A guard in each iteration costs several times what a small loop body does. Where the loop has a variable of its own
//! that counts by a whole number, that variable tells how many iterations were taken, so that the loop can take a chunk
//! of the budget at once (`src/js/30_guard.js`). If its test compares that variable with a number that cannot change:
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
mod scan;

use std::collections::HashSet;

use swc_common::{BytePos, DUMMY_SP, Span};
use swc_ecma_ast::{
    AssignExpr, AssignOp, AssignTarget, BinExpr, BinaryOp, Bool, ComputedPropName, Decl, DoWhileStmt, Expr,
    ExprOrSpread, ExprStmt, ForStmt, Ident, LabeledStmt, Lit, MemberExpr, MemberProp, Number, Pat, SeqExpr,
    SimpleAssignTarget, Stmt, UnaryExpr, UnaryOp, UpdateExpr, UpdateOp, VarDecl, VarDeclKind, VarDeclOrExpr,
    VarDeclarator,
};

use super::{guards, nodes};

/// Where a loop stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::prepare) enum Place {
    /// In the program's own body: nothing of the guest is below it on the stack.
    ProgramBody,
    /// In a function, or in a module, whose body may be run by another's `import()`.
    Nested,
}

/// How a loop counts.
pub(super) struct Counter {
    variable: Ident,
    /// A whole number other than 0.
    step: f64,
    /// The test is a comparison of the variable with a number that cannot change while the loop runs, or is missing.
    has_steady_test: bool,
}

/// The counter of a loop that can run in chunks: `for (let i = …; …; i++)`, with nothing in it that could change `i` or
/// count it wrong. `steady`: positions of names that only the loop itself could change.
pub(super) fn counter(node: &ForStmt, steady: &HashSet<BytePos>) -> Option<Counter> {
    let Some(VarDeclOrExpr::VarDecl(declaration)) = &node.init else { return None };
    if declaration.kind != VarDeclKind::Let {
        return None;
    }
    let (variable, step) = step(node.update.as_deref()?)?;
    let is_declared = declaration.decls.iter().any(|declarator| is_binding_of(declarator, variable));
    let is_plain = declaration.decls.iter().all(|declarator| matches!(declarator.name, Pat::Ident(_)));
    if !is_declared || !is_plain {
        return None;
    }
    let written = scan::written(node, declaration, variable)?;
    let is_written = |name: &Ident| name.sym == variable.sym || written.iter().any(|other| other.sym == name.sym);
    let is_fixed = |name: &Ident| steady.contains(&name.span.lo) && !is_written(name);
    let has_steady_test = match node.test.as_deref() {
        None => true,
        Some(test) => bound(test, variable).is_some_and(|bound| bound.as_ident().is_none_or(is_fixed)),
    };
    Some(Counter { variable: variable.clone(), step, has_steady_test })
}

fn is_binding_of(declarator: &VarDeclarator, variable: &Ident) -> bool {
    declarator.init.is_some() && matches!(&declarator.name, Pat::Ident(name) if name.id.sym == variable.sym)
}

/// The variable that an update expression counts, and by what.
fn step(update: &Expr) -> Option<(&Ident, f64)> {
    match update {
        Expr::Update(UpdateExpr { op, arg, .. }) => {
            Some((arg.as_ident()?, if *op == UpdateOp::PlusPlus { 1.0 } else { -1.0 }))
        }
        Expr::Assign(AssignExpr { op: op @ (AssignOp::AddAssign | AssignOp::SubAssign), left, right, .. }) => {
            let AssignTarget::Simple(SimpleAssignTarget::Ident(variable)) = left else { return None };
            let Expr::Lit(Lit::Num(Number { value, .. })) = **right else { return None };
            let is_usable = value > 0.0 && value.fract() == 0.0 && value <= f64::from(1 << 16);
            is_usable.then(|| (&variable.id, if *op == AssignOp::AddAssign { value } else { -value }))
        }
        _ => None,
    }
}

/// What a test compares `variable` with: a number or a name.
fn bound<'e>(mut test: &'e Expr, variable: &Ident) -> Option<&'e Expr> {
    while let Expr::Paren(parenthesized) = test {
        test = &parenthesized.expr;
    }
    let Expr::Bin(BinExpr { op, left, right, .. }) = test else { return None };
    let is_comparison = matches!(op, BinaryOp::Lt | BinaryOp::LtEq | BinaryOp::Gt | BinaryOp::GtEq);
    let is_variable = matches!(&**left, Expr::Ident(name) if name.sym == variable.sym);
    let is_simple = matches!(&**right, Expr::Ident(_) | Expr::Lit(Lit::Num(_)));
    (is_comparison && is_variable && is_simple).then_some(right)
}

/// Replaces a loop that [`counter`] has accepted.
pub(super) fn run_in_chunks(statement: &mut Stmt, counter: &Counter, place: Place) {
    let Stmt::For(node) = statement else { return };
    let span = node.span;
    let Some(VarDeclOrExpr::VarDecl(declaration)) = node.init.take() else { return };
    let declaration = Stmt::Decl(Decl::Var(declaration));
    let open = match place {
        Place::ProgramBody => "__smol_open_first",
        Place::Nested => "__smol_open",
    };
    let variable = nodes::name(&counter.variable.sym, counter.variable.span);
    let open = call(open, [variable, nodes::number(counter.step)], span);
    let statements = match counter.has_steady_test {
        true => behind_steady_test(node, counter, open),
        false => behind_test(node, counter, open),
    };
    let statements = std::iter::once(declaration).chain(statements).collect();
    let body = Box::new(Stmt::Block(nodes::block(DUMMY_SP, statements)));
    *statement = Stmt::Labeled(LabeledStmt { span: DUMMY_SP, label: nodes::ident(exits::LABEL, DUMMY_SP), body });
}

/// `if (… && i < n) for (let __smol_t = …) for (; i < __smol_chunk[1]; i++) { … }` and the guarded loop.
fn behind_steady_test(node: &ForStmt, counter: &Counter, open: Box<Expr>) -> Vec<Stmt> {
    let mut body = node.body.clone();
    exits::close_before_exits(&mut body);
    note_progress(&mut body, &counter.variable, node.span);
    if let Some(test) = &node.test {
        let failed = negated(nodes::parenthesized(test.clone()));
        nodes::prepend(&mut body, nodes::if_statement(failed, exits::close_and_leave(DUMMY_SP), DUMMY_SP));
    }
    let test = Some(is_left_of_chunk(counter, node.span));
    let taken = ForStmt { span: node.span, init: None, test, update: node.update.clone(), body };
    let chunk = ForStmt {
        span: DUMMY_SP,
        init: Some(VarDeclOrExpr::VarDecl(Box::new(declare_result(open)))),
        test: Some(test_result()),
        update: Some(assign_result(call("__smol_extend", [], node.span))),
        body: Box::new(Stmt::For(taken)),
    };
    let mut condition = is_number(&counter.variable);
    if let Some(test) = &node.test {
        if let Some(Expr::Ident(name)) = bound(test, &counter.variable) {
            condition = and(condition, is_number(name));
        }
        condition = and(condition, test.clone());
    }
    let mut guarded = Stmt::For(ForStmt { init: None, ..node.clone() });
    guards::guard_loop(&mut guarded);
    vec![nodes::if_statement(condition, Stmt::For(chunk), DUMMY_SP), guarded]
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
    let test = and(nodes::parenthesized(next), is_left_of_chunk(counter, span));
    let taken = Stmt::DoWhile(DoWhileStmt { span, test, body });
    // This has to stand between the heads of the two loops: V8 takes loops that begin at the same place for one, and
    // its code for that is as slow as that of a guarded loop.
    let reset = Stmt::Expr(ExprStmt { span: DUMMY_SP, expr: assign_result(truth()) });
    let left = nodes::if_statement(negated(test_result()), exits::close_and_leave(DUMMY_SP), DUMMY_SP);
    let round = Box::new(Stmt::Block(nodes::block(DUMMY_SP, vec![reset, taken, left])));
    let rounds = DoWhileStmt { span: DUMMY_SP, test: call("__smol_extend", [], span), body: round };
    Stmt::Block(nodes::block(DUMMY_SP, vec![Stmt::DoWhile(rounds)]))
}

/// `i < __smol_chunk[1]`, or `>` if `i` counts down.
fn is_left_of_chunk(counter: &Counter, span: Span) -> Box<Expr> {
    let before = if counter.step < 0.0 { BinaryOp::Gt } else { BinaryOp::Lt };
    binary(before, nodes::name(&counter.variable.sym, counter.variable.span), chunk_slot(1.0, span))
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
