//! EVALUATE and NORMALIZE_OUTPUT (specification, sections 2.2 and 7.2).

use std::rc::Rc;

use deno_core::v8;
use v8::script_compiler::{self, CachedData, CompileOptions, NoCacheReason, Source};

use crate::bridge::output::write_output;
use crate::bridge::tools;
use crate::errors::{early_errors, error_texts, exceptions, positions};
use crate::memory::limits::MemoryGuard;
use crate::platform::session_clock;
#[cfg(target_os = "linux")]
use crate::platform::tiers;
use crate::state::host::{Exceeded, Host, Run, Verdict};
use crate::state::origin::origin;
use crate::state::scripts::Script;
use crate::values::serialize::Unwritable;
use ses_hints::run_outcomes;
use ses_prepare::{Form, Program, code_frame, module_name};
use ses_protocol::{Command, Diagnostic, Failure, FailureKind, MAX_OPERATIONS, Severity, Success, Value};

/// The largest program, in UTF-16 units, that is compiled together with all its functions.
const MAX_EAGER_UNITS: usize = 1 << 15;

/// How guest code ended.
enum Ending<'s> {
    Value(v8::Local<'s, v8::Value>),
    Thrown(v8::Local<'s, v8::Value>),
    /// `Host::run` has the verdict.
    Verdict,
    /// The isolate was terminated: by the memory guard, or because the session was given up.
    Terminated,
}

/// The compiled form of a program.
#[derive(Default)]
pub struct Compiled {
    /// `None` if its bytecode is already cached.
    pub script: Option<v8::Global<v8::UnboundScript>>,
    /// `None` if the program is not a function. If the function exists before the run, it is called again.
    pub function: Option<v8::Global<v8::Function>>,
}

/// Runs `program`, the prepared form of `script`. The caller has begun the run in `host`.
pub fn evaluate(
    scope: &mut v8::PinScope,
    host: &Rc<Host>,
    memory: &MemoryGuard,
    script: &Script,
    program: &Program,
    compiled: &mut Compiled,
) -> Result<Success, Failure> {
    #[cfg(target_os = "linux")]
    tiers::set_runs_guest_code(true);
    let started = start(scope, host, script, program, compiled);
    let ending = started.map(|promise| match promise {
        Some(promise) => settle(scope, host, memory, promise),
        None => Ending::Terminated,
    });
    #[cfg(target_os = "linux")]
    tiers::set_runs_guest_code(false);
    let ending = ending?;
    let is_out_of_memory = memory.is_exceeded();
    if host.terminated.replace(false) || is_out_of_memory || host.is_stopped() {
        // This thread stopped the guest: no guest frame is left, so the realm can go on.
        host.cancel_termination(scope);
    }
    // Done before the output is read, so that its getters run in a realm without a signal. If a run has exhausted the
    // memory, its declarations are dropped, because they are likely to be what fills the memory.
    finish(scope, host, is_out_of_memory);
    let result = normalize(scope, host, script, ending);
    if memory.is_exceeded() { Err(memory.failure()) } else { result }
}

/// Runs the program up to its first wait. `None`: the isolate is being terminated.
fn start<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    host: &Host,
    script: &Script,
    program: &Program,
    compiled: &mut Compiled,
) -> Result<Option<v8::Local<'s, v8::Promise>>, Failure> {
    v8::tc_scope!(let attempt, scope);
    let value = if let Some(function) = &compiled.function {
        let function = v8::Local::new(attempt, function);
        call(attempt, function)
    } else {
        let Some(fresh) = compile_program(attempt, host, script, program)? else { return Ok(None) };
        if program.bytecode.get().is_none() {
            let unbound = fresh.get_unbound_script(attempt);
            compiled.script = Some(v8::Global::new(attempt, unbound));
        }
        let value = fresh.run(attempt);
        if program.form == Form::Script {
            value
        } else {
            let function = value.and_then(|function| v8::Local::<v8::Function>::try_from(function).ok());
            compiled.function = function.map(|function| v8::Global::new(attempt, function));
            function.and_then(|function| call(attempt, function))
        }
    };
    let thrown = attempt.exception().filter(|_| !attempt.has_terminated());
    attempt.reset();
    Ok(match value {
        Some(promise) if program.form == Form::AsyncFunction => promise.try_into().ok(),
        Some(value) => promise_of(attempt, Ok(value)),
        None => thrown.and_then(|thrown| promise_of(attempt, Err(thrown))),
    })
}

