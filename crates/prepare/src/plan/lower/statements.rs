//! Statements.

use swc_ecma_ast::{
    BinaryOp, Decl, Expr, ForHead, ForInStmt, ForOfStmt, ForStmt, Ident, Lit, Pat, Stmt, SwitchStmt, TryStmt, UpdateOp,
    VarDecl, VarDeclKind, VarDeclOrExpr, VarDeclarator,
};

use super::super::graph::{Bound, Counter, PROGRAM, Tracked, Value};
use super::super::ids::ListRef;
use super::super::reasons::Reason;
use super::super::shapes::Shape;
use super::patterns::BindingMode;
use super::{Lowering, names};

impl Lowering<'_> {
    /// Statements of one list. The caller has declared their names.
    pub(super) fn statements(&mut self, statements: &[&Stmt]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Expr(statement) => {
                let value = self.expr(&statement.expr);
                if self.frame.function == PROGRAM {
                    // It may be the output.
                    self.graph.touch(value);
                }
            }
            Stmt::Decl(declaration) => self.declaration(declaration),
            Stmt::Block(block) => self.block(block),
            Stmt::Return(statement) => {
                self.give_back(statement.arg.as_deref());
                self.frame.has_left = true;
            }
            Stmt::If(statement) => {
                self.expr(&statement.test);
                self.conditionally(|lowering| {
                    lowering.single(&statement.cons);
                    if let Some(other) = &statement.alt {
                        lowering.single(other);
                    }
                });
            }
            Stmt::Throw(statement) => {
                let value = self.expr(&statement.arg);
                self.graph.escape(value);
            }
            Stmt::Try(statement) => self.try_statement(statement),
            Stmt::Switch(statement) => self.switch(statement),
            Stmt::While(statement) => {
                self.in_loop(Bound::AtLeastOnce, |lowering| lowering.expr(&statement.test));
                self.body(Bound::Unbounded, &statement.body);
            }
            Stmt::DoWhile(statement) => {
                self.body(Bound::AtLeastOnce, &statement.body);
                // `continue` leads here.
                self.in_loop(Bound::Unbounded, |lowering| lowering.expr(&statement.test));
            }
            Stmt::For(statement) => self.for_statement(statement),
            Stmt::ForIn(statement) => self.for_in(statement),
            Stmt::ForOf(statement) => self.for_of(statement),
            Stmt::Labeled(statement) => {
                self.single(&statement.body);
                self.frame.left_labels.remove(&statement.label.sym);
            }
            Stmt::Break(statement) => match &statement.label {
                Some(label) => self.leave(label),
                None => self.frame.has_left_part = true,
            },
            Stmt::Continue(statement) => match &statement.label {
                Some(label) => self.leave(label),
                None => self.frame.has_continued = true,
            },
            Stmt::Empty(_) | Stmt::Debugger(_) => {}
            // Strict mode has no `with`.
            Stmt::With(_) => self.open(Reason::NotReadable, None),
        }
    }

    /// What follows up to the end of the statement with the label may be left out.
    fn leave(&mut self, label: &Ident) {
        self.frame.left_labels.insert(label.sym.clone());
    }

    /// A statement in the place of a block. It can only be a declaration if it is a labeled function.
    fn single(&mut self, statement: &Stmt) {
        self.enter();
        self.declare_block(std::iter::once(statement));
        self.statement(statement);
        self.exit();
    }

    fn body(&mut self, bound: Bound, body: &Stmt) {
        self.in_body(bound, |lowering| lowering.single(body));
    }

    /// The result of the function, or of the program.
    pub(super) fn give_back(&mut self, expr: Option<&Expr>) {
        let Some(expr) = expr else { return };
        let function = &self.graph.functions[self.frame.function as usize];
        let (result, is_async, is_generator) = (function.result, function.is_async, function.is_generator);
        // A promise that is returned is awaited.
        let is_awaited = is_async || self.frame.function == PROGRAM;
        let value = if is_awaited { self.awaited(expr) } else { self.expr(expr) };
        if is_generator {
            self.graph.escape(value);
        }
        if is_async {
            self.graph.touch(value);
        }
        self.graph.flow(value, result);
    }

    fn declaration(&mut self, declaration: &Decl) {
        match declaration {
            Decl::Var(variables) => self.variables(variables),
            Decl::Fn(declared) => {
                self.see(declared.function.span);
                let id = self.function_of(&declared.function);
                let function = self.graph.tracked(Tracked::Function(id));
                if let Some(binding) = self.lookup(&declared.ident.sym) {
                    let node = self.graph.bindings[binding as usize].node;
                    self.graph.flow(function, node);
                }
            }
            Decl::Class(declared) => {
                self.class(&declared.class, Some(&declared.ident));
                if let Some(binding) = self.lookup(&declared.ident.sym) {
                    let node = self.graph.bindings[binding as usize].node;
                    self.graph.flow(Value::Unknown, node);
                }
            }
            Decl::Using(using) => {
                for declarator in &using.decls {
                    let value = declarator.init.as_deref().map_or(Value::Plain, |init| self.expr(init));
                    // Its method is called at the end of the block.
                    self.graph.escape(value);
                    self.bind(&declarator.name, value, Shape::Any, BindingMode::Declare);
                }
            }
            // Types are removed before.
            _ => self.open(Reason::NotReadable, None),
        }
    }

    fn variables(&mut self, variables: &VarDecl) {
        for declarator in &variables.decls {
            self.variable(declarator, variables.kind);
        }
    }

    fn variable(&mut self, declarator: &VarDeclarator, kind: VarDeclKind) {
        let mode = if kind == VarDeclKind::Var { BindingMode::Assign } else { BindingMode::Declare };
        let Some(init) = declarator.init.as_deref() else { return };
        let shape = if kind == VarDeclKind::Var { Shape::Any } else { self.shape(init) };
        let is_name = matches!(declarator.name, Pat::Ident(_));
        let value = if is_name { self.expr(init) } else { self.read_whole(init) };
        self.bind(&declarator.name, value, shape, mode);
    }

    fn try_statement(&mut self, statement: &TryStmt) {
        self.conditionally(|lowering| {
            lowering.block(&statement.block);
            let Some(handler) = &statement.handler else { return };
            lowering.enter();
            if let Some(param) = &handler.param {
                let mut names = Vec::new();
                names::pattern_names(param, &mut names);
                lowering.declare(names);
                lowering.bind(param, Value::Unknown, Shape::Any, BindingMode::Declare);
            }
            lowering.block(&handler.body);
            lowering.exit();
        });
        if let Some(finalizer) = &statement.finalizer {
            self.block(finalizer);
        }
    }

    fn switch(&mut self, statement: &SwitchStmt) {
        self.expr(&statement.discriminant);
        self.enter();
        self.declare_block(statement.cases.iter().flat_map(|case| &case.cons));
        self.in_switch(|lowering| {
            lowering.conditionally(|lowering| {
                for case in &statement.cases {
                    if let Some(test) = &case.test {
                        lowering.expr(test);
                    }
                    let statements: Vec<_> = case.cons.iter().collect();
                    lowering.statements(&statements);
                }
            });
        });
        self.exit();
    }

    fn for_statement(&mut self, statement: &ForStmt) {
        self.enter();
        match &statement.init {
            Some(VarDeclOrExpr::VarDecl(variables)) => {
                self.declare_head(variables);
                self.variables(variables);
            }
            Some(VarDeclOrExpr::Expr(expr)) => {
                self.expr(expr);
            }
            None => {}
        }
        let body = match (&statement.test, self.counter(statement, false)) {
            (None, _) => Bound::AtLeastOnce,
            (Some(_), Some(counter)) => Bound::Counter(counter),
            (Some(_), None) => Bound::Unbounded,
        };
        if let Some(test) = &statement.test {
            let bound = self.counter(statement, true).map_or(Bound::AtLeastOnce, Bound::Counter);
            self.in_loop(bound, |lowering| lowering.expr(test));
        }
        self.in_body(body, |lowering| {
            lowering.single(&statement.body);
            if let Some(update) = &statement.update {
                lowering.conditionally(|lowering| lowering.expr(update));
            }
        });
        self.exit();
    }

    /// The head of `for (let i = 0; i < 3; i++)`. `is_test`: for its test.
    fn counter(&self, statement: &ForStmt, is_test: bool) -> Option<Box<Counter>> {
        let Some(VarDeclOrExpr::VarDecl(variables)) = &statement.init else { return None };
        let [VarDeclarator { name: Pat::Ident(name), init: Some(init), .. }] = &variables.decls[..] else {
            return None;
        };
        if variables.kind != VarDeclKind::Let {
            return None;
        }
        let is_counter = |expr: &Expr| expr.unwrap_parens().as_ident().is_some_and(|it| it.sym == name.id.sym);
        let from = integer(init)?;
        let test = statement.test.as_deref()?.unwrap_parens().as_bin()?;
        let is_inclusive = match test.op {
            BinaryOp::Lt => false,
            BinaryOp::LtEq => true,
            _ => return None,
        };
        let step = match statement.update.as_deref()?.unwrap_parens() {
            Expr::Update(update) if update.op == UpdateOp::PlusPlus && is_counter(&update.arg) => 1.0,
            Expr::Assign(assign) if assign.op == swc_ecma_ast::AssignOp::AddAssign => {
                let target = assign.left.as_simple()?.as_ident()?;
                if target.id.sym != name.id.sym {
                    return None;
                }
                integer(&assign.right).filter(|&step| step >= 1.0)?
            }
            _ => return None,
        };
        if !is_counter(&test.left) {
            return None;
        }
        let binding = self.lookup(&name.id.sym)?;
        Some(Box::new(Counter { binding, from, to: self.shape(&test.right), is_inclusive, step, is_test }))
    }

    fn for_in(&mut self, statement: &ForInStmt) {
        self.enter();
        self.declare_for(&statement.left);
        let object = self.expr(&statement.right);
        self.graph.touch(object);
        self.in_body(Bound::Unbounded, |lowering| {
            lowering.bind_head(&statement.left, Shape::Any);
            lowering.single(&statement.body);
        });
        self.exit();
    }

    fn for_of(&mut self, statement: &ForOfStmt) {
        self.enter();
        self.declare_for(&statement.left);
        let list = if statement.is_await { None } else { self.list_of(&statement.right) };
        let iterated = if list.is_some() { self.read_whole(&statement.right) } else { self.expr(&statement.right) };
        self.graph.touch(iterated);
        if statement.is_await {
            self.graph.escape(iterated);
        }
        let (bound, shape) = match list {
            Some(list) => (Bound::List(list), Shape::Element(list)),
            None => (Bound::Unbounded, Shape::Any),
        };
        self.in_body(bound, |lowering| {
            lowering.bind_head(&statement.left, shape);
            lowering.single(&statement.body);
        });
        self.exit();
    }

    /// A list literal, or a variable that may be one.
    pub(super) fn list_of(&mut self, expr: &Expr) -> Option<ListRef> {
        match expr.unwrap_parens() {
            Expr::Array(list) if list.elems.iter().flatten().all(|element| element.spread.is_none()) => {
                let shape = self.shape(expr);
                self.graph.lists.push(shape);
                Some(ListRef::Literal((self.graph.lists.len() - 1) as u32))
            }
            Expr::Ident(name) => self.lookup(&name.sym).map(ListRef::Variable),
            _ => None,
        }
    }

    fn declare_head(&mut self, variables: &VarDecl) {
        if variables.kind != VarDeclKind::Var {
            let mut names = Vec::new();
            names::declared_names(&variables.decls, &mut names);
            self.declare(names);
        }
    }

    fn declare_for(&mut self, head: &ForHead) {
        match head {
            ForHead::VarDecl(variables) => self.declare_head(variables),
            ForHead::UsingDecl(using) => {
                let mut names = Vec::new();
                names::declared_names(&using.decls, &mut names);
                self.declare(names);
            }
            ForHead::Pat(_) => {}
        }
    }

    /// Gives the names in the head of a loop the elements.
    fn bind_head(&mut self, head: &ForHead, shape: Shape) {
        let (declarators, mode) = match head {
            ForHead::VarDecl(variables) if variables.kind == VarDeclKind::Var => {
                (&variables.decls, BindingMode::Assign)
            }
            ForHead::VarDecl(variables) => (&variables.decls, BindingMode::Declare),
            ForHead::UsingDecl(using) => (&using.decls, BindingMode::Declare),
            ForHead::Pat(pat) => return self.bind(pat, Value::Unknown, Shape::Any, BindingMode::Assign),
        };
        for declarator in declarators {
            self.bind(&declarator.name, Value::Unknown, shape.clone(), mode);
        }
    }
}

/// An integer literal of a size whose arithmetic is exact.
fn integer(expr: &Expr) -> Option<f64> {
    let (negative, literal) = match expr.unwrap_parens() {
        Expr::Unary(unary) if unary.op == swc_ecma_ast::UnaryOp::Minus => (true, unary.arg.unwrap_parens()),
        other => (false, other),
    };
    let Expr::Lit(Lit::Num(number)) = literal else { return None };
    let value = if negative { -number.value } else { number.value };
    (value.fract() == 0.0 && value.abs() <= 1e9).then_some(value)
}
