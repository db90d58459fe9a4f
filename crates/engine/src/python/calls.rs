//! Calls from guest code in Python to its host, as `guest.js` passes them on.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use deno_core::v8;

use crate::bridge::interface::Bridge;
use crate::platform::session_clock;
use crate::python::facts::Facts;
use crate::python::folders::Folder;
use crate::python::libraries::Libraries;
use crate::python::mount;
use crate::python::natives::{Arguments, Returned, natives, random, throw};
use crate::python::shell::Shell;
use crate::python::signal::Signal;
use crate::state::host::Host;
use crate::state::pending_calls::WaitingCall;
use crate::values::serialize::{self, Unwritable};
use ses_protocol::{
    ERR_TOOL_CALL_LIMIT_EXCEEDED, ERR_TRANSFER_LIMIT_EXCEEDED, ErrorCode, Event, ToolCall, ToolCallId, ToolError,
    ToolReply, ToolSpec, Value, Values,
};
use ses_transfer as transfer;

/// The state of a Python session in addition to its [`Host`], stored in a slot of the isolate.
pub struct Own {
    pub shell: Shell,
    /// The folder that guest code may use, until it is mounted.
    pub folder: RefCell<Option<Folder>>,
    pub has_folder: bool,
    pub facts: Rc<Facts>,
    pub started: RefCell<Started>,
    /// All tools that the guest was given.
    pub tools: RefCell<Vec<ToolSpec>>,
    /// Digest of what the interpreter's memory depends on.
    pub build: [u8; 32],
    pub has_packages: bool,
}

impl Own {
    /// Whether guest code can use a folder of the host.
    pub fn has_mounted(&self) -> bool {
        self.has_folder && self.folder.borrow().is_none()
    }

    /// Guest code may call these tools from now on.
    pub fn add_tools(&self, host: &Host, tools: &[ToolSpec]) {
        host.tools.borrow_mut().add(tools);
        self.tools.borrow_mut().extend_from_slice(tools);
    }
}

/// Calls that the guest has started and not waited for yet.
#[derive(Default)]
pub struct Started {
    /// The tools of calls that the host works on.
    running: HashMap<ToolCallId, u32>,
    /// Calls that wait until the host works on fewer calls.
    waiting: VecDeque<WaitingCall>,
}

impl Started {
    /// Drops all calls, because their run is over. Returns how many there were.
    pub fn drop_all(&mut self) -> u64 {
        let count = self.running.len() + self.waiting.len();
        self.running.clear();
        self.waiting.clear();
        count as u64
    }
}

/// The longest sleep of one call, in milliseconds.
const MAX_SLEEP_MS: f64 = i32::MAX as f64;

natives! {
    pub fn functions:
    "callTool" call_tool
    "startTool" start_tool
    "nextReply" next_reply
    "begin" begin
    "log" log
    "finalAnswer" final_answer
    "sleep" sleep
    "mount" mount_at
    "operations" operations
    "randomBytes" random
    "library" library
}

fn host(scope: &v8::PinScope) -> Option<Rc<Host>> {
    scope.get_slot::<Rc<Host>>().cloned()
}

fn is_asked(scope: &v8::PinScope) -> bool {
    scope.get_slot::<Arc<Signal>>().is_some_and(|signal| signal.is_raised())
}

fn own(scope: &v8::PinScope) -> Option<Rc<Own>> {
    scope.get_slot::<Rc<Own>>().cloned()
}

/// The tool and the arguments of a call, if there is such a tool. `None`: an exception is pending.
fn called<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    host: &Host,
    args: &Arguments<'s>,
) -> Option<(u32, v8::Local<'s, v8::Array>)> {
    let tool = args.get(0).uint32_value(scope).unwrap_or(u32::MAX);
    let Ok(list) = v8::Local::<v8::Array>::try_from(args.get(1)) else {
        throw(scope, "the arguments of a tool are an array");
        return None;
    };
    if !host.has_tool(tool) {
        throw(scope, "there is no such tool");
        return None;
    }
    Some((tool, list))
}

/// `callTool(id, args)`: waits for the tool's result and returns it. Also works while a run that has already produced
/// its answer unwinds, because `finally` and `with` may release resources of the host.
fn call_tool<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let (Some(host), Some(own)) = (host(scope), own(scope)) else { return };
    let Some((tool, list)) = called(scope, &host, &args) else { return };
    // The guest may call while a value is being written within a limit of memory.
    if let Some(value) = transfer::without_limit(|| call(scope, &host, &own, tool, list)) {
        returned.set(value);
    }
}