fn call<'s>(scope: &mut v8::PinScope<'s, '_>, function: v8::Local<v8::Function>) -> Option<v8::Local<'s, v8::Value>> {
    let receiver = v8::undefined(scope).into();
    function.call(scope, receiver, &[])
}

/// Compiles the program. `None`: the isolate is being terminated.
fn compile_program<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    host: &Host,
    script: &Script,
    program: &Program,
) -> Result<Option<v8::Local<'s, v8::Script>>, Failure> {
    let too_large = || Failure::new(FailureKind::Runtime { cause: "RangeError: the program is too large".to_owned() });
    let text = v8::String::new(scope, &program.code).ok_or_else(too_large)?;
    let name = v8::String::new(scope, &script.resource_name).ok_or_else(too_large)?;
    let origin = origin(scope, name, false);
    v8::tc_scope!(let attempt, scope);
    if program.is_doubtful
        && let Some(error) = early_errors::of_program(attempt, &script.source)
    {
        return Err(refused(&[error.diagnostic(&script.source)], &script.source));
    }
    let bytecode = program.bytecode.get();
    if let Some(compiled) = compile(attempt, text, &origin, bytecode.map(|bytes| &**bytes)) {
        return Ok(Some(compiled));
    }
    if attempt.has_terminated() {
        return Ok(None);
    }
    let at = attempt.message().and_then(|message| {
        let line = message.get_line_number(attempt)? as u32;
        script.original(line, message.get_start_column() as u32 + 1)
    });
    let message = attempt.exception().map(|thrown| error_texts::message(attempt, host, thrown));
    let reason = early_errors::diagnostic(message.unwrap_or_default(), at, &script.source);
    Err(refused(&[reason], &script.source))
}

/// The promise that an async function would have returned. `None`: the isolate is being terminated.
fn promise_of<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    outcome: Result<v8::Local<'s, v8::Value>, v8::Local<'s, v8::Value>>,
) -> Option<v8::Local<'s, v8::Promise>> {
    let resolver = v8::PromiseResolver::new(scope)?;
    match outcome {
        // This reads the `then` of a guest value.
        Ok(value) => resolver.resolve(scope, value)?,
        Err(thrown) => resolver.reject(scope, thrown)?,
    };
    Some(resolver.get_promise(scope))
}

/// Compiles a program. A short program is compiled immediately with all its functions: parsing each function again at
/// its first call would take longer. V8 reads `bytecode` that another isolate has made from the same source, or
/// compiles the source if it cannot use the bytecode.
fn compile<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    text: v8::Local<v8::String>,
    origin: &v8::ScriptOrigin,
    bytecode: Option<&[u8]>,
) -> Option<v8::Local<'s, v8::Script>> {
    if let Some(bytecode) = bytecode {
        let mut source = Source::new_with_cached_data(text, Some(origin), CachedData::new(bytecode));
        let (options, reason) = (CompileOptions::ConsumeCodeCache, NoCacheReason::NoReason);
        return script_compiler::compile(scope, &mut source, options, reason);
    }
    if text.length() <= MAX_EAGER_UNITS {
        v8::tc_scope!(let attempt, scope);
        let (options, reason) = (CompileOptions::EagerCompile, NoCacheReason::NoReason);
        let script = script_compiler::compile(attempt, &mut Source::new(text, Some(origin)), options, reason);
        if script.is_some() || attempt.has_terminated() {
            return script;
        }
        // The stack may be too small for all functions together, but large enough for those that are called. An error
        // would be the same again.
    }
    v8::Script::compile(scope, text, Some(origin))
}

/// The failure for code that is refused, with the lines around the first ERROR.
pub fn refused(diagnostics: &[Diagnostic], source: &str) -> Failure {
    let failure = Failure::from_diagnostics(diagnostics);
    let first = diagnostics.iter().find(|diagnostic| matches!(diagnostic.severity, Severity::Error));
    match first.and_then(|first| Some((first, first.location?))) {
        Some((first, at)) => failure.with("codeFrame", code_frame(source, at, &first.message)),
        None => failure,
    }
}

