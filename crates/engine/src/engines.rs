//! The list of engines.

use crate::python::engine::Python;
use crate::realm::engine::Realm;
use crate::state::engine::Engine;
use ses_protocol::EngineSpec;

/// The engine that `spec` names, with its settings.
///
/// # Errors
///
/// A message for people: there is no such engine, or it lacks a setting.
pub fn engine_of(spec: &EngineSpec) -> Result<Box<dyn Engine>, String> {
    match spec.name.as_str() {
        "realm" => Ok(Box::new(Realm)),
        "python" => Ok(Box::new(Python::new(spec)?)),
        other => Err(format!("there is no engine named {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_that_no_engine_takes_are_refused() {
        let refusal = |name: &str| engine_of(&EngineSpec::named(name)).err();
        assert_eq!(refusal("realm"), None);
        assert_eq!(refusal("ruby").as_deref(), Some("there is no engine named ruby"));
        assert_eq!(refusal("python").as_deref(), Some("the engine python lacks the setting pyodide"));
    }
}
