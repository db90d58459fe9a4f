//! Loop guards: each iteration takes one from the run's budget.

use swc_common::{DUMMY_SP, Span, Spanned};
use swc_ecma_ast::{BinExpr, BinaryOp, Expr, Lit, Number, Stmt, UpdateExpr, UpdateOp};

use super::nodes;

/// Puts `if (--__smol_budget < 0) __smol_guard();` first into the body of a loop.
pub(super) fn guard_loop(statement: &mut Stmt) {
    let span = statement.span();
    let body = match statement {
        Stmt::For(node) => &mut node.body,
        Stmt::ForIn(node) => &mut node.body,
        Stmt::ForOf(node) => &mut node.body,
        Stmt::While(node) => &mut node.body,
        Stmt::DoWhile(node) => &mut node.body,
        _ => return,
    };
    nodes::prepend(body, guard(span));
}

fn guard(span: Span) -> Stmt {
    let budget = nodes::name("__smol_budget", span);
    let decremented = UpdateExpr { span, op: UpdateOp::MinusMinus, prefix: true, arg: budget };
    let zero = Expr::Lit(Lit::Num(Number { span: DUMMY_SP, value: 0.0, raw: None }));
    let spent = BinExpr { span, op: BinaryOp::Lt, left: Box::new(Expr::Update(decremented)), right: Box::new(zero) };
    nodes::if_statement(Box::new(Expr::Bin(spent)), nodes::call_statement("__smol_guard", span), span)
}
