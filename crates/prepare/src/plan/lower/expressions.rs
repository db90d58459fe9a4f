//! Expressions that do not call.

use std::collections::HashSet;

use swc_atoms::Atom;
use swc_ecma_ast::{
    ArrayLit, ArrowExpr, AssignExpr, AssignOp, AssignTarget, AssignTargetPat, BinExpr, BinaryOp, Expr, FnExpr,
    Function, MemberExpr, MemberProp, MetaPropKind, ObjectLit, Prop, PropName, PropOrSpread, SuperProp, UnaryExpr,
    UnaryOp, UpdateExpr, YieldExpr,
};

use super::super::graph::{Tracked, Value};
use super::super::ids::FunctionId;
use super::super::reasons::Reason;
use super::super::shapes::{Shape, static_key};
use super::patterns::BindingMode;
use super::{Body, Lowering, This, Traits, arrow_body};

/// What is done with a member.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Member {
    Read,
    /// A method may change the object.
    Called,
    /// The same, if the object is not missing.
    Optional,
}

impl Lowering<'_> {
    /// Reads an expression. Each case is a function, so that the frames of deep trees stay small.
    pub(super) fn expr(&mut self, expr: &Expr) -> Value {
        match expr {
            Expr::Lit(_) => Value::Plain,
            Expr::Ident(name) => self.read(name),
            Expr::Paren(paren) => self.expr(&paren.expr),
            Expr::Member(member) => self.member(member),
            Expr::Call(call) => self.call(call, false),
            Expr::New(call) => self.construct(call),
            Expr::OptChain(chain) => self.reference_of_chain(chain).0,
            Expr::TaggedTpl(template) => self.tagged(template),
            Expr::Await(awaited) => self.await_value(&awaited.arg),
            Expr::Object(object) => self.object(object),
            Expr::Array(list) => self.array(list),
            Expr::Arrow(arrow) => self.arrow(arrow),
            Expr::Fn(function) => self.function_expression(function),
            Expr::Class(class) => self.class(&class.class, class.ident.as_ref()),
            Expr::Tpl(template) => self.touch_all(template.exprs.iter().map(|part| &**part)),
            Expr::Unary(unary) => self.unary(unary),
            Expr::Update(update) => self.update(update),
            Expr::Bin(binary) => self.binary(binary),
            Expr::Assign(assign) => self.assign(assign),
            Expr::Cond(cond) => {
                self.expr(&cond.test);
                self.conditionally(|lowering| {
                    let one = lowering.expr(&cond.cons);
                    let other = lowering.expr(&cond.alt);
                    lowering.either(one, other)
                })
            }
            Expr::Seq(sequence) => sequence.exprs.iter().fold(Value::Plain, |_, part| self.expr(part)),
            Expr::Yield(yielded) => self.yielded(yielded),
            Expr::This(_) => self.this(),
            Expr::SuperProp(property) => {
                // A method of the prototype gets `this`.
                self.this();
                self.super_key(property);
                Value::Unknown
            }
            Expr::MetaProp(meta) => self.meta(meta.kind),
            Expr::PrivateName(_) => Value::Plain,
            // Types are removed before.
            _ => {
                self.open(Reason::NotReadable, None);
                Value::Unknown
            }
        }
    }

    fn touch_all<'n>(&mut self, parts: impl Iterator<Item = &'n Expr>) -> Value {
        for part in parts {
            let value = self.expr(part);
            self.graph.touch(value);
        }
        Value::Plain
    }

    fn this(&mut self) -> Value {
        match self.frame.this {
            This::Program => self.open(Reason::GlobalObject, None),
            This::Function(function) => self.graph.functions[function as usize].uses_this = true,
            This::Other => {}
        }
        Value::Unknown
    }

    fn meta(&mut self, kind: MetaPropKind) -> Value {
        match (kind, self.frame.this) {
            // `new.target` is the function itself.
            (MetaPropKind::NewTarget, This::Function(function)) => {
                let function = self.graph.tracked(Tracked::Function(function));
                self.graph.escape(function);
            }
            (MetaPropKind::NewTarget, _) => {}
            (MetaPropKind::ImportMeta, _) => self.open(Reason::Module, None),
        }
        Value::Unknown
    }

    fn await_value(&mut self, expr: &Expr) -> Value {
        let value = self.awaited(expr);
        self.graph.awaited(value)
    }

    /// An expression whose promise is awaited.
    pub(super) fn awaited(&mut self, expr: &Expr) -> Value {
        match expr.unwrap_parens() {
            Expr::Call(call) => self.call(call, true),
            other => self.expr(other),
        }
    }

    fn yielded(&mut self, yielded: &YieldExpr) -> Value {
        if let Some(arg) = yielded.arg.as_deref() {
            let value = self.expr(arg);
            self.graph.escape(value);
        }
        Value::Unknown
    }

    fn unary(&mut self, unary: &UnaryExpr) -> Value {
        let value = self.expr(&unary.arg);
        match unary.op {
            UnaryOp::TypeOf | UnaryOp::Bang | UnaryOp::Void => {}
            UnaryOp::Minus | UnaryOp::Plus | UnaryOp::Tilde | UnaryOp::Delete => self.graph.touch(value),
        }
        if unary.op == UnaryOp::Delete {
            self.delete_from(&unary.arg);
        }
        Value::Plain
    }

    /// The object of a member that is deleted changes.
    fn delete_from(&mut self, target: &Expr) {
        if let Expr::Member(MemberExpr { obj, .. }) = target.unwrap_parens()
            && let Expr::Ident(name) = obj.unwrap_parens()
        {
            let object = self.read(name);
            self.graph.escape(object);
        }
    }

    fn update(&mut self, update: &UpdateExpr) -> Value {
        if let Expr::Ident(name) = update.arg.unwrap_parens() {
            let value = self.read(name);
            self.graph.touch(value);
        }
        self.assign_to(&update.arg, Value::Unknown);
        Value::Plain
    }

    fn binary(&mut self, binary: &BinExpr) -> Value {
        let left = self.expr(&binary.left);
        if matches!(binary.op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::NullishCoalescing) {
            let right = self.conditionally(|lowering| lowering.expr(&binary.right));
            return self.either(left, right);
        }
        let right = self.expr(&binary.right);
        match binary.op {
            BinaryOp::EqEqEq | BinaryOp::NotEqEq => {}
            // `Symbol.hasInstance` gets the value.
            BinaryOp::InstanceOf => {
                self.graph.escape(left);
                self.graph.escape(right);
            }
            _ => {
                self.graph.touch(left);
                self.graph.touch(right);
            }
        }
        Value::Plain
    }

    fn assign(&mut self, assign: &AssignExpr) -> Value {
        let AssignExpr { op, left, right, .. } = assign;
        let target = match left {
            AssignTarget::Simple(target) => target,
            AssignTarget::Pat(pat) => {
                let value = self.expr(right);
                match pat {
                    AssignTargetPat::Array(list) => self.bind_elements(list, value, BindingMode::Assign),
                    AssignTargetPat::Object(object) => {
                        self.bind_members(object, value, Shape::Any, BindingMode::Assign)
                    }
                    AssignTargetPat::Invalid(_) => self.open(Reason::NotReadable, None),
                }
                return value;
            }
        };
        match op {
            AssignOp::Assign => {
                let value = self.expr(right);
                self.assign_simple(target, value);
                value
            }
            AssignOp::AndAssign | AssignOp::OrAssign | AssignOp::NullishAssign => {
                let value = self.conditionally(|lowering| lowering.expr(right));
                self.assign_simple(target, value);
                // What it was before is unknown, or in the same variable.
                let before = match target.as_ident() {
                    Some(name) => self.read(&name.id),
                    None => Value::Unknown,
                };
                self.either(value, before)
            }
            _ => {
                let value = self.expr(right);
                self.graph.touch(value);
                if let Some(name) = target.as_ident() {
                    let before = self.read(&name.id);
                    self.graph.touch(before);
                }
                self.assign_simple(target, Value::Unknown);
                Value::Plain
            }
        }
    }

    /// A list. What is in it can be called through it.
    fn array(&mut self, list: &ArrayLit) -> Value {
        for element in list.elems.iter().flatten() {
            match element.spread {
                Some(_) => {
                    let value = self.read_whole(&element.expr);
                    self.graph.touch(value);
                }
                None => {
                    let value = self.expr(&element.expr);
                    self.graph.escape(value);
                }
            }
        }
        Value::Unknown
    }

    fn object(&mut self, object: &ObjectLit) -> Value {
        let is_simple = object.props.iter().all(is_simple);
        let mut members = Vec::new();
        for prop in &object.props {
            let prop = match prop {
                PropOrSpread::Spread(spread) => {
                    let value = self.read_whole(&spread.expr);
                    // Its members are read.
                    self.graph.escape(value);
                    continue;
                }
                PropOrSpread::Prop(prop) => &**prop,
            };
            let (key, value) = match prop {
                Prop::Shorthand(name) => (Some(name.sym.to_string()), self.read(name)),
                Prop::KeyValue(pair) => {
                    self.key(&pair.key);
                    (static_key(&pair.key), self.expr(&pair.value))
                }
                Prop::Method(method) => {
                    self.key(&method.key);
                    (static_key(&method.key), self.method(&method.function))
                }
                Prop::Getter(getter) => {
                    self.key(&getter.key);
                    (None, self.method(&getter.function))
                }
                Prop::Setter(setter) => {
                    self.key(&setter.key);
                    (None, self.method(&setter.function))
                }
                // Only a pattern may have it.
                Prop::Assign(assign) => (None, self.expr(&assign.value)),
            };
            match key.filter(|_| is_simple) {
                Some(key) => members.push((Atom::from(key), value)),
                None => self.graph.escape(value),
            }
        }
        // Others are unknown when they are read. A name may be there twice.
        let followed: HashSet<_> =
            members.iter().filter(|(_, value)| matches!(value, Value::Node(_))).map(|(key, _)| key.clone()).collect();
        members.retain(|(key, _)| followed.contains(key));
        if members.is_empty() { Value::Unknown } else { self.graph.add_object(members) }
    }

    /// The name of a member, which may be computed.
    pub(super) fn key(&mut self, key: &PropName) {
        if let PropName::Computed(computed) = key {
            let value = self.expr(&computed.expr);
            self.graph.touch(value);
        }
    }

    pub(super) fn super_key(&mut self, property: &swc_ecma_ast::SuperPropExpr) {
        if let SuperProp::Computed(computed) = &property.prop {
            let value = self.expr(&computed.expr);
            self.graph.touch(value);
        }
    }

    fn method(&mut self, function: &Function) -> Value {
        self.see(function.span);
        let id = self.function_of(function);
        self.graph.tracked(Tracked::Function(id))
    }

    pub(super) fn function_of(&mut self, function: &Function) -> FunctionId {
        let traits = Traits { is_async: function.is_async, is_generator: function.is_generator, is_arrow: false };
        let body = function.body.as_ref().map_or(&[][..], |body| &body.stmts);
        self.function(function.params.iter().map(|param| &param.pat), Body::Statements(body), traits)
    }

    fn function_expression(&mut self, expression: &FnExpr) -> Value {
        self.see(expression.function.span);
        self.enter();
        let own = expression.ident.as_ref();
        if let Some(name) = own {
            self.declare(vec![name.sym.clone()]);
        }
        let id = self.function_of(&expression.function);
        if let Some(binding) = own.and_then(|name| self.lookup(&name.sym)) {
            let node = self.graph.bindings[binding as usize].node;
            let function = self.graph.tracked(Tracked::Function(id));
            self.graph.flow(function, node);
        }
        self.exit();
        self.graph.tracked(Tracked::Function(id))
    }

    fn arrow(&mut self, arrow: &ArrowExpr) -> Value {
        self.see(arrow.span);
        let traits = Traits { is_async: arrow.is_async, is_generator: false, is_arrow: true };
        let id = self.function(arrow.params.iter(), arrow_body(&arrow.body), traits);
        self.graph.tracked(Tracked::Function(id))
    }

    /// A member whose value is used, but not called.
    fn member(&mut self, member: &MemberExpr) -> Value {
        self.reference_of_member(member, Member::Read).0
    }

    /// The value of a member, and the object that it is called on.
    pub(super) fn reference_of_member(&mut self, member: &MemberExpr, use_: Member) -> (Value, Value) {
        let key = match &member.prop {
            MemberProp::Ident(name) => Some(name.sym.clone()),
            MemberProp::Computed(computed) => key_text(&computed.expr).map(Into::into),
            MemberProp::PrivateName(_) => None,
        };
        if self.is_global_object(&member.obj)
            && let Some(key) = &key
            && let Some(tool) = self.graph.tools.global(key)
        {
            return (self.graph.tracked(Tracked::Tool(tool)), Value::Plain);
        }
        let object = if use_ == Member::Read { self.read_whole(&member.obj) } else { self.expr(&member.obj) };
        match key {
            Some(key) => (self.graph.member(object, key), object),
            None => {
                if let MemberProp::Computed(computed) = &member.prop {
                    let is_optional = use_ == Member::Optional || is_chain(&member.obj);
                    let read = |lowering: &mut Self| lowering.expr(&computed.expr);
                    let key = if is_optional { self.conditionally(read) } else { read(self) };
                    self.graph.touch(key);
                }
                self.graph.escape(object);
                (Value::Unknown, object)
            }
        }
    }
}

/// Whether an expression ends early if a part of it is missing.
pub(super) fn is_chain(expr: &Expr) -> bool {
    expr.unwrap_parens().is_opt_chain()
}

/// Whether a member of an object literal has a name that its text says, and is no accessor.
fn is_simple(prop: &PropOrSpread) -> bool {
    let PropOrSpread::Prop(prop) = prop else { return false };
    match &**prop {
        Prop::Shorthand(_) => true,
        Prop::KeyValue(pair) => static_key(&pair.key).is_some_and(|key| key != "__proto__"),
        Prop::Method(method) => static_key(&method.key).is_some(),
        Prop::Getter(_) | Prop::Setter(_) | Prop::Assign(_) => false,
    }
}

/// The name that a computed member has, if it is a literal.
fn key_text(expr: &Expr) -> Option<String> {
    match expr.unwrap_parens() {
        Expr::Lit(swc_ecma_ast::Lit::Str(text)) => text.value.as_str().map(str::to_owned),
        Expr::Tpl(template) if template.exprs.is_empty() => {
            template.quasis.first()?.cooked.as_ref()?.as_str().map(str::to_owned)
        }
        _ => None,
    }
}
