//! Counted innermost loops: most of their iterations run without a guard.
//!
//! A guard in each iteration costs several times what a small loop body does. Where the loop has a variable of its own
//! that counts by a constant step, that variable tells how many iterations were taken, so that the loop can take a
//! chunk of the budget at once (`src/js/30_guard.js`):
//!
//! ```text
//! __smol_v: {
//!   let i = 0;
//!   if (__smol_open(i, 1)) {
//!     let __smol_t;
//!     do {
//!       __smol_t = true;
//!       for (; i < __smol_chunk[1] && (__smol_t = (i < n)); i++) { __smol_chunk[0] = i; … }
//!       if (!__smol_t) { __smol_close(); break __smol_v; }
//!     } while (__smol_extend());
//!   }
//!   for (; i < n; i++) { if (--__smol_budget < 0) __smol_guard(); … }
//! }
//! ```
//!
//! Every test is evaluated as often as in the original: the first half of the condition decides whether the second is.
//! The chunk says at any moment how many iterations were taken, whatever code the body reaches. What leaves the loop
//! closes the chunk; an exception that does not leaves it open, which costs speed only. There is no `try … finally`
//! for that case, because V8 does not unroll loops inside of one.

mod exits;
mod scan;

use swc_common::{DUMMY_SP, Span};
use swc_ecma_ast::{
    AssignExpr, AssignOp, AssignTarget, BinExpr, BinaryOp, BindingIdent, Bool, ComputedPropName, Decl, DoWhileStmt,
    Expr, ExprOrSpread, ExprStmt, ForStmt, Ident, LabeledStmt, Lit, MemberExpr, MemberProp, Number, Pat,
    SimpleAssignTarget, Stmt, UnaryExpr, UnaryOp, UpdateExpr, UpdateOp, VarDecl, VarDeclKind, VarDeclOrExpr,
    VarDeclarator,
};

use super::{guards, nodes};

/// Where a loop stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::prepare) enum Place {
    /// In the program's own body: nothing of the guest is below it on the stack.
    ProgramBody,
    /// In a function, or in a module, whose body may be run by another's `import()`.
    Nested,
}

/// How a loop counts.
pub(super) struct Counter {
    variable: Ident,
    /// A whole number other than 0.
    step: f64,
}

/// The counter of a loop that can run in chunks: `for (let i = …; …; i++)`, with nothing in it that could change `i` or
/// count it wrong.
pub(super) fn counter(node: &ForStmt) -> Option<Counter> {
    let Some(VarDeclOrExpr::VarDecl(declaration)) = &node.init else { return None };
    if declaration.kind != VarDeclKind::Let {
        return None;
    }
    let (variable, step) = step(node.update.as_deref()?)?;
    let is_declared = declaration.decls.iter().any(|declarator| is_binding_of(declarator, variable));
    let is_plain = declaration.decls.iter().all(|declarator| matches!(declarator.name, Pat::Ident(_)));
    (is_declared && is_plain && scan::is_countable(node, declaration, variable))
        .then(|| Counter { variable: variable.clone(), step })
}

fn is_binding_of(declarator: &VarDeclarator, variable: &Ident) -> bool {
    declarator.init.is_some() && matches!(&declarator.name, Pat::Ident(name) if name.id.sym == variable.sym)
}

/// The variable that an update expression counts, and by what.
fn step(update: &Expr) -> Option<(&Ident, f64)> {
    match update {
        Expr::Update(UpdateExpr { op, arg, .. }) => {
            let Expr::Ident(variable) = &**arg else { return None };
            Some((variable, if *op == UpdateOp::PlusPlus { 1.0 } else { -1.0 }))
        }
        Expr::Assign(AssignExpr { op: op @ (AssignOp::AddAssign | AssignOp::SubAssign), left, right, .. }) => {
            let AssignTarget::Simple(SimpleAssignTarget::Ident(variable)) = left else { return None };
            let Expr::Lit(Lit::Num(Number { value, .. })) = **right else { return None };
            let is_usable = value > 0.0 && value.fract() == 0.0 && value <= f64::from(1 << 16);
            is_usable.then(|| (&variable.id, if *op == AssignOp::AddAssign { value } else { -value }))
        }
        _ => None,
    }
}

/// Replaces a loop that [`counter`] has accepted.
pub(super) fn run_in_chunks(statement: &mut Stmt, counter: &Counter, place: Place) {
    let Stmt::For(node) = statement else { return };
    let span = node.span;
    let Some(VarDeclOrExpr::VarDecl(declaration)) = node.init.take() else { return };
    let mut statements = vec![Stmt::Decl(Decl::Var(declaration))];
    let open = match place {
        Place::ProgramBody => "__smol_open_first",
        Place::Nested => "__smol_open",
    };
    let opened = call(open, [nodes::name(&counter.variable.sym, counter.variable.span), number(counter.step)], span);
    statements.push(nodes::if_statement(opened, chunks(node.clone(), counter, span), span));
    let mut guarded = Stmt::For(std::mem::replace(node, empty_loop()));
    guards::guard_loop(&mut guarded);
    statements.push(guarded);
    let body = Box::new(Stmt::Block(nodes::block(DUMMY_SP, statements)));
    *statement = Stmt::Labeled(LabeledStmt { span: DUMMY_SP, label: nodes::ident(exits::LABEL, DUMMY_SP), body });
}

