//! Calls of host tools from guest code (specification, section 7.4).

use std::rc::Rc;

use deno_core::v8;

use crate::errors::marks::{Mark, marked_error, transfer_error};
use crate::errors::{error_texts, positions};
use crate::state::caller::Caller;
use crate::state::host::Host;
use crate::state::pending_calls::{PendingCall, WaitingCall};
use crate::values::serialize::{self, Unwritable};
use ses_protocol::{ErrorCode, Event, ToolCall, ToolCallId, ToolError, ToolReply, ToolSpec, Values};
use ses_transfer as transfer;

/// The guest's function for a tool. It is native, so that a call is one frame and its arguments arrive one by one.
pub fn function<'s>(scope: &mut v8::PinScope<'s, '_>, tool: &ToolSpec) -> Option<v8::Local<'s, v8::Function>> {
    let data = v8::Number::new(scope, f64::from(tool.id) * 2.0 + f64::from(u8::from(tool.is_async)));
    let function = v8::Function::builder(on_call)
        .data(data.into())
        .length(i32::try_from(tool.length).unwrap_or(i32::MAX))
        .constructor_behavior(v8::ConstructorBehavior::Throw)
        .build(scope)?;
    let name = tool.path.last().map_or("", String::as_str);
    function.set_name(v8::String::new(scope, name)?);
    Some(function)
}

fn on_call<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut returned: v8::ReturnValue<v8::Value>,
) {
    let Some(host) = scope.get_slot::<Rc<Host>>().cloned() else { return };
    if host.is_over() {
        host.stop_guest();
        return;
    }
    let data = args.data().number_value(scope).unwrap_or_default();
    let (tool, is_async) = ((data / 2.0) as u32, data % 2.0 == 1.0);
    // The guest may call from a getter while a value is being written within a limit of memory.
    if let Some(value) = transfer::without_limit(|| call(scope, &host, tool, is_async, &args)) {
        returned.set(value);
    }
}

/// Calls the host's function. An async tool, or one that returns a promise, returns a promise. The thread waits for any
/// other tool. `None`: an exception is pending, or the guest is being terminated.
fn call<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    host: &Host,
    tool: u32,
    is_async: bool,
    args: &v8::FunctionCallbackArguments<'s>,
) -> Option<v8::Local<'s, v8::Value>> {
    let is_service = host.tools.borrow().is_service(tool);
    if !is_service && !host.count_tool_call() {
        host.stop_guest();
        return None;
    }
    let number = host.calls.borrow_mut().take_number();
    let args = match write_arguments(scope, host, tool, number, args) {
        Ok(args) => args,
        // An async function rejects its promise.
        Err(Some(error)) if is_async => return rejected(scope, error),
        Err(error) => {
            if let Some(error) = error {
                scope.throw_exception(error);
            }
            return None;
        }
    };
    if is_async {
        let promise = promise_of(scope, host, number, tool, args.wire_bytes())?;
        if is_service {
            send(host, number, tool, true, args);
            return Some(promise);
        }
        host.calls.borrow_mut().waiting.push_back(WaitingCall { number, tool, args });
        start_waiting(host);
        if !host.calls.borrow().waiting.is_empty() {
            // No event of a call reports how many calls the run has made.
            host.report_progress();
        }
        return Some(promise);
    }
    send(host, number, tool, false, args);
    match host.wait_for_reply(number)? {
        ToolReply::Promise => {
            host.calls.borrow_mut().running += 1;
            promise_of(scope, host, number, tool, 0)
        }
        reply => match read_reply(scope, host, tool, number, reply) {
            Ok(value) => Some(value),
            Err(error) => {
                scope.throw_exception(error);
                None
            }
        },
    }
}

