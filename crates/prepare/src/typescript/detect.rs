//! Whether a tree has syntax that JavaScript does not have.

use swc_ecma_ast::*;
use swc_ecma_visit::{Visit, VisitWith};

use super::super::stack::MAX_DEPTH;

/// Looks at the first [`MAX_DEPTH`] levels of nesting.
pub(in super::super) fn has_types(module: &Module) -> bool {
    let mut detector = Detector { found: false, depth: 0 };
    module.visit_with(&mut detector);
    detector.found
}

struct Detector {
    found: bool,
    depth: u32,
}

impl Detector {
    fn descend<N: VisitWith<Self>>(&mut self, node: &N) {
        if !self.found && self.depth < MAX_DEPTH {
            self.depth += 1;
            node.visit_children_with(self);
            self.depth -= 1;
        }
    }

    fn note<N: VisitWith<Self>>(&mut self, is_typescript: bool, node: &N) {
        self.found |= is_typescript;
        if !self.found {
            node.visit_children_with(self);
        }
    }
}

impl Visit for Detector {
    fn visit_expr(&mut self, node: &Expr) {
        self.found |= matches!(
            node,
            Expr::TsAs(_)
                | Expr::TsConstAssertion(_)
                | Expr::TsInstantiation(_)
                | Expr::TsNonNull(_)
                | Expr::TsSatisfies(_)
                | Expr::TsTypeAssertion(_)
        );
        self.descend(node);
    }

    fn visit_simple_assign_target(&mut self, node: &SimpleAssignTarget) {
        let is_typescript = matches!(
            node,
            SimpleAssignTarget::TsAs(_)
                | SimpleAssignTarget::TsInstantiation(_)
                | SimpleAssignTarget::TsNonNull(_)
                | SimpleAssignTarget::TsSatisfies(_)
                | SimpleAssignTarget::TsTypeAssertion(_)
        );
        self.note(is_typescript, node);
    }

    fn visit_stmt(&mut self, node: &Stmt) {
        self.descend(node);
    }

    fn visit_pat(&mut self, node: &Pat) {
        self.descend(node);
    }

    fn visit_assign_target_pat(&mut self, node: &AssignTargetPat) {
        self.descend(node);
    }

    fn visit_decl(&mut self, node: &Decl) {
        let is_typescript =
            matches!(node, Decl::TsEnum(_) | Decl::TsInterface(_) | Decl::TsModule(_) | Decl::TsTypeAlias(_));
        self.note(is_typescript, node);
    }

    fn visit_module_decl(&mut self, node: &ModuleDecl) {
        let is_typescript = match node {
            ModuleDecl::TsImportEquals(_) | ModuleDecl::TsExportAssignment(_) | ModuleDecl::TsNamespaceExport(_) => {
                true
            }
            ModuleDecl::Import(import) => import.type_only,
            ModuleDecl::ExportNamed(export) => export.type_only,
            ModuleDecl::ExportAll(export) => export.type_only,
            _ => false,
        };
        self.note(is_typescript, node);
    }

    fn visit_import_named_specifier(&mut self, node: &ImportNamedSpecifier) {
        self.found |= node.is_type_only;
    }

    fn visit_export_named_specifier(&mut self, node: &ExportNamedSpecifier) {
        self.found |= node.is_type_only;
    }

    fn visit_ts_type_ann(&mut self, _: &TsTypeAnn) {
        self.found = true;
    }

    fn visit_ts_type_param_decl(&mut self, _: &TsTypeParamDecl) {
        self.found = true;
    }

    fn visit_ts_type_param_instantiation(&mut self, _: &TsTypeParamInstantiation) {
        self.found = true;
    }

    fn visit_ident(&mut self, node: &Ident) {
        self.found |= node.optional;
    }

    fn visit_var_decl(&mut self, node: &VarDecl) {
        self.note(node.declare || node.decls.iter().any(|declarator| declarator.definite), node);
    }

    fn visit_fn_decl(&mut self, node: &FnDecl) {
        self.note(node.declare || node.function.body.is_none(), node);
    }

    fn visit_class_decl(&mut self, node: &ClassDecl) {
        self.note(node.declare, node);
    }

    fn visit_class(&mut self, node: &Class) {
        self.note(node.is_abstract || !node.implements.is_empty(), node);
    }

    fn visit_class_member(&mut self, node: &ClassMember) {
        let is_typescript = match node {
            ClassMember::Constructor(it) => it.accessibility.is_some() || it.body.is_none(),
            ClassMember::Method(it) => {
                it.accessibility.is_some() || it.is_optional || it.is_override || it.function.body.is_none()
            }
            ClassMember::PrivateMethod(it) => it.is_optional || it.is_override || it.function.body.is_none(),
            ClassMember::ClassProp(it) => {
                it.accessibility.is_some()
                    || it.is_abstract
                    || it.is_optional
                    || it.is_override
                    || it.readonly
                    || it.declare
                    || it.definite
            }
            ClassMember::PrivateProp(it) => it.readonly || it.is_optional || it.is_override || it.definite,
            ClassMember::TsIndexSignature(_) => true,
            _ => false,
        };
        self.note(is_typescript, node);
    }

    fn visit_ts_param_prop(&mut self, _: &TsParamProp) {
        self.found = true;
    }
}
