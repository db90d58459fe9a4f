//! One isolate and its realm in a session. Executes commands one after the other.

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use deno_core::v8;

use crate::bridge::interface::Bridge;
use crate::bridge::modules;
use crate::bridge::tools;
use crate::control::interrupt::Interrupt;
use crate::errors::error_texts;
use crate::errors::exceptions;
use crate::memory::locks;
#[cfg(target_os = "linux")]
use crate::platform::compile_thread;
use crate::platform::idle;
use crate::platform::session_random;
use crate::realm::boot::{Booted, Guarded};
use crate::realm::evaluate::{Compiled, evaluate, refused};
use crate::realm::instance::Instance;
use crate::realm::reruns::Reruns;
use crate::state::context::GuestContext;
use crate::state::host::Host;
use crate::state::scripts::{Script, program_name};
use crate::values::serialize;
use ses_hints::run_outcomes;
use ses_prepare::{self as prepare, Observed, PrepareOptions, Program, Programs};
use ses_protocol::{
    Command, Config, Event, Failure, FailureKind, Figures, JobId, RunLimits, Success, ToolSpec, Values,
};

/// The message if variables cannot be made.
const TOO_LARGE: &str = "the variables are nested too deeply or too large for the guest";
/// The least source size for which bytecode is cached. Writing it takes a millisecond, and the next run waits for it.
/// 64 KiB.
const MAX_BYTECODE_CODE: usize = 64 << 10;

/// A session without commands for this time is idle.
const SOON: Duration = Duration::from_millis(20);
/// The same for memory that the next run would have to allocate again if it is like the last one.
const LATER: Duration = Duration::from_secs(1);

/// A program that is to be cached, with results of V8 that are not cached yet.
struct LastProgram {
    script: Rc<Script>,
    options: PrepareOptions,
    program: Arc<Program>,
    /// Whether it was prepared before, so it has run at least twice.
    is_kept: bool,
    compiled: Compiled,
}

/// The outcome of a job.
struct JobResult {
    result: Result<Success, Failure>,
    figures: Figures,
    /// The isolate can take the next one.
    sound: bool,
}

/// The isolate of one session, on its thread.
pub struct Guest {
    host: Rc<Host>,
    runs: u64,
    /// Number of commands that were executed.
    commands: u64,
    /// The session was idle, and has returned its unneeded memory to the system.
    has_given_back: bool,
    last_program: Option<Box<LastProgram>>,
    observed: Observed,
    programs: Arc<Programs>,
    reruns: Box<Reruns>,
    guarded: Guarded,
}

impl Guest {
    /// Gives the calling thread's isolate to a session.
    pub fn new(booted: Booted, context: Rc<dyn GuestContext>, programs: Arc<Programs>) -> Self {
        let Booted { realm, buffers, stop, mut guarded } = booted;
        let host = Rc::new(Host::new(context, buffers, stop));
        let isolate = &mut guarded.instance.isolate;
        idle::begin(isolate);
        isolate.set_slot::<Rc<dyn Bridge>>(host.clone());
        isolate.set_promise_reject_callback(on_promise_reject);
        isolate.set_host_import_module_dynamically_callback(refuse_import);
        isolate.set_slot(host.clone());
        // Set only here.
        let _ = host.realm.set(realm);
        let _ = host.interrupt.set(Interrupt::new(isolate));
        if !host.context.config().globals.is_empty() {
            install_globals(&mut guarded.instance, &host);
        }
        // A terminated run hands nothing over, so its declarations must be on the global from the start.
        let keeps = host.context.config().keep_state;
        let observed = if keeps { Observed::everything() } else { Observed::default() };
        Self {
            host,
            runs: 0,
            commands: 0,
            has_given_back: false,
            last_program: None,
            observed,
            programs,
            reruns: Box::default(),
            guarded,
        }
    }

    /// Executes commands one after the other, until the session is given up or the isolate is lost.
    pub fn serve_session(&mut self) {
        while let Some(command) = self.host.next_command() {
            let (job, done) = match command {
                Command::SetVariables { job, names, values } => (job, self.set_variables(&names, values)),
                Command::SetTools { job, tools } => (job, self.set_tools(tools)),
                Command::Run { job, code, limits } => (job, self.run(job, code, limits)),
                // V8 cannot copy a heap that has run.
                Command::Checkpoint { job } | Command::Restore { job, .. } => {
                    let cause = "JavaScript has no such checkpoints".to_owned();
                    (job, JobResult::sound(Err(Failure::new(FailureKind::Runtime { cause }))))
                }
                // Left over from a run that has ended.
                Command::ToolReplies { .. } => continue,
            };
            let JobResult { result, mut figures, sound } = done;
            figures.heap_used_bytes = self.guarded.instance.isolate.get_heap_statistics().used_heap_size() as u64;
            self.host.context.report(Event::Settled { job, result, figures, sound });
            self.host.forget_stop(job, &self.guarded.instance.isolate);
            self.keep_program();
            if !sound {
                break;
            }
            self.work_unwatched();
        }
    }

