//! Errors of guest code: marks that guests cannot forge, stacks of guest frames only, failures for the caller.

use std::rc::Rc;

use deno_core::v8;
use serde_json::Value;

use crate::bridge::caller::Caller;
use crate::bridge::host::Host;
use crate::bridge::log_room::floor_char_boundary;
use crate::realm::hints;
use crate::realm::scripts::{Script, is_program, program_name};
use ses_hints::{Uncaught, line_of};
use ses_prepare::{code_frame, guest_text};
use ses_protocol::{ERR_TRANSFER_LIMIT_EXCEEDED, Failure, FailureKind, Location, ToolCallId};

/// Longest text of a guest's error that is reported, in bytes.
const MAX_TEXT_BYTES: usize = 8 << 10;
/// Errors of an `AggregateError` that are told of.
const MAX_ERRORS: u32 = 4;
/// Frames of a stack that are shown, as V8 would; the one of the program that runs may come behind them.
const MAX_SHOWN_FRAMES: usize = 10;
/// Longer names of functions, and lines of earlier programs, are not shown. In bytes.
const MAX_SHOWN_NAME: usize = 64;
const MAX_SHOWN_LINE: usize = 200;
/// Prototypes of an error that are looked at for names of its classes.
const MAX_PROTOTYPES: usize = 8;

/// What the engine knows of an error that it made itself. Kept under a private symbol, with the run and the texts of the error:
/// guests may keep errors and change them.
pub enum Mark {
    /// A tool failed, or (`bridge`) its arguments or result could not cross.
    Tool { name: String, call: ToolCallId, bridge: bool },
    /// An import was refused.
    Import { module: String },
}

/// A mark of the run under way, and its error as it was made.
struct Marked {
    mark: Mark,
    name: String,
    message: String,
    code: Option<Value>,
}

/// Makes an error of the guest's realm that carries `mark`. `error_name` chooses the constructor where the language has
/// one of that name, else it becomes the error's own `name`.
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

/// Gives an error that was made outside guest code the place of the guest code that it belongs to.
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

/// Keeps a position with an error where the guest does not find it.
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

/// Where the code of a message is, if it is guest code.
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

/// `name: message` of an error, or what console.log would print, shortened.
pub fn brief(scope: &mut v8::PinScope, host: &Host, thrown: v8::Local<v8::Value>) -> String {
    let (name, message) = name_and_message(scope, host, thrown);
    in_brief(name.as_deref(), &message)
}

fn in_brief(name: Option<&str>, message: &str) -> String {
    match name {
        None => message.to_owned(),
        Some("Error") if !message.is_empty() => message.to_owned(),
        Some(name) => header_of(name, message),
    }
}

fn header_of(name: &str, message: &str) -> String {
    if message.is_empty() { name.to_owned() } else { format!("{name}: {message}") }
}

/// The message of an error, or what console.log would print, shortened.
pub fn message(scope: &mut v8::PinScope, host: &Host, thrown: v8::Local<v8::Value>) -> String {
    name_and_message(scope, host, thrown).1
}

