//! Stack space for recursive code: swc's parser, its visitors and printer, and dropping its tree.
//!
//! The parser cannot be stopped at a depth, so its stack is sized before it starts, from counts that the text cannot
//! falsify (see [`super::nesting`]). Only pages that are touched cost memory. Programs that may touch many, by an
//! estimate of their depth, are rejected first. For modules, the parser's stack is checked at each token
//! (`parse/budget.rs`).

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// Deepest tree that is accepted, counted in nested expressions, statements and patterns.
pub(super) const MAX_DEPTH: u32 = 3_000;

/// Largest stack that is reserved (address space, not memory). Unoptimised frames are larger.
const MAX_BYTES: usize = if cfg!(debug_assertions) { 16 } else { 3 } * (1 << 30);

/// Maximum stack of the parser, the visitors or the printer for one level of nesting. Measured: 3 KiB for parentheses,
/// the most expensive form, in an optimized build; 16 KiB in an unoptimized one.
const LEVEL_BYTES: usize = if cfg!(debug_assertions) { 32 } else { 6 } * (1 << 10);

/// Stack per byte of text for dropping a chain such as `a.b.c`, which the parser builds in a loop. A level of the tree
/// takes at least two bytes of text. Measured: at most 64.
const DROP_BYTES_PER_CODE_BYTE: usize = 256;

/// Stack for everything that does not depend on the input.
const BASE_BYTES: usize = 1 << 20; // 1 MiB

/// The parser's share while it is checked: enough for twice the deepest tree.
const WATCHED_BYTES: usize = 2 * MAX_DEPTH as usize * LEVEL_BYTES;

/// Stack for the work on a source.
pub(super) struct Room {
    pub(super) bytes: usize,
    /// The parser's share, if it has to be checked.
    pub(super) parser_bytes: Option<usize>,
}

/// The stack that a source with this many `openers` may need, if it is known to be no deeper than they allow. If that
/// is not known, or if the openers would need more than the maximum, the parser is checked. `None` if the source is too
/// large for that as well.
pub(super) fn room_for(code_bytes: usize, openers: Option<usize>) -> Option<Room> {
    let visitors = code_bytes.min(MAX_DEPTH as usize).checked_mul(LEVEL_BYTES)?;
    let chains = code_bytes.checked_mul(DROP_BYTES_PER_CODE_BYTE)?;
    let others = BASE_BYTES.checked_add(visitors)?.checked_add(chains)?;
    let with = |parser: usize| others.checked_add(parser).filter(|&bytes| bytes <= MAX_BYTES);
    let counted = openers.and_then(|openers| openers.checked_mul(LEVEL_BYTES)).and_then(with);
    match counted {
        Some(bytes) => Some(Room { bytes, parser_bytes: None }),
        None => with(WATCHED_BYTES).map(|bytes| Room { bytes, parser_bytes: Some(WATCHED_BYTES) }),
    }
}

/// Runs `work` with that much stack: on the thread's own stack if it suffices, otherwise on a new one. A new stack
/// costs system calls and page faults each time. Works on any thread, however little of its stack is left.
///
/// `None` if `work` panicked. swc asserts invariants that odd source can break, some in debug builds only. Source must
/// never crash its host or write to the host's standard error. `work` must not leave anything half-done that its caller
/// uses.
pub(super) fn with_stack<R>(bytes: usize, work: impl FnOnce() -> R) -> Option<R> {
    stacker::maybe_grow(bytes, bytes, || {
        silence_caught_panics();
        let outer = IS_CAUGHT.replace(true);
        let done = panic::catch_unwind(AssertUnwindSafe(work)).ok();
        IS_CAUGHT.set(outer);
        done
    })
}

thread_local! {
    /// A panic of this thread ends in [`with_stack`].
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Suppresses the report of panics that end in [`with_stack`]. All others are reported as before.
fn silence_caught_panics() {
    static SILENCED: Once = Once::new();
    SILENCED.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !IS_CAUGHT.get() {
                report(panic);
            }
        }));
    });
}
