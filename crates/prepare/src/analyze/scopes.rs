//! What names refer to: which references are to globals, and how a program's own body uses its top-level bindings.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use swc_common::BytePos;
use swc_ecma_ast::Ident;

use super::names::{Binding, Kind};

/// The program itself is a function.
const PROGRAM_DEPTH: u32 = 1;

/// The scopes around the node that is being visited, the innermost last.
pub(super) struct Scopes {
    open: Vec<Scope>,
    /// Functions around the node, the program itself included.
    functions: u32,
    /// Classes around the node.
    classes: u32,
    /// Indices into `names`.
    by_name: HashMap<Rc<str>, usize>,
    names: Vec<Name>,
    references: Vec<Reference>,
    loops: LoopNames,
}

/// Positions of names in `for` and `while` loops.
#[derive(Default)]
pub(in super::super) struct LoopNames {
    /// Of variables that cannot change while the loop runs, unless the loop itself changes them.
    pub(in super::super) steady: HashSet<BytePos>,
    /// Of variables of the text itself that certainly have a value, and can be written to where they are.
    pub(in super::super) own: HashSet<BytePos>,
}

impl LoopNames {
    /// Adds uses of one variable that has a value.
    fn add(&mut self, uses: impl Iterator<Item = Use> + Clone, is_steady: bool, is_const: bool) {
        let is_refused = |a: &Use| is_const && a.is_write;
        if is_steady {
            self.steady.extend(uses.clone().map(|a| a.at));
        }
        self.own.extend(uses.clone().filter(|a| !is_refused(a)).map(|a| a.at));
        // What is read and written in one place is there twice.
        for refused in uses.filter(is_refused) {
            self.own.remove(&refused.at);
        }
    }
}

struct Scope {
    declared: Vec<Declared>,
    is_function: bool,
    /// Declarations in it may be jumped over.
    is_switch: bool,
    /// Functions and classes around it.
    depth: u32,
    /// References from this index on were made in this scope.
    first_reference: usize,
}

struct Declared {
    /// An index of a name.
    name: usize,
    is_const: bool,
    /// From here on it has a value.
    from: Option<BytePos>,
}

struct Name {
    text: Rc<str>,
    /// By the program itself, not by a function or block in it.
    is_declared: bool,
    /// Its last reference that no closed scope declared.
    last: Option<usize>,
}

struct Reference {
    /// The one before of the same name that no closed scope declared.
    previous: Option<usize>,
    use_: Use,
}

/// One use of a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    pub(super) at: BytePos,
    /// Functions and classes around it.
    depth: u32,
    pub(super) is_write: bool,
    is_in_loop: bool,
}

impl Use {
    /// In a function or class, so that it may be evaluated at any time.
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
            loops: LoopNames::default(),
        };
        scopes.enter_function();
        scopes
    }

    pub(super) fn enter_block(&mut self) {
        self.enter(false, false);
    }

    pub(super) fn enter_switch(&mut self) {
        self.enter(false, true);
    }

    pub(super) fn enter_function(&mut self) {
        self.functions += 1;
        self.enter(true, false);
    }

    /// Closes the innermost scope: declarations are hoisted, so only now is it known which references are its own.
    pub(super) fn exit(&mut self) {
        let Some(scope) = self.open.pop() else { return };
        self.functions -= u32::from(scope.is_function);
        for Declared { name, is_const, from } in &scope.declared {
            let first = self.names[*name].last;
            let uses = || {
                let own = first.filter(|&index| index >= scope.first_reference);
                let previous =
                    |&index: &usize| self.references[index].previous.filter(|&index| index >= scope.first_reference);
                std::iter::successors(own, previous).map(|index| (index, self.references[index].use_))
            };
            if let Some(from) = from.filter(|_| !scope.is_switch) {
                let is_steady = *is_const || !uses().any(|(_, a)| a.depth > scope.depth);
                let in_loops: Vec<Use> =
                    uses().map(|(_, a)| a).filter(|a| a.is_in_loop && a.depth == scope.depth && a.at >= from).collect();
                self.loops.add(in_loops.into_iter(), is_steady, *is_const);
            }
            if let Some((earliest, _)) = uses().last() {
                self.names[*name].last = self.references[earliest].previous;
            }
        }
    }

    /// A class is no scope of its own; what is in it may be evaluated later.
    pub(super) fn enter_class(&mut self) {
        self.classes += 1;
    }

    pub(super) fn exit_class(&mut self) {
        self.classes -= 1;
    }

    /// `from`: where a variable begins to have a value.
    pub(super) fn declare(&mut self, name: &str, is_var: bool, is_const: bool, from: Option<BytePos>) {
        let Some(index) = self.open.iter().rposition(|scope| scope.is_function || !is_var) else { return };
        let name = self.intern(name);
        match index {
            0 => self.names[name].is_declared = true,
            _ => self.open[index].declared.push(Declared { name, is_const, from }),
        }
    }

    /// `is_in_loop`: in the test, update or body of a `for` or `while` loop.
    pub(super) fn refer(&mut self, name: &Ident, is_write: bool, is_in_loop: bool) {
        let use_ = Use { at: name.span.lo, depth: self.depth(), is_write, is_in_loop };
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

    /// Names with uses that refer to a global. When all scopes but the program's are closed.
    pub(super) fn globals(&self) -> impl Iterator<Item = &str> {
        self.names.iter().filter(|name| !name.is_declared && name.last.is_some()).map(|name| &*name.text)
    }

    /// The uses that refer to a global or a binding of the program, the last one first. When all scopes but the program's
    /// are closed.
    pub(super) fn uses(&self, name: &str) -> impl Iterator<Item = Use> {
        let last = self.by_name.get(name).and_then(|&index| self.names[index].last);
        std::iter::successors(last, |&index| self.references[index].previous).map(|index| self.references[index].use_)
    }

    /// Names in loops, once the uses of the program's own bindings are added.
    pub(super) fn into_loop_names(mut self, of_program: &[Binding]) -> LoopNames {
        for binding in of_program {
            let Some(from) = binding.has_value_from() else { continue };
            let in_loops = self.uses(&binding.name).filter(|a| a.is_in_loop && !a.is_nested() && a.at >= from);
            let in_loops: Vec<Use> = in_loops.collect();
            self.loops.add(in_loops.into_iter(), binding.is_steady(), binding.kind == Kind::Const);
        }
        self.loops
    }

    fn depth(&self) -> u32 {
        self.functions + self.classes
    }

    fn enter(&mut self, is_function: bool, is_switch: bool) {
        let (depth, first_reference) = (self.depth(), self.references.len());
        self.open.push(Scope { declared: Vec::new(), is_function, is_switch, depth, first_reference });
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
