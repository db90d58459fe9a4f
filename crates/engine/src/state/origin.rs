//! Script origins for V8.

use deno_core::v8;

/// The origin of guest code called `name`.
pub fn origin<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    name: v8::Local<'s, v8::String>,
    is_module: bool,
) -> v8::ScriptOrigin<'s> {
    v8::ScriptOrigin::new(scope, name.into(), 0, 0, false, -1, None, false, false, is_module, None)
}