/// The failure that `thrown`, which no guest code handled, is for the caller of the run of `script`.
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
        // Of an error that the guest has changed since, the stack says what the guest wants.
        .filter(|stack| mark.is_none() || stack.starts_with(&header_of(name.as_deref().unwrap_or_default(), &message)));
    let (is_marked, is_import) = (mark.is_some(), matches!(mark, Some(Mark::Import { .. })));
    let mut failure = match mark {
        Some(Mark::Tool { name, call, bridge }) => {
            let mut failure = Failure::new(FailureKind::Tool { cause: cause.clone() }).with("tool", name);
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
        None => Failure::new(FailureKind::Runtime { cause: cause.clone() }),
    };
    failure = failure.with("name", name.map_or(Value::Null, Value::String)).with("message", message);
    if let Some(code) = code {
        failure = failure.with("code", code);
    }
    let at = error_position(scope, host, thrown, script);
    let text = |key: &str| failure.details.get(key).and_then(Value::as_str);
    let (name, message) = (text("name"), text("message"));
    // Names in code of an earlier run are not those of this one.
    let elsewhere = stack.as_deref().filter(|_| !is_import).and_then(|stack| {
        thrown_elsewhere(host, stack, &header_of(name.unwrap_or_default(), message.unwrap_or_default()), script)
    });
    let hint = match (is_marked, &elsewhere, name, message) {
        (false, None, Some(name), Some(message)) => {
            hints::hint(scope, host, &Uncaught { name, message, at, source: &script.source })
        }
        _ => None,
    };
    let hint = hint.or_else(|| {
        let causes = if is_marked { None } else { causes(scope, host, thrown, &script.name) };
        let notes = [elsewhere, causes].into_iter().flatten().collect::<Vec<_>>();
        (!notes.is_empty()).then(|| notes.join(" "))
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

/// Where an error comes from whose innermost frame is none of `script`: a function of an earlier run, or of a module.
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

/// What an error says of others: its cause, or those that it stands for.
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

/// What was thrown while something was disposed of, and what it took the place of, which may be an error of that kind itself.
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

/// The value of an error's own property that is no accessor.
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

/// An error in brief, with its line if that is one of the script of this name.
pub fn with_place(scope: &mut v8::PinScope, host: &Host, error: v8::Local<v8::Value>, script: &str) -> String {
    let text = brief(scope, host, error);
    match stack_text(scope, error).and_then(|stack| position_in_stack(&stack, script)) {
        Some(at) => format!("{text} (line {})", at.line),
        None => text,
    }
}

/// Where the innermost frame is that lies in `script`.
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

/// V8 calls this for the `stack` of an error; guests never see a CallSite.
pub fn prepare_stack_trace<'s, 'i>(
    scope: &mut v8::PinScope<'s, 'i>,
    error: v8::Local<'s, v8::Value>,
    sites: v8::Local<'s, v8::Array>,
) -> v8::Local<'s, v8::Value> {
    let mut stack = header(scope, error);
    let host = scope.get_slot::<Rc<Host>>().cloned();
    let classes = class_names(scope, error);
    let mut is_leading = true;
    // The program that runs, whose place is looked for behind the frames that are shown.
    let program = host.as_ref().map(|host| format!("{}:", program_name(host.run_number())));
    let (mut shown, mut has_program) = (0, false);
    for index in 0..sites.length() {
        if shown >= MAX_SHOWN_FRAMES && has_program {
            break;
        }
        let Some(site) = sites.get_index(scope, index).and_then(|site| v8::Local::<v8::Object>::try_from(site).ok())
        else {
            continue;
        };
        let Some(host) = &host else { break };
        // V8 leaves out the constructors that made the error; those of SES's Error class are left out here.
        is_leading = is_leading && is_constructor_of(scope, site, &classes);
        if is_leading {
            continue;
        }
        let Some(frame) = format_frame(scope, host, site) else { continue };
        let is_program = program.as_deref().is_some_and(|program| {
            let place = frame.rsplit_once('(').map_or(frame.as_str(), |(_, place)| place);
            place.starts_with(program)
        });
        has_program |= is_program;
        if shown < MAX_SHOWN_FRAMES || is_program {
            stack.push_str("\n    at ");
            stack.push_str(&frame);
            shown += 1;
        }
    }
    v8::String::new(scope, &stack).unwrap_or_else(|| v8::String::empty(scope)).into()
}

/// Names of the guest's classes that `error` is an instance of, but for the language's own.
fn class_names<'s>(scope: &mut v8::PinScope<'s, '_>, error: v8::Local<'s, v8::Value>) -> Vec<String> {
    let mut names = Vec::new();
    v8::tc_scope!(let attempt, scope);
    let mut at = error;
    for _ in 0..MAX_PROTOTYPES {
        let Ok(object) = v8::Local::<v8::Object>::try_from(at) else { break };
        if object.is_proxy() {
            break;
        }
        let Some(prototype) = object.get_prototype(attempt) else { break };
        at = prototype;
        let Ok(object) = v8::Local::<v8::Object>::try_from(prototype) else { break };
        let Some(constructor) = v8::String::new(attempt, "constructor").and_then(|key| object.get(attempt, key.into()))
        else {
            break;
        };
        let Ok(constructor) = v8::Local::<v8::Function>::try_from(constructor) else { break };
        let name = constructor.get_name(attempt).into();
        names.extend(short_text(attempt, name));
    }
    names
}

/// Whether the frame is that of a constructor of one of `classes`.
fn is_constructor_of<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    site: v8::Local<'s, v8::Object>,
    classes: &[String],
) -> bool {
    call_site(scope, site, "isConstructor").is_some_and(|is_constructor| is_constructor.is_true())
        && call_site(scope, site, "getFunctionName")
            .and_then(|name| short_text(scope, name))
            .is_some_and(|name| classes.contains(&name))
}

/// A frame of guest code as V8 prints it, with the position in its source. `None` for all other frames.
fn format_frame<'s>(scope: &mut v8::PinScope<'s, '_>, host: &Host, site: v8::Local<'s, v8::Object>) -> Option<String> {
    let file = call_site(scope, site, "getFileName")?;
    if !file.is_string() {
        return None;
    }
    let script = host.scripts.borrow().get(&file.to_rust_string_lossy(scope))?;
    let number = |scope: &mut v8::PinScope<'s, '_>, getter: &str| call_site(scope, site, getter)?.uint32_value(scope);
    let (line, column) = (number(scope, "getLineNumber")?, number(scope, "getColumnNumber")?);
    let at = script.original(line, column)?;
    let place = format!("{}:{}:{}", script.name, at.line, at.column);
    let flag =
        |scope: &mut v8::PinScope<'s, '_>, getter: &str| call_site(scope, site, getter).is_some_and(|v| v.is_true());
    let function = call_site(scope, site, "getFunctionName").and_then(|function| short_text(scope, function));
    Some(match function {
        None => place,
        Some(function) if flag(scope, "isConstructor") => format!("new {function} ({place})"),
        Some(function) if flag(scope, "isAsync") => format!("async {function} ({place})"),
        Some(function) => format!("{function} ({place})"),
    })
}

