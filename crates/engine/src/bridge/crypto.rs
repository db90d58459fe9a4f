//! Digests and random bytes, for the global `crypto` of guests. `js/58_optional_globals.js` checks the arguments.

use deno_core::v8;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};

use crate::bridge::bytes::bytes_of;
use crate::platform::session_random;
use crate::state::host::Host;
use crate::values::adopt;
use ses_protocol::Block;

/// Bytes that are hashed between two checks for termination: a few milliseconds.
const PART_BYTES: usize = 1 << 20;

type Arguments<'a, 's> = &'a v8::FunctionCallbackArguments<'s>;
type Given<'s> = Option<v8::Local<'s, v8::Value>>;

/// The digest of bytes: (number of the function, bytes). Returns a new `Uint8Array`.
pub fn digest<'s>(scope: &mut v8::PinScope<'s, '_>, host: &Host, args: Arguments<'_, 's>) -> Given<'s> {
    let (start, length) = bytes_of(args.get(1))?;
    // SAFETY: the bytes stay in place as long as no code of the realm runs, and none runs before they are hashed.
    let bytes = unsafe { std::slice::from_raw_parts(start, length) };
    let digest = match args.get(0).uint32_value(scope)? {
        1 => hash::<Sha1>(scope, host, bytes),
        256 => hash::<Sha256>(scope, host, bytes),
        384 => hash::<Sha384>(scope, host, bytes),
        _ => hash::<Sha512>(scope, host, bytes),
    }?;
    adopt::bytes(scope, &host.memory, Block::copy_of(&digest)?).map(Into::into)
}

/// `None`: the guest is being terminated.
fn hash<H: Digest>(scope: &v8::PinScope, host: &Host, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut hasher = H::new();
    for part in bytes.chunks(PART_BYTES) {
        if scope.is_execution_terminating() || host.is_terminated() || host.is_over() {
            return None;
        }
        hasher.update(part);
    }
    Some(hasher.finalize().to_vec())
}

/// Fills an array with random bytes: (array, the most bytes). Those of a recorded session follow from its seed. Returns
/// false for an array that is longer.
pub fn random<'s>(scope: &mut v8::PinScope<'s, '_>, args: Arguments<'_, 's>) -> Given<'s> {
    let (start, length) = bytes_of(args.get(0))?;
    if length > args.get(1).uint32_value(scope)? as usize {
        return Some(v8::Boolean::new(scope, false).into());
    }
    // SAFETY: the array belongs to the realm, which may write to it, and no code of the realm runs meanwhile.
    let bytes = unsafe { std::slice::from_raw_parts_mut(start.cast_mut(), length) };
    if !session_random::fill(bytes) && getrandom::fill(bytes).is_err() {
        let message = v8::String::new(scope, "the system has no random numbers")?;
        let error = v8::Exception::error(scope, message);
        scope.throw_exception(error);
    }
    None
}
