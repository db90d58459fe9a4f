//! `NativeExecutor`: one executor for the facade.
//!
//! Converts and delegates: `ses_session` owns the states, queues and rules. The only state here is the amount of
//! isolate memory that was reported to V8.

#![expect(clippy::too_many_arguments, reason = "arguments of `run`: an object costs several times as much here")]

use std::cell::RefCell;
use std::mem;
use std::rc::Rc;
use std::sync::Arc;

use napi::bindgen_prelude::{JsValue, Unknown};
use napi::{Env, Result};
use napi_derive::napi;

use ses_engine::engine_of;
use ses_protocol::{Config, EngineSpec, Outcome, ToolCallId, ToolReply};
use ses_session::{Delivery, Executor, Refusal};

use crate::arguments::{self, NativeEngine, NativeIsolation, NativeTool};
use crate::deliver::NativeOutcome;
use crate::dispatcher::{Dispatcher, NativeDispatcher};
use crate::inbox::Inbox;
use crate::journal::NativeJournal;
use crate::options::NativeOptions;
use crate::resources::{self, Place, recorded, resources_for};
use crate::values;

/// A result of a tool for which the guest has no room.
#[napi(object, object_from_js = false)]
pub struct NativeRefusal {
    pub call: f64,
    /// Of the error that the guest gets.
    pub message: String,
}

/// The state that deliveries and the public methods share. Both run on the Node.js thread.
struct Inner {
    executor: Executor,
    number: u64,
    dispatcher: Rc<Dispatcher>,
    /// Bytes that an isolate of this executor holds.
    bytes_per_isolate: i64,
    /// Bytes that were reported to V8 for this executor.
    held_bytes: i64,
}

impl Inner {
    /// The change of the bytes that the executor holds since the last report to V8.
    fn take_change(&mut self) -> i64 {
        let held_bytes = if self.executor.has_isolate() { self.bytes_per_isolate } else { 0 };
        held_bytes - mem::replace(&mut self.held_bytes, held_bytes)
    }

    /// Counts a call that will be settled later.
    fn pend(&self, env: &Env, outcome: Option<Outcome>) -> Option<Outcome> {
        if outcome.is_none() {
            self.dispatcher.pend(env);
        }
        outcome
    }

    /// Applies the next event, or several events if they are tool calls.
    fn next_delivery(&mut self, env: &Env, inbox: &Inbox) -> Delivery {
        let (events, has_more) = inbox.take();
        if has_more {
            // Like the wake-up in `Inbox::push`, but from this thread.
            self.dispatcher.bell().ring(self.number);
        }
        let mut events = events.into_iter();
        let mut delivery = events.next().map_or_else(Delivery::default, |event| self.executor.on_owner_event(event));
        for event in events {
            delivery.tool_calls.append(&mut self.executor.on_owner_event(event).tool_calls);
        }
        if delivery.settled.is_some() {
            self.dispatcher.settle(env);
        }
        delivery
    }
}

/// The process of an isolate, and the parts of its sandbox that are in force. `pid`: present while the process exists
/// on this machine. `worker`, `node`: names of another machine's worker and of that machine.
#[napi(object, object_from_js = false)]
pub struct NativeWorker {
    pub pid: Option<f64>,
    pub worker: Option<String>,
    pub node: Option<String>,
    pub landlock: bool,
    pub seccomp: bool,
}

/// The place of the executor's isolates.
fn place(isolation: Option<NativeIsolation>, engine: Arc<EngineSpec>, config: &Config) -> Result<Place> {
    match isolation {
        Some(NativeIsolation { sandbox, environment, remote: Some(fleet), .. }) => {
            let confinement = resources::confinement(&sandbox);
            Ok(Place::Remote { engine, confinement, environment, fleet: fleet.into() })
        }
        #[cfg(unix)]
        Some(NativeIsolation { sandbox, spares, environment, remote: None }) => {
            let spares = spares.map(|count| count as usize);
            Ok(Place::process(engine, resources::confinement(&sandbox), spares, environment))
        }
        #[cfg(not(unix))]
        Some(_) => Err(napi::Error::from_reason("there are no worker processes on this system")),
        None => Ok(Place::thread(engine, config.warm_pool)),
    }
}

