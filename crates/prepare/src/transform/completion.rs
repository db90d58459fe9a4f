//! The value of a program is that of its last statement, unless it returns one itself.

use swc_common::{DUMMY_SP, Spanned};
use swc_ecma_ast::{Decl, EmptyStmt, ExprStmt, Pat, Stmt, VarDecl};

use super::nodes;

/// Turns the last statement into a `return` where it has a value: an expression, or a declaration of one variable or
/// more
/// (its last one). Looks into blocks, `if`, `try` and `catch` (not `finally`) and labelled statements.
pub(in super::super) fn return_completion_value(statements: &mut Vec<Stmt>) {
    let Some(last) = statements.iter().rposition(|statement| !matches!(statement, Stmt::Empty(_))) else {
        return;
    };
    if let Some(declared) = last_declared(&statements[last]) {
        statements.insert(last + 1, declared);
    } else {
        return_value_of(&mut statements[last]);
    }
}

/// Has a script of expressions end with the value of the last one.
pub(in super::super) fn end_with_value(expressions: &mut Vec<Stmt>) {
    if let Some(Stmt::Expr(ExprStmt { span, expr })) = expressions.pop() {
        expressions.push(nodes::value_statement(expr, span));
    }
}

fn return_value_of(statement: &mut Stmt) {
    match statement {
        Stmt::Expr(expression) => {
            let span = expression.span;
            let Stmt::Expr(expression) = take(statement) else {
                return;
            };
            *statement = nodes::return_statement(expression.expr, span);
        }
        Stmt::Block(block) => return_completion_value(&mut block.stmts),
        Stmt::If(branches) => {
            return_value_of_branch(&mut branches.cons);
            if let Some(alternative) = &mut branches.alt {
                return_value_of_branch(alternative);
            }
        }
        Stmt::Try(parts) => {
            return_completion_value(&mut parts.block.stmts);
            if let Some(handler) = &mut parts.handler {
                return_completion_value(&mut handler.body.stmts);
            }
        }
        Stmt::Labeled(labeled) => return_value_of_branch(&mut labeled.body),
        _ => {}
    }
}

/// A single statement that may have to become two.
fn return_value_of_branch(statement: &mut Stmt) {
    if let Some(declared) = last_declared(statement) {
        let declaration = take(statement);
        *statement = Stmt::Block(nodes::block(DUMMY_SP, vec![declaration, declared]));
    } else {
        return_value_of(statement);
    }
}

/// `return name;` for the last variable of a declaration.
fn last_declared(statement: &Stmt) -> Option<Stmt> {
    let Stmt::Decl(Decl::Var(declaration)) = statement else {
        return None;
    };
    let VarDecl { decls, .. } = &**declaration;
    let last = decls.last()?;
    let Pat::Ident(binding) = &last.name else {
        return None;
    };
    Some(nodes::return_statement(nodes::name(&binding.id.sym, binding.id.span), last.span()))
}

fn take(statement: &mut Stmt) -> Stmt {
    std::mem::replace(statement, Stmt::Empty(EmptyStmt { span: DUMMY_SP }))
}
