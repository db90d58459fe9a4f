//! Loops that only compute have all their iterations counted before they start.
//!
//! A guard in each iteration costs several times what the body of such a loop does. If the body only computes with numbers in
//! variables and elements of typed arrays, nothing can end the loop early or look at the count meanwhile:
//!
//! ```text
//! {
//!   let i = 0;
//!   if (typeof i === "number" && typeof sum === "number" && __smol_numeric(marks) && __smol_take_all(i, n, 1, true, false))
//!     for (; i < n; i++) sum += marks[i];
//!   else
//!     for (; i < n; i++) { if (--__smol_budget < 0) break; sum += marks[i]; }
//!   if (__smol_budget < 0) __smol_guard();
//! }
//! ```
//!
//! That goes for `while (i < n) { …; i++; }`, too, and wherever `i` is declared.

mod jumps;
mod pure;

use swc_common::{DUMMY_SP, Span};
use swc_ecma_ast::{
    AssignExpr, AssignOp, AssignTarget, BinExpr, BinaryOp, BlockStmt, Bool, Decl, Expr, ExprOrSpread, ExprStmt,
    ForStmt, Ident, IfStmt, Lit, Number, Pat, SimpleAssignTarget, Stmt, UnaryExpr, UnaryOp, UpdateExpr, UpdateOp,
    VarDeclKind, VarDeclOrExpr, VarDeclarator, WhileStmt,
};

use super::{guards, nodes};
use crate::analyze::LoopNames;
use pure::Assumptions;

/// How a loop counts.
pub(super) struct Counter {
    variable: Ident,
    step: Step,
    test: Comparison,
    assumptions: Assumptions,
}

enum Step {
    /// A whole number other than 0.
    Constant(f64),
    /// What a variable holds that cannot change while the loop runs.
    Variable(Ident),
}

/// `i < bound` and the like: `variable` with a number that cannot change while the loop runs.
struct Comparison {
    /// A number or a name.
    bound: Box<Expr>,
    is_upwards: bool,
    is_inclusive: bool,
}

/// The counter of a loop that only computes.
pub(super) fn counter(node: &ForStmt, names: &LoopNames) -> Option<Counter> {
    let (variable, step) = step(node.update.as_deref()?)?;
    let is_declared = declares(node, variable)?;
    let test = comparison(node.test.as_deref()?, variable)?;
    let assumptions = pure::assumptions(&node.body, variable, names)?;
    let is_fixed = |name: &Ident| {
        names.steady.contains(&name.span.lo)
            && name.sym != variable.sym
            && !assumptions.written.iter().any(|other| other.sym == name.sym)
    };
    let is_step_fixed = match &step {
        Step::Variable(name) => is_fixed(name),
        Step::Constant(_) => true,
    };
    let has_value = is_declared || names.own.contains(&variable.span.lo);
    (has_value && is_step_fixed && test.bound.as_ident().is_none_or(is_fixed)).then(|| Counter {
        variable: variable.clone(),
        step,
        test,
        assumptions,
    })
}

/// `while (…) { … i++; }` as `for (; …; i++) { … }` with its counter, if nothing in it goes on with the next iteration and it has one
/// then.
pub(super) fn counting(node: &WhileStmt, names: &LoopNames) -> Option<(ForStmt, Counter)> {
    let Stmt::Block(block) = &*node.body else { return None };
    let (last, rest) = block.stmts.split_last()?;
    let update = last.as_expr()?.expr.clone();
    step(&update)?;
    if !rest.iter().all(jumps::runs_through) {
        return None;
    }
    let body = Box::new(Stmt::Block(BlockStmt { stmts: rest.to_vec(), ..block.clone() }));
    let counting = ForStmt { span: node.span, init: None, test: Some(node.test.clone()), update: Some(update), body };
    let counter = counter(&counting, names)?;
    Some((counting, counter))
}

/// Whether the loop declares its own variable; `None` if each iteration might have variables of its own that live on.
fn declares(node: &ForStmt, variable: &Ident) -> Option<bool> {
    let Some(VarDeclOrExpr::VarDecl(declaration)) = &node.init else { return Some(false) };
    if declaration.kind == VarDeclKind::Var {
        return Some(false);
    }
    let is_declared = declaration.decls.iter().any(|declarator| is_binding_of(declarator, variable));
    let is_plain = declaration.decls.iter().all(|declarator| matches!(declarator.name, Pat::Ident(_)));
    let lives_on = !jumps::runs_through(&Stmt::Decl(Decl::Var(declaration.clone())));
    (declaration.kind == VarDeclKind::Let && is_declared && is_plain && !lives_on).then_some(true)
}

fn is_binding_of(declarator: &VarDeclarator, variable: &Ident) -> bool {
    declarator.init.is_some() && matches!(&declarator.name, Pat::Ident(name) if name.id.sym == variable.sym)
}