/// One executor; see `index.d.ts` for the public contract.
#[napi]
pub struct NativeExecutor {
    inner: Rc<RefCell<Inner>>,
}

#[napi]
impl NativeExecutor {
    /// `number`: identifies the executor in calls of the dispatcher's `deliver`. `isolation`: if absent, isolates live
    /// on threads. `engine`: if absent, isolates are hardened realms.
    #[napi(constructor)]
    pub fn new(
        #[napi(ts_arg_type = "unknown[]")] options: NativeOptions,
        dispatcher: &NativeDispatcher,
        number: f64,
        isolation: Option<NativeIsolation>,
        engine: Option<NativeEngine>,
        journal: Option<&NativeJournal>,
    ) -> Result<Self> {
        let (dispatcher, number) = (dispatcher.0.clone(), number as u64);
        let inbox = Arc::new(Inbox::default());
        let (bell, events) = (dispatcher.bell(), inbox.clone());
        let owner_events = Arc::new(move |event| {
            if events.push(event) {
                bell.ring(number);
            }
        });
        let engine: Arc<EngineSpec> = Arc::new(engine.map(Into::into).unwrap_or_default());
        // Isolates on other machines hold nothing here, and their engine has no files here.
        let is_remote = isolation.as_ref().is_some_and(|isolation| isolation.remote.is_some());
        let bytes_per_isolate =
            if is_remote { 0 } else { engine_of(&engine).map_err(napi::Error::from_reason)?.held_bytes() as i64 };
        let config = Config::from(options);
        let place = place(isolation, engine, &config)?;
        let resources = match journal {
            Some(journal) => recorded(&resources_for(place), journal.0.clone()),
            None => resources_for(place),
        };
        let executor = Executor::new(config, resources, owner_events);
        let inner = Rc::new(RefCell::new(Inner {
            executor,
            number,
            dispatcher: dispatcher.clone(),
            bytes_per_isolate,
            held_bytes: 0,
        }));
        // A weak reference: reports do not keep the executor alive.
        let reporting = Rc::downgrade(&inner);
        dispatcher.add(number, move |env| {
            reporting
                .upgrade()
                .map_or_else(Delivery::default, |inner| with(&inner, |inner| inner.next_delivery(env, &inbox)))
        });
        Ok(Self { inner })
    }

