//! The bindings of a program that later programs can reach.

use std::collections::HashMap;

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
}

/// Collects names once each, in the order of their first declarations.
#[derive(Default)]
pub(super) struct Bindings {
    list: Vec<Binding>,
    by_name: HashMap<String, usize>,
}

impl Bindings {
    /// A name that is declared both as `var` and as a function counts as a function, whose value it has from the start.
    pub(super) fn add(&mut self, name: &str, kind: Kind) {
        match self.by_name.get(name) {
            Some(&index) if kind == Kind::Function => self.list[index].kind = kind,
            Some(_) => {}
            None => {
                self.by_name.insert(name.to_owned(), self.list.len());
                self.list.push(Binding { name: name.to_owned(), kind });
            }
        }
    }

    pub(super) fn into_vec(self) -> Vec<Binding> {
        self.list
    }
}
