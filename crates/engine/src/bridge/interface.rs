//! The interface that bootstrap JavaScript calls on the host side.

use deno_core::v8;

/// Functions that only compute, one that draws random numbers, and one that notes a fact. Libraries do their work.
/// Globals of the guest use them: see [`crate::bridge::pure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pure {
    Clone,
    Decode,
    Digest,
    Encode,
    Encoding,
    FromBase64,
    Random,
    Substitute,
    ToBase64,
    Url,
    UrlQuery,
    UrlQueryText,
}

/// The executor, as the ops of [`crate::bridge::ops`] see it. There is one per isolate, stored in a slot of the isolate
/// as `Rc<dyn Bridge>`.
///
/// Methods run on the isolate's thread, inside a JavaScript call. A method that fails throws on `scope` and returns
/// `None` if it has a result.
pub trait Bridge {
    /// Whether an entry of `level` would be kept. If not, the console does not even format it.
    fn log_open(&self, level: u32) -> bool;

    /// Logs one entry. Each of its lines is indented by `indent` spaces. The message is the guest's own string. It can
    /// have any length and need not be flat.
    fn log(&self, scope: &mut v8::PinScope<'_, '_>, level: u32, message: v8::Local<'_, v8::String>, indent: usize);

    /// The guest called `final_answer(value)`: records the outcome. Returns whether the answer is a promise. The code
    /// of a promise goes on.
    fn final_answer(&self, scope: &mut v8::PinScope<'_, '_>, value: v8::Local<'_, v8::Value>) -> bool;

    /// The run exceeded its limit of iterations, or the limit of modules while it loads one: records the outcome.
    fn guard_exceeded(&self, scope: &mut v8::PinScope<'_, '_>, limit: f64, module: Option<String>);

    /// The guest throws `value`, which need not be an error: records the position.
    fn thrown<'s>(&self, scope: &mut v8::PinScope<'s, '_>, value: v8::Local<'s, v8::Value>);

    /// The source text of a guest function, as it was written. `None`: it is not the guest's, or its script was
    /// dropped.
    fn function_text<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        function: v8::Local<'s, v8::Function>,
    ) -> Option<v8::Local<'s, v8::String>>;

    /// Whether the guest was terminated for a reason other than its iterations.
    fn is_terminated(&self) -> bool;

    /// The bytes that the isolate's memory limit leaves when its heap uses `heap_bytes`.
    fn room(&self, heap_bytes: usize) -> usize;

    /// The guest goes on although its outcome is recorded.
    fn swallowed(&self, scope: &mut v8::PinScope<'_, '_>);

    /// Calls one of the functions that only compute. `None`: the result is undefined, or the function has thrown.
    fn pure<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        function: Pure,
        args: &v8::FunctionCallbackArguments<'s>,
    ) -> Option<v8::Local<'s, v8::Value>>;

    /// Compiles an authorized module, unless it is already compiled. If that fails, an exception is pending.
    fn compile_module<'s>(&self, scope: &mut v8::PinScope<'s, '_>, specifier: v8::Local<'s, v8::String>);

    /// Evaluates an authorized module and the modules that it imports. Returns a promise of its namespace. Must not be
    /// called while another module is evaluated.
    fn evaluate_module<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        specifier: v8::Local<'s, v8::String>,
    ) -> Option<v8::Local<'s, v8::Value>>;
}
