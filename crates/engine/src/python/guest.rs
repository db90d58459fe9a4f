//! One isolate with Python in a session. Executes commands one after the other.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use deno_core::v8;

use crate::bridge::interface::Bridge;
use crate::control::interrupt::Interrupt;
use crate::platform::{session_clock, session_random};
use crate::python::boot::Booted;
use crate::python::calls::Own;
use crate::python::checkpoint;
use crate::python::facts::Facts;
use crate::python::failure::{self, Known};
use crate::python::shell::Shell;
use crate::python::signal::Signal;
use crate::realm::boot::Guarded;
use crate::realm::evaluate;
use crate::realm::instance::Instance;
use crate::state::context::GuestContext;
use crate::state::entry::strings;
use crate::state::host::Host;
use crate::values::serialize;
use ses_protocol::{
    Block, Command, Event, Failure, FailureKind, Figures, JobId, RunLimits, Success, ToolSpec, Value, Values,
};

/// The isolate of one session, on its thread.
pub struct Guest {
    host: Rc<Host>,
    own: Rc<Own>,
    signal: Arc<Signal>,
    guarded: Guarded,
}

/// The outcome of a job.
struct JobResult {
    result: Result<Success, Failure>,
    figures: Figures,
    /// The isolate can take the next job.
    sound: bool,
}

/// How a call of `guest.js` ended.
enum Ending<'s> {
    Value(v8::Local<'s, v8::Value>),
    Failed(Failure),
    /// V8 was forced to unwind. The interpreter's work is incomplete.
    Terminated,
}

impl Guest {
    /// Gives the calling thread's isolate to a session.
    pub fn new(booted: Booted, context: Rc<dyn GuestContext>) -> Self {
        let Booted { shell, folder, buffers, signal, build, has_packages, mut guarded } = booted;
        let facts = guarded.instance.isolate.get_slot::<Rc<Facts>>().cloned().unwrap_or_default();
        let (has_folder, folder) = (folder.is_some(), RefCell::new(folder));
        let (started, tools) = (RefCell::default(), RefCell::default());
        let own = Rc::new(Own { shell, folder, has_folder, facts, started, tools, build, has_packages });
        let host = Rc::new(Host::new(context, buffers, Arc::default()));
        let isolate = &mut guarded.instance.isolate;
        isolate.set_slot::<Rc<dyn Bridge>>(host.clone());
        isolate.set_slot(host.clone());
        isolate.set_slot(own.clone());
        // Set only here.
        let _ = host.interrupt.set(Interrupt::new(isolate));
        Self { host, own, signal, guarded }
    }

    /// Executes commands one after the other, until the session is given up or the isolate is lost.
    pub fn serve_session(&mut self) {
        while let Some(command) = self.host.next_command() {
            let (job, done) = match command {
                Command::SetVariables { job, names, values } => (job, self.set_variables(job, &names, values)),
                Command::SetTools { job, tools } => (job, self.set_tools(job, &tools)),
                Command::Run { job, code, limits } => (job, self.run(job, &code, limits)),
                Command::Checkpoint { job } => (job, self.take_checkpoint(job)),
                Command::Restore { job, state } => (job, self.restore(job, &state)),
                // Belongs to a run that has ended.
                Command::ToolReplies { .. } => continue,
            };
            let JobResult { result, mut figures, sound } = done;
            figures.heap_used_bytes = self.used_bytes();
            self.host.context.report(Event::Settled { job, result, figures, sound });
            if !sound {
                break;
            }
        }
    }

    fn set_variables(&mut self, job: JobId, names: &[String], values: Values) -> JobResult {
        let limit = self.host.context.config().max_transfer_bytes;
        let bytes = values.wire_bytes();
        if bytes > limit {
            let failure = Failure::transfer_limit(limit, Some(bytes)).with("value", "variables");
            return JobResult { result: Err(failure), figures: Figures::default(), sound: true };
        }
        self.signal.begin(job);
        let (result, sound) = self.call(|scope, host, shell| {
            let names = strings(scope, names)?;
            let values = serialize::read_values(scope, &host.memory, values)?;
            shell.call(scope, "setVariables", &[names.into(), values])
        });
        JobResult { result: result.map(|_| Success::Done), figures: Figures::default(), sound }
    }

