//! Guest `catch` clauses cannot hold on to a signal of the executor.

use std::mem;

use swc_common::{DUMMY_SP, Span, SyntaxContext};
use swc_ecma_ast::{BindingIdent, CatchClause, Decl, Pat, Stmt, VarDecl, VarDeclKind, VarDeclarator};

use super::nodes;

/// `catch (e) { … }` becomes `catch (e) { if (__smol_done) __smol_rethrow(); … }`.
///
/// A pattern parameter is taken apart only after that test, since its defaults and getters run guest code:
/// `catch (__smol_e) { if (__smol_done) __smol_rethrow(); let pattern = __smol_e; { … } }`. The body stays a block
/// of its
/// own, so that its declarations are not in scope of the pattern's defaults.
pub(super) fn rethrow_signals(clause: &mut CatchClause) {
    let span = clause.span;
    let test = rethrow(span);
    match &mut clause.param {
        Some(parameter) if !matches!(parameter, Pat::Ident(_)) => {
            let caught = Pat::Ident(BindingIdent { id: nodes::ident("__smol_e", DUMMY_SP), type_ann: None });
            let pattern = mem::replace(parameter, caught);
            let body = mem::take(&mut clause.body);
            let body_span = body.span;
            clause.body = nodes::block(body_span, vec![test, take_apart(pattern), Stmt::Block(body)]);
        }
        _ => clause.body.stmts.insert(0, test),
    }
}

fn rethrow(span: Span) -> Stmt {
    nodes::if_statement(nodes::name("__smol_done", span), nodes::call_statement("__smol_rethrow", span), span)
}

/// `let pattern = __smol_e;`
fn take_apart(pattern: Pat) -> Stmt {
    let declarator =
        VarDeclarator { span: DUMMY_SP, name: pattern, init: Some(nodes::name("__smol_e", DUMMY_SP)), definite: false };
    Stmt::Decl(Decl::Var(Box::new(VarDecl {
        span: DUMMY_SP,
        ctxt: SyntaxContext::empty(),
        kind: VarDeclKind::Let,
        declare: false,
        decls: vec![declarator],
    })))
}
