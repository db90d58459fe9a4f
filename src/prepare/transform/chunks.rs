//! Counted innermost loops: most of their iterations run without a guard.
//!
//! A guard in each iteration costs several times what a small loop body does. Where the loop has a variable of its own
//! that counts by a constant step, that variable tells how many iterations were taken, so that the loop can take a
//! chunk of the budget at once (`src/js/30_guard.js`):
//!
//! ```text
//! __smol_v: {
//!   let i = 0;
//!   let __smol_t = (i < n);
//!   if (__smol_t && __smol_open(i, 1)) {
//!     do {
//!       __smol_t = true;
//!       do { __smol_chunk[0] = i; … } while ((i++, __smol_t = (i < n)) && i < __smol_chunk[1]);
//!       if (!__smol_t) { __smol_close(); break __smol_v; }
//!     } while (__smol_extend());
//!   }
//!   for (; __smol_t; i++, __smol_t = (i < n)) { if (--__smol_budget < 0) __smol_guard(); … }
//! }
//! ```
//!
//! The test is evaluated as often as in the original, and before the iteration is taken, since it may run code that
//! takes the last one.
//! The chunk says at any moment how many iterations were taken, whatever code the body reaches. What leaves the loop
//! closes the chunk; an exception that does not leaves it open, which costs speed only. There is no `try … finally`
//! for that case, because V8 does not unroll loops inside of one.

mod exits;
mod scan;

use swc_common::{DUMMY_SP, Span};
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
}

/// The counter of a loop that can run in chunks: `for (let i = …; …; i++)`, with nothing in it that could change `i` or
/// count it wrong.
pub(super) fn counter(node: &ForStmt) -> Option<Counter> {
    let Some(VarDeclOrExpr::VarDecl(declaration)) = &node.init else { return None };
    if declaration.kind != VarDeclKind::Let {
        return None;
    }
    let (variable, step) = step(node.update.as_deref()?)?;
    let is_declared = declaration.decls.iter().any(|declarator| is_binding_of(declarator, variable));
    let is_plain = declaration.decls.iter().all(|declarator| matches!(declarator.name, Pat::Ident(_)));
    (is_declared && is_plain && scan::is_countable(node, declaration, variable))
        .then(|| Counter { variable: variable.clone(), step })
}

fn is_binding_of(declarator: &VarDeclarator, variable: &Ident) -> bool {
    declarator.init.is_some() && matches!(&declarator.name, Pat::Ident(name) if name.id.sym == variable.sym)
}

/// The variable that an update expression counts, and by what.
fn step(update: &Expr) -> Option<(&Ident, f64)> {
    match update {
        Expr::Update(UpdateExpr { op, arg, .. }) => {
            let Expr::Ident(variable) = &**arg else { return None };
            Some((variable, if *op == UpdateOp::PlusPlus { 1.0 } else { -1.0 }))
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

/// Replaces a loop that [`counter`] has accepted.
pub(super) fn run_in_chunks(statement: &mut Stmt, counter: &Counter, place: Place) {
    let Stmt::For(node) = statement else { return };
    let span = node.span;
    let Some(VarDeclOrExpr::VarDecl(declaration)) = node.init.take() else { return };
    let mut statements = vec![Stmt::Decl(Decl::Var(declaration))];
    let open = match place {
        Place::ProgramBody => "__smol_open_first",
        Place::Nested => "__smol_open",
    };
    let update = node.update.take().unwrap_or_else(truth);
    let test = node.test.take().unwrap_or_else(truth);
    let body = std::mem::replace(&mut node.body, Box::new(nodes::empty()));
    let next = sequence(update, assign_test(test.clone()));
    statements.push(declare_test(test));
    let variable = nodes::name(&counter.variable.sym, counter.variable.span);
    let opened = call(open, [variable, nodes::number(counter.step)], span);
    let is_opened = binary(BinaryOp::LogicalAnd, test_result(), opened);
    statements.push(nodes::if_statement(is_opened, chunks(body.clone(), next.clone(), counter, span), span));
    let mut guarded = Stmt::For(ForStmt { span, init: None, test: Some(test_result()), update: Some(next), body });
    guards::guard_loop(&mut guarded);
    statements.push(guarded);
    let body = Box::new(Stmt::Block(nodes::block(DUMMY_SP, statements)));
    *statement = Stmt::Labeled(LabeledStmt { span: DUMMY_SP, label: nodes::ident(exits::LABEL, DUMMY_SP), body });
}

/// `{ do { __smol_t = true; do { … } while (next && i < __smol_chunk[1]); if (!__smol_t) { … } } while (…); }`
fn chunks(mut body: Box<Stmt>, next: Box<Expr>, counter: &Counter, span: Span) -> Stmt {
    exits::close_before_exits(&mut body);
    note_progress(&mut body, &counter.variable, span);
    let before = if counter.step < 0.0 { BinaryOp::Gt } else { BinaryOp::Lt };
    let variable = nodes::name(&counter.variable.sym, counter.variable.span);
    let is_left = binary(before, variable, chunk_slot(1.0, span));
    let test = binary(BinaryOp::LogicalAnd, nodes::parenthesized(next), is_left);
    let taken = Stmt::DoWhile(DoWhileStmt { span, test, body });
    // This has to stand between the heads of the two loops: V8 takes loops that begin at the same place for one, and
    // its code for that is as slow as that of a guarded loop.
    let reset = Stmt::Expr(ExprStmt { span: DUMMY_SP, expr: assign_test(truth()) });
    let failed = Box::new(Expr::Unary(UnaryExpr { span: DUMMY_SP, op: UnaryOp::Bang, arg: test_result() }));
    let left = nodes::if_statement(failed, exits::close_and_leave(DUMMY_SP), DUMMY_SP);
    let round = Box::new(Stmt::Block(nodes::block(DUMMY_SP, vec![reset, taken, left])));
    let rounds = DoWhileStmt { span: DUMMY_SP, test: call("__smol_extend", [], span), body: round };
    Stmt::Block(nodes::block(DUMMY_SP, vec![Stmt::DoWhile(rounds)]))
}

fn test_result() -> Box<Expr> {
    nodes::name("__smol_t", DUMMY_SP)
}

/// `__smol_t = (test)`
fn assign_test(test: Box<Expr>) -> Box<Expr> {
    nodes::assign(SimpleAssignTarget::Ident(nodes::binding("__smol_t")), nodes::parenthesized(test), DUMMY_SP)
}

/// `let __smol_t = (test);`
fn declare_test(test: Box<Expr>) -> Stmt {
    let name = Pat::Ident(nodes::binding("__smol_t"));
    let init = Some(nodes::parenthesized(test));
    let declarator = VarDeclarator { span: DUMMY_SP, name, init, definite: false };
    let declaration = VarDecl { kind: VarDeclKind::Let, decls: vec![declarator], ..VarDecl::default() };
    Stmt::Decl(Decl::Var(Box::new(declaration)))
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