/// `startTool(id, args)`: begins a call and returns its number. `nextReply` returns its result later. If a function of
/// the host that is not async has its result immediately, returns an array with the result instead.
fn start_tool<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let (Some(host), Some(own)) = (host(scope), own(scope)) else { return };
    let Some((tool, list)) = called(scope, &host, &args) else { return };
    let Some((id, args)) = transfer::without_limit(|| numbered(scope, &host, tool, list)) else { return };
    let is_full = own.started.borrow().running.len() >= host.context.config().max_concurrent_tool_calls;
    let is_async = host.tools.borrow().is_async(&host.tool_name(tool));
    if is_full {
        own.started.borrow_mut().waiting.push_back(WaitingCall { number: id, tool, args });
        host.report_progress();
        returned.set_double(id as f64);
        return;
    }
    send(&host, id, tool, is_async, args);
    // A function that is not async may return a promise.
    let reply = if is_async { Some(ToolReply::Promise) } else { host.wait_for_reply(id) };
    let value = match reply {
        None => {
            if is_asked(scope) && !host.context.is_given_up() {
                throw(scope, "the run was interrupted");
            }
            return;
        }
        Some(ToolReply::Promise) => {
            own.started.borrow_mut().running.insert(id, tool);
            returned.set_double(id as f64);
            return;
        }
        Some(ToolReply::Error(error)) => return throw_error(scope, Some((id, tool)), error),
        Some(ToolReply::Value(value)) => read(scope, &host, &own, tool, id, value),
    };
    if let Some(value) = value {
        returned.set(v8::Array::new_with_elements(scope, &[value]).into());
    }
}

/// `nextReply(ms)`: waits for the next result of a started call, at most `ms` milliseconds if `ms` is not negative.
/// Returns the number of the call and its result, or `undefined` if there was none in time. Throws the error of a
/// failed call, with the number of the call.
fn next_reply<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let (Some(host), Some(own)) = (host(scope), own(scope)) else { return };
    let ms = args.get(0).number_value(scope).unwrap_or_default();
    let until = (ms >= 0.0).then(|| Instant::now() + Duration::from_secs_f64(ms.min(MAX_SLEEP_MS) / 1e3));
    let found = {
        let is_started = |id: ToolCallId| own.started.borrow().running.contains_key(&id);
        loop {
            match host.wait_for_any(is_started, until) {
                Some((_, ToolReply::Promise)) => {}
                found => break found,
            }
        }
    };
    let Some((id, reply)) = found else {
        if is_asked(scope) && !host.context.is_given_up() {
            throw(scope, "the run was interrupted");
        }
        return;
    };
    let tool = own.started.borrow_mut().running.remove(&id).unwrap_or_default();
    start_waiting(&host, &own);
    let value = match reply {
        ToolReply::Promise => return,
        ToolReply::Error(error) => return throw_error(scope, Some((id, tool)), error),
        ToolReply::Value(value) => read(scope, &host, &own, tool, id, value),
    };
    if let Some(value) = value {
        let id = v8::Number::new(scope, id as f64).into();
        returned.set(v8::Array::new_with_elements(scope, &[id, value]).into());
    }
}

/// Starts waiting calls as far as there is room.
fn start_waiting(host: &Host, own: &Own) {
    let started = &mut *own.started.borrow_mut();
    while started.running.len() < host.context.config().max_concurrent_tool_calls
        && let Some(WaitingCall { number, tool, args }) = started.waiting.pop_front()
    {
        started.running.insert(number, tool);
        send(host, number, tool, true, args);
    }
}

fn send(host: &Host, id: ToolCallId, tool: u32, is_async: bool, args: Values) {
    host.context.report(Event::ToolCalls(vec![ToolCall { id, tool, is_async, args, made: host.tool_calls() }]));
}

/// The number and the serialized arguments of a new call. `None`: an exception is pending, or the isolate is being
/// terminated.
fn numbered(
    scope: &mut v8::PinScope,
    host: &Host,
    tool: u32,
    args: v8::Local<v8::Array>,
) -> Option<(ToolCallId, Values)> {
    if !host.count_tool_call() {
        // The prelude ends the run when it sees the code of this error.
        let message = "the run makes too many tool calls".to_owned();
        throw_error(scope, None, bridge_error("Error", message, Some(ERR_TOOL_CALL_LIMIT_EXCEEDED)));
        return None;
    }
    let id = host.calls.borrow_mut().take_number();
    let limit = host.context.config().max_transfer_bytes;
    match write(scope, host, tool, args, limit) {
        Ok(args) => Some((id, args)),
        Err(error) => {
            throw_error(scope, Some((id, tool)), error?);
            None
        }
    }
}

