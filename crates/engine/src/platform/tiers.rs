//! Decides which of V8's compilers a function gets, on which thread, and when. The linker redirects the functions that
//! start them to this file (`--wrap`, build.rs).
//!
//! Maglev compiles quickly, on the guest's own thread. On another thread it would have to wait for Turbofan's current
//! work, which takes longer than its own. But Maglev has no limit: it takes 40 KB for an `await`. Functions that are
//! too large for it go to Turbofan, which refuses functions above its own limit. In a process with several isolates,
//! the guest compiles these functions on its own thread too, where its deadline and its memory limit apply.
//!
//! While Turbofan compiles a loop on another thread, V8 compiles no other loop of the function. In a program with
//! several loops in sequence, the later loops would be interpreted until Turbofan has finished a loop that is already
//! over. So V8 is not told that a compilation is under way.
//!
//! V8 collects feedback on a function, which all its compilers use, from the function's eighth call on, or from the
//! eighth round of a loop. Most loops of a program are in code that is called once, so feedback on guest code is
//! collected from the first call on. V8 has a flag for that (`--lazy-feedback-allocation`). But with the flag, an idle
//! session would also keep feedback on all code that the session was made with.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use crate::memory::single_isolate;
use crate::platform::compile_thread;

/// The longest function that Maglev compiles, and that is compiled on another thread in a process with several
/// isolates. 8 KiB of text. Maglev takes about 50 MB for it in the worst case.
const MAX_CHARACTERS: i32 = 8 << 10;

/// After Turbofan was asked to compile a loop, it is not asked again for this time. Most compilations are finished by
/// then.
const UNDER_WAY: Duration = Duration::from_millis(10);
/// The number of loops that are remembered. V8 queues no more functions.
const MAX_LOOPS: usize = 8;

/// `v8::internal::ConcurrencyMode`.
const SYNCHRONOUS: u8 = 0;
/// `v8::internal::CodeKind`.
const MAGLEV: u8 = 12;
const TURBOFAN: u8 = 13;

/// `v8::internal::JSFunction` after its map, properties, elements and dispatch handle: `shared_function_info_`.
const SHARED_OFFSET: usize = 32;
/// The same, after the context: `feedback_cell_`.
const FEEDBACK_CELL_OFFSET: usize = 48;
/// `v8::internal::FeedbackCell`: `value_`, the `FeedbackVector` of a function that has run for a while.
const FEEDBACK_OFFSET: usize = 8;
/// `v8::internal::FeedbackVector`: `osr_state_`, and the first byte of `flags_`.
const OSR_STATE_OFFSET: usize = 21;
const FLAGS_OFFSET: usize = 22;
/// Bits of `osr_state_`: the loop depth at which V8 requests compilation of the function. 0: never.
const OSR_URGENCY: u8 = 0b111;
/// Bit of `flags_`: a loop of the function is being compiled.
const OSR_TIERING_IN_PROGRESS: u8 = 0b10;
/// The tag that V8 adds to a pointer to its heap.
const HEAP_TAG: usize = 1;

/// `IsCompiledScope`, on the caller's stack.
type CompiledScope = *mut c_void;

/// `DirectHandle<JSFunction>`: the address of the pointer to the function.
type Handle = *const usize;

