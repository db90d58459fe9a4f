//! Stops the thread of an isolate that cannot go on.

use std::cell::RefCell;
use std::ffi::c_char;
use std::sync::mpsc::Sender;

use deno_core::v8;

use crate::memory::limits::{MemoryGuard, close_account, with_guard};
use crate::memory::parking::park_thread;
use crate::memory::single_isolate;
#[cfg(target_os = "linux")]
use crate::memory::thread_leftovers;
use ses_protocol::Failure;

/// Reports that the calling thread's isolate is lost and never returns, if the thread has an isolate.
pub fn park() {
    let bytes = with_guard(MemoryGuard::held_bytes);
    // Allocations of the report count for no isolate.
    close_account();
    #[cfg(target_os = "linux")]
    if bytes.is_some() {
        // The thread never frees anything again. The syntax tree of a large program has left free memory in its arena.
        thread_leftovers::give_back_all();
    }
    park_thread(bytes);
}

thread_local! {
    /// Dropped when the thread that starts V8 cannot do so.
    static STARTING: RefCell<Option<Sender<Result<(), Failure>>>> = const { RefCell::new(None) };
}

/// Calls `start` and sends its result to `started`, whose receiver another thread waits on. If V8 stops this thread,
/// the sender is dropped, so that the receiver learns that no result will come.
pub fn start(started: Sender<Result<(), Failure>>, start: impl FnOnce() -> Result<(), Failure>) {
    STARTING.set(Some(started));
    let result = start();
    if let Some(started) = STARTING.take() {
        // The receiver waits until it gets the result.
        let _ = started.send(result);
    }
}

/// Ends the work of the calling thread. A thread with an isolate is parked. A thread of the platform works for isolates
/// of other threads: each of them that waits for it meets its deadline. A thread that starts V8 leaves the process
/// without V8.
pub fn stop() -> ! {
    if STARTING.take().is_none() {
        park();
    }
    loop {
        std::thread::park();
    }
}

/// Parks the thread if its isolate exceeds its limit by far. A built-in that makes millions of ICU objects does not
/// check for termination, and neither does a compiler. Must be called only where V8 itself allocates, because the
/// thread must not hold a lock that another thread waits for.
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

/// The same when ICU is about to allocate `bytes`. Splitting a long string into words needs many times its size in one
/// call.
#[cfg(target_os = "linux")]
pub fn park_in_icu_if_far_over(bytes: usize) {
    if with_guard(|guard| guard.is_far_over_with(bytes) && guard.can_park()) == Some(true) {
        park();
    }
}

/// V8 aborts the process if this returns, so it does not. The run is settled and the thread parked for good. No other
/// thread that waits for this one has frames of V8 on its stack.
unsafe extern "C" fn on_out_of_memory(_location: *const c_char, _details: &v8::OomDetails) {
    stop();
}

/// Makes the thread of `isolate` stop when there is no memory left.
pub fn stop_without_memory(isolate: &mut v8::Isolate) {
    isolate.set_oom_error_handler(on_out_of_memory);
}