/// Settles the promise of a call with the host's answer. An answer to a call of an earlier run has no promise and is
/// dropped.
pub fn on_reply(scope: &mut v8::PinScope, host: &Host, call: ToolCallId, reply: ToolReply) {
    if matches!(reply, ToolReply::Promise) {
        return;
    }
    host.take_answer(&reply);
    let Some(pending) = host.calls.borrow_mut().take(call) else { return };
    start_waiting(host);
    let resolver = v8::Local::new(scope, &pending.resolver);
    match read_reply(scope, host, pending.tool, call, reply) {
        Ok(value) => resolver.resolve(scope, value),
        Err(error) => {
            positions::set_position(scope, host, error, &pending.caller);
            resolver.reject(scope, error)
        }
    };
}

/// Starts waiting calls as far as there is room. This is the guest's side of `maxConcurrentToolCalls`. It also keeps
/// arguments out of the host until the host can use them.
fn start_waiting(host: &Host) {
    let mut calls = host.calls.borrow_mut();
    while calls.running < host.context.config().max_concurrent_tool_calls
        && let Some(WaitingCall { number, tool, args }) = calls.waiting.pop_front()
    {
        calls.running += 1;
        send(host, number, tool, true, args);
    }
}

fn send(host: &Host, id: ToolCallId, tool: u32, is_async: bool, args: Values) {
    host.context.report(Event::ToolCalls(vec![ToolCall { id, tool, is_async, args, made: host.tool_calls() }]));
}

/// The promise of a call that the host answers later.
fn promise_of<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    host: &Host,
    number: ToolCallId,
    tool: u32,
    args_bytes: usize,
) -> Option<v8::Local<'s, v8::Value>> {
    let caller = Caller::find(scope, |name| host.scripts.borrow().is_last_program(name));
    let resolver = v8::PromiseResolver::new(scope)?;
    let promise = resolver.get_promise(scope);
    let resolver = v8::Global::new(scope, resolver);
    let is_service = host.tools.borrow().is_service(tool);
    let mut calls = host.calls.borrow_mut();
    calls.args_bytes += args_bytes;
    calls.calls.insert(number, PendingCall { resolver, tool, caller, args_bytes, is_service });
    Some(promise.into())
}

fn rejected<'s>(scope: &mut v8::PinScope<'s, '_>, error: v8::Local<'s, v8::Value>) -> Option<v8::Local<'s, v8::Value>> {
    let resolver = v8::PromiseResolver::new(scope)?;
    let promise = resolver.get_promise(scope);
    resolver.reject(scope, error);
    Some(promise.into())
}

/// The arguments, or a bridge error with the path of the offending part. `Err(None)`: the guest is being terminated.
fn write_arguments<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    host: &Host,
    tool: u32,
    number: ToolCallId,
    args: &v8::FunctionCallbackArguments<'s>,
) -> Result<Values, Option<v8::Local<'s, v8::Value>>> {
    let limit = host.context.config().max_transfer_bytes;
    let left = limit.saturating_sub(host.calls.borrow().args_bytes);
    let (name, mark, thrown) = {
        v8::tc_scope!(let attempt, scope);
        let copied = with_substitutes(attempt, host, args);
        if !attempt.has_terminated() {
            attempt.reset();
        }
        let written = match copied {
            Some(copied) => serialize::write_list(attempt, copied, host.way(left)),
            None => serialize::write_values(attempt, args, host.way(left)),
        };
        let refusal = match written {
            Ok(values) => return Ok(values),
            Err(refusal) => refusal,
        };
        let name = host.tool_name(tool);
        let mark = Mark::Tool { name: name.clone(), call: number, bridge: true };
        match refusal {
            _ if attempt.has_terminated() || !attempt.can_continue() => return Err(None),
            Unwritable::TooLarge(bytes) => {
                attempt.reset();
                let size = bytes.map_or_else(|| "more".to_owned(), |bytes| format!("{bytes} bytes"));
                let message = format!(
                    "{name}: the arguments take {size}, but only {left} of maxTransferBytes ({limit}) are left"
                );
                return Err(Some(transfer_error(attempt, host, &message, &mark)));
            }
            Unwritable::Thrown => {
                let thrown = attempt.exception().map(|thrown| error_texts::message(attempt, host, thrown));
                attempt.reset();
                (name, mark, thrown)
            }
        }
    };
    let place = match host.realm.get().and_then(|realm| {
        let args = serialize::array_of(scope, args);
        realm.uncloneable_path(scope, args.into())
    }) {
        Some(path) => format!("argument {path} cannot cross to the host"),
        None => "the arguments cannot cross to the host".to_owned(),
    };
    let reason = thrown.unwrap_or_else(|| "the value cannot be cloned".to_owned());
    let message = format!("{name}: {place}: {reason}");
    Err(Some(marked_error(scope, host, "TypeError", &message, None, &mark)))
}

