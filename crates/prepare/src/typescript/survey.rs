//! One pass over a TypeScript tree before swc changes it: what is not supported, and what would take too much time or
//! stack.

use swc_common::{DUMMY_SP, Span, Spanned, util::take::Take};
use swc_ecma_ast::*;
use swc_ecma_visit::{VisitMut, VisitMutWith};

use super::super::descent::Descent;
use super::super::diagnostics::Report;
use super::super::goal::Goal;
use super::super::parse::ParsedSource;
use super::super::rules;
use super::constants::Constants;
use super::parameter_properties;
use ses_protocol::{Diagnostic, Location};

/// Scopes that swc may look through for all names of a program. One takes some 10 ns.
const MAX_LOOKUPS: usize = 50_000_000;

/// Assignments that parameter properties may cause: one for each of them and each call of `super`.
const MAX_ASSIGNMENTS: usize = 100_000;

/// Comparisons of each enum with the members of all.
const MAX_COMPARISONS: usize = 10_000_000;

/// Reports what keeps `source` from being stripped, and changes what swc would change less well.
pub(in super::super) fn survey(source: &mut ParsedSource, goal: Goal) -> Report {
    let mut module = std::mem::replace(&mut source.module, Module::dummy());
    let mut surveyor = Surveyor {
        source,
        goal,
        report: Report::new(Vec::new()),
        descent: Descent::default(),
        scopes: 0,
        functions: 0,
        lookups: 0,
        containers: Vec::new(),
        ambient: 0,
        constants: Constants::default(),
        enums: 0,
        members: 0,
        super_calls: 0,
        assignments: 0,
    };
    module.visit_mut_with(&mut surveyor);
    let report = surveyor.report;
    source.module = module;
    report
}

struct Surveyor<'a> {
    source: &'a ParsedSource,
    goal: Goal,
    report: Report,
    descent: Descent,
    scopes: usize,
    /// Functions around, since the innermost namespace.
    functions: usize,
    lookups: usize,
    /// Names of the namespaces and enums around.
    containers: Vec<Ident>,
    /// Declarations around of what exists elsewhere, such as `declare namespace`: nothing of them is left.
    ambient: usize,
    constants: Constants,
    enums: usize,
    members: usize,
    /// Calls of `super` in the innermost constructor.
    super_calls: usize,
    assignments: usize,
}

impl Surveyor<'_> {
    /// Visits a node that can nest in itself, unless the limit is reached.
    fn descend<N: Spanned + VisitMutWith<Self>>(&mut self, node: &mut N) {
        if self.descent.enter(node, self.source, &mut self.report) {
            node.visit_mut_children_with(self);
            self.descent.leave();
        }
    }

    fn in_scope<N: VisitMutWith<Self>>(&mut self, node: &mut N) {
        self.scopes += 1;
        node.visit_mut_children_with(self);
        self.scopes -= 1;
    }

    fn in_function<N: VisitMutWith<Self>>(&mut self, node: &mut N) {
        self.functions += 1;
        self.in_scope(node);
        self.functions -= 1;
    }

    /// A type. It may contain its own scopes.
    fn in_type<N: Spanned + VisitMutWith<Self>>(&mut self, node: &mut N) {
        self.scopes += 1;
        self.descend(node);
        self.scopes -= 1;
    }

    fn in_container<N: VisitMutWith<Self>>(&mut self, name: &Ident, node: &mut N) {
        self.containers.push(name.clone());
        let functions = std::mem::take(&mut self.functions);
        self.in_scope(node);
        self.functions = functions;
        self.containers.pop();
    }

    fn in_ambient<N: VisitMutWith<Self>>(&mut self, node: &mut N) {
        self.ambient += 1;
        self.in_scope(node);
        self.ambient -= 1;
    }

    fn declare(&mut self, name: &Ident) {
        if self.ambient == 0 && self.containers.iter().any(|container| container.sym == name.sym) {
            let at = self.source.location(name.span.lo);
            self.report.push(rules::typescript::shadowed_container(&name.sym, at));
        }
    }

    fn refuse(&mut self, rule: fn(Location) -> Diagnostic, span: Span) {
        self.report.push(rule(self.source.location(span.lo)));
    }

    fn refuse_code(&mut self, rule: fn(Location) -> Diagnostic, span: Span) {
        if self.ambient == 0 {
            self.refuse(rule, span);
        }
    }
}

