//! Loop guards: each iteration takes one from the run's budget.
//!
//! An outermost loop counts its own iterations and those of its inner loops in a separate variable, which V8 keeps in a
//! register:
//!
//! ```text
//! {
//!   const __smol_had = __smol_budget;
//!   let __smol_left = __smol_had;
//!   try {
//!     __smol_loop: while (test()) { if (--__smol_left < 0) break __smol_loop; … }
//!   } finally {
//!     if ((__smol_budget -= __smol_had - __smol_left) < 0) __smol_guard(__smol_left);
//!   }
//! }
//! ```
//!
//! The budget is settled when the loop is left, however that happens. So a run that exceeds its iterations is always
//! refused. Meanwhile, other functions take from the budget itself, which does not yet include the iterations of their
//! callers. A run with too many iterations in all may therefore end a while after the first excess one. Each loop still
//! takes no more than the budget had when the loop began.
//!
//! A loop that awaits lets other code run for any time, and a loop with a `finally` clause in it may continue after the
//! end of the run. Both take from the budget immediately, by `if (--__smol_budget < 0) __smol_guard(-1);`. This is
//! several times slower in small loops.

use swc_common::{DUMMY_SP, Span, Spanned};
use swc_ecma_ast::{
    AssignExpr, AssignOp, AssignTarget, BinExpr, BinaryOp, BreakStmt, Expr, ExprOrSpread, ExprStmt, LabeledStmt,
    SimpleAssignTarget, Stmt, TryStmt, UpdateExpr, UpdateOp, VarDeclKind,
};

use super::nodes;

const BUDGET: &str = "__smol_budget";
const HAD: &str = "__smol_had";
const LEFT: &str = "__smol_left";
const LABEL: &str = "__smol_loop";

/// Makes a loop count in the variable of the outermost loop, which [`settle_at_exit`] declares.
pub(super) fn count_in_register(statement: &mut Stmt) {
    let span = statement.span();
    let leave = Stmt::Break(BreakStmt { span, label: Some(nodes::ident(LABEL, DUMMY_SP)) });
    guard(statement, LEFT, leave);
}

/// Makes a loop take from the budget immediately.
pub(super) fn count_in_memory(statement: &mut Stmt) {
    let span = statement.span();
    let exceeded = ExprStmt { span, expr: nodes::call("__smol_guard", vec![argument(nodes::number(-1.0))], span) };
    guard(statement, BUDGET, Stmt::Expr(exceeded));
}

fn guard(statement: &mut Stmt, counter: &str, end: Stmt) {
    let span = statement.span();
    let body = match statement {
        Stmt::For(node) => &mut node.body,
        Stmt::ForIn(node) => &mut node.body,
        Stmt::ForOf(node) => &mut node.body,
        Stmt::While(node) => &mut node.body,
        Stmt::DoWhile(node) => &mut node.body,
        _ => return,
    };
    let arg = nodes::name(counter, span);
    let decremented = UpdateExpr { span, op: UpdateOp::MinusMinus, prefix: true, arg };
    nodes::prepend(body, nodes::if_statement(is_negative(Box::new(Expr::Update(decremented)), span), end, span));
}

/// Takes the iterations of an outermost loop and its inner loops from the budget when the loop is left.
pub(super) fn settle_at_exit(statement: &mut Stmt) {
    let span = statement.span();
    let body = Box::new(std::mem::replace(statement, nodes::empty()));
    let labeled = Stmt::Labeled(LabeledStmt { span: DUMMY_SP, label: nodes::ident(LABEL, DUMMY_SP), body });
    let used = binary(BinaryOp::Sub, nodes::name(HAD, DUMMY_SP), nodes::name(LEFT, DUMMY_SP));
    let budget = AssignTarget::Simple(SimpleAssignTarget::Ident(nodes::binding(BUDGET)));
    let taken = Expr::Assign(AssignExpr { span, op: AssignOp::SubAssign, left: budget, right: used });
    let taken = nodes::parenthesized(Box::new(taken));
    let exceeded = nodes::call("__smol_guard", vec![argument(nodes::name(LEFT, DUMMY_SP))], span);
    let exceeded = Stmt::Expr(ExprStmt { span, expr: exceeded });
    let finalizer = nodes::block(DUMMY_SP, vec![nodes::if_statement(is_negative(taken, span), exceeded, span)]);
    let tried = Stmt::Try(Box::new(TryStmt {
        span: DUMMY_SP,
        block: nodes::block(DUMMY_SP, vec![labeled]),
        handler: None,
        finalizer: Some(finalizer),
    }));
    let had = declare(VarDeclKind::Const, HAD, BUDGET);
    let left = declare(VarDeclKind::Let, LEFT, HAD);
    *statement = Stmt::Block(nodes::block(DUMMY_SP, vec![had, left, tried]));
}

fn declare(kind: VarDeclKind, name: &str, value: &str) -> Stmt {
    let value = nodes::name(value, DUMMY_SP);
    nodes::declare(kind, vec![nodes::declarator(nodes::binding(name), Some(value), DUMMY_SP)], DUMMY_SP)
}

fn argument(expr: Box<Expr>) -> ExprOrSpread {
    ExprOrSpread { spread: None, expr }
}

fn binary(op: BinaryOp, left: Box<Expr>, right: Box<Expr>) -> Box<Expr> {
    Box::new(Expr::Bin(BinExpr { span: DUMMY_SP, op, left, right }))
}

fn is_negative(left: Box<Expr>, span: Span) -> Box<Expr> {
    Box::new(Expr::Bin(BinExpr { span, op: BinaryOp::Lt, left, right: nodes::number(0.0) }))
}
