//! Lets another thread ask running Python to end, by a byte that CPython checks between its instructions.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use deno_core::v8;

use crate::control::interrupt::StopRequest;
use ses_protocol::JobId;

/// The number of the signal that becomes a `KeyboardInterrupt`.
const SIGINT: u8 = 2;

/// One byte that serves as Pyodide's interrupt buffer.
#[derive(Default)]
pub struct Signal {
    byte: AtomicU8,
    /// The run that is to end. Stays set after CPython has read the byte. Numbers begin with 1.
    job: AtomicU64,
}

impl StopRequest for Signal {
    /// CPython checks the byte itself, so its isolate is not terminated.
    fn raise(&self, job: JobId, _isolate: &v8::IsolateHandle) {
        Signal::raise(self, job);
    }
}

impl Signal {
    /// Makes the guest raise a `KeyboardInterrupt` if it runs this job.
    pub fn raise(&self, job: JobId) {
        self.job.store(job, Ordering::Release);
        self.byte.store(SIGINT, Ordering::Release);
    }

    /// Whether the run under way is to end.
    pub fn is_raised(&self) -> bool {
        self.job.load(Ordering::Acquire) != 0
    }

    /// A job begins: earlier requests for other jobs no longer count. CPython may not have checked the byte before that
    /// job ended.
    pub fn begin(&self, job: JobId) {
        let named = self.job.load(Ordering::Acquire);
        if named == job {
            return;
        }
        self.byte.store(0, Ordering::Release);
        if self.job.compare_exchange(named, 0, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // This job was requested to end meanwhile, perhaps before the byte was cleared.
            self.byte.store(SIGINT, Ordering::Release);
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

#[cfg(test)]
mod tests {
    use std::hint;
    use std::thread;

    use super::*;

    /// Spins until `reached` has the number of the job.
    fn wait_for(reached: &AtomicU64, job: JobId) {
        for looks in 1.. {
            if reached.load(Ordering::Acquire) >= job {
                return;
            }
            if looks % 1_000 == 0 {
                thread::yield_now();
            }
            hint::spin_loop();
        }
    }

    fn is_told(signal: &Signal) -> bool {
        signal.is_raised() && signal.byte.load(Ordering::Acquire) == SIGINT
    }

    #[test]
    fn a_run_that_is_to_end_as_it_begins_ends() {
        const RUNS: JobId = 5_000;
        let (signal, begins, is_named) = (Signal::default(), AtomicU64::new(0), AtomicU64::new(0));
        let mut lost = 0;
        thread::scope(|scope| {
            scope.spawn(|| {
                for job in 1..=RUNS {
                    wait_for(&begins, job);
                    signal.raise(job);
                    is_named.store(job, Ordering::Release);
                }
            });
            for job in 1..=RUNS {
                begins.store(job, Ordering::Release);
                // At some of these offsets, both happen at the same time.
                (0..job % 64).for_each(|_| hint::spin_loop());
                signal.begin(job);
                wait_for(&is_named, job);
                lost += u32::from(!is_told(&signal));
            }
        });
        assert_eq!(lost, 0);
    }

    #[test]
    fn what_was_said_of_another_run_does_not_count() {
        let signal = Signal::default();
        signal.raise(1);
        signal.begin(2);
        assert_eq!((signal.is_raised(), signal.byte.load(Ordering::Acquire)), (false, 0));
    }
}
