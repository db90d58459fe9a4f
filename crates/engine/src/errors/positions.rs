//! Positions of errors and functions in the guest's code.

use std::rc::Rc;

use deno_core::v8;

use crate::errors::error_texts::{header, stack_text};
use crate::errors::marks::define_hidden;
use crate::state::caller::Caller;
use crate::state::host::Host;
use crate::state::scripts::Script;
use ses_protocol::Location;

/// Gives an error that was made outside guest code the position of the guest code that caused it.
pub fn set_position(scope: &mut v8::PinScope, host: &Host, error: v8::Local<v8::Value>, caller: &Caller) {
    let Ok(object) = v8::Local::<v8::Object>::try_from(error) else { return };
    let Some(frames) = (match caller {
        Caller::Program(message) => {
            let message = v8::Local::new(scope, message);
            position_in(scope, host, message).map(|(script, at)| {
                mark_position(scope, host, object, &script.name, at);
                format!("    at {}:{}:{}", script.name, at.line, at.column)
            })
        }
        Caller::Other(error) => {
            let error = v8::Local::new(scope, error).into();
            stack_text(scope, error).and_then(|stack| stack.split_once('\n').map(|(_, frames)| frames.to_owned()))
        }
    }) else {
        return;
    };
    let stack = format!("{}\n{frames}", header(scope, error));
    if let Some(stack) = v8::String::new(scope, &stack) {
        define_hidden(scope, object, "stack", stack.into());
    }
}

/// Stores a position with an error where the guest cannot find it.
fn mark_position(scope: &mut v8::PinScope, host: &Host, error: v8::Local<v8::Object>, script: &str, at: Location) {
    let Some(realm) = host.realm.get() else { return };
    let Some(script) = v8::String::new(scope, script) else { return };
    let fields = [
        script.into(),
        v8::Integer::new_from_unsigned(scope, at.line).into(),
        v8::Integer::new_from_unsigned(scope, at.column).into(),
    ];
    let fields = v8::Array::new_with_elements(scope, &fields);
    let key = realm.position_key(scope);
    error.set_private(scope, key, fields.into());
}

/// The position of a message's code, if it is guest code.
fn position_in(
    scope: &mut v8::PinScope,
    host: &Host,
    message: v8::Local<v8::Message>,
) -> Option<(Rc<Script>, Location)> {
    let name = v8::Local::<v8::String>::try_from(message.get_script_resource_name(scope)?).ok()?;
    let script = host.scripts.borrow().get(&name.to_rust_string_lossy(scope))?;
    let (line, column) = (message.get_line_number(scope)?, message.get_start_column());
    let at = script.original(u32::try_from(line).ok()?, u32::try_from(column).ok()? + 1)?;
    Some((script, at))
}

/// The position of the error in `script`: its own position if V8 or the bridge has stored one, otherwise the first
/// frame of its stack that lies in `script`.
pub fn error_position(
    scope: &mut v8::PinScope,
    host: &Host,
    thrown: v8::Local<v8::Value>,
    script: &Script,
) -> Option<Location> {
    if let Ok(object) = v8::Local::<v8::Object>::try_from(thrown)
        && !object.is_proxy()
        && let Some(key) = host.realm.get().map(|realm| realm.position_key(scope))
        && let Some(fields) =
            object.get_private(scope, key).and_then(|fields| v8::Local::<v8::Array>::try_from(fields).ok())
        && fields.get_index(scope, 0)?.to_rust_string_lossy(scope) == *script.name
    {
        let line = fields.get_index(scope, 1)?.uint32_value(scope)?;
        let column = fields.get_index(scope, 2)?.uint32_value(scope)?;
        return Some(Location { line, column });
    }
    if let Some(at) = stack_text(scope, thrown).and_then(|stack| position_in_stack(&stack, &script.name)) {
        return Some(at);
    }
    if let Some(at) = thrown_at(scope, host, thrown, script) {
        return Some(at);
    }
    let message = v8::Exception::create_message(scope, thrown);
    let name = message.get_script_resource_name(scope).map(|name| name.to_rust_string_lossy(scope));
    if name.as_deref() == Some(&*script.resource_name)
        && let Some(line) = message.get_line_number(scope)
        && let Some(at) = script.original(line as u32, message.get_start_column() as u32 + 1)
    {
        return Some(at);
    }
    None
}

/// The position where `thrown` was thrown. It must not be an error, and nothing else may have been thrown after it.
fn thrown_at(scope: &mut v8::PinScope, host: &Host, thrown: v8::Local<v8::Value>, script: &Script) -> Option<Location> {
    let (value, trace) = host.run.borrow_mut().as_mut().and_then(|run| run.thrown.take())?;
    let (value, trace) = (v8::Local::new(scope, value), v8::Local::new(scope, trace));
    value.same_value(thrown).then(|| position_in_trace(scope, trace, script)).flatten()
}

/// The position of the innermost frame that lies in `script`.
pub fn position_in_trace(
    scope: &mut v8::PinScope,
    trace: v8::Local<v8::StackTrace>,
    script: &Script,
) -> Option<Location> {
    (0..trace.get_frame_count()).find_map(|index| {
        let frame = trace.get_frame(scope, index)?;
        let name = frame.get_script_name(scope)?.to_rust_string_lossy(scope);
        if *name != *script.resource_name {
            return None;
        }
        script.original(u32::try_from(frame.get_line_number()).ok()?, u32::try_from(frame.get_column()).ok()?)
    })
}

/// The first `name:line:column` of a stack.
pub fn position_in_stack(stack: &str, name: &str) -> Option<Location> {
    stack.lines().skip(1).find_map(|line| {
        let place = line.rsplit_once(['(', ' ']).map_or(line, |(_, place)| place).trim_end_matches(')');
        let (line, column) = place.strip_prefix(name)?.strip_prefix(':')?.split_once(':')?;
        Some(Location { line: line.parse().ok()?, column: column.parse().ok()? })
    })
}

/// The text of a function as it was written, if the guest's script that contains it is still kept.
pub fn function_text<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    host: &Host,
    function: v8::Local<'s, v8::Function>,
) -> Option<v8::Local<'s, v8::String>> {
    let name = function.get_script_origin(scope).resource_name()?.to_rust_string_lossy(scope);
    let script = host.scripts.borrow().get(&name)?;
    let (line, column) = (function.get_script_line_number()?, function.get_script_column_number()?);
    v8::String::new(scope, script.function_at(line + 1, column + 1)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_frame_of_the_script_is_found() {
        let stack =
            "Error: x\n    at helper (step-1.js:9:2)\n    at async outer (step-2.js:3:14)\n    at step-2.js:5:1";
        assert_eq!(position_in_stack(stack, "step-2.js"), Some(Location { line: 3, column: 14 }));
        assert_eq!(position_in_stack(stack, "step-1.js"), Some(Location { line: 9, column: 2 }));
        assert_eq!(position_in_stack(stack, "step-3.js"), None);
    }

    #[test]
    fn a_message_that_looks_like_a_frame_is_not_one() {
        assert_eq!(position_in_stack("Error: at step-1.js:1:1", "step-1.js"), None);
    }
}