/// Runs microtasks and receives answers of tools until the run has ended.
fn settle<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    host: &Host,
    memory: &MemoryGuard,
    promise: v8::Local<'s, v8::Promise>,
) -> Ending<'s> {
    let mut awaited = promise;
    let mut declared = None;
    // The guest's handlers cannot be distinguished from ours. This only marks the promise as handled.
    awaited.mark_as_handled();
    loop {
        {
            v8::tc_scope!(let attempt, scope);
            attempt.perform_microtask_checkpoint();
        }
        if memory.is_exceeded() || host.context.is_given_up() || host.is_stopped() {
            return Ending::Terminated;
        }
        match final_promise(scope, host) {
            FinalAnswer::Promise(promise) if promise != awaited => {
                (awaited, declared) = (promise, None);
                awaited.mark_as_handled();
                continue;
            }
            FinalAnswer::Promise(_) | FinalAnswer::None => {}
            FinalAnswer::Recorded => return Ending::Verdict,
        }
        match awaited.state() {
            v8::PromiseState::Fulfilled => {
                let result = awaited.result(scope);
                let realm = host.realm.get();
                let fresh = || realm.and_then(|realm| realm.take_declared(scope, result));
                let Some(value) = declared.or_else(fresh) else { return Ending::Value(result) };
                declared = Some(value);
                if take_turn(scope, host) {
                    continue;
                }
                if let Some(ending) = of_declared(scope, host, value) {
                    return ending;
                }
            }
            v8::PromiseState::Rejected => return Ending::Thrown(awaited.result(scope)),
            v8::PromiseState::Pending => {
                if take_turn(scope, host) {
                    continue;
                }
            }
        }
        let mut next = host.next_answer();
        if next.is_none() {
            return Ending::Terminated;
        }
        // Takes all available answers before guest code goes on.
        while let Some(command) = next {
            if let Command::ToolReplies { replies, now_ms } = command {
                session_clock::set_now(now_ms);
                for (call, reply) in replies {
                    v8::scope!(let handles, scope);
                    v8::tc_scope!(let attempt, handles);
                    tools::on_reply(attempt, host, call, reply);
                }
            }
            // A turn of a deterministic session is one list of answers.
            if session_clock::is_deterministic() {
                break;
            }
            // Only a request to check the state can arrive in addition while a run is under way.
            next = host.ready_command();
        }
    }
}

/// Lets a timer have its turn. Returns false if none is due. The host will then wake the guest for the next one.
fn take_turn(scope: &mut v8::PinScope, host: &Host) -> bool {
    if host.context.config().services.is_empty() {
        return false;
    }
    v8::tc_scope!(let attempt, scope);
    let has_turned = host.realm.get().and_then(|realm| realm.turn(attempt));
    // The caller looks why the guest was terminated.
    has_turned.unwrap_or_else(|| attempt.has_terminated())
}

/// The ending of a program whose last statement has declared `value`. A promise is not awaited, because it lives on. If
/// it is rejected without a handler, the log reports that. Only tool calls are awaited, because they end with the run:
/// `None`.
fn of_declared<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    host: &Host,
    value: v8::Local<'s, v8::Value>,
) -> Option<Ending<'s>> {
    let Ok(promise) = v8::Local::<v8::Promise>::try_from(value) else { return Some(Ending::Value(value)) };
    match promise.state() {
        v8::PromiseState::Fulfilled => Some(Ending::Value(promise.result(scope))),
        v8::PromiseState::Rejected => Some(Ending::Value(v8::undefined(scope).into())),
        v8::PromiseState::Pending => host.calls.borrow().is_empty().then_some(Ending::Value(value)),
    }
}

enum FinalAnswer<'s> {
    None,
    /// The verdict needs no further guest code.
    Recorded,
    /// `final_answer` got a promise, which is awaited.
    Promise(v8::Local<'s, v8::Promise>),
}

fn final_promise<'s>(scope: &mut v8::PinScope<'s, '_>, host: &Host) -> FinalAnswer<'s> {
    let run = host.run.borrow();
    match run.as_ref().and_then(|run| run.verdict.as_ref()) {
        None => FinalAnswer::None,
        Some(Verdict::FinalPromise(promise)) => FinalAnswer::Promise(v8::Local::new(scope, promise)),
        Some(_) => FinalAnswer::Recorded,
    }
}

