//! `import(name)` asks the executor, which knows the authorized modules.

use swc_ecma_ast::{CallExpr, Callee};

use super::nodes;

/// `import(name)` becomes `__smol_import(name)`. Import attributes are dropped; VALIDATE has checked that they are
/// literals.
pub(super) fn route_import(call: &mut CallExpr) {
    if let Callee::Import(import) = &call.callee {
        call.callee = Callee::Expr(nodes::name("__smol_import", import.span));
        call.args.truncate(1);
    }
}
