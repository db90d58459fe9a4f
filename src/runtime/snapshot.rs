//! The hardened start-up snapshot that build.rs made for this target.

#[repr(C, align(16))]
struct Aligned<T: ?Sized>(T);

/// V8 reads the blob word by word, in place.
static BLOB: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/hardened.bin")));

/// For `RuntimeOptions::startup_snapshot`.
pub fn hardened() -> &'static [u8] {
    &BLOB.0
}
