//! Cells: variables of earlier programs that other code may hold on to.
//!
//! A session has one variable for such a name, even if a later program declares it again. The functions of all programs
//! share it. `let x = 7; f(x);` becomes `__smol_1.x = 7; (0, __smol_2.f)(__smol_1.x);` after `const __smol_1 =
//! __smol_cell("x", "let"), __smol_2 = __smol_cell("f");`. The prototype of each of these objects has accessors for
//! that one name. V8 compiles these accessors to the reads and writes that they make, but it calls accessors of the
//! global.
//!
//! A constant that the program declares has two such objects: one that sets its value, and one that refuses all other
//! writes.
//!
//! Two uses keep the plain name: `typeof` of a name that is not declared, since the name may not exist, and a name that
//! is destructured as an array.
//!
//! A `var` stays declared, although nothing names the variable of the function: V8 decides whether the declaration is
//! allowed there.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;
use std::mem;

use swc_common::{DUMMY_SP, GLOBALS, Globals, Mark, Spanned, SyntaxContext};
use swc_ecma_ast::{
    AssignExpr, AssignOp, AssignPat, AssignTarget, AssignTargetPat, CallExpr, Callee, CatchClause, ClassDecl,
    ClassExpr, Decl, Expr, FnDecl, FnExpr, ForHead, ForInStmt, ForOfStmt, ForStmt, Ident, KeyValuePatProp,
    KeyValueProp, MemberExpr, MemberProp, Module, ModuleItem, ObjectLit, ObjectPatProp, OptCall, Pat, Program, Prop,
    PropName, PropOrSpread, SeqExpr, SimpleAssignTarget, Stmt, TaggedTpl, UnaryExpr, UnaryOp, VarDecl, VarDeclKind,
    VarDeclOrExpr, VarDeclarator,
};
use swc_ecma_transforms_base::resolver;
use swc_ecma_visit::{VisitMut, VisitMutWith};

use super::super::analyze::{Cell, Kind};
use super::nodes;
use super::patterns::names_in;

/// The prefix of the objects' names, before their number.
const PREFIX: &str = "__smol_";

/// The code before a program that names cells.
#[derive(Default)]
pub(super) struct Reached {
    /// Declares the objects.
    pub(super) head: String,
    /// Assigns the program's function declarations to their cells, which have them from the start.
    pub(super) functions: Vec<Stmt>,
}

/// Replaces each use and declaration of `cells` in a program.
pub(super) fn reach(cells: &[Cell], body: &mut Vec<Stmt>) -> Reached {
    if cells.is_empty() {
        return Reached::default();
    }
    let mut head = String::new();
    let mut by_name = HashMap::with_capacity(cells.len());
    let mut count = 0;
    let mut object_of = |name: &str, how: &str| {
        count += 1;
        let object = format!("{PREFIX}{count}");
        let start = if head.is_empty() { "const" } else { "," };
        // Writing to a String does not fail.
        let _ = write!(head, "{start} {object} = __smol_cell(\"{name}\"{how})");
        object
    };
    for Cell { name, kind } in cells {
        let declaring = object_of(
            name,
            match kind {
                None => "",
                Some(Kind::Var) => ", \"var\"",
                Some(Kind::Const) => ", \"const\"",
                Some(_) => ", \"let\"",
            },
        );
        let using = match kind {
            Some(Kind::Const) => object_of(name, ", \"refused\""),
            _ => declaring.clone(),
        };
        by_name.insert(&**name, Place { declaring, using, is_foreign: kind.is_none() });
    }
    head.push_str("; ");
    let functions = GLOBALS.set(&Globals::default(), || {
        let (unresolved, top) = (Mark::new(), Mark::new());
        let items = mem::take(body).into_iter().map(ModuleItem::Stmt).collect();
        let mut program = Program::Module(Module { span: DUMMY_SP, body: items, shebang: None });
        program.mutate(resolver(unresolved, top, false));
        body.extend(program.expect_module().body.into_iter().filter_map(ModuleItem::stmt));
        let contexts = [unresolved, top].map(|mark| SyntaxContext::empty().apply_mark(mark));
        let mut reacher =
            Reacher { cells: by_name, contexts, is_declaring: false, shadowed: Vec::new(), functions: Vec::new() };
        body.visit_mut_with(&mut reacher);
        reacher.functions
    });
    Reached { head, functions }
}

