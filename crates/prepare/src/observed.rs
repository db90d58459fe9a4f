//! What earlier programs have left: what their code may look up on the global, where a binding of that name has to be while it is
//! in scope, and their cells, which later programs use as their own.
//!
//! A cell is a variable that other code may hold on to: one that has accessors on the global from the start of its program, or from its declaration on.

use std::collections::HashSet;

/// More names than this are taken for all names, and so are longer ones.
const MAX_NAMES: usize = 4_096;
/// Bytes of all names. 64 KiB.
const MAX_BYTES: usize = 64 << 10;
/// Longer ones are not followed.
const MAX_CELL_NAME_BYTES: usize = 256;

/// What the functions of one program may look up on the global after the program itself has ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lookups {
    pub(super) names: Vec<String>,
    /// Whatever name: through `globalThis`, or in a module that it imports.
    pub(super) has_all: bool,
    /// The program's bindings that are cells.
    pub(super) cells: Vec<String>,
    /// Those that are not on the global until it has run, and plain properties then.
    pub(super) plain: Vec<String>,
    /// Those of `plain` that are constants.
    pub(super) constants: Vec<String>,
}

/// How a program means a name that it does not declare itself, or shares with earlier programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Meant {
    pub(super) name: String,
    /// It is not the program's, and written to.
    pub(super) is_written: bool,
    /// As a cell.
    pub(super) is_cell: bool,
}

/// The lookups of all programs that a realm has run.
#[derive(Debug, Default)]
pub struct Observed {
    names: HashSet<String>,
    /// Bytes of `names`.
    bytes: usize,
    has_all: bool,
    /// No more than `MAX_NAMES`: those that come later are not followed.
    cells: HashSet<String>,
    /// Constants that are plain properties of the global. As many at most.
    constants: HashSet<String>,
}

impl Observed {
    /// Those of a realm of which nothing is known.
    pub fn everything() -> Self {
        Self { has_all: true, ..Self::default() }
    }

    /// Adds those of a program that is going to run.
    pub fn add(&mut self, lookups: &Lookups) {
        for name in &lookups.plain {
            self.cells.remove(name);
            self.constants.remove(name);
        }
        for name in &lookups.cells {
            self.constants.remove(name);
        }
        // A property `__proto__` of a literal is another thing.
        let is_followed = |name: &&String| name.len() <= MAX_CELL_NAME_BYTES && *name != "__proto__";
        let room = MAX_NAMES - self.cells.len();
        self.cells.extend(lookups.cells.iter().filter(is_followed).take(room).cloned());
        let room = MAX_NAMES - self.constants.len();
        self.constants.extend(lookups.constants.iter().filter(is_followed).take(room).cloned());
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
            (self.names, self.bytes, self.has_all) = (HashSet::new(), 0, true);
        }
    }

    /// Whether an earlier program has a cell of this name.
    pub fn has_cell(&self, name: &str) -> bool {
        self.cells.contains(name)
    }

    /// Whether a program that does not declare a name reaches it as a cell: one that writes to a constant does, which refuses that as
    /// the language does. The constant itself is a plain property, which V8 reads fastest.
    pub(super) fn is_reached_as_cell(&self, name: &str, is_written: bool) -> bool {
        self.has_cell(name) || (is_written && self.constants.contains(name))
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
        observed.add(&Lookups { names: names.collect(), ..Lookups::default() });
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
    fn cells_are_kept_up_to_a_number_and_a_length_and_outlive_that_all_names_are_looked_up() {
        let mut observed = Observed::default();
        let long = "x".repeat(MAX_CELL_NAME_BYTES + 1);
        observed.add(&Lookups { cells: vec!["a".into(), "b".into(), long.clone()], ..Lookups::default() });
        observed.add(&Lookups { has_all: true, plain: vec!["b".into()], ..Lookups::default() });
        assert!(observed.has_cell("a") && !observed.has_cell("b") && !observed.has_cell(&long));
        observed.add(&Lookups { cells: (0..MAX_NAMES).map(|n| n.to_string()).collect(), ..Lookups::default() });
        assert!(observed.has_cell("4094") && !observed.has_cell("4095"));
    }

    #[test]
    fn a_name_counts_once() {
        let mut observed = observed(std::iter::once("x".repeat(MAX_BYTES / 2)));
        for _ in 0..8 {
            observed.add(&Lookups { names: vec!["x".repeat(MAX_BYTES / 2)], ..Lookups::default() });
        }
        assert!(!observed.contains("other"));
    }
}
