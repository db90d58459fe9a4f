//! Which uses of forbidden names refer to a global: a scope analysis of just these names.

use swc_common::BytePos;

use super::super::rules::globals::{ForbiddenName, Names};

/// The scopes around the node that is being visited, the innermost last.
pub(super) struct Scopes {
    open: Vec<Scope>,
    /// References that no closed scope declared.
    references: Vec<(ForbiddenName, BytePos)>,
}

struct Scope {
    declared: Names,
    is_function: bool,
    /// References from this index on were made in this scope.
    first_reference: usize,
}

impl Scopes {
    pub(super) fn new() -> Self {
        let top = Scope { declared: Names::default(), is_function: true, first_reference: 0 };
        Scopes { open: vec![top], references: Vec::new() }
    }

    pub(super) fn enter_block(&mut self) {
        self.enter(false);
    }

    pub(super) fn enter_function(&mut self) {
        self.enter(true);
    }

    /// Closes the innermost scope: declarations are hoisted, so only now is it known which references are its own.
    pub(super) fn exit(&mut self) {
        if let Some(scope) = self.open.pop() {
            self.resolve(&scope);
        }
    }

    pub(super) fn declare(&mut self, name: &str, is_var: bool) {
        let Some(name) = ForbiddenName::find(name) else {
            return;
        };
        let scope = self.open.iter_mut().rev().find(|scope| scope.is_function || !is_var);
        if let Some(scope) = scope {
            scope.declared.insert(name);
        }
    }

    pub(super) fn refer(&mut self, name: &str, at: BytePos) {
        if let Some(name) = ForbiddenName::find(name) {
            self.references.push((name, at));
        }
    }

    pub(super) fn is_at_top_level(&self) -> bool {
        self.open.len() == 1
    }

    pub(super) fn is_in_top_function(&self) -> bool {
        self.open.iter().skip(1).all(|scope| !scope.is_function)
    }

    /// Closes all scopes and returns the references that are left.
    pub(super) fn unresolved(&mut self) -> Vec<(ForbiddenName, BytePos)> {
        while !self.open.is_empty() {
            self.exit();
        }
        std::mem::take(&mut self.references)
    }

    fn enter(&mut self, is_function: bool) {
        let first_reference = self.references.len();
        self.open.push(Scope { declared: Names::default(), is_function, first_reference });
    }

    fn resolve(&mut self, scope: &Scope) {
        let mut kept = scope.first_reference;
        for index in scope.first_reference..self.references.len() {
            let reference = self.references[index];
            if !scope.declared.contains(reference.0) {
                self.references[kept] = reference;
                kept += 1;
            }
        }
        self.references.truncate(kept);
    }
}
