//! What the transform knows about the place of a loop.

use swc_ecma_ast::{BindingIdent, Decl, ForStmt, Ident, Pat, Stmt, VarDeclKind, VarDeclOrExpr, VarDeclarator};
use swc_ecma_visit::{Visit, VisitWith};

/// Names that are looked through, from the innermost, for the declaration of one.
const MAX_LOOKED_AT: usize = 256;

/// Where a loop stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::prepare) enum Place {
    /// In the program's own body: nothing of the guest is below it on the stack.
    ProgramBody,
    /// In a function, or in a module, whose body may be run by another's `import()`.
    Nested,
}

/// Functions around the node that is being visited, and the names that the innermost one's loops declare.
pub(in crate::prepare) struct LoopScopes {
    place: Place,
    /// Names of `for (let …)`, and block-scoped names inside of such a loop, which hide them and may not be
    /// initialized yet.
    names: Vec<(Ident, IsLoopVariable)>,
    /// Where the innermost function's names begin.
    function_start: usize,
}

type IsLoopVariable = bool;

/// What [`LoopScopes::leave`] goes back to.
pub(in crate::prepare) struct Outer {
    place: Place,
    names: usize,
    function_start: usize,
}

impl LoopScopes {
    pub(in crate::prepare) fn new(place: Place) -> Self {
        LoopScopes { place, names: Vec::new(), function_start: 0 }
    }

    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// Whether `name` is a variable of a loop around the node, in the same function.
    pub(super) fn is_loop_variable(&self, name: &Ident) -> bool {
        let mut names = self.names[self.function_start..].iter().rev().take(MAX_LOOKED_AT);
        names.find(|(declared, _)| declared.sym == name.sym).is_some_and(|&(_, is_variable)| is_variable)
    }

    pub(in crate::prepare) fn enter_function(&mut self) -> Outer {
        let outer = self.here();
        self.place = Place::Nested;
        self.function_start = self.names.len();
        outer
    }

    pub(in crate::prepare) fn enter_loop(&mut self, node: &ForStmt) -> Outer {
        let outer = self.here();
        if let Some(VarDeclOrExpr::VarDecl(declaration)) = &node.init
            && declaration.kind == VarDeclKind::Let
        {
            for declarator in &declaration.decls {
                if let Pat::Ident(name) = &declarator.name {
                    self.names.push((name.id.clone(), true));
                }
            }
        }
        outer
    }

    /// For a block and the cases of a `switch`.
    pub(in crate::prepare) fn enter_block<'a>(&mut self, statements: impl Iterator<Item = &'a Stmt>) -> Outer {
        let outer = self.here();
        if self.names.len() > self.function_start {
            statements.for_each(|statement| self.add_declared(statement));
        }
        outer
    }

    pub(in crate::prepare) fn leave(&mut self, outer: &Outer) {
        self.place = outer.place;
        self.names.truncate(outer.names);
        self.function_start = outer.function_start;
    }

    fn here(&self) -> Outer {
        Outer { place: self.place, names: self.names.len(), function_start: self.function_start }
    }

    fn add_declared(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Decl(Decl::Var(declaration)) if declaration.kind != VarDeclKind::Var => self.hide(&declaration.decls),
            Stmt::Decl(Decl::Using(declaration)) => self.hide(&declaration.decls),
            Stmt::Decl(Decl::Class(class)) => self.names.push((class.ident.clone(), false)),
            Stmt::Decl(Decl::Fn(function)) => self.names.push((function.ident.clone(), false)),
            _ => {}
        }
    }

    fn hide(&mut self, declarators: &[VarDeclarator]) {
        for declarator in declarators {
            declarator.name.visit_with(&mut Hide(&mut self.names));
        }
    }
}

struct Hide<'a>(&'a mut Vec<(Ident, IsLoopVariable)>);

impl Visit for Hide<'_> {
    fn visit_binding_ident(&mut self, node: &BindingIdent) {
        self.0.push((node.id.clone(), false));
    }
}
