//! Failures for the caller, made from errors that no guest code handled.

use deno_core::v8;
use serde_json::Value;

use crate::errors::error_texts::{brief, error_code, header_of, in_brief, name_and_message, stack_text};
use crate::errors::hints;
use crate::errors::marks::{Mark, Marked, read_mark};
use crate::errors::positions::{error_position, position_in_stack};
use crate::state::host::Host;
use crate::state::scripts::{Script, is_program};
use ses_hints::{Uncaught, line_of, run_outcomes};
use ses_prepare::code_frame;
use ses_protocol::{Failure, FailureKind, Location};

/// The most errors of an `AggregateError` that are reported.
const MAX_ERRORS: u32 = 4;
/// Longer function names, and longer lines of earlier programs, are not shown. In bytes.
const MAX_SHOWN_NAME: usize = 64;
const MAX_SHOWN_LINE: usize = 200;

/// The failure for the caller of the run of `script` when `thrown` was not handled by guest code.
pub fn failure(scope: &mut v8::PinScope, host: &Host, thrown: v8::Local<v8::Value>, script: &Script) -> Failure {
    let (mark, name, message, code) = match read_mark(scope, host, thrown) {
        Some(Marked { mark, name, message, code }) => (Some(mark), Some(name), message, code),
        None => {
            let (name, message) = name_and_message(scope, host, thrown);
            (None, name, message, error_code(scope, thrown))
        }
    };
    let cause = in_brief(name.as_deref(), &message);
    let stack = stack_text(scope, thrown)
        // The guest may have changed the error since. Its stack then contains what the guest chose.
        .filter(|stack| mark.is_none() || stack.starts_with(&header_of(name.as_deref().unwrap_or_default(), &message)));
    let (is_marked, is_import) = (mark.is_some(), matches!(mark, Some(Mark::Import { .. })));
    let mut failure =
        with_mark(mark, &cause).with("name", name.map_or(Value::Null, Value::String)).with("message", message);
    if let Some(code) = code {
        failure = failure.with("code", code);
    }
    let at = error_position(scope, host, thrown, script);
    let text = |key: &str| failure.details.get(key).and_then(Value::as_str);
    let (name, message) = (text("name"), text("message"));
    // Names in code of an earlier run differ from names in this run.
    let elsewhere = stack.as_deref().filter(|_| !is_import).and_then(|stack| {
        thrown_elsewhere(host, stack, &header_of(name.unwrap_or_default(), message.unwrap_or_default()), script)
    });
    let hint = match (is_marked, &elsewhere, name, message) {
        (false, None, Some(name), Some(message)) => {
            hints::hint(scope, host, &Uncaught { name, message, at, source: &script.source })
        }
        _ => None,
    };
    let hint = run_outcomes::of_uncaught(hint, elsewhere, || {
        if is_marked { None } else { causes(scope, host, thrown, &script.name) }
    });
    if let Some(hint) = hint {
        failure = failure.with("hint", hint);
    }
    if let Some(at) = at {
        failure = failure
            .with("line", at.line)
            .with("column", at.column)
            .with("codeFrame", code_frame(&script.source, at, &cause));
    }
    match stack {
        Some(stack) => failure.with("stack", stack),
        None => failure,
    }
}

/// Attributes the failure to the tool or the import that failed, otherwise to the code.
fn with_mark(mark: Option<Mark>, cause: &str) -> Failure {
    match mark {
        Some(Mark::Tool { name, call, bridge }) => {
            let mut failure = Failure::new(FailureKind::Tool { cause: cause.to_owned() }).with("tool", name);
            if bridge {
                failure = failure.with("bridge", true);
            } else {
                failure.tool_call = Some(call);
            }
            failure
        }
        Some(Mark::Import { module }) => {
            Failure::new(FailureKind::ImportNotAllowed { module: module.clone() }).with("module", module)
        }
        None => Failure::new(FailureKind::Runtime { cause: cause.to_owned() }),
    }
}