/// `{ let __smol_t; do { __smol_t = true; for (…) { … } if (!__smol_t) { … } } while (__smol_extend()); }`
fn chunks(mut node: ForStmt, counter: &Counter, span: Span) -> Stmt {
    exits::close_before_exits(&mut node.body);
    note_progress(&mut node.body, &counter.variable, span);
    let has_test = node.test.is_some();
    node.test = Some(condition(node.test.take(), counter, span));
    let reset = assign(test_result(), Box::new(Expr::Lit(Lit::Bool(Bool { span: DUMMY_SP, value: true }))), DUMMY_SP);
    // This has to stand between the heads of the two loops: V8 takes loops that begin at the same place for one, and
    // its code for that is as slow as that of a guarded loop.
    let mut round = vec![Stmt::Expr(ExprStmt { span: DUMMY_SP, expr: reset }), Stmt::For(node)];
    if has_test {
        let negated = UnaryExpr { span: DUMMY_SP, op: UnaryOp::Bang, arg: nodes::name("__smol_t", DUMMY_SP) };
        round.push(nodes::if_statement(Box::new(Expr::Unary(negated)), exits::close_and_leave(DUMMY_SP), DUMMY_SP));
    }
    let rounds = Stmt::DoWhile(DoWhileStmt {
        span: DUMMY_SP,
        test: call("__smol_extend", [], span),
        body: Box::new(Stmt::Block(nodes::block(DUMMY_SP, round))),
    });
    Stmt::Block(nodes::block(DUMMY_SP, vec![declare("__smol_t"), rounds]))
}

fn test_result() -> SimpleAssignTarget {
    SimpleAssignTarget::Ident(BindingIdent { id: nodes::ident("__smol_t", DUMMY_SP), type_ann: None })
}

/// `i < __smol_chunk[1] && (__smol_t = (test))`: what the chunk has, before the loop's own test.
fn condition(test: Option<Box<Expr>>, counter: &Counter, span: Span) -> Box<Expr> {
    let before = if counter.step < 0.0 { BinaryOp::Gt } else { BinaryOp::Lt };
    let variable = nodes::name(&counter.variable.sym, counter.variable.span);
    let condition = binary(before, variable, chunk_slot(1.0, span));
    match test {
        Some(test) => {
            let tested = assign(test_result(), nodes::parenthesized(test), DUMMY_SP);
            binary(BinaryOp::LogicalAnd, condition, nodes::parenthesized(tested))
        }
        None => condition,
    }
}

/// Puts `__smol_chunk[0] = i;` first into the body.
fn note_progress(body: &mut Box<Stmt>, variable: &Ident, span: Span) {
    let Expr::Member(slot) = *chunk_slot(0.0, span) else { return };
    let noted = assign(SimpleAssignTarget::Member(slot), nodes::name(&variable.sym, variable.span), span);
    nodes::prepend(body, Stmt::Expr(ExprStmt { span, expr: noted }));
}

fn chunk_slot(index: f64, span: Span) -> Box<Expr> {
    let prop = MemberProp::Computed(ComputedPropName { span: DUMMY_SP, expr: number(index) });
    Box::new(Expr::Member(MemberExpr { span, obj: nodes::name("__smol_chunk", span), prop }))
}

fn number(value: f64) -> Box<Expr> {
    let literal = |value| Box::new(Expr::Lit(Lit::Num(Number { span: DUMMY_SP, value, raw: None })));
    if value < 0.0 {
        return Box::new(Expr::Unary(UnaryExpr { span: DUMMY_SP, op: UnaryOp::Minus, arg: literal(-value) }));
    }
    literal(value)
}

fn binary(op: BinaryOp, left: Box<Expr>, right: Box<Expr>) -> Box<Expr> {
    Box::new(Expr::Bin(BinExpr { span: DUMMY_SP, op, left, right }))
}

fn assign(target: SimpleAssignTarget, value: Box<Expr>, span: Span) -> Box<Expr> {
    let left = AssignTarget::Simple(target);
    Box::new(Expr::Assign(AssignExpr { span, op: AssignOp::Assign, left, right: value }))
}

fn call(callee: &str, args: impl IntoIterator<Item = Box<Expr>>, span: Span) -> Box<Expr> {
    nodes::call(callee, args.into_iter().map(|expr| ExprOrSpread { spread: None, expr }).collect(), span)
}

/// `let name;`
fn declare(name: &str) -> Stmt {
    let name = Pat::Ident(BindingIdent { id: nodes::ident(name, DUMMY_SP), type_ann: None });
    let declarator = VarDeclarator { span: DUMMY_SP, name, init: None, definite: false };
    let declaration = VarDecl { kind: VarDeclKind::Let, decls: vec![declarator], ..VarDecl::default() };
    Stmt::Decl(Decl::Var(Box::new(declaration)))
}

fn empty_loop() -> ForStmt {
    ForStmt { span: DUMMY_SP, init: None, test: None, update: None, body: Box::new(nodes::empty()) }
}
