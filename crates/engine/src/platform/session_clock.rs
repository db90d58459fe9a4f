//! The clock of a deterministic session. It stands still while the guest runs, and moves with the commands that carry a
//! time. The linker redirects V8's question for the time here (`--wrap`, build.rs), so that `Date`, `Intl` and
//! `console.time` agree, in optimized code too. A guest has its thread for itself.

use std::cell::Cell;

thread_local! {
    /// Milliseconds since the Unix epoch. `None`: the session is not deterministic.
    static NOW_MS: Cell<Option<f64>> = const { Cell::new(None) };
}

/// A session begins on this thread.
pub fn forget() {
    NOW_MS.set(None);
}

/// Moves the clock to `now_ms`, never backwards. `None` changes nothing.
pub fn set_now(now_ms: Option<f64>) {
    if let Some(now_ms) = now_ms {
        NOW_MS.set(Some(NOW_MS.get().map_or(now_ms, |before| before.max(now_ms))));
    }
}

/// The guest has waited for this long.
pub fn pass(ms: f64) {
    set_now(NOW_MS.get().map(|now_ms| now_ms + ms.max(0.0)));
}

pub fn now_ms() -> Option<f64> {
    NOW_MS.get()
}

pub fn is_deterministic() -> bool {
    NOW_MS.get().is_some()
}

#[cfg(target_os = "linux")]
mod wrapped {
    use std::ffi::c_void;

    use super::now_ms;

    // SAFETY: the linker gives this name to V8's static method.
    unsafe extern "C" {
        #[link_name = "__real__ZN2v88internal6JSDate16CurrentTimeValueEPNS0_7IsolateE"]
        fn current_time(isolate: *mut c_void) -> i64;
    }

    /// # Safety
    /// V8 calls this in place of its own method.
    // SAFETY: the name is the linker's name for the wrapper.
    #[unsafe(export_name = "__wrap__ZN2v88internal6JSDate16CurrentTimeValueEPNS0_7IsolateE")]
    unsafe extern "C" fn session_time(isolate: *mut c_void) -> i64 {
        // SAFETY: V8's own argument.
        now_ms().map_or_else(|| unsafe { current_time(isolate) }, |now_ms| now_ms as i64)
    }
}
