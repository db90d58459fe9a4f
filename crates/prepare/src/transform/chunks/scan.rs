//! Whether a loop can run in chunks: one look at its parts, which ends at the first thing that speaks against it.

use swc_ecma_ast::{
    AssignTarget, BindingIdent, CallExpr, Callee, Class, Decl, Expr, ForStmt, Function, GetterProp, Ident, MemberProp,
    OptChainBase, Pat, SetterProp, Stmt, UpdateExpr, VarDecl,
};
use swc_ecma_visit::{Visit, VisitWith};

use crate::analyze::assigned_name;

/// Nodes of a loop whose text may be doubled.
const MAX_NODES: u32 = 300;

/// Functions and methods of built-ins that take no callback. A function of the guest by such a name is all right, too:
/// its loops are guarded while the chunk is open, and that is all that this list is to avoid.
const BRIEF_FUNCTIONS: [&str; 8] =
    ["BigInt", "Boolean", "Number", "String", "isFinite", "isNaN", "parseFloat", "parseInt"];
const BRIEF_METHODS: [&str; 35] = [
    "add",
    "at",
    "charAt",
    "charCodeAt",
    "codePointAt",
    "concat",
    "delete",
    "endsWith",
    "exec",
    "fill",
    "fromCharCode",
    "fromCodePoint",
    "get",
    "getTime",
    "has",
    "includes",
    "indexOf",
    "isArray",
    "isInteger",
    "join",
    "lastIndexOf",
    "padEnd",
    "padStart",
    "pop",
    "push",
    "set",
    "slice",
    "startsWith",
    "substring",
    "test",
    "toFixed",
    "toLowerCase",
    "toString",
    "toUpperCase",
    "trim",
];

/// Nothing in the loop changes its variable or keeps it alive, leaves the loop unseen, stops in the middle of it, or
/// calls functions that may well have loops of their own. There is no loop inside.
pub(super) fn survey(node: &ForStmt, declaration: Option<&VarDecl>, variable: &Ident) -> Option<Survey> {
    let mut scan = Scan { variable, written: Vec::new(), nodes: 0, calls_allowed: true, refused: false };
    for declarator in declaration.iter().flat_map(|declaration| &declaration.decls) {
        declarator.init.visit_with(&mut scan);
    }
    scan.calls_allowed = false;
    node.test.visit_with(&mut scan);
    node.body.visit_with(&mut scan);
    (!scan.refused).then_some(Survey { written: scan.written, nodes: scan.nodes })
}

/// A loop that can run in chunks.
pub(super) struct Survey {
    /// The other names that its test and body declare or assign to.
    pub(super) written: Vec<Ident>,
    /// Its size.
    pub(super) nodes: u32,
}

struct Scan<'a> {
    variable: &'a Ident,
    written: Vec<Ident>,
    nodes: u32,
    calls_allowed: bool,
    refused: bool,
}

impl Scan<'_> {
    /// What declares a name or assigns to it.
    fn write(&mut self, name: &Ident) {
        self.refused |= name.sym == self.variable.sym;
        self.written.push(name.clone());
    }

    /// Goes on below `node` if `allowed`.
    fn descend<N: VisitWith<Self>>(&mut self, node: &N, allowed: bool) {
        self.nodes += 1;
        self.refused |= !allowed || self.nodes > MAX_NODES;
        if !self.refused {
            node.visit_children_with(self);
        }
    }

    fn is_brief(&self, call: &CallExpr) -> bool {
        let Callee::Expr(callee) = &call.callee else { return false };
        match &**callee {
            Expr::Ident(name) => BRIEF_FUNCTIONS.contains(&&*name.sym),
            Expr::Member(member) => match (&*member.obj, &member.prop) {
                (Expr::Ident(object), MemberProp::Ident(_)) if object.sym == "Math" => true,
                (_, MemberProp::Ident(method)) => BRIEF_METHODS.contains(&&*method.sym),
                _ => false,
            },
            _ => false,
        }
    }
}

impl Visit for Scan<'_> {
    fn visit_stmt(&mut self, node: &Stmt) {
        let allowed = match node {
            Stmt::Block(_)
            | Stmt::Break(_)
            | Stmt::Continue(_)
            | Stmt::Empty(_)
            | Stmt::Expr(_)
            | Stmt::If(_)
            | Stmt::Labeled(_)
            | Stmt::Return(_)
            | Stmt::Switch(_)
            | Stmt::Throw(_)
            | Stmt::Decl(Decl::Var(_)) => true,
            // `finally` could call a `return` off.
            _ => false,
        };
        self.descend(node, allowed);
    }

    fn visit_expr(&mut self, node: &Expr) {
        let allowed = match node {
            Expr::Array(_)
            | Expr::Assign(_)
            | Expr::Bin(_)
            | Expr::Cond(_)
            | Expr::Ident(_)
            | Expr::Lit(_)
            | Expr::Member(_)
            | Expr::MetaProp(_)
            | Expr::Object(_)
            | Expr::Paren(_)
            | Expr::PrivateName(_)
            | Expr::Seq(_)
            | Expr::SuperProp(_)
            | Expr::This(_)
            | Expr::Tpl(_)
            | Expr::Unary(_) => true,
            Expr::Update(UpdateExpr { arg, .. }) => {
                if let Some(name) = assigned_name(arg) {
                    self.write(name);
                }
                true
            }
            Expr::OptChain(chain) => matches!(&*chain.base, OptChainBase::Member(_)),
            Expr::Call(call) => self.calls_allowed || self.is_brief(call),
            Expr::New(_) => self.calls_allowed,
            _ => false,
        };
        self.descend(node, allowed);
    }

    fn visit_binding_ident(&mut self, node: &BindingIdent) {
        self.write(&node.id);
    }

    fn visit_assign_target(&mut self, node: &AssignTarget) {
        if let Some(name) = node.as_simple().and_then(|target| assigned_name(&target.as_paren()?.expr)) {
            self.write(name);
        }
        self.descend(node, true);
    }

    fn visit_pat(&mut self, node: &Pat) {
        if let Some(name) = node.as_expr().and_then(|target| assigned_name(target)) {
            self.write(name);
        }
        node.visit_children_with(self);
    }

    fn visit_function(&mut self, _: &Function) {
        self.refused = true;
    }

    fn visit_class(&mut self, _: &Class) {
        self.refused = true;
    }

    fn visit_getter_prop(&mut self, _: &GetterProp) {
        self.refused = true;
    }

    fn visit_setter_prop(&mut self, _: &SetterProp) {
        self.refused = true;
    }
}
