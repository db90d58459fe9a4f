//! Replaces the code that V8's messages quote by the code that the guest has written. `f is not a function` has the
//! name of the guest, not the generated name for `f`, and functions have no guards. The linker redirects calls of V8's
//! functions that return the text of an expression or of a function to this file (`--wrap`, build.rs).

use std::ffi::c_void;
use std::mem;
use std::rc::Rc;

use deno_core::v8;

use crate::bridge::interface::Bridge;

/// The longest text that is examined. V8 quotes names and the calls between them.
const MAX_UNITS: usize = 4_096;

// SAFETY: the first function is V8's own, by the name that the linker gives it. The others are declared as in the
// binding.
unsafe extern "C" {
    fn __real__ZN2v88internal11CallPrinter5PrintEPNS0_15FunctionLiteralEi(
        printer: *mut *mut c_void,
        program: *mut c_void,
        position: i32,
    ) -> *const v8::String;
    fn __real__ZN2v88internal10JSFunction8ToStringEPNS0_7IsolateENS0_12DirectHandleIS1_EE(
        isolate: *mut c_void,
        function: *const v8::Function,
    ) -> *const v8::String;
    fn v8__Isolate__GetCurrentContext(isolate: *mut c_void) -> *const v8::Context;
    fn v8__String__Length(this: *const v8::String) -> i32;
    fn v8__String__Write_v2(
        this: *const v8::String,
        isolate: *mut c_void,
        offset: u32,
        length: u32,
        buffer: *mut u16,
        flags: i32,
    );
    fn v8__String__NewFromTwoByte(
        isolate: *mut c_void,
        data: *const u16,
        kind: v8::NewStringType,
        length: i32,
    ) -> *const v8::String;
}

/// # Safety
/// V8 calls this in place of the original function, with its arguments.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal11CallPrinter5PrintEPNS0_15FunctionLiteralEi(
    printer: *mut *mut c_void,
    program: *mut c_void,
    position: i32,
) -> *const v8::String {
    // SAFETY: the arguments are V8's. The result is a handle, which is how the binding represents a string. A printer
    // begins with its isolate. V8 itself makes strings here, so there is room for a handle, and a collection is safe.
    unsafe {
        let text = __real__ZN2v88internal11CallPrinter5PrintEPNS0_15FunctionLiteralEi(printer, program, position);
        let length = v8__String__Length(text) as usize;
        if length > MAX_UNITS {
            return text;
        }
        let mut units = vec![0; length];
        v8__String__Write_v2(text, *printer, 0, units.len() as u32, units.as_mut_ptr(), 0);
        let Some(written) = written(&units) else { return text };
        let made =
            v8__String__NewFromTwoByte(*printer, written.as_ptr(), v8::NewStringType::Normal, written.len() as i32);
        if made.is_null() { text } else { made }
    }
}

/// # Safety
/// V8 calls this in place of the original function, with its arguments.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap__ZN2v88internal10JSFunction8ToStringEPNS0_7IsolateENS0_12DirectHandleIS1_EE(
    isolate: *mut c_void,
    function: *const v8::Function,
) -> *const v8::String {
    // SAFETY: the arguments are V8's, and its handles have the representation of the locals of its interface. V8 itself
    // makes a string here, so there is room for a handle, and a collection is safe.
    unsafe {
        if let Some(written) =
            text_of(isolate, mem::transmute::<*const v8::Function, v8::Local<v8::Function>>(function))
        {
            return mem::transmute::<v8::Local<v8::String>, *const v8::String>(written);
        }
        __real__ZN2v88internal10JSFunction8ToStringEPNS0_7IsolateENS0_12DirectHandleIS1_EE(isolate, function)
    }
}

/// The text of a guest function, as it was written.
///
/// # Safety
/// `isolate` is V8's, and the current one.
unsafe fn text_of<'s>(
    isolate: *mut c_void,
    function: v8::Local<'s, v8::Function>,
) -> Option<v8::Local<'s, v8::String>> {
    // SAFETY: the caller's contract.
    let context = unsafe { v8__Isolate__GetCurrentContext(isolate) };
    if context.is_null() {
        return None;
    }
    // SAFETY: a handle that V8 has just made.
    let context = unsafe { mem::transmute::<*const v8::Context, v8::Local<v8::Context>>(context) };
    v8::callback_scope!(unsafe scope, context);
    let bridge = scope.get_slot::<Rc<dyn Bridge>>()?.clone();
    bridge.function_text(scope, function)
}

/// The text without parts that generated code adds. `None`: it contains none of them.
fn written(units: &[u16]) -> Option<Vec<u16>> {
    let text = String::from_utf16(units).ok()?;
    let written = ses_prepare::guest_text(&text);
    (*written != *text).then(|| written.encode_utf16().collect())
}
