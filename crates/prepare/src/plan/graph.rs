//! Which functions and tools can be the value of which expression.
//!
//! A node stands for the value of a variable, a parameter, a result or an expression, at any time of the program.
//! Values that matter, the tracked ones, flow along the uses of nodes. One that flows to [`ESCAPE`] may be called by
//! code that is not resolved: any number of times, with any arguments. So an unresolved call needs no edge: it can only
//! reach what has escaped.

use std::collections::{HashMap, HashSet};

use swc_atoms::Atom;
use swc_common::BytePos;

use super::ids::{BindingId, CallId, FunctionId, ListRef, LoopId, NodeId, ObjectId};
use super::shapes::Shape;
use super::tools::{ToolNode, ToolTree};

/// What flows here may be called by code that is not resolved.
pub(super) const ESCAPE: NodeId = 0;
/// What flows here is converted, iterated, awaited, copied or shown. That calls methods of objects, but not functions.
pub(super) const TOUCH: NodeId = 1;
/// The program itself.
pub(super) const PROGRAM: FunctionId = 0;
/// No loop: the body of the function.
pub(super) const NO_LOOP: LoopId = 0;

/// A node with more tracked values is treated as if all of them escaped.
const MAX_TRACKED: usize = 32;
/// Steps after which everything counts as possible. A program of 1 MiB takes about 2 million.
const MAX_STEPS: usize = 20_000_000;

/// A value that leads to a call of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Tracked {
    /// A tool, or a namespace of tools.
    Tool(ToolNode),
    Function(FunctionId),
    /// An object literal whose members are known.
    Object(ObjectId),
}

/// The value of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// Neither tracked nor callable.
    Plain,
    /// Not resolved. It can be a tracked value only if that has escaped.
    Unknown,
    Node(NodeId),
}

#[derive(Debug, Clone)]
enum Use {
    Flow(NodeId),
    /// The same after an `await`.
    Awaited(NodeId),
    Member {
        key: Atom,
        into: NodeId,
    },
    Callee(CallId),
}

/// What a node gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Item {
    Tracked(Tracked),
    Unknown,
    Plain,
}

#[derive(Default)]
struct Node {
    tracked: Vec<Tracked>,
    /// It may have values that are not resolved, too.
    is_unknown: bool,
    /// It may have values that are not callable, such as texts and promises. Their methods are not resolved.
    is_plain: bool,
    uses: Vec<Use>,
}

/// A function of the program.
#[derive(Default)]
pub(super) struct Function {
    /// The values of the parameters. A rest parameter is not among them.
    pub(super) params: Vec<NodeId>,
    pub(super) has_rest: bool,
    pub(super) uses_arguments: bool,
    pub(super) uses_this: bool,
    pub(super) is_async: bool,
    pub(super) is_generator: bool,
    /// The result, without the promise of an async function.
    pub(super) result: NodeId,
    /// Code that is not resolved may call it.
    pub(super) is_escaped: bool,
    pub(super) callers: Vec<CallId>,
}

#[derive(Default)]
struct Object {
    /// A node for each member.
    members: HashMap<Atom, NodeId>,
    /// Nodes that get the value of a member.
    readers: Vec<NodeId>,
    is_escaped: bool,
}

/// A call of a method that calls a function for each element, if the receiver is a list that is known.
pub(super) struct ListCall {
    pub(super) list: ListRef,
    pub(super) method: Atom,
    pub(super) is_folding: bool,
    /// The function may change the list.
    pub(super) may_change: bool,
    pub(super) call: Call,
}

/// What a method of a list passes to the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passed {
    Element,
    /// An element that the function may have changed before.
    Changed,
    /// What it has so far, and an element. It may call the function once less than there are elements.
    Fold,
}

/// How the callee of a call is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallKind {
    Plain,
    /// With `new`. Tools are not constructors.
    New,
    /// By a method of a list, for each of its elements.
    Callback {
        list: ListRef,
        passed: Passed,
    },
    /// By the front end, which calls the value of a program without arguments if it is a function.
    Front {
        takes_any: bool,
    },
}

pub(super) struct Argument {
    pub(super) value: Value,
    pub(super) shape: Shape,
    pub(super) is_spread: bool,
}