/// `None`: an exception is pending, or the isolate is being terminated.
fn call<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    host: &Host,
    own: &Own,
    tool: u32,
    args: v8::Local<'s, v8::Array>,
) -> Option<v8::Local<'s, v8::Value>> {
    let (id, args) = numbered(scope, host, tool, args)?;
    send(host, id, tool, false, args);
    loop {
        let Some(reply) = host.wait_for_reply(id) else {
            if is_asked(scope) && !host.context.is_given_up() {
                // CPython raises a KeyboardInterrupt as soon as it continues.
                throw(scope, "the run was interrupted");
            }
            return None;
        };
        match reply {
            // The result of the promise follows.
            ToolReply::Promise => {}
            ToolReply::Error(error) => {
                throw_error(scope, Some((id, tool)), error);
                return None;
            }
            ToolReply::Value(value) => return read(scope, host, own, tool, id, value),
        }
    }
}

/// The serialized arguments, or the error that prevents their transfer. `Err(None)`: the guest is being terminated.
fn write(
    scope: &mut v8::PinScope,
    host: &Host,
    tool: u32,
    args: v8::Local<v8::Array>,
    limit: usize,
) -> Result<Values, Option<ToolError>> {
    v8::tc_scope!(let attempt, scope);
    let args = v8::Local::new(attempt, args);
    let refusal = match serialize::write_list(attempt, args, host.way(limit)) {
        Ok(args) => return Ok(args),
        Err(Unwritable::Thrown) if attempt.has_terminated() => return Err(None),
        Err(refusal) => refusal,
    };
    let reason = attempt.exception().map(|thrown| thrown.to_rust_string_lossy(attempt));
    let name = host.tool_name(tool);
    Err(Some(match refusal {
        Unwritable::TooLarge(bytes) => {
            let size = bytes.map_or_else(String::new, |bytes| format!(" {bytes} bytes,"));
            let message = format!("{name}: the arguments take{size} more than maxTransferBytes ({limit})");
            bridge_error("RangeError", message, Some(ERR_TRANSFER_LIMIT_EXCEEDED))
        }
        Unwritable::Thrown => {
            let reason = reason.unwrap_or_else(|| "the value cannot be cloned".to_owned());
            bridge_error("TypeError", format!("{name}: the arguments cannot cross to the host: {reason}"), None)
        }
    }))
}

fn read<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    host: &Host,
    own: &Own,
    tool: u32,
    id: ToolCallId,
    value: Value,
) -> Option<v8::Local<'s, v8::Value>> {
    let limit = host.context.config().max_transfer_bytes;
    let bytes = value.wire_bytes();
    if bytes > limit {
        let message =
            format!("{}: the result takes {bytes} bytes, more than maxTransferBytes ({limit})", host.tool_name(tool));
        throw_error(scope, Some((id, tool)), bridge_error("RangeError", message, Some(ERR_TRANSFER_LIMIT_EXCEEDED)));
        return None;
    }
    let value = {
        v8::tc_scope!(let attempt, scope);
        let value = serialize::read_value(attempt, &host.memory, value);
        if value.is_none() && attempt.has_terminated() {
            return None;
        }
        value
    };
    if value.is_none() {
        let message = format!("{}: the result is nested too deeply or too large for the guest", host.tool_name(tool));
        throw_error(scope, Some((id, tool)), bridge_error("RangeError", message, None));
    }
    if value.is_some_and(|value| value.is_object()) {
        own.facts.add_answered(tool);
    }
    value
}

fn bridge_error(name: &str, message: String, code: Option<&str>) -> ToolError {
    let code = code.map(|code| ErrorCode::Text(code.to_owned()));
    ToolError { name: name.to_owned(), message, code, bridge: true, details: None }
}

