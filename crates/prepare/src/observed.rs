//! What earlier programs have left: the names that their code may look up on the global, and their cells. A binding
//! with such a name has to be on the global while it is in scope. Later programs use the cells as their own variables.
//!
//! A cell is a variable that other code may refer to: it has accessors on the global, from the start of its program or
//! from its declaration on.

use std::collections::HashSet;

/// More names, and longer names, count as all names.
const MAX_NAMES: usize = 4_096;
/// Bytes of all names together. 64 KiB.
const MAX_BYTES: usize = 64 << 10;
/// Longer names are not tracked.
const MAX_CELL_NAME_BYTES: usize = 256;

/// The names that the functions of one program may look up on the global after the program has ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lookups {
    pub(super) names: Vec<String>,
    /// Any name: through `globalThis`, or in a module that it imports.
    pub(super) has_all: bool,
    /// The program's bindings that are cells.
    pub(super) cells: Vec<String>,
    /// Bindings that become plain properties of the global at the end of the run.
    pub(super) plain: Vec<String>,
    /// Those of `plain` that are constants.
    pub(super) constants: Vec<String>,
}

/// How a program uses a name that it does not declare itself, or that it shares with earlier programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SharedUse {
    pub(super) name: String,
    /// The program does not declare it, and writes to it.
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
    /// At most `MAX_NAMES`. Later ones are not tracked.
    cells: HashSet<String>,
    /// Constants that are plain properties of the global. The same maximum.
    constants: HashSet<String>,
}

impl Observed {
    /// The lookups of a realm about which nothing is known.
    pub fn everything() -> Self {
        Self { has_all: true, ..Self::default() }
    }

    /// Adds the lookups of a program that is about to run.
    pub fn add(&mut self, lookups: &Lookups) {
        for name in &lookups.plain {
            self.cells.remove(name);
            self.constants.remove(name);
        }
        for name in &lookups.cells {
            self.constants.remove(name);
        }
        // A property `__proto__` of a literal has another meaning.
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

    /// Whether a program that does not declare a name uses it as a cell. A program that writes to a constant does, and
    /// the cell refuses the write as the language does. The constant itself is a plain property, which V8 reads
    /// fastest.
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
