//! The work of the bootstrap's native functions: [`Bridge`] for the host of an isolate.

use deno_core::v8;

use crate::bridge::interface::{Bridge, Pure};
use crate::bridge::modules;
use crate::bridge::output::write_output;
use crate::bridge::pure;
use crate::errors::positions;
use crate::state::host::{Exceeded, Host, Verdict};
use crate::state::log_room::indented;
use crate::values::serialize::Unwritable;
use ses_transfer as transfer;

/// Frames that are searched for the position in the program of a loop that exceeded the limit, or of a throw.
const MAX_FRAMES: usize = 100;

/// Guest code may call a native function from a getter while a value is being written within a limit of memory.
/// Allocations for another purpose do not count against that limit.
impl Bridge for Host {
    fn log_open(&self, level: u32) -> bool {
        self.is_log_open(level as usize)
    }

    /// Copies no more than the log takes, without flattening the string.
    fn log(&self, scope: &mut v8::PinScope<'_, '_>, level: u32, message: v8::Local<'_, v8::String>, indent: usize) {
        if !self.is_log_open(level as usize) {
            return;
        }
        transfer::without_limit(|| {
            // A UTF-16 unit becomes at least one byte. One unit more than there is room for shows that the message was
            // cut.
            let room = self.log_room();
            let units = message.length().min(room + 1);
            let mut text = vec![0u16; units];
            message.write_v2(scope, 0, &mut text, v8::WriteFlags::default());
            let mut text = String::from_utf16_lossy(&text);
            if indent > 0 {
                text = indented(&text, indent, room);
            }
            self.log(level as usize, text, units == message.length());
        });
    }

    /// Writes the value immediately, so that later code cannot change it. For a promise, the result of its code is
    /// written instead.
    fn final_answer(&self, scope: &mut v8::PinScope<'_, '_>, value: v8::Local<'_, v8::Value>) -> bool {
        match self.run.borrow_mut().as_mut() {
            Some(run) if run.is_open() => run.verdict = Some(Verdict::Recording),
            _ => return false,
        }
        let verdict = match v8::Local::<v8::Promise>::try_from(value) {
            Ok(promise) => Verdict::FinalPromise(v8::Global::new(scope, promise)),
            Err(_) => match transfer::without_limit(|| write_output(scope, self, value)) {
                // The run was ended in a getter of the value, and its outcome is recorded: no getter is called again.
                Err(Unwritable::Thrown) if Host::is_terminated(self) => return false,
                Err(Unwritable::Thrown) => Verdict::FinalLate(v8::Global::new(scope, value)),
                value => Verdict::Final(value),
            },
        };
        let is_awaited = matches!(verdict, Verdict::FinalPromise(_));
        if let Some(run) = self.run.borrow_mut().as_mut()
            && matches!(run.verdict, Some(Verdict::Recording))
        {
            run.verdict = Some(verdict);
        }
        is_awaited
    }

    fn is_terminated(&self) -> bool {
        Host::is_terminated(self)
    }

    fn room(&self, heap_bytes: usize) -> usize {
        self.memory.limit().saturating_sub(heap_bytes + self.memory.outside())
    }

    /// Errors record their position themselves.
    fn thrown<'s>(&self, scope: &mut v8::PinScope<'s, '_>, value: v8::Local<'s, v8::Value>) {
        if value.is_native_error() {
            return;
        }
        let Some(trace) = v8::StackTrace::current_stack_trace(scope, MAX_FRAMES) else { return };
        if let Some(run) = self.run.borrow_mut().as_mut() {
            run.thrown = Some((v8::Global::new(scope, value), v8::Global::new(scope, trace)));
        }
    }

    fn function_text<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        function: v8::Local<'s, v8::Function>,
    ) -> Option<v8::Local<'s, v8::String>> {
        positions::function_text(scope, self, function)
    }

    fn guard_exceeded(&self, scope: &mut v8::PinScope<'_, '_>, limit: f64, module: Option<String>) {
        let at = v8::StackTrace::current_stack_trace(scope, MAX_FRAMES).map(|trace| v8::Global::new(scope, trace));
        self.exceed_limit(Some(Exceeded { limit, module, at }));
    }

    fn swallowed(&self, _scope: &mut v8::PinScope<'_, '_>) {
        self.stop_guest();
    }

    fn pure<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        function: Pure,
        args: &v8::FunctionCallbackArguments<'s>,
    ) -> Option<v8::Local<'s, v8::Value>> {
        transfer::without_limit(|| pure::call(scope, self, function, args))
    }

    fn compile_module<'s>(&self, scope: &mut v8::PinScope<'s, '_>, specifier: v8::Local<'s, v8::String>) {
        transfer::without_limit(|| modules::compile(scope, self, specifier));
    }

    fn evaluate_module<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        specifier: v8::Local<'s, v8::String>,
    ) -> Option<v8::Local<'s, v8::Value>> {
        transfer::without_limit(|| modules::evaluate(scope, self, specifier))
    }
}
