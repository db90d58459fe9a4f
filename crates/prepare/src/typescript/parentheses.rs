//! Puts parentheses where swc's expressions need them to be read back as what they are.
//!
//! Parsed expressions have the parentheses of the text; those that swc adds have none.

use swc_common::{DUMMY_SP, util::take::Take};
use swc_ecma_ast::{
    AssignExpr, AssignTarget, AssignTargetPat, BinExpr, BinaryOp, CallExpr, Callee, Expr, ExprStmt, Lit, Module,
    ParenExpr,
};
use swc_ecma_visit::{VisitMut, VisitMutWith};

pub(super) fn add(module: &mut Module) {
    module.visit_mut_with(&mut Parenthesizer);
}

struct Parenthesizer;

impl VisitMut for Parenthesizer {
    fn visit_mut_expr_stmt(&mut self, node: &mut ExprStmt) {
        node.visit_mut_children_with(self);
        match &mut *node.expr {
            // `(function (N) { … })(…)`: else a declaration.
            Expr::Call(CallExpr { callee: Callee::Expr(callee), .. }) if callee.is_fn_expr() => wrap(callee),
            // `({ a: N.a } = …)`: else a block.
            expression if begins_with_brace(expression) => wrap(&mut node.expr),
            _ => {}
        }
    }

    fn visit_mut_bin_expr(&mut self, node: &mut BinExpr) {
        node.visit_mut_children_with(self);
        // `N || (N = {})`.
        if node.right.is_assign() {
            wrap(&mut node.right);
        }
        // A member of an enum, folded: `(-1) ** n`.
        if node.op == BinaryOp::Exp && matches!(&*node.left, Expr::Lit(Lit::Num(number)) if number.value < 0.0) {
            wrap(&mut node.left);
        }
    }
}

fn begins_with_brace(expression: &Expr) -> bool {
    match expression {
        Expr::Assign(AssignExpr { left: AssignTarget::Pat(AssignTargetPat::Object(_)), .. }) => true,
        Expr::Seq(sequence) => sequence.exprs.first().is_some_and(|first| begins_with_brace(first)),
        _ => false,
    }
}

fn wrap(expression: &mut Expr) {
    let inner = Box::new(expression.take());
    *expression = Expr::Paren(ParenExpr { span: DUMMY_SP, expr: inner });
}
