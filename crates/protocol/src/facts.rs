//! Checks `details` of failures that guests may have made.

use serde_json::{Map, Value};

/// Whether the fields of `details` have the types that readers of failures expect.
pub fn are_facts(details: &Map<String, Value>) -> bool {
    details.iter().all(|(name, fact)| match (name.as_str(), fact) {
        ("diagnostics", Value::Array(found)) => found.iter().all(|one| one.as_object().is_some_and(is_diagnostic)),
        ("diagnostics", _) | (_, Value::Object(_)) => false,
        ("line" | "column", place) => place.is_u64(),
        ("message", text) => text.is_string(),
        (_, Value::Array(list)) => list.iter().all(Value::is_string),
        _ => true,
    })
}

fn is_diagnostic(fields: &Map<String, Value>) -> bool {
    let has_texts = ["rule", "severity", "message"].iter().all(|name| fields.get(*name).is_some_and(Value::is_string));
    has_texts
        && fields.get("fix").is_none_or(Value::is_string)
        && fields.get("location").is_none_or(|place| place["line"].is_u64() && place["column"].is_u64())
}
