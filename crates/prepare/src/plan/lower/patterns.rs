//! Patterns that declare or assign names.

use swc_ecma_ast::{
    ArrayPat, Expr, Ident, MemberExpr, MemberProp, ObjectPat, ObjectPatProp, Pat, PropName, SimpleAssignTarget,
};

use super::super::graph::Value;
use super::super::reasons::Reason;
use super::super::shapes::{Shape, static_key};
use super::Lowering;

/// What a pattern does with its names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BindingMode {
    Declare,
    Assign,
}

impl Lowering<'_> {
    /// Gives the names of a pattern their parts of a value.
    pub(super) fn bind(&mut self, pat: &Pat, value: Value, shape: Shape, mode: BindingMode) {
        match pat {
            Pat::Ident(name) => self.bind_name(&name.id, value, shape, mode),
            Pat::Object(object) => self.bind_members(object, value, shape, mode),
            Pat::Array(list) => self.bind_elements(list, value, mode),
            Pat::Rest(rest) => self.bind(&rest.arg, Value::Unknown, Shape::Any, mode),
            Pat::Assign(assign) => {
                let value = self.or_default(value, &assign.right);
                self.bind(&assign.left, value, Shape::Any, mode);
            }
            Pat::Expr(target) => self.assign_to(target, value),
            Pat::Invalid(_) => self.open(Reason::NotReadable, None),
        }
    }

    pub(super) fn bind_elements(&mut self, list: &ArrayPat, value: Value, mode: BindingMode) {
        self.graph.touch(value);
        for element in list.elems.iter().flatten() {
            self.bind(element, Value::Unknown, Shape::Any, mode);
        }
    }

    pub(super) fn bind_members(&mut self, object: &ObjectPat, value: Value, shape: Shape, mode: BindingMode) {
        for prop in &object.props {
            match prop {
                ObjectPatProp::KeyValue(pair) => {
                    let part = self.member_named(value, &pair.key);
                    let shape = part_of(&shape, static_key(&pair.key));
                    self.bind(&pair.value, part, shape, mode);
                }
                ObjectPatProp::Assign(name) => {
                    let part = self.graph.member(value, name.key.id.sym.clone());
                    match &name.value {
                        Some(default) => {
                            let part = self.or_default(part, default);
                            self.bind_name(&name.key.id, part, Shape::Any, mode);
                        }
                        None => {
                            let shape = part_of(&shape, Some(name.key.id.sym.to_string()));
                            self.bind_name(&name.key.id, part, shape, mode);
                        }
                    }
                }
                ObjectPatProp::Rest(rest) => {
                    self.graph.escape(value);
                    self.bind(&rest.arg, Value::Unknown, Shape::Any, mode);
                }
            }
        }
    }

    /// The value, or that of an expression if it is missing.
    fn or_default(&mut self, value: Value, default: &Expr) -> Value {
        let other = self.conditionally(|lowering| lowering.expr(default));
        self.either(value, other)
    }

    /// A member by the name of a property.
    fn member_named(&mut self, value: Value, key: &PropName) -> Value {
        match static_key(key) {
            Some(key) => self.graph.member(value, key.into()),
            None => {
                self.key(key);
                self.graph.escape(value);
                Value::Unknown
            }
        }
    }

    fn bind_name(&mut self, name: &Ident, value: Value, shape: Shape, mode: BindingMode) {
        let Some(id) = self.lookup(&name.sym) else { return self.assign_free(name, value) };
        let binding = &mut self.graph.bindings[id as usize];
        let node = binding.node;
        if mode == BindingMode::Assign {
            binding.writes += 1;
        } else if binding.shape == Shape::Any {
            binding.shape = shape;
        } else {
            binding.writes += 2;
        }
        self.graph.flow(value, node);
    }

    /// Assigns to a variable of the host or of an earlier program. There is none otherwise, and a tool refuses it.
    fn assign_free(&mut self, name: &Ident, value: Value) {
        self.read_free(name);
        self.session_names.assigned.insert(name.sym.clone());
        self.graph.escape(value);
    }

    /// Assigns to an expression.
    pub(super) fn assign_to(&mut self, target: &Expr, value: Value) {
        match target.unwrap_parens() {
            Expr::Ident(name) => self.bind_name(name, value, Shape::Any, BindingMode::Assign),
            Expr::Member(member) => self.store(member, value),
            other => {
                // A member of `super`, for instance.
                let object = self.expr(other);
                self.graph.escape(object);
                self.graph.escape(value);
            }
        }
    }

    pub(super) fn assign_simple(&mut self, target: &SimpleAssignTarget, value: Value) {
        match target {
            SimpleAssignTarget::Ident(name) => self.bind_name(&name.id, value, Shape::Any, BindingMode::Assign),
            SimpleAssignTarget::Member(member) => self.store(member, value),
            SimpleAssignTarget::Paren(paren) => self.assign_to(&paren.expr, value),
            SimpleAssignTarget::SuperProp(property) => {
                self.super_key(property);
                self.graph.escape(value);
            }
            _ => self.open(Reason::NotReadable, None),
        }
    }

    /// Sets a member. What has it may then be called through the object, and an accessor may get it.
    fn store(&mut self, member: &MemberExpr, value: Value) {
        let object = self.expr(&member.obj);
        if let MemberProp::Computed(computed) = &member.prop {
            let key = self.expr(&computed.expr);
            self.graph.touch(key);
        }
        self.graph.escape(object);
        self.graph.escape(value);
    }

    /// A value that is one of two.
    pub(super) fn either(&mut self, one: Value, other: Value) -> Value {
        match (one, other) {
            (Value::Plain, Value::Plain) => Value::Plain,
            (Value::Plain | Value::Unknown, Value::Plain | Value::Unknown) => Value::Unknown,
            _ => {
                let node = self.graph.node();
                self.graph.flow(one, node);
                self.graph.flow(other, node);
                Value::Node(node)
            }
        }
    }
}

fn part_of(shape: &Shape, key: Option<String>) -> Shape {
    match (shape, key) {
        (Shape::Any, _) | (_, None) => Shape::Any,
        (shape, Some(key)) => Shape::Member(Box::new(shape.clone()), key.into()),
    }
}
