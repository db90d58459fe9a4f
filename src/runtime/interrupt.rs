//! Termination of guest code from any thread.

use deno_core::v8;

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
}
