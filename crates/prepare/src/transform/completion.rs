//! The value of a program is that of its last statement that has one, unless it returns one itself.
//!
//! An expression at the end is returned. If the last statement can be left in several places (a loop, a `switch`, a
//! labeled statement), or if a statement without a value follows, the value is recorded as in ECMA-262 and returned at
//! the end: `let __smol_value; for (…) { __smol_value = (x); } return __smol_value;`.
//!
//! A variable of a declaration is returned as `__smol_declared(x)`, because a promise that is only declared is not
//! awaited.

use swc_common::{DUMMY_SP, Span, Spanned};
use swc_ecma_ast::{
    ArrowExpr, BinaryOp, BlockStmt, BreakStmt, Class, ContinueStmt, Decl, EmptyStmt, Expr, ExprOrSpread, ExprStmt,
    Function, Lit, Pat, SimpleAssignTarget, Stmt, VarDecl, VarDeclKind,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::nodes;

/// The variable for the recorded value.
pub(super) const VALUE: &str = "__smol_value";
/// The variable in which a `finally` clause keeps the earlier value.
const BEFORE: &str = "__smol_value_before";

/// Makes the statements of a program, or of a block at its end, return their value.
pub(in super::super) fn return_completion_value(statements: &mut Vec<Stmt>) {
    let Some(last) = statements.iter().rposition(has_value).filter(|&last| gives_value(&statements[last])) else {
        return;
    };
    let is_followed = statements[last + 1..].iter().any(|statement| !is_hoisted(statement));
    if let Some(declared) = last_declared(&statements[last]) {
        // The declaration keeps its value, and nothing after it has one.
        statements.push(declared);
    } else if is_followed || is_left_early(&statements[last]) {
        let statement = take(&mut statements[last]);
        let mut noted = vec![declare_value(statement.span())];
        note_value(statement, &mut noted);
        statements.splice(last..=last, noted);
        statements.push(nodes::return_statement(nodes::name(VALUE, DUMMY_SP), DUMMY_SP));
    } else {
        return_value_of(&mut statements[last]);
    }
}

/// Makes a script of expressions end with the value of the last one.
pub(in super::super) fn end_with_value(expressions: &mut Vec<Stmt>) {
    if let Some(Stmt::Expr(ExprStmt { span, expr })) = expressions.pop() {
        expressions.push(nodes::value_statement(expr, span));
    }
}

fn return_value_of(statement: &mut Stmt) {
    match statement {
        Stmt::Expr(expression) => {
            let span = expression.span;
            let Stmt::Expr(expression) = take(statement) else {
                return;
            };
            *statement = nodes::return_statement(expression.expr, span);
        }
        Stmt::Block(block) => return_completion_value(&mut block.stmts),
        Stmt::If(branches) => {
            return_value_of_branch(&mut branches.cons);
            if let Some(alternative) = &mut branches.alt {
                return_value_of_branch(alternative);
            }
        }
        Stmt::Try(parts) => {
            return_completion_value(&mut parts.block.stmts);
            if let Some(handler) = &mut parts.handler {
                return_completion_value(&mut handler.body.stmts);
            }
        }
        _ => {}
    }
}

/// A single statement that may become several.
fn return_value_of_branch(statement: &mut Stmt) {
    if last_declared(statement).is_some() || is_left_early(statement) {
        let mut statements = vec![take(statement)];
        return_completion_value(&mut statements);
        *statement = Stmt::Block(nodes::block(DUMMY_SP, statements));
    } else {
        return_value_of(statement);
    }
}

/// Whether the value of a statement may be that of any iteration or case.
fn is_left_early(statement: &Stmt) -> bool {
    nodes::is_loop(statement) || matches!(statement, Stmt::Switch(_) | Stmt::Labeled(_))
}

/// Whether a statement can be ignored because it takes effect before all others.
fn is_hoisted(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Empty(_) | Stmt::Decl(Decl::Fn(_)))
}

/// Whether a statement would have a value, possibly `undefined`, if it were the last one.
fn has_value(statement: &Stmt) -> bool {
    match statement {
        Stmt::Decl(_) => last_declared(statement).is_some(),
        Stmt::Block(block) => !block.stmts.iter().all(is_hoisted),
        Stmt::Empty(_) | Stmt::Debugger(_) => false,
        _ => true,
    }
}