    fn set_tools(&mut self, job: JobId, tools: &[ToolSpec]) -> JobResult {
        self.signal.begin(job);
        self.own.add_tools(&self.host, tools);
        let (result, sound) = self.call(|scope, _, shell| {
            let specs = tools.iter().map(|tool| spec(scope, tool)).collect::<Option<Vec<_>>>()?;
            let specs = v8::Array::new_with_elements(scope, &specs);
            shell.call(scope, "setTools", &[specs.into()])
        });
        JobResult { result: result.map(|_| Success::Done), figures: Figures::default(), sound }
    }

    fn take_checkpoint(&mut self, job: JobId) -> JobResult {
        self.signal.begin(job);
        let most = self.host.context.config().max_transfer_bytes;
        self.between_runs(|scope, host, own| {
            let state = checkpoint::take(scope, host, own, most)
                .and_then(|state| Block::copy_of(&state).ok_or("the host has no memory for it".to_owned()));
            let output = state.map(|state| Success::Output { value: Value::Bytes(state), is_final_answer: false });
            (output, !scope.is_execution_terminating())
        })
    }

    fn restore(&mut self, job: JobId, state: &[u8]) -> JobResult {
        self.signal.begin(job);
        self.between_runs(|scope, host, own| {
            let result = checkpoint::restore(scope, host, own, state);
            let is_whole = result.is_ok();
            (result.map(|()| Success::Done), is_whole)
        })
    }

    /// Work on the state of the session, during which no guest code runs. `work` returns its result, and whether the
    /// isolate can go on.
    fn between_runs(
        &mut self,
        work: impl FnOnce(&mut v8::PinScope, &Host, &Own) -> (Result<Success, String>, bool),
    ) -> JobResult {
        let Instance { isolate, context } = &mut self.guarded.instance;
        v8::scope_with_context!(scope, isolate, &*context);
        v8::tc_scope!(let attempt, scope);
        let (result, sound) = work(attempt, &self.host, &self.own);
        JobResult { result: result.map_err(|reason| failure::runtime(&reason)), figures: Figures::default(), sound }
    }

    fn run(&mut self, job: JobId, code: &str, limits: RunLimits) -> JobResult {
        let max_bytes = self.host.context.config().max_code_bytes;
        if code.len() > max_bytes {
            let cause = format!("the code takes {} bytes, more than maxCodeBytes ({max_bytes})", code.len());
            let failure = Failure::new(FailureKind::Runtime { cause }).with("maxCodeBytes", max_bytes);
            return JobResult { result: Err(failure), figures: Figures::default(), sound: true };
        }
        self.signal.begin(job);
        self.host.begin(job, &limits);
        let (result, sound) = self.call(|scope, _, shell| {
            if let Some(seed) = limits.seed {
                session_random::seed(scope, seed);
                shell.call(scope, "beginSession", &[])?;
            }
            let code = v8::String::new(scope, code)?.into();
            let limit = v8::Number::new(scope, limits.max_operations).into();
            shell.call(scope, "run", &[code, limit])
        });
        let dropped_calls = self.own.started.borrow_mut().drop_all();
        let figures = Figures { dropped_calls, ..self.host.figures() };
        self.host.run.borrow_mut().take();
        // `guest.js` returns JSON or a string.
        let result = match result {
            Ok(Success::Output { value: Value::Undefined, .. }) => {
                let failure = failure::runtime("the output is nested too deeply or too large for the host");
                Err(failure.with("name", "RecursionError"))
            }
            result => result,
        };
        JobResult { result, figures, sound }
    }

