//! What would keep a statement from running through to its end, or its variables alive.

use swc_ecma_ast::{ArrowExpr, Class, Function, Stmt};
use swc_ecma_visit::{Visit, VisitWith};

use crate::transform::nodes;

/// Whether a statement has no `continue`, loop, function or class in it. Looks no further than the first of them.
pub(super) fn runs_through(statement: &Stmt) -> bool {
    let mut search = Jumps(false);
    statement.visit_with(&mut search);
    !search.0
}

struct Jumps(bool);

impl Visit for Jumps {
    fn visit_stmt(&mut self, node: &Stmt) {
        self.0 |= nodes::is_loop(node) || matches!(node, Stmt::Continue(_) | Stmt::Labeled(_));
        if !self.0 {
            node.visit_children_with(self);
        }
    }

    fn visit_function(&mut self, _: &Function) {
        self.0 = true;
    }

    fn visit_arrow_expr(&mut self, _: &ArrowExpr) {
        self.0 = true;
    }

    fn visit_class(&mut self, _: &Class) {
        self.0 = true;
    }
}