/// Rewrites a message of V8 in terms of the program as it was written: `(0 , __smol_2.f)` becomes `f`, and
/// `__smol_import` becomes `import`.
pub fn guest_text(text: &str) -> Cow<'_, str> {
    let mut rest = text;
    let mut out = String::new();
    while let Some((before, after)) = rest.split_once(PREFIX) {
        if after.strip_prefix("import").is_some_and(|next| !next.starts_with(Ident::is_valid_continue)) {
            out.push_str(before);
            rest = after;
            continue;
        }
        let number = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let Some(name) = after[number..].strip_prefix('.').filter(|_| number > 0) else {
            out.push_str(before);
            out.push_str(PREFIX);
            rest = after;
            continue;
        };
        match before.strip_suffix("(0 , ") {
            Some(before) => {
                let (callee, after_callee) = name.split_once(')').unwrap_or((name, ""));
                out.push_str(before);
                out.push_str(callee);
                rest = after_callee;
            }
            None => {
                out.push_str(before);
                rest = name;
            }
        }
    }
    if out.is_empty() && rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

struct Place {
    /// The object through which the program's declaration sets the cell's value.
    declaring: String,
    /// The object for all other uses.
    using: String,
    /// The program does not declare it.
    is_foreign: bool,
}

struct Reacher<'c> {
    cells: HashMap<&'c str, Place>,
    /// The contexts of names that are global, or the program's own.
    contexts: [SyntaxContext; 2],
    /// Inside a declaring pattern.
    is_declaring: bool,
    /// Names with another meaning around the node: inside a class declaration, its name refers to the class; inside a
    /// `catch`, `var` of the caught name assigns to that.
    shadowed: Vec<Ident>,
    functions: Vec<Stmt>,
}