/// Whether the value may differ from `undefined`.
fn gives_value(statement: &Stmt) -> bool {
    let any = |statements: &[Stmt]| statements.iter().any(gives_value);
    match statement {
        Stmt::Expr(_) => true,
        Stmt::Decl(_) => last_declared(statement).is_some(),
        Stmt::Block(block) => any(&block.stmts),
        Stmt::If(branches) => gives_value(&branches.cons) || branches.alt.as_deref().is_some_and(gives_value),
        Stmt::Try(parts) => {
            any(&parts.block.stmts)
                || parts.handler.as_ref().is_some_and(|handler| any(&handler.body.stmts))
                || parts.finalizer.as_ref().is_some_and(|finalizer| any(&finalizer.stmts))
        }
        Stmt::Switch(switch) => switch.cases.iter().any(|case| any(&case.cons)),
        Stmt::Labeled(labeled) => gives_value(&labeled.body),
        Stmt::For(node) => gives_value(&node.body),
        Stmt::ForIn(node) => gives_value(&node.body),
        Stmt::ForOf(node) => gives_value(&node.body),
        Stmt::While(node) => gives_value(&node.body),
        Stmt::DoWhile(node) => gives_value(&node.body),
        _ => false,
    }
}

/// `return __smol_declared(name);` for the last variable of a declaration.
fn last_declared(statement: &Stmt) -> Option<Stmt> {
    let Stmt::Decl(Decl::Var(declaration)) = statement else {
        return None;
    };
    let VarDecl { decls, .. } = &**declaration;
    let last = decls.last()?;
    let Pat::Ident(binding) = &last.name else {
        return None;
    };
    let mut value = nodes::name(&binding.id.sym, binding.id.span);
    if last.init.as_deref().is_none_or(may_be_awaited) {
        value = nodes::call("__smol_declared", vec![ExprOrSpread { spread: None, expr: value }], last.span());
    }
    Some(nodes::return_statement(value, last.span()))
}

/// Whether an async function that returns this value may wait for it.
fn may_be_awaited(value: &Expr) -> bool {
    match value {
        Expr::Paren(inner) => may_be_awaited(&inner.expr),
        Expr::Lit(literal) => matches!(literal, Lit::JSXText(_)),
        Expr::Bin(operation) => {
            matches!(operation.op, BinaryOp::LogicalOr | BinaryOp::LogicalAnd | BinaryOp::NullishCoalescing)
        }
        // The result of `await` is not a promise, and V8's own prototypes have no `then`.
        Expr::Await(_) | Expr::Array(_) | Expr::Arrow(_) | Expr::Fn(_) => false,
        Expr::Tpl(_) | Expr::Unary(_) | Expr::Update(_) => false,
        _ => true,
    }
}

/// Adds a statement to `out` that records its value.
fn note_value(mut statement: Stmt, out: &mut Vec<Stmt>) {
    let span = statement.span();
    // If these have no completion value, their value is `undefined`, whatever it was before.
    if nodes::is_loop(&statement) || matches!(statement, Stmt::If(_) | Stmt::Switch(_) | Stmt::Try(_)) {
        out.push(assign_value(nodes::undefined(), span));
    }
    match &mut statement {
        Stmt::Expr(_) => {
            if let Stmt::Expr(expression) = take(&mut statement) {
                statement = assign_value(expression.expr, span);
            }
        }
        Stmt::Block(block) => note_last(block),
        Stmt::If(branches) => {
            note_branch(&mut branches.cons);
            if let Some(alternative) = &mut branches.alt {
                note_branch(alternative);
            }
        }
        Stmt::Try(parts) => {
            note_last(&mut parts.block);
            if let Some(handler) = &mut parts.handler {
                note_last(&mut handler.body);
            }
            if let Some(finalizer) = &mut parts.finalizer {
                note_finalizer(finalizer);
            }
        }
        Stmt::Switch(switch) => {
            for case in &mut switch.cases {
                case.cons = noted(std::mem::take(&mut case.cons));
            }
        }
        Stmt::Labeled(labeled) => {
            // The label stays at its loop.
            let mut parts = Vec::new();
            note_value(take(&mut labeled.body), &mut parts);
            *labeled.body = parts.pop().unwrap_or_else(nodes::empty);
            out.append(&mut parts);
        }
        Stmt::For(node) => note_branch(&mut node.body),
        Stmt::ForIn(node) => note_branch(&mut node.body),
        Stmt::ForOf(node) => note_branch(&mut node.body),
        Stmt::While(node) => note_branch(&mut node.body),
        Stmt::DoWhile(node) => note_branch(&mut node.body),
        _ => {}
    }
    out.push(statement);
}