    #[napi(getter, ts_return_type = "'NEW' | 'INITIALIZING' | 'READY' | 'RUNNING' | 'DIRTY' | 'DEAD'")]
    pub fn state(&self) -> &'static str {
        self.with(|inner| inner.executor.state())
    }

    /// The worker process. Undefined while there is none.
    #[napi(getter)]
    pub fn worker(&self) -> Option<NativeWorker> {
        let process = self.with(|inner| inner.executor.process())?;
        let hello = process.hello?;
        let (landlock, seccomp) = (hello.landlock, hello.seccomp);
        let machine = process.machine.as_ref();
        let worker = machine.map(|machine| machine.worker.clone());
        let node = machine.map(|machine| machine.node.clone());
        Some(NativeWorker { pid: process.pid.map(f64::from), worker, node, landlock, seccomp })
    }

    #[napi]
    pub fn init(&self, env: Env, call: f64) -> Option<NativeOutcome> {
        self.call(env, |executor| executor.init(call))
    }

    /// `payload`: kind and value of each of `names`, or the serialized array of values.
    #[napi]
    pub fn send_variables(
        &self,
        env: Env,
        call: f64,
        names: Vec<String>,
        #[napi(ts_arg_type = "unknown[] | Uint8Array")] payload: Unknown,
    ) -> Result<Option<NativeOutcome>> {
        // SAFETY: `env` is the environment of this call, and `payload` one of its arguments.
        let values = unsafe { values::values(env.raw(), payload.raw()) }?;
        Ok(self.call(env, |executor| executor.send_variables(call, names, values)))
    }

    #[napi]
    pub fn send_tools(&self, env: Env, call: f64, tools: Vec<NativeTool>) -> Option<NativeOutcome> {
        self.call(env, |executor| executor.send_tools(call, tools.into_iter().map(Into::into).collect()))
    }

    /// If a limit is null, the executor's limit applies. `limits_calls`: the host answers each tool call within a time
    /// limit.
    #[napi]
    pub fn run(
        &self,
        env: Env,
        call: f64,
        code: String,
        max_operations: Option<f64>,
        timeout_ms: Option<f64>,
        limits_calls: bool,
        language: Option<String>,
    ) -> Option<NativeOutcome> {
        let language = language.as_deref().map(arguments::language);
        self.call(env, |executor| executor.run(call, code, max_operations, timeout_ms, limits_calls, language))
    }

    #[napi]
    pub fn abort(&self, call: f64, reason: String) {
        self.with(|inner| inner.executor.abort(call, &reason));
    }

    #[napi]
    pub fn cleanup(&self, env: Env, call: f64) -> Option<NativeOutcome> {
        self.call(env, |executor| executor.cleanup(call))
    }

    /// The status is the kind of a value, 4 for the error `[name, message, code, bridge]`, or 5 if the tool returned a
    /// promise. Returns whether the guest has no room for the result, and gets an error in its place; null: it has.
    #[napi]
    pub fn tool_result(
        &self,
        env: Env,
        call: f64,
        status: f64,
        payload: Unknown,
    ) -> Result<Option<Vec<NativeRefusal>>> {
        // SAFETY: `env` is the environment of this call, and `payload` one of its arguments.
        let reply = unsafe { values::reply(env.raw(), call, status, payload.raw()) }?;
        Ok(self.reply(vec![reply]))
    }

    /// Several results together: call, status and payload of each. Returns those for which the guest has no room, as
    /// `toolResult`.
    #[napi]
    pub fn tool_results(
        &self,
        env: Env,
        #[napi(ts_arg_type = "unknown[]")] replies: Unknown,
    ) -> Result<Option<Vec<NativeRefusal>>> {
        // SAFETY: `env` is the environment of this call, and `replies` its argument.
        let replies = unsafe { values::replies(env.raw(), replies.raw()) }?;
        Ok(self.reply(replies))
    }

    fn reply(&self, replies: Vec<(ToolCallId, ToolReply)>) -> Option<Vec<NativeRefusal>> {
        let refused = self.with(|inner| inner.executor.tool_replies(replies));
        let refused = refused.into_iter().map(|Refusal { call, message }| NativeRefusal { call: call as f64, message });
        Some(refused.collect::<Vec<_>>()).filter(|refused| !refused.is_empty())
    }

    fn call(&self, env: Env, start: impl FnOnce(&mut Executor) -> Option<Outcome>) -> Option<NativeOutcome> {
        self.with(|inner| {
            let outcome = start(&mut inner.executor);
            inner.pend(&env, outcome)
        })
        .map(Into::into)
    }

    fn with<R>(&self, work: impl FnOnce(&mut Inner) -> R) -> R {
        with(&self.inner, work)
    }
}

/// Works with an executor, then reports to V8 how many bytes the executor holds. The report may start a collection that
/// drops unreferenced executors, perhaps this one. So nothing is borrowed during the report.
fn with<R>(inner: &RefCell<Inner>, work: impl FnOnce(&mut Inner) -> R) -> R {
    let mut borrowed = inner.borrow_mut();
    let result = work(&mut borrowed);
    let change = borrowed.take_change();
    if change != 0 {
        let dispatcher = borrowed.dispatcher.clone();
        drop(borrowed);
        dispatcher.hold(change);
    }
    result
}

impl Drop for NativeExecutor {
    fn drop(&mut self) {
        let inner = self.inner.borrow();
        inner.dispatcher.remove(inner.number);
        inner.dispatcher.hold(-inner.held_bytes);
    }
}
