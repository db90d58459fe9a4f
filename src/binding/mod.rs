//! The native side of the facade: converts and delegates. The only user of napi.
//!
//! No state, lock or policy lives here, but for the reference that keeps the event loop alive while a call is
//! pending, which is napi's own.

mod arguments;
mod deliver;
mod files;
pub mod prepare;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use napi::bindgen_prelude::{Function, Uint8Array, Unknown};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Result, Status, sys};
use napi_derive::napi;

use crate::executor::Executor;
use crate::executor::messages::{Delivery, Event, Outcome, ToolReply};
use crate::executor::stats::{self, EngineStats};
use arguments::{NativeOptions, NativeTool};
use deliver::{DeliverArgs, NativeOutcome};

/// Weak: an idle executor does not keep the event loop alive.
type Deliver = ThreadsafeFunction<Event, Unknown<'static>, DeliverArgs, Status, false, true>;

/// What the delivery callback and the public methods share; both run on the Node.js thread.
struct Inner {
    executor: Executor,
    deliver: Arc<Deliver>,
    /// Calls whose outcome has not been delivered.
    pending: usize,
}

impl Inner {
    /// Counts a call that will be settled later; the first one keeps the event loop alive.
    fn pend(&mut self, env: &Env, outcome: Option<Outcome>) -> Option<Outcome> {
        if outcome.is_none() {
            self.pending += 1;
            if self.pending == 1 {
                // SAFETY: the handle is valid, since `self` owns a clone of it, and this is the thread of `env`.
                unsafe { sys::napi_ref_threadsafe_function(env.raw(), self.deliver.raw()) };
            }
        }
        outcome
    }

    /// Applies an event; the last settled call lets the event loop end.
    fn apply(&mut self, env: &Env, event: Event) -> Option<Delivery> {
        let delivery = self.executor.on_event(event);
        if let Some(Delivery::Settled { .. }) = delivery {
            self.pending = self.pending.saturating_sub(1);
            if self.pending == 0 {
                // SAFETY: as in `pend`.
                unsafe { sys::napi_unref_threadsafe_function(env.raw(), self.deliver.raw()) };
            }
        }
        delivery
    }
}

/// Counters of the process.
#[napi(object, object_from_js = false)]
pub struct NativeEngineStats {
    pub live: f64,
    pub warm: f64,
    pub parked: f64,
    pub parked_bytes: f64,
    pub terminated: f64,
}

#[napi]
pub fn engine_stats() -> NativeEngineStats {
    let EngineStats { live, warm, parked, parked_bytes, terminated } = stats::engine_stats();
    NativeEngineStats {
        live: live as f64,
        warm: warm as f64,
        parked: parked as f64,
        parked_bytes: parked_bytes as f64,
        terminated: terminated as f64,
    }
}

/// One executor; see `index.d.ts` for the public contract.
#[napi]
pub struct NativeExecutor {
    /// Emptied when the object is collected, so that the delivery callback, which the executor's own thread keeps
    /// alive, does not keep the executor alive.
    inner: Rc<RefCell<Option<Inner>>>,
}

#[napi]
impl NativeExecutor {
    /// `deliver(kind, ...)` is called on the Node.js thread: 0 settled (call, ending, payload, figures and log), 1 tool
    /// call (call, tool, isAsync, arguments), 2 log entries (entries), 3 nothing.
    #[napi(constructor)]
    pub fn new(
        options: NativeOptions,
        #[napi(ts_arg_type = "(kind: number, ...args: any[]) => void")] deliver: Function<
            '_,
            DeliverArgs,
            Unknown<'static>,
        >,
    ) -> Result<Self> {
        let inner: Rc<RefCell<Option<Inner>>> = Rc::default();
        let shared = inner.clone();
        let deliver: Deliver =
            deliver.build_threadsafe_function::<Event>().weak::<true>().build_callback(move |context| {
                let mut inner = shared.borrow_mut();
                Ok(DeliverArgs(inner.as_mut().and_then(|inner| inner.apply(&context.env, context.value))))
            })?;
        let deliver = Arc::new(deliver);
        let events = deliver.clone();
        let sink = Arc::new(move |event| {
            // The environment may be closing; then nobody is left to tell.
            events.call(event, ThreadsafeFunctionCallMode::NonBlocking);
        });
        *inner.borrow_mut() = Some(Inner { executor: Executor::new(options.into(), sink), deliver, pending: 0 });
        Ok(Self { inner })
    }

    #[napi(getter, ts_return_type = "'NEW' | 'INITIALIZING' | 'READY' | 'RUNNING' | 'DIRTY' | 'DEAD'")]
    pub fn state(&self) -> &'static str {
        self.with(|inner| inner.executor.state())
    }

    #[napi]
    pub fn init(&self, env: Env, call: f64) -> Option<NativeOutcome> {
        self.call(env, |executor| executor.init(call))
    }

    #[napi]
    pub fn send_variables(
        &self,
        env: Env,
        call: f64,
        names: Vec<String>,
        payload: Uint8Array,
    ) -> Option<NativeOutcome> {
        self.call(env, |executor| executor.send_variables(call, names, payload.to_vec()))
    }

    #[napi]
    pub fn send_tools(&self, env: Env, call: f64, tools: Vec<NativeTool>) -> Option<NativeOutcome> {
        self.call(env, |executor| executor.send_tools(call, tools.into_iter().map(Into::into).collect()))
    }

    #[napi]
    pub fn run(
        &self,
        env: Env,
        call: f64,
        code: String,
        max_operations: Option<f64>,
        timeout_ms: Option<f64>,
        language: Option<String>,
    ) -> Option<NativeOutcome> {
        let language = language.as_deref().map(arguments::language);
        self.call(env, |executor| executor.run(call, code, max_operations, timeout_ms, language))
    }

    #[napi]
    pub fn abort(&self, call: f64, reason: String) {
        self.with(|inner| inner.executor.abort(call, &reason));
    }

    #[napi]
    pub fn cleanup(&self, env: Env, call: f64) -> Option<NativeOutcome> {
        self.call(env, |executor| executor.cleanup(call))
    }

    /// `status`: 0 value, 1 error, 2 the tool returned a promise.
    #[napi]
    pub fn tool_result(&self, call: f64, status: u32, payload: Option<Uint8Array>) {
        let payload = payload.map(|bytes| bytes.to_vec()).unwrap_or_default();
        let reply = match status {
            0 => ToolReply::Value(payload),
            1 => ToolReply::Error(payload),
            _ => ToolReply::Promise,
        };
        self.with(|inner| inner.executor.tool_reply(call as u64, reply));
    }

    fn call(&self, env: Env, start: impl FnOnce(&mut Executor) -> Option<Outcome>) -> Option<NativeOutcome> {
        self.with(|inner| {
            let outcome = start(&mut inner.executor);
            inner.pend(&env, outcome)
        })
        .map(Into::into)
    }

    fn with<R>(&self, work: impl FnOnce(&mut Inner) -> R) -> R {
        let mut inner = self.inner.borrow_mut();
        // Filled by the constructor and emptied by the destructor only.
        work(inner.as_mut().expect("a live object has its executor"))
    }
}

impl Drop for NativeExecutor {
    fn drop(&mut self) {
        let inner = self.inner.borrow_mut().take();
        drop(inner);
    }
}
