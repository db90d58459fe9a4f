//! One read-only pass over the tree. It applies every rule that needs the tree, measures the exact nesting depth, and
//! finds the bindings that persist.

mod bindings;
mod names;
mod scopes;

pub(super) use names::{Binding, Cell, Kind};

use std::collections::HashSet;
use std::mem;
use std::ops::Range;

use swc_common::{BytePos, Span, Spanned};
use swc_ecma_ast::{
    ArrowExpr, AssignTarget, AssignTargetPat, AwaitExpr, BindingIdent, BlockStmt, CallExpr, Callee, CatchClause, Class,
    ClassDecl, ClassExpr, ClassMethod, Constructor, Decl, DefaultDecl, DoWhileStmt, ExportAll, Expr, FnDecl, FnExpr,
    ForHead, ForInStmt, ForOfStmt, ForStmt, Function, GetterProp, Ident, ImportPhase, MetaPropExpr, MetaPropKind,
    MethodProp, ModuleDecl, NamedExport, NewExpr, Param, Pat, PrivateMethod, PrivateName, Prop, Regex, SetterProp,
    SimpleAssignTarget, StaticBlock, Stmt, SwitchStmt, TryStmt, UpdateExpr, UsingDecl, VarDecl, VarDeclKind,
    VarDeclarator, WhileStmt, YieldExpr,
};
use swc_ecma_visit::{Visit, VisitWith};

use super::descent::Descent;
use super::diagnostics::Report;
use super::dialect::Dialect;
use super::goal::Goal;
use super::observed::{Lookups, Observed, SharedUse};
use super::options::PrepareOptions;
use super::parse::ParsedSource;
use super::positions::Functions;
use super::regexps::Cost;
use super::rules::{self, globals::ForbiddenName};
use super::syntax::offset;
use super::trivia;
use bindings::Bindings;
use scopes::Scopes;
use ses_protocol::Severity;

/// Names through which code in a page reaches its global, or runs text that does.
const PAGE_WAYS: [&str; 9] =
    ["window", "self", "document", "frames", "parent", "top", "eval", "Function", "customElements"];

/// The input of TRANSFORM.
pub(super) struct Analysis {
    /// Bindings at the top level of the program, in the order of their first declarations.
    pub(super) bindings: Vec<Binding>,
    pub(super) lookups: Lookups,
    /// Cells of earlier programs that the program names.
    pub(super) cells: Vec<Cell>,
    /// See [`super::Program::suits`].
    pub(super) shared_uses: Vec<SharedUse>,
    /// Positions of loops that wait, or that contain a `finally` clause.
    pub(super) waiting: HashSet<BytePos>,
    /// The program's own body waits somewhere, so other code runs before it has ended.
    pub(super) can_be_suspended: bool,
    pub(super) functions: Functions,
    /// See [`super::Program::is_doubtful`].
    pub(super) is_doubtful: bool,
}

/// `None` if the tree is too deep for the recursive passes that would follow. `code`: the text of `source`.
pub(super) fn analyze(
    source: &ParsedSource,
    code: &str,
    options: &PrepareOptions,
    observed: &Observed,
    goal: Goal,
    report: &mut Report,
) -> Option<Analysis> {
    let mut analyzer = Analyzer {
        source,
        code,
        options,
        goal,
        report,
        descent: Descent::default(),
        declaring: None,
        declarator: None,
        loops: Vec::new(),
        waiting: HashSet::new(),
        can_be_suspended: source.stand_ins.has_await(),
        has_import: false,
        functions: Functions::default(),
        is_doubtful: has_escapes(code),
        classes: 0,
        regexps: Cost::default(),
        scopes: Scopes::new(),
        bindings: Bindings::default(),
    };
    source.module.visit_with(&mut analyzer);
    if analyzer.descent.is_stopped() {
        return None;
    }
    if goal != Goal::Page {
        analyzer.report_forbidden_globals();
    }
    Some(analyzer.finish(observed))
}

#[derive(Clone, Copy)]
struct Declarator {
    end: BytePos,
    has_one_name: bool,
}