impl Reacher<'_> {
    fn place(&self, name: &Ident) -> Option<&Place> {
        let place = self.cells.get(&*name.sym)?;
        let is_shadowed = || self.shadowed.iter().any(|other| other.sym == name.sym);
        (self.contexts.contains(&name.ctxt) && !is_shadowed()).then_some(place)
    }

    /// `__smol_1.x`
    fn member(&self, name: &Ident) -> Option<MemberExpr> {
        let Place { declaring, using, .. } = self.place(name)?;
        let obj = nodes::name(if self.is_declaring { declaring } else { using }, name.span);
        Some(MemberExpr { span: name.span, obj, prop: MemberProp::Ident(name.clone().into()) })
    }

    /// Whether a name is a cell that the program does not declare.
    fn is_foreign(&self, name: &Ident) -> bool {
        self.place(name).is_some_and(|place| place.is_foreign)
    }

    /// Visits a value that is assigned to a pattern or name. V8 says `x is not iterable` only for a plain name.
    fn visit_value(&mut self, value: &mut Expr, is_iterated: bool) {
        if !(is_iterated && matches!(value, Expr::Ident(name) if self.is_foreign(name))) {
            value.visit_mut_with(self);
        }
    }

    /// `(0, __smol_1.x)`: a function called by its name has no `this`. The name has no length, which tells the printer
    /// that the call is at the name.
    fn visit_callee(&mut self, callee: &mut Box<Expr>) {
        let member = match bare(callee) {
            Expr::Ident(name) => {
                let span = name.span.shrink_to_lo();
                self.member(&Ident { span, ..name.clone() })
            }
            _ => None,
        };
        let Some(member) = member else {
            callee.visit_mut_with(self);
            return;
        };
        let span = member.span;
        let exprs = vec![nodes::number(0.0), Box::new(Expr::Member(member))];
        *callee = nodes::parenthesized(Box::new(Expr::Seq(SeqExpr { span, exprs })));
    }

    /// Whether a declarator declares a cell, possibly among other names.
    fn has_cell(&self, declarator: &VarDeclarator) -> bool {
        names_in(&declarator.name).any(|name| self.place(name).is_some())
    }

    fn has_cells(&self, declaration: &VarDecl) -> bool {
        declaration.decls.iter().any(|declarator| self.has_cell(declarator))
    }

    /// A declaration that names a cell, as statements. Other names stay declared.
    fn statements_of(&mut self, declaration: VarDecl) -> Vec<Stmt> {
        let kind = declaration.kind;
        let mut statements = Vec::new();
        for mut declarator in declaration.decls {
            if !self.has_cell(&declarator) {
                declarator.visit_mut_with(self);
                statements.push(nodes::declare(kind, vec![declarator], DUMMY_SP));
                continue;
            }
            statements.extend(self.declarations(kind, names_in(&declarator.name)));
            // Where V8 reports an error in the value of a declaration.
            let span = declarator.init.as_ref().map_or(declarator.span, |value| value.span());
            if let Some(assignment) = self.assignment(declarator, kind) {
                statements.push(nodes::value_statement(assignment, span));
            }
        }
        statements
    }

    /// Declares the names in `names` that are not cells; with `var`, all of them.
    fn declarations<'n>(&self, kind: VarDeclKind, names: impl Iterator<Item = &'n Ident>) -> Option<Stmt> {
        let is_var = kind == VarDeclKind::Var;
        let names = names.filter(|name| is_var || self.place(name).is_none());
        let declarators: Vec<_> = names.map(|name| nodes::declarator(name.clone().into(), None, DUMMY_SP)).collect();
        let kind = if is_var { kind } else { VarDeclKind::Let };
        (!declarators.is_empty()).then(|| nodes::declare(kind, declarators, DUMMY_SP))
    }

    /// The assignment of a declaration with cells; nothing for a `var` without a value.
    fn assignment(&mut self, declarator: VarDeclarator, kind: VarDeclKind) -> Option<Box<Expr>> {
        let VarDeclarator { span, name, init, .. } = declarator;
        let mut value = match init {
            Some(value) => value,
            None if kind == VarDeclKind::Var => return None,
            None => nodes::undefined(),
        };
        self.visit_value(&mut value, name.is_array());
        let left = self.declared(name, &mut value)?;
        Some(Box::new(Expr::Assign(AssignExpr { span, op: AssignOp::Assign, left, right: value })))
    }

    /// A declaring pattern as an assigning one.
    fn declared(&mut self, mut pattern: Pat, value: &mut Box<Expr>) -> Option<AssignTarget> {
        if let Pat::Ident(name) = &pattern {
            self.give_name(name, value);
        }
        let outer = mem::replace(&mut self.is_declaring, true);
        pattern.visit_mut_with(self);
        self.is_declaring = outer;
        match pattern {
            Pat::Ident(name) => Some(AssignTarget::Simple(SimpleAssignTarget::Ident(name))),
            Pat::Expr(target) => SimpleAssignTarget::try_from(target).ok().map(AssignTarget::Simple),
            Pat::Array(pattern) => Some(AssignTarget::Pat(AssignTargetPat::Array(pattern))),
            Pat::Object(pattern) => Some(AssignTarget::Pat(AssignTargetPat::Object(pattern))),
            Pat::Rest(_) | Pat::Assign(_) | Pat::Invalid(_) => None,
        }
    }

    /// `var i = 0, n = 9` at the head of a loop, as an expression.
    fn assignments(&mut self, declaration: VarDecl) -> Option<Box<Expr>> {
        let VarDecl { span, kind, decls, .. } = declaration;
        let mut exprs: Vec<_> = decls.into_iter().filter_map(|one| self.assignment(one, kind)).collect();
        match exprs.len() {
            0 | 1 => exprs.pop(),
            _ => Some(Box::new(Expr::Seq(SeqExpr { span, exprs }))),
        }
    }

    /// A function or class without a name gets the name of the variable that it is assigned to: `{ x: () => 1 }.x`
    fn give_name(&self, name: &Ident, value: &mut Box<Expr>) {
        if self.place(name).is_none() || !is_anonymous(value) {
            return;
        }
        let span = value.span();
        let property = KeyValueProp { key: PropName::Ident(name.clone().into()), value: take(value) };
        let props = vec![PropOrSpread::Prop(Box::new(Prop::KeyValue(property)))];
        let obj = nodes::parenthesized(Box::new(Expr::Object(ObjectLit { span, props })));
        **value = Expr::Member(MemberExpr { span, obj, prop: MemberProp::Ident(name.clone().into()) });
    }

    /// Visits the contents of a statement. Labels stay at their loop.
    fn visit_inside_labels(&mut self, statement: &mut Stmt) {
        match statement {
            Stmt::Labeled(labeled) if nodes::loop_of(&labeled.body).is_some() => {
                self.visit_inside_labels(&mut labeled.body)
            }
            other => other.visit_mut_children_with(self),
        }
    }

    /// The statements that replace a declaration at the program's top level; the statement itself if no cell is
    /// involved.
    fn expand(&mut self, statement: Stmt, out: &mut Vec<Stmt>) {
        match statement {
            Stmt::Decl(Decl::Var(declaration)) if self.has_cells(&declaration) => {
                out.append(&mut self.statements_of(*declaration));
            }
            Stmt::Decl(Decl::Fn(FnDecl { ident, mut function, .. })) if self.place(&ident).is_some() => {
                function.visit_mut_with(self);
                let span = function.span;
                let Some(target) = self.member(&ident) else { return };
                let value = Box::new(Expr::Fn(FnExpr { ident: Some(ident), function }));
                self.functions.push(nodes::assign_statement(target.into(), value, span));
            }
            Stmt::Decl(Decl::Class(ClassDecl { ident, mut class, .. })) if self.place(&ident).is_some() => {
                let Some(target) = self.member(&ident) else { return };
                self.shadowed.push(ident.clone());
                class.visit_mut_with(self);
                self.shadowed.pop();
                let span = class.span;
                let value = Box::new(Expr::Class(ClassExpr { ident: Some(ident), class }));
                out.push(nodes::assign_statement(target.into(), value, span));
            }
            mut other => {
                let head = nodes::loop_of(&other).and_then(declared_at_head);
                if let Some(declaration) = head.filter(|declaration| self.has_cells(declaration)) {
                    let names = declaration.decls.iter().flat_map(|declarator| names_in(&declarator.name));
                    out.extend(self.declarations(declaration.kind, names));
                }
                self.visit_inside_labels(&mut other);
                out.push(other);
            }
        }
    }
}

