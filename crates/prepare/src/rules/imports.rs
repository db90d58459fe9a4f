//! Rules `import_allowed` and `static_import_in_script_mode` (specification 5.3).

use swc_ecma_ast::{CallExpr, Expr, Lit, ObjectLit, Prop, PropOrSpread};

use super::super::options::PrepareOptions;
use ses_protocol::{Diagnostic, Location};

/// The advice if no module can be imported.
pub(super) const NONE_AUTHORIZED: &str =
    "Do not import modules: none are authorized here; use the tools and variables that the host provides";

/// Characters of a module's name that are shown.
pub const MAX_NAME_CHARS: usize = 200;

pub(in super::super) fn static_import(module: &str, at: Location, options: &PrepareOptions) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        "static_import_in_script_mode",
        format!("static import of {} is not available: programs run as scripts", shown(module)),
    )
    .at(at)
    .with_module(&module_name(module));
    // A module that is not authorized cannot be imported in another way either.
    match options.authorized_imports.iter().any(|authorized| authorized == module) {
        true => diagnostic.with_fix(format!("Write `const module = await import({})`", shown(module))),
        false => diagnostic,
    }
}

/// `None` when `module` is authorized.
pub(in super::super) fn import_allowed(module: &str, at: Location, options: &PrepareOptions) -> Option<Diagnostic> {
    if options.authorized_imports.iter().any(|authorized| authorized == module) {
        return None;
    }
    let fix = if options.authorized_imports.is_empty() {
        NONE_AUTHORIZED.to_owned()
    } else {
        format!("Import only from: {}", options.authorized_imports.join(", "))
    };
    Some(
        Diagnostic::error("import_allowed", format!("import of {} is not allowed", shown(module)))
            .at(at)
            .with_module(&module_name(module))
            .with_fix(fix),
    )
}

/// The specifier of `import(…)` where the text alone decides it: a string, or a template without expressions.
pub(in super::super) fn literal_specifier(call: &CallExpr) -> Option<String> {
    let mut expression = &*call.args.first()?.expr;
    while let Expr::Paren(paren) = expression {
        expression = &paren.expr;
    }
    match expression {
        Expr::Lit(Lit::Str(text)) => Some(text.value.to_string_lossy().into_owned()),
        Expr::Tpl(template) if template.exprs.is_empty() => {
            template.quasis.first()?.cooked.as_ref().map(|cooked| cooked.to_string_lossy().into_owned())
        }
        _ => None,
    }
}

/// Whether dropping the arguments after the specifier loses nothing but import attributes.
pub(in super::super) fn has_droppable_arguments(call: &CallExpr) -> bool {
    call.args.iter().all(|argument| argument.spread.is_none())
        && call.args.iter().skip(1).all(|argument| is_literal(&argument.expr))
}

fn is_literal(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(_) => true,
        Expr::Object(object) => is_literal_object(object),
        Expr::Paren(paren) => is_literal(&paren.expr),
        _ => false,
    }
}

fn is_literal_object(object: &ObjectLit) -> bool {
    object.props.iter().all(|property| match property {
        PropOrSpread::Prop(property) => match &**property {
            Prop::KeyValue(pair) => !pair.key.is_computed() && is_literal(&pair.value),
            _ => false,
        },
        PropOrSpread::Spread(_) => false,
    })
}

fn shown(module: &str) -> String {
    format!("{:?}", module_name(module))
}

/// A module's name for messages: complete, unless it is too long to be read.
pub fn module_name(module: &str) -> String {
    let mut text: String = module.chars().take(MAX_NAME_CHARS).collect();
    if text.len() < module.len() {
        text.push('…');
    }
    text
}