struct Analyzer<'a> {
    source: &'a ParsedSource,
    code: &'a str,
    options: &'a PrepareOptions,
    goal: Goal,
    report: &'a mut Report,
    descent: Descent,
    /// Set while a pattern that declares names is visited. Other patterns assign to existing names.
    declaring: Option<Kind>,
    /// The declarator that is being visited.
    declarator: Option<Declarator>,
    /// Positions of the loops around the node in the same function that are not in `waiting`, innermost last.
    loops: Vec<BytePos>,
    /// See [`Analysis`].
    waiting: HashSet<BytePos>,
    /// See [`Analysis`].
    can_be_suspended: bool,
    has_import: bool,
    functions: Functions,
    is_doubtful: bool,
    /// The number of classes around the node.
    classes: usize,
    /// The cost of all regular expressions so far.
    regexps: Cost,
    scopes: Scopes,
    bindings: Bindings,
}

impl Analyzer<'_> {
    /// Visits a node of a kind that can nest in itself, unless the limit is reached.
    fn descend<N: Spanned + VisitWith<Self>>(&mut self, node: &N) {
        if self.descent.enter(node, self.source, self.report) {
            node.visit_children_with(self);
            self.descent.leave();
        }
    }

    fn declaring<N: VisitWith<Self>>(&mut self, kind: Option<Kind>, node: &N) {
        let outer = mem::replace(&mut self.declaring, kind);
        node.visit_with(self);
        self.declaring = outer;
    }

    fn declare_in(&mut self, declarator: &VarDeclarator, kind: Kind) {
        let (end, has_one_name) = (declarator.span.hi, declarator.name.is_ident());
        self.declarator = Some(Declarator { end, has_one_name });
        self.declaring(Some(kind), &declarator.name);
        self.declarator = None;
        self.declaring(None, &declarator.init);
    }

    fn in_block<N: VisitWith<Self>>(&mut self, node: &N) {
        self.scopes.enter_block();
        node.visit_children_with(self);
        self.scopes.exit();
    }

    fn in_loop(&mut self, span: Span, visit: impl FnOnce(&mut Self)) {
        let outer = self.loops.len();
        self.loops.push(span.lo);
        visit(self);
        self.loops.truncate(outer);
    }

    /// Records that the function waits here.
    fn suspends(&mut self) {
        self.can_be_suspended |= self.scopes.is_in_top_function();
        self.keep_waiting();
    }

    /// Adds the loops around the node to those that wait.
    fn keep_waiting(&mut self) {
        self.waiting.extend(self.loops.drain(..));
    }

    fn in_function<N: VisitWith<Self>>(&mut self, node: &N) {
        let outer = (self.declaring.take(), mem::take(&mut self.loops));
        self.scopes.enter_function();
        node.visit_children_with(self);
        self.scopes.exit();
        (self.declaring, self.loops) = outer;
    }

    fn declare(&mut self, name: &Ident, kind: Kind) {
        self.scopes.declare(&name.sym, kind == Kind::Var);
        let persists = match kind {
            Kind::Var => self.scopes.is_in_top_function(),
            Kind::Let | Kind::Const | Kind::Function | Kind::Class => self.scopes.is_at_top_level(),
            Kind::Local => false,
        };
        if kind == Kind::Local && self.scopes.is_at_top_level() {
            self.bindings.add_resource(&name.sym);
        }
        if persists {
            let single = self.declarator.filter(|declarator| declarator.has_one_name);
            self.bindings.add(&name.sym, kind, single.map(|declarator| declarator.end));
        }
    }

    /// Called after the tree was visited.
    fn finish(mut self, observed: &Observed) -> Analysis {
        let is_page = self.goal == Goal::Page;
        let is_realm = |name: &str| rules::globals::is_whole(name) || (is_page && PAGE_WAYS.contains(&name));
        let has_all = self.has_import || self.scopes.globals().any(is_realm);
        self.bindings.settle(&self.scopes, observed, has_all, !self.can_be_suspended);
        let is_kept = |name: &&str| self.can_be_suspended || self.scopes.uses(name).any(|a| a.is_nested());
        let mut names = Vec::new();
        if !has_all {
            names.extend(self.scopes.globals().filter(is_kept).map(str::to_owned));
            names.extend(self.bindings.captured(&self.scopes).map(str::to_owned));
        }
        // In isolates on Linux, V8's messages quote the guest's own text: engine/src/bridge/quoted_code.rs.
        let quotes_what_runs = is_page || !cfg!(target_os = "linux");
        let cells = self.bindings.cells(&self.scopes, observed, quotes_what_runs);
        let shared_uses = self.bindings.shared_uses(&self.scopes, observed);
        let bindings = self.bindings.into_vec();
        let (plain, own): (Vec<_>, Vec<_>) = bindings.iter().partition(|binding| binding.is_deferred);
        let names_of = |list: Vec<&Binding>| list.into_iter().map(|binding| binding.name.clone()).collect();
        let constants = names_of(plain.iter().copied().filter(|binding| binding.kind == Kind::Const).collect());
        let lookups = Lookups { names, has_all, cells: names_of(own), plain: names_of(plain), constants };
        Analysis {
            bindings,
            lookups,
            cells,
            shared_uses,
            waiting: self.waiting,
            can_be_suspended: self.can_be_suspended,
            functions: self.functions,
            is_doubtful: self.is_doubtful && self.source.dialect == Dialect::JavaScript,
        }
    }

    /// Records the position of a function or class.
    fn add_function(&mut self, span: Span) {
        if !span.is_dummy() {
            self.functions.add(offset(span.lo), offset(span.hi));
        }
    }

    /// The text of a node; empty if it has no position.
    fn text_of(&self, span: Span) -> &'_ str {
        self.code.get(offset(span.lo) as usize..offset(span.hi) as usize).unwrap_or_default()
    }

    /// Marks the program as doubtful if a function's body does not directly follow its parameters: the parser accepts a
    /// semicolon between them. `rest`: the function from its parameters on.
    fn expect_body(&mut self, rest: Span, body: Option<Span>) {
        let head = Span { hi: body.map_or(rest.hi, |body| body.lo), ..rest };
        self.is_doubtful |= self.text_of(head).contains(';');
    }

    /// Refuses an async function as the whole body of a loop, which the parser accepts.
    fn expect_statement(&mut self, body: &Stmt) {
        if let Stmt::Decl(Decl::Fn(function)) = body {
            self.syntax_error("Async functions can only be declared at the top level or inside a block", function);
        }
    }

    /// Records the position of a method, whose text begins after `static`.
    fn add_method(&mut self, span: Span, is_static: bool) {
        let text = self.code.get(offset(span.lo) as usize..).unwrap_or_default();
        let own = text.strip_prefix("static").filter(|_| is_static).map_or(text, trivia::skip);
        self.add_function(Span { lo: span.lo + BytePos((text.len() - own.len()) as u32), ..span });
    }

    /// Whether the head of a `for` has both of its semicolons, which the parser does not require.
    fn has_semicolons(&self, node: &ForStmt) -> bool {
        let mut from = offset(node.span.lo) as usize;
        let parts = [
            node.init.as_ref().map(Spanned::span),
            node.test.as_ref().map(Spanned::span),
            node.update.as_ref().map(Spanned::span),
            Some(node.body.span()),
        ];
        let mut between = String::new();
        for part in parts.into_iter().flatten() {
            let (start, end) = (offset(part.lo) as usize, offset(part.hi) as usize);
            between += &trivia::punctuators(self.code.get(from..start).unwrap_or_default());
            from = end;
        }
        between == "for(;;)"
    }

    fn refer(&mut self, name: &Ident, is_write: bool) {
        self.scopes.refer(name, is_write);
    }

    /// Records that the name in `target` is written, besides any other use.
    fn write_to(&mut self, target: &Expr) {
        if let Some(name) = assigned_name(target) {
            self.refer(name, true);
        }
    }

    fn syntax_error(&mut self, message: &str, node: &impl Spanned) {
        let at = self.source.location(node.span_lo());
        self.report.push(rules::text::syntax_valid(message, at));
    }

    fn check_import(&mut self, module: &str, node: &impl Spanned) {
        if self.goal == Goal::Page {
            return;
        }
        let at = self.source.location(node.span_lo());
        if let Some(diagnostic) = rules::imports::import_allowed(module, at, self.options) {
            self.report.push(diagnostic);
        }
    }

    fn check_import_call(&mut self, call: &CallExpr, phase: ImportPhase) {
        match phase {
            ImportPhase::Evaluation => {}
            ImportPhase::Source => self.syntax_error("import.source is not supported", call),
            ImportPhase::Defer => self.syntax_error("import.defer is not supported", call),
        }
        if call.args.is_empty() || call.args[0].spread.is_some() {
            self.syntax_error("import() needs the name of a module", call);
        } else if !rules::imports::has_droppable_arguments(call) {
            self.syntax_error("import attributes are not supported", call);
        }
        if let Some(module) = rules::imports::literal_specifier(call) {
            self.check_import(&module, call);
        }
    }

    fn report_forbidden_globals(&mut self) {
        let mut found: Vec<(BytePos, ForbiddenName)> = Vec::new();
        for name in self.scopes.globals() {
            if let Some(forbidden) = ForbiddenName::find(name, self.options) {
                found.extend(self.scopes.uses(name).map(|a| (a.at, forbidden)));
            }
        }
        found.sort_by_key(|&(at, _)| at);
        // A read and a write at one position are one use.
        found.dedup_by_key(|&mut (at, _)| at);
        for (at, name) in found {
            if !self.report.accepts(Severity::Warning) {
                break;
            }
            self.report.push(name.diagnostic(self.source.location(at), self.options));
        }
    }
}