    /// Work after a command, while no caller waits.
    fn work_unwatched(&mut self) {
        let isolate = &mut self.guarded.instance.isolate;
        idle::work(isolate);
        self.commands += 1;
        let pause = if idle::has_grown(isolate) {
            LATER
        } else if !self.has_given_back && self.commands.is_power_of_two() {
            SOON
        } else {
            return;
        };
        // A command that has already been received causes no further wake-up.
        if self.host.has_come() || self.host.context.is_given_up() {
            return;
        }
        let has_come = self.host.wait_until(Instant::now() + pause);
        if !has_come && !self.host.context.is_given_up() {
            idle::rest(isolate);
            self.has_given_back = true;
        }
    }

    /// Defines variables in the realm.
    fn set_variables(&mut self, names: &[String], values: Values) -> JobResult {
        let limit = self.host.context.config().max_transfer_bytes;
        let bytes = values.wire_bytes();
        if bytes > limit {
            return JobResult::sound(Err(Failure::transfer_limit(limit, Some(bytes)).with("value", "variables")));
        }
        self.host.sent_names.borrow_mut().extend(names.iter().cloned());
        self.set_up(TOO_LARGE, |scope, host| {
            let values = serialize::read_values(scope, &host.memory, values)?;
            host.realm.get()?.set_variables(scope, names, values)
        })
    }

    /// Defines tools in the realm.
    fn set_tools(&mut self, tools: Vec<ToolSpec>) -> JobResult {
        self.host.tools.borrow_mut().add(&tools);
        self.set_up("the tools could not be defined", |scope, host| {
            host.realm.get()?.install_tools(scope, &tools, tools::function)
        })
    }

    /// VALIDATE, TRANSFORM, EVALUATE, NORMALIZE_OUTPUT for one run.
    fn run(&mut self, job: JobId, code: String, limits: RunLimits) -> JobResult {
        let options =
            PrepareOptions::of(self.host.context.config(), limits.language, limits.max_operations, limits.timeout_ms);
        self.guarded.leftovers.note_program(code.len());
        locks::forget();
        let kept = self.programs.kept(&code, &options).filter(|program| program.suits(&self.observed));
        let is_kept = kept.is_some();
        let prepare = || prepare::prepare_for(&self.observed, &code, &options).map(Arc::new);
        let program = match kept.map_or_else(prepare, Ok) {
            Ok(program) => program,
            Err(diagnostics) => return JobResult::sound(Err(refused(&diagnostics, &code))),
        };
        self.guarded.memory.begin_program(code.len() + program.bytes());
        self.observed.add(&program.lookups);
        self.runs += 1;
        let (function, compiled_as) = self.reruns.find(&code, &program).unzip();
        let is_new = function.is_none();
        let name = program_name(self.runs);
        let script = self.host.scripts.borrow_mut().add(&name, compiled_as, code, program.positions.clone());
        self.host.begin(job, &limits);
        for remark in program.diagnostics.iter().filter(|diagnostic| prepare::WRAPPING_RULES.contains(&diagnostic.rule))
        {
            self.host.warn(remark.message.clone());
        }
        let host = self.host.clone();
        let mut compiled = Compiled { script: None, function };
        let (mut result, figures) = {
            v8::scope_with_context!(scope, &mut self.guarded.instance.isolate, &self.guarded.instance.context);
            if let Some(seed) = limits.seed {
                session_random::seed(scope, seed);
            }
            let begun = if host.is_stopped() {
                None
            } else {
                v8::tc_scope!(let attempt, scope);
                host.realm.get().and_then(|realm| realm.begin(attempt, limits.max_operations))
            };
            let result = match begun {
                Some(()) => evaluate(scope, &host, &self.guarded.memory, &script, &program, &mut compiled),
                None => Err(Failure::new(FailureKind::Runtime { cause: "the realm could not begin a run".to_owned() })),
            };
            drop_leftovers(scope, &host, result.as_ref().err());
            let figures = host.figures();
            drop_microtasks(scope, &host);
            modules::end_run(scope, &host);
            (result, figures)
        };
        result = result.map_err(|failure| match failure.details.contains_key("diagnostics") {
            // V8 found an early error, so the program did not run.
            true => failure,
            false if program.diagnostics.is_empty() => failure,
            false => failure.with_diagnostics(&program.diagnostics),
        });
        if result.is_ok() && self.guarded.memory.is_over(&mut self.guarded.instance.isolate) {
            result = Err(self.guarded.memory.failure());
        }
        let sound = self.recover();
        if !sound {
            result = result.map_err(|failure| failure.with("stateLost", true).with("hint", run_outcomes::NO_ROOM));
        }
        if result.is_err() || !is_new {
            compiled = Compiled::default();
        }
        if !is_kept || compiled.script.is_some() || compiled.function.is_some() {
            self.last_program = Some(Box::new(LastProgram { script, options, program, is_kept, compiled }));
        }
        JobResult { result, figures, sound }
    }