/// The place of an error whose innermost frame is not in `script`, but in a function of an earlier run or of a module.
fn thrown_elsewhere(host: &Host, stack: &str, header: &str, script: &Script) -> Option<String> {
    let frame = stack.strip_prefix(header)?.lines().find_map(|line| line.strip_prefix("    at "))?;
    let (function, place) = match frame.strip_suffix(')').and_then(|frame| frame.rsplit_once(" (")) {
        Some((function, place)) => (function.rsplit(' ').next(), place),
        None => (None, frame),
    };
    let (place, column) = place.rsplit_once(':')?;
    let (name, line) = place.rsplit_once(':')?;
    if name == &*script.name {
        return None;
    }
    let of = host.scripts.borrow().named(name)?;
    let at = Location { line: line.parse().ok()?, column: column.parse().ok()? };
    let function = function.filter(|name| name.len() <= MAX_SHOWN_NAME).map(|name| format!(" `{name}`,"));
    let function = function.unwrap_or_default();
    if !is_program(name) {
        return Some(format!("It was thrown in{function} line {line} of {name}."));
    }
    let text = line_of(&of.source, at).map(str::trim);
    let text = text.filter(|text| text.len() <= MAX_SHOWN_LINE && !text.contains('`'));
    let text = text.map(|text| format!(": `{text}`")).unwrap_or_default();
    Some(format!("It was thrown in{function} line {line} of an earlier run ({name}){text}."))
}

/// The errors that an error refers to: its cause, or the errors that it aggregates.
fn causes(scope: &mut v8::PinScope, host: &Host, thrown: v8::Local<v8::Value>, script: &str) -> Option<String> {
    let object = v8::Local::<v8::Object>::try_from(thrown).ok().filter(|_| thrown.is_native_error())?;
    v8::tc_scope!(let attempt, scope);
    let object = v8::Local::new(attempt, object);
    if let Some(cause) = own_value(attempt, object, "cause") {
        return Some(format!("Its cause: {}", with_place(attempt, host, cause, script)));
    }
    let errors = match own_value(attempt, object, "errors") {
        Some(errors) => {
            let errors = v8::Local::<v8::Array>::try_from(errors).ok()?;
            (0..errors.length().min(MAX_ERRORS)).filter_map(|index| errors.get_index(attempt, index)).collect()
        }
        None => suppressed(attempt, object),
    };
    let shown: Vec<String> = errors.into_iter().map(|error| with_place(attempt, host, error, script)).collect();
    (!shown.is_empty()).then(|| format!("Its errors: {}", shown.join("; ")))
}

/// The error that was thrown during disposal, and the error that it replaced. The latter may be a `SuppressedError`
/// too.
fn suppressed<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    object: v8::Local<'s, v8::Object>,
) -> Vec<v8::Local<'s, v8::Value>> {
    let mut errors = Vec::new();
    let mut at = Some(object);
    while let Some(object) = at
        && errors.len() < MAX_ERRORS as usize
        && let Some(suppressed) = own_value(scope, object, "suppressed")
        && let Some(error) = own_value(scope, object, "error")
    {
        errors.push(error);
        at = v8::Local::try_from(suppressed).ok().filter(|_| suppressed.is_native_error());
        if at.is_none_or(|object| own_value(scope, object, "suppressed").is_none()) {
            errors.push(suppressed);
        }
    }
    errors
}

/// The value of an error's own data property.
fn own_value<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    error: v8::Local<'s, v8::Object>,
    key: &str,
) -> Option<v8::Local<'s, v8::Value>> {
    let key = v8::String::new(scope, key)?;
    let property = error.get_own_property_descriptor(scope, key.into())?;
    let property = v8::Local::<v8::Object>::try_from(property).ok()?;
    let value = v8::String::new(scope, "value")?.into();
    if property.has_own_property(scope, value)? { property.get(scope, value.into()) } else { None }
}

/// A short text of an error, with its line if that is a line of the script with this name.
pub fn with_place(scope: &mut v8::PinScope, host: &Host, error: v8::Local<v8::Value>, script: &str) -> String {
    let text = brief(scope, host, error);
    match stack_text(scope, error).and_then(|stack| position_in_stack(&stack, script)) {
        Some(at) => format!("{text} (line {})", at.line),
        None => text,
    }
}
