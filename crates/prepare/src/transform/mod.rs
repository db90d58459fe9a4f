//! TRANSFORM (specification 6.3, 6.4): what generated code adds to a program.

mod catches;
mod completion;
mod counted_ahead;
mod guards;
mod holes;
mod imports;
mod nodes;
mod persistence;
mod stand_ins;
mod throws;

pub(super) use completion::{end_with_value, return_completion_value};
pub(super) use holes::restore as restore_holes;
pub(super) use persistence::{Publication, publish};
pub(super) use stand_ins::restore as restore_stand_ins;

use swc_ecma_ast::{CallExpr, CatchClause, ForOfStmt, Ident, LabeledStmt, Stmt, ThrowStmt, TryStmt};
use swc_ecma_visit::{VisitMut, VisitMutWith};

use super::analyze::LoopNames;
use counted_ahead::Counter;

/// Adds loop guards, makes every `catch` pass signals on, notes where values are thrown, and routes `import()` through the
/// executor, in one pass.
/// `loop_names`: as the analysis found.
pub(super) fn instrument<'a, N: VisitMutWith<Instrument<'a>>>(program: &mut N, loop_names: &'a LoopNames) {
    program.visit_mut_with(&mut Instrument { loop_names, is_labeled: false, caught: Vec::new() });
}

pub(super) struct Instrument<'a> {
    loop_names: &'a LoopNames,
    /// The statement that is visited next has a label.
    is_labeled: bool,
    /// Names of what the `catch` clauses round the node have caught.
    caught: Vec<Ident>,
}

impl Instrument<'_> {
    /// The counter of a loop whose iterations can be counted ahead. A `while` loop becomes a `for` loop then.
    fn counter(&self, node: &mut Stmt) -> Option<Counter> {
        match node {
            Stmt::For(counted) => counted_ahead::counter(counted, self.loop_names),
            Stmt::While(written) => {
                let (counting, counter) = counted_ahead::counting(written, self.loop_names)?;
                *node = Stmt::For(counting);
                Some(counter)
            }
            _ => None,
        }
    }
}

impl VisitMut for Instrument<'_> {
    fn visit_mut_stmt(&mut self, node: &mut Stmt) {
        // A label that `continue` names has to stay at the loop itself.
        let is_labeled = std::mem::take(&mut self.is_labeled);
        let counter = if is_labeled { None } else { self.counter(node) };
        node.visit_mut_children_with(self);
        if let Some(counter) = counter {
            counted_ahead::count_ahead(node, &counter);
            return;
        }
        guards::guard_loop(node);
        if !is_labeled {
            guards::check_behind(node);
        }
    }

    fn visit_mut_labeled_stmt(&mut self, node: &mut LabeledStmt) {
        self.is_labeled = true;
        node.visit_mut_children_with(self);
        self.is_labeled = false;
    }

    fn visit_mut_for_of_stmt(&mut self, node: &mut ForOfStmt) {
        nodes::keep_async_a_name(node);
        node.visit_mut_children_with(self);
    }

    fn visit_mut_catch_clause(&mut self, node: &mut CatchClause) {
        let outer = self.caught.len();
        self.caught.extend(node.param.as_ref().and_then(|pattern| pattern.as_ident()).map(|name| name.id.clone()));
        node.visit_mut_children_with(self);
        self.caught.truncate(outer);
    }

    fn visit_mut_throw_stmt(&mut self, node: &mut ThrowStmt) {
        node.visit_mut_children_with(self);
        throws::note(node, &self.caught);
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
