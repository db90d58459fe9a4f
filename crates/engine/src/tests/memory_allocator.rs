//! Tests of threads whose allocations the system refuses.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::mpsc::channel;
use std::thread;

use super::operators::allocate_or_abort;
use super::*;
use crate::realm::boot::Booted;

const LIMIT_BYTES: usize = 64 << 20;

thread_local! {
    /// The number of the thread's next allocations that are refused.
    static REFUSALS: Cell<usize> = const { Cell::new(0) };
}

pub fn is_refused() -> bool {
    let left = REFUSALS.get();
    REFUSALS.set(left.saturating_sub(1));
    left > 0
}

/// A thread of V8's platform works for all isolates. V8 aborts the process if an allocation fails.
#[test]
fn a_thread_without_an_isolate_waits_for_memory_and_goes_on() {
    REFUSALS.set(3);
    let memory = allocate_or_abort(64);
    assert!(!memory.is_null());
    assert_eq!(REFUSALS.get(), 0);
    // SAFETY: the block came from `allocate`.
    unsafe { free(memory) };
}

#[test]
fn a_thread_with_an_isolate_is_parked_without_memory() {
    let (event, events) = channel();
    let run = move || {
        let parked = event.clone();
        let on_parked = Rc::new(move |_| parked.send("parked").expect("the test waits"));
        let _isolate = Booted::new(LIMIT_BYTES, on_parked).expect("there is memory");
        REFUSALS.set(usize::MAX);
        allocate_or_abort(64);
        event.send("went on").expect("the test waits");
    };
    thread::Builder::new().stack_size(8 << 20).spawn(run).expect("a thread");
    assert_eq!(events.recv(), Ok("parked"));
}
