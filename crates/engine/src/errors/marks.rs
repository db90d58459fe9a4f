//! Errors that the engine makes itself, with marks that guests cannot forge.

use deno_core::v8;
use serde_json::Value;

use crate::errors::error_texts::{short_text, text_or_number};
use crate::state::host::Host;
use ses_protocol::{ERR_TRANSFER_LIMIT_EXCEEDED, ToolCallId};

/// Information about an error that the engine made itself. Stored under a private symbol, with the run and the texts of
/// the error, because guests may keep errors and change them.
pub enum Mark {
    /// A tool failed. If `bridge`, its arguments or result could not be transferred.
    Tool { name: String, call: ToolCallId, bridge: bool },
    /// An import was refused.
    Import { module: String },
}

/// A mark of the run under way, and its error as it was made.
pub struct Marked {
    pub mark: Mark,
    pub name: String,
    pub message: String,
    pub code: Option<Value>,
}

/// Makes an error of the guest's realm that carries `mark`. `error_name` selects the constructor of that name if the
/// language has one. Otherwise it becomes the error's own `name`.
pub fn marked_error<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    host: &Host,
    error_name: &str,
    message: &str,
    code: Option<v8::Local<'s, v8::Value>>,
    mark: &Mark,
) -> v8::Local<'s, v8::Value> {
    let text = v8::String::new(scope, message).unwrap_or_else(|| v8::String::empty(scope));
    let error = match error_name {
        "TypeError" => v8::Exception::type_error(scope, text),
        "RangeError" => v8::Exception::range_error(scope, text),
        "ReferenceError" => v8::Exception::reference_error(scope, text),
        "SyntaxError" => v8::Exception::syntax_error(scope, text),
        _ => v8::Exception::error(scope, text),
    };
    let Ok(object) = v8::Local::<v8::Object>::try_from(error) else { return error };
    if !matches!(error_name, "Error" | "TypeError" | "RangeError" | "ReferenceError" | "SyntaxError")
        && let Some(name) = v8::String::new(scope, error_name)
    {
        define_hidden(scope, object, "name", name.into());
    }
    if let Some(code) = code {
        define_hidden(scope, object, "code", code);
    }
    if let Some(realm) = host.realm.get() {
        let (kind, name, call, bridge) = match mark {
            Mark::Tool { name, call, bridge } => (0, name, *call, *bridge),
            Mark::Import { module } => (1, module, 0, false),
        };
        let name = v8::String::new(scope, name).unwrap_or_else(|| v8::String::empty(scope));
        let error_name = v8::String::new(scope, error_name).unwrap_or_else(|| v8::String::empty(scope));
        let fields = [
            v8::Integer::new(scope, kind).into(),
            name.into(),
            v8::Number::new(scope, call as f64).into(),
            v8::Boolean::new(scope, bridge).into(),
            v8::Number::new(scope, host.run_number() as f64).into(),
            error_name.into(),
            text.into(),
            code.unwrap_or_else(|| v8::undefined(scope).into()),
        ];
        let fields = v8::Array::new_with_elements(scope, &fields);
        let key = realm.mark_key(scope);
        object.set_private(scope, key, fields.into());
    }
    error
}

/// The error of a tool call whose arguments or result are larger than `maxTransferBytes`.
pub fn transfer_error<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    host: &Host,
    message: &str,
    mark: &Mark,
) -> v8::Local<'s, v8::Value> {
    let code = v8::String::new(scope, ERR_TRANSFER_LIMIT_EXCEEDED).map(Into::into);
    marked_error(scope, host, "RangeError", message, code, mark)
}

pub fn read_mark(scope: &mut v8::PinScope, host: &Host, thrown: v8::Local<v8::Value>) -> Option<Marked> {
    let object = v8::Local::<v8::Object>::try_from(thrown).ok()?;
    if object.is_proxy() {
        return None;
    }
    let key = host.realm.get()?.mark_key(scope);
    let fields = v8::Local::<v8::Array>::try_from(object.get_private(scope, key)?).ok()?;
    if fields.get_index(scope, 4)?.number_value(scope)? != host.run_number() as f64 {
        return None;
    }
    let about = fields.get_index(scope, 1)?.to_rust_string_lossy(scope);
    let mark = if fields.get_index(scope, 0)?.uint32_value(scope)? == 1 {
        Mark::Import { module: about }
    } else {
        let call = fields.get_index(scope, 2)?.number_value(scope)? as ToolCallId;
        Mark::Tool { name: about, call, bridge: fields.get_index(scope, 3)?.is_true() }
    };
    let [name, message] = [5, 6].map(|field| fields.get_index(scope, field).and_then(|text| short_text(scope, text)));
    let code = fields.get_index(scope, 7)?;
    Some(Marked { mark, name: name?, message: message?, code: text_or_number(scope, code) })
}

pub fn define_hidden(scope: &mut v8::PinScope, object: v8::Local<v8::Object>, key: &str, value: v8::Local<v8::Value>) {
    if let Some(key) = v8::String::new(scope, key) {
        object.define_own_property(scope, key.into(), value, v8::PropertyAttribute::DONT_ENUM);
    }
}