/// A call in the text of the program.
pub(super) struct Call {
    pub(super) kind: CallKind,
    pub(super) receiver: Value,
    pub(super) arguments: Vec<Argument>,
    pub(super) result: NodeId,
    pub(super) at: BytePos,
    /// The function whose body makes the call.
    pub(super) owner: FunctionId,
    pub(super) in_loop: LoopId,
    /// Not every execution of the body makes the call, apart from its loops.
    pub(super) is_conditional: bool,
    /// Its result is awaited immediately.
    pub(super) is_awaited: bool,
    pub(super) targets: Vec<Tracked>,
    /// It may call something that is not resolved, too.
    pub(super) is_unknown: bool,
}

/// A variable.
pub(super) struct Binding {
    pub(super) node: NodeId,
    /// Its value, if it has that from its declaration on.
    pub(super) shape: Shape,
    /// Assignments besides its declaration. A `var` has one, because it can be read before its declaration.
    pub(super) writes: u32,
    /// It is used in a way that may change what it refers to, or make that reachable in another way.
    pub(super) is_shared: bool,
    /// The number of places that read a part of it.
    pub(super) parts_read: u32,
}

/// A loop of the program.
pub(super) struct Loop {
    pub(super) outer: LoopId,
    pub(super) bound: Bound,
}

/// How often the body of a loop is executed.
pub(super) enum Bound {
    /// The body of a function.
    Once,
    Unbounded,
    /// The same, and at least once.
    AtLeastOnce,
    /// For each element.
    List(ListRef),
    /// `for (let i = from; i < to; i += step)`. `extra`: for the test, which is evaluated once more.
    Counter(Box<Counter>),
}

pub(super) struct Counter {
    pub(super) binding: BindingId,
    pub(super) from: f64,
    pub(super) to: Shape,
    /// The last value counts too.
    pub(super) is_inclusive: bool,
    pub(super) step: f64,
    pub(super) is_test: bool,
}

/// The values of a program and where they flow.
pub(super) struct Graph<'a> {
    pub(super) tools: &'a ToolTree,
    nodes: Vec<Node>,
    pub(super) functions: Vec<Function>,
    objects: Vec<Object>,
    pub(super) calls: Vec<Call>,
    pub(super) bindings: Vec<Binding>,
    pub(super) loops: Vec<Loop>,
    /// Literals of lists.
    pub(super) lists: Vec<Shape>,
    pub(super) list_calls: Vec<ListCall>,
    is_solving: bool,
    /// Tools and namespaces that code which is not resolved has.
    escaped: HashSet<ToolNode>,
    work: Vec<(NodeId, Item)>,
    steps: usize,
    /// The limits were reached.
    pub(super) is_exhausted: bool,
}

impl<'a> Graph<'a> {
    pub(super) fn new(tools: &'a ToolTree) -> Self {
        let mut graph = Self {
            tools,
            nodes: Vec::new(),
            functions: Vec::new(),
            objects: Vec::new(),
            calls: Vec::new(),
            bindings: Vec::new(),
            loops: vec![Loop { outer: NO_LOOP, bound: Bound::Once }],
            lists: Vec::new(),
            list_calls: Vec::new(),
            is_solving: false,
            escaped: HashSet::new(),
            work: Vec::new(),
            steps: 0,
            is_exhausted: false,
        };
        graph.node();
        graph.node();
        // What the program returns is its output.
        graph.functions.push(Function { result: TOUCH, ..Function::default() });
        graph
    }

    pub(super) fn node(&mut self) -> NodeId {
        self.nodes.push(Node::default());
        (self.nodes.len() - 1) as NodeId
    }

    pub(super) fn tracked(&mut self, tracked: Tracked) -> Value {
        let node = self.node();
        self.put(node, tracked);
        Value::Node(node)
    }

    pub(super) fn add_function(&mut self, function: Function) -> FunctionId {
        self.functions.push(function);
        (self.functions.len() - 1) as FunctionId
    }

    pub(super) fn add_object(&mut self, members: Vec<(Atom, Value)>) -> Value {
        let mut nodes = HashMap::new();
        for (key, value) in members {
            let node = *nodes.entry(key).or_insert_with(|| self.node());
            self.flow(value, node);
        }
        self.objects.push(Object { members: nodes, ..Object::default() });
        self.tracked(Tracked::Object((self.objects.len() - 1) as ObjectId))
    }

    pub(super) fn add_binding(&mut self, writes: u32) -> BindingId {
        let node = self.node();
        let shape = Shape::Any;
        self.bindings.push(Binding { node, shape, writes, is_shared: false, parts_read: 0 });
        (self.bindings.len() - 1) as BindingId
    }

