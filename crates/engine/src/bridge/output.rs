//! Outputs of runs, written for the host.

use deno_core::v8;

use crate::state::host::Host;
use crate::values::serialize::{self, Unwritable};
use ses_protocol::Value;

/// A copy of an output. URLs become their strings, and blobs their bytes. Values that cannot be cloned become the
/// string that inspection returns, so that an otherwise successful run does not fail. `Thrown`: the stack or memory
/// that is left does not suffice even for that.
pub fn write_output(scope: &mut v8::PinScope, host: &Host, value: v8::Local<v8::Value>) -> Result<Value, Unwritable> {
    let way = host.way(host.context.config().max_transfer_bytes);
    v8::tc_scope!(let attempt, scope);
    let mut value = v8::Local::new(attempt, value);
    if host.has_substituted.get() {
        match host.realm.get().and_then(|realm| realm.with_substitutes(attempt, value)) {
            Some(written) => value = written,
            None if attempt.has_terminated() => return Err(Unwritable::Thrown),
            None => attempt.reset(),
        }
    }
    match serialize::write_value(attempt, value, way) {
        Err(Unwritable::Thrown) if !attempt.has_terminated() => attempt.reset(),
        done => return done,
    }
    let realm = host.realm.get().ok_or(Unwritable::Thrown)?;
    if let Some(cloneable) = realm.to_cloneable(attempt, value) {
        match serialize::write_value(attempt, cloneable, way) {
            Err(Unwritable::Thrown) => {}
            done => return done,
        }
    }
    attempt.reset();
    let text = realm.inspect(attempt, value).ok_or(Unwritable::Thrown)?;
    let text = v8::String::new(attempt, &text).ok_or(Unwritable::Thrown)?;
    serialize::write_value(attempt, text.into(), way)
}
