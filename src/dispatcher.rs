//! `NativeDispatcher`: the channel to the Node.js thread. All executors of an environment share it.
//!
//! Each wake-up makes the event loop check every handle that can wake it. With one handle per executor, the cost of a
//! wake-up would grow with the number of executors.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use napi::bindgen_prelude::{Function, Unknown};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Result, Status, sys};
use napi_derive::napi;

use ses_session::Delivery;

use crate::deliver::DeliveryCall;
use crate::values::hold;

/// A weak reference: idle executors do not keep the event loop alive.
type Deliver = ThreadsafeFunction<u64, Unknown<'static>, DeliveryCall, Status, false, true>;
/// Returns the next delivery of an executor. Called on the Node.js thread.
type Source = Rc<dyn Fn(&Env) -> Delivery>;

/// Notifies the Node.js thread, from any thread, that an executor has something to deliver.
#[derive(Clone)]
pub struct Bell(Arc<Deliver>);

impl Bell {
    pub fn ring(&self, executor: u64) {
        // Fails if the environment is closing. Then there is no recipient.
        self.0.call(executor, ThreadsafeFunctionCallMode::NonBlocking);
    }
}

/// The state that the executors of an environment share. Lives on the Node.js thread.
pub struct Dispatcher {
    env: sys::napi_env,
    bell: Bell,
    sources: Rc<RefCell<HashMap<u64, Source>>>,
    /// Calls whose outcome has not been delivered.
    pending: Cell<usize>,
}

impl Dispatcher {
    pub fn bell(&self) -> Bell {
        self.bell.clone()
    }

    /// Adds an executor, until [`Self::remove`] is called.
    pub fn add(&self, executor: u64, next: impl Fn(&Env) -> Delivery + 'static) {
        self.sources.borrow_mut().insert(executor, Rc::new(next));
    }

    pub fn remove(&self, executor: u64) {
        let source = self.sources.borrow_mut().remove(&executor);
        drop(source);
    }

    /// Like [`hold`], for the environment of this dispatcher.
    pub fn hold(&self, bytes: i64) {
        // SAFETY: this is the thread of the environment, which outlives its objects. This also holds in a finalizer.
        unsafe { hold(self.env, bytes) };
    }

    /// Counts a call that will be settled later. The first such call keeps the event loop alive.
    pub fn pend(&self, env: &Env) {
        self.pending.set(self.pending.get() + 1);
        if self.pending.get() == 1 {
            // SAFETY: the handle is valid, because `self` owns a clone of it, and this is the thread of `env`.
            unsafe { sys::napi_ref_threadsafe_function(env.raw(), self.bell.0.raw()) };
        }
    }

    /// A call that [`Self::pend`] counted has settled. After the last one, the event loop may end.
    pub fn settle(&self, env: &Env) {
        self.pending.set(self.pending.get().saturating_sub(1));
        if self.pending.get() == 0 {
            // SAFETY: as in `pend`.
            unsafe { sys::napi_unref_threadsafe_function(env.raw(), self.bell.0.raw()) };
        }
    }
}

/// The channel through which the executors of this environment report.
#[napi]
pub struct NativeDispatcher(pub(crate) Rc<Dispatcher>);

#[napi]
impl NativeDispatcher {
    /// `deliver(executor, kind, ...parts)` is called on the Node.js thread. The kinds and their parts:
    /// - 0, settled: call, ending, payload, figures and log
    /// - 1, tool calls: for each call its number, tool, isAsync, and the number of arguments with the arguments, or -1
    ///   with their serialized bytes
    /// - 2, log entries: text, levels, times, lengths
    /// - 3: nothing
    #[napi(constructor)]
    pub fn new(
        env: Env,
        #[napi(ts_arg_type = "(executor: number, kind: number, ...parts: any[]) => void")] deliver: Function<
            '_,
            DeliveryCall,
            Unknown<'static>,
        >,
    ) -> Result<Self> {
        let sources: Rc<RefCell<HashMap<u64, Source>>> = Rc::default();
        let shared = sources.clone();
        let deliver: Deliver =
            deliver.build_threadsafe_function::<u64>().weak::<true>().build_callback(move |context| {
                let executor = context.value;
                // Not borrowed during the delivery, which may end an executor.
                let next = shared.borrow().get(&executor).cloned();
                let delivery = next.map_or_else(Delivery::default, |next| next(&context.env));
                Ok(DeliveryCall { executor, delivery })
            })?;
        Ok(Self(Rc::new(Dispatcher {
            env: env.raw(),
            bell: Bell(Arc::new(deliver)),
            sources,
            pending: Cell::default(),
        })))
    }
}
