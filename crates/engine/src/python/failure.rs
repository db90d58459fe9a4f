//! Converts exceptions of `guest.js` to failures.

use deno_core::v8;
use serde_json::{Map, Value};

use crate::python::facts::{Facts, FailedCall};
use crate::state::host::Host;
use crate::state::log_room::floor_char_boundary;
use ses_protocol::{
    ERR_IMPORT_NOT_ALLOWED, ERR_MAX_OPS_EXCEEDED, ERR_MEMORY_LIMIT_EXCEEDED, ERR_TOOL_PROXY_FAIL,
    ERR_VALIDATION_FAILED, Failure, FailureKind, ToolCallId, are_facts,
};

/// The longest message of an error that is reported, in bytes.
const MAX_TEXT_BYTES: usize = 8 << 10;
/// The longest text of `details` that is parsed, in bytes.
const MAX_DETAILS_BYTES: usize = 256 << 10;

/// A failure of guest code without a specific code.
pub fn runtime(cause: &str) -> Failure {
    Failure::new(FailureKind::Runtime { cause: cause.to_owned() })
}

/// Recorded facts, with which a claim of guest code is compared.
pub struct Known<'a> {
    pub facts: &'a Facts,
    pub host: &'a Host,
    /// The limit of the isolate.
    pub limit_bytes: usize,
}

/// Converts an error to a failure. The error's `code` names the kind, and its `details` is JSON. Guest code may have
/// written all of these. A failure of a tool is therefore taken from `known`, and a limit counts only if native code
/// has recorded it. Only those details are kept that describe the guest's own exception.
pub fn of(scope: &mut v8::PinScope, thrown: v8::Local<v8::Value>, known: &Known) -> Failure {
    v8::tc_scope!(let attempt, scope);
    let thrown = v8::Local::new(attempt, thrown);
    let Ok(error) = v8::Local::<v8::Object>::try_from(thrown) else {
        return runtime(&text(attempt, thrown, MAX_TEXT_BYTES));
    };
    let message = field(attempt, error, "message").unwrap_or(thrown);
    let cause = text(attempt, message, MAX_TEXT_BYTES);
    let code = text_field(attempt, error, "code", MAX_TEXT_BYTES);
    let details = text_field(attempt, error, "details", MAX_DETAILS_BYTES);
    let mut claimed = match serde_json::from_str(&details) {
        Ok(Value::Object(details)) if are_facts(&details) => details,
        _ => Map::new(),
    };
    // `details` contains the whole text of the cause.
    let cause = match claimed.remove("cause") {
        Some(Value::String(whole)) => whole,
        _ => cause,
    };
    let call = number_field(attempt, error, "toolCall");
    let call = (call > 0.0).then_some(call as ToolCallId);
    claim(known, &code, cause, claimed, call)
}

/// Converts a claim of guest code to a failure.
fn claim(known: &Known, code: &str, cause: String, claimed: Map<String, Value>, call: Option<ToolCallId>) -> Failure {
    let Known { facts, host, limit_bytes } = *known;
    let count = |name: &str| claimed.get(name).and_then(Value::as_f64);
    let (failure, others): (_, &[&str]) = match code {
        ERR_VALIDATION_FAILED if !facts.has_begun() => (Failure::new(FailureKind::ValidationFailed), &["diagnostics"]),
        ERR_MAX_OPS_EXCEEDED if count("maxWhileIterations").is_some() => {
            let limit = count("maxWhileIterations").unwrap_or_default();
            (Failure::new(FailureKind::MaxOperations { limit }), &["maxWhileIterations"])
        }
        ERR_MAX_OPS_EXCEEDED if count("maxOperations").is_some_and(|limit| has_exceeded(host, limit)) => {
            let limit = count("maxOperations").unwrap_or_default();
            (Failure::new(FailureKind::MaxOperations { limit }), &["maxOperations"])
        }
        ERR_IMPORT_NOT_ALLOWED if claimed.get("module").is_some_and(Value::is_string) => {
            let module = claimed["module"].as_str().unwrap_or_default().to_owned();
            (Failure::new(FailureKind::ImportNotAllowed { module }), &["module", "hint"])
        }
        ERR_TOOL_PROXY_FAIL => match call.and_then(|call| Some((call, facts.failed(call)?))) {
            Some((call, failed)) => return tool_failure(&failed, call, cause, claimed),
            None if is_unconvertible(known, &claimed) => {
                (Failure::new(FailureKind::Tool { cause: cut(&cause) }), &["tool", "code", "call", "bridge"])
            }
            None => (runtime(&cut(&cause)), &[]),
        },
        // The WebAssembly memory has reached its maximum.
        ERR_MEMORY_LIMIT_EXCEEDED if facts.lacks_memory() => (Failure::memory_limit(limit_bytes, None), &[]),
        _ => (runtime(&cut(&cause)), &[]),
    };
    with_own(failure, cause, claimed, others)
}

