//! Enum members without an initializer that follow a member whose number swc does not know.

use swc_common::{BytePos, Spanned};
use swc_ecma_ast::{AssignExpr, AssignTarget, Expr, ExprStmt, MemberProp, SimpleAssignTarget, UnaryExpr, UnaryOp};
use swc_ecma_visit::{Visit, VisitWith};

use super::super::diagnostics::Report;
use super::super::parse::ParsedSource;
use super::super::rules;

/// Finds them in what swc makes of enums: `E[E["B"] = void 0] = "B";`, of which only the statement has a position.
#[derive(Default)]
pub(super) struct Finder(Vec<BytePos>);

impl Finder {
    pub(super) fn report(self, source: &ParsedSource) -> Report {
        let mut report = Report::new(Vec::new());
        for at in self.0 {
            report.push(rules::typescript::valueless_member(source.location(at)));
        }
        report
    }
}

impl Visit for Finder {
    fn visit_expr_stmt(&mut self, node: &ExprStmt) {
        if assigned_key(&node.expr).and_then(assigned_value).is_some_and(is_added_undefined) {
            self.0.push(node.span.lo);
        }
        node.visit_children_with(self);
    }
}

/// `key` of `object[key] = value`
fn assigned_key(expression: &Expr) -> Option<&Expr> {
    let Expr::Assign(AssignExpr { left: AssignTarget::Simple(SimpleAssignTarget::Member(member)), .. }) = expression
    else {
        return None;
    };
    match &member.prop {
        MemberProp::Computed(key) => Some(&key.expr),
        _ => None,
    }
}

fn assigned_value(expression: &Expr) -> Option<&Expr> {
    expression.as_assign().map(|assignment| &*assignment.right)
}

fn is_added_undefined(expression: &Expr) -> bool {
    matches!(expression, Expr::Unary(UnaryExpr { op: UnaryOp::Void, .. })) && expression.span().is_dummy()
}
