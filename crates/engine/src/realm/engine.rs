//! One isolate and its realm in a session: takes commands one after the other.

use std::rc::Rc;
use std::sync::Arc;

use deno_core::v8;

use crate::bridge::host::Host;
use crate::bridge::interface::Bridge;
use crate::bridge::serialize;
use crate::executor::job::Job;
use crate::executor::mailbox::Receiver;
use crate::executor::messages::Command;
use crate::executor::session::Shared;
use crate::executor::stats::LiveIsolate;
use crate::memory::limits::MemoryGuard;
use crate::realm::boot::Booted;
use crate::realm::evaluate::evaluate;
use crate::realm::exceptions;
use crate::realm::instance::Instance;
use crate::realm::interrupt::Interrupt;
use crate::realm::scripts::Script;
use ses_prepare::{self as prepare, Observed, PrepareOptions, Program};
use ses_protocol::{Failure, FailureKind, Outcome, Success, ToolSpec, Values};
use ses_transfer::Plain;

/// Wires of variables that are installed after the call: what is smaller is not worth another wake-up, and what is larger
/// would take too long.
const MIN_SENT_BYTES: usize = 64 << 10;
const MAX_SENT_BYTES: usize = 4 << 20;
/// Why variables cannot be made.
const TOO_LARGE: &str = "the variables are nested too deeply or too large for the guest";
/// Nesting for which V8's stack certainly suffices.
const MAX_SENT_DEPTH: usize = 500;

/// A program that was not prepared before.
struct NewProgram {
    script: Rc<Script>,
    options: PrepareOptions,
    program: Arc<Program>,
}

/// Variables, and the wire of their values, which is plain.
struct Sent {
    names: Vec<String>,
    wire: Vec<u8>,
}

/// The isolate of one executor, on the executor's thread.
pub struct Engine {
    host: Rc<Host>,
    runs: u64,
    new_program: Option<NewProgram>,
    observed: Observed,
    /// Variables that the host was told the guest has.
    sent: Option<Sent>,
    // Dropped in this order: the isolate calls the guard back until it is gone.
    instance: Instance,
    memory: Box<MemoryGuard>,
    live: Option<LiveIsolate>,
}

impl Engine {
    /// Gives the calling thread's isolate to a session.
    pub fn new(booted: Booted, shared: Arc<Shared>, inbox: Receiver<Command>, live: LiveIsolate) -> Self {
        let Booted { realm, buffers, mut instance, memory } = booted;
        let host = Rc::new(Host::new(shared, inbox, buffers));
        let isolate = &mut instance.isolate;
        isolate.set_slot::<Rc<dyn Bridge>>(host.clone());
        isolate.set_promise_reject_callback(on_promise_reject);
        isolate.set_host_import_module_dynamically_callback(refuse_import);
        isolate.set_slot(host.clone());
        // Set once, here.
        let _ = host.realm.set(realm);
        let _ = host.interrupt.set(Interrupt::new(isolate));
        let observed = Observed::default();
        Self { host, runs: 0, new_program: None, observed, sent: None, instance, memory, live: Some(live) }
    }

    /// The isolate is about to be dropped, and no longer counts as live.
    pub fn retire(&mut self) {
        self.live = None;
    }

    /// The next command; waits. `None` when the session was given up.
    pub fn next_command(&self) -> Option<Command> {
        self.host.next_command()
    }

    /// Defines variables in the realm. The second value: whether the isolate is sound.
    pub fn set_variables(&mut self, names: &[String], values: Values) -> (Outcome, bool) {
        let limit = self.host.shared.config.max_transfer_bytes;
        let bytes = values.wire_bytes();
        if bytes > limit {
            let failure = Failure::transfer_limit(limit, Some(bytes)).with("value", "variables");
            return (Outcome::failed(failure), true);
        }
        let values = match values {
            Values::Wire(wire) if self.can_install_later(names, &wire) => {
                self.sent = Some(Sent { names: names.to_vec(), wire });
                return (Outcome::done(), true);
            }
            values => values,
        };
        self.set_up(TOO_LARGE, |scope, host| {
            let values = serialize::read_values(scope, &host.memory, values)?;
            host.realm.get()?.set_variables(scope, names, values, false)
        })
    }

