//! Shortened texts of errors: names, messages, codes and stacks. Getters of the guest may run.

use deno_core::v8;
use serde_json::Value;

use crate::state::host::Host;
use crate::state::log_room::floor_char_boundary;
use ses_prepare::guest_text;

/// Longest text of a guest's error that is reported, in bytes.
const MAX_TEXT_BYTES: usize = 8 << 10;

/// `name: message` of an error, or the text that console.log would print, shortened.
pub fn brief(scope: &mut v8::PinScope, host: &Host, thrown: v8::Local<v8::Value>) -> String {
    let (name, message) = name_and_message(scope, host, thrown);
    in_brief(name.as_deref(), &message)
}

pub fn in_brief(name: Option<&str>, message: &str) -> String {
    match name {
        None => message.to_owned(),
        Some("Error") if !message.is_empty() => message.to_owned(),
        Some(name) => header_of(name, message),
    }
}

/// The message of an error, or the text that console.log would print, shortened.
pub fn message(scope: &mut v8::PinScope, host: &Host, thrown: v8::Local<v8::Value>) -> String {
    name_and_message(scope, host, thrown).1
}

/// Name and message of an error. Any other thrown value has no name, and its text is its message.
pub fn name_and_message(
    scope: &mut v8::PinScope,
    host: &Host,
    thrown: v8::Local<v8::Value>,
) -> (Option<String>, String) {
    if thrown.is_native_error()
        && let Ok(object) = v8::Local::<v8::Object>::try_from(thrown)
    {
        let name = text_property(scope, object, "name").unwrap_or_else(|| "Error".to_owned());
        return (Some(name), text_property(scope, object, "message").unwrap_or_default());
    }
    if let Some(text) = short_text(scope, thrown) {
        return (None, text);
    }
    let text = host.realm.get().and_then(|realm| realm.inspect(scope, thrown));
    (None, shorten(text.unwrap_or_else(|| "a value that cannot be shown".to_owned())))
}

/// First line of a stack: `name: message`.
pub fn header(scope: &mut v8::PinScope, error: v8::Local<v8::Value>) -> String {
    let Ok(object) = v8::Local::<v8::Object>::try_from(error) else { return "Error".to_owned() };
    let name = text_property(scope, object, "name").unwrap_or_else(|| "Error".to_owned());
    header_of(&name, &text_property(scope, object, "message").unwrap_or_default())
}

pub fn header_of(name: &str, message: &str) -> String {
    if message.is_empty() { name.to_owned() } else { format!("{name}: {message}") }
}

pub fn stack_text(scope: &mut v8::PinScope, thrown: v8::Local<v8::Value>) -> Option<String> {
    if !thrown.is_native_error() {
        return None;
    }
    let object = v8::Local::<v8::Object>::try_from(thrown).ok()?;
    text_property(scope, object, "stack")
}

pub fn error_code(scope: &mut v8::PinScope, thrown: v8::Local<v8::Value>) -> Option<Value> {
    let object = v8::Local::<v8::Object>::try_from(thrown).ok()?;
    v8::tc_scope!(let attempt, scope);
    let key = v8::String::new(attempt, "code")?;
    let code = object.get(attempt, key.into())?;
    text_or_number(attempt, code)
}

/// The value of a property if it is a string. Getters of the guest run here; their exceptions are dropped.
fn text_property(scope: &mut v8::PinScope, object: v8::Local<v8::Object>, key: &str) -> Option<String> {
    v8::tc_scope!(let attempt, scope);
    let key = v8::String::new(attempt, key)?;
    let value = object.get(attempt, key.into())?;
    short_text(attempt, value)
}

pub fn text_or_number(scope: &mut v8::PinScope, value: v8::Local<v8::Value>) -> Option<Value> {
    if let Some(text) = short_text(scope, value) {
        return Some(Value::String(text));
    }
    value.is_number().then(|| value.number_value(scope)).flatten().map(Value::from)
}

/// A string, or the beginning of a long one. The guest may have made it as long as its memory allows, and V8 need not
/// flatten it here. Names of the engine's own functions are shown as the guest wrote them.
pub fn short_text(scope: &mut v8::PinScope, value: v8::Local<v8::Value>) -> Option<String> {
    let text = v8::Local::<v8::String>::try_from(value).ok()?;
    let mut units = vec![0u16; text.length().min(MAX_TEXT_BYTES + 1)];
    text.write_v2(scope, 0, &mut units, v8::WriteFlags::default());
    let text = String::from_utf16_lossy(&units);
    Some(shorten(without_guards(guest_text(&text).into_owned())))
}

/// V8's messages quote functions as they run: `Class extends value (n)=>{…} is not a constructor`. If the body has
/// guards, it is left out.
fn without_guards(text: String) -> String {
    const HEAD: &str = "{\n";
    const TAIL: &str = "\n}";
    if !text.contains("__smol_") {
        return text;
    }
    match (text.find(HEAD), text.rfind(TAIL)) {
        (Some(head), Some(tail)) if head < tail => {
            format!("{}{{ … }}{}", &text[..head], &text[tail + TAIL.len()..])
        }
        _ => text,
    }
}

fn shorten(mut text: String) -> String {
    if text.len() > MAX_TEXT_BYTES {
        text.truncate(floor_char_boundary(&text, MAX_TEXT_BYTES));
        text.push('…');
    }
    text
}
