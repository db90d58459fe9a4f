//! Imports of nothing but types, which tsc leaves out: `import { type A } from 'b'`.
//!
//! With `verbatimModuleSyntax` swc leaves `import {} from 'b'`, which loads the module.

use swc_ecma_ast::{ExportSpecifier, ImportSpecifier, ModuleDecl, ModuleItem, Program};

pub(super) fn drop_types(program: &mut Program) {
    if let Program::Module(module) = program {
        module.body.retain(|item| !is_of_types(item));
    }
}

fn is_of_types(item: &ModuleItem) -> bool {
    match item {
        ModuleItem::ModuleDecl(ModuleDecl::Import(import)) => {
            !import.specifiers.is_empty() && import.specifiers.iter().all(is_type)
        }
        ModuleItem::ModuleDecl(ModuleDecl::ExportNamed(export)) => {
            !export.specifiers.is_empty() && export.specifiers.iter().all(is_exported_type)
        }
        _ => false,
    }
}

fn is_type(specifier: &ImportSpecifier) -> bool {
    matches!(specifier, ImportSpecifier::Named(named) if named.is_type_only)
}

fn is_exported_type(specifier: &ExportSpecifier) -> bool {
    matches!(specifier, ExportSpecifier::Named(named) if named.is_type_only)
}