    /// Whether variables can be made after the call, so that the host goes on meanwhile. Only if nothing in it can fail, and if
    /// it is soon done.
    fn can_install_later(&mut self, names: &[String], wire: &[u8]) -> bool {
        if !(MIN_SENT_BYTES..=MAX_SENT_BYTES).contains(&wire.len()) {
            return false;
        }
        let Some(Plain { depth, heap_bytes }) = Plain::of(wire) else { return false };
        let heap = self.instance.isolate.get_heap_statistics().used_heap_size();
        let used = heap + self.host.memory.outside() + heap_bytes;
        depth <= MAX_SENT_DEPTH && used <= self.host.shared.config.memory_limit_bytes / 2 && self.can_define(names)
    }

    /// Whether the guest's global takes variables of these names.
    fn can_define(&mut self, names: &[String]) -> bool {
        v8::scope_with_context!(scope, &mut self.instance.isolate, &self.instance.context);
        v8::tc_scope!(let attempt, scope);
        self.host.realm.get().and_then(|realm| realm.can_define(attempt, names)).unwrap_or(false)
    }

    /// Whether [`Self::install_sent`] is due.
    pub fn has_sent(&self) -> bool {
        self.sent.is_some()
    }

    /// Installs what [`Self::set_variables`] has left for later. If that fails, the session cannot go on: the host was told that
    /// the guest has the variables.
    pub fn install_sent(&mut self) -> Result<(), Failure> {
        let Some(Sent { names, wire }) = self.sent.take() else { return Ok(()) };
        let (Outcome { result, .. }, sound) = self.set_up(TOO_LARGE, |scope, host| {
            let values = serialize::read_plain(scope, &wire)?;
            host.realm.get()?.set_variables(scope, &names, values, true)
        });
        if sound { result.map(drop) } else { Err(self.memory.failure()) }
    }

    /// Defines tools in the realm.
    pub fn set_tools(&mut self, tools: Vec<ToolSpec>) -> (Outcome, bool) {
        self.host.tools.borrow_mut().add(&tools);
        self.set_up("the tools could not be defined", |scope, host| host.realm.get()?.install_tools(scope, &tools))
    }

    /// VALIDATE, TRANSFORM, EVALUATE, NORMALIZE_OUTPUT for one run.
    pub fn run(&mut self, job: &Arc<Job>, code: String) -> (Outcome, bool) {
        let Some(limits) = job.limits else { return (Outcome::done(), true) };
        let options =
            PrepareOptions::of(&self.host.shared.config, limits.language, limits.max_operations, limits.timeout_ms);
        let kept = prepare::kept(&code, &options).filter(|program| program.suits(&self.observed));
        let is_new = kept.is_none();
        let prepare = || prepare::prepare_for(&self.observed, &code, &options).map(Arc::new);
        let program = match kept.map_or_else(prepare, Ok) {
            Ok(program) => program,
            Err(diagnostics) => return (Outcome::failed(Failure::from_diagnostics(&diagnostics)), true),
        };
        self.observed.add(&program.lookups);
        self.runs += 1;
        let name = format!("step-{}.js", self.runs);
        let script = self.host.scripts.borrow_mut().add(name, code, program.positions.clone());
        if is_new {
            self.new_program = Some(NewProgram { script: script.clone(), options, program: program.clone() });
        }
        let window = self.host.begin(job.clone(), limits.max_operations);
        let host = self.host.clone();
        let mut result = {
            v8::scope_with_context!(scope, &mut self.instance.isolate, &self.instance.context);
            let begun = {
                v8::tc_scope!(let attempt, scope);
                host.realm.get().and_then(|realm| realm.begin(attempt, window, limits.max_operations))
            };
            let result = match begun {
                Some(()) => evaluate(scope, &host, &self.memory, &script, &program),
                None => Err(Failure::new(FailureKind::Runtime { cause: "the realm could not begin a run".to_owned() })),
            };
            drop_remains(scope, &host);
            drop_microtasks(scope, &host);
            result
        };
        result = result.map_err(|failure| match failure.details.contains_key("diagnostics") {
            // V8 found an early error, which is why the program did not run.
            true => failure,
            false if program.diagnostics.is_empty() => failure,
            false => failure.with_diagnostics(&program.diagnostics),
        });
        if result.is_ok() && self.memory.is_over(&mut self.instance.isolate) {
            result = Err(self.memory.failure());
        }
        let sound = self.recover();
        (Outcome { result, report: None }, sound)
    }

    /// Keeps the program of the last run for the next time. Nobody has to wait for that, so it comes after the run is
    /// settled.
    pub fn keep_program(&mut self) {
        if let Some(NewProgram { script, options, program }) = self.new_program.take() {
            prepare::keep(&script.source, &options, &program);
        }
    }

