//! Calls of the API. Calls in functions that run in parallel let the other functions run while they wait. Calls that
//! return promises carry their positions, which the stack does not contain when such a promise is rejected.

use std::collections::HashSet;

use swc_common::{BytePos, Spanned};
use swc_ecma_ast::{
    ArrowExpr, ArrowFunctionBody, AwaitExpr, CallExpr, Callee, Class, Constructor, Expr, ExprOrSpread, ForOfStmt,
    Function, FunctionBody, GetterProp, Ident, MemberProp, MetaPropExpr, Module, SetterProp, Super, ThisExpr,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::style::{Survey, is_parallel_call, is_sdk_call, unwrapped};
use super::{CallStyle, FIRST, Insertions};

/// Adds the insertions that the calls of `module` need in `style`. `before`: leading bytes of the text that do not
/// belong to the program.
pub(super) fn compile(
    module: &Module,
    kit: &str,
    style: CallStyle,
    survey: &Survey,
    before: usize,
    insertions: &mut Insertions,
) {
    if !survey.has_sdk {
        return;
    }
    match style {
        CallStyle::Async => module.visit_with(&mut Places { before: before as u32, insertions }),
        CallStyle::Sync if survey.has_utils => {
            module.visit_with(&mut Tasks { kit, is_own: false, tasks: HashSet::new(), insertions });
        }
        CallStyle::Sync => {}
    }
}

/// Adds `argument` to a call as its last argument, which is not the first.
fn add_argument(call: &CallExpr, argument: &str, insertions: &mut Insertions) {
    match call.args.last() {
        Some(last) => insertions.push(last.expr.span_hi(), format!(", {argument}")),
        None => insertions.push(call.span.hi - BytePos(1), format!("void 0, {argument}")),
    }
}

/// Passes its position to each call: the byte offset of the method's name.
struct Places<'a> {
    before: u32,
    insertions: &'a mut Insertions,
}

impl Visit for Places<'_> {
    fn visit_call_expr(&mut self, node: &CallExpr) {
        node.visit_children_with(self);
        // With spread arguments, the position of the second one is unknown.
        if !is_sdk_call(node) || node.args.iter().any(|argument| argument.spread.is_some()) {
            return;
        }
        let Callee::Expr(callee) = &node.callee else { return };
        let Some(member) = callee.as_member() else { return };
        let offset = member.prop.span_lo().0.saturating_sub(FIRST + self.before);
        add_argument(node, &offset.to_string(), self.insertions);
    }
}

/// Turns the functions that are passed to `utils.parallel` into generators.
struct Tasks<'a> {
    kit: &'a str,
    /// Whether such a generator runs the visited code itself.
    is_own: bool,
    /// The positions of the functions that become generators.
    tasks: HashSet<BytePos>,
    insertions: &'a mut Insertions,
}

impl Tasks<'_> {
    fn in_function<N: VisitWith<Self>>(&mut self, node: &N) {
        let outer = std::mem::replace(&mut self.is_own, false);
        node.visit_children_with(self);
        self.is_own = outer;
    }

    fn task(&mut self, argument: &Expr) {
        let literal = match unwrapped(argument) {
            Expr::Call(call) => mapped_to(call),
            literal => Some(literal),
        };
        let Some(literal) = literal.map(unwrapped).filter(|literal| can_be_task(literal)) else {
            return argument.visit_with(self);
        };
        self.tasks.insert(literal.span_lo());
        if !is_async(literal) {
            return argument.visit_with(self);
        }
        // A generator that awaits nothing: its result becomes a promise, like that of the others.
        let start = literal.span_lo();
        self.insertions.push(start, format!("{}.promised(/*", self.kit));
        self.insertions.push(start + BytePos("async".len() as u32), "*/".into());
        argument.visit_with(self);
        self.insertions.push(literal.span_hi(), ")".into());
    }

    fn block(&mut self, body: &FunctionBody) {
        self.insertions.push(body.span.lo + BytePos(1), format!(" return {}.task(function* () {{", self.kit));
        body.visit_children_with(self);
        self.insertions.push(body.span.hi - BytePos(1), "});".into());
    }

    fn as_task(&mut self, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.is_own, true);
        visit(self);
        self.is_own = outer;
    }
}

