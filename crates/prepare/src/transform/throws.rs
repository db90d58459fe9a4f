//! Records where a program throws values that are not errors. Errors record the place themselves.

use swc_ecma_ast::{Expr, ExprOrSpread, Ident, ThrowStmt};

use super::nodes;

/// `throw value` becomes `throw __smol_thrown(value)`, unless the value is created with `new` or was caught: a caught
/// value keeps the place of its first throw.
pub(super) fn note(node: &mut ThrowStmt, caught: &[Ident]) {
    if knows_its_place(&node.arg, caught) {
        return;
    }
    let value = std::mem::take(&mut node.arg);
    // A sequence would become several arguments.
    let value = if value.is_seq() { nodes::parenthesized(value) } else { value };
    node.arg = nodes::call("__smol_thrown", vec![ExprOrSpread { spread: None, expr: value }], node.span);
}

fn knows_its_place(value: &Expr, caught: &[Ident]) -> bool {
    match value {
        Expr::New(_) => true,
        Expr::Ident(name) => caught.iter().any(|other| other.sym == name.sym),
        Expr::Paren(paren) => knows_its_place(&paren.expr, caught),
        Expr::Seq(sequence) => sequence.exprs.last().is_some_and(|last| knows_its_place(last, caught)),
        _ => false,
    }
}
