//! Pages that isolates had, and which V8 keeps for the next ones for a moment. build.rs has the linker send here (`--wrap`) what hands
//! them over.
//!
//! V8 has a task give them back, which posts itself again until none is left. A page that comes when that has just happened
//! posts no other one for five seconds, so that what comes then is kept until some isolate collects again, if ever.

use std::ffi::c_void;
use std::ptr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// From one look for pages to the next one: `--memory-pool-timeout` (flags.rs).
const PAUSE: Duration = Duration::from_secs(1);

// SAFETY: the names are those that the linker gives to the methods of `v8::internal::MemoryPool`. A `TimeDelta` is a number
// of microseconds. The isolate of the second is used where V8 has one thread only.
unsafe extern "C" {
    fn __real__ZN2v88internal10MemoryPool3AddEPNS0_7IsolateEPNS0_11MutablePageE(
        pool: *mut c_void,
        isolate: *mut c_void,
        page: *mut c_void,
    );
    fn _ZN2v88internal10MemoryPool22PostDelayedReleaseTaskEPNS0_7IsolateENS_4base9TimeDeltaE(
        pool: *mut c_void,
        isolate: *mut c_void,
        microseconds: i64,
    );
}

/// Whether a task that is posted now is the first one for a while.
fn is_due() -> bool {
    static POSTED: Mutex<Option<Instant>> = Mutex::new(None);
    let mut posted = POSTED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_due = posted.is_none_or(|posted| posted.elapsed() >= PAUSE);
    if is_due {
        *posted = Some(Instant::now());
    }
    is_due
}

// SAFETY: the name is that by which the linker knows the wrapper.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal10MemoryPool3AddEPNS0_7IsolateEPNS0_11MutablePageE(
    pool: *mut c_void,
    isolate: *mut c_void,
    page: *mut c_void,
) {
    // SAFETY: the caller's contract is the same.
    unsafe { __real__ZN2v88internal10MemoryPool3AddEPNS0_7IsolateEPNS0_11MutablePageE(pool, isolate, page) };
    // One that was posted before and has not run yet finds what is handed over now, and posts itself again for it.
    if is_due() {
        let microseconds = i64::try_from(PAUSE.as_micros()).unwrap_or(i64::MAX);
        // SAFETY: the pool is that of the isolate's group, which outlives its tasks.
        unsafe {
            _ZN2v88internal10MemoryPool22PostDelayedReleaseTaskEPNS0_7IsolateENS_4base9TimeDeltaE(
                pool,
                ptr::null_mut(),
                microseconds,
            );
        }
    }
}
