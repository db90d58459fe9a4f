//! Top-level bindings outlive the run, on the global.
//!
//! Bindings that other code may use while the program runs stay variables, and accessors for them exist from the start:
//! `__smol_declare({ get x() { return x; }, set x(__smol_v) { x = __smol_v; }, … }, ["v"], ["c"]);`. The arrays contain
//! the names declared with `var` and `const`. If code that looks at the global may run in their dead zones, `let`,
//! `const` and classes are added only after their declarations, so that such code finds the earlier value:
//!
//! `const __smol_reach = __smol_declare({ … }, [], [], ["x"]); … let x = 1; __smol_reach("x");`. Guests cannot write to
//! a constant. It is nevertheless a variable unless the text itself writes to it, so that its functions get the value
//! of a later declaration of the name.
//!
//! Names of cells, which earlier programs have left, are not declared: see [`super::cells`].
//!
//! An accessor makes V8 keep its variable in memory, where a loop is slower than in registers. So the other bindings
//! become variables of the function, and their values are handed over when it ends, in whatever way:
//!
//! ```text
//! let __smol_at = 0; try { …
//! var x = 1;
//! __smol_at = 1;
//! … } finally { __smol_keep(__smol_at, ["x", 1, x, …]); }
//! ```
//!
//! `__smol_at` says which declarations were reached. The array contains for each binding its name, the number of its
//! declaration (0 for `var`, negative for constants), and its value.
//!
//! Variables at the start of a program that hold literals are declared before the `try`, because they cannot fail. V8
//! compiles in the value of a function's variable that never changes, but not that of a block's variable.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use swc_common::DUMMY_SP;
use swc_ecma_ast::{Decl, Expr, Ident, Lit, SimpleAssignTarget, Stmt, UnaryOp, VarDecl, VarDeclKind, VarDeclarator};

use super::super::analyze::{Binding, Cell, Kind};
use super::cells::{Reached, reach};
use super::nodes;
use super::patterns::names_in;

/// The code around a program's statements.
#[derive(Default)]
pub(in super::super) struct Publication {
    /// Before everything else.
    pub(in super::super) head: String,
    /// Declarations from the start of the program.
    pub(in super::super) ahead: Vec<Stmt>,
    /// Before the others.
    pub(in super::super) before: String,
    /// After everything else.
    pub(in super::super) after: String,
}

/// Makes `body` use `cells`, turns its deferred bindings into variables of the function, and hands over all other
/// bindings.
pub(in super::super) fn publish(bindings: &[Binding], cells: &[Cell], body: &mut Vec<Stmt>) -> Publication {
    let Reached { head, functions } = reach(cells, body);
    let declaration = declaration(bindings);
    let names = Names::of(bindings);
    let Rewritten { reached, ahead } = rewrite_declarations(&names, body);
    body.splice(0..0, functions);
    if names.deferred.is_empty() {
        return Publication { head, before: declaration, ..Publication::default() };
    }
    let (mut kept, mut before) = (String::new(), String::new());
    for Binding { name, kind, .. } in bindings.iter().filter(|binding| binding.is_deferred) {
        let separator = if kept.is_empty() { "" } else { ", " };
        let sign = if *kind == Kind::Const { "-" } else { "" };
        let number = reached.get(name.as_str()).unwrap_or(&0);
        // Writing to a String does not fail.
        let _ = write!(kept, "{separator}\"{name}\", {sign}{number}, {name}");
        if *kind == Kind::Var {
            let _ = writeln!(before, "var {name} = __smol_before(\"{name}\");");
        }
    }
    Publication {
        head: format!("{head}let __smol_at = 0; "),
        ahead,
        before: format!("try {{\n{declaration}{before}"),
        after: format!("}} finally {{ __smol_keep(__smol_at, [{kept}]); }}\n"),
    }
}

/// The call of `__smol_declare`, or nothing if there is nothing to declare.
fn declaration(bindings: &[Binding]) -> String {
    let mut accessors = String::with_capacity(bindings.len() * 64);
    let (mut vars, mut constants, mut late) = (String::new(), String::new(), String::new());
    let list = |names: &mut String, name: &str| {
        let separator = if names.is_empty() { "" } else { ", " };
        let _ = write!(names, "{separator}\"{name}\"");
    };
    for binding in bindings.iter().filter(|binding| !binding.is_deferred && !binding.is_cell) {
        let Binding { name, kind, .. } = binding;
        let separator = if accessors.is_empty() { "" } else { ", " };
        let _ = write!(accessors, "{separator}get {name}() {{ return {name}; }}");
        if binding.can_be_replaced() {
            let _ = write!(accessors, ", set {name}(__smol_v) {{ {name} = __smol_v; }}");
        }
        match kind {
            Kind::Var => list(&mut vars, name),
            Kind::Const => list(&mut constants, name),
            _ => {}
        }
        if binding.is_late {
            list(&mut late, name);
        }
    }
    if accessors.is_empty() {
        return accessors;
    }
    if !late.is_empty() {
        return format!("const __smol_reach = __smol_declare({{ {accessors} }}, [{vars}], [{constants}], [{late}]);\n");
    }
    let constants = if constants.is_empty() { constants } else { format!(", [{constants}]") };
    format!("__smol_declare({{ {accessors} }}, [{vars}]{constants});\n")
}

