//! What leaves a loop closes its chunk first.

use swc_common::{DUMMY_SP, Span, Spanned};
use swc_ecma_ast::{
    ArrowExpr, BreakStmt, Class, Expr, ExprOrSpread, Function, Ident, Invalid, LabeledStmt, Stmt, SwitchStmt,
};
use swc_ecma_visit::{Visit, VisitMut, VisitMutWith, VisitWith};

use super::super::nodes;

/// The label of the block that takes the place of a loop.
pub(super) const LABEL: &str = "__smol_v";

/// Rewrites the `break`, `continue`, `return` and `throw` in the body of a loop that end the loop. The body has no
/// functions, no loops and no `try`.
pub(super) fn close_before_exits(body: &mut Box<Stmt>) {
    body.visit_mut_with(&mut Exits { labels: Vec::new(), switches: 0 });
}

/// `{ __smol_close(); break __smol_v; }`
pub(super) fn close_and_leave(span: Span) -> Stmt {
    closed_before(Stmt::Break(BreakStmt { span, label: Some(nodes::ident(LABEL, DUMMY_SP)) }), span)
}

/// Whether a statement has no `continue`, loop, function or class in it. Looks no further than the first of them.
pub(super) fn runs_through(statement: &Stmt) -> bool {
    let mut search = Jumps(false);
    statement.visit_with(&mut search);
    !search.0
}

struct Jumps(bool);

impl Visit for Jumps {
    fn visit_stmt(&mut self, node: &Stmt) {
        let jumps = matches!(
            node,
            Stmt::Continue(_)
                | Stmt::For(_)
                | Stmt::ForIn(_)
                | Stmt::ForOf(_)
                | Stmt::While(_)
                | Stmt::DoWhile(_)
                | Stmt::Labeled(_)
        );
        self.0 |= jumps;
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

struct Exits {
    /// Labels inside of the body.
    labels: Vec<Ident>,
    /// `switch` statements around the node, inside of the body.
    switches: u32,
}

impl VisitMut for Exits {
    fn visit_mut_stmt(&mut self, node: &mut Stmt) {
        node.visit_mut_children_with(self);
        match node {
            Stmt::Break(exit) => match &exit.label {
                None if self.switches == 0 => *node = close_and_leave(exit.span),
                Some(name) if !self.labels.iter().any(|label| label.sym == name.sym) => close_first(node),
                _ => {}
            },
            // There is no loop inside that a label could name.
            Stmt::Continue(exit) if exit.label.is_some() => close_first(node),
            Stmt::Return(exit) => match exit.arg.take() {
                Some(value) => exit.arg = Some(closing(value, exit.span)),
                None => close_first(node),
            },
            Stmt::Throw(exit) => {
                let value = std::mem::replace(&mut exit.arg, Box::new(Expr::Invalid(Invalid { span: DUMMY_SP })));
                exit.arg = closing(value, exit.span);
            }
            _ => {}
        }
    }

    fn visit_mut_labeled_stmt(&mut self, node: &mut LabeledStmt) {
        self.labels.push(node.label.clone());
        node.visit_mut_children_with(self);
        self.labels.pop();
    }

    fn visit_mut_switch_stmt(&mut self, node: &mut SwitchStmt) {
        self.switches += 1;
        node.visit_mut_children_with(self);
        self.switches -= 1;
    }
}

/// `__smol_close(value)`, which gives `value` back.
fn closing(value: Box<Expr>, span: Span) -> Box<Expr> {
    let expr = nodes::parenthesized(value);
    nodes::call("__smol_close", vec![ExprOrSpread { spread: None, expr }], span)
}

fn close_first(node: &mut Stmt) {
    let exit = std::mem::replace(node, nodes::empty());
    let span = exit.span();
    *node = closed_before(exit, span);
}

fn closed_before(exit: Stmt, span: Span) -> Stmt {
    Stmt::Block(nodes::block(DUMMY_SP, vec![nodes::call_statement("__smol_close", span), exit]))
}
