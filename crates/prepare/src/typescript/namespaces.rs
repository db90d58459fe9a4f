//! Lets each block of a namespace use the exports of other blocks of the same namespace, and each block of an enum the
//! members of other blocks.
//!
//! swc makes each block a separate function, and knows only the exports of that block. In `namespace N { export let a =
//! 1 } namespace N { f(a) }` it leaves `f(a)` unchanged. So names that another block exports are first rewritten to
//! members: `f(N.a)`.

use std::collections::{HashMap, HashSet};

use swc_atoms::Atom;
use swc_common::BytePos;
use swc_ecma_ast::*;
use swc_ecma_utils::{ExprFactory, QueryRef, RefRewriter};
use swc_ecma_visit::{Visit, VisitMut, VisitMutWith, VisitWith};

/// Needs resolved names.
pub(super) fn join(program: &mut Program) {
    let mut finder = Finder::default();
    program.visit_with(&mut finder);
    let Finder { names, homes, is_needed, .. } = finder;
    if is_needed {
        program.visit_mut_with(&mut Joiner(RefRewriter { query: Exports { names, homes, around: Vec::new() } }));
    }
}

/// Identifies a namespace or an enum: blocks with the same key are merged. An exported namespace is identified by the
/// namespace that exports it, because each block around it declares its name again.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    kind: Kind,
    root: Id,
    path: Vec<Atom>,
}

/// A namespace and an enum with the same name are one object, but the bodies of one do not see the names of the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Namespace,
    Enum,
}

/// A block that the visitor is in. The position of its name identifies it.
struct Block {
    name: Ident,
    key: Key,
    /// Members of an enum, which swc finds.
    members: HashSet<Atom>,
}

impl Key {
    /// The key of what is called `name`, directly in the blocks `around`.
    fn of(kind: Kind, name: &Ident, is_exported: bool, around: &[Block]) -> Self {
        match around.last() {
            Some(Block { key: Self { root, path, .. }, .. }) if is_exported => {
                let path = [path.as_slice(), std::slice::from_ref(&name.sym)].concat();
                Self { kind, root: root.clone(), path }
            }
            _ => Self { kind, root: name.to_id(), path: Vec::new() },
        }
    }
}

/// Finds the exports, and in which block each name is declared.
#[derive(Default)]
struct Finder {
    /// Names of values that the blocks export, and of members.
    names: HashMap<Key, HashSet<Atom>>,
    /// The position of the innermost block around each declaration in one.
    homes: HashMap<Id, BytePos>,
    around: Vec<Block>,
    is_exported: bool,
    /// Names in a pattern are assigned to, not declared.
    is_assigned: bool,
    /// Something has several blocks.
    is_needed: bool,
}

impl Finder {
    fn declare(&mut self, name: &Ident) {
        if let Some(Block { name: home, .. }) = self.around.last() {
            self.homes.insert(name.to_id(), home.span.lo);
        }
    }

    fn export(&mut self, name: &Ident) {
        if let Some(Block { key, .. }) = self.around.last() {
            self.names.entry(key.clone()).or_default().insert(name.sym.clone());
        }
    }

    /// Returns the key of a block that begins.
    fn begin(&mut self, kind: Kind, name: &Ident) -> Key {
        self.declare(name);
        let is_exported = std::mem::take(&mut self.is_exported);
        if is_exported {
            self.export(name);
        }
        let key = Key::of(kind, name, is_exported, &self.around);
        self.is_needed |= self.names.contains_key(&key);
        self.names.entry(key.clone()).or_default();
        key
    }

    fn enter(&mut self, name: &Ident, body: &TsNamespaceBody) {
        let key = self.begin(Kind::Namespace, name);
        self.around.push(Block { name: name.clone(), key, members: HashSet::new() });
        match body {
            TsNamespaceBody::TsModuleBlock(block) => block.visit_with(self),
            TsNamespaceBody::TsNamespaceDecl(inner) => {
                self.is_exported = true;
                self.enter(&inner.id, &inner.body);
            }
        }
        self.around.pop();
    }
}

impl Visit for Finder {
    fn visit_ts_module_decl(&mut self, node: &TsModuleDecl) {
        if let (TsModuleName::Ident(name), Some(body)) = (&node.id, &node.body) {
            self.enter(name, body);
        }
    }

    fn visit_export_decl(&mut self, node: &ExportDecl) {
        match &node.decl {
            Decl::Var(declaration) => {
                let mut names = Names::default();
                declaration.decls.iter().for_each(|declarator| declarator.name.visit_with(&mut names));
                names.0.iter().for_each(|name| self.export(name));
            }
            Decl::Fn(declaration) => self.export(&declaration.ident),
            Decl::Class(declaration) => self.export(&declaration.ident),
            Decl::TsEnum(_) | Decl::TsModule(_) => self.is_exported = true,
            Decl::Using(_) | Decl::TsInterface(_) | Decl::TsTypeAlias(_) => {}
        }
        node.visit_children_with(self);
        self.is_exported = false;
    }

    fn visit_binding_ident(&mut self, node: &BindingIdent) {
        if !self.is_assigned {
            self.declare(&node.id);
        }
    }

    fn visit_simple_assign_target(&mut self, node: &SimpleAssignTarget) {
        if !node.is_ident() {
            node.visit_children_with(self);
        }
    }

    fn visit_assign_target_pat(&mut self, node: &AssignTargetPat) {
        let outer = std::mem::replace(&mut self.is_assigned, true);
        node.visit_children_with(self);
        self.is_assigned = outer;
    }

    fn visit_for_head(&mut self, node: &ForHead) {
        let outer = std::mem::replace(&mut self.is_assigned, node.is_pat());
        node.visit_children_with(self);
        self.is_assigned = outer;
    }