/// Names of bindings, grouped by how their declarations are transformed.
struct Names<'b> {
    /// Deferred, and declared with `let` or `const`.
    deferred_lexical: HashSet<&'b str>,
    deferred: HashSet<&'b str>,
    /// Constants that become variables.
    replaceable: HashSet<&'b str>,
    /// Added to the global at their declarations.
    late: HashSet<&'b str>,
}

impl<'b> Names<'b> {
    fn of(bindings: &'b [Binding]) -> Self {
        let names = |is_one: &dyn Fn(&Binding) -> bool| {
            bindings.iter().filter(|binding| is_one(binding)).map(|binding| binding.name.as_str()).collect()
        };
        Self {
            deferred_lexical: names(&|binding| binding.is_deferred && binding.kind != Kind::Var),
            deferred: names(&|binding| binding.is_deferred),
            replaceable: names(&|binding| binding.kind == Kind::Const && binding.can_be_replaced()),
            late: names(&|binding| binding.is_late),
        }
    }
}

impl Names<'_> {
    /// `__smol_reach("name");` for each late name.
    fn reach<'n>(&self, declared: impl Iterator<Item = &'n Ident>) -> impl Iterator<Item = Stmt> {
        let late = declared.filter(|name| self.late.contains(&*name.sym));
        late.map(|name| nodes::call_statement("__smol_reach", nodes::text(&name.sym), DUMMY_SP))
    }
}

struct Rewritten<'b> {
    /// The numbers of the declarations.
    reached: HashMap<&'b str, u32>,
    /// Declarations that were moved before the body.
    ahead: Vec<Stmt>,
}

/// Turns each `let` or `const` of a deferred name into a `var` followed by its number, and constants that can be
/// replaced into variables, and adds late names to the global after their declarations. Nothing is moved before a body
/// without deferred names.
fn rewrite_declarations<'b>(names: &Names<'b>, body: &mut Vec<Stmt>) -> Rewritten<'b> {
    let mut reached = HashMap::with_capacity(names.deferred_lexical.len());
    let mut ahead = Vec::new();
    let mut is_beginning = !names.deferred.is_empty();
    for statement in std::mem::take(body) {
        is_beginning &= initializes_with(&statement, is_inert);
        let comes_ahead = is_beginning && initializes_with(&statement, is_literal);
        match statement {
            Stmt::Decl(Decl::Var(declaration)) if declaration.kind != VarDeclKind::Var => {
                let VarDecl { kind, decls, .. } = *declaration;
                for declarator in decls {
                    let name = declarator.name.as_ident().and_then(|name| names.deferred_lexical.get(&*name.sym));
                    let Some(&name) = name else {
                        let is_replaceable =
                            names_in(&declarator.name).all(|name| names.replaceable.contains(&*name.sym));
                        let kind = if kind == VarDeclKind::Const && is_replaceable { VarDeclKind::Let } else { kind };
                        let reaching: Vec<_> = names.reach(names_in(&declarator.name)).collect();
                        let place = if comes_ahead { &mut ahead } else { &mut *body };
                        place.push(declare(kind, declarator));
                        body.extend(reaching);
                        continue;
                    };
                    let number = reached.len() as u32 + 1;
                    reached.insert(name, number);
                    body.push(declare(VarDeclKind::Var, declarator));
                    body.push(note(number));
                }
            }
            other => {
                let class = match &other {
                    Stmt::Decl(Decl::Class(class)) => Some(&class.ident),
                    _ => None,
                };
                let reaching: Vec<_> = names.reach(class.into_iter()).collect();
                body.push(other);
                body.extend(reaching);
            }
        }
    }
    Rewritten { reached, ahead }
}

/// Whether a statement only declares functions, or names with `let` and `const` whose values are all of one kind.
fn initializes_with(statement: &Stmt, is_of_kind: fn(&Expr) -> bool) -> bool {
    match statement {
        Stmt::Decl(Decl::Fn(_)) | Stmt::Empty(_) => true,
        Stmt::Decl(Decl::Var(declaration)) => {
            let is_one = |declarator: &VarDeclarator| {
                declarator.name.is_ident() && declarator.init.as_deref().is_none_or(is_of_kind)
            };
            declaration.kind != VarDeclKind::Var && declaration.decls.iter().all(is_one)
        }
        _ => false,
    }
}

/// Whether an expression runs no guest code and cannot throw.
fn is_inert(expression: &Expr) -> bool {
    matches!(expression, Expr::Arrow(_) | Expr::Fn(_)) || is_literal(expression)
}

/// Whether an expression is a literal, or an array of literals: it contains no names.
fn is_literal(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(_) => true,
        Expr::Paren(paren) => is_literal(&paren.expr),
        Expr::Unary(unary) => unary.op == UnaryOp::Minus && matches!(&*unary.arg, Expr::Lit(Lit::Num(_))),
        Expr::Array(array) => array.elems.iter().flatten().all(|one| one.spread.is_none() && is_literal(&one.expr)),
        _ => false,
    }
}

fn declare(kind: VarDeclKind, declarator: VarDeclarator) -> Stmt {
    let span = declarator.span;
    nodes::declare(kind, vec![declarator], span)
}

/// `__smol_at = number;`
fn note(number: u32) -> Stmt {
    let target = SimpleAssignTarget::Ident(nodes::binding("__smol_at"));
    nodes::assign_statement(target, nodes::number(number.into()), DUMMY_SP)
}