impl VisitMut for Reacher<'_> {
    fn visit_mut_stmts(&mut self, node: &mut Vec<Stmt>) {
        let mut out = Vec::with_capacity(node.len());
        for statement in mem::take(node) {
            self.expand(statement, &mut out);
        }
        *node = out;
    }

    fn visit_mut_stmt(&mut self, node: &mut Stmt) {
        let mut out = Vec::new();
        self.expand(mem::replace(node, nodes::empty()), &mut out);
        *node = match out.pop() {
            Some(single) if out.is_empty() => single,
            Some(last) => {
                out.push(last);
                Stmt::Block(nodes::block(DUMMY_SP, out))
            }
            None => nodes::empty(),
        };
    }

    fn visit_mut_catch_clause(&mut self, node: &mut CatchClause) {
        let outer = self.shadowed.len();
        self.shadowed.extend(node.param.iter().flat_map(names_in).cloned());
        node.visit_mut_children_with(self);
        self.shadowed.truncate(outer);
    }

    fn visit_mut_var_decl_or_expr(&mut self, node: &mut VarDeclOrExpr) {
        match node {
            VarDeclOrExpr::VarDecl(declaration) if self.has_cells(declaration) => {
                let expression = self.assignments(mem::take(declaration));
                *node = VarDeclOrExpr::Expr(expression.unwrap_or_else(nodes::undefined));
            }
            _ => node.visit_mut_children_with(self),
        }
    }

    fn visit_mut_for_head(&mut self, node: &mut ForHead) {
        let pattern = match node {
            ForHead::VarDecl(declaration) if self.has_cells(declaration) => {
                declaration.decls.pop().map(|declarator| declarator.name)
            }
            _ => None,
        };
        if let Some(pattern) = pattern {
            *node = ForHead::Pat(Box::new(pattern));
        }
        node.visit_mut_children_with(self);
    }

    fn visit_mut_expr(&mut self, node: &mut Expr) {
        // A default in a pattern declares nothing.
        let outer = mem::replace(&mut self.is_declaring, false);
        match node {
            Expr::Ident(name) => {
                if let Some(member) = self.member(name) {
                    *node = Expr::Member(member);
                }
            }
            _ => node.visit_mut_children_with(self),
        }
        self.is_declaring = outer;
    }

    fn visit_mut_unary_expr(&mut self, node: &mut UnaryExpr) {
        let stays = matches!(bare(&node.arg), Expr::Ident(name) if self.is_foreign(name));
        if node.op != UnaryOp::TypeOf || !stays {
            node.visit_mut_children_with(self);
        }
    }

    fn visit_mut_var_declarator(&mut self, node: &mut VarDeclarator) {
        if let Some(value) = &mut node.init {
            self.visit_value(value, node.name.is_array());
        }
        node.name.visit_mut_with(self);
    }

    fn visit_mut_assign_expr(&mut self, node: &mut AssignExpr) {
        self.visit_value(&mut node.right, matches!(node.left, AssignTarget::Pat(AssignTargetPat::Array(_))));
        let gives_name =
            matches!(node.op, AssignOp::Assign | AssignOp::AndAssign | AssignOp::OrAssign | AssignOp::NullishAssign);
        if let AssignTarget::Simple(SimpleAssignTarget::Ident(name)) = &node.left
            && gives_name
        {
            self.give_name(name, &mut node.right);
        }
        node.left.visit_mut_with(self);
    }

    fn visit_mut_simple_assign_target(&mut self, node: &mut SimpleAssignTarget) {
        match node {
            SimpleAssignTarget::Ident(name) => {
                if let Some(member) = self.member(name) {
                    *node = SimpleAssignTarget::Member(member);
                }
            }
            _ => node.visit_mut_children_with(self),
        }
    }

    fn visit_mut_pat(&mut self, node: &mut Pat) {
        match node {
            Pat::Ident(name) => {
                if let Some(member) = self.member(name) {
                    *node = Pat::Expr(Box::new(Expr::Member(member)));
                }
            }
            _ => node.visit_mut_children_with(self),
        }
    }

    fn visit_mut_assign_pat(&mut self, node: &mut AssignPat) {
        node.right.visit_mut_with(self);
        if let Pat::Ident(name) = &*node.left {
            self.give_name(name, &mut node.right);
        }
        node.left.visit_mut_with(self);
    }

    fn visit_mut_object_pat_prop(&mut self, node: &mut ObjectPatProp) {
        let ObjectPatProp::Assign(property) = node else {
            node.visit_mut_children_with(self);
            return;
        };
        property.value.visit_mut_with(self);
        let Some(member) = self.member(&property.key) else { return };
        let name = property.key.id.clone();
        let mut value = Box::new(Pat::Expr(Box::new(Expr::Member(member))));
        if let Some(mut right) = property.value.take() {
            self.give_name(&name, &mut right);
            *value = Pat::Assign(AssignPat { span: property.span, left: value.clone(), right });
        }
        *node = ObjectPatProp::KeyValue(KeyValuePatProp { key: PropName::Ident(name.into()), value });
    }

    fn visit_mut_prop(&mut self, node: &mut Prop) {
        match node {
            Prop::Shorthand(name) => {
                if let Some(member) = self.member(name) {
                    let key = PropName::Ident(name.clone().into());
                    *node = Prop::KeyValue(KeyValueProp { key, value: Box::new(Expr::Member(member)) });
                }
            }
            _ => node.visit_mut_children_with(self),
        }
    }

    fn visit_mut_call_expr(&mut self, node: &mut CallExpr) {
        match &mut node.callee {
            Callee::Expr(callee) => self.visit_callee(callee),
            other => other.visit_mut_with(self),
        }
        node.args.visit_mut_with(self);
    }

    fn visit_mut_opt_call(&mut self, node: &mut OptCall) {
        self.visit_callee(&mut node.callee);
        node.args.visit_mut_with(self);
    }

    fn visit_mut_tagged_tpl(&mut self, node: &mut TaggedTpl) {
        self.visit_callee(&mut node.tag);
        node.tpl.visit_mut_with(self);
    }
}

/// The declaration at the head of a loop.
fn declared_at_head(statement: &Stmt) -> Option<&VarDecl> {
    match statement {
        Stmt::For(ForStmt { init: Some(VarDeclOrExpr::VarDecl(declaration)), .. })
        | Stmt::ForIn(ForInStmt { left: ForHead::VarDecl(declaration), .. })
        | Stmt::ForOf(ForOfStmt { left: ForHead::VarDecl(declaration), .. }) => Some(declaration),
        _ => None,
    }
}

/// An expression without parentheses around it.
fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) => bare(&inner.expr),
        _ => expression,
    }
}

fn is_anonymous(value: &Expr) -> bool {
    match bare(value) {
        Expr::Arrow(_) => true,
        Expr::Fn(function) => function.ident.is_none(),
        Expr::Class(class) => class.ident.is_none(),
        _ => false,
    }
}

fn take(value: &mut Box<Expr>) -> Box<Expr> {
    mem::replace(value, nodes::undefined())
}
