//! Built-ins of V8 that take milliseconds for a long text, and are called without a function of the bootstrap round them. build.rs has the
//! linker send here (`--wrap`) who calls them.
//!
//! A loop that V8 has not compiled with an optimising compiler looks at termination when it has run through so many bytes of its
//! bytecode, and at each call of a function in JavaScript. Of such built-ins it calls thousands before.

use std::ffi::c_void;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};

use deno_core::v8;

/// A built-in or a function of V8's runtime: the number of its arguments, the arguments, and the isolate.
type Native = unsafe extern "C" fn(i32, *mut usize, *mut c_void) -> usize;

/// Where a `v8::internal::Isolate` has its `StackGuard`.
const STACK_GUARD_OFFSET: usize = 8;
/// Where that has the address below which a stack is too deep, and what it has there while somebody asks for the thread's attention.
const LIMIT_OFFSET: usize = 24;
const INTERRUPTED: usize = usize::MAX - 1;
/// `v8::internal::StackGuard::InterruptLevel`.
const ANY_EFFECT: u32 = 2;

// SAFETY: the name is that which the linker gives to a method of `v8::internal::StackGuard`.
unsafe extern "C" {
    #[link_name = "_ZN2v88internal10StackGuard16HandleInterruptsENS1_14InterruptLevelE"]
    fn handle_interrupts(guard: *mut c_void, level: u32) -> usize;
}

/// Calls `native`, unless the guest is to end.
///
/// # Safety
/// V8 calls this in place of `native`, with its arguments.
unsafe fn call(native: Native, count: i32, arguments: *mut usize, isolate: *mut c_void) -> usize {
    // SAFETY: the layout is that of the pinned version of V8, which calls `native` where it can collect and end the guest. An isolate is
    // a pointer to it.
    unsafe {
        let guard = isolate.byte_add(STACK_GUARD_OFFSET);
        let limit = AtomicUsize::from_ptr(guard.byte_add(LIMIT_OFFSET).cast());
        if limit.load(Ordering::Relaxed) == INTERRUPTED {
            let handled = handle_interrupts(guard, ANY_EFFECT);
            let raw = mem::transmute::<*mut c_void, v8::UnsafeRawIsolatePtr>(isolate);
            if v8::Isolate::from_raw_isolate_ptr(raw).is_execution_terminating() {
                return handled;
            }
        }
        native(count, arguments, isolate)
    }
}

macro_rules! look_before {
    ($($wrapper:ident => $native:ident),*) => { $(
        // SAFETY: the names are those by which the linker knows V8's function and its wrapper.
        unsafe extern "C" {
            fn $native(count: i32, arguments: *mut usize, isolate: *mut c_void) -> usize;
        }

        // SAFETY: as above.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $wrapper(count: i32, arguments: *mut usize, isolate: *mut c_void) -> usize {
            // SAFETY: the caller's contract is the same.
            unsafe { call($native, count, arguments, isolate) }
        }
    )* };
}

look_before! {
    __wrap__ZN2v88internal31Builtin_CollatorInternalCompareEiPmPNS0_7IsolateE => __real__ZN2v88internal31Builtin_CollatorInternalCompareEiPmPNS0_7IsolateE,
    __wrap__ZN2v88internal40Builtin_StringPrototypeLocaleCompareIntlEiPmPNS0_7IsolateE => __real__ZN2v88internal40Builtin_StringPrototypeLocaleCompareIntlEiPmPNS0_7IsolateE,
    __wrap__ZN2v88internal36Builtin_StringPrototypeNormalizeIntlEiPmPNS0_7IsolateE => __real__ZN2v88internal36Builtin_StringPrototypeNormalizeIntlEiPmPNS0_7IsolateE,
    __wrap__ZN2v88internal38Builtin_StringPrototypeToUpperCaseIntlEiPmPNS0_7IsolateE => __real__ZN2v88internal38Builtin_StringPrototypeToUpperCaseIntlEiPmPNS0_7IsolateE,
    __wrap__ZN2v88internal40Builtin_StringPrototypeToLocaleUpperCaseEiPmPNS0_7IsolateE => __real__ZN2v88internal40Builtin_StringPrototypeToLocaleUpperCaseEiPmPNS0_7IsolateE,
    __wrap__ZN2v88internal29Runtime_StringToLowerCaseIntlEiPmPNS0_7IsolateE => __real__ZN2v88internal29Runtime_StringToLowerCaseIntlEiPmPNS0_7IsolateE
}
