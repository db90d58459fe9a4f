//! Calls.

use swc_common::BytePos;
use swc_ecma_ast::{
    CallExpr, Callee, Expr, ExprOrSpread, MemberProp, NewExpr, OptChainBase, OptChainExpr, Pat, Prop, PropOrSpread,
    TaggedTpl,
};

use super::super::graph::{Argument, Call, CallKind, ListCall, Value};
use super::super::ids::ListRef;
use super::super::reasons::Reason;
use super::super::shapes::Shape;
use super::super::tools::ToolNode;
use super::Lowering;
use super::expressions::{Member, is_chain};

/// Methods of lists that call a function for each element, and whether the element is the second argument.
const LIST_METHODS: [(&str, bool); 12] = [
    ("map", false),
    ("forEach", false),
    ("filter", false),
    ("some", false),
    ("every", false),
    ("find", false),
    ("findIndex", false),
    ("findLast", false),
    ("findLastIndex", false),
    ("flatMap", false),
    ("reduce", true),
    ("reduceRight", true),
];
/// Methods of lists and texts that read them.
const READING_METHODS: [&str; 8] =
    ["join", "slice", "includes", "indexOf", "lastIndexOf", "keys", "toString", "concat"];

/// Globals that the front end's function uses.
const FRONT_NAMES: [&str; 3] = ["Array", "Object", "Promise"];