// SAFETY: the first two are methods of `v8::internal::SharedFunctionInfo` and `JSFunction`. The linker gives the others
// these names.
unsafe extern "C" {
    #[link_name = "_ZN2v88internal18SharedFunctionInfo10SourceSizeEv"]
    fn source_size_of(shared: *const c_void) -> i32;
    #[link_name = "_ZN2v88internal10JSFunction20EnsureFeedbackVectorEPNS0_7IsolateENS0_12DirectHandleIS1_EEPNS0_15IsCompiledScopeE"]
    fn ensure_feedback(isolate: *mut c_void, function: Handle, scope: CompiledScope);
    fn __real__ZN2v88internal10JSFunction22InitializeFeedbackCellEPNS0_7IsolateENS0_12DirectHandleIS1_EEPNS0_15IsCompiledScopeEb(
        isolate: *mut c_void,
        function: Handle,
        scope: CompiledScope,
        resets_budget: bool,
    );
    fn __real__ZN2v88internal8Compiler16CompileOptimizedEPNS0_7IsolateENS0_12DirectHandleINS0_10JSFunctionEEENS0_15ConcurrencyModeENS0_8CodeKindE(
        isolate: *mut c_void,
        function: Handle,
        mode: u8,
        kind: u8,
    );
    fn __real__ZN2v88internal8Compiler19CompileOptimizedOSREPNS0_7IsolateENS0_12DirectHandleINS0_10JSFunctionEEENS0_14BytecodeOffsetENS0_15ConcurrencyModeENS0_8CodeKindE(
        isolate: *mut c_void,
        function: Handle,
        loop_offset: i32,
        mode: u8,
        kind: u8,
    ) -> *const usize;
}

/// A loop of a function that Turbofan was asked to compile.
#[derive(Clone, Copy)]
struct Asked {
    /// The address of the function's feedback. A collection may move it and put another object there. Then a loop is
    /// compiled twice, or later.
    feedback: usize,
    loop_offset: i32,
    at: Instant,
}

thread_local! {
    /// The functions that are called belong to a guest.
    static IS_GUESTS: Cell<bool> = const { Cell::new(false) };
    /// Loops of the thread's guest. The next one replaces the oldest.
    static ASKED: Cell<([Option<Asked>; MAX_LOOPS], usize)> = const { Cell::new(([None; MAX_LOOPS], 0)) };
}

/// Sets whether the calling thread's isolate runs guest code from now on. V8 collects feedback on guest code from the
/// first call on.
pub fn set_runs_guest_code(is_guests: bool) {
    IS_GUESTS.set(is_guests);
}

/// Whether to ask Turbofan now to compile the loop. If so, records the loop.
fn is_to_be_asked(feedback: usize, loop_offset: i32, now: Instant) -> bool {
    let (mut loops, next) = ASKED.get();
    let is_it = |asked: &Asked| (asked.feedback, asked.loop_offset) == (feedback, loop_offset);
    if loops.iter().flatten().any(|asked| is_it(asked) && now - asked.at < UNDER_WAY) {
        return false;
    }
    loops[next] = Some(Asked { feedback, loop_offset, at: now });
    ASKED.set((loops, (next + 1) % MAX_LOOPS));
    true
}

/// The address of the function's feedback, its `FeedbackVector`.
///
/// # Safety
/// `function` points to a function with feedback.
unsafe fn feedback_of(function: Handle) -> usize {
    // SAFETY: as for `source_size`.
    unsafe {
        let cell = *((*function - HEAP_TAG + FEEDBACK_CELL_OFFSET) as *const usize) - HEAP_TAG;
        *((cell + FEEDBACK_OFFSET) as *const usize) - HEAP_TAG
    }
}

/// A byte of the feedback.
///
/// # Safety
/// As for [`feedback_of`], and the result is not used after a collection.
unsafe fn feedback<'a>(function: Handle, offset: usize) -> &'a AtomicU8 {
    // SAFETY: the caller's contract; V8 itself writes there only on this thread.
    unsafe { &*((feedback_of(function) + offset) as *const AtomicU8) }
}

/// The number of characters of a function's source.
///
/// # Safety
/// `function` points to a compiled function.
unsafe fn source_size(function: Handle) -> i32 {
    // SAFETY: the layout is that of the pinned version of V8. Its objects begin at the pointer without its tag.
    unsafe {
        let function = *function - HEAP_TAG;
        let shared = *((function + SHARED_OFFSET) as *const usize);
        source_size_of((shared - HEAP_TAG) as *const c_void)
    }
}

