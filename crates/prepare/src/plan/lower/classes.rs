//! Classes. Their instances are not followed, so code that is not resolved may call all of their methods.

use swc_ecma_ast::{Class, ClassMember, Function, Ident, Key, ParamOrTsParamProp, PropName};

use super::super::graph::{Tracked, Value};
use super::super::reasons::Reason;
use super::{Body, Lowering, Traits, names};

impl Lowering<'_> {
    pub(super) fn class(&mut self, class: &Class, name: Option<&Ident>) -> Value {
        self.enter();
        if let Some(name) = name {
            self.declare(vec![name.sym.clone()]);
            if let Some(binding) = self.lookup(&name.sym) {
                let node = self.graph.bindings[binding as usize].node;
                self.graph.flow(Value::Unknown, node);
            }
        }
        if let Some(parent) = &class.super_class {
            let parent = self.expr(parent);
            self.graph.escape(parent);
        }
        if !class.decorators.is_empty() {
            self.open(Reason::NotReadable, None);
        }
        for member in &class.body {
            self.class_member(member);
        }
        self.exit();
        Value::Unknown
    }

    fn class_member(&mut self, member: &ClassMember) {
        match member {
            ClassMember::Constructor(constructor) => {
                let mut params = Vec::new();
                for param in &constructor.params {
                    match param {
                        ParamOrTsParamProp::Param(param) => params.push(&param.pat),
                        // Types are removed before.
                        ParamOrTsParamProp::TsParamProp(_) => self.open(Reason::NotReadable, None),
                    }
                }
                let body = constructor.body.as_ref().map_or(&[][..], |body| &body.stmts);
                let id = self.function(params.into_iter(), Body::Statements(body), Traits::default());
                let function = self.graph.tracked(Tracked::Function(id));
                self.graph.escape(function);
            }
            ClassMember::Method(method) => {
                self.key(&method.key);
                self.class_method(&method.function);
            }
            ClassMember::PrivateMethod(method) => self.class_method(&method.function),
            ClassMember::ClassProp(property) => {
                self.key(&property.key);
                if let Some(value) = &property.value {
                    self.field(value, property.is_static);
                }
            }
            ClassMember::PrivateProp(property) => {
                if let Some(value) = &property.value {
                    self.field(value, property.is_static);
                }
            }
            ClassMember::AutoAccessor(accessor) => {
                if let Key::Public(key @ PropName::Computed(_)) = &accessor.key {
                    self.key(key);
                }
                if let Some(value) = &accessor.value {
                    self.field(value, accessor.is_static);
                }
            }
            ClassMember::StaticBlock(block) => self.in_class(|lowering| {
                let statements = &block.body.stmts;
                lowering.enter();
                lowering.declare(names::var_names(statements.iter()));
                lowering.declare_block(statements.iter());
                let statements: Vec<_> = statements.iter().collect();
                lowering.statements(&statements);
                lowering.exit();
            }),
            ClassMember::TsIndexSignature(_) | ClassMember::Empty(_) => {}
        }
    }

    fn class_method(&mut self, function: &Function) {
        self.see(function.span);
        let id = self.function_of(function);
        let function = self.graph.tracked(Tracked::Function(id));
        self.graph.escape(function);
    }

    fn field(&mut self, value: &swc_ecma_ast::Expr, is_static: bool) {
        if is_static {
            self.in_class(|lowering| {
                let value = lowering.expr(value);
                lowering.graph.escape(value);
            });
        } else {
            self.initializer(value);
        }
    }
}
