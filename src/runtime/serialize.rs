//! Values in and out of the isolate, by V8's structured clone.

use deno_core::v8;
use v8::{ValueDeserializerHelper, ValueSerializerHelper};

use crate::transfer;

struct Writer;

impl v8::ValueSerializerImpl for Writer {
    fn throw_data_clone_error<'s>(&self, scope: &mut v8::PinScope<'s, '_>, message: v8::Local<'s, v8::String>) {
        let error = v8::Exception::type_error(scope, message);
        scope.throw_exception(error);
    }
}

struct Reader;

impl v8::ValueDeserializerImpl for Reader {
    /// The host writes every array buffer view as a host object whose body is one nested value: see
    /// `lib/transfer.js`.
    fn read_host_object<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        deserializer: &dyn v8::ValueDeserializerHelper,
    ) -> Option<v8::Local<'s, v8::Object>> {
        let context = scope.get_current_context();
        deserializer.read_value(context)?.try_into().ok()
    }
}

/// Why a value has no wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwritable {
    /// It cannot be cloned, an exception is pending, or the isolate is being terminated.
    Thrown,
    /// It takes more bytes than allowed: this many, if it was written to its end.
    TooLarge(Option<usize>),
}

/// Clones `value` into wire bytes, `max_bytes` at most. Getters and proxies of the guest run here.
pub fn write<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    value: v8::Local<'s, v8::Value>,
    max_bytes: usize,
) -> Result<Vec<u8>, Unwritable> {
    let context = scope.get_current_context();
    let serializer = v8::ValueSerializer::new(scope, Box::new(Writer));
    let (written, refused) = transfer::with_limit(max_bytes, || {
        serializer.write_header();
        serializer.write_value(context, value)
    });
    if written != Some(true) {
        return Err(if refused { Unwritable::TooLarge(None) } else { Unwritable::Thrown });
    }
    let wire = serializer.release();
    if wire.len() > max_bytes {
        return Err(Unwritable::TooLarge(Some(wire.len())));
    }
    transfer::for_host(wire).ok_or(Unwritable::Thrown)
}

/// Reads the value of `wire`, which the host wrote, into the current realm. `None`: the bytes are broken, the nesting is deeper than the
/// stack, or memory is exhausted; an exception may be pending.
pub fn read<'s>(scope: &mut v8::PinScope<'s, '_>, wire: &[u8]) -> Option<v8::Local<'s, v8::Value>> {
    let context = scope.get_current_context();
    let cleaned = transfer::without_stacks(wire);
    let wire = cleaned.as_deref().unwrap_or(wire);
    let deserializer = v8::ValueDeserializer::new(scope, Box::new(Reader), wire);
    if deserializer.read_header(context) != Some(true) {
        return None;
    }
    deserializer.read_value(context)
}