    pub(super) fn add_loop(&mut self, outer: LoopId, bound: Bound) -> LoopId {
        self.loops.push(Loop { outer, bound });
        (self.loops.len() - 1) as LoopId
    }

    /// The value flows into the node.
    pub(super) fn flow(&mut self, value: Value, into: NodeId) {
        match value {
            Value::Plain => self.put_plain(into),
            Value::Unknown => self.put_unknown(into),
            Value::Node(node) => self.add_use(node, Use::Flow(into)),
        }
    }

    /// The value after an `await`. A promise of a value counts as the value.
    pub(super) fn awaited(&mut self, value: Value) -> Value {
        // Reads `then`.
        self.touch(value);
        let Value::Node(node) = value else { return value };
        let into = self.node();
        self.add_use(node, Use::Awaited(into));
        Value::Node(into)
    }

    pub(super) fn escape(&mut self, value: Value) {
        if matches!(value, Value::Node(_)) {
            self.flow(value, ESCAPE);
        }
    }

    pub(super) fn touch(&mut self, value: Value) {
        if matches!(value, Value::Node(_)) {
            self.flow(value, TOUCH);
        }
    }

    /// The member `key` of a value.
    pub(super) fn member(&mut self, value: Value, key: Atom) -> Value {
        let Value::Node(node) = value else { return Value::Unknown };
        let into = self.node();
        self.add_use(node, Use::Member { key, into });
        Value::Node(into)
    }

    /// Adds a call. Returns its result.
    pub(super) fn call(&mut self, callee: Value, call: Call) -> Value {
        let Value::Node(node) = callee else {
            let Call { receiver, arguments, .. } = call;
            self.escape(receiver);
            for argument in arguments {
                self.escape(argument.value);
            }
            return Value::Unknown;
        };
        let result = call.result;
        self.calls.push(call);
        self.add_use(node, Use::Callee((self.calls.len() - 1) as CallId));
        Value::Node(result)
    }

    /// Everything that a variable can refer to may be used and changed by code that is not resolved.
    pub(super) fn open_binding(&mut self, binding: BindingId) {
        let Binding { node, writes, is_shared, .. } = &mut self.bindings[binding as usize];
        (*writes, *is_shared) = (*writes + 2, true);
        let node = *node;
        self.put_unknown(node);
        self.escape(Value::Node(node));
    }

    fn put(&mut self, node: NodeId, tracked: Tracked) {
        let values = &mut self.nodes[node as usize].tracked;
        if values.contains(&tracked) {
            return;
        }
        if values.len() == MAX_TRACKED && node != ESCAPE && node != TOUCH {
            self.put_unknown(node);
            return self.put(ESCAPE, tracked);
        }
        if node == ESCAPE || node == TOUCH {
            // Kept in the values themselves: these nodes may get any number.
            return self.work.push((node, Item::Tracked(tracked)));
        }
        values.push(tracked);
        self.work.push((node, Item::Tracked(tracked)));
    }

    pub(super) fn put_unknown(&mut self, node: NodeId) {
        let is_unknown = &mut self.nodes[node as usize].is_unknown;
        if !std::mem::replace(is_unknown, true) {
            self.work.push((node, Item::Unknown));
        }
    }

    fn put_plain(&mut self, node: NodeId) {
        let is_plain = &mut self.nodes[node as usize].is_plain;
        if !std::mem::replace(is_plain, true) {
            self.work.push((node, Item::Plain));
        }
    }

    /// Tracked values flow only when everything is known of the functions that they may reach.
    fn add_use(&mut self, node: NodeId, added: Use) {
        let Node { tracked, is_unknown, is_plain, uses } = &mut self.nodes[node as usize];
        uses.push(added.clone());
        if !self.is_solving {
            return;
        }
        let (tracked, is_unknown, is_plain) = (tracked.clone(), *is_unknown, *is_plain);
        for value in tracked {
            self.apply(Item::Tracked(value), &added);
        }
        if is_unknown {
            self.apply(Item::Unknown, &added);
        }
        if is_plain {
            self.apply(Item::Plain, &added);
        }
    }

    /// The tools that code which is not resolved may call.
    pub(super) fn escaped_tools(&self) -> HashSet<ToolNode> {
        let mut found = HashSet::new();
        for &node in &self.escaped {
            self.tools.each_below(node, |tool| {
                found.insert(tool);
            });
        }
        found
    }

