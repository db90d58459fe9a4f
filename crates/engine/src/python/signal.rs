//! How another thread asks running Python to end: by the byte that CPython looks at between its instructions.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use deno_core::v8;

use ses_protocol::JobId;

/// The number of the signal that becomes a `KeyboardInterrupt`.
const SIGINT: u8 = 2;

/// One byte, which is Pyodide's interrupt buffer.
#[derive(Default)]
pub struct Signal {
    byte: AtomicU8,
    /// The run that is to end, which stays when CPython has taken the byte. Numbers begin with 1.
    job: AtomicU64,
}

impl Signal {
    /// Has the guest raise a `KeyboardInterrupt` in this run.
    pub fn raise(&self, job: JobId) {
        self.job.store(job, Ordering::Release);
        self.byte.store(SIGINT, Ordering::Release);
    }

    /// Whether the run under way is to end.
    pub fn is_raised(&self) -> bool {
        self.job.load(Ordering::Acquire) != 0
    }

    /// A job begins: what was said of a run before it does not count. CPython may not have looked at the byte until that had ended.
    pub fn begin(&self, job: JobId) {
        if self.job.load(Ordering::Acquire) != job {
            self.byte.store(0, Ordering::Release);
            self.job.store(0, Ordering::Release);
        }
    }

    /// The byte as a Uint8Array.
    pub fn buffer<'s>(self: &Arc<Self>, scope: &mut v8::PinScope<'s, '_>) -> Option<v8::Local<'s, v8::Uint8Array>> {
        let data = self.byte.as_ptr().cast();
        let owner = Arc::into_raw(self.clone()).cast_mut().cast();
        // SAFETY: the byte lives as long as the reference, which `drop_signal` takes back when the buffer is gone.
        let store = unsafe { v8::ArrayBuffer::new_backing_store_from_ptr(data, 1, drop_signal, owner) };
        let buffer = v8::ArrayBuffer::with_backing_store(scope, &store.make_shared());
        v8::Uint8Array::new(scope, buffer, 0, 1)
    }
}

/// V8 calls this once, when the buffer is gone.
unsafe extern "C" fn drop_signal(_data: *mut c_void, _length: usize, owner: *mut c_void) {
    // SAFETY: `buffer` gave away this reference.
    drop(unsafe { Arc::from_raw(owner.cast::<Signal>()) });
}
