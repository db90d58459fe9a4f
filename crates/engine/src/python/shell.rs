//! The functions of `js/python/shell.js` in an isolate, in the form in which Rust calls them.

use deno_core::v8;

use crate::state::origin::origin;

/// The text of the script.
pub const TEXT: &str = include_str!("../../js/python/shell.js");

/// Scripts that `shell.js` gets as functions, by name and in this order, after `guest.js`.
pub const PARTS: [(&str, &str); 3] = [
    ("mount.js", include_str!("../../js/python/mount.js")),
    ("files.js", include_str!("../../js/python/files.js")),
    ("outside.js", include_str!("../../js/python/outside.js")),
];

/// A program like those that agents write. Python runs it before V8's machine code is kept.
pub const REHEARSAL_TEXT: &str = include_str!("../../js/python/rehearsal.py");

/// The result of the script. Guest code cannot reach it.
pub struct Shell(v8::Global<v8::Object>);

impl Shell {
    /// Evaluates the script to a function, and calls it with `natives`.
    pub fn new(scope: &mut v8::PinScope, natives: v8::Local<v8::Object>) -> Option<Self> {
        let function = v8::Local::<v8::Function>::try_from(evaluate(scope, "shell.js", TEXT)?).ok()?;
        let receiver = v8::undefined(scope).into();
        let natives = v8::Local::new(scope, natives);
        let shell = function.call(scope, receiver, &[natives.into()])?;
        let shell = v8::Local::<v8::Object>::try_from(shell).ok()?;
        Some(Self(v8::Global::new(scope, shell)))
    }

    /// Calls one of the functions. `None`: an exception is pending, or the isolate is being terminated.
    pub fn call<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        name: &str,
        args: &[v8::Local<'s, v8::Value>],
    ) -> Option<v8::Local<'s, v8::Value>> {
        let shell = v8::Local::new(scope, &self.0);
        let name = v8::String::new(scope, name)?;
        let function = v8::Local::<v8::Function>::try_from(shell.get(scope, name.into())?).ok()?;
        let receiver = v8::undefined(scope).into();
        function.call(scope, receiver, args)
    }

    /// Python's memory.
    pub fn memory<'s>(&self, scope: &mut v8::PinScope<'s, '_>) -> Option<v8::Local<'s, v8::WasmMemoryObject>> {
        self.call(scope, "memory", &[])?.try_into().ok()
    }
}

/// The completion value of a script.
pub fn evaluate<'s>(scope: &mut v8::PinScope<'s, '_>, name: &str, text: &str) -> Option<v8::Local<'s, v8::Value>> {
    let name = v8::String::new(scope, name)?;
    let origin = origin(scope, name, false);
    let text = v8::String::new(scope, text)?;
    v8::Script::compile(scope, text, Some(&origin))?.run(scope)
}
