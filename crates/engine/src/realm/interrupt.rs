//! Termination of guest code from any thread.

use std::ffi::c_void;
use std::sync::Arc;

use deno_core::v8;

use crate::python::signal::Signal;
use crate::realm::stop::Stop;
use ses_protocol::JobId;

/// What V8 calls at a check that was asked for.
pub type InterruptCallback = unsafe extern "C" fn(v8::UnsafeRawIsolatePtr, *mut c_void);

/// Ends what the isolate executes. Stays valid when the isolate is gone.
#[derive(Clone)]
pub struct Interrupt {
    isolate: v8::IsolateHandle,
    asking: Asking,
}

/// How the guest can be asked to end a run, so that the isolate can go on.
#[derive(Clone)]
enum Asking {
    Never,
    /// CPython looks at it.
    Signal(Arc<Signal>),
    /// It says for which run the guest is terminated.
    Stop(Arc<Stop>),
}

impl Interrupt {
    pub fn new(isolate: &v8::Isolate) -> Self {
        Self { isolate: isolate.thread_safe_handle(), asking: Asking::Never }
    }

    /// Of a realm, which ends a run and goes on.
    pub fn with_stop(isolate: &v8::Isolate, stop: Arc<Stop>) -> Self {
        Self { isolate: isolate.thread_safe_handle(), asking: Asking::Stop(stop) }
    }

    /// Of an isolate whose guest looks for a signal.
    pub fn with_signal(isolate: &v8::Isolate, signal: Arc<Signal>) -> Self {
        Self { isolate: isolate.thread_safe_handle(), asking: Asking::Signal(signal) }
    }

    /// Has guest code end a run, so that the isolate can go on. False: it never looks.
    pub fn ask(&self, job: JobId) -> bool {
        match &self.asking {
            Asking::Never => return false,
            Asking::Signal(signal) => signal.raise(job),
            Asking::Stop(stop) => {
                stop.raise(job);
                self.terminate();
            }
        }
        true
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