    /// Adds what a run leaves to its outcome. Called by the thread that claimed the job.
    pub fn with_report(&mut self, mut outcome: Outcome, job: &Job) -> Outcome {
        let heap = self.instance.isolate.get_heap_statistics().used_heap_size();
        outcome.report = job.report(heap as f64);
        outcome
    }

    fn set_up(
        &mut self,
        cause: &str,
        work: impl FnOnce(&mut v8::PinScope, &Host) -> Option<Vec<String>>,
    ) -> (Outcome, bool) {
        let host = self.host.clone();
        let done = {
            v8::scope_with_context!(scope, &mut self.instance.isolate, &self.instance.context);
            v8::tc_scope!(let attempt, scope);
            match work(attempt, &host) {
                Some(refused) if refused.is_empty() => Ok(Success::Done),
                Some(refused) => {
                    let cause = format!("guest code has fixed its global object, which lacks {}", refused.join(", "));
                    Err(Failure::new(FailureKind::Tool { cause }).with("bridge", true).with("names", refused))
                }
                None => {
                    let thrown = attempt.exception();
                    let reason = thrown.map(|thrown| exceptions::brief(attempt, &host, thrown));
                    let failure = Failure::new(FailureKind::Tool { cause: cause.to_owned() }).with("bridge", true);
                    Err(match reason {
                        Some(reason) => failure.with("reason", reason),
                        None => failure,
                    })
                }
            }
        };
        let result = if self.memory.is_exceeded() { Err(self.memory.failure()) } else { done };
        let sound = self.recover();
        (Outcome { result, report: None }, sound)
    }

    /// Whether the isolate can take the next command, after a collection if it had run out of memory.
    fn recover(&mut self) -> bool {
        if !self.memory.is_exceeded() {
            return true;
        }
        let isolate = &mut self.instance.isolate;
        self.memory.recover(isolate)
    }
}

/// Drops what belonged to the run and remarks on what was left.
fn drop_remains(scope: &mut v8::PinScope, host: &Host) {
    v8::tc_scope!(let attempt, scope);
    let rejections = host.run.borrow_mut().as_mut().map(|run| std::mem::take(&mut run.rejections));
    for promise in rejections.unwrap_or_default() {
        let promise = v8::Local::new(attempt, promise);
        let reason = promise.result(attempt);
        let text = exceptions::brief(attempt, host, reason);
        host.warn(format!("Unhandled promise rejection: {text}"));
    }
    let dropped = host.calls.borrow_mut().drop_all();
    if !dropped.is_empty() {
        let mut names: Vec<String> = dropped.iter().map(|&tool| host.tool_name(tool)).collect();
        let count = names.len();
        names.dedup();
        host.warn(format!(
            "{count} tool call{} not awaited and dropped when the run ended: {}",
            if count == 1 { " was" } else { "s were" },
            names.join(", ")
        ));
    }
}

/// Ends the run and drops the microtasks that it has left, because it was stopped or because the host has read a getter, so that
/// nothing of it goes on in the next one. V8 forgets them when it is terminated while it runs them.
fn drop_microtasks(scope: &mut v8::PinScope, host: &Host) {
    // Native ones may run all the same: without a run under way they reach neither log nor tools.
    host.run.borrow_mut().take();
    scope.terminate_execution();
    {
        v8::tc_scope!(let attempt, scope);
        attempt.perform_microtask_checkpoint();
    }
    if !host.shared.is_abandoned() {
        scope.cancel_terminate_execution();
    }
}

/// Remembers rejections that nobody handles, for a remark at the end of the run.
unsafe extern "C" fn on_promise_reject(message: v8::PromiseRejectMessage) {
    // SAFETY: V8 calls this on the isolate's thread, with a message that lives as long as the call.
    v8::callback_scope!(unsafe scope, &message);
    let Some(host) = scope.get_slot::<Rc<Host>>().cloned() else { return };
    let promise = v8::Global::new(scope, message.get_promise());
    match message.get_event() {
        v8::PromiseRejectEvent::PromiseRejectWithNoHandler => host.add_rejection(promise),
        v8::PromiseRejectEvent::PromiseHandlerAddedAfterReject => host.remove_rejection(&promise),
        _ => {}
    }
}

/// TRANSFORM replaces every `import()`; one that reaches V8 is refused.
fn refuse_import<'s, 'i>(
    _scope: &mut v8::PinScope<'s, 'i>,
    _options: v8::Local<'s, v8::Data>,
    _referrer: v8::Local<'s, v8::Value>,
    _specifier: v8::Local<'s, v8::String>,
    _attributes: v8::Local<'s, v8::FixedArray>,
) -> Option<v8::Local<'s, v8::Promise>> {
    None
}