/// The arguments with strings in place of URLs, and bytes in place of blobs. `None` if there are none.
fn with_substitutes<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    host: &Host,
    args: &v8::FunctionCallbackArguments<'s>,
) -> Option<v8::Local<'s, v8::Array>> {
    if !host.has_substituted.get() || !(0..args.length()).any(|index| args.get(index).is_object()) {
        return None;
    }
    let array = serialize::array_of(scope, args);
    let copy = host.realm.get()?.arguments_with_substitutes(scope, array)?;
    (copy != array).then_some(copy)
}

/// The host's answer as a value, or as an error of the guest's realm.
fn read_reply<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    host: &Host,
    tool: u32,
    number: ToolCallId,
    reply: ToolReply,
) -> Result<v8::Local<'s, v8::Value>, v8::Local<'s, v8::Value>> {
    let bridge_error = |scope: &mut v8::PinScope<'s, '_>, name: String, reason: &str| {
        let message = format!("{name}: {reason}");
        let mark = Mark::Tool { name, call: number, bridge: true };
        marked_error(scope, host, "RangeError", &message, None, &mark)
    };
    match reply {
        ToolReply::Promise => Ok(v8::undefined(scope).into()),
        ToolReply::Value(value) if value.wire_bytes() > host.context.config().max_transfer_bytes => {
            let limit = host.context.config().max_transfer_bytes;
            let name = host.tool_name(tool);
            let bytes = value.wire_bytes();
            let message = format!("{name}: the result takes {bytes} bytes, more than maxTransferBytes ({limit})");
            let mark = Mark::Tool { name, call: number, bridge: true };
            Err(transfer_error(scope, host, &message, &mark))
        }
        ToolReply::Value(value) => {
            let read = {
                v8::tc_scope!(let attempt, scope);
                serialize::read_result(attempt, &host.memory, value)
            };
            let value = match (read, host.realm.get()) {
                (Some((value, _)), Some(realm)) if host.context.config().harden_tool_results => {
                    realm.harden(scope, value)
                }
                (Some((value, true)), Some(realm)) => realm.set_stacks(scope, value),
                (read, _) => read.map(|(value, _)| value),
            };
            value.ok_or_else(|| {
                let reason = "the result is nested too deeply or too large for the guest";
                bridge_error(scope, host.tool_name(tool), reason)
            })
        }
        ToolReply::Error(ToolError { name, message, code, bridge, details }) => {
            let code = code.and_then(|code| match code {
                ErrorCode::Text(text) => v8::String::new(scope, &text).map(Into::into),
                ErrorCode::Number(number) => Some(v8::Number::new(scope, number).into()),
            });
            let mark = Mark::Tool { name: host.tool_name(tool), call: number, bridge };
            let error = marked_error(scope, host, &name, &message, code, &mark);
            if let Some(details) = details.filter(|wire| wire.len() <= host.context.config().max_transfer_bytes) {
                add_details(scope, host, error, &details);
            }
            Err(error)
        }
    }
}

/// Gives the error of a tool its cause, errors, status and data. Without memory for them it stays as it is.
fn add_details(scope: &mut v8::PinScope, host: &Host, error: v8::Local<v8::Value>, details: &[u8]) {
    let Some(realm) = host.realm.get() else { return };
    v8::tc_scope!(let attempt, scope);
    let error = v8::Local::new(attempt, error);
    let details = match serialize::read(attempt, details) {
        Some(details) if host.context.config().harden_tool_results => realm.harden(attempt, details),
        details => details,
    };
    if let Some(details) = details {
        realm.add_details(attempt, error, details);
    }
}
