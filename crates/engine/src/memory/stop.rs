//! How the thread of an isolate stops that cannot go on.

use std::cell::RefCell;
use std::ffi::c_char;
use std::sync::mpsc::Sender;

use deno_core::v8;

use crate::memory::limits::{MemoryGuard, close_account, with_guard};
use crate::memory::parking::park_thread;
use crate::memory::single_isolate;
use ses_protocol::Failure;

/// Reports that the calling thread's isolate is lost and never returns, if the thread has an isolate.
pub fn park() {
    let bytes = with_guard(MemoryGuard::held_bytes);
    // What reporting allocates is nobody's.
    close_account();
    park_thread(bytes);
}

thread_local! {
    /// Dropped when the thread, which starts V8, cannot.
    static STARTING: RefCell<Option<Sender<Result<(), Failure>>>> = const { RefCell::new(None) };
}

/// Calls `start` on a thread that whoever has the other end of `started` waits for. That one is told what `start` has returned,
/// and learns that nobody will tell it if V8 stops the thread.
pub fn start(started: Sender<Result<(), Failure>>, start: impl FnOnce() -> Result<(), Failure>) {
    STARTING.set(Some(started));
    let result = start();
    if let Some(started) = STARTING.take() {
        // Who waits does so until it is told.
        let _ = started.send(result);
    }
}

/// Ends what the calling thread does: parks it if it has an isolate. One of the platform works for isolates of others, of
/// which each that waits for it meets its deadline. One that starts V8 leaves the process without it.
pub fn stop() -> ! {
    if STARTING.take().is_none() {
        park();
    }
    loop {
        std::thread::park();
    }
}

/// Parks the thread if its isolate holds far more than its limit: a built-in that makes objects of ICU by the million
/// looks for no termination, and neither does a compiler. Only to be called where V8 itself allocates: the thread may
/// hold no lock that another one waits for.
#[cfg(target_os = "linux")]
pub fn park_if_far_over() {
    match with_guard(|guard| guard.is_far_over() && guard.can_park()) {
        Some(true) => park(),
        Some(false) => {}
        None => single_isolate::lose_if_far_over(),
    }
}

/// The same within an operator `new`.
#[cfg(target_os = "linux")]
pub fn park_in_new_if_far_over() {
    if with_guard(|guard| guard.is_far_over() && guard.can_park()) == Some(true) {
        with_guard(MemoryGuard::begin_change);
        park();
    }
}

/// The same where ICU is about to allocate `bytes`. Taking a long text apart by words needs many times the text in one call.
#[cfg(target_os = "linux")]
pub fn park_in_icu_if_far_over(bytes: usize) {
    if with_guard(|guard| guard.is_far_over_with(bytes) && guard.can_park()) == Some(true) {
        park();
    }
}

/// V8 aborts the process when this returns, so it does not: the run is settled, the thread parked for good.
/// Nothing of V8 is on the stack of any other thread that waits for this one.
unsafe extern "C" fn on_out_of_memory(_location: *const c_char, _details: &v8::OomDetails) {
    stop();
}

/// Has the thread of `isolate` stop when there is no memory left.
pub fn stop_without_memory(isolate: &mut v8::Isolate) {
    isolate.set_oom_error_handler(on_out_of_memory);
}