    /// Lets everything flow until nothing changes.
    pub(super) fn solve(&mut self) {
        self.settle_list_calls();
        self.is_solving = true;
        while let Some((node, item)) = self.work.pop() {
            match (node, item) {
                (ESCAPE, Item::Tracked(tracked)) => self.escape_tracked(tracked),
                (TOUCH, Item::Tracked(tracked)) => self.touch_tracked(tracked),
                (ESCAPE | TOUCH, Item::Unknown | Item::Plain) => {}
                _ => {
                    let count = self.nodes[node as usize].uses.len();
                    for index in 0..count {
                        let used = self.nodes[node as usize].uses[index].clone();
                        self.apply(item, &used);
                    }
                    self.steps += count;
                }
            }
            self.steps += 1;
            if self.steps > MAX_STEPS {
                self.is_exhausted = true;
                return;
            }
        }
    }

    /// The elements of a list that never changes.
    pub(super) fn list(&self, list: ListRef) -> Option<&[Shape]> {
        let shape = match list {
            ListRef::Literal(index) => &self.lists[index as usize],
            ListRef::Variable(binding) => {
                let binding = &self.bindings[binding as usize];
                Some(&binding.shape).filter(|_| binding.writes == 0 && !binding.is_shared)?
            }
        };
        match shape {
            Shape::List { items, is_open: false } => Some(items),
            _ => None,
        }
    }

    /// A method of another value than a list may do anything.
    fn settle_list_calls(&mut self) {
        let pending = std::mem::take(&mut self.list_calls);
        for pending in &pending {
            if let ListRef::Variable(binding) = pending.list
                && (pending.may_change || self.list(pending.list).is_none())
            {
                self.bindings[binding as usize].is_shared = true;
            }
        }
        for ListCall { list, method, is_folding, may_change, mut call } in pending {
            self.put_unknown(call.result);
            if self.list(list).is_none() {
                let callee = self.member(call.receiver, method);
                self.call(callee, call);
                continue;
            }
            let mut values = call.arguments.iter().map(|argument| argument.value);
            let callback = values.next().unwrap_or(Value::Plain);
            // `this` of the function, or the first value.
            let others: Vec<_> = values.collect();
            others.into_iter().for_each(|value| self.escape(value));
            let passed = match (is_folding, may_change) {
                (true, _) => Passed::Fold,
                (false, true) => Passed::Changed,
                (false, false) => Passed::Element,
            };
            (call.kind, call.receiver) = (CallKind::Callback { list, passed }, Value::Unknown);
            if let Value::Node(_) = callback {
                self.call(callback, call);
            }
        }
    }

    fn apply(&mut self, item: Item, used: &Use) {
        match (item, used) {
            (Item::Tracked(tracked), Use::Flow(into)) => self.put(*into, tracked),
            (Item::Tracked(tracked), Use::Awaited(into)) => self.put_awaited(*into, tracked),
            (Item::Tracked(tracked), Use::Member { key, into }) => self.read_member(tracked, key, *into),
            (Item::Tracked(tracked), Use::Callee(call)) => self.resolve(*call, tracked),
            (Item::Unknown, Use::Flow(into) | Use::Awaited(into) | Use::Member { into, .. }) => self.put_unknown(*into),
            (Item::Unknown, Use::Callee(call)) => self.call_unknown(*call),
            (Item::Plain, Use::Flow(into) | Use::Awaited(into)) => self.put_plain(*into),
            (Item::Plain, Use::Member { into, .. }) => self.put_unknown(*into),
            (Item::Plain, Use::Callee(_)) => {}
        }
    }

    /// A method `then` may pass on any value that has escaped. Tools have none.
    fn put_awaited(&mut self, into: NodeId, tracked: Tracked) {
        self.put(into, tracked);
        if !matches!(tracked, Tracked::Tool(node) if self.tools.is_tool(node)) {
            self.put_unknown(into);
        }
    }

    fn read_member(&mut self, tracked: Tracked, key: &Atom, into: NodeId) {
        match tracked {
            Tracked::Tool(node) => match self.tools.member(node, key) {
                Some(member) => self.put(into, Tracked::Tool(member)),
                None => self.read_of_function(tracked, key, into),
            },
            Tracked::Function(_) => self.read_of_function(tracked, key, into),
            Tracked::Object(object) => {
                let Object { members, readers, is_escaped } = &mut self.objects[object as usize];
                let found = members.get(key).copied();
                readers.push(into);
                if *is_escaped || found.is_none() {
                    self.put_unknown(into);
                }
                if let Some(member) = found {
                    self.add_use(member, Use::Flow(into));
                }
            }
        }
    }