impl Lowering<'_> {
    pub(super) fn call(&mut self, call: &CallExpr, is_awaited: bool) -> Value {
        let callee = match &call.callee {
            Callee::Expr(callee) => &**callee,
            Callee::Super(_) => {
                self.arguments_to_unknown(&call.args);
                return Value::Unknown;
            }
            Callee::Import(_) => {
                self.see(call.span);
                self.open(Reason::Module, None);
                self.arguments_to_unknown(&call.args);
                return Value::Unknown;
            }
        };
        if let Some(value) = self.list_method(call, callee) {
            return value;
        }
        if let Some(value) = self.front_call(call, callee, is_awaited) {
            return value;
        }
        self.see(call.span);
        let at = self.at;
        let is_tool = self.tool_of(callee).is_some();
        let (value, receiver) = self.reference(callee);
        let rest = |lowering: &mut Self| {
            let arguments = lowering.arguments(&call.args, is_tool);
            let call = lowering.new_call(CallKind::Plain, receiver, arguments, at, is_awaited);
            lowering.graph.call(value, call)
        };
        if is_chain(callee) { self.conditionally(rest) } else { rest(self) }
    }

    pub(super) fn construct(&mut self, call: &NewExpr) -> Value {
        self.see(call.span);
        let at = self.at;
        let value = self.expr(&call.callee);
        let arguments = self.arguments(call.args.as_deref().unwrap_or_default(), false);
        let call = self.new_call(CallKind::New, Value::Plain, arguments, at, false);
        self.graph.call(value, call)
    }

    pub(super) fn tagged(&mut self, template: &TaggedTpl) -> Value {
        self.see(template.span);
        let at = self.at;
        let (value, receiver) = self.reference(&template.tag);
        let plain = Argument { value: Value::Unknown, shape: Shape::Any, is_spread: false };
        let mut arguments = vec![plain];
        for part in &template.tpl.exprs {
            let (value, shape) = (self.expr(part), self.shape(part));
            arguments.push(Argument { value, shape, is_spread: false });
        }
        let call = self.new_call(CallKind::Plain, receiver, arguments, at, false);
        self.graph.call(value, call)
    }

    /// The value of an expression, and the object that it is called on.
    fn reference(&mut self, callee: &Expr) -> (Value, Value) {
        match callee.unwrap_parens() {
            Expr::Member(member) => self.reference_of_member(member, Member::Called),
            Expr::OptChain(chain) => self.reference_of_chain(chain),
            other => (self.expr(other), Value::Plain),
        }
    }

    pub(super) fn reference_of_chain(&mut self, chain: &OptChainExpr) -> (Value, Value) {
        match &*chain.base {
            OptChainBase::Member(member) => self.reference_of_member(member, Member::Optional),
            OptChainBase::Call(call) => {
                self.see(call.span);
                let at = self.at;
                let is_tool = self.tool_of(&call.callee).is_some();
                let (value, receiver) = self.reference(&call.callee);
                let result = self.conditionally(|lowering| {
                    let arguments = lowering.arguments(&call.args, is_tool);
                    let call = lowering.new_call(CallKind::Plain, receiver, arguments, at, false);
                    lowering.graph.call(value, call)
                });
                (result, Value::Plain)
            }
        }
    }

    fn new_call(
        &mut self,
        kind: CallKind,
        receiver: Value,
        arguments: Vec<Argument>,
        at: BytePos,
        is_awaited: bool,
    ) -> Call {
        Call {
            kind,
            receiver,
            arguments,
            result: self.graph.node(),
            at,
            owner: self.frame.function,
            in_loop: self.frame.in_loop,
            is_conditional: self.is_conditional(),
            is_awaited,
            targets: Vec::new(),
            is_unknown: false,
        }
    }

    /// `is_tool`: they are copied, so they cannot be changed through the call.
    fn arguments(&mut self, args: &[ExprOrSpread], is_tool: bool) -> Vec<Argument> {
        let mut arguments = Vec::new();
        for ExprOrSpread { spread, expr } in args {
            let is_spread = spread.is_some();
            let value = match (is_spread, is_tool) {
                (true, _) => self.read_whole(expr),
                (false, true) => self.copied(expr),
                (false, false) => self.expr(expr),
            };
            if is_spread {
                self.graph.touch(value);
            }
            let shape = if is_spread { Shape::Any } else { self.shape(expr) };
            arguments.push(Argument { value, shape, is_spread });
        }
        arguments
    }

    fn arguments_to_unknown(&mut self, args: &[ExprOrSpread]) {
        for ExprOrSpread { expr, .. } in args {
            let value = self.expr(expr);
            self.graph.escape(value);
        }
    }

    /// An argument of a tool. Variables in it stay as they are.
    fn copied(&mut self, expr: &Expr) -> Value {
        match expr {
            Expr::Paren(paren) => self.copied(&paren.expr),
            Expr::Ident(name) => match self.lookup(&name.sym) {
                Some(binding) => Value::Node(self.graph.bindings[binding as usize].node),
                None => self.expr(expr),
            },
            Expr::Object(object) if object.props.iter().all(is_copied) => {
                for prop in &object.props {
                    let prop = match prop {
                        PropOrSpread::Prop(prop) => prop,
                        PropOrSpread::Spread(spread) => {
                            let value = self.read_whole(&spread.expr);
                            self.graph.escape(value);
                            continue;
                        }
                    };
                    let value = match &**prop {
                        Prop::Shorthand(name) => self.copied(&Expr::Ident(name.clone())),
                        Prop::KeyValue(pair) => self.copied(&pair.value),
                        _ => continue,
                    };
                    self.graph.touch(value);
                }
                Value::Plain
            }
            Expr::Array(list) if list.elems.iter().flatten().all(|element| element.spread.is_none()) => {
                for element in list.elems.iter().flatten() {
                    let value = self.copied(&element.expr);
                    self.graph.touch(value);
                }
                Value::Plain
            }
            _ => self.expr(expr),
        }
    }

    /// The tool that an expression names directly.
    fn tool_of(&self, expr: &Expr) -> Option<ToolNode> {
        match expr.unwrap_parens() {
            Expr::Ident(name) if self.lookup(&name.sym).is_none() => self.graph.tools.global(&name.sym),
            Expr::Member(member) => {
                let MemberProp::Ident(key) = &member.prop else { return None };
                self.graph.tools.member(self.tool_of(&member.obj)?, &key.sym)
            }
            _ => None,
        }
    }

    /// `['a', 'b'].map(f)`, and `names.map(f)` of a variable.
    fn list_method(&mut self, call: &CallExpr, callee: &Expr) -> Option<Value> {
        let Expr::Member(member) = callee.unwrap_parens() else { return None };
        let MemberProp::Ident(key) = &member.prop else { return None };
        let object = member.obj.unwrap_parens();
        if READING_METHODS.contains(&&*key.sym) && object.is_ident() && self.is_data(object) {
            return self.reading_method(call, member);
        }
        let &(_, is_folding) = LIST_METHODS.iter().find(|(name, _)| key.sym == **name)?;
        let callback = &call.args.first()?.expr;
        if call.args.iter().any(|argument| argument.spread.is_some()) || self.tool_of(object).is_some() {
            return None;
        }
        let list = self.list_of(object)?;
        // A tool gets copies.
        let may_change = self.tool_of(callback).is_none() && !takes_elements(callback, is_folding);
        self.see(call.span);
        let at = self.at;
        let receiver = match list {
            ListRef::Literal(_) => self.expr(object),
            ListRef::Variable(_) => self.read_whole(object),
        };
        let arguments = self.arguments(&call.args, false);
        let prepared = self.new_call(CallKind::Plain, receiver, arguments, at, false);
        let result = prepared.result;
        let method = key.sym.clone();
        self.graph.list_calls.push(ListCall { list, method, is_folding, may_change, call: prepared });
        Some(Value::Node(result))
    }

    /// Whether a variable was declared before with a literal that has no methods.
    fn is_data(&self, object: &Expr) -> bool {
        let binding = object.as_ident().and_then(|name| self.lookup(&name.sym));
        binding.is_some_and(|binding| matches!(self.graph.bindings[binding as usize].shape, Shape::List { .. }))
    }

    /// `names.join(', ')`.
    fn reading_method(&mut self, call: &CallExpr, member: &swc_ecma_ast::MemberExpr) -> Option<Value> {
        let receiver = self.read_whole(&member.obj);
        self.graph.touch(receiver);
        self.arguments_to_unknown(&call.args);
        Some(Value::Unknown)
    }

    /// The call with which the front end of a session calls the value of a program, if it is a function.
    fn front_call(&mut self, call: &CallExpr, callee: &Expr, is_awaited: bool) -> Option<Value> {
        let front = self.front?;
        let Expr::Ident(name) = callee else { return None };
        if name.sym != *front || self.lookup(&name.sym).is_some() {
            return None;
        }
        let takes_any = call.args.get(1).is_some_and(|argument| is_true(&argument.expr));
        let given = call.args.first().map_or(Value::Plain, |argument| self.expr(&argument.expr));
        // Its `then` is called, and methods of what a module exports.
        self.graph.touch(given);
        self.see(call.span);
        FRONT_NAMES.iter().for_each(|&name| self.use_free(name.into()));
        let at = self.at;
        let call = self.new_call(CallKind::Front { takes_any }, Value::Plain, Vec::new(), at, is_awaited);
        Some(self.graph.call(given, call))
    }
}

/// Whether a member of an object literal is a value under a name, or those of another object.
fn is_copied(prop: &PropOrSpread) -> bool {
    let PropOrSpread::Prop(prop) = prop else { return true };
    match &**prop {
        Prop::Shorthand(_) => true,
        Prop::KeyValue(pair) => !pair.key.is_computed(),
        _ => false,
    }
}

/// Whether a function literal cannot reach the list whose elements it gets.
fn takes_elements(callback: &Expr, is_folding: bool) -> bool {
    let most = if is_folding { 3 } else { 2 };
    let are_plain = |params: &[&Pat]| params.len() <= most && !params.iter().any(|param| param.is_rest());
    match callback.unwrap_parens() {
        Expr::Arrow(arrow) => are_plain(&arrow.params.iter().collect::<Vec<_>>()),
        _ => false,
    }
}

fn is_true(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(swc_ecma_ast::Lit::Bool(value)) if value.value)
}
