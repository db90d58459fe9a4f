//! The place from which guest code has called into the host.

use deno_core::v8;

/// The guest code that made a call. `errors::positions::set_position` resolves it to a position, which few calls need.
pub enum Caller {
    /// The running program, by a message of its innermost frame. This takes a third of the time of a stack with that
    /// frame and the native one above it.
    Program(v8::Global<v8::Message>),
    /// Other code, by an error that was made there. Its stack leads to the program.
    Other(v8::Global<v8::Object>),
}

impl Caller {
    /// The innermost frame that is not native. `is_running` recognizes the name of the running program.
    pub fn find(scope: &mut v8::PinScope, is_running: impl FnOnce(&str) -> bool) -> Self {
        let nothing = v8::undefined(scope).into();
        let message = v8::Exception::create_message(scope, nothing);
        let script = message.get_script_resource_name(scope).map(|name| name.to_rust_string_lossy(scope));
        if script.is_some_and(|name| !is_running(&name)) {
            let text = v8::String::empty(scope);
            if let Ok(error) = v8::Local::<v8::Object>::try_from(v8::Exception::error(scope, text)) {
                return Self::Other(v8::Global::new(scope, error));
            }
        }
        Self::Program(v8::Global::new(scope, message))
    }
}
