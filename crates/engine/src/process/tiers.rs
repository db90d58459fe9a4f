//! Which of V8's compilers a function gets, and on which thread. build.rs has the linker send here (`--wrap`) what starts them.
//!
//! Maglev compiles quickly, on the guest's own thread: on another it would wait for what Turbofan has under way, for longer than it
//! takes. But it has no bound: it takes 40 KB for an `await`. What is too large for it goes to Turbofan, which refuses functions above
//! a size of its own. In a process with several isolates the guest compiles that on its own thread, too, where its deadline and
//! its limit of memory hold.

use std::ffi::c_void;

use crate::memory::sole;
use crate::process::compile_thread;

/// The longest function that Maglev gets, and that is compiled beside a guest among others: 8 KiB of text, for which Maglev takes some
/// 50 MB at worst.
const MAX_CHARACTERS: i32 = 8 << 10;

/// `v8::internal::ConcurrencyMode`.
const SYNCHRONOUS: u8 = 0;
/// `v8::internal::CodeKind`.
const MAGLEV: u8 = 12;
const TURBOFAN: u8 = 13;

/// `v8::internal::JSFunction` behind its map, properties, elements and dispatch handle: `shared_function_info_`.
const SHARED_OFFSET: usize = 32;
/// What V8 adds to a pointer to its heap.
const HEAP_TAG: usize = 1;

/// `DirectHandle<JSFunction>`: where the pointer to the function is.
type Handle = *const usize;

// SAFETY: `SourceSize` is a method of `v8::internal::SharedFunctionInfo`; the others are those that the linker calls so.
unsafe extern "C" {
    #[link_name = "_ZN2v88internal18SharedFunctionInfo10SourceSizeEv"]
    fn source_size_of(shared: *const c_void) -> i32;
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

/// How the function is compiled, and by which compiler.
///
/// # Safety
/// As for [`source_size`].
unsafe fn chosen(mode: u8, kind: u8, function: Handle) -> (u8, u8) {
    // SAFETY: the caller's contract is the same.
    let is_large = unsafe { source_size(function) } > MAX_CHARACTERS;
    let kind = if is_large && kind == MAGLEV { TURBOFAN } else { kind };
    let is_beside = kind == TURBOFAN && (sole::is_declared() || (!is_large && compile_thread::is_ready()));
    (if is_beside { mode } else { SYNCHRONOUS }, kind)
}

// SAFETY: the name is that by which the linker knows the wrapper of V8's function, which has these parameters.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal8Compiler16CompileOptimizedEPNS0_7IsolateENS0_12DirectHandleINS0_10JSFunctionEEENS0_15ConcurrencyModeENS0_8CodeKindE(
    isolate: *mut c_void,
    function: Handle,
    mode: u8,
    kind: u8,
) {
    // SAFETY: V8 passes a function that it runs.
    unsafe {
        let (mode, kind) = chosen(mode, kind, function);
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
    // SAFETY: as above.
    unsafe {
        let (mode, kind) = chosen(mode, kind, function);
        __real__ZN2v88internal8Compiler19CompileOptimizedOSREPNS0_7IsolateENS0_12DirectHandleINS0_10JSFunctionEEENS0_14BytecodeOffsetENS0_15ConcurrencyModeENS0_8CodeKindE(
            isolate, function, loop_offset, mode, kind,
        )
    }
}

#[cfg(test)]
mod tests {
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
            // SAFETY: a handle of a function that is compiled with its script.
            let size = unsafe { source_size((&raw const *function).cast()) };
            assert_eq!(usize::try_from(size), Ok(body.len()));
        }
    }
}
