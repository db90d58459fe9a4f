//! Small syntax nodes.
//!
//! Generated nodes carry the position of the construct they belong to, so that an error raised in them names it.

use swc_common::{DUMMY_SP, Span, SyntaxContext};
use swc_ecma_ast::{
    AssignExpr, AssignOp, AssignTarget, BindingIdent, BlockStmt, CallExpr, Callee, Decl, EmptyStmt, Expr, ExprOrSpread,
    ExprStmt, ForHead, ForOfStmt, Ident, IfStmt, Lit, Number, ParenExpr, Pat, ReturnStmt, SimpleAssignTarget, Stmt,
    UnaryExpr, UnaryOp, VarDecl, VarDeclKind, VarDeclarator,
};

pub(super) fn ident(name: &str, span: Span) -> Ident {
    Ident { span, ctxt: SyntaxContext::empty(), sym: name.into(), optional: false }
}

pub(super) fn name(name: &str, span: Span) -> Box<Expr> {
    Box::new(Expr::Ident(ident(name, span)))
}

/// A name in a declaration or an assignment.
pub(super) fn binding(name: &str) -> BindingIdent {
    BindingIdent { id: ident(name, DUMMY_SP), type_ann: None }
}

pub(super) fn number(value: f64) -> Box<Expr> {
    let literal = |value| Box::new(Expr::Lit(Lit::Num(Number { span: DUMMY_SP, value, raw: None })));
    if value < 0.0 {
        return Box::new(Expr::Unary(UnaryExpr { span: DUMMY_SP, op: UnaryOp::Minus, arg: literal(-value) }));
    }
    literal(value)
}

/// `void 0`
pub(super) fn undefined() -> Box<Expr> {
    Box::new(Expr::Unary(UnaryExpr { span: DUMMY_SP, op: UnaryOp::Void, arg: number(0.0) }))
}

pub(super) fn assign(target: SimpleAssignTarget, value: Box<Expr>, span: Span) -> Box<Expr> {
    let left = AssignTarget::Simple(target);
    Box::new(Expr::Assign(AssignExpr { span, op: AssignOp::Assign, left, right: value }))
}

/// `target = value;`
pub(super) fn assign_statement(target: SimpleAssignTarget, value: Box<Expr>, span: Span) -> Stmt {
    Stmt::Expr(ExprStmt { span, expr: assign(target, value, span) })
}

pub(super) fn declarator(name: BindingIdent, init: Option<Box<Expr>>, span: Span) -> VarDeclarator {
    VarDeclarator { span, name: Pat::Ident(name), init, definite: false }
}

pub(super) fn declare(kind: VarDeclKind, decls: Vec<VarDeclarator>, span: Span) -> Stmt {
    Stmt::Decl(Decl::Var(Box::new(VarDecl { span, kind, decls, ..VarDecl::default() })))
}

pub(super) fn block(span: Span, stmts: Vec<Stmt>) -> BlockStmt {
    BlockStmt { span, ctxt: SyntaxContext::empty(), stmts }
}

pub(super) fn empty() -> Stmt {
    Stmt::Empty(EmptyStmt { span: DUMMY_SP })
}

pub(super) fn is_loop(statement: &Stmt) -> bool {
    matches!(statement, Stmt::For(_) | Stmt::ForIn(_) | Stmt::ForOf(_) | Stmt::While(_) | Stmt::DoWhile(_))
}

/// The loop of a statement, which may have labels.
pub(super) fn loop_of(statement: &Stmt) -> Option<&Stmt> {
    match statement {
        Stmt::Labeled(node) => loop_of(&node.body),
        _ => is_loop(statement).then_some(statement),
    }
}

/// Inserts a statement at the start of a loop's body.
pub(super) fn prepend(body: &mut Box<Stmt>, first: Stmt) {
    match &mut **body {
        Stmt::Block(block) => block.stmts.insert(0, first),
        single => {
            let inner = std::mem::replace(single, empty());
            let mut stmts = vec![first];
            if !matches!(inner, Stmt::Empty(_)) {
                stmts.push(inner);
            }
            *single = Stmt::Block(block(DUMMY_SP, stmts));
        }
    }
}

/// `callee(args)`
pub(super) fn call(callee: &str, args: Vec<ExprOrSpread>, span: Span) -> Box<Expr> {
    let callee = Callee::Expr(name(callee, span));
    Box::new(Expr::Call(CallExpr { span, ctxt: SyntaxContext::empty(), callee, args, type_args: None }))
}

/// `for (\u0061sync of …)` is printed as `for ((async) of …)`: without the escape it would be a keyword.
pub(super) fn keep_async_a_name(node: &mut ForOfStmt) {
    if let ForHead::Pat(pattern) = &mut node.left
        && let Pat::Ident(name) = &mut **pattern
        && &*name.sym == "async"
    {
        let expr = Box::new(Expr::Ident(name.id.clone()));
        **pattern = Pat::Expr(Box::new(Expr::Paren(ParenExpr { span: name.id.span, expr })));
    }
}

pub(super) fn text(value: &str) -> Box<Expr> {
    Box::new(Expr::Lit(Lit::Str(value.into())))
}

/// `callee(argument);`
pub(super) fn call_statement(callee: &str, argument: Box<Expr>, span: Span) -> Stmt {
    let argument = ExprOrSpread { spread: None, expr: argument };
    Stmt::Expr(ExprStmt { span, expr: call(callee, vec![argument], span) })
}

/// `if (test) cons`
pub(super) fn if_statement(test: Box<Expr>, cons: Stmt, span: Span) -> Stmt {
    Stmt::If(IfStmt { span, test, cons: Box::new(cons), alt: None })
}

/// `return (value);`: the parentheses keep the meaning of any expression.
pub(super) fn return_statement(value: Box<Expr>, span: Span) -> Stmt {
    Stmt::Return(ReturnStmt { span, arg: Some(parenthesized(value)) })
}

/// `(value);`: an expression, whatever its text begins with.
pub(super) fn value_statement(value: Box<Expr>, span: Span) -> Stmt {
    Stmt::Expr(ExprStmt { span, expr: Box::new(Expr::Paren(ParenExpr { span, expr: value })) })
}

/// `(value)`, unless it never needs parentheses.
pub(super) fn parenthesized(value: Box<Expr>) -> Box<Expr> {
    match *value {
        Expr::Paren(_) | Expr::Ident(_) => value,
        _ => Box::new(Expr::Paren(ParenExpr { span: DUMMY_SP, expr: value })),
    }
}
