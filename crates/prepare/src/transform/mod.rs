//! TRANSFORM (specification 6.3, 6.4): the code that is added to a program.

mod catches;
mod cells;
mod completion;
mod guards;
mod holes;
mod imports;
mod nodes;
mod patterns;
mod persistence;
mod stand_ins;
mod throws;

pub use cells::guest_text;
pub(super) use completion::{end_with_value, return_completion_value};
pub(super) use holes::restore as restore_holes;
pub(super) use persistence::{Publication, publish};
pub(super) use stand_ins::restore as restore_stand_ins;

use std::collections::HashSet;
use std::mem;

use swc_common::{BytePos, Spanned};
use swc_ecma_ast::{
    ArrowExpr, CallExpr, CatchClause, Constructor, ForOfStmt, Function, GetterProp, Ident, LabeledStmt, SetterProp,
    StaticBlock, Stmt, ThrowStmt, TryStmt,
};
use swc_ecma_visit::{VisitMut, VisitMutWith};

/// Adds loop guards, makes every `catch` pass signals on, records where values are thrown, and routes `import()`
/// through the executor, in one pass.
pub(super) fn instrument<'a, N: VisitMutWith<Instrument<'a>>>(program: &mut N, loops: Loops<'a>) {
    let mut instrument = Instrument { loops, is_labeled: false, is_in_nest: false, caught: Vec::new() };
    program.visit_mut_with(&mut instrument);
}

/// Whether the loops of a program have guards.
pub(super) enum Loops<'a> {
    /// Positions of those that cannot count in a register, as the analysis found.
    Counted(&'a HashSet<BytePos>),
    /// The run has no limit of operations.
    Unlimited,
}

pub(super) struct Instrument<'a> {
    loops: Loops<'a>,
    /// The next visited statement has a label.
    is_labeled: bool,
    /// Inside a loop of the same function that counts in a register.
    is_in_nest: bool,
    /// Names of the values caught by the `catch` clauses around the node.
    caught: Vec<Ident>,
}

impl<'a> Instrument<'a> {
    fn in_function<N: VisitMutWith<Self>>(&mut self, node: &mut N) {
        let outer = mem::take(&mut self.is_in_nest);
        node.visit_mut_children_with(self);
        self.is_in_nest = outer;
    }
}

impl VisitMut for Instrument<'_> {
    fn visit_mut_stmt(&mut self, node: &mut Stmt) {
        // A label that `continue` names must stay at the loop itself.
        let is_labeled = mem::take(&mut self.is_labeled);
        let (Some(the_loop), Loops::Counted(waiting)) = (nodes::loop_of(node), &self.loops) else {
            node.visit_mut_children_with(self);
            return;
        };
        let is_outermost = !is_labeled && !self.is_in_nest && !waiting.contains(&the_loop.span_lo());
        self.is_in_nest |= is_outermost;
        node.visit_mut_children_with(self);
        if self.is_in_nest {
            guards::count_in_register(node);
        } else {
            guards::count_in_memory(node);
        }
        if is_outermost {
            guards::settle_at_exit(node);
            self.is_in_nest = false;
        }
    }

    fn visit_mut_function(&mut self, node: &mut Function) {
        self.in_function(node);
    }

    fn visit_mut_arrow_expr(&mut self, node: &mut ArrowExpr) {
        self.in_function(node);
    }

    fn visit_mut_constructor(&mut self, node: &mut Constructor) {
        self.in_function(node);
    }

    fn visit_mut_getter_prop(&mut self, node: &mut GetterProp) {
        self.in_function(node);
    }

    fn visit_mut_setter_prop(&mut self, node: &mut SetterProp) {
        self.in_function(node);
    }

    fn visit_mut_static_block(&mut self, node: &mut StaticBlock) {
        self.in_function(node);
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
