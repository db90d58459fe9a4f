//! Reads a program's tree into a graph of values, resolving names by scopes as strict mode has them.

mod calls;
mod classes;
mod expressions;
mod names;
mod patterns;
mod statements;

use std::collections::{HashMap, HashSet};
use std::mem;

use swc_atoms::Atom;
use swc_common::{BytePos, Span};
use swc_ecma_ast::{ArrowFunctionBody, BlockStmt, Expr, Ident, Module, ModuleItem, Pat, Stmt};

use super::graph::{Bound, Function, Graph, NO_LOOP, PROGRAM, TOUCH, Tracked, Value};
use super::ids::{BindingId, FunctionId, LoopId};
use super::reasons::{Place, Reason, Reasons};
use super::shapes::{Shape, shape_of};

/// Names that programs cannot define, and whose values reach no tool.
const FIXED: [&str; 6] = ["undefined", "NaN", "Infinity", "console", "harden", "final_answer"];
/// Names of the global object.
const GLOBAL_OBJECT: [&str; 3] = ["globalThis", "self", "global"];

/// What a program uses of the session, besides its tools.
#[derive(Default)]
pub(super) struct SessionNames {
    /// Names that are neither the program's nor tools, and where each is used first.
    pub(super) free: HashMap<Atom, BytePos>,
    /// The program's variables that later programs see, and that start with the value of an earlier one if it is a
    /// `var`.
    pub(super) globals: HashMap<Atom, (BindingId, bool)>,
    /// Names in `free` that it assigns to.
    pub(super) assigned: HashSet<Atom>,
}

/// What `this` is.
#[derive(Clone, Copy)]
enum This {
    /// The global object.
    Program,
    Function(FunctionId),
    /// A class or an instance of one, or nothing.
    Other,
}

/// The function whose body is being read.
struct Frame {
    function: FunctionId,
    this: This,
    in_loop: LoopId,
    /// The code is in a branch.
    is_conditional: bool,
    /// The function may have been left before.
    has_left: bool,
    /// The loop or `switch` may have been left before.
    has_left_part: bool,
    /// The iteration of the loop may have been left before.
    has_continued: bool,
    /// Labels of statements that may have been left before.
    left_labels: HashSet<Atom>,
}

impl Frame {
    fn new(function: FunctionId, this: This) -> Self {
        Self {
            function,
            this,
            in_loop: NO_LOOP,
            is_conditional: false,
            has_left: false,
            has_left_part: false,
            has_continued: false,
            left_labels: HashSet::new(),
        }
    }
}

pub(super) struct Lowering<'a> {
    pub(super) graph: Graph<'a>,
    pub(super) reasons: Reasons,
    pub(super) session_names: SessionNames,
    /// Name of the function with which the front end calls the value of the program.
    front: Option<&'a str>,
    /// The variables of each name that are in scope, innermost last.
    names: HashMap<Atom, Vec<BindingId>>,
    /// The names that each open scope declares.
    scopes: Vec<Vec<Atom>>,
    frame: Frame,
    /// The last position in the text.
    at: BytePos,
}

