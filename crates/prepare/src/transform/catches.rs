//! Guest `catch` clauses cannot keep a signal of the executor.

use std::mem;

use swc_common::{DUMMY_SP, Span};
use swc_ecma_ast::{BlockStmt, CatchClause, Pat, Stmt, ThrowStmt, TryStmt};

use super::nodes;

/// The name for the caught value if the clause has none.
const CAUGHT: &str = "__smol_e";

/// `catch (e) { … }` becomes `catch (e) { if (__smol_done) __smol_rethrow(e); … }`.
///
/// A pattern parameter is destructured only after that test, because its defaults and getters run guest code:
///
/// `try { try { … } catch (__smol_e) { if (__smol_done) __smol_rethrow(__smol_e); throw __smol_e; } } catch (pattern) {
/// … }`.
pub(super) fn rethrow_signals(node: &mut TryStmt) {
    let Some(handler) = &mut node.handler else { return };
    let span = handler.span;
    match handler.param.get_or_insert_with(|| Pat::Ident(nodes::binding(CAUGHT))) {
        Pat::Ident(caught) => {
            let rethrow = rethrow(&caught.id.sym, span);
            handler.body.stmts.insert(0, rethrow);
        }
        _ => {
            let block_span = node.block.span;
            let tried = mem::take(&mut node.block);
            node.block = nodes::block(block_span, vec![passing_signals_on(tried, span)]);
        }
    }
}

/// `try { … } catch (__smol_e) { if (__smol_done) __smol_rethrow(__smol_e); throw __smol_e; }`
fn passing_signals_on(block: BlockStmt, span: Span) -> Stmt {
    let caught = Pat::Ident(nodes::binding(CAUGHT));
    let again = Stmt::Throw(ThrowStmt { span, arg: nodes::name(CAUGHT, DUMMY_SP) });
    let body = nodes::block(span, vec![rethrow(CAUGHT, span), again]);
    let handler = Some(CatchClause { span, param: Some(caught), body });
    Stmt::Try(Box::new(TryStmt { span: block.span, block, handler, finalizer: None }))
}

fn rethrow(caught: &str, span: Span) -> Stmt {
    let call = nodes::call_statement("__smol_rethrow", nodes::name(caught, span), span);
    nodes::if_statement(nodes::name("__smol_done", span), call, span)
}
