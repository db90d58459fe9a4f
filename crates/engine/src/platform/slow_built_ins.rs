//! Built-ins of V8 that take milliseconds for a long string and have no wrapper function in the bootstrap. The linker
//! redirects their callers to this file (`--wrap`, build.rs).
//!
//! A loop in code that is not optimized checks for termination only in two cases: after a certain number of bytes of
//! bytecode, and at each call of a JavaScript function. It can call thousands of such built-ins before that. A built-in
//! that goes through a list of locales never checks.

use std::ffi::{c_char, c_void};
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};

use deno_core::v8;

use crate::memory::limits::{MemoryGuard, with_guard};

/// A built-in or a function of V8's runtime: the number of its arguments, the arguments, and the isolate.
type Native = unsafe extern "C" fn(i32, *mut usize, *mut c_void) -> usize;

/// The offset of the `StackGuard` in a `v8::internal::Isolate`.
const STACK_GUARD_OFFSET: usize = 8;
/// The offset of the stack limit in the guard: the address below which a stack is too deep. An interrupt request
/// replaces it by another value.
const LIMIT_OFFSET: usize = 24;
const INTERRUPTED: usize = usize::MAX - 1;
/// `v8::internal::StackGuard::InterruptLevel`.
const ANY_EFFECT: u32 = 2;

// SAFETY: the linker gives this name to a method of `v8::internal::StackGuard`.
unsafe extern "C" {
    #[link_name = "_ZN2v88internal10StackGuard16HandleInterruptsENS1_14InterruptLevelE"]
    fn handle_interrupts(guard: *mut c_void, level: u32) -> usize;
}

/// If the guest is to end: V8's exception for unwinding it, which has been thrown.
///
/// # Safety
/// The calling thread owns the isolate, at a point where V8 can collect and end the guest.
unsafe fn end(isolate: *mut c_void) -> Option<usize> {
    // SAFETY: the layout is that of the pinned version of V8. An isolate is a pointer to it.
    unsafe {
        let guard = isolate.byte_add(STACK_GUARD_OFFSET);
        let limit = AtomicUsize::from_ptr(guard.byte_add(LIMIT_OFFSET).cast());
        if limit.load(Ordering::Relaxed) != INTERRUPTED {
            return None;
        }
        let handled = handle_interrupts(guard, ANY_EFFECT);
        let raw = mem::transmute::<*mut c_void, v8::UnsafeRawIsolatePtr>(isolate);
        v8::Isolate::from_raw_isolate_ptr(raw).is_execution_terminating().then_some(handled)
    }
}

/// Calls `native`, unless the guest is to end.
///
/// # Safety
/// V8 calls this in place of `native`, with its arguments.
unsafe fn call(native: Native, count: i32, arguments: *mut usize, isolate: *mut c_void) -> usize {
    // SAFETY: V8 calls `native` at a point where it can collect and end the guest.
    unsafe { end(isolate).unwrap_or_else(|| native(count, arguments, isolate)) }
}

