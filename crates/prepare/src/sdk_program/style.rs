//! The style of a program: whether it awaits promises, and which names it declares itself.

use swc_ecma_ast::{
    AwaitExpr, BindingIdent, CallExpr, Callee, ClassDecl, ClassExpr, Expr, FnDecl, FnExpr, ForOfStmt, MemberExpr,
    MemberProp, Module,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::CallStyle;

/// What [`survey`] finds.
pub(super) struct Survey {
    pub(super) style: CallStyle,
    /// Whether `sdk` is the global everywhere in the program.
    pub(super) has_sdk: bool,
    /// The same for `utils`.
    pub(super) has_utils: bool,
}

/// A program that awaits anything but `utils.parallel`, or that uses `Promise` or `then`, is written for promises.
pub(super) fn survey(module: &Module) -> Survey {
    let mut surveyor = Surveyor { awaits: false, has_sdk: true, has_utils: true };
    module.visit_with(&mut surveyor);
    let Surveyor { awaits, has_sdk, has_utils } = surveyor;
    Survey { style: if awaits { CallStyle::Async } else { CallStyle::Sync }, has_sdk, has_utils }
}

/// `sdk.source.method(…)`, with any form of key.
pub(super) fn is_sdk_call(call: &CallExpr) -> bool {
    let Some(method) = called_member(call) else { return false };
    let Expr::Member(source) = unwrapped(&method.obj) else { return false };
    is_name(&source.obj, "sdk")
}

/// `utils.parallel(…)`.
pub(super) fn is_parallel_call(call: &CallExpr) -> bool {
    called_member(call).is_some_and(|member| is_name(&member.obj, "utils") && is_property(member, "parallel"))
}

/// A function literal, in parentheses or not.
pub(super) fn is_function(expr: &Expr) -> bool {
    matches!(unwrapped(expr), Expr::Fn(_) | Expr::Arrow(_))
}

pub(super) fn unwrapped(expr: &Expr) -> &Expr {
    let mut inner = expr;
    while let Expr::Paren(parentheses) = inner {
        inner = &parentheses.expr;
    }
    inner
}

fn called_member(call: &CallExpr) -> Option<&MemberExpr> {
    match &call.callee {
        Callee::Expr(callee) => callee.as_member(),
        _ => None,
    }
}

fn is_name(expr: &Expr, name: &str) -> bool {
    expr.as_ident().is_some_and(|ident| ident.sym == *name)
}

fn is_property(member: &MemberExpr, name: &str) -> bool {
    matches!(&member.prop, MemberProp::Ident(property) if property.sym == *name)
}

struct Surveyor {
    awaits: bool,
    has_sdk: bool,
    has_utils: bool,
}

impl Surveyor {
    fn declares(&mut self, name: &str) {
        self.has_sdk &= name != "sdk";
        self.has_utils &= name != "utils";
    }
}

impl Visit for Surveyor {
    fn visit_await_expr(&mut self, node: &AwaitExpr) {
        let is_parallel = matches!(unwrapped(&node.arg), Expr::Call(call) if is_parallel_call(call));
        self.awaits |= !is_parallel;
        node.visit_children_with(self);
    }

    fn visit_for_of_stmt(&mut self, node: &ForOfStmt) {
        self.awaits |= node.is_await;
        node.visit_children_with(self);
    }

    fn visit_expr(&mut self, node: &Expr) {
        self.awaits |= is_name(node, "Promise");
        node.visit_children_with(self);
    }

    fn visit_call_expr(&mut self, node: &CallExpr) {
        if let Some(member) = called_member(node) {
            let is_chained = ["then", "catch", "finally"].iter().any(|name| is_property(member, name));
            self.awaits |= is_chained && matches!(unwrapped(&member.obj), Expr::Call(call) if is_sdk_call(call));
        }
        node.visit_children_with(self);
    }

    fn visit_binding_ident(&mut self, node: &BindingIdent) {
        self.declares(&node.id.sym);
    }

    fn visit_fn_decl(&mut self, node: &FnDecl) {
        self.declares(&node.ident.sym);
        node.visit_children_with(self);
    }

    fn visit_fn_expr(&mut self, node: &FnExpr) {
        if let Some(ident) = &node.ident {
            self.declares(&ident.sym);
        }
        node.visit_children_with(self);
    }

    fn visit_class_decl(&mut self, node: &ClassDecl) {
        self.declares(&node.ident.sym);
        node.visit_children_with(self);
    }

    fn visit_class_expr(&mut self, node: &ClassExpr) {
        if let Some(ident) = &node.ident {
            self.declares(&ident.sym);
        }
        node.visit_children_with(self);
    }
}
