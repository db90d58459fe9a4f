//! Names at the top level of a program.

use swc_common::BytePos;

/// How a name is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Kind {
    Var,
    Let,
    Const,
    Function,
    Class,
    /// A parameter, a `catch` or `using` binding, or the name of a function or class expression: never persists.
    Local,
}

/// A name that persists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Binding {
    /// Unicode escapes are decoded.
    pub(in super::super) name: String,
    pub(in super::super) kind: Kind,
    /// Only the program's own body reads it before the end of the run, so it need not be on the global until then.
    pub(in super::super) is_deferred: bool,
    /// Code of earlier programs may look it up, or use a cell of this name.
    pub(in super::super) is_shared: bool,
    /// The name is a cell, usually of an earlier program, and has no variable in this program.
    pub(in super::super) is_cell: bool,
    /// The program writes to it, apart from its declaration.
    pub(in super::super) is_written: bool,
    /// It is added to the global only at its declaration, because other code may look there before.
    pub(in super::super) is_late: bool,
    /// Where it gets its value, if its declaration has a single name.
    pub(super) initialized_at: Option<BytePos>,
}

impl Binding {
    /// Whether a constant of the program can be stored as a variable, so that a later declaration of its name can
    /// change it.
    pub(in super::super) fn can_be_replaced(&self) -> bool {
        !self.is_deferred && (self.kind != Kind::Const || !self.is_written)
    }
}

/// A cell that a program names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Cell {
    pub(in super::super) name: String,
    /// How the program declares it, if it does.
    pub(in super::super) kind: Option<Kind>,
}