impl VisitMut for Surveyor<'_> {
    fn visit_mut_expr(&mut self, node: &mut Expr) {
        self.descend(node);
        // What was an operand must not become a block, or a declaration, where it comes first.
        if let Expr::TsTypeAssertion(TsTypeAssertion { expr, .. })
        | Expr::TsConstAssertion(TsConstAssertion { expr, .. }) = node
            && !matches!(**expr, Expr::Paren(_) | Expr::Ident(_) | Expr::Lit(_))
        {
            let inner = Box::new((**expr).take());
            **expr = Expr::Paren(ParenExpr { span: inner.span(), expr: inner });
        }
    }

    fn visit_mut_stmt(&mut self, node: &mut Stmt) {
        self.descend(node);
    }

    fn visit_mut_pat(&mut self, node: &mut Pat) {
        self.descend(node);
    }

    fn visit_mut_assign_target_pat(&mut self, node: &mut AssignTargetPat) {
        self.descend(node);
    }

    fn visit_mut_ts_type(&mut self, node: &mut TsType) {
        self.in_type(node);
    }

    fn visit_mut_ts_entity_name(&mut self, node: &mut TsEntityName) {
        self.in_type(node);
    }

    fn visit_mut_ts_namespace_body(&mut self, node: &mut TsNamespaceBody) {
        self.in_type(node);
    }

    fn visit_mut_simple_assign_target(&mut self, node: &mut SimpleAssignTarget) {
        let inner = match node {
            SimpleAssignTarget::TsAs(target) => Some(&target.expr),
            SimpleAssignTarget::TsSatisfies(target) => Some(&target.expr),
            SimpleAssignTarget::TsNonNull(target) => Some(&target.expr),
            SimpleAssignTarget::TsTypeAssertion(target) => Some(&target.expr),
            SimpleAssignTarget::TsInstantiation(target) => Some(&target.expr),
            _ => None,
        };
        if let Some(inner) = inner.filter(|inner| !is_assignable(inner)) {
            self.refuse_code(rules::typescript::invalid_assignment_target, inner.span());
        }
        node.visit_mut_children_with(self);
    }

    fn visit_mut_ident(&mut self, node: &mut Ident) {
        let before = self.lookups;
        self.lookups += self.scopes;
        if before <= MAX_LOOKUPS && self.lookups > MAX_LOOKUPS {
            self.refuse(rules::typescript::too_many_nested_names, node.span);
            self.descent.stop();
        }
    }

    fn visit_mut_binding_ident(&mut self, node: &mut BindingIdent) {
        self.declare(&node.id);
        node.visit_mut_children_with(self);
    }

    fn visit_mut_fn_decl(&mut self, node: &mut FnDecl) {
        self.declare(&node.ident);
        node.visit_mut_children_with(self);
    }

    fn visit_mut_class_decl(&mut self, node: &mut ClassDecl) {
        self.declare(&node.ident);
        node.visit_mut_children_with(self);
    }

    fn visit_mut_fn_expr(&mut self, node: &mut FnExpr) {
        if let Some(name) = &node.ident {
            self.declare(name);
        }
        node.visit_mut_children_with(self);
    }

    fn visit_mut_class_expr(&mut self, node: &mut ClassExpr) {
        if let Some(name) = &node.ident {
            self.declare(name);
        }
        node.visit_mut_children_with(self);
    }

    fn visit_mut_function(&mut self, node: &mut Function) {
        self.in_function(node);
    }

    fn visit_mut_arrow_expr(&mut self, node: &mut ArrowExpr) {
        self.in_function(node);
    }

    fn visit_mut_static_block(&mut self, node: &mut StaticBlock) {
        self.in_function(node);
    }

    fn visit_mut_block_stmt(&mut self, node: &mut BlockStmt) {
        self.in_scope(node);
    }

    fn visit_mut_class(&mut self, node: &mut Class) {
        self.in_scope(node);
        for span in parameter_properties::assign_first(node) {
            self.refuse_code(rules::typescript::computed_field, span);
        }
    }

    fn visit_mut_constructor(&mut self, node: &mut Constructor) {
        let outer = std::mem::take(&mut self.super_calls);
        self.in_function(node);
        let properties = node.params.iter().filter(|parameter| parameter.is_ts_param_prop()).count();
        let before = self.assignments;
        self.assignments = before.saturating_add(properties.saturating_mul(self.super_calls));
        self.super_calls = outer;
        if before <= MAX_ASSIGNMENTS && self.assignments > MAX_ASSIGNMENTS {
            self.refuse(rules::typescript::too_many_parameter_properties, node.span);
        }
    }

    fn visit_mut_call_expr(&mut self, node: &mut CallExpr) {
        self.super_calls += usize::from(node.callee.is_super_());
        node.visit_mut_children_with(self);
    }

    fn visit_mut_auto_accessor(&mut self, node: &mut AutoAccessor) {
        self.refuse_code(rules::typescript::auto_accessor, node.span);
        node.visit_mut_children_with(self);
    }

    fn visit_mut_decorator(&mut self, node: &mut Decorator) {
        self.refuse_code(rules::typescript::decorator, node.span);
        node.visit_mut_children_with(self);
    }

    fn visit_mut_var_decl(&mut self, node: &mut VarDecl) {
        for declarator in &mut node.decls {
            declarator.visit_mut_children_with(self);
            if node.kind != VarDeclKind::Const {
                continue;
            }
            if let (Pat::Ident(name), Some(value)) = (&mut declarator.name, &declarator.init)
                && !self.constants.add_variable(&name.id.sym, value)
            {
                // With a type, swc does not treat the variable as a constant.
                name.type_ann = Some(Box::new(any()));
            }
        }
    }

    fn visit_mut_ts_enum_decl(&mut self, node: &mut TsEnumDecl) {
        self.declare(&node.id);
        // Later runs may use it, so that it must exist.
        node.is_const = false;
        let name = node.id.clone();
        self.in_container(&name, &mut node.members);
        self.enums += 1;
        self.members += node.members.len();
        let is_bounded = node.members.iter().all(|member| match &member.init {
            Some(value) => self.constants.add_member(&member_name(&member.id), value),
            None => true,
        });
        if !is_bounded || self.enums.saturating_mul(self.members) > MAX_COMPARISONS {
            self.refuse(rules::typescript::enums_too_large, node.span);
        }
    }

    fn visit_mut_ts_module_decl(&mut self, node: &mut TsModuleDecl) {
        if node.declare || node.global {
            return self.in_ambient(&mut node.body);
        }
        let TsModuleName::Ident(name) = &node.id else {
            self.refuse_code(rules::typescript::quoted_module, node.span);
            return self.in_scope(&mut node.body);
        };
        self.declare(name);
        let name = name.clone();
        self.in_container(&name, &mut node.body);
    }

    fn visit_mut_ts_namespace_decl(&mut self, node: &mut TsNamespaceDecl) {
        self.declare(&node.id);
        let name = node.id.clone();
        self.in_container(&name, &mut node.body);
    }

    fn visit_mut_return_stmt(&mut self, node: &mut ReturnStmt) {
        if self.goal != Goal::HostModule && !self.containers.is_empty() && self.functions == 0 {
            self.refuse_code(rules::typescript::return_in_namespace, node.span);
        }
        node.visit_mut_children_with(self);
    }

    fn visit_mut_module_decl(&mut self, node: &mut ModuleDecl) {
        match node {
            ModuleDecl::TsImportEquals(import) if import.is_type_only => {}
            ModuleDecl::TsImportEquals(import) => {
                self.refuse_code(rules::typescript::import_equals, import.span);
            }
            ModuleDecl::TsExportAssignment(export) => {
                self.refuse_code(rules::typescript::export_assignment, export.span);
            }
            ModuleDecl::ExportDecl(export) if !export.decl.is_using() => {}
            _ if !self.containers.is_empty() => {
                self.refuse_code(rules::typescript::module_item_in_namespace, node.span());
            }
            _ => {}
        }
        node.visit_mut_children_with(self);
    }
}

/// What swc can take for the target of an assignment.
fn is_assignable(target: &Expr) -> bool {
    match target {
        Expr::Ident(_) | Expr::Member(_) | Expr::SuperProp(_) => true,
        Expr::Paren(inner) => is_assignable(&inner.expr),
        Expr::TsAs(inner) => is_assignable(&inner.expr),
        Expr::TsSatisfies(inner) => is_assignable(&inner.expr),
        Expr::TsNonNull(inner) => is_assignable(&inner.expr),
        Expr::TsTypeAssertion(inner) => is_assignable(&inner.expr),
        Expr::TsInstantiation(inner) => is_assignable(&inner.expr),
        _ => false,
    }
}

fn member_name(id: &TsEnumMemberId) -> String {
    match id {
        TsEnumMemberId::Ident(name) => name.sym.to_string(),
        TsEnumMemberId::Str(name) => name.value.to_string_lossy().into_owned(),
    }
}

fn any() -> TsTypeAnn {
    let kind = TsKeywordTypeKind::TsAnyKeyword;
    TsTypeAnn { span: DUMMY_SP, type_ann: Box::new(TsType::TsKeywordType(TsKeywordType { span: DUMMY_SP, kind })) }
}