    /// Caches the program of the last run, and its function and bytecode if it has run before. Done after the run is
    /// settled, so that no caller waits for it.
    fn keep_program(&mut self) {
        let Some(last) = self.last_program.take() else { return };
        let LastProgram { script, options, program, is_kept, compiled: Compiled { script: compiled, function } } =
            *last;
        if let Some(function) = function {
            self.reruns.note(&script, &program, function);
        }
        if !is_kept {
            return self.programs.keep(&script.source, &options, &program);
        }
        let Some(compiled) = compiled.filter(|_| program.code.len() <= MAX_BYTECODE_CODE) else { return };
        v8::scope_with_context!(scope, &mut self.guarded.instance.isolate, &self.guarded.instance.context);
        if let Some(bytecode) = v8::Local::new(scope, compiled).create_code_cache() {
            self.programs.keep_bytecode(&script.source, &options, &program, Box::from(&bytecode[..]));
        }
    }

    fn set_up(&mut self, cause: &str, work: impl FnOnce(&mut v8::PinScope, &Host) -> Option<Vec<String>>) -> JobResult {
        let host = self.host.clone();
        self.guarded.memory.forget_refusal();
        let done = {
            v8::scope_with_context!(scope, &mut self.guarded.instance.isolate, &self.guarded.instance.context);
            v8::tc_scope!(let attempt, scope);
            match work(attempt, &host) {
                Some(refused) if refused.is_empty() => Ok(Success::Done),
                Some(refused) => {
                    let cause = format!("guest code has fixed its global object, which lacks {}", refused.join(", "));
                    Err(Failure::new(FailureKind::Tool { cause }).with("bridge", true).with("names", refused))
                }
                None if self.guarded.memory.take_refusal() => Err(self.guarded.memory.failure()),
                None => {
                    let thrown = attempt.exception();
                    let reason = thrown.map(|thrown| error_texts::brief(attempt, &host, thrown));
                    let failure = Failure::new(FailureKind::Tool { cause: cause.to_owned() }).with("bridge", true);
                    Err(match reason {
                        Some(reason) => failure.with("reason", reason),
                        None => failure,
                    })
                }
            }
        };
        let result = if self.guarded.memory.is_exceeded() { Err(self.guarded.memory.failure()) } else { done };
        let sound = self.recover();
        JobResult { result, figures: Figures::default(), sound }
    }

    /// Whether the isolate can take the next command, after a collection if it had run out of memory.
    fn recover(&mut self) -> bool {
        if !self.guarded.memory.is_exceeded() {
            return true;
        }
        self.reruns.clear();
        let Guarded { instance, memory, .. } = &mut self.guarded;
        let mut recover = || memory.recover(&mut instance.isolate, |isolate| self.host.cancel_termination(isolate));
        #[cfg(target_os = "linux")]
        if compile_thread::is_busy() {
            return recover() || {
                compile_thread::settle();
                recover()
            };
        }
        recover()
    }
}

/// Gives the guest the globals that its session asks for. Without memory for them, it does not get them.
fn install_globals(Instance { isolate, context }: &mut Instance, host: &Host) {
    let Config { globals, services, .. } = host.context.config();
    host.tools.borrow_mut().add_services(services);
    v8::scope_with_context!(scope, isolate, &*context);
    v8::tc_scope!(let attempt, scope);
    let _ = host.realm.get().and_then(|realm| realm.install_globals(attempt, globals, services, tools::function));
}

#[cfg(test)]
impl Guest {
    pub fn host(&self) -> &Host {
        &self.host
    }

    pub fn interrupt(&self) -> Interrupt {
        Interrupt::new(&self.guarded.instance.isolate)
    }

