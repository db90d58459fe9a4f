//! Small syntax nodes.
//!
//! Generated nodes carry the position of the construct they belong to, so that an error raised in them names it.

use swc_common::{DUMMY_SP, Span, SyntaxContext};
use swc_ecma_ast::{
    BlockStmt, CallExpr, Callee, Expr, ExprOrSpread, ExprStmt, Ident, IfStmt, ParenExpr, ReturnStmt, Stmt,
};

pub(super) fn ident(name: &str, span: Span) -> Ident {
    Ident { span, ctxt: SyntaxContext::empty(), sym: name.into(), optional: false }
}

pub(super) fn name(name: &str, span: Span) -> Box<Expr> {
    Box::new(Expr::Ident(ident(name, span)))
}

pub(super) fn block(span: Span, stmts: Vec<Stmt>) -> BlockStmt {
    BlockStmt { span, ctxt: SyntaxContext::empty(), stmts }
}

/// `callee();`
pub(super) fn call_statement(callee: &str, span: Span) -> Stmt {
    let args: Vec<ExprOrSpread> = Vec::new();
    let callee = Callee::Expr(name(callee, span));
    let call = CallExpr { span, ctxt: SyntaxContext::empty(), callee, args, type_args: None };
    Stmt::Expr(ExprStmt { span, expr: Box::new(Expr::Call(call)) })
}

/// `if (test) cons`
pub(super) fn if_statement(test: Box<Expr>, cons: Stmt, span: Span) -> Stmt {
    Stmt::If(IfStmt { span, test, cons: Box::new(cons), alt: None })
}

/// `return (value);`: the parentheses keep the meaning of any expression.
pub(super) fn return_statement(value: Box<Expr>, span: Span) -> Stmt {
    let value = match *value {
        Expr::Paren(_) | Expr::Ident(_) => value,
        _ => Box::new(Expr::Paren(ParenExpr { span: DUMMY_SP, expr: value })),
    };
    Stmt::Return(ReturnStmt { span, arg: Some(value) })
}