/// Settles which names of the run remain, and counts the run's iterations.
fn finish(scope: &mut v8::PinScope, host: &Host, forget_declared: bool) {
    v8::tc_scope!(let attempt, scope);
    let realm = host.realm.get();
    let mut left = realm.and_then(|realm| realm.finish(attempt, forget_declared));
    if left.is_none() && host.is_stopped() {
        // The guest was stopped here. The attempt is repeated, because otherwise names would refer to variables without
        // a value.
        attempt.reset();
        host.cancel_termination(attempt);
        left = realm.and_then(|realm| realm.finish(attempt, forget_declared));
    }
    if left.is_some_and(|left| left < 0.0) {
        // The guard that detected this had no stack left to report it.
        host.exceed_limit(None);
    }
    if let (Some(left), Some(run)) = (left, host.run.borrow_mut().as_mut()) {
        // The budget of a run without a limit.
        let budget = run.max_operations.min(MAX_OPERATIONS.max);
        run.operations = budget - left.clamp(0.0, budget);
    }
}

/// The outcome of a run that ended in `ending`.
fn normalize(scope: &mut v8::PinScope, host: &Host, script: &Script, ending: Ending) -> Result<Success, Failure> {
    if let Some(recorded) = recorded(scope, host, Some(script)) {
        return recorded;
    }
    // The promise that has ended is the one that was given to `final_answer`.
    let is_final_answer = host.run.borrow_mut().as_mut().is_some_and(|run| run.verdict.take().is_some());
    match ending {
        Ending::Value(value) => written(scope, host, value, is_final_answer),
        Ending::Thrown(thrown) => Err(exceptions::failure(scope, host, thrown, script)),
        Ending::Verdict | Ending::Terminated => Err(terminated()),
    }
}

/// The code that terminated the guest has the actual failure, which replaces this one.
fn terminated() -> Failure {
    Failure::new(FailureKind::Runtime { cause: "the run was terminated".to_owned() })
}

/// The failure for `exceeded`: with the module that was being loaded, or with the loop of `script`.
fn limit_exceeded(scope: &mut v8::PinScope, script: Option<&Script>, exceeded: Exceeded) -> Failure {
    let Exceeded { limit, module, at } = exceeded;
    let failure = Failure::new(FailureKind::MaxOperations { limit }).with("maxOperations", limit);
    if let Some(module) = module {
        let module = module_name(&module);
        let hint = run_outcomes::limit_in_module(&module);
        return failure.with("module", module).with("hint", hint);
    }
    let (Some(script), Some(trace)) = (script, at.map(|trace| v8::Local::new(scope, trace))) else { return failure };
    let Some(at) = positions::position_in_trace(scope, trace, script) else { return failure };
    let frame = code_frame(&script.source, at, "the limit of iterations is exceeded here");
    failure.with("line", at.line).with("column", at.column).with("codeFrame", frame)
}

/// The outcome that was recorded while the run went on and that needs no further guest code. `script`: the run's, if it
/// has one.
pub fn recorded(scope: &mut v8::PinScope, host: &Host, script: Option<&Script>) -> Option<Result<Success, Failure>> {
    let is_decided = |run: &mut Run| run.verdict.take_if(|verdict| verdict.is_decided());
    let verdict = host.run.borrow_mut().as_mut().and_then(is_decided)?;
    Some(match verdict {
        Verdict::MaxOperations(exceeded) => Err(limit_exceeded(scope, script, exceeded)),
        Verdict::ToolCallLimit => {
            let limit = host.context.config().max_tool_calls;
            Err(Failure::new(FailureKind::ToolCallLimit { limit }).with("maxToolCalls", limit))
        }
        Verdict::Final(value) => output(host, value, true),
        Verdict::FinalLate(value) => {
            let value = v8::Local::new(scope, value);
            written(scope, host, value, true)
        }
        Verdict::Recording | Verdict::FinalPromise(_) => return None,
    })
}

/// A run's success with this output.
pub fn written(
    scope: &mut v8::PinScope,
    host: &Host,
    value: v8::Local<v8::Value>,
    is_final_answer: bool,
) -> Result<Success, Failure> {
    let value = write_output(scope, host, value);
    output(host, value, is_final_answer)
}

/// A run's success with this output. If the value could not be written at all, the output is `undefined`, unless the
/// run was to end meanwhile.
fn output(host: &Host, value: Result<Value, Unwritable>, is_final_answer: bool) -> Result<Success, Failure> {
    match value {
        Ok(value) => Ok(Success::Output { value, is_final_answer }),
        Err(Unwritable::Thrown) if host.is_stopped() => Err(terminated()),
        Err(Unwritable::Thrown) => Ok(Success::Output { value: Value::Undefined, is_final_answer }),
        Err(Unwritable::TooLarge(bytes)) => {
            Err(Failure::transfer_limit(host.context.config().max_transfer_bytes, bytes).with("value", "output"))
        }
    }
}
