//! Termination of guest code from any thread.

use std::ffi::c_void;
use std::sync::Arc;

use deno_core::v8;

use crate::python::signal::Signal;
use ses_protocol::JobId;

/// What V8 calls at a check that was asked for.
pub type InterruptCallback = unsafe extern "C" fn(v8::UnsafeRawIsolatePtr, *mut c_void);

/// Ends what the isolate executes. Stays valid when the isolate is gone.
#[derive(Clone)]
pub struct Interrupt {
    isolate: v8::IsolateHandle,
    /// By which the guest can be asked to end by itself.
    signal: Option<Arc<Signal>>,
}

impl Interrupt {
    pub fn new(isolate: &v8::Isolate) -> Self {
        Self { isolate: isolate.thread_safe_handle(), signal: None }
    }

    /// Of an isolate whose guest looks for a signal.
    pub fn with_signal(isolate: &v8::Isolate, signal: Arc<Signal>) -> Self {
        Self { isolate: isolate.thread_safe_handle(), signal: Some(signal) }
    }

    /// Asks guest code to end a run by itself. False: it never looks.
    pub fn ask(&self, job: JobId) -> bool {
        self.signal.as_ref().inspect(|signal| signal.raise(job)).is_some()
    }

    /// Makes guest code unwind without running its handlers, at V8's next check.
    pub fn terminate(&self) {
        self.isolate.terminate_execution();
    }

    /// Has `callback` called with `data` on the isolate's thread, at V8's next check.
    pub fn request(&self, callback: InterruptCallback, data: *mut c_void) {
        self.isolate.request_interrupt(callback, data);
    }
}