/// The details that the guest's exception itself provides.
const OWN_DETAILS: [&str; 6] = ["name", "message", "line", "column", "traceback", "pythonTool"];

fn with_own(mut failure: Failure, cause: String, claimed: Map<String, Value>, others: &[&str]) -> Failure {
    let is_own = |name: &String| OWN_DETAILS.contains(&name.as_str()) || others.contains(&name.as_str());
    failure.details.extend(claimed.into_iter().filter(|(name, _)| is_own(name)));
    failure.details.insert("cause".to_owned(), Value::String(cause));
    failure
}

/// The failure of a recorded call. Of the guest's text, only the part after the tool's own message is kept.
fn tool_failure(failed: &FailedCall, call: ToolCallId, cause: String, mut claimed: Map<String, Value>) -> Failure {
    let head = failed.head();
    let has_head = |text: &str| match text.strip_prefix(head.as_str()) {
        Some(rest) => rest.is_empty() || rest.starts_with('\n'),
        // The guest's text was truncated.
        None => text.len() >= MAX_TEXT_BYTES - 4 && head.starts_with(text),
    };
    let traceback = claimed.get("traceback").and_then(Value::as_str);
    if !traceback.is_some_and(|text| text.split_inclusive('\n').any(|line| text_from(text, line).is_some_and(has_head)))
    {
        claimed.remove("traceback");
    }
    let cause = if has_head(&cause) { cause } else { head.clone() };
    let mut failure = with_own(Failure::new(FailureKind::Tool { cause: cut(&cause) }), cause, claimed, &[]);
    failure.details.extend(failed.details(call));
    failure.tool_call = Some(call);
    failure
}

fn cut(text: &str) -> String {
    text[..floor_char_boundary(text, MAX_TEXT_BYTES)].to_owned()
}

/// The rest of `text` from the start of `line`, which is one of its lines.
fn text_from<'t>(text: &'t str, line: &str) -> Option<&'t str> {
    text.get(line.as_ptr().addr() - text.as_ptr().addr()..)
}

/// Whether `limit` is the limit of the run, and the run has taken more operations.
fn has_exceeded(host: &Host, limit: f64) -> bool {
    host.run.borrow().as_ref().is_some_and(|run| run.max_operations == limit && run.operations > limit)
}

/// Whether the claim is that the result of a tool has no equivalent in Python. True only if a result did arrive.
fn is_unconvertible(known: &Known, claimed: &Map<String, Value>) -> bool {
    let text = |name: &str| claimed.get(name).and_then(Value::as_str).unwrap_or_default();
    let (tool, message) = (text("tool"), text("message"));
    text("name") == "TypeError"
        && message.starts_with("result")
        && message.contains(") cannot be given to Python")
        && known.facts.has_answered(|id| known.host.tool_name(id) == tool)
}

/// The text of a field. Empty if there is none.
fn text_field(scope: &mut v8::PinScope, error: v8::Local<v8::Object>, name: &str, max_bytes: usize) -> String {
    let error = v8::Local::new(scope, error);
    field(scope, error, name).map(|value| text(scope, value, max_bytes)).unwrap_or_default()
}

/// The number in a field. Zero if there is none.
fn number_field(scope: &mut v8::PinScope, error: v8::Local<v8::Object>, name: &str) -> f64 {
    let error = v8::Local::new(scope, error);
    field(scope, error, name).and_then(|value| value.number_value(scope)).unwrap_or_default()
}

fn field<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    error: v8::Local<'s, v8::Object>,
    name: &str,
) -> Option<v8::Local<'s, v8::Value>> {
    let key = v8::String::new(scope, name)?;
    error.get(scope, key.into()).filter(|value| !value.is_null_or_undefined())
}

fn text(scope: &mut v8::PinScope, value: v8::Local<v8::Value>, max_bytes: usize) -> String {
    let Some(value) = value.to_string(scope) else { return String::new() };
    let mut units = vec![0u16; value.length().min(max_bytes)];
    value.write_v2(scope, 0, &mut units, v8::WriteFlags::default());
    let mut text = String::from_utf16_lossy(&units);
    text.truncate(floor_char_boundary(&text, max_bytes));
    text
}