    fn visit_expr(&mut self, node: &Expr) {
        let outer = std::mem::replace(&mut self.is_assigned, false);
        node.visit_children_with(self);
        self.is_assigned = outer;
    }

    fn visit_fn_decl(&mut self, node: &FnDecl) {
        self.declare(&node.ident);
        node.visit_children_with(self);
    }

    fn visit_class_decl(&mut self, node: &ClassDecl) {
        self.declare(&node.ident);
        node.visit_children_with(self);
    }

    fn visit_fn_expr(&mut self, node: &FnExpr) {
        node.ident.iter().for_each(|name| self.declare(name));
        node.visit_children_with(self);
    }

    fn visit_class_expr(&mut self, node: &ClassExpr) {
        node.ident.iter().for_each(|name| self.declare(name));
        node.visit_children_with(self);
    }

    fn visit_ts_enum_decl(&mut self, node: &TsEnumDecl) {
        let key = self.begin(Kind::Enum, &node.id);
        self.names.entry(key).or_default().extend(members(node));
        node.visit_children_with(self);
    }

    fn visit_ts_type(&mut self, _: &TsType) {}
}

/// The members of an enum that code in it can name.
fn members(node: &TsEnumDecl) -> HashSet<Atom> {
    let name = |member: &TsEnumMember| match &member.id {
        TsEnumMemberId::Ident(name) => Some(name.sym.clone()),
        TsEnumMemberId::Str(name) => name.value.as_str().map(Atom::from),
    };
    node.members.iter().filter_map(name).collect()
}

/// The names that a pattern declares.
#[derive(Default)]
struct Names(Vec<Ident>);

impl Visit for Names {
    fn visit_binding_ident(&mut self, node: &BindingIdent) {
        self.0.push(node.id.clone());
    }

    fn visit_expr(&mut self, _: &Expr) {}
}

/// What the names in the blocks around mean.
struct Exports {
    names: HashMap<Key, HashSet<Atom>>,
    homes: HashMap<Id, BytePos>,
    around: Vec<Block>,
}

impl QueryRef for Exports {
    fn query_ref(&self, name: &Ident) -> Option<Box<Expr>> {
        let home = self.homes.get(&name.to_id()).copied();
        for Block { name: block, key, members } in self.around.iter().rev() {
            if home == Some(block.span.lo) || members.contains(&name.sym) {
                return None;
            }
            if self.names.get(key).is_some_and(|names| names.contains(&name.sym)) {
                let object = Ident { span: name.span, ..block.clone() };
                let member = object.make_member(IdentName::new(name.sym.clone(), name.span));
                return Some(Box::new(MemberExpr { span: name.span, ..member }.into()));
            }
        }
        None
    }

    fn query_lhs(&self, name: &Ident) -> Option<Box<Expr>> {
        self.query_ref(name)
    }
}

struct Joiner(RefRewriter<Exports>);

impl Joiner {
    fn enter(&mut self, name: &Ident, is_exported: bool, body: &mut TsNamespaceBody) {
        let key = Key::of(Kind::Namespace, name, is_exported, &self.0.query.around);
        self.0.query.around.push(Block { name: name.clone(), key, members: HashSet::new() });
        match body {
            TsNamespaceBody::TsModuleBlock(block) => block.visit_mut_with(self),
            TsNamespaceBody::TsNamespaceDecl(inner) => self.enter(&inner.id, true, &mut inner.body),
        }
        self.0.query.around.pop();
    }

    fn enter_enum(&mut self, node: &mut TsEnumDecl, is_exported: bool) {
        let key = Key::of(Kind::Enum, &node.id, is_exported, &self.0.query.around);
        self.0.query.around.push(Block { name: node.id.clone(), key, members: members(node) });
        node.members.visit_mut_with(self);
        self.0.query.around.pop();
    }
}

impl VisitMut for Joiner {
    fn visit_mut_export_decl(&mut self, node: &mut ExportDecl) {
        match &mut node.decl {
            Decl::TsModule(declaration) => {
                if let (TsModuleName::Ident(name), Some(body)) = (&declaration.id, &mut declaration.body) {
                    self.enter(name, true, body);
                }
            }
            Decl::TsEnum(declaration) => self.enter_enum(declaration, true),
            declaration => declaration.visit_mut_children_with(self),
        }
    }

    fn visit_mut_ts_enum_decl(&mut self, node: &mut TsEnumDecl) {
        self.enter_enum(node, false);
    }

    fn visit_mut_ts_module_decl(&mut self, node: &mut TsModuleDecl) {
        if let (TsModuleName::Ident(name), Some(body)) = (&node.id, &mut node.body) {
            self.enter(name, false, body);
        }
    }

    fn visit_mut_prop(&mut self, node: &mut Prop) {
        node.visit_mut_children_with(self);
        self.0.exit_prop(node);
    }

    fn visit_mut_pat(&mut self, node: &mut Pat) {
        node.visit_mut_children_with(self);
        self.0.exit_pat(node);
    }

    fn visit_mut_expr(&mut self, node: &mut Expr) {
        node.visit_mut_children_with(self);
        self.0.exit_expr(node);
    }

    fn visit_mut_simple_assign_target(&mut self, node: &mut SimpleAssignTarget) {
        node.visit_mut_children_with(self);
        self.0.exit_simple_assign_target(node);
    }

    fn visit_mut_object_pat_prop(&mut self, node: &mut ObjectPatProp) {
        node.visit_mut_children_with(self);
        self.0.exit_object_pat_prop(node);
    }

    fn visit_mut_ts_type(&mut self, _: &mut TsType) {}
}
