//! Which of V8's compilers a function gets, on which thread, and when. build.rs has the linker send here (`--wrap`) what starts them.
//!
//! Maglev compiles quickly, on the guest's own thread: on another it would wait for what Turbofan has under way, for longer than it
//! takes. But it has no bound: it takes 40 KB for an `await`. What is too large for it goes to Turbofan, which refuses functions above
//! a size of its own. In a process with several isolates the guest compiles that on its own thread, too, where its deadline and
//! its limit of memory hold.
//!
//! While Turbofan compiles a loop beside the guest, V8 compiles no other loop of the function. A program that is one loop behind the other would
//! be interpreted in the next ones until Turbofan is done with one that is over, so V8 is not told.
//!
//! What V8 has learned of a function, which all of them go by, it keeps from the function's eighth call on, or from the eighth round of a
//! loop. Most loops of a program are in code that is called once: of what guests call it is kept from the first call on. V8 has a flag for
//! that (`--lazy-feedback-allocation`), but a session that does nothing would keep it of all that it was made with, too.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use crate::memory::single_isolate;
use crate::platform::compile_thread;

/// The longest function that Maglev gets, and that is compiled beside a guest among others: 8 KiB of text, for which Maglev takes some
/// 50 MB at worst.
const MAX_CHARACTERS: i32 = 8 << 10;

/// A loop that Turbofan was asked to compile is not asked for again for so long, in which it is mostly done.
const UNDER_WAY: Duration = Duration::from_millis(10);
/// So many loops are remembered. V8 queues no more functions.
const MAX_LOOPS: usize = 8;

/// `v8::internal::ConcurrencyMode`.
const SYNCHRONOUS: u8 = 0;
/// `v8::internal::CodeKind`.
const MAGLEV: u8 = 12;
const TURBOFAN: u8 = 13;

/// `v8::internal::JSFunction` behind its map, properties, elements and dispatch handle: `shared_function_info_`.
const SHARED_OFFSET: usize = 32;
/// The same, behind the context: `feedback_cell_`.
const FEEDBACK_CELL_OFFSET: usize = 48;
/// `v8::internal::FeedbackCell`: `value_`, the `FeedbackVector` of a function that has run for a while.
const FEEDBACK_OFFSET: usize = 8;
/// `v8::internal::FeedbackVector`: `osr_state_`, and the first byte of `flags_`.
const OSR_STATE_OFFSET: usize = 21;
const FLAGS_OFFSET: usize = 22;
/// Of `osr_state_`: at loops of what depth V8 asks to have the function compiled. 0: at none.
const OSR_URGENCY: u8 = 0b111;
/// Of `flags_`: a loop of the function is being compiled.
const OSR_TIERING_IN_PROGRESS: u8 = 0b10;
/// What V8 adds to a pointer to its heap.
const HEAP_TAG: usize = 1;

/// `IsCompiledScope`, on the caller's stack.
type CompiledScope = *mut c_void;

/// `DirectHandle<JSFunction>`: where the pointer to the function is.
type Handle = *const usize;

// SAFETY: the first two are methods of `v8::internal::SharedFunctionInfo` and `JSFunction`; the others are those that the linker calls so.
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
    /// Where what V8 has learned of the function is. It may move, and something else be there: then a loop is compiled twice, or later.
    feedback: usize,
    loop_offset: i32,
    at: Instant,
}

thread_local! {
    /// What is called is a guest's.
    static IS_GUESTS: Cell<bool> = const { Cell::new(false) };
    /// Of the thread's guest, the next one in the place of the oldest.
    static ASKED: Cell<([Option<Asked>; MAX_LOOPS], usize)> = const { Cell::new(([None; MAX_LOOPS], 0)) };
}

/// Whether what the calling thread's isolate calls from now on is a guest's, of which V8 learns at once.
pub fn learn_at_once(is_guests: bool) {
    IS_GUESTS.set(is_guests);
}

/// Whether Turbofan is to be asked now to compile the loop, which is noted then.
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

/// Where what V8 has learned of the function is: its `FeedbackVector`.
///
/// # Safety
/// There is a function with feedback at the end of `function`.
unsafe fn feedback_of(function: Handle) -> usize {
    // SAFETY: as for `source_size`.
    unsafe {
        let cell = *((*function - HEAP_TAG + FEEDBACK_CELL_OFFSET) as *const usize) - HEAP_TAG;
        *((cell + FEEDBACK_OFFSET) as *const usize) - HEAP_TAG
    }
}

/// A byte of it.
///
/// # Safety
/// As for [`feedback_of`], and the result is not used behind a collection.
unsafe fn feedback<'a>(function: Handle, offset: usize) -> &'a AtomicU8 {
    // SAFETY: the caller's contract; V8 itself writes there on this thread only.
    unsafe { &*((feedback_of(function) + offset) as *const AtomicU8) }
}

/// Characters of the text of a function.
///
/// # Safety
/// There is a compiled function at the end of `function`.
unsafe fn source_size(function: Handle) -> i32 {
    // SAFETY: the layout is that of the pinned version of V8, whose objects begin where the pointer says without its tag.
    unsafe {
        let function = *function - HEAP_TAG;
        let shared = *((function + SHARED_OFFSET) as *const usize);
        source_size_of((shared - HEAP_TAG) as *const c_void)
    }
}

/// How a function is compiled, and by which compiler.
fn chosen(mode: u8, kind: u8, is_large: bool) -> (u8, u8) {
    let kind = if is_large && kind == MAGLEV { TURBOFAN } else { kind };
    let is_beside = kind == TURBOFAN && (single_isolate::is_declared() || !is_large) && compile_thread::is_ready();
    (if is_beside { mode } else { SYNCHRONOUS }, kind)
}

// SAFETY: the name is that by which the linker knows the wrapper of V8's function, which has these parameters. V8 calls it where a function
// is about to run that is compiled to bytecode.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal10JSFunction22InitializeFeedbackCellEPNS0_7IsolateENS0_12DirectHandleIS1_EEPNS0_15IsCompiledScopeEb(
    isolate: *mut c_void,
    function: Handle,
    scope: CompiledScope,
    resets_budget: bool,
) {
    // SAFETY: what V8 has passed, which it would pass on by itself with the flag.
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
    let is_asked_beside = mode != SYNCHRONOUS && kind == TURBOFAN;
    // SAFETY: as above; V8 asks for loops of functions with feedback only.
    unsafe {
        let is_large = source_size(function) > MAX_CHARACTERS;
        let (mode, kind) = chosen(mode, kind, is_large);
        let compile = || {
            __real__ZN2v88internal8Compiler19CompileOptimizedOSREPNS0_7IsolateENS0_12DirectHandleINS0_10JSFunctionEEENS0_14BytecodeOffsetENS0_15ConcurrencyModeENS0_8CodeKindE(
                isolate, function, loop_offset, mode, kind,
            )
        };
        if !is_asked_beside || is_large {
            return compile();
        }
        // What asks may be Maglev's code, which must not wait for Turbofan: without a thread for that the loop stays as it is.
        if mode == SYNCHRONOUS || !is_to_be_asked(feedback_of(function), loop_offset, Instant::now()) {
            // As where V8 begins to compile: it asks at none of the loops until it finds once more that one is hot.
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
