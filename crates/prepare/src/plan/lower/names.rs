//! The names that statements and patterns declare.

use std::collections::HashSet;

use swc_atoms::Atom;
use swc_ecma_ast::{
    Class, Decl, Expr, ForHead, Function, ObjectPatProp, Pat, Stmt, VarDecl, VarDeclKind, VarDeclarator,
};
use swc_ecma_visit::{Visit, VisitWith};

/// The names that a pattern binds.
pub(super) fn pattern_names(pat: &Pat, names: &mut Vec<Atom>) {
    match pat {
        Pat::Ident(name) => names.push(name.id.sym.clone()),
        Pat::Array(list) => list.elems.iter().flatten().for_each(|element| pattern_names(element, names)),
        Pat::Rest(rest) => pattern_names(&rest.arg, names),
        Pat::Object(object) => {
            for prop in &object.props {
                match prop {
                    ObjectPatProp::KeyValue(pair) => pattern_names(&pair.value, names),
                    ObjectPatProp::Assign(name) => names.push(name.key.id.sym.clone()),
                    ObjectPatProp::Rest(rest) => pattern_names(&rest.arg, names),
                }
            }
        }
        Pat::Assign(assign) => pattern_names(&assign.left, names),
        Pat::Expr(_) | Pat::Invalid(_) => {}
    }
}

pub(super) fn declared_names(declarators: &[VarDeclarator], names: &mut Vec<Atom>) {
    declarators.iter().for_each(|declarator| pattern_names(&declarator.name, names));
}

/// The names that `let`, `const`, `using`, `class` and `function` declare directly among the statements.
pub(super) fn lexical_names<'n>(statements: impl Iterator<Item = &'n Stmt>) -> Vec<Atom> {
    let mut names = Vec::new();
    for statement in statements {
        // A function may have labels.
        let mut inner = statement;
        while let Stmt::Labeled(labeled) = inner {
            inner = &labeled.body;
        }
        let Stmt::Decl(declaration) = inner else { continue };
        match declaration {
            Decl::Class(class) => names.push(class.ident.sym.clone()),
            Decl::Fn(function) => names.push(function.ident.sym.clone()),
            Decl::Var(variables) if variables.kind != VarDeclKind::Var => declared_names(&variables.decls, &mut names),
            Decl::Using(using) => declared_names(&using.decls, &mut names),
            _ => {}
        }
    }
    names
}

/// The names that `var` declares among the statements, at any depth, but not in functions.
pub(super) fn var_names<'n>(statements: impl Iterator<Item = &'n Stmt>) -> Vec<Atom> {
    struct Vars(Vec<Atom>);
    impl Visit for Vars {
        fn visit_var_decl(&mut self, node: &VarDecl) {
            if node.kind == VarDeclKind::Var {
                declared_names(&node.decls, &mut self.0);
            }
        }

        fn visit_for_head(&mut self, node: &ForHead) {
            if let ForHead::VarDecl(variables) = node {
                self.visit_var_decl(variables);
            }
        }

        // None is in these.
        fn visit_expr(&mut self, _: &Expr) {}

        fn visit_pat(&mut self, _: &Pat) {}

        fn visit_function(&mut self, _: &Function) {}

        fn visit_class(&mut self, _: &Class) {}
    }
    let mut vars = Vars(Vec::new());
    for statement in statements {
        statement.visit_with(&mut vars);
    }
    unique(vars.0)
}

/// The names without repetitions.
pub(super) fn unique(mut names: Vec<Atom>) -> Vec<Atom> {
    if names.len() > 1 {
        let mut seen = HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
    }
    names
}
