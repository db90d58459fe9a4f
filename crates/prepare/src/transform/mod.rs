//! TRANSFORM (specification 6.3, 6.4): what generated code adds to a program.

mod catches;
mod chunks;
mod completion;
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

use swc_ecma_ast::{
    ArrowExpr, CallExpr, CatchClause, Class, Constructor, ForOfStmt, Function, GetterProp, Ident, LabeledStmt,
    SetterProp, Stmt, ThrowStmt, TryStmt,
};
use swc_ecma_visit::{VisitMut, VisitMutWith};

use super::analyze::LoopNames;

pub(crate) use chunks::Place;

/// Adds loop guards, makes every `catch` pass signals on, notes where values are thrown, and routes `import()` through the
/// executor, in one pass.
/// `place`: what the statements of `program` are. `loop_names`: as the analysis found.
pub(super) fn instrument<'a, N: VisitMutWith<Instrument<'a>>>(
    program: &mut N,
    place: Place,
    loop_names: &'a LoopNames,
) {
    program.visit_mut_with(&mut Instrument { place, loop_names, is_labeled: false, caught: Vec::new() });
}

pub(super) struct Instrument<'a> {
    place: Place,
    loop_names: &'a LoopNames,
    /// The statement that is visited next has a label.
    is_labeled: bool,
    /// Names of what the `catch` clauses round the node have caught.
    caught: Vec<Ident>,
}

impl Instrument<'_> {
    fn in_function<N: VisitMutWith<Self>>(&mut self, node: &mut N) {
        let outer = std::mem::replace(&mut self.place, Place::Nested);
        node.visit_mut_children_with(self);
        self.place = outer;
    }
}

impl VisitMut for Instrument<'_> {
    fn visit_mut_stmt(&mut self, node: &mut Stmt) {
        let is_labeled = std::mem::take(&mut self.is_labeled);
        if !is_labeled
            && let Stmt::While(written) = node
            && let Some(counting) = chunks::counting(written, self.loop_names)
        {
            *node = Stmt::For(counting);
        }
        let Stmt::For(counted) = node else {
            node.visit_mut_children_with(self);
            guards::guard_loop(node);
            return;
        };
        // A label that `continue` names has to stay at the loop itself.
        let counter = if is_labeled { None } else { chunks::counter(counted, self.loop_names) };
        counted.visit_mut_children_with(self);
        match counter {
            Some(counter) => chunks::run_in_chunks(node, &counter, self.place),
            None => guards::guard_loop(node),
        }
    }

    fn visit_mut_labeled_stmt(&mut self, node: &mut LabeledStmt) {
        self.is_labeled = true;
        node.visit_mut_children_with(self);
        self.is_labeled = false;
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

    /// Its fields are initialized, and its static blocks run, as functions.
    fn visit_mut_class(&mut self, node: &mut Class) {
        self.in_function(node);
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
