//! Top-level bindings outlive the run, on the global.
//!
//! Those that other code may meet while the program runs stay what they are, and accessors to them are there from the
//! start: `__smol_declare({ get x() { return x; }, set x(__smol_v) { x = __smol_v; }, … }, ["v"]);`. Constants have no
//! setter; the array names what `var` declares.
//!
//! An accessor makes V8 keep its variable in memory, where a loop is slower than in registers. So the others become
//! variables of the function, and their values are handed over when it ends, in whatever way:
//!
//! ```text
//! let __smol_at = 0; try { …
//! var x = 1;
//! __smol_at = 1;
//! … } finally { __smol_keep(__smol_at, ["x", 1, x, …]); }
//! ```
//!
//! `__smol_at` says which declarations were reached. The array has for each binding its name, the number of its
//! declaration (0 for what is declared by `var`, negative for constants), and its value.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use swc_common::{DUMMY_SP, Spanned};
use swc_ecma_ast::{Decl, ExprStmt, SimpleAssignTarget, Stmt, VarDecl, VarDeclKind, VarDeclarator};

use super::super::analyze::{Binding, Kind};
use super::nodes;

/// What stands before and behind a program's own statements.
pub(in super::super) struct Publication {
    pub(in super::super) before: String,
    pub(in super::super) after: String,
}

/// Makes variables of the function of what is deferred in `body`, and has all bindings handed over.
pub(in super::super) fn publish(bindings: &[Binding], body: &mut Vec<Stmt>) -> Publication {
    let declaration = declaration(bindings);
    if !bindings.iter().any(|binding| binding.is_deferred) {
        return Publication { before: declaration, after: String::new() };
    }
    let reached = note_declarations(bindings, body);
    let mut kept = String::new();
    for Binding { name, kind, .. } in bindings.iter().filter(|binding| binding.is_deferred) {
        let separator = if kept.is_empty() { "" } else { ", " };
        let sign = if *kind == Kind::Const { "-" } else { "" };
        let number = reached.get(name.as_str()).unwrap_or(&0);
        // Writing to a String does not fail.
        let _ = write!(kept, "{separator}\"{name}\", {sign}{number}, {name}");
    }
    Publication {
        before: format!("let __smol_at = 0; try {{\n{declaration}"),
        after: format!("}} finally {{ __smol_keep(__smol_at, [{kept}]); }}\n"),
    }
}

/// The call of `__smol_declare`, or nothing when there is nothing to declare.
fn declaration(bindings: &[Binding]) -> String {
    let mut accessors = String::with_capacity(bindings.len() * 64);
    let mut vars = String::new();
    for Binding { name, kind, .. } in bindings.iter().filter(|binding| !binding.is_deferred) {
        let separator = if accessors.is_empty() { "" } else { ", " };
        let _ = write!(accessors, "{separator}get {name}() {{ return {name}; }}");
        if *kind != Kind::Const {
            let _ = write!(accessors, ", set {name}(__smol_v) {{ {name} = __smol_v; }}");
        }
        if *kind == Kind::Var {
            let separator = if vars.is_empty() { "" } else { ", " };
            let _ = write!(vars, "{separator}\"{name}\"");
        }
    }
    if accessors.is_empty() {
        return accessors;
    }
    format!("__smol_declare({{ {accessors} }}, [{vars}]);\n")
}

/// Turns each `let` or `const` of a deferred name into a `var` with a note behind it. Returns the numbers of the notes.
fn note_declarations<'b>(bindings: &'b [Binding], body: &mut Vec<Stmt>) -> HashMap<&'b str, u32> {
    let lexical = bindings.iter().filter(|binding| binding.is_deferred && binding.kind != Kind::Var);
    let lexical: HashSet<&str> = lexical.map(|binding| binding.name.as_str()).collect();
    let mut reached = HashMap::with_capacity(lexical.len());
    for statement in std::mem::take(body) {
        match statement {
            Stmt::Decl(Decl::Var(declaration)) if declaration.kind != VarDeclKind::Var => {
                let VarDecl { kind, decls, .. } = *declaration;
                for declarator in decls {
                    let name = declarator.name.as_ident().and_then(|name| lexical.get(&*name.sym));
                    let Some(&name) = name else {
                        body.push(declare(kind, declarator));
                        continue;
                    };
                    let number = reached.len() as u32 + 1;
                    reached.insert(name, number);
                    body.push(declare(VarDeclKind::Var, declarator));
                    body.push(note(number));
                }
            }
            other => body.push(other),
        }
    }
    reached
}

fn declare(kind: VarDeclKind, declarator: VarDeclarator) -> Stmt {
    let span = declarator.span();
    Stmt::Decl(Decl::Var(Box::new(VarDecl { span, kind, decls: vec![declarator], ..VarDecl::default() })))
}

/// `__smol_at = number;`
fn note(number: u32) -> Stmt {
    let target = SimpleAssignTarget::Ident(nodes::binding("__smol_at"));
    let expr = nodes::assign(target, nodes::number(number.into()), DUMMY_SP);
    Stmt::Expr(ExprStmt { span: DUMMY_SP, expr })
}
