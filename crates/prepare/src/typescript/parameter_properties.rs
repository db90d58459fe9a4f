//! Assigns parameter properties before fields whose values read the instance.
//!
//! A class computes its fields before the constructor's own code runs. TypeScript up to ES2021 assigns the parameters
//! first:
//!
//! ```text
//! class A { b = this.a + 1; constructor(private a: number) {} }
//! class A { a; b; #m() { this.b = this.a + 1 } constructor(a: number) { this.a = a; this.#m() } }
//! ```
//!
//! The values move to a method, not to the constructor, where the parameters would hide names of the scope around the
//! class.

use swc_common::{DUMMY_SP, Span, Spanned, util::take::Take};
use swc_ecma_ast::*;
use swc_ecma_utils::constructor::inject_after_super;
use swc_ecma_utils::{ExprFactory, is_literal};
use swc_ecma_visit::{Visit, VisitWith};

/// The method. Guests cannot write this name.
const METHOD: &str = "__smol_fields";

/// Returns the computed names that must be evaluated with the class, and hence cannot move.
pub(super) fn assign_first(class: &mut Class) -> Vec<Span> {
    let Some(constructor) = class.body.iter().position(has_properties) else { return Vec::new() };
    let Some(first) = class.body.iter().position(|member| value_of(member).is_some_and(reads_instance)) else {
        return Vec::new();
    };
    let mut statements = Vec::new();
    let mut fixed = Vec::new();
    for member in &mut class.body[first..] {
        let span = member.span();
        if value_of(member).is_none_or(is_constant) {
            continue;
        }
        match target_of(member) {
            Ok(prop) => {
                let target = MemberExpr { span, obj: this(), prop };
                let value = take_value(member);
                let assignment = AssignExpr { span, op: op!("="), left: target.into(), right: value };
                statements.push(ExprStmt { span, expr: Box::new(assignment.into()) }.into());
            }
            Err(span) => fixed.push(span),
        }
    }
    let ClassMember::Constructor(constructor) = &mut class.body[constructor] else { return fixed };
    let names: Vec<Ident> = constructor.params.iter_mut().filter_map(take_property).collect();
    let mut assignments: Vec<Box<Expr>> = names.iter().map(assignment).collect();
    let method = PrivateName { span: DUMMY_SP, name: METHOD.into() };
    let call = MemberExpr { span: DUMMY_SP, obj: this(), prop: method.clone().into() };
    assignments.push(Box::new(call.as_call(DUMMY_SP, Vec::new())));
    inject_after_super(constructor, assignments);
    let body = FunctionBody { span: DUMMY_SP, stmts: statements };
    let function = Box::new(Function { body: Some(body), ..Function::dummy() });
    let method = PrivateMethod { key: method, function, kind: MethodKind::Method, ..PrivateMethod::default() };
    class.body.push(method.into());
    let field = |name: Ident| ClassProp { key: PropName::Ident(name.into()), ..ClassProp::default() };
    class.body.splice(0..0, names.into_iter().map(field).map(ClassMember::ClassProp));
    fixed
}

fn has_properties(member: &ClassMember) -> bool {
    let ClassMember::Constructor(constructor) = member else { return false };
    constructor.body.is_some() && constructor.params.iter().any(|parameter| parameter.is_ts_param_prop())
}

/// The value of a field of instances.
fn value_of(member: &ClassMember) -> Option<&Expr> {
    match member {
        ClassMember::ClassProp(field) if !field.is_static && !field.declare && !field.is_abstract => {
            field.value.as_deref()
        }
        ClassMember::PrivateProp(field) if !field.is_static => field.value.as_deref(),
        _ => None,
    }
}

fn take_value(member: &mut ClassMember) -> Box<Expr> {
    let value = match member {
        ClassMember::ClassProp(field) => field.value.take(),
        ClassMember::PrivateProp(field) => field.value.take(),
        _ => None,
    };
    value.unwrap_or_else(Box::dummy)
}

/// The property of `this` that a field is. `Err`: where a name is computed.
fn target_of(member: &ClassMember) -> Result<MemberProp, Span> {
    let key = match member {
        ClassMember::PrivateProp(field) => return Ok(MemberProp::PrivateName(field.key.clone())),
        ClassMember::ClassProp(field) => &field.key,
        other => return Err(other.span()),
    };
    let computed = |expr: Expr| MemberProp::Computed(ComputedPropName { span: key.span(), expr: Box::new(expr) });
    Ok(match key {
        PropName::Ident(name) => MemberProp::Ident(name.clone()),
        PropName::Str(text) => computed(text.clone().into()),
        PropName::Num(number) => computed(number.clone().into()),
        PropName::BigInt(number) => computed(number.clone().into()),
        PropName::Computed(name) if is_literal(&*name.expr) => MemberProp::Computed(name.clone()),
        PropName::Computed(name) => return Err(name.span),
    })
}

/// Makes a parameter of a parameter property, and returns its name. The parser lets no patterns through.
fn take_property(parameter: &mut ParamOrTsParamProp) -> Option<Ident> {
    let ParamOrTsParamProp::TsParamProp(TsParamProp { span, param, .. }) = parameter else { return None };
    let (pat, name): (Pat, _) = match param {
        TsParamPropParam::Ident(name) => (name.clone().into(), name.id.clone()),
        TsParamPropParam::Assign(with_default) => {
            let name = with_default.left.as_ident()?.id.clone();
            (with_default.clone().into(), name)
        }
    };
    *parameter = Param { span: *span, decorators: Vec::new(), pat }.into();
    Some(Ident { optional: false, ..name })
}

/// `this.a = a`
fn assignment(name: &Ident) -> Box<Expr> {
    let target = MemberExpr { span: DUMMY_SP, obj: this(), prop: MemberProp::Ident(name.clone().into()) };
    let right = Box::new(name.clone().into());
    Box::new(AssignExpr { span: DUMMY_SP, op: op!("="), left: target.into(), right }.into())
}

fn this() -> Box<Expr> {
    Box::new(ThisExpr { span: DUMMY_SP }.into())
}

/// Neither reads anything when it is evaluated nor loses its name when it moves.
fn is_constant(value: &Expr) -> bool {
    value.is_arrow() || value.is_fn_expr() || value.is_lit()
}

/// Whether a value may read properties of the instance when it is evaluated.
fn reads_instance(value: &Expr) -> bool {
    #[derive(Default)]
    struct Finder(bool);
    impl Visit for Finder {
        fn visit_this_expr(&mut self, _: &ThisExpr) {
            self.0 = true;
        }
        fn visit_super(&mut self, _: &Super) {
            self.0 = true;
        }
    }
    let mut finder = Finder::default();
    value.visit_with(&mut finder);
    finder.0 && !is_constant(value)
}