/// The body of a function.
enum Body<'n> {
    Statements(&'n [Stmt]),
    Expression(&'n Expr),
}

/// What kind of function it is.
#[derive(Clone, Copy, Default)]
struct Traits {
    is_async: bool,
    is_generator: bool,
    /// `this` and `arguments` are those of the function around it.
    is_arrow: bool,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(graph: Graph<'a>, front: Option<&'a str>) -> Self {
        Self {
            graph,
            reasons: Reasons::default(),
            session_names: SessionNames::default(),
            front,
            names: HashMap::new(),
            scopes: Vec::new(),
            frame: Frame::new(PROGRAM, This::Program),
            at: BytePos(0),
        }
    }

    /// Reads a whole program.
    pub(super) fn program(&mut self, module: &Module) {
        let mut body = Vec::new();
        for item in &module.body {
            match item {
                ModuleItem::Stmt(statement) => body.push(statement),
                // Programs cannot have any.
                ModuleItem::ModuleDecl(_) => self.open(Reason::Module, None),
            }
        }
        self.enter();
        let vars = names::var_names(body.iter().copied());
        for name in vars {
            let binding = self.declare_global(&name, true);
            self.session_names.globals.insert(name, (binding, true));
        }
        for name in names::lexical_names(body.iter().copied()) {
            let binding = self.declare_global(&name, false);
            self.session_names.globals.entry(name).or_insert((binding, false));
        }
        self.statements(&body);
        self.exit();
    }

    fn declare_global(&mut self, name: &Atom, is_var: bool) -> BindingId {
        if let Some(binding) = self.lookup(name) {
            return binding;
        }
        let binding = self.graph.add_binding(u32::from(is_var) * 2);
        if is_var {
            // The host may have sent a variable of this name.
            let node = self.graph.bindings[binding as usize].node;
            self.graph.put_unknown(node);
        }
        self.add_name(name.clone(), binding);
        binding
    }

    /// Everything is possible.
    fn open(&mut self, reason: Reason, name: Option<&str>) {
        self.reasons.add(reason, name, Place(self.at));
    }

    fn enter(&mut self) {
        self.scopes.push(Vec::new());
    }

    fn exit(&mut self) {
        for name in self.scopes.pop().into_iter().flatten() {
            if let Some(bindings) = self.names.get_mut(&name) {
                bindings.pop();
            }
        }
    }

    fn add_name(&mut self, name: Atom, binding: BindingId) {
        self.names.entry(name.clone()).or_default().push(binding);
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name);
        }
    }

    /// Declares names in the innermost scope.
    fn declare(&mut self, names: Vec<Atom>) {
        for name in names::unique(names) {
            let binding = self.graph.add_binding(0);
            self.add_name(name, binding);
        }
    }

    /// Declares the names that the statements of a block declare.
    fn declare_block<'n>(&mut self, statements: impl Iterator<Item = &'n Stmt>) {
        self.declare(names::lexical_names(statements));
    }

    fn lookup(&self, name: &Atom) -> Option<BindingId> {
        self.names.get(name).and_then(|bindings| bindings.last()).copied()
    }

    fn shape(&self, expr: &Expr) -> Shape {
        shape_of(expr, &|name| self.lookup(name))
    }

    fn see(&mut self, span: Span) {
        // Nodes that TypeScript became have no position.
        if !span.is_dummy() {
            self.at = span.lo;
        }
    }

    /// The value of a name.
    fn read(&mut self, name: &Ident) -> Value {
        match self.lookup(&name.sym) {
            Some(binding) => {
                let binding = &mut self.graph.bindings[binding as usize];
                binding.is_shared = true;
                Value::Node(binding.node)
            }
            None => self.read_free(name),
        }
    }

    /// The value of an expression of which only a part is used.
    fn read_whole(&mut self, expr: &Expr) -> Value {
        if let Expr::Ident(name) = expr.unwrap_parens()
            && let Some(binding) = self.lookup(&name.sym)
        {
            let binding = &mut self.graph.bindings[binding as usize];
            binding.parts_read += 1;
            return Value::Node(binding.node);
        }
        self.expr(expr)
    }

    fn read_free(&mut self, name: &Ident) -> Value {
        self.see(name.span);
        let text: &str = &name.sym;
        if text == "arguments"
            && let This::Function(function) = self.frame.this
        {
            self.graph.functions[function as usize].uses_arguments = true;
            return Value::Unknown;
        }
        if let Some(node) = self.graph.tools.global(text) {
            return self.graph.tracked(Tracked::Tool(node));
        }
        if GLOBAL_OBJECT.contains(&text) {
            self.open(Reason::GlobalObject, None);
        } else if !FIXED.contains(&text) {
            self.use_free(name.sym.clone());
        }
        Value::Unknown
    }

    fn use_free(&mut self, name: Atom) {
        let at = self.at;
        self.session_names.free.entry(name).or_insert(at);
    }

    /// Whether an expression is the global object.
    fn is_global_object(&self, expr: &Expr) -> bool {
        match expr.unwrap_parens() {
            Expr::This(_) => matches!(self.frame.this, This::Program),
            Expr::Ident(name) => {
                GLOBAL_OBJECT.contains(&&*name.sym)
                    && self.lookup(&name.sym).is_none()
                    && self.graph.tools.global(&name.sym).is_none()
            }
            _ => false,
        }
    }

    /// Reads code that is not executed whenever the code around it is.
    fn conditionally<R>(&mut self, read: impl FnOnce(&mut Self) -> R) -> R {
        let outer = mem::replace(&mut self.frame.is_conditional, true);
        let value = read(self);
        self.frame.is_conditional = outer;
        value
    }

    /// Reads code that may be executed several times.
    fn in_loop<R>(&mut self, bound: Bound, read: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.frame.in_loop;
        self.frame.in_loop = self.graph.add_loop(outer, bound);
        let value = read(self);
        self.frame.in_loop = outer;
        value
    }

    /// Reads a `switch`: leaving it does not affect the code after it.
    fn in_switch(&mut self, read: impl FnOnce(&mut Self)) {
        let outer = self.frame.has_left_part;
        read(self);
        self.frame.has_left_part = outer;
    }

    /// The same for the body of a loop.
    fn in_body(&mut self, bound: Bound, read: impl FnOnce(&mut Self)) {
        let outer = (self.frame.has_left_part, self.frame.has_continued);
        self.in_loop(bound, read);
        (self.frame.has_left_part, self.frame.has_continued) = outer;
    }

    fn is_conditional(&self) -> bool {
        let Frame { is_conditional, has_left, has_left_part, has_continued, ref left_labels, .. } = self.frame;
        is_conditional || has_left || has_left_part || has_continued || !left_labels.is_empty()
    }

    /// Reads a function.
    fn function<'n>(&mut self, params: impl Iterator<Item = &'n Pat>, body: Body<'n>, traits: Traits) -> FunctionId {
        let Traits { is_async, is_generator, is_arrow } = traits;
        let result = self.graph.node();
        let id = self.graph.add_function(Function { result, is_async, is_generator, ..Function::default() });
        let this = if is_arrow { self.frame.this } else { This::Function(id) };
        let outer = mem::replace(&mut self.frame, Frame::new(id, this));
        let params: Vec<_> = params.collect();
        self.enter();
        let mut names = Vec::new();
        params.iter().for_each(|pat| names::pattern_names(pat, &mut names));
        let declared = names.iter().cloned().collect();
        self.declare(names);
        for (index, pat) in params.into_iter().enumerate() {
            self.parameter(id, index, pat);
        }
        self.enter();
        match body {
            Body::Statements(statements) => {
                self.declare_vars(statements, &declared);
                self.declare_block(statements.iter());
                let statements: Vec<_> = statements.iter().collect();
                self.statements(&statements);
            }
            Body::Expression(expr) => self.give_back(Some(expr)),
        }
        self.exit();
        self.exit();
        self.frame = outer;
        id
    }

    fn parameter(&mut self, id: FunctionId, index: usize, pat: &Pat) {
        if let Pat::Rest(rest) = pat {
            self.graph.functions[id as usize].has_rest = true;
            return self.bind(&rest.arg, Value::Unknown, Shape::Any, patterns::BindingMode::Declare);
        }
        let node = self.graph.node();
        self.graph.functions[id as usize].params.push(node);
        let shape = Shape::Parameter(id, index as u32);
        self.bind(pat, Value::Node(node), shape, patterns::BindingMode::Declare);
    }

    /// Declares the `var`s of a function's body. A `var` with the name of a parameter starts with its value.
    fn declare_vars(&mut self, statements: &[Stmt], params: &HashSet<Atom>) {
        for name in names::var_names(statements.iter()) {
            let outer = self.lookup(&name).filter(|_| params.contains(&name));
            let binding = self.graph.add_binding(2);
            let node = self.graph.bindings[binding as usize].node;
            if let Some(outer) = outer {
                let outer = &mut self.graph.bindings[outer as usize];
                outer.is_shared = true;
                let value = Value::Node(outer.node);
                self.graph.flow(value, node);
            }
            self.add_name(name, binding);
        }
    }

    /// The code of a class that is executed where the class is: `this` is the class.
    fn in_class(&mut self, read: impl FnOnce(&mut Self)) {
        let outer = mem::replace(&mut self.frame.this, This::Other);
        read(self);
        self.frame.this = outer;
    }

    /// An expression that is executed for each instance of a class.
    fn initializer(&mut self, expr: &Expr) {
        let id = self.graph.add_function(Function { result: TOUCH, ..Function::default() });
        let outer = mem::replace(&mut self.frame, Frame::new(id, This::Other));
        let value = self.expr(expr);
        self.graph.escape(value);
        self.frame = outer;
        let function = self.graph.tracked(Tracked::Function(id));
        self.graph.escape(function);
    }

    fn block(&mut self, block: &BlockStmt) {
        self.enter();
        self.declare_block(block.stmts.iter());
        let statements: Vec<_> = block.stmts.iter().collect();
        self.statements(&statements);
        self.exit();
    }
}

/// The body of an arrow function.
fn arrow_body(body: &ArrowFunctionBody) -> Body<'_> {
    match body {
        ArrowFunctionBody::FunctionBody(body) => Body::Statements(&body.stmts),
        ArrowFunctionBody::Expr(expr) => Body::Expression(expr),
    }
}