fn call_site<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    site: v8::Local<'s, v8::Object>,
    getter: &str,
) -> Option<v8::Local<'s, v8::Value>> {
    let key = v8::String::new(scope, getter)?;
    let function = v8::Local::<v8::Function>::try_from(site.get(scope, key.into())?).ok()?;
    function.call(scope, site.into(), &[])
}

/// First line of a stack: `name: message`.
fn header(scope: &mut v8::PinScope, error: v8::Local<v8::Value>) -> String {
    let Ok(object) = v8::Local::<v8::Object>::try_from(error) else { return "Error".to_owned() };
    let name = text_property(scope, object, "name").unwrap_or_else(|| "Error".to_owned());
    header_of(&name, &text_property(scope, object, "message").unwrap_or_default())
}

/// Name and message of an error; anything else that was thrown has no name, and its text is its message.
fn name_and_message(scope: &mut v8::PinScope, host: &Host, thrown: v8::Local<v8::Value>) -> (Option<String>, String) {
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

/// A property that is a string. Getters of the guest run here; what they throw is dropped.
fn text_property(scope: &mut v8::PinScope, object: v8::Local<v8::Object>, key: &str) -> Option<String> {
    v8::tc_scope!(let attempt, scope);
    let key = v8::String::new(attempt, key)?;
    let value = object.get(attempt, key.into())?;
    short_text(attempt, value)
}

/// A string, or the beginning of one; the guest may have made it as long as its memory allows, and V8 need not make it
/// flat for this. Names of the engine's own functions are shown as what the guest wrote.
fn short_text(scope: &mut v8::PinScope, value: v8::Local<v8::Value>) -> Option<String> {
    let text = v8::Local::<v8::String>::try_from(value).ok()?;
    let mut units = vec![0u16; text.length().min(MAX_TEXT_BYTES + 1)];
    text.write_v2(scope, 0, &mut units, v8::WriteFlags::default());
    let text = String::from_utf16_lossy(&units);
    Some(shorten(without_guards(guest_text(&text).into_owned())))
}

/// V8 quotes functions in messages as they run, `Class extends value (n)=>{…} is not a constructor`: the body of one with guards
/// is left out.
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

fn error_code(scope: &mut v8::PinScope, thrown: v8::Local<v8::Value>) -> Option<Value> {
    let object = v8::Local::<v8::Object>::try_from(thrown).ok()?;
    v8::tc_scope!(let attempt, scope);
    let key = v8::String::new(attempt, "code")?;
    let code = object.get(attempt, key.into())?;
    text_or_number(attempt, code)
}

fn text_or_number(scope: &mut v8::PinScope, value: v8::Local<v8::Value>) -> Option<Value> {
    if let Some(text) = short_text(scope, value) {
        return Some(Value::String(text));
    }
    value.is_number().then(|| value.number_value(scope)).flatten().map(Value::from)
}

fn stack_text(scope: &mut v8::PinScope, thrown: v8::Local<v8::Value>) -> Option<String> {
    if !thrown.is_native_error() {
        return None;
    }
    let object = v8::Local::<v8::Object>::try_from(thrown).ok()?;
    text_property(scope, object, "stack")
}

fn read_mark(scope: &mut v8::PinScope, host: &Host, thrown: v8::Local<v8::Value>) -> Option<Marked> {
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

/// Where in `script` the error belongs: its own position if V8 or the bridge knows it, else the first frame of
/// its stack that lies in `script`.
fn error_position(
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

/// Where `thrown`, which is no error, was thrown, if nothing else was after it.
fn thrown_at(scope: &mut v8::PinScope, host: &Host, thrown: v8::Local<v8::Value>, script: &Script) -> Option<Location> {
    let (value, trace) = host.run.borrow_mut().as_mut().and_then(|run| run.thrown.take())?;
    let (value, trace) = (v8::Local::new(scope, value), v8::Local::new(scope, trace));
    value.same_value(thrown).then(|| position_in_trace(scope, trace, script)).flatten()
}

/// The text of a function as it was written, if its script is one of the guest's that are kept.
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

/// The first `name:line:column` of a stack.
fn position_in_stack(stack: &str, name: &str) -> Option<Location> {
    stack.lines().skip(1).find_map(|line| {
        let place = line.rsplit_once(['(', ' ']).map_or(line, |(_, place)| place).trim_end_matches(')');
        let (line, column) = place.strip_prefix(name)?.strip_prefix(':')?.split_once(':')?;
        Some(Location { line: line.parse().ok()?, column: column.parse().ok()? })
    })
}

fn define_hidden(scope: &mut v8::PinScope, object: v8::Local<v8::Object>, key: &str, value: v8::Local<v8::Value>) {
    if let Some(key) = v8::String::new(scope, key) {
        object.define_own_property(scope, key.into(), value, v8::PropertyAttribute::DONT_ENUM);
    }
}

fn shorten(mut text: String) -> String {
    if text.len() > MAX_TEXT_BYTES {
        text.truncate(floor_char_boundary(&text, MAX_TEXT_BYTES));
        text.push('…');
    }
    text
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
