//! What code of earlier programs may look up on the global: a binding of that name has to be there while it is in scope.

use std::collections::HashSet;

/// More names than this are taken for all names, and so are longer ones.
const MAX_NAMES: usize = 4_096;
/// Bytes of all names. 64 KiB.
const MAX_BYTES: usize = 64 << 10;

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
    /// Bytes of `names`.
    bytes: usize,
    has_all: bool,
}

impl Observed {
    /// Those of a realm of which nothing is known.
    pub fn everything() -> Self {
        Self { has_all: true, ..Self::default() }
    }

    /// Adds those of a program that is going to run.
    pub fn add(&mut self, lookups: &Lookups) {
        if self.has_all {
            return;
        }
        for name in &lookups.names {
            if self.names.contains(name) {
                continue;
            }
            self.bytes += name.len();
            if self.names.len() == MAX_NAMES || self.bytes > MAX_BYTES {
                self.has_all = true;
                break;
            }
            self.names.insert(name.clone());
        }
        if lookups.has_all || self.has_all {
            *self = Self { has_all: true, ..Self::default() };
        }
    }

    pub fn contains(&self, name: &str) -> bool {
        self.has_all || self.names.contains(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(names: impl Iterator<Item = String>) -> Observed {
        let mut observed = Observed::default();
        observed.add(&Lookups { names: names.collect(), has_all: false });
        observed
    }

    #[test]
    fn names_are_kept_up_to_a_number_and_a_length() {
        let few = observed((0..MAX_NAMES).map(|number| number.to_string()));
        assert!(few.contains("4095") && !few.contains("other"));
        let many = observed((0..=MAX_NAMES).map(|number| number.to_string()));
        assert!(many.contains("other") && many.names.is_empty());
        let long = observed((0..10).map(|number| format!("{number}").repeat(MAX_BYTES / 8)));
        assert!(long.contains("other") && long.names.is_empty());
    }

    #[test]
    fn a_name_counts_once() {
        let mut observed = observed(std::iter::once("x".repeat(MAX_BYTES / 2)));
        for _ in 0..8 {
            observed.add(&Lookups { names: vec!["x".repeat(MAX_BYTES / 2)], has_all: false });
        }
        assert!(!observed.contains("other"));
    }
}
