//! TypeScript to JavaScript, between parsing and analysis, so that all rules and transformations see JavaScript only.
//!
//! ```text
//! tree ─ survey: limits, what is not supported ─▶ resolve names ─▶ strip types, lower enums and namespaces ─▶ tree
//! ```
//!
//! swc does the work. Nodes keep their positions; what swc adds has none, and takes that of what is around it.

mod constants;
mod detect;
mod heritage;
mod imports;
mod namespaces;
mod parameter_properties;
mod parentheses;
mod survey;
mod valueless;

use swc_common::{GLOBALS, Globals, Mark, Spanned, SyntaxContext};
use swc_ecma_ast::{Decl, Module, ModuleItem, Program, Stmt, VarDeclKind};
use swc_ecma_transforms_base::resolver;
use swc_ecma_transforms_typescript::typescript;
use swc_ecma_visit::{VisitMut, VisitMutWith, VisitWith};

use super::diagnostics::Report;
use super::goal::Goal;
use super::parse::ParsedSource;
pub(super) use detect::has_types;
pub(super) use survey::survey;

/// Turns a tree without findings into JavaScript. `Err`: what swc has found no value for.
pub(super) fn strip(source: ParsedSource, goal: Goal) -> Result<ParsedSource, Report> {
    let mut valueless = valueless::Finder::default();
    let source = source.map(|module| {
        let mut program = Program::Module(module);
        imports::drop_types(&mut program);
        GLOBALS.set(&Globals::default(), || {
            let unresolved = Mark::new();
            program.visit_mut_with(&mut heritage::MoveHeritages);
            program.mutate(resolver(unresolved, Mark::new(), true));
            program.visit_mut_with(&mut heritage::RestoreHeritages);
            namespaces::join(&mut program);
            // Not the resolver's mark of the top level, which would make an enum there a `var`: it is a `let`, so that
            // it neither is declared twice nor extends a value that an earlier run left.
            program.mutate(typescript::typescript(config(goal), unresolved, Mark::new()));
            // An enum becomes a function whose parameter has the scope of the enum's name. Names are printed as they
            // are, so code that needs scopes resolves them again.
            program.visit_mut_with(&mut Unresolver);
            program.visit_with(&mut valueless);
        });
        let mut module = program.expect_module();
        declare_first(&mut module);
        parentheses::add(&mut module);
        module
    });
    let report = valueless.report(&source);
    if report.has_errors() { Err(report) } else { Ok(source) }
}

/// Takes away what swc has found out of names.
struct Unresolver;

impl VisitMut for Unresolver {
    fn visit_mut_syntax_context(&mut self, node: &mut SyntaxContext) {
        *node = SyntaxContext::empty();
    }
}

fn config(goal: Goal) -> typescript::Config {
    typescript::Config {
        // `import type` is removed. In a module, imports that only types use are removed too. In a program they stay,
        // so that they are refused.
        verbatim_module_syntax: goal != Goal::HostModule,
        native_class_properties: true,
        no_empty_export: true,
        // Members of enums are read at run time, so that no long text is copied to where it is used.
        ts_enum_is_mutable: true,
        ..typescript::Config::default()
    }
}

/// Moves the `var` that swc puts after the namespaces that it declares. It must be before them, since the value of a
/// program is that of its last statement. It becomes a `let`, as for an enum.
fn declare_first(module: &mut Module) {
    if let Some(ModuleItem::Stmt(Stmt::Decl(Decl::Var(declaration)))) = module.body.last_mut()
        && declaration.kind == VarDeclKind::Var
        && declaration.span().is_dummy()
    {
        declaration.kind = VarDeclKind::Let;
        module.body.rotate_right(1);
    }
}
