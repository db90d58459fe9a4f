//! The bytes of array buffers and their views.

use deno_core::v8;

/// The address and the number of the bytes of an array buffer or view.
pub fn bytes_of(value: v8::Local<v8::Value>) -> Option<(*const u8, usize)> {
    const NOTHING: &[u8] = &[];
    let at = |data: Option<std::ptr::NonNull<std::ffi::c_void>>, length: usize| match data {
        Some(data) if length > 0 => (data.as_ptr().cast_const().cast::<u8>(), length),
        _ => (NOTHING.as_ptr(), 0),
    };
    if let Ok(buffer) = v8::Local::<v8::ArrayBuffer>::try_from(value) {
        return Some(at(buffer.data(), buffer.byte_length()));
    }
    let view = v8::Local::<v8::ArrayBufferView>::try_from(value).ok()?;
    // Short views may be stored on the heap until code asks for their buffer.
    let data = view.data();
    Some(at(std::ptr::NonNull::new(data), view.byte_length()))
}
