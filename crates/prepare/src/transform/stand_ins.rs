//! Restores the words that the parser has read as others.
//!
//! `for (using x = f(); test; step) …` is `{ using x = f(); for (; test; step) … }`: `x` is one variable, disposed of
//! when the loop has ended. The block is outside the loop's labels, which `continue` names.

use std::mem;

use swc_common::{BytePos, DUMMY_SP};
use swc_ecma_ast::{BlockStmt, ClassMethod, Decl, ForStmt, PropName, Stmt, UsingDecl, VarDeclOrExpr};
use swc_ecma_visit::{VisitMut, VisitMutWith};

use super::super::parse::StandIns;

/// Restores the original words.
pub(in super::super) fn restore<'a, N: VisitMutWith<Restore<'a>>>(program: &mut N, stand_ins: &'a StandIns) {
    if !stand_ins.is_empty() {
        program.visit_mut_with(&mut Restore { stand_ins });
    }
}

pub(in super::super) struct Restore<'a> {
    stand_ins: &'a StandIns,
}

impl Restore<'_> {
    fn using(&self, at: BytePos) -> Option<bool> {
        self.stand_ins.heads.iter().find(|&&(head, _)| head == at).map(|&(_, is_await)| is_await)
    }

    fn take_using(&self, node: &mut ForStmt) -> Option<UsingDecl> {
        let Some(VarDeclOrExpr::VarDecl(declaration)) = &mut node.init else { return None };
        let is_await = self.using(declaration.span.lo)?;
        let (span, decls) = (declaration.span, mem::take(&mut declaration.decls));
        node.init = None;
        Some(UsingDecl { span, is_await, decls })
    }
}

impl VisitMut for Restore<'_> {
    fn visit_mut_stmt(&mut self, node: &mut Stmt) {
        let mut inner = &mut *node;
        while let Stmt::Labeled(labeled) = inner {
            inner = &mut labeled.body;
        }
        let using = if let Stmt::For(counted) = inner { self.take_using(counted) } else { None };
        node.visit_mut_children_with(self);
        if let Some(mut using) = using {
            using.visit_mut_with(self);
            let counted = mem::take(node);
            let stmts = vec![Stmt::Decl(Decl::Using(Box::new(using))), counted];
            *node = Stmt::Block(BlockStmt { span: DUMMY_SP, stmts, ..BlockStmt::default() });
        }
    }

    fn visit_mut_class_method(&mut self, node: &mut ClassMethod) {
        if let PropName::Ident(name) = &mut node.key
            && self.stand_ins.methods.contains(&name.span.lo)
        {
            name.sym = "constructor".into();
        }
        node.visit_mut_children_with(self);
    }
}
