//! Rule `typescript_too_complex`, and TypeScript that is refused as `syntax_valid`.

use super::text::syntax_valid;
use ses_protocol::{Diagnostic, Location};

/// The parser tried too many readings of the text.
pub(in super::super) fn too_ambiguous() -> Diagnostic {
    Diagnostic::error(
        "typescript_too_complex",
        "the program nests too many generic calls, type assertions and arrow functions to be read as TypeScript",
    )
    .with_fix("Give the inner ones names, and write `x as T` instead of `<T>x`")
}

pub(in super::super) fn too_many_nested_names(at: Location) -> Diagnostic {
    Diagnostic::error("typescript_too_complex", "the program uses too many names in deeply nested scopes")
        .at(at)
        .with_fix("Move the inner functions and namespaces to the top level")
}

pub(in super::super) fn enums_too_large(at: Location) -> Diagnostic {
    Diagnostic::error("typescript_too_complex", "the enums are too large: their values take megabytes to compute")
        .at(at)
        .with_fix("Use objects, and constants for long strings")
}

/// tsc: "Enum member must have initializer".
pub(in super::super) fn valueless_member(at: Location) -> Diagnostic {
    syntax_valid("an enum member needs a value if the value of the member before it is not a constant number", at)
        .with_fix("Write `member = …`")
}

pub(in super::super) fn too_many_parameter_properties(at: Location) -> Diagnostic {
    Diagnostic::error(
        "typescript_too_complex",
        "the constructors have too many parameter properties and calls of `super`",
    )
    .at(at)
    .with_fix("Call `super` once, and assign properties in the body of the constructor")
}

pub(in super::super) fn decorator(at: Location) -> Diagnostic {
    syntax_valid("decorators are not supported", at)
        .with_fix("Call the function yourself: `const A = decorate(class { … })`")
}

pub(in super::super) fn auto_accessor(at: Location) -> Diagnostic {
    syntax_valid("`accessor` properties are not supported", at).with_fix("Write a getter and a setter")
}

pub(in super::super) fn parameter_property(at: Location) -> Diagnostic {
    syntax_valid("a parameter property cannot be a pattern", at)
        .with_fix("Leave out the modifier, and assign to properties in the body of the constructor")
}

/// The value moves, and the name must not.
pub(in super::super) fn computed_field(at: Location) -> Diagnostic {
    syntax_valid("a field with a computed name cannot have a value that reads parameter properties", at)
        .with_fix("Give the field its value in the body of the constructor")
}

pub(in super::super) fn import_equals(at: Location) -> Diagnostic {
    syntax_valid("`import name = …` is not supported", at)
        .with_fix("Write `const name = …`, or `const name = await import(module)` for a module")
}

pub(in super::super) fn export_assignment(at: Location) -> Diagnostic {
    syntax_valid("`export =` is not supported", at).with_fix("End the program with an expression to return its value")
}

pub(in super::super) fn module_item_in_namespace(at: Location) -> Diagnostic {
    syntax_valid("a namespace can only export declarations", at)
        .with_fix("Write `export` before the declaration, and import outside the namespace")
}

pub(in super::super) fn return_in_namespace(at: Location) -> Diagnostic {
    syntax_valid("`return` is not allowed in a namespace", at).with_fix("Return from a function, or from the program")
}

pub(in super::super) fn quoted_module(at: Location) -> Diagnostic {
    syntax_valid("a module with a quoted name can only be declared", at)
        .with_fix("Write `declare module …` for its types, or `namespace Name { … }` for code")
}

/// Generated code refers to the namespace or enum by its name.
pub(in super::super) fn shadowed_container(name: &str, at: Location) -> Diagnostic {
    let shown: String = name.chars().take(64).collect();
    syntax_valid(format!("{shown:?} is the name of a namespace or enum around it"), at).with_fix("Choose another name")
}

pub(in super::super) fn invalid_assignment_target(at: Location) -> Diagnostic {
    syntax_valid("this cannot be assigned to", at).with_fix("Assign to a variable or a property")
}

pub(in super::super) fn jsx(at: Location) -> Diagnostic {
    syntax_valid("JSX is not supported", at).with_fix("Build the value with function calls or template literals")
}
