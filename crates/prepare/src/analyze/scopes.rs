//! Resolves names: which references are to globals, and how a program's own body uses its top-level bindings.

use std::collections::HashMap;
use std::rc::Rc;

use swc_common::BytePos;
use swc_ecma_ast::Ident;

/// The program itself is a function.
const PROGRAM_DEPTH: u32 = 1;

/// The scopes around the visited node, innermost last.
pub(super) struct Scopes {
    open: Vec<Scope>,
    /// Functions around the node, including the program itself.
    functions: u32,
    /// Classes around the node.
    classes: u32,
    /// Indices into `names`.
    by_name: HashMap<Rc<str>, usize>,
    names: Vec<Name>,
    references: Vec<Reference>,
}

struct Scope {
    /// Indices of names.
    declared: Vec<usize>,
    is_function: bool,
    /// References from this index on were made in this scope.
    first_reference: usize,
}

struct Name {
    text: Rc<str>,
    /// Declared by the program itself, not by a function or block in it.
    is_declared: bool,
    /// Its last reference that no closed scope declared.
    last: Option<usize>,
}

struct Reference {
    /// The previous reference to the same name that no closed scope declared.
    previous: Option<usize>,
    use_: Use,
}

/// One use of a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    pub(super) at: BytePos,
    /// The number of functions and classes around it.
    depth: u32,
    pub(super) is_write: bool,
}

impl Use {
    /// Inside a function or class, so it may be evaluated at any time.
    pub(super) fn is_nested(&self) -> bool {
        self.depth > PROGRAM_DEPTH
    }
}

impl Scopes {
    pub(super) fn new() -> Self {
        let mut scopes = Scopes {
            open: Vec::new(),
            functions: 0,
            classes: 0,
            by_name: HashMap::new(),
            names: Vec::new(),
            references: Vec::new(),
        };
        scopes.enter_function();
        scopes
    }

    pub(super) fn enter_block(&mut self) {
        self.enter(false);
    }

    pub(super) fn enter_function(&mut self) {
        self.functions += 1;
        self.enter(true);
    }

    /// Closes the innermost scope. Declarations are hoisted, so only now is it known which references belong to the
    /// scope.
    pub(super) fn exit(&mut self) {
        let Some(scope) = self.open.pop() else { return };
        self.functions -= u32::from(scope.is_function);
        for name in scope.declared {
            let mut before = self.names[name].last;
            while let Some(index) = before.filter(|&index| index >= scope.first_reference) {
                before = self.references[index].previous;
            }
            self.names[name].last = before;
        }
    }

    /// A class is not a separate scope. Code in it may be evaluated later.
    pub(super) fn enter_class(&mut self) {
        self.classes += 1;
    }

    pub(super) fn exit_class(&mut self) {
        self.classes -= 1;
    }

    pub(super) fn declare(&mut self, name: &str, is_var: bool) {
        let Some(index) = self.open.iter().rposition(|scope| scope.is_function || !is_var) else { return };
        let name = self.intern(name);
        match index {
            0 => self.names[name].is_declared = true,
            _ => self.open[index].declared.push(name),
        }
    }

    pub(super) fn refer(&mut self, name: &Ident, is_write: bool) {
        let use_ = Use { at: name.span.lo, depth: self.functions + self.classes, is_write };
        let name = self.intern(&name.sym);
        let previous = self.names[name].last.replace(self.references.len());
        self.references.push(Reference { previous, use_ });
    }

    pub(super) fn is_at_top_level(&self) -> bool {
        self.open.len() == 1
    }

    pub(super) fn is_in_top_function(&self) -> bool {
        self.functions == 1
    }

    /// Names with uses that refer to a global. Called when all scopes except the program's are closed.
    pub(super) fn globals(&self) -> impl Iterator<Item = &str> {
        self.names.iter().filter(|name| !name.is_declared && name.last.is_some()).map(|name| &*name.text)
    }

    /// The uses that refer to a global or to a binding of the program, last one first. Called when all scopes except
    /// the program's are closed.
    pub(super) fn uses(&self, name: &str) -> impl Iterator<Item = Use> {
        let last = self.by_name.get(name).and_then(|&index| self.names[index].last);
        std::iter::successors(last, |&index| self.references[index].previous).map(|index| self.references[index].use_)
    }

    /// Whether such a use writes to the name.
    pub(super) fn is_written(&self, name: &str) -> bool {
        self.uses(name).any(|use_| use_.is_write)
    }

    fn enter(&mut self, is_function: bool) {
        self.open.push(Scope { declared: Vec::new(), is_function, first_reference: self.references.len() });
    }

    fn intern(&mut self, name: &str) -> usize {
        if let Some(&index) = self.by_name.get(name) {
            return index;
        }
        let index = self.names.len();
        let text = Rc::<str>::from(name);
        self.by_name.insert(text.clone(), index);
        self.names.push(Name { text, is_declared: false, last: None });
        index
    }
}
