//! Loops that only compute: with numbers in variables and typed arrays they can neither throw nor run other code.

use swc_ecma_ast::{
    AssignExpr, AssignOp, AssignTarget, BinExpr, BinaryOp, ComputedPropName, CondExpr, Expr, Ident, IfStmt, Lit,
    MemberExpr, MemberProp, SimpleAssignTarget, Stmt, UnaryExpr, UnaryOp, UpdateExpr,
};

use crate::analyze::LoopNames;
use crate::transform::completion::VALUE;

/// What has to hold when a loop begins, so that it only computes.
#[derive(Default)]
pub(super) struct Assumptions {
    /// Variables that hold numbers.
    pub(super) numbers: Vec<Ident>,
    /// Variables that hold typed arrays of numbers.
    pub(super) arrays: Vec<Ident>,
    /// Variables that the loop writes.
    pub(super) written: Vec<Ident>,
}

/// Nodes of a loop whose text may be doubled.
const MAX_NODES: u32 = 300;

/// What an expression gives under the assumptions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    /// A number, a boolean, or undefined.
    Primitive,
}

/// What makes the body of a loop over `variable` one that only computes, if anything does.
pub(super) fn assumptions(body: &Stmt, variable: &Ident, names: &LoopNames) -> Option<Assumptions> {
    let mut scan = Scan { variable, names, found: Assumptions::default(), nodes: 0 };
    scan.statement(body)?;
    let Assumptions { numbers, arrays, .. } = &scan.found;
    let is_both = numbers.iter().any(|number| arrays.iter().any(|array| array.sym == number.sym));
    (!is_both).then_some(scan.found)
}

struct Scan<'a> {
    variable: &'a Ident,
    names: &'a LoopNames,
    found: Assumptions,
    nodes: u32,
}

impl Scan<'_> {
    fn count(&mut self) -> Option<()> {
        self.nodes += 1;
        (self.nodes <= MAX_NODES).then_some(())
    }

    fn statement(&mut self, node: &Stmt) -> Option<()> {
        self.count()?;
        match node {
            Stmt::Block(block) => block.stmts.iter().try_for_each(|statement| self.statement(statement)),
            Stmt::Empty(_) => Some(()),
            Stmt::Continue(node) if node.label.is_none() => Some(()),
            Stmt::Expr(node) => self.kind(&node.expr).map(drop),
            Stmt::If(IfStmt { test, cons, alt, .. }) => {
                self.kind(test)?;
                self.statement(cons)?;
                alt.iter().try_for_each(|alternative| self.statement(alternative))
            }
            _ => None,
        }
    }

    fn kind(&mut self, node: &Expr) -> Option<Kind> {
        self.count()?;
        match node {
            Expr::Lit(Lit::Num(_)) => Some(Kind::Number),
            Expr::Lit(Lit::Bool(_)) => Some(Kind::Primitive),
            Expr::Ident(name) if name.sym == self.variable.sym => Some(Kind::Number),
            Expr::Ident(name) => self.number(name),
            Expr::Paren(node) => self.kind(&node.expr),
            Expr::Seq(node) => node.exprs.iter().try_fold(Kind::Primitive, |_, node| self.kind(node)),
            Expr::Member(node) => self.element(node),
            Expr::Unary(UnaryExpr { op, arg, .. }) => {
                self.kind(arg)?;
                match op {
                    UnaryOp::Minus | UnaryOp::Plus | UnaryOp::Tilde => Some(Kind::Number),
                    UnaryOp::Bang | UnaryOp::Void => Some(Kind::Primitive),
                    UnaryOp::TypeOf | UnaryOp::Delete => None,
                }
            }
            Expr::Bin(BinExpr { op, left, right, .. }) => {
                let (left, right) = (self.kind(left)?, self.kind(right)?);
                of_operator(*op, left, right)
            }
            Expr::Cond(CondExpr { test, cons, alt, .. }) => {
                self.kind(test)?;
                Some(either(self.kind(cons)?, self.kind(alt)?))
            }
            Expr::Assign(node) => self.assignment(node),
            Expr::Update(UpdateExpr { arg, .. }) => match &**arg {
                Expr::Ident(name) => self.assigned(name),
                Expr::Member(node) => self.element(node).map(|_| Kind::Number),
                _ => None,
            },
            _ => None,
        }
    }

    fn assignment(&mut self, node: &AssignExpr) -> Option<Kind> {
        let AssignTarget::Simple(target) = &node.left else { return None };
        let operator = node.op.to_update();
        let is_plain = node.op == AssignOp::Assign;
        if !is_plain && !operator.is_some_and(is_arithmetic) {
            return None;
        }
        let value = self.kind(&node.right)?;
        match target {
            // The loop only writes it.
            SimpleAssignTarget::Ident(name) if name.id.sym == VALUE => Some(value),
            SimpleAssignTarget::Ident(name) if !is_plain || value == Kind::Number => self.assigned(&name.id),
            SimpleAssignTarget::Member(node) => {
                self.element(node)?;
                Some(if is_plain { value } else { Kind::Number })
            }
            _ => None,
        }
    }

    /// A variable that gets a number.
    fn assigned(&mut self, name: &Ident) -> Option<Kind> {
        if name.sym == self.variable.sym {
            return None;
        }
        self.found.written.push(name.clone());
        self.number(name)
    }

    fn number(&mut self, name: &Ident) -> Option<Kind> {
        note(&mut self.found.numbers, name, self.names)?;
        Some(Kind::Number)
    }

    /// `array[number]`: no other key of a typed array is free of getters.
    fn element(&mut self, node: &MemberExpr) -> Option<Kind> {
        let (Expr::Ident(array), MemberProp::Computed(ComputedPropName { expr: index, .. })) = (&*node.obj, &node.prop)
        else {
            return None;
        };
        if self.kind(index)? != Kind::Number || array.sym == self.variable.sym {
            return None;
        }
        note(&mut self.found.arrays, array, self.names)?;
        Some(Kind::Primitive)
    }
}

/// Adds a name, if it is one of a variable that certainly has a value.
fn note(list: &mut Vec<Ident>, name: &Ident, names: &LoopNames) -> Option<()> {
    if !names.own.contains(&name.span.lo) {
        return None;
    }
    if !list.iter().any(|known| known.sym == name.sym) {
        list.push(name.clone());
    }
    Some(())
}

fn is_arithmetic(operator: BinaryOp) -> bool {
    of_operator(operator, Kind::Primitive, Kind::Primitive) == Some(Kind::Number)
}

fn of_operator(operator: BinaryOp, left: Kind, right: Kind) -> Option<Kind> {
    match operator {
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Mod
        | BinaryOp::Exp
        | BinaryOp::BitOr
        | BinaryOp::BitAnd
        | BinaryOp::BitXor
        | BinaryOp::LShift
        | BinaryOp::RShift
        | BinaryOp::ZeroFillRShift => Some(Kind::Number),
        BinaryOp::Lt
        | BinaryOp::LtEq
        | BinaryOp::Gt
        | BinaryOp::GtEq
        | BinaryOp::EqEq
        | BinaryOp::EqEqEq
        | BinaryOp::NotEq
        | BinaryOp::NotEqEq => Some(Kind::Primitive),
        BinaryOp::LogicalAnd | BinaryOp::LogicalOr => Some(either(left, right)),
        BinaryOp::In | BinaryOp::InstanceOf | BinaryOp::NullishCoalescing => None,
    }
}

fn either(left: Kind, right: Kind) -> Kind {
    if left == right { left } else { Kind::Primitive }
}