    /// `call`, `apply` and `bind` call the function. Others, such as `prototype`, may lead to it.
    fn read_of_function(&mut self, tracked: Tracked, key: &Atom, into: NodeId) {
        self.put_unknown(into);
        if !matches!(key.as_str(), "name" | "length") {
            self.put(ESCAPE, tracked);
        }
    }

    fn resolve(&mut self, call: CallId, tracked: Tracked) {
        let targets = &mut self.calls[call as usize].targets;
        if targets.contains(&tracked) {
            return;
        }
        targets.push(tracked);
        match tracked {
            Tracked::Tool(node) if self.tools.is_tool(node) => self.call_tool(call),
            Tracked::Function(function) => self.call_function(call, function),
            // Neither can be called.
            Tracked::Tool(_) | Tracked::Object(_) => {}
        }
    }

    /// Arguments are copied, which reads their members.
    fn call_tool(&mut self, call: CallId) {
        let result = self.calls[call as usize].result;
        self.put_unknown(result);
        for value in self.argument_values(call) {
            self.touch(value);
        }
    }

    fn call_function(&mut self, call: CallId, function: FunctionId) {
        let Call { kind, receiver, result, ref arguments, is_awaited, .. } = self.calls[call as usize];
        let has_spread = arguments.iter().any(|argument| argument.is_spread);
        let values = self.argument_values(call);
        let Function {
            ref params, has_rest, uses_arguments, uses_this, is_async, is_generator, result: returned, ..
        } = self.functions[function as usize];
        let params = params.clone();
        self.functions[function as usize].callers.push(call);
        if uses_this {
            self.escape(receiver);
        }
        if has_spread || uses_arguments {
            values.iter().for_each(|&value| self.escape(value));
        }
        match kind {
            CallKind::Callback { .. } => params.iter().for_each(|&param| self.put_unknown(param)),
            CallKind::Front { .. } => {}
            _ if has_spread => params.iter().for_each(|&param| self.put_unknown(param)),
            CallKind::Plain | CallKind::New => {
                for (index, &value) in values.iter().enumerate() {
                    match params.get(index) {
                        Some(&param) => self.flow(value, param),
                        None if has_rest => self.escape(value),
                        None => {}
                    }
                }
            }
        }
        if is_generator || kind == CallKind::New {
            self.put_unknown(result);
        }
        if is_async && !is_awaited {
            // A promise.
            self.put_plain(result);
        }
        self.flow(Value::Node(returned), result);
        if matches!(kind, CallKind::Callback { .. } | CallKind::Front { .. }) {
            // The results are in a list, or are treated as the value was.
            self.escape(Value::Node(returned));
            self.put_unknown(result);
        }
    }

    fn call_unknown(&mut self, call: CallId) {
        if std::mem::replace(&mut self.calls[call as usize].is_unknown, true) {
            return;
        }
        let Call { receiver, result, .. } = self.calls[call as usize];
        self.put_unknown(result);
        self.escape(receiver);
        for value in self.argument_values(call) {
            self.escape(value);
        }
    }

    fn argument_values(&self, call: CallId) -> Vec<Value> {
        self.calls[call as usize].arguments.iter().map(|argument| argument.value).collect()
    }

    fn escape_tracked(&mut self, tracked: Tracked) {
        match tracked {
            Tracked::Tool(node) => {
                self.escaped.insert(node);
            }
            Tracked::Function(function) => {
                let function = &mut self.functions[function as usize];
                if std::mem::replace(&mut function.is_escaped, true) {
                    return;
                }
                let (params, result) = (function.params.clone(), function.result);
                params.iter().for_each(|&param| self.put_unknown(param));
                self.escape(Value::Node(result));
            }
            Tracked::Object(object) => {
                let Object { members, readers, is_escaped } = &mut self.objects[object as usize];
                if std::mem::replace(is_escaped, true) {
                    return;
                }
                let members: Vec<_> = members.values().copied().collect();
                let readers = readers.clone();
                readers.iter().for_each(|&reader| self.put_unknown(reader));
                members.iter().for_each(|&member| self.escape(Value::Node(member)));
            }
        }
    }

    fn touch_tracked(&mut self, tracked: Tracked) {
        match tracked {
            // Functions of tools are frozen. A member of a function is set in a way that makes the function escape.
            Tracked::Tool(node) if self.tools.is_tool(node) => {}
            Tracked::Function(_) => {}
            Tracked::Tool(_) | Tracked::Object(_) => self.put(ESCAPE, tracked),
        }
    }
}