/// Throws an exception from which `guest.js` makes a Python error. `call`: the number of the call and its tool.
fn throw_error(scope: &mut v8::PinScope, call: Option<(ToolCallId, u32)>, mut error: ToolError) {
    let mut details = None;
    if let (Some((id, tool)), Some(host), Some(own)) = (call, host(scope), own(scope)) {
        let wire = error.details.take().filter(|wire| wire.len() <= host.context.config().max_transfer_bytes);
        details = wire.and_then(|wire| serialize::read_or_nothing(scope, &wire));
        own.facts.add_failed(id, host.tool_name(tool), error.clone());
    }
    let ToolError { name, message, code, bridge, .. } = error;
    let Some(message) = v8::String::new(scope, &message) else { return };
    let thrown = v8::Exception::error(scope, message);
    let Ok(object) = v8::Local::<v8::Object>::try_from(thrown) else { return };
    let code = match code {
        Some(ErrorCode::Text(code)) => v8::String::new(scope, &code).map(Into::into),
        Some(ErrorCode::Number(code)) => Some(v8::Number::new(scope, code).into()),
        None => None,
    };
    let fields = [
        ("name", v8::String::new(scope, &name).map(v8::Local::<v8::Value>::from)),
        ("code", code),
        ("call", call.map(|(id, _)| v8::Number::new(scope, id as f64).into())),
        ("bridge", Some(v8::Boolean::new(scope, bridge).into())),
        ("details", details),
    ];
    for (key, value) in fields {
        if let (Some(key), Some(value)) = (v8::String::new(scope, key), value) {
            object.create_data_property(scope, key.into(), value);
        }
    }
    scope.throw_exception(thrown);
}

/// `log(level, text)`: one entry of the log.
fn log<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    let level = args.get(0).uint32_value(scope).unwrap_or_default();
    if let (Some(host), Ok(message)) = (host(scope), args.get(1).try_into()) {
        Bridge::log(&*host, scope, level, message, 0);
    }
}

/// `finalAnswer(value)`: the result of the run, whatever it does later. Ignored once the run was asked to end.
fn final_answer<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    if let Some(host) = host(scope)
        && !is_asked(scope)
    {
        Bridge::final_answer(&*host, scope, args.get(0));
    }
}

/// `mount(path)`: mounts the folder of the session in the guest's file system.
fn mount_at<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    let Some(own) = own(scope) else { return };
    if !own.has_folder {
        return throw(scope, "the executor has no folder to mount");
    }
    let Some(folder) = own.folder.take() else { return throw(scope, "the folder is mounted already") };
    match folder.open() {
        // If it fails, an exception is pending.
        Ok(folder) => drop(mount::mount(scope, &own.shell, folder, args.get(0))),
        Err(reason) => throw(scope, &reason),
    }
}

/// `begin()`: code of the guest begins to run.
fn begin<'s>(scope: &mut v8::PinScope<'s, '_>, _: Arguments<'s>, _: Returned<'s>) {
    if let Some(own) = own(scope) {
        own.facts.note_begin();
    }
}

/// `library(bytes)`: a WebAssembly module that packages may load.
fn library<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, mut returned: Returned<'s>) {
    let Some(libraries) = scope.get_slot::<Rc<Libraries>>().cloned() else { return };
    let Ok(view) = v8::Local::<v8::ArrayBufferView>::try_from(args.get(0)) else {
        return throw(scope, "a library is a view of its bytes");
    };
    let mut storage = [0; v8::TYPED_ARRAY_MAX_SIZE_IN_HEAP];
    match libraries.module(scope, view.get_contents(&mut storage)) {
        Ok(module) => returned.set(module.into()),
        Err(reason) => throw(scope, &format!("the module of WebAssembly is refused: {reason}")),
    }
}

/// `operations(count)`: the number of operations that the run has taken.
fn operations<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    let count = args.get(0).number_value(scope).unwrap_or_default();
    if let Some(host) = host(scope)
        && let Some(run) = host.run.borrow_mut().as_mut()
    {
        run.operations = count.max(0.0);
    }
}

/// `sleep(ms)`: returns early if the run is asked to end.
fn sleep<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'s>, _: Returned<'s>) {
    let ms = args.get(0).number_value(scope).unwrap_or_default();
    if let Some(host) = host(scope) {
        // Also handles NaN.
        let ms = if ms > 0.0 { ms.min(MAX_SLEEP_MS) } else { 0.0 };
        let until = Instant::now() + Duration::from_secs_f64(ms / 1e3);
        while !is_asked(scope) && host.wait_until(until) {}
        session_clock::pass(ms);
    }
}
