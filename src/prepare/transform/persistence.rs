//! Top-level bindings stay what they are; accessors to them are handed to the executor's scope object.

use std::fmt::Write;

use super::super::analyze::{Binding, Kind};

/// `__smol_declare({ get x() { return x; }, set x(__smol_v) { x = __smol_v; }, … }, ["v"]);`, or nothing when there
/// are no
/// bindings. Constants have no setter; the array names what `var` declares.
pub(in super::super) fn declaration(bindings: &[Binding]) -> String {
    if bindings.is_empty() {
        return String::new();
    }
    let mut accessors = String::with_capacity(bindings.len() * 64);
    let mut vars = String::new();
    for Binding { name, kind } in bindings {
        let separator = if accessors.is_empty() { "" } else { ", " };
        // Writing to a String does not fail.
        let _ = write!(accessors, "{separator}get {name}() {{ return {name}; }}");
        if *kind != Kind::Const {
            let _ = write!(accessors, ", set {name}(__smol_v) {{ {name} = __smol_v; }}");
        }
        if *kind == Kind::Var {
            let separator = if vars.is_empty() { "" } else { ", " };
            let _ = write!(vars, "{separator}\"{name}\"");
        }
    }
    format!("__smol_declare({{ {accessors} }}, [{vars}]);\n")
}
