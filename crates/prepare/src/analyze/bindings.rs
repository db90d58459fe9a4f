//! The bindings of a program that later programs can reach.

use std::collections::HashMap;

use swc_common::BytePos;

use super::scopes::Scopes;
use crate::Observed;

/// How a name is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Kind {
    Var,
    Let,
    Const,
    Function,
    Class,
    /// A parameter, a `catch` or `using` binding, or the own name of a function or class expression: never persists.
    Local,
}

/// A name that persists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Binding {
    /// Unicode escapes are decoded.
    pub(in super::super) name: String,
    pub(in super::super) kind: Kind,
    /// Only the program's own body reads it before the run has ended, so that it need not be on the global until then.
    pub(in super::super) is_deferred: bool,
    /// Where it has its value, if its declaration is a single name's.
    initialized_at: Option<BytePos>,
}

impl Binding {
    /// From where on in the program's own body it certainly has a value.
    pub(super) fn has_value_from(&self) -> Option<BytePos> {
        if self.kind == Kind::Var { Some(BytePos(0)) } else { self.initialized_at }
    }

    /// Whether nothing but the program's own body can change it.
    pub(super) fn is_steady(&self) -> bool {
        self.is_deferred || self.kind == Kind::Const
    }
}

/// Collects names once each, in the order of their first declarations.
#[derive(Default)]
pub(super) struct Bindings {
    list: Vec<Binding>,
    by_name: HashMap<String, usize>,
    /// A name is declared twice, and not just as `var`: V8 has the say on whether it may be.
    has_conflict: bool,
}

impl Bindings {
    /// A name that is declared both as `var` and as a function counts as a function, whose value it has from the start.
    pub(super) fn add(&mut self, name: &str, kind: Kind, initialized_at: Option<BytePos>) {
        let Some(&index) = self.by_name.get(name) else {
            self.by_name.insert(name.to_owned(), self.list.len());
            self.list.push(Binding { name: name.to_owned(), kind, is_deferred: false, initialized_at });
            return;
        };
        self.has_conflict |= kind != Kind::Var || self.list[index].kind != Kind::Var;
        if kind == Kind::Function {
            self.list[index].kind = kind;
        }
    }

    /// Defers what can be deferred.
    pub(super) fn defer(&mut self, scopes: &Scopes, observed: &Observed) {
        if self.has_conflict {
            return;
        }
        for binding in &mut self.list {
            binding.is_deferred = is_deferrable(binding, scopes) && !observed.contains(&binding.name);
        }
    }

    pub(super) fn into_vec(self) -> Vec<Binding> {
        self.list
    }
}

/// Whether `var` would do for a binding just as well, and nothing but the program's own body names it.
fn is_deferrable(binding: &Binding, scopes: &Scopes) -> bool {
    let mut uses = scopes.uses(&binding.name);
    match (binding.kind, binding.initialized_at) {
        (Kind::Var, _) => uses.all(|a| !a.is_nested()),
        (Kind::Let, Some(start)) => uses.all(|a| !a.is_nested() && a.at >= start),
        (Kind::Const, Some(start)) => uses.all(|a| !a.is_nested() && a.at >= start && !a.is_write),
        _ => false,
    }
}
