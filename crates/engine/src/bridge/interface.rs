//! What bootstrap JavaScript asks of the host side.

use deno_core::v8;

/// Functions that only compute, for globals of the guest that libraries do the work of: see [`crate::bridge::pure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pure {
    Clone,
    Decode,
    Encode,
    Encoding,
    FromBase64,
    ToBase64,
    Url,
    UrlQuery,
    UrlQueryText,
}

/// The executor, as the ops of [`crate::bridge::ops`] see it: one per isolate, stored in a slot of it as `Rc<dyn Bridge>`.
///
/// Methods run on the isolate's thread, inside a JavaScript call. One that fails throws on `scope` and, where it has a
/// result, returns `None`.
pub trait Bridge {
    /// Whether an entry of `level` would be kept. If not, the console does not even format it.
    fn log_open(&self, level: u32) -> bool;

    /// One entry, each of whose lines has `indent` spaces in front. The message is the guest's own string, of any length, possibly
    /// not yet flat.
    fn log(&self, scope: &mut v8::PinScope<'_, '_>, level: u32, message: v8::Local<'_, v8::String>, indent: usize);

    /// The guest called `final_answer(value)`: records the outcome. Whether it is that of a promise, whose code goes on.
    fn final_answer(&self, scope: &mut v8::PinScope<'_, '_>, value: v8::Local<'_, v8::Value>) -> bool;

    /// The run takes an iteration beyond its limit, or beyond that of modules while it loads one: records the outcome.
    fn guard_exceeded(&self, scope: &mut v8::PinScope<'_, '_>, limit: f64, module: Option<String>);

    /// The guest throws `value`, which need not be an error: notes where.
    fn thrown<'s>(&self, scope: &mut v8::PinScope<'s, '_>, value: v8::Local<'s, v8::Value>);

    /// The text of a function of the guest's, as it was written. `None`: it is not the guest's, or its script is not kept.
    fn function_text<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        function: v8::Local<'s, v8::Function>,
    ) -> Option<v8::Local<'s, v8::String>>;

    /// Whether the guest was terminated for another reason than its iterations.
    fn is_terminated(&self) -> bool;

    /// What the isolate's limit of memory leaves in bytes, where its heap uses so many.
    fn room(&self, heap_bytes: usize) -> usize;

    /// The guest goes on although its outcome is recorded.
    fn swallowed(&self, scope: &mut v8::PinScope<'_, '_>);

    /// Calls one of the functions that only compute. `None`: undefined, or it has thrown.
    fn pure<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        function: Pure,
        args: &v8::FunctionCallbackArguments<'s>,
    ) -> Option<v8::Local<'s, v8::Value>>;

    /// Compiles an authorized module, if that was not done. If it can't, an exception is pending.
    fn compile_module<'s>(&self, scope: &mut v8::PinScope<'s, '_>, specifier: v8::Local<'s, v8::String>);

    /// Evaluates an authorized module and those that it imports: a promise of its namespace. Not while another is evaluated.
    fn evaluate_module<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        specifier: v8::Local<'s, v8::String>,
    ) -> Option<v8::Local<'s, v8::Value>>;
}
