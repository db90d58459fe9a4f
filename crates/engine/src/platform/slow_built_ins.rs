//! Built-ins of V8 that take milliseconds for a long text, and are called without a function of the bootstrap round them. build.rs has the
//! linker send here (`--wrap`) who calls them.
//!
//! A loop that V8 has not compiled with an optimising compiler looks at termination when it has run through so many bytes of its
//! bytecode, and at each call of a function in JavaScript. Of such built-ins it calls thousands before. One that goes through a list of
//! locales looks at none.

use std::ffi::{c_char, c_void};
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};

use deno_core::v8;

use crate::memory::limits::{MemoryGuard, with_guard};

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

/// If the guest is to end, what V8 unwinds it with, which has been thrown.
///
/// # Safety
/// The isolate is the thread's, where V8 can collect and end the guest.
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
    // SAFETY: V8 calls `native` where it can collect and end the guest.
    unsafe { end(isolate).unwrap_or_else(|| native(count, arguments, isolate)) }
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

/// `v8::Maybe<bool>` as it is returned: whether there is a value, and the value.
type MaybeBool = u16;
/// Something was thrown.
const NOTHING: MaybeBool = 0;
/// `true`.
const FOUND: MaybeBool = 0x0101;
/// `v8::internal::ElementTypes`: those of an array-like that stands for the keys of a proxy.
const STRING_AND_SYMBOL: u32 = 1;
/// Keys of a proxy, of each of which V8 has several copies beside the heap.
const MAX_PROXY_KEYS: usize = 1 << 18;
/// Bytes of a language tag, of whose parts V8 and ICU compare each with all others. People write tens.
const MAX_TAG_BYTES: usize = 1024;

// SAFETY: the names are those by which the linker knows functions of V8 and ICU; the last one is of the `v8` crate.
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

/// Whether an object has a property, which proxies are asked for, so that it may be where the guest ends. In a list of locales of any
/// length each is looked for.
///
/// # Safety
/// V8 calls this in place of its own function.
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

/// The elements of an array-like, such as the keys that a proxy says it has.
///
/// # Safety
/// V8 calls this in place of its own function.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal6Object23CreateListFromArrayLikeEPNS0_7IsolateENS0_12DirectHandleIS1_EENS0_12ElementTypesE(
    isolate: *mut c_void,
    object: *mut c_void,
    types: u32,
) -> *const v8::FixedArray {
    // SAFETY: the caller's contract is the same. V8's handles are what the locals of its interface are, and null is none.
    unsafe {
        let array = v8::Local::<v8::Array>::try_from(mem::transmute::<*mut c_void, v8::Local<v8::Value>>(object));
        let is_long = |length: usize| types == STRING_AND_SYMBOL && length > MAX_PROXY_KEYS;
        // V8 makes an internalized text of each, and only those who are asked know the length of what is no array.
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

/// Whether a language tag begins as one has to, without which it is a `RangeError`.
///
/// # Safety
/// V8 calls this in place of its own function.
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

/// Gives ICU's builder of a locale its language tag, or notes that it is none.
///
/// # Safety
/// V8 calls this in place of ICU's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN6icu_7713LocaleBuilder14setLanguageTagENS_11StringPieceE(
    builder: *mut c_void,
    tag: *const u8,
    bytes: i32,
) -> *mut c_void {
    // Of one that is too long, so much that it is none.
    let bytes = if usize::try_from(bytes).is_ok_and(|bytes| bytes > MAX_TAG_BYTES) { 1 } else { bytes };
    // SAFETY: the caller's contract is the same, and the text is no shorter.
    unsafe { __real__ZN6icu_7713LocaleBuilder14setLanguageTagENS_11StringPieceE(builder, tag, bytes) }
}

/// Reads a text among the options of a constructor of `Intl`, such as parts of a language tag: whether it is there, in `text`.
///
/// # Safety
/// V8 calls this in place of its own function.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal15GetStringOptionEPNS0_7IsolateENS0_12DirectHandleINS0_10JSReceiverEEENS3_INS0_6StringEEEPKcPS7_(
    isolate: *mut c_void,
    options: *mut c_void,
    name: *mut c_void,
    method: *const c_char,
    text: *mut v8::Local<'_, v8::String>,
) -> MaybeBool {
    // SAFETY: the caller's contract is the same. V8's handles are what the locals of its interface are.
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
/// The isolate is the thread's, where V8 can throw.
unsafe fn throw_range_error(isolate: *mut c_void, message: &str) {
    // SAFETY: it has a context, whose handle is what a local of V8's interface is.
    let context = unsafe {
        mem::transmute::<*const v8::Context, v8::Local<v8::Context>>(v8__Isolate__GetCurrentContext(isolate))
    };
    // SAFETY: V8 is called back on the isolate's thread, in this context.
    v8::callback_scope!(unsafe scope, context);
    let message = v8::String::new(scope, message).unwrap_or_else(|| v8::String::empty(scope));
    let error = v8::Exception::range_error(scope, message);
    scope.throw_exception(error);
}
