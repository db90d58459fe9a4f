//! Loop guards: each iteration takes one from the run's budget.
//!
//! ```text
//! {
//!   while (test()) { if (--__smol_budget < 0) break; … }
//!   if (__smol_budget < 0) __smol_guard();
//! }
//! ```
//!
//! A call in the loop, even one that is never made, would keep V8 from treating it as it treats a loop without one
//! (docs/performance.md). `for … of` has it inside: a `break` would call the iterator's `return`, which may throw.

use swc_common::{DUMMY_SP, Span, Spanned};
use swc_ecma_ast::{BinExpr, BinaryOp, BreakStmt, Expr, Stmt, UpdateExpr, UpdateOp};

use super::nodes;

/// Puts the guard first into the body of a loop. Who does that to another than `for … of` puts a [`check`] behind.
pub(super) fn guard_loop(statement: &mut Stmt) {
    let span = statement.span();
    let leave = || Stmt::Break(BreakStmt { span, label: None });
    let (body, end) = match statement {
        Stmt::For(node) => (&mut node.body, leave()),
        Stmt::ForIn(node) => (&mut node.body, leave()),
        Stmt::ForOf(node) => (&mut node.body, nodes::call_statement("__smol_guard", span)),
        Stmt::While(node) => (&mut node.body, leave()),
        Stmt::DoWhile(node) => (&mut node.body, leave()),
        _ => return,
    };
    let decremented = UpdateExpr { span, op: UpdateOp::MinusMinus, prefix: true, arg: budget(span) };
    nodes::prepend(body, nodes::if_statement(is_spent(Box::new(Expr::Update(decremented)), span), end, span));
}

/// Puts a [`check`] behind a loop that the guard leaves, and its labels.
pub(super) fn check_behind(statement: &mut Stmt) {
    if let Some(span) = left(statement) {
        let guarded = std::mem::replace(statement, nodes::empty());
        *statement = Stmt::Block(nodes::block(DUMMY_SP, vec![guarded, check(span)]));
    }
}

/// The place of a loop that the guard leaves.
fn left(statement: &Stmt) -> Option<Span> {
    match statement {
        Stmt::Labeled(node) => left(&node.body),
        Stmt::ForOf(_) => None,
        _ => nodes::is_loop(statement).then(|| statement.span()),
    }
}

/// `if (__smol_budget < 0) __smol_guard();`: ends the run if the guard has left the loop before.
pub(super) fn check(span: Span) -> Stmt {
    nodes::if_statement(is_spent(budget(span), span), nodes::call_statement("__smol_guard", span), span)
}

fn budget(span: Span) -> Box<Expr> {
    nodes::name("__smol_budget", span)
}

fn is_spent(left: Box<Expr>, span: Span) -> Box<Expr> {
    Box::new(Expr::Bin(BinExpr { span, op: BinaryOp::Lt, left, right: nodes::number(0.0) }))
}