    /// Calls a function of `guest.js`. Returns its result and whether the isolate can go on.
    fn call(
        &mut self,
        work: impl for<'s> FnOnce(&mut v8::PinScope<'s, '_>, &Host, &Shell) -> Option<v8::Local<'s, v8::Value>>,
    ) -> (Result<Success, Failure>, bool) {
        let (host, own) = (self.host.clone(), self.own.clone());
        let shell = &own.shell;
        own.facts.begin();
        let Instance { isolate, context } = &mut self.guarded.instance;
        let memory = &self.guarded.memory;
        let limit_bytes = self.host.context.config().memory_limit_bytes;
        let known = Known { facts: &own.facts, host: &host, limit_bytes };
        v8::scope_with_context!(scope, isolate, &*context);
        v8::tc_scope!(let attempt, scope);
        let value = work(attempt, &host, shell);
        let ending = match value {
            Some(value) => settle(attempt, &known, shell, &self.signal, value),
            None if attempt.has_terminated() => Ending::Terminated,
            None => {
                let failure = match attempt.exception() {
                    Some(thrown) => failure::of(attempt, thrown, &known),
                    None => failure::runtime("the value is too large for the guest"),
                };
                attempt.reset();
                Ending::Failed(failure)
            }
        };
        if memory.is_exceeded() {
            return (Err(Failure::memory_limit(limit_bytes, None).with("stateLost", true)), false);
        }
        let result = match (evaluate::recorded(attempt, &host, None), ending) {
            (_, Ending::Terminated) => return (Err(failure::runtime("the run was terminated")), false),
            (Some(recorded), _) => recorded,
            (None, Ending::Value(value)) => evaluate::written(attempt, &host, value, false),
            (None, Ending::Failed(failure)) => Err(failure),
        };
        let is_broken = shell.call(attempt, "isBroken", &[]).is_none_or(|broken| broken.is_true());
        match result {
            Err(failure) if is_broken => (Err(failure.with("stateLost", true)), false),
            result => (result, !is_broken),
        }
    }

    /// Memory of the isolate: V8's heap, and the memory of WebAssembly, which V8 does not count.
    fn used_bytes(&mut self) -> u64 {
        let Instance { isolate, context } = &mut self.guarded.instance;
        let heap = isolate.get_heap_statistics();
        v8::scope_with_context!(scope, isolate, &*context);
        v8::tc_scope!(let attempt, scope);
        let memory = self.own.shell.memory(attempt).map_or(0, |memory| memory.buffer().byte_length());
        (heap.used_heap_size() + heap.external_memory() + memory) as u64
    }
}

/// The ending of a call that has returned `value`. If that is a promise, runs microtasks and timers until it is
/// settled.
fn settle<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    known: &Known,
    shell: &Shell,
    signal: &Signal,
    value: v8::Local<'s, v8::Value>,
) -> Ending<'s> {
    let host = known.host;
    let Ok(promise) = v8::Local::<v8::Promise>::try_from(value) else { return Ending::Value(value) };
    promise.mark_as_handled();
    let ending = loop {
        {
            v8::tc_scope!(let attempt, scope);
            attempt.perform_microtask_checkpoint();
        }
        if scope.is_execution_terminating() || host.context.is_given_up() {
            return Ending::Terminated;
        }
        match promise.state() {
            v8::PromiseState::Fulfilled => break Ending::Value(promise.result(scope)),
            v8::PromiseState::Rejected => {
                let reason = promise.result(scope);
                break Ending::Failed(failure::of(scope, reason, known));
            }
            v8::PromiseState::Pending if signal.is_raised() => {
                break Ending::Failed(failure::runtime("KeyboardInterrupt"));
            }
            v8::PromiseState::Pending => {}
        }
        let next = shell.call(scope, "nextTimer", &[]).and_then(|next| next.number_value(scope));
        let Some(ms) = next else { return Ending::Terminated };
        if ms < 0.0 {
            break Ending::Failed(failure::runtime("the code awaits something that never completes"));
        }
        let until = Instant::now() + Duration::from_secs_f64(ms / 1e3);
        while !signal.is_raised() && host.wait_until(until) {}
        session_clock::pass(ms);
        v8::tc_scope!(let attempt, scope);
        if shell.call(attempt, "runTimer", &[]).is_none() && attempt.has_terminated() {
            return Ending::Terminated;
        }
    };
    // Microtasks that the run has left would go on in the next run.
    v8::tc_scope!(let attempt, scope);
    shell.call(attempt, "forgetTimers", &[]);
    ending
}

/// A tool in the form that `guest.js` expects.
fn spec<'s>(scope: &mut v8::PinScope<'s, '_>, tool: &ToolSpec) -> Option<v8::Local<'s, v8::Value>> {
    let fields = [
        ("path", strings(scope, &tool.path)?.into()),
        ("id", v8::Integer::new_from_unsigned(scope, tool.id).into()),
        ("isAsync", v8::Boolean::new(scope, tool.is_async).into()),
        ("length", v8::Integer::new_from_unsigned(scope, tool.length).into()),
    ];
    let object = v8::Object::new(scope);
    for (key, value) in fields {
        let key = v8::String::new(scope, key)?;
        object.set(scope, key.into(), value)?;
    }
    Some(object.into())
}
