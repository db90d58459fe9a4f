//! Converts exceptions of `guest.js` to failures.

use deno_core::v8;
use serde_json::Value;

use crate::state::log_room::floor_char_boundary;
use ses_protocol::{
    ERR_IMPORT_NOT_ALLOWED, ERR_MAX_OPS_EXCEEDED, ERR_MEMORY_LIMIT_EXCEEDED, ERR_TOOL_PROXY_FAIL,
    ERR_VALIDATION_FAILED, Failure, FailureKind, are_facts,
};

/// The longest text of an error that is reported, in bytes.
const MAX_TEXT_BYTES: usize = 8 << 10;
/// The longest text of details that is read, in bytes.
const MAX_DETAILS_BYTES: usize = 256 << 10;

/// A failure of guest code without a specific code.
pub fn runtime(cause: &str) -> Failure {
    Failure::new(FailureKind::Runtime { cause: cause.to_owned() })
}

/// The failure that an error stands for: its `code` names the kind, and `details` is JSON. Guest code may have changed
/// all of these, so they are treated as plain text, and details that no prelude would produce are dropped.
/// `limit_bytes`: the limit of the isolate.
pub fn of(scope: &mut v8::PinScope, thrown: v8::Local<v8::Value>, limit_bytes: usize) -> Failure {
    v8::tc_scope!(let attempt, scope);
    let thrown = v8::Local::new(attempt, thrown);
    let Ok(error) = v8::Local::<v8::Object>::try_from(thrown) else {
        return runtime(&text(attempt, thrown, MAX_TEXT_BYTES));
    };
    let message = field(attempt, error, "message").unwrap_or(thrown);
    let cause = text(attempt, message, MAX_TEXT_BYTES);
    let mut failure = match text_field(attempt, error, "code", MAX_TEXT_BYTES).as_str() {
        ERR_VALIDATION_FAILED => Failure::new(FailureKind::ValidationFailed),
        ERR_MAX_OPS_EXCEEDED => {
            Failure::new(FailureKind::MaxOperations { limit: number_field(attempt, error, "limit") })
        }
        ERR_IMPORT_NOT_ALLOWED => {
            let module = text_field(attempt, error, "module", MAX_TEXT_BYTES);
            Failure::new(FailureKind::ImportNotAllowed { module })
        }
        ERR_TOOL_PROXY_FAIL => Failure::new(FailureKind::Tool { cause }),
        // The WebAssembly memory has reached its maximum.
        ERR_MEMORY_LIMIT_EXCEEDED => Failure::memory_limit(limit_bytes, None),
        _ => Failure::new(FailureKind::Runtime { cause }),
    };
    let details = text_field(attempt, error, "details", MAX_DETAILS_BYTES);
    if let Ok(Value::Object(details)) = serde_json::from_str(&details)
        && are_facts(&details)
    {
        failure.details.extend(details);
    }
    let call = number_field(attempt, error, "toolCall");
    failure.tool_call = (call > 0.0).then_some(call as u64);
    failure
}

/// Empty if there is none.
fn text_field(scope: &mut v8::PinScope, error: v8::Local<v8::Object>, name: &str, max_bytes: usize) -> String {
    let error = v8::Local::new(scope, error);
    field(scope, error, name).map(|value| text(scope, value, max_bytes)).unwrap_or_default()
}

/// Zero if there is none.
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
