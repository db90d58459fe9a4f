//! Termination of guest code from any thread.

use std::ffi::c_void;

use deno_core::v8;

/// What V8 calls at a check that was asked for.
pub type InterruptCallback = unsafe extern "C" fn(v8::UnsafeRawIsolatePtr, *mut c_void);

/// Ends what the isolate executes. Stays valid when the isolate is gone.
#[derive(Clone)]
pub struct Interrupt(v8::IsolateHandle);

impl Interrupt {
    pub fn new(isolate: &v8::Isolate) -> Self {
        Self(isolate.thread_safe_handle())
    }

    /// Makes guest code unwind without running its handlers, at V8's next check.
    pub fn terminate(&self) {
        self.0.terminate_execution();
    }

    /// Has `callback` called with `data` on the isolate's thread, at V8's next check.
    pub fn request(&self, callback: InterruptCallback, data: *mut c_void) {
        self.0.request_interrupt(callback, data);
    }
}
