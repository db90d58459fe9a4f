//! Termination of guest code from any thread.

use std::ffi::c_void;
use std::sync::Arc;

use deno_core::v8;

use ses_protocol::JobId;

/// The callback of a check that was requested from V8.
pub type InterruptCallback = unsafe extern "C" fn(v8::UnsafeRawIsolatePtr, *mut c_void);

/// Ends the code that the isolate executes. Stays valid when the isolate is gone.
#[derive(Clone)]
pub struct Interrupt {
    isolate: v8::IsolateHandle,
    /// Absent: the guest cannot be asked to end a run.
    request: Option<Arc<dyn StopRequest>>,
}

/// Asks a guest to end a run, so that its isolate can go on. Each kind of guest has its own implementation.
pub trait StopRequest: Send + Sync {
    /// Asks for the end of `job`. Called from any thread; `isolate` is where the guest runs.
    fn raise(&self, job: JobId, isolate: &v8::IsolateHandle);
}

impl Interrupt {
    pub fn new(isolate: &v8::Isolate) -> Self {
        Self { isolate: isolate.thread_safe_handle(), request: None }
    }

    /// An interrupt for a guest that can be asked to end a run.
    pub fn with_request(isolate: &v8::Isolate, request: Arc<dyn StopRequest>) -> Self {
        Self { isolate: isolate.thread_safe_handle(), request: Some(request) }
    }

    /// Asks guest code to end a run, so that the isolate can go on. False: this guest cannot be asked.
    pub fn ask(&self, job: JobId) -> bool {
        let Some(request) = &self.request else { return false };
        request.raise(job, &self.isolate);
        true
    }

    /// Makes guest code unwind without running its handlers, at V8's next check.
    pub fn terminate(&self) {
        self.isolate.terminate_execution();
    }

    /// Requests that `callback` is called with `data` on the isolate's thread, at V8's next check.
    pub fn request(&self, callback: InterruptCallback, data: *mut c_void) {
        self.isolate.request_interrupt(callback, data);
    }
}