impl Visit for Tasks<'_> {
    fn visit_call_expr(&mut self, node: &CallExpr) {
        if is_parallel_call(node) {
            node.callee.visit_with(self);
            for argument in &node.args {
                match unwrapped(&argument.expr) {
                    Expr::Array(list) if node.args.len() == 1 => {
                        for ExprOrSpread { expr, .. } in list.elems.iter().flatten() {
                            self.task(expr);
                        }
                    }
                    _ => self.task(&argument.expr),
                }
            }
            return;
        }
        if !(self.is_own && is_sdk_call(node)) {
            node.visit_children_with(self);
            return;
        }
        self.insertions.push(node.span.lo, format!("{}.take(yield ", self.kit));
        node.visit_children_with(self);
        add_argument(node, &format!("{}.later", self.kit), self.insertions);
        self.insertions.push(node.span.hi, ")".into());
    }

    fn visit_function(&mut self, node: &Function) {
        match &node.body {
            Some(body) if self.tasks.contains(&node.span.lo) => self.as_task(|tasks| tasks.block(body)),
            _ => self.in_function(node),
        }
    }

    fn visit_arrow_expr(&mut self, node: &ArrowExpr) {
        if !self.tasks.contains(&node.span.lo) {
            return self.in_function(node);
        }
        self.as_task(|tasks| match &*node.body {
            ArrowFunctionBody::FunctionBody(body) => tasks.block(body),
            ArrowFunctionBody::Expr(body) => {
                tasks.insertions.push(body.span_lo(), format!("{}.task(function* () {{ return (", tasks.kit));
                body.visit_with(tasks);
                tasks.insertions.push(body.span_hi(), "); })".into());
            }
        });
    }

    fn visit_constructor(&mut self, node: &Constructor) {
        self.in_function(node);
    }

    fn visit_getter_prop(&mut self, node: &GetterProp) {
        self.in_function(node);
    }

    fn visit_setter_prop(&mut self, node: &SetterProp) {
        self.in_function(node);
    }

    fn visit_class(&mut self, node: &Class) {
        self.in_function(node);
    }
}

/// `() => …` of `list.map((item) => () => …)`.
fn mapped_to(call: &CallExpr) -> Option<&Expr> {
    let Callee::Expr(callee) = &call.callee else { return None };
    let MemberProp::Ident(property) = &callee.as_member()?.prop else { return None };
    if property.sym != *"map" {
        return None;
    }
    let body = match unwrapped(&call.args.first()?.expr) {
        Expr::Arrow(arrow) if !arrow.is_async => match &*arrow.body {
            ArrowFunctionBody::Expr(body) => return Some(body),
            ArrowFunctionBody::FunctionBody(body) => body,
        },
        Expr::Fn(function) if !function.function.is_async && !function.function.is_generator => {
            function.function.body.as_ref()?
        }
        _ => return None,
    };
    body.stmts.last()?.as_return_stmt()?.arg.as_deref()
}

fn is_async(literal: &Expr) -> bool {
    match literal {
        Expr::Fn(function) => function.function.is_async,
        Expr::Arrow(arrow) => arrow.is_async,
        _ => false,
    }
}

/// Whether a function literal is equivalent to a generator inside it: nothing in it may refer to the function itself.
fn can_be_task(argument: &Expr) -> bool {
    let mut own = Own { calls: false, is_bound: false };
    match unwrapped(argument) {
        Expr::Fn(function) if !function.function.is_generator => {
            let is_named = |name: &Ident| names(&function.function, &name.sym);
            if !function.function.params.is_empty() || function.ident.as_ref().is_some_and(is_named) {
                return false;
            }
            function.function.body.visit_with(&mut own);
        }
        Expr::Arrow(arrow) if arrow.params.is_empty() => arrow.body.visit_with(&mut own),
        _ => return false,
    }
    own.calls && !own.is_bound
}

/// Whether a function has a name anywhere in it.
fn names(function: &Function, name: &str) -> bool {
    struct Named<'a>(&'a str, bool);
    impl Visit for Named<'_> {
        fn visit_ident(&mut self, node: &Ident) {
            self.1 |= node.sym == *self.0;
        }
    }
    let mut named = Named(name, false);
    function.body.visit_with(&mut named);
    named.1
}

/// What a function does itself, not in an inner function.
struct Own {
    /// Calls the API.
    calls: bool,
    /// Uses something that belongs to the function: `this`, `arguments`, `super`, `new.target`, `await`.
    is_bound: bool,
}

impl Visit for Own {
    fn visit_call_expr(&mut self, node: &CallExpr) {
        self.calls |= is_sdk_call(node);
        node.visit_children_with(self);
    }

    fn visit_arrow_expr(&mut self, node: &ArrowExpr) {
        let calls = self.calls;
        node.visit_children_with(self);
        self.calls = calls;
    }

    fn visit_ident(&mut self, node: &Ident) {
        self.is_bound |= node.sym == *"arguments";
    }

    fn visit_this_expr(&mut self, _: &ThisExpr) {
        self.is_bound = true;
    }

    fn visit_await_expr(&mut self, _: &AwaitExpr) {
        self.is_bound = true;
    }

    fn visit_for_of_stmt(&mut self, node: &ForOfStmt) {
        self.is_bound |= node.is_await;
        node.visit_children_with(self);
    }

    fn visit_super(&mut self, _: &Super) {
        self.is_bound = true;
    }

    fn visit_meta_prop_expr(&mut self, _: &MetaPropExpr) {
        self.is_bound = true;
    }

    fn visit_function(&mut self, _: &Function) {}

    fn visit_constructor(&mut self, _: &Constructor) {}

    fn visit_getter_prop(&mut self, _: &GetterProp) {}

    fn visit_setter_prop(&mut self, _: &SetterProp) {}

    fn visit_class(&mut self, _: &Class) {}
}