macro_rules! look_before {
    ($($wrapper:ident => $native:ident),*) => { $(
        // SAFETY: the names are the linker's names for V8's function and its wrapper.
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

/// `v8::Maybe<bool>` in its returned form: whether there is a value, and the value.
type MaybeBool = u16;
/// An exception was thrown.
const NOTHING: MaybeBool = 0;
/// `true`.
const FOUND: MaybeBool = 0x0101;
/// `v8::internal::ElementTypes`: the element types that are allowed in the array-like of a proxy's keys.
const STRING_AND_SYMBOL: u32 = 1;
/// The most keys of a proxy. V8 has several copies of each outside the heap.
const MAX_PROXY_KEYS: usize = 1 << 18;
/// The most bytes of a language tag. V8 and ICU compare each of its parts with all others. Real tags have tens of
/// bytes.
const MAX_TAG_BYTES: usize = 1024;

// SAFETY: the names are the linker's names for functions of V8 and ICU. The last one belongs to the `v8` crate.
unsafe extern "C" {
    fn __real__ZN2v88internal10JSReceiver11HasPropertyEPNS0_14LookupIteratorE(lookup: *mut c_void) -> MaybeBool;
    fn __real__ZN2v88internal8JSLocale27StartsWithUnicodeLanguageIdENSt4__Cr17basic_string_viewIcNS2_11char_traitsIcEEEE(
        tag: *const u8,
        bytes: usize,
    ) -> bool;
    fn __real__ZN6icu_7713LocaleBuilder14setLanguageTagENS_11StringPieceE(
        builder: *mut c_void,
        tag: *const u8,
        bytes: i32,
    ) -> *mut c_void;
    fn __real__ZN2v88internal15GetStringOptionEPNS0_7IsolateENS0_12DirectHandleINS0_10JSReceiverEEENS3_INS0_6StringEEEPKcPS7_(
        isolate: *mut c_void,
        options: *mut c_void,
        name: *mut c_void,
        method: *const c_char,
        text: *mut v8::Local<'_, v8::String>,
    ) -> MaybeBool;
    fn __real__ZN2v88internal6Object23CreateListFromArrayLikeEPNS0_7IsolateENS0_12DirectHandleIS1_EENS0_12ElementTypesE(
        isolate: *mut c_void,
        object: *mut c_void,
        types: u32,
    ) -> *const v8::FixedArray;
    fn v8__Isolate__GetCurrentContext(isolate: *mut c_void) -> *const v8::Context;
}

/// Whether an object has a property. Proxies may be asked, so the guest may end here. V8 calls this for each element of
/// a list of locales, however long the list is.
///
/// # Safety
/// V8 calls this in place of the original function.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal10JSReceiver11HasPropertyEPNS0_14LookupIteratorE(
    lookup: *mut c_void,
) -> MaybeBool {
    let isolate = with_guard(MemoryGuard::isolate);
    // SAFETY: the guard's isolate is the thread's; the caller's contract is the same. A raw isolate is a pointer to it.
    unsafe {
        match isolate.and_then(|isolate| end(mem::transmute::<v8::UnsafeRawIsolatePtr, *mut c_void>(isolate))) {
            Some(_) => NOTHING,
            None => __real__ZN2v88internal10JSReceiver11HasPropertyEPNS0_14LookupIteratorE(lookup),
        }
    }
}

/// The elements of an array-like, such as the keys that a proxy reports.
///
/// # Safety
/// V8 calls this in place of the original function.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal6Object23CreateListFromArrayLikeEPNS0_7IsolateENS0_12DirectHandleIS1_EENS0_12ElementTypesE(
    isolate: *mut c_void,
    object: *mut c_void,
    types: u32,
) -> *const v8::FixedArray {
    // SAFETY: the caller's contract is the same. V8's handles have the representation of the locals of its interface,
    // and null is the empty one.
    unsafe {
        let array = v8::Local::<v8::Array>::try_from(mem::transmute::<*mut c_void, v8::Local<v8::Value>>(object));
        let is_long = |length: usize| types == STRING_AND_SYMBOL && length > MAX_PROXY_KEYS;
        // V8 interns a string for each element. The length of an object that is not an array is known only after a read
        // that may run code.
        if !array.is_ok_and(|array| is_long(array.length() as usize)) {
            let list = __real__ZN2v88internal6Object23CreateListFromArrayLikeEPNS0_7IsolateENS0_12DirectHandleIS1_EENS0_12ElementTypesE(isolate, object, types);
            if list.is_null() || !is_long((*list).length()) {
                return list;
            }
        }
        throw_range_error(isolate, &format!("A proxy has at most {MAX_PROXY_KEYS} keys"));
        std::ptr::null()
    }
}

/// Whether a language tag begins with a valid part. Otherwise V8 throws a `RangeError`.
///
/// # Safety
/// V8 calls this in place of the original function.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal8JSLocale27StartsWithUnicodeLanguageIdENSt4__Cr17basic_string_viewIcNS2_11char_traitsIcEEEE(
    tag: *const u8,
    bytes: usize,
) -> bool {
    // SAFETY: the caller's contract is the same.
    bytes <= MAX_TAG_BYTES
        && unsafe {
            __real__ZN2v88internal8JSLocale27StartsWithUnicodeLanguageIdENSt4__Cr17basic_string_viewIcNS2_11char_traitsIcEEEE(tag, bytes)
        }
}

/// Passes a language tag to ICU's builder of a locale, or an invalid tag.
///
/// # Safety
/// V8 calls this in place of ICU's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN6icu_7713LocaleBuilder14setLanguageTagENS_11StringPieceE(
    builder: *mut c_void,
    tag: *const u8,
    bytes: i32,
) -> *mut c_void {
    // A tag that is too long is cut to a length that is invalid.
    let bytes = if usize::try_from(bytes).is_ok_and(|bytes| bytes > MAX_TAG_BYTES) { 1 } else { bytes };
    // SAFETY: the caller's contract is the same, and the tag is not shorter than `bytes`.
    unsafe { __real__ZN6icu_7713LocaleBuilder14setLanguageTagENS_11StringPieceE(builder, tag, bytes) }
}

/// Reads a string option of a constructor of `Intl`, such as a part of a language tag. Returns whether it is present;
/// `text` is its value.
///
/// # Safety
/// V8 calls this in place of the original function.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal15GetStringOptionEPNS0_7IsolateENS0_12DirectHandleINS0_10JSReceiverEEENS3_INS0_6StringEEEPKcPS7_(
    isolate: *mut c_void,
    options: *mut c_void,
    name: *mut c_void,
    method: *const c_char,
    text: *mut v8::Local<'_, v8::String>,
) -> MaybeBool {
    // SAFETY: the caller's contract is the same. V8's handles have the representation of the locals of its interface.
    unsafe {
        let found = __real__ZN2v88internal15GetStringOptionEPNS0_7IsolateENS0_12DirectHandleINS0_10JSReceiverEEENS3_INS0_6StringEEEPKcPS7_(isolate, options, name, method, text);
        if found != FOUND || (*text).length() <= MAX_TAG_BYTES {
            return found;
        }
        throw_range_error(isolate, &format!("An option has at most {MAX_TAG_BYTES} characters"));
        NOTHING
    }
}

/// # Safety
/// The calling thread owns the isolate, at a point where V8 can throw.
unsafe fn throw_range_error(isolate: *mut c_void, message: &str) {
    // SAFETY: the isolate has a context, whose handle has the representation of a local of V8's interface.
    let context = unsafe {
        mem::transmute::<*const v8::Context, v8::Local<v8::Context>>(v8__Isolate__GetCurrentContext(isolate))
    };
    // SAFETY: V8 calls this on the isolate's thread, in this context.
    v8::callback_scope!(unsafe scope, context);
    let message = v8::String::new(scope, message).unwrap_or_else(|| v8::String::empty(scope));
    let error = v8::Exception::range_error(scope, message);
    scope.throw_exception(error);
}
