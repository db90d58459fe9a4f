//! What code of earlier programs may look up on the global: a binding of that name has to be there while it is in scope.

use std::collections::HashSet;

/// More names than this are taken for all names.
const MAX_NAMES: usize = 4_096;

/// What the functions of one program may look up on the global after the program itself has ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lookups {
    pub(super) names: Vec<String>,
    /// Whatever name: through `globalThis`, or in a module that it imports.
    pub(super) has_all: bool,
}

/// The lookups of all programs that a realm has run.
#[derive(Debug, Default)]
pub struct Observed {
    names: HashSet<String>,
    has_all: bool,
}

impl Observed {
    /// Adds those of a program that is going to run.
    pub fn add(&mut self, lookups: &Lookups) {
        if self.has_all {
            return;
        }
        self.names.extend(lookups.names.iter().cloned());
        if lookups.has_all || self.names.len() > MAX_NAMES {
            *self = Self { names: HashSet::new(), has_all: true };
        }
    }

    pub fn contains(&self, name: &str) -> bool {
        self.has_all || self.names.contains(name)
    }
}