/// Whether the text may contain a name with an escape, which may spell a keyword. Only V8 knows where that is allowed.
fn has_escapes(code: &str) -> bool {
    code.contains("\\u")
}

/// The name that an assignment to `target` writes, if it is one.
pub(super) fn assigned_name(target: &Expr) -> Option<&Ident> {
    target.unwrap_parens().as_ident()
}

impl Visit for Analyzer<'_> {
    fn visit_regex(&mut self, node: &Regex) {
        if self.goal != Goal::Page && !self.regexps.is_too_high() {
            self.regexps.add(&node.exp);
            if self.regexps.is_too_high() {
                self.report.push(rules::text::regexp_too_complex(self.source.location(node.span.lo)));
            }
        }
    }

    fn visit_expr(&mut self, node: &Expr) {
        match node {
            Expr::Ident(name) => self.refer(name, false),
            // The parser accepts `(1 =>)` as one.
            Expr::Paren(paren) => {
                let after_expr = Span { lo: paren.expr.span_hi(), ..paren.span };
                self.is_doubtful |= trivia::skip(self.text_of(after_expr)) != ")";
            }
            _ => {}
        }
        let outer = self.declaring.take();
        self.descend(node);
        self.declaring = outer;
    }

    fn visit_stmt(&mut self, node: &Stmt) {
        self.descend(node);
    }

    fn visit_pat(&mut self, node: &Pat) {
        if let Pat::Expr(target) = node {
            self.write_to(target);
        }
        self.descend(node);
    }

    fn visit_simple_assign_target(&mut self, node: &SimpleAssignTarget) {
        if let SimpleAssignTarget::Paren(target) = node {
            self.write_to(&target.expr);
        }
        node.visit_children_with(self);
    }

    fn visit_update_expr(&mut self, node: &UpdateExpr) {
        self.write_to(&node.arg);
        node.visit_children_with(self);
    }

    fn visit_await_expr(&mut self, node: &AwaitExpr) {
        self.suspends();
        node.visit_children_with(self);
    }

    fn visit_yield_expr(&mut self, node: &YieldExpr) {
        self.keep_waiting();
        node.visit_children_with(self);
    }

    fn visit_try_stmt(&mut self, node: &TryStmt) {
        if node.finalizer.is_some() {
            self.keep_waiting();
        }
        node.visit_children_with(self);
    }

    fn visit_ident(&mut self, node: &Ident) {
        // A node without a position repeats another one.
        if rules::identifiers::is_reserved(&node.sym) && !node.span.is_dummy() {
            let at = self.source.location(node.span.lo);
            self.report.push(rules::identifiers::reserved_identifier(&node.sym, at));
        }
    }

    fn visit_binding_ident(&mut self, node: &BindingIdent) {
        match self.declaring {
            Some(kind) => self.declare(&node.id, kind),
            None => self.refer(&node.id, true),
        }
        node.visit_children_with(self);
    }

    fn visit_prop(&mut self, node: &Prop) {
        if let Prop::Shorthand(name) = node {
            self.refer(name, false);
        }
        node.visit_children_with(self);
    }

    fn visit_assign_target(&mut self, node: &AssignTarget) {
        let outer = self.declaring.take();
        node.visit_children_with(self);
        self.declaring = outer;
    }

    fn visit_assign_target_pat(&mut self, node: &AssignTargetPat) {
        self.descend(node);
    }

    fn visit_var_decl(&mut self, node: &VarDecl) {
        let kind = match node.kind {
            VarDeclKind::Var => Kind::Var,
            VarDeclKind::Let => Kind::Let,
            VarDeclKind::Const => Kind::Const,
        };
        for declarator in &node.decls {
            self.declare_in(declarator, kind);
        }
    }

    fn visit_using_decl(&mut self, node: &UsingDecl) {
        if node.is_await {
            self.suspends();
        }
        for declarator in &node.decls {
            self.declare_in(declarator, Kind::Local);
        }
    }

    fn visit_fn_decl(&mut self, node: &FnDecl) {
        self.add_function(node.function.span);
        self.declare(&node.ident, Kind::Function);
        node.visit_children_with(self);
    }

    fn visit_class_decl(&mut self, node: &ClassDecl) {
        self.declare(&node.ident, Kind::Class);
        node.visit_children_with(self);
    }

    fn visit_fn_expr(&mut self, node: &FnExpr) {
        self.add_function(node.function.span);
        self.scopes.enter_block();
        if let Some(name) = &node.ident {
            self.declare(name, Kind::Local);
        }
        node.visit_children_with(self);
        self.scopes.exit();
    }

    fn visit_class_expr(&mut self, node: &ClassExpr) {
        self.scopes.enter_block();
        if let Some(name) = &node.ident {
            self.declare(name, Kind::Local);
        }
        node.visit_children_with(self);
        self.scopes.exit();
    }

    fn visit_function(&mut self, node: &Function) {
        let from = node.params.last().map_or(node.span.lo, |last| last.span.hi);
        self.expect_body(Span { lo: from, ..node.span }, node.body.as_ref().map(Spanned::span));
        self.in_function(node);
    }

    fn visit_method_prop(&mut self, node: &MethodProp) {
        self.add_function(node.function.span);
        // `async` belongs to the line of its function.
        let modifiers = Span { hi: node.key.span_lo(), ..node.function.span };
        self.is_doubtful |= node.function.is_async && trivia::has_line_end(self.text_of(modifiers));
        node.visit_children_with(self);
    }

    fn visit_getter_prop(&mut self, node: &GetterProp) {
        self.add_function(node.span);
        node.visit_children_with(self);
    }

    fn visit_setter_prop(&mut self, node: &SetterProp) {
        self.add_function(node.span);
        node.visit_children_with(self);
    }

    fn visit_class_method(&mut self, node: &ClassMethod) {
        self.add_method(node.span, node.is_static);
        node.visit_children_with(self);
    }

    fn visit_private_method(&mut self, node: &PrivateMethod) {
        self.add_method(node.span, node.is_static);
        node.visit_children_with(self);
    }

    fn visit_constructor(&mut self, node: &Constructor) {
        let from = node.params.last().map_or(node.span.lo, Spanned::span_hi);
        self.expect_body(Span { lo: from, ..node.span }, node.body.as_ref().map(Spanned::span));
        self.in_function(node);
    }

    fn visit_class(&mut self, node: &Class) {
        self.add_function(node.span);
        self.scopes.enter_class();
        self.classes += 1;
        node.visit_children_with(self);
        self.classes -= 1;
        self.scopes.exit_class();
    }

    fn visit_private_name(&mut self, node: &PrivateName) {
        // Within a class, V8 knows which private names exist.
        if self.classes == 0 && self.report.accepts(Severity::Error) {
            let (start, end) = (offset(node.span.lo) as usize, offset(node.span.hi) as usize);
            let text = |range: Range<usize>| self.code.get(range).unwrap_or_default();
            let (before, after) = (text(0..start), text(end..self.code.len()));
            let at = self.source.location(node.span.lo);
            self.report.push(rules::mistakes::private_name(before, &node.name, after, at));
        }
    }

    fn visit_static_block(&mut self, node: &StaticBlock) {
        self.in_function(node);
    }

    fn visit_arrow_expr(&mut self, node: &ArrowExpr) {
        self.add_function(node.span);
        let outer = mem::take(&mut self.loops);
        self.scopes.enter_function();
        self.declaring(Some(Kind::Local), &node.params);
        self.declaring(None, &node.body);
        self.scopes.exit();
        self.loops = outer;
    }

    fn visit_param(&mut self, node: &Param) {
        self.declaring(Some(Kind::Local), &node.pat);
    }

    fn visit_catch_clause(&mut self, node: &CatchClause) {
        self.scopes.enter_block();
        self.declaring(Some(Kind::Local), &node.param);
        node.body.visit_with(self);
        self.scopes.exit();
    }

    fn visit_block_stmt(&mut self, node: &BlockStmt) {
        self.in_block(node);
    }

    fn visit_for_stmt(&mut self, node: &ForStmt) {
        self.is_doubtful |= self.source.dialect == Dialect::JavaScript && !self.has_semicolons(node);
        self.expect_statement(&node.body);
        self.in_loop(node.span, |analyzer| analyzer.in_block(node));
    }

    fn visit_do_while_stmt(&mut self, node: &DoWhileStmt) {
        self.expect_statement(&node.body);
        self.in_loop(node.span, |analyzer| node.visit_children_with(analyzer));
    }

    fn visit_while_stmt(&mut self, node: &WhileStmt) {
        self.expect_statement(&node.body);
        self.in_loop(node.span, |analyzer| node.visit_children_with(analyzer));
    }

    fn visit_for_in_stmt(&mut self, node: &ForInStmt) {
        self.expect_statement(&node.body);
        self.in_loop(node.span, |analyzer| analyzer.in_block(node));
    }

    fn visit_for_of_stmt(&mut self, node: &ForOfStmt) {
        self.expect_statement(&node.body);
        self.in_loop(node.span, |analyzer| {
            if node.is_await {
                analyzer.suspends();
            }
            analyzer.in_block(node);
        });
    }

    fn visit_for_head(&mut self, node: &ForHead) {
        self.declaring.take();
        node.visit_children_with(self);
    }

    fn visit_switch_stmt(&mut self, node: &SwitchStmt) {
        self.scopes.enter_block();
        node.visit_children_with(self);
        self.scopes.exit();
    }

    fn visit_call_expr(&mut self, node: &CallExpr) {
        if let Callee::Import(import) = &node.callee {
            self.has_import = true;
            self.check_import_call(node, import.phase);
        }
        node.visit_children_with(self);
    }

    fn visit_new_expr(&mut self, node: &NewExpr) {
        // The parser accepts `new import()`, which the language does not allow.
        let class = trivia::skip(self.text_of(Span { lo: node.span.lo + BytePos("new".len() as u32), ..node.span }));
        if class.strip_prefix("import").is_some_and(|rest| trivia::skip(rest).starts_with('(')) {
            let at = node.span.hi - BytePos(class.len() as u32);
            self.syntax_error("Cannot use new with import", &Span { lo: at, ..node.span });
        }
        node.visit_children_with(self);
    }

    fn visit_meta_prop_expr(&mut self, node: &MetaPropExpr) {
        if node.kind == MetaPropKind::ImportMeta && self.goal != Goal::HostModule {
            self.syntax_error("import.meta is not available: programs run as scripts", node);
        }
    }

    fn visit_module_decl(&mut self, node: &ModuleDecl) {
        match (self.goal, node) {
            (Goal::Program | Goal::Page, ModuleDecl::Import(import)) => {
                let module = import.src.value.to_string_lossy();
                let at = self.source.location(import.span.lo);
                self.report.push(rules::imports::static_import(&module, at, self.options));
                self.check_import(&module, import);
            }
            (Goal::Program | Goal::Page, _) => {
                let at = self.source.location(node.span_lo());
                self.report.push(rules::text::export(at, is_declaration(node)));
            }
            (
                Goal::HostModule,
                ModuleDecl::ExportNamed(NamedExport { src: Some(source), .. })
                | ModuleDecl::ExportAll(ExportAll { src: source, .. }),
            ) => self.check_import(&source.value.to_string_lossy(), node),
            (Goal::HostModule, ModuleDecl::Import(import)) => {
                self.check_import(&import.src.value.to_string_lossy(), import)
            }
            (Goal::HostModule, _) => {}
        }
        if let ModuleDecl::ExportNamed(export) = node {
            // The parser treats whatever follows as another statement.
            self.is_doubtful |= !self.text_of(export.span).ends_with(';');
        }
        node.visit_children_with(self);
    }

    fn visit_decl(&mut self, node: &Decl) {
        let outer = self.declaring.take();
        node.visit_children_with(self);
        self.declaring = outer;
    }
}

/// Whether a program is complete without the `export` before the declaration.
fn is_declaration(node: &ModuleDecl) -> bool {
    match node {
        ModuleDecl::ExportDecl(_) => true,
        ModuleDecl::ExportDefaultDecl(export) => match &export.decl {
            DefaultDecl::Class(class) => class.ident.is_some(),
            DefaultDecl::Fn(function) => function.ident.is_some(),
            DefaultDecl::TsInterfaceDecl(_) => false,
        },
        _ => false,
    }
}
