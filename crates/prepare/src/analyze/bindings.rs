//! The bindings of a program that later programs can reach.

use std::collections::{HashMap, HashSet};

use swc_common::BytePos;

use super::names::{Binding, Cell, Kind};
use super::scopes::Scopes;
use crate::observed::{Observed, SharedUse};

/// Collects names once each, in the order of their first declarations.
#[derive(Default)]
pub(super) struct Bindings {
    list: Vec<Binding>,
    by_name: HashMap<String, usize>,
    /// A name is declared twice, and not only with `var`. V8 decides whether that is allowed.
    has_conflict: bool,
    /// The same, in a case that V8 refuses.
    has_clash: bool,
    /// The names that `using` declares.
    resources: HashSet<String>,
}

impl Bindings {
    /// A name declared both with `var` and as a function counts as a function, because it has that value from the
    /// start.
    pub(super) fn add(&mut self, name: &str, kind: Kind, initialized_at: Option<BytePos>) {
        let Some(&index) = self.by_name.get(name) else {
            self.by_name.insert(name.to_owned(), self.list.len());
            self.list.push(Binding {
                name: name.to_owned(),
                kind,
                is_deferred: false,
                is_shared: false,
                is_cell: false,
                is_written: false,
                is_late: false,
                initialized_at,
            });
            return;
        };
        let kinds = [kind, self.list[index].kind];
        self.has_conflict |= kinds.iter().any(|kind| *kind != Kind::Var);
        self.has_clash |= kinds.iter().any(|kind| !matches!(kind, Kind::Var | Kind::Function));
        if kind == Kind::Function {
            self.list[index].kind = kind;
        }
    }

    /// Bindings of `using` do not persist.
    pub(super) fn add_resource(&mut self, name: &str) {
        self.resources.insert(name.to_owned());
    }

    /// Records how bindings are used, and defers those that can be, if any may. `has_all`: the program may look up all
    /// names itself.
    pub(super) fn settle(&mut self, scopes: &Scopes, observed: &Observed, has_all: bool, may_defer: bool) {
        let may_defer = may_defer && !has_all && !self.has_conflict;
        self.has_clash |= self.list.iter().any(|binding| self.resources.contains(&binding.name));
        for binding in &mut self.list {
            let is_observed = observed.contains(&binding.name);
            binding.is_shared = is_observed;
            let can_be_cell = !self.has_clash && !is_used_too_early(binding, scopes);
            binding.is_cell = is_observed && can_be_cell && observed.has_cell(&binding.name);
            binding.is_deferred = may_defer && !is_observed && is_deferrable(binding, scopes);
            let is_lexical = matches!(binding.kind, Kind::Let | Kind::Const | Kind::Class);
            binding.is_late = is_lexical && (has_all || is_observed) && !binding.is_cell;
            binding.is_written = scopes.is_written(&binding.name);
        }
        if self.list.iter().any(|binding| binding.is_cell) {
            // A pattern with a cell in it is an assignment, so the constants beside the cell have to refuse other
            // writes.
            for binding in self.list.iter_mut().filter(|binding| is_refusing(binding)) {
                (binding.is_cell, binding.is_late) = (true, false);
            }
        }
    }

    /// Names that functions of the program use after it has ended.
    pub(super) fn captured(&self, scopes: &Scopes) -> impl Iterator<Item = &str> {
        let names = self.list.iter().map(|binding| binding.name.as_str());
        names.filter(|name| scopes.uses(name).any(|a| a.is_nested()))
    }

    /// The cells of earlier programs that the program names. If V8 refuses the program's declarations, no code that
    /// runs is generated. `quotes_what_runs`: V8's messages quote the generated code. Names that the program does not
    /// declare are then left unchanged; they are accessors of the global.
    pub(super) fn cells(&self, scopes: &Scopes, observed: &Observed, quotes_what_runs: bool) -> Vec<Cell> {
        if self.has_clash {
            return Vec::new();
        }
        let declared = self.list.iter().filter(|binding| binding.is_cell);
        let declared = declared.map(|binding| Cell { name: binding.name.clone(), kind: Some(binding.kind) });
        let others = scopes
            .globals()
            .filter(|name| !quotes_what_runs && observed.is_reached_as_cell(name, scopes.is_written(name)));
        declared.chain(others.map(|name| Cell { name: name.to_owned(), kind: None })).collect()
    }

    /// Names whose treatment is correct only as long as they are, or are not, names of cells.
    pub(super) fn shared_uses(&self, scopes: &Scopes, observed: &Observed) -> Vec<SharedUse> {
        let declared =
            self.list.iter().filter(|binding| binding.is_shared).map(|binding| (binding.name.as_str(), false));
        let others = scopes.globals().map(|name| (name, scopes.is_written(name)));
        let shared_use = |(name, is_written): (&str, bool)| {
            let is_cell = observed.is_reached_as_cell(name, is_written);
            SharedUse { name: name.to_owned(), is_written, is_cell }
        };
        declared.chain(others).map(shared_use).collect()
    }

    pub(super) fn into_vec(self) -> Vec<Binding> {
        self.list
    }
}

/// Whether the program's own body names a binding in its dead zone. Such a binding throws there, so it keeps its own
/// variable.
fn is_used_too_early(binding: &Binding, scopes: &Scopes) -> bool {
    let start = binding.initialized_at.filter(|_| matches!(binding.kind, Kind::Let | Kind::Const));
    start.is_some_and(|start| scopes.uses(&binding.name).any(|a| !a.is_nested() && a.at < start))
}

/// Whether a binding is a constant of a pattern and is written to.
fn is_refusing(binding: &Binding) -> bool {
    binding.kind == Kind::Const && binding.is_written && binding.initialized_at.is_none()
}

/// Whether `var` is equivalent for a binding, and only the program's own body names it.
fn is_deferrable(binding: &Binding, scopes: &Scopes) -> bool {
    let mut uses = scopes.uses(&binding.name);
    match (binding.kind, binding.initialized_at) {
        (Kind::Var, _) => uses.all(|a| !a.is_nested()),
        (Kind::Let, Some(start)) => uses.all(|a| !a.is_nested() && a.at >= start),
        (Kind::Const, Some(start)) => uses.all(|a| !a.is_nested() && a.at >= start && !a.is_write),
        _ => false,
    }
}