    pub fn cancel_termination(&self) {
        self.host.cancel_termination(&self.guarded.instance.isolate);
    }

    /// Bytes in use of the young generation, and its capacity.
    pub fn young(&mut self) -> (usize, usize) {
        let isolate = &mut self.guarded.instance.isolate;
        let spaces = (0..isolate.number_of_heap_spaces()).filter_map(|at| isolate.get_heap_space_statistics(at));
        let space = spaces.into_iter().find(|space| space.space_name() == c"new_space").expect("V8 has it");
        (space.space_used_size(), space.space_used_size() + space.space_available_size())
    }

    /// Whether V8 runs a program from its bytecode.
    pub fn takes_bytecode(&mut self, program: &Program) -> bool {
        use v8::script_compiler::{CachedData, CompileOptions, NoCacheReason, Source, compile};
        let Instance { isolate, context } = &mut self.guarded.instance;
        v8::scope_with_context!(scope, isolate, &*context);
        let text = v8::String::new(scope, &program.code).expect("it is short");
        let bytecode = program.bytecode.get().expect("there is some");
        let mut source = Source::new_with_cached_data(text, None, CachedData::new(bytecode));
        let script = compile(scope, &mut source, CompileOptions::ConsumeCodeCache, NoCacheReason::NoReason);
        script.is_some() && !source.get_cached_data().expect("it was given").rejected()
    }

    /// Whether a loop can run to its end.
    pub fn can_run(&mut self) -> bool {
        let Instance { isolate, context } = &mut self.guarded.instance;
        v8::scope_with_context!(scope, isolate, &*context);
        v8::tc_scope!(let attempt, scope);
        let code = v8::String::new(attempt, "for (let i = 0; i < 10; i++);").expect("it is short");
        v8::Script::compile(attempt, code, None).and_then(|script| script.run(attempt)).is_some()
    }
}

impl JobResult {
    /// The outcome of a job that has changed nothing in the isolate.
    fn sound(result: Result<Success, Failure>) -> Self {
        Self { result, figures: Figures::default(), sound: true }
    }
}

/// Drops state of the run and logs remarks about what it left.
fn drop_leftovers(scope: &mut v8::PinScope, host: &Host, failure: Option<&Failure>) {
    v8::tc_scope!(let attempt, scope);
    let rejections = host.run.borrow_mut().as_mut().map(|run| std::mem::take(&mut run.rejections));
    for promise in rejections.unwrap_or_default() {
        let promise = v8::Local::new(attempt, promise);
        let reason = promise.result(attempt);
        // The signal that ended the run is not a mistake of the guest's.
        let is_signal = host.realm.get().and_then(|realm| realm.is_signal(attempt, reason));
        if is_signal == Some(true) {
            continue;
        }
        let text = exceptions::with_place(attempt, host, reason, &program_name(host.run_number()));
        host.warn(format!("Unhandled promise rejection: {text}"));
    }
    let dropped = host.calls.borrow_mut().drop_all(attempt, failure.is_some());
    // A limit may have ended the run just before the program would have awaited the calls.
    let is_known = !failure.is_some_and(|failure| {
        matches!(failure.kind, FailureKind::ToolCallLimit { .. } | FailureKind::MaxOperations { .. })
    });
    if is_known && !dropped.is_empty() {
        let mut names: Vec<String> = dropped.iter().map(|&tool| host.tool_name(tool)).collect();
        let count = names.len();
        if let Some(run) = host.run.borrow_mut().as_mut() {
            run.dropped_calls = count as u64;
        }
        names.dedup();
        let (were, way) = if count == 1 {
            (" was", "`await` it")
        } else {
            ("s were", "`await` each, or all together with `await Promise.all([…])`")
        };
        host.warn(format!(
            "{count} tool call{were} not awaited and dropped when the run ended: {}; {way}",
            names.join(", ")
        ));
    }
}

/// Ends the run and drops its remaining microtasks, so that nothing of it goes on in the next run. They exist because
/// the run was stopped, or because the host has read a getter. V8 drops them when it is terminated while it runs them.
fn drop_microtasks(scope: &mut v8::PinScope, host: &Host) {
    // Native microtasks may still run. Without a run under way they reach neither log nor tools.
    host.run.borrow_mut().take();
    scope.terminate_execution();
    {
        v8::tc_scope!(let attempt, scope);
        attempt.perform_microtask_checkpoint();
    }
    host.cancel_termination(scope);
}

/// Records unhandled rejections, for a remark at the end of the run.
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
