//! Texts of stacks. They contain only frames of guest code, with positions in the original source.

use std::rc::Rc;

use deno_core::v8;

use crate::errors::error_texts::{header, short_text};
use crate::state::host::Host;
use crate::state::scripts::program_name;

/// The most frames of a stack that are shown, as in V8. The frame of the running program may come after them.
const MAX_SHOWN_FRAMES: usize = 10;
/// Prototypes of an error that are searched for names of its classes.
const MAX_PROTOTYPES: usize = 8;

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
    // The running program. Its frame is searched for after the frames that are shown.
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
        // V8 leaves out the constructors that made the error. The constructors of SES's Error class are left out here.
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

/// Names of the guest's classes that `error` is an instance of, except the language's own.
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

/// A frame of guest code in V8's format, with the position in its source. `None` for all other frames.
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
