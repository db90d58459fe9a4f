//! TRANSFORM (specification 6.3, 6.4): what generated code adds to a program.

mod catches;
mod completion;
mod guards;
mod imports;
mod nodes;
mod persistence;

pub(super) use completion::return_completion_value;
pub(super) use persistence::declaration;

use swc_ecma_ast::{CallExpr, Stmt, TryStmt};
use swc_ecma_visit::{VisitMut, VisitMutWith};

/// Adds loop guards, makes every `catch` pass signals on, and routes `import()` through the executor, in one pass.
pub(super) fn instrument<N: VisitMutWith<Instrument>>(program: &mut N) {
    program.visit_mut_with(&mut Instrument);
}

pub(super) struct Instrument;

impl VisitMut for Instrument {
    fn visit_mut_stmt(&mut self, node: &mut Stmt) {
        node.visit_mut_children_with(self);
        guards::guard_loop(node);
    }

    fn visit_mut_try_stmt(&mut self, node: &mut TryStmt) {
        node.visit_mut_children_with(self);
        catches::rethrow_signals(node);
    }

    fn visit_mut_call_expr(&mut self, node: &mut CallExpr) {
        node.visit_mut_children_with(self);
        imports::route_import(node);
    }
}