/// How a function is compiled, and by which compiler.
fn chosen(mode: u8, kind: u8, is_large: bool) -> (u8, u8) {
    let kind = if is_large && kind == MAGLEV { TURBOFAN } else { kind };
    let is_parallel = kind == TURBOFAN && (single_isolate::is_declared() || !is_large) && compile_thread::is_ready();
    (if is_parallel { mode } else { SYNCHRONOUS }, kind)
}

// SAFETY: the name is the linker's name for the wrapper of V8's function, which has these parameters. V8 calls it when
// a function that is compiled to bytecode is about to run.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal10JSFunction22InitializeFeedbackCellEPNS0_7IsolateENS0_12DirectHandleIS1_EEPNS0_15IsCompiledScopeEb(
    isolate: *mut c_void,
    function: Handle,
    scope: CompiledScope,
    resets_budget: bool,
) {
    // SAFETY: the arguments are V8's. With the flag, V8 would pass them on itself.
    unsafe {
        __real__ZN2v88internal10JSFunction22InitializeFeedbackCellEPNS0_7IsolateENS0_12DirectHandleIS1_EEPNS0_15IsCompiledScopeEb(
            isolate, function, scope, resets_budget,
        );
        if IS_GUESTS.get() {
            ensure_feedback(isolate, function, scope);
        }
    }
}

// SAFETY: as above.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal8Compiler16CompileOptimizedEPNS0_7IsolateENS0_12DirectHandleINS0_10JSFunctionEEENS0_15ConcurrencyModeENS0_8CodeKindE(
    isolate: *mut c_void,
    function: Handle,
    mode: u8,
    kind: u8,
) {
    // SAFETY: V8 passes a function that it runs.
    unsafe {
        let (mode, kind) = chosen(mode, kind, source_size(function) > MAX_CHARACTERS);
        __real__ZN2v88internal8Compiler16CompileOptimizedEPNS0_7IsolateENS0_12DirectHandleINS0_10JSFunctionEEENS0_15ConcurrencyModeENS0_8CodeKindE(
            isolate, function, mode, kind,
        );
    }
}

// SAFETY: as above.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal8Compiler19CompileOptimizedOSREPNS0_7IsolateENS0_12DirectHandleINS0_10JSFunctionEEENS0_14BytecodeOffsetENS0_15ConcurrencyModeENS0_8CodeKindE(
    isolate: *mut c_void,
    function: Handle,
    loop_offset: i32,
    mode: u8,
    kind: u8,
) -> *const usize {
    let is_asked_in_parallel = mode != SYNCHRONOUS && kind == TURBOFAN;
    // SAFETY: as above; V8 asks for loops of functions with feedback only.
    unsafe {
        let is_large = source_size(function) > MAX_CHARACTERS;
        let (mode, kind) = chosen(mode, kind, is_large);
        let compile = || {
            __real__ZN2v88internal8Compiler19CompileOptimizedOSREPNS0_7IsolateENS0_12DirectHandleINS0_10JSFunctionEEENS0_14BytecodeOffsetENS0_15ConcurrencyModeENS0_8CodeKindE(
                isolate, function, loop_offset, mode, kind,
            )
        };
        if !is_asked_in_parallel || is_large {
            return compile();
        }
        // The request may come from Maglev's code, which must not wait for Turbofan. Without a compile thread, the loop
        // stays as it is.
        if mode == SYNCHRONOUS || !is_to_be_asked(feedback_of(function), loop_offset, Instant::now()) {
            // As V8 does when it begins to compile: it makes no request at any loop until it finds again that one is
            // hot.
            feedback(function, OSR_STATE_OFFSET).fetch_and(!OSR_URGENCY, Ordering::Relaxed);
            return std::ptr::null();
        }
        let code = compile();
        feedback(function, FLAGS_OFFSET).fetch_and(!OSR_TIERING_IN_PROGRESS, Ordering::Relaxed);
        code
    }
}

#[cfg(test)]
#[path = "../tests/platform_tiers.rs"]
mod tests;
