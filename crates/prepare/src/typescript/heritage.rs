//! Makes swc's resolver visit the heritage of a class expression only once.
//!
//! The resolver visits it in the outer scope, and again with the class. With a class in the heritage of a class in the
//! heritage of a class, the time is exponential in their number. The second visit finds all names resolved and changes
//! nothing. So the heritage is placed before its class while names are resolved: `class extends E {}` becomes `(E,
//! class {})`.

use swc_common::{BytePos, Span, util::take::Take};
use swc_ecma_ast::{ClassExpr, Expr, SeqExpr};
use swc_ecma_visit::{VisitMut, VisitMutWith};

/// Marks the sequences that stand for classes: no text has this position.
const MARK: Span = Span { lo: BytePos::PLACEHOLDER, hi: BytePos::PLACEHOLDER };

/// Moves heritages in front of their classes.
pub(super) struct MoveHeritages;

impl VisitMut for MoveHeritages {
    fn visit_mut_expr(&mut self, node: &mut Expr) {
        node.visit_mut_children_with(self);
        if let Expr::Class(ClassExpr { class, .. }) = node
            && let Some(heritage) = class.super_class.take()
        {
            let class = Box::new(node.take());
            *node = Expr::Seq(SeqExpr { span: MARK, exprs: vec![heritage, class] });
        }
    }
}

/// Moves them back.
pub(super) struct RestoreHeritages;

impl VisitMut for RestoreHeritages {
    fn visit_mut_expr(&mut self, node: &mut Expr) {
        node.visit_mut_children_with(self);
        if let Expr::Seq(SeqExpr { span: MARK, exprs }) = node
            && let (Some(mut class), Some(heritage)) = (exprs.pop(), exprs.pop())
        {
            if let Expr::Class(ClassExpr { class, .. }) = &mut *class {
                class.super_class = Some(heritage);
            }
            *node = *class;
        }
    }
}