fn note_last(block: &mut BlockStmt) {
    block.stmts = noted(std::mem::take(&mut block.stmts));
}

/// The value of a `finally` clause counts only if the clause is left by a jump: `{ const __smol_value_before =
/// __smol_value; … __smol_value = __smol_value_before; }`.
fn note_finalizer(block: &mut BlockStmt) {
    let mut jumps = Jumps(false);
    block.visit_with(&mut jumps);
    if !jumps.0 {
        return;
    }
    let before = nodes::declarator(nodes::binding(BEFORE), Some(nodes::name(VALUE, DUMMY_SP)), DUMMY_SP);
    let mut statements =
        vec![nodes::declare(VarDeclKind::Const, vec![before], DUMMY_SP), assign_value(nodes::undefined(), DUMMY_SP)];
    statements.extend(noted(std::mem::take(&mut block.stmts)));
    statements.push(assign_value(nodes::name(BEFORE, DUMMY_SP), DUMMY_SP));
    block.stmts = statements;
}

/// Whether there is a `break` or `continue`.
struct Jumps(bool);

impl Visit for Jumps {
    fn visit_break_stmt(&mut self, _: &BreakStmt) {
        self.0 = true;
    }

    fn visit_continue_stmt(&mut self, _: &ContinueStmt) {
        self.0 = true;
    }

    // Jumps in functions and classes do not leave the block.
    fn visit_function(&mut self, _: &Function) {}
    fn visit_arrow_expr(&mut self, _: &ArrowExpr) {}
    fn visit_class(&mut self, _: &Class) {}
}

fn note_branch(statement: &mut Stmt) {
    if !can_note(statement) {
        return;
    }
    let mut statements = Vec::new();
    note_value(take(statement), &mut statements);
    *statement = match statements.pop() {
        Some(single) if statements.is_empty() => single,
        last => {
            statements.extend(last);
            Stmt::Block(nodes::block(DUMMY_SP, statements))
        }
    };
}

/// Records the values that may be the last ones. An expression that another one certainly follows is not recorded.
fn noted(statements: Vec<Stmt>) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(statements.len() + 1);
    let mut rest = statements.into_iter().peekable();
    while let Some(statement) = rest.next() {
        let is_overwritten = rest
            .peek()
            .is_some_and(|next| matches!(next, Stmt::Expr(_) | Stmt::If(_) | Stmt::Try(_)) || nodes::is_loop(next));
        if (matches!(statement, Stmt::Expr(_)) && is_overwritten) || !can_note(&statement) {
            out.push(statement);
        } else {
            note_value(statement, &mut out);
        }
    }
    out
}

/// Whether recording can change anything: a declaration or a jump has no value.
fn can_note(statement: &Stmt) -> bool {
    !matches!(
        statement,
        Stmt::Decl(_) | Stmt::Empty(_) | Stmt::Break(_) | Stmt::Continue(_) | Stmt::Return(_) | Stmt::Throw(_)
    )
}

/// `let __smol_value;`
fn declare_value(span: Span) -> Stmt {
    nodes::declare(VarDeclKind::Let, vec![nodes::declarator(nodes::binding(VALUE), None, span)], span)
}

/// `__smol_value = (value);`
fn assign_value(value: Box<Expr>, span: Span) -> Stmt {
    // V8 reports an error in `value` at the start of the statement.
    let mut target = nodes::binding(VALUE);
    target.id.span = span;
    nodes::assign_statement(SimpleAssignTarget::Ident(target), nodes::parenthesized(value), span)
}

fn take(statement: &mut Stmt) -> Stmt {
    std::mem::replace(statement, Stmt::Empty(EmptyStmt { span: DUMMY_SP }))
}