/// The variable that an update expression counts, and by what.
fn step(update: &Expr) -> Option<(&Ident, Step)> {
    match update {
        Expr::Update(UpdateExpr { op, arg, .. }) => {
            let step = if *op == UpdateOp::PlusPlus { 1.0 } else { -1.0 };
            Some((arg.as_ident()?, Step::Constant(step)))
        }
        Expr::Assign(AssignExpr { op: op @ (AssignOp::AddAssign | AssignOp::SubAssign), left, right, .. }) => {
            let AssignTarget::Simple(SimpleAssignTarget::Ident(variable)) = left else { return None };
            let step = match &**right {
                Expr::Lit(Lit::Num(Number { value, .. })) => {
                    let is_usable = *value > 0.0 && value.fract() == 0.0 && *value <= f64::from(1 << 16);
                    let signed = if *op == AssignOp::AddAssign { *value } else { -value };
                    is_usable.then_some(Step::Constant(signed))?
                }
                Expr::Ident(name) if *op == AssignOp::AddAssign => Step::Variable(name.clone()),
                _ => return None,
            };
            Some((&variable.id, step))
        }
        _ => None,
    }
}

impl Counter {
    fn variable(&self) -> Box<Expr> {
        nodes::name(&self.variable.sym, self.variable.span)
    }

    fn step(&self) -> Box<Expr> {
        match &self.step {
            Step::Constant(step) => nodes::number(*step),
            Step::Variable(name) => nodes::name(&name.sym, name.span),
        }
    }
}

/// A test that compares `variable` with a number or a name.
fn comparison(test: &Expr, variable: &Ident) -> Option<Comparison> {
    let Expr::Bin(BinExpr { op, left, right, .. }) = test.unwrap_parens() else { return None };
    let (is_upwards, is_inclusive) = match op {
        BinaryOp::Lt => (true, false),
        BinaryOp::LtEq => (true, true),
        BinaryOp::Gt => (false, false),
        BinaryOp::GtEq => (false, true),
        _ => return None,
    };
    let is_variable = matches!(&**left, Expr::Ident(name) if name.sym == variable.sym);
    let is_simple = matches!(&**right, Expr::Ident(_) | Expr::Lit(Lit::Num(_)));
    (is_variable && is_simple).then(|| Comparison { bound: right.clone(), is_upwards, is_inclusive })
}

/// Replaces a loop that [`counter`] has accepted.
pub(super) fn count_ahead(statement: &mut Stmt, counter: &Counter) {
    let Stmt::For(node) = statement else { return };
    let span = node.span;
    let first = node.init.take().map(|init| match init {
        VarDeclOrExpr::VarDecl(declaration) => Stmt::Decl(Decl::Var(declaration)),
        VarDeclOrExpr::Expr(expr) => Stmt::Expr(ExprStmt { span, expr }),
    });
    let free = Stmt::For(node.clone());
    let mut guarded = std::mem::replace(statement, nodes::empty());
    guards::guard_loop(&mut guarded);
    let choice = Stmt::If(IfStmt {
        span: DUMMY_SP,
        test: condition(counter, span),
        cons: Box::new(Stmt::Block(nodes::block(DUMMY_SP, vec![free]))),
        alt: Some(Box::new(guarded)),
    });
    let statements = first.into_iter().chain([choice, guards::check(span)]).collect();
    *statement = Stmt::Block(nodes::block(DUMMY_SP, statements));
}

/// `typeof i === "number" && … && __smol_take_all(…)`
fn condition(counter: &Counter, span: Span) -> Box<Expr> {
    let Counter { test, assumptions, .. } = counter;
    let mut numbers: Vec<&Ident> = assumptions.numbers.iter().collect();
    numbers.extend(test.bound.as_ident());
    if let Step::Variable(name) = &counter.step {
        numbers.push(name);
    }
    let mut condition = is_number(&counter.variable);
    for name in numbers {
        condition = and(condition, is_number(name));
    }
    for array in &assumptions.arrays {
        condition = and(condition, call("__smol_numeric", [nodes::name(&array.sym, array.span)], span));
    }
    let flag = |value| Box::new(Expr::Lit(Lit::Bool(Bool { span: DUMMY_SP, value })));
    let (upwards, inclusive) = (flag(test.is_upwards), flag(test.is_inclusive));
    let bound = test.bound.clone();
    and(condition, call("__smol_take_all", [counter.variable(), bound, counter.step(), upwards, inclusive], span))
}

/// `typeof name === "number"`
fn is_number(name: &Ident) -> Box<Expr> {
    let arg = nodes::name(&name.sym, name.span);
    let kind = Box::new(Expr::Unary(UnaryExpr { span: DUMMY_SP, op: UnaryOp::TypeOf, arg }));
    binary(BinaryOp::EqEqEq, kind, Box::new(Expr::Lit(Lit::Str("number".into()))))
}

fn and(left: Box<Expr>, right: Box<Expr>) -> Box<Expr> {
    binary(BinaryOp::LogicalAnd, left, right)
}

fn binary(op: BinaryOp, left: Box<Expr>, right: Box<Expr>) -> Box<Expr> {
    Box::new(Expr::Bin(BinExpr { span: DUMMY_SP, op, left, right }))
}

fn call(callee: &str, args: impl IntoIterator<Item = Box<Expr>>, span: Span) -> Box<Expr> {
    nodes::call(callee, args.into_iter().map(|expr| ExprOrSpread { spread: None, expr }).collect(), span)
}
