//! Tests of the fields that are read from V8's functions.

use std::rc::Rc;

use deno_core::v8;

use super::*;
use crate::realm::boot::Booted;
use crate::realm::instance::Instance;

#[test]
fn the_size_of_a_function_is_that_of_its_text() {
    let mut booted = Booted::new(64 << 20, Rc::new(|_| ())).map_err(|failure| failure.kind).expect("boots");
    let Instance { isolate, context } = &mut booted.guarded.instance;
    v8::scope_with_context!(scope, isolate, &*context);
    for body in ["() {}".to_owned(), format!("(n) {{ {} }}", "n++;".repeat(3000))] {
        let text = v8::String::new(scope, &format!("(function f{body})")).expect("short");
        let value = v8::Script::compile(scope, text, None).and_then(|script| script.run(scope)).expect("valid");
        let function = v8::Local::<v8::Function>::try_from(value).expect("a function");
        // SAFETY: the handle is of a function that was compiled with its script.
        let size = unsafe { source_size((&raw const *function).cast()) };
        assert_eq!(usize::try_from(size), Ok(body.len()));
    }
}

/// If the field is not found, V8 asks for Turbofan at each round of a loop.
#[test]
fn the_state_of_a_function_is_that_of_its_loops() {
    /// The loops that V8 requests, and whether it may have Maglev's and Turbofan's code of one.
    const KNOWN: u8 = OSR_URGENCY | 0b11000;
    let mut booted = Booted::new(64 << 20, Rc::new(|_| ())).map_err(|failure| failure.kind).expect("boots");
    let Instance { isolate, context } = &mut booted.guarded.instance;
    v8::scope_with_context!(scope, isolate, &*context);
    let text = "function f(end) { let n = 0; for (let i = 0; i < end; i++) n = (n * 31 + i) | 0; return n; } for (let i = 0; i < 10; i++) f(100); f";
    let text = v8::String::new(scope, text).expect("short");
    let (receiver, end) = (v8::undefined(scope).into(), v8::Number::new(scope, 1e7).into());
    // The moment at which V8 finishes compiling on the other thread depends on the machine's load.
    let is_found = (0..100).any(|_| {
        let value = v8::Script::compile(scope, text, None).and_then(|script| script.run(scope)).expect("valid");
        let function = v8::Local::<v8::Function>::try_from(value).expect("a function");
        // SAFETY: the handle is of a function that has run for a while.
        let state = || unsafe { feedback((&raw const *function).cast(), OSR_STATE_OFFSET) }.load(Ordering::Relaxed);
        assert_eq!(state(), 0);
        assert!(function.call(scope, receiver, &[end]).is_some());
        assert_eq!(state() & !KNOWN, 0);
        state() != 0
    });
    assert!(is_found);
}

#[test]
fn a_loop_that_is_under_way_is_not_asked_for_again() {
    let now = Instant::now();
    assert!(is_to_be_asked(1, 10, now));
    assert!(!is_to_be_asked(1, 10, now));
    assert!(is_to_be_asked(1, 20, now) && is_to_be_asked(2, 10, now));
    let later = now + UNDER_WAY;
    assert!(is_to_be_asked(1, 10, later));
    // Loops of other functions take its place.
    for function in 3..3 + MAX_LOOPS {
        assert!(is_to_be_asked(function, 10, later));
    }
    assert!(is_to_be_asked(1, 10, later));
}
