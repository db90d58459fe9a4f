//! Memory of the host's side that becomes part of an isolate without a copy. It counts as the isolate's memory.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use deno_core::v8;

use crate::memory::array_buffers::reserve_or_collect;
use crate::memory::budget::BufferBudget;
use ses_protocol::Block;

/// Shorter strings are copied into the heap, where they have less overhead. 64 KiB.
const MIN_EXTERNAL_BYTES: usize = 64 << 10;

/// A string of the Latin-1 characters in `text`.
pub fn string<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    budget: &Arc<BufferBudget>,
    text: Block,
) -> Option<v8::Local<'s, v8::String>> {
    // If the budget refuses the string, the heap's limit applies.
    if text.len() < MIN_EXTERNAL_BYTES
        || text.len() > v8::String::MAX_LENGTH
        || !reserve_or_collect(scope, budget, text.len())
    {
        return v8::String::new_from_one_byte(scope, &text, v8::NewStringType::Normal);
    }
    let len = text.len();
    let owner = NonNull::new(Arc::into_raw(budget.clone()).cast_mut().cast());
    let data = text.into_raw(owner);
    // SAFETY: the block holds `len` bytes, and `drop_text` frees them as they were given away.
    unsafe { v8::String::new_external_onebyte_raw(scope, data.cast(), len, drop_text) }
}

/// V8 calls this once, when the string is gone.
unsafe extern "C" fn drop_text(data: *mut std::ffi::c_char, len: usize) {
    // SAFETY: `string` gave away a block of this length with a reference to the budget.
    let (block, owner) = unsafe { Block::from_raw(data.cast(), len) };
    drop(block);
    let Some(owner) = owner else { return };
    // SAFETY: as above; the reference is taken back once.
    let budget = unsafe { Arc::from_raw(owner.cast::<BufferBudget>().as_ptr()) };
    budget.release(len);
}

/// A Uint8Array of `bytes` with a separate buffer. `None`: the isolate has no room for them. An exception may be
/// pending.
pub fn bytes<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    budget: &Arc<BufferBudget>,
    bytes: Block,
) -> Option<v8::Local<'s, v8::Uint8Array>> {
    let len = bytes.len();
    if !reserve_or_collect(scope, budget, len) {
        budget.note_refusal();
        throw_no_memory(scope);
        return None;
    }
    let owner = Arc::into_raw(budget.clone()).cast_mut().cast();
    let data = bytes.into_raw(None);
    // SAFETY: the block holds `len` bytes, and `drop_bytes` frees them as they were given away.
    let store = unsafe { v8::ArrayBuffer::new_backing_store_from_ptr(data.cast(), len, drop_bytes, owner) };
    let buffer = v8::ArrayBuffer::with_backing_store(scope, &store.make_shared());
    v8::Uint8Array::new(scope, buffer, 0, len)
}

/// Throws the error that V8 throws if it has no room for an array buffer.
pub fn throw_no_memory(scope: &mut v8::PinScope) {
    if let Some(message) = v8::String::new(scope, "Array buffer allocation failed") {
        let error = v8::Exception::range_error(scope, message);
        scope.throw_exception(error);
    }
}

/// V8 calls this once, when the buffer is gone.
unsafe extern "C" fn drop_bytes(data: *mut c_void, len: usize, owner: *mut c_void) {
    // SAFETY: `bytes` gave away a block of this length.
    let (block, _) = unsafe { Block::from_raw(data.cast(), len) };
    // SAFETY: `bytes` gave away this reference to the budget; it is taken back once.
    let budget = unsafe { Arc::from_raw(owner.cast::<BufferBudget>()) };
    drop(block);
    budget.release(len);
}
