//! The versions of V8 and ICU that are linked into this binary. Those of Node.js are others.

use std::ffi::{CStr, c_char};

use deno_core::v8;

/// ICU's `U_MAX_VERSION_STRING_LENGTH`, with the zero at the end.
const MAX_TEXT_BYTES: usize = 20;

// SAFETY: ICU's declarations (`unicode/uversion.h`). The suffix is the version that the pinned `v8` crate links.
unsafe extern "C" {
    #[link_name = "u_getVersion_77"]
    fn u_get_version(version: *mut [u8; 4]);
    #[link_name = "u_versionToString_77"]
    fn u_version_to_string(version: *const [u8; 4], text: *mut c_char);
}

/// What the results of guest code depend on, apart from this project.
pub struct Versions {
    /// As in `15.0.245.2-rusty`.
    pub v8: &'static str,
    /// As in `77.1`.
    pub icu: String,
}

/// Starts neither V8 nor ICU.
pub fn versions() -> Versions {
    let (mut version, mut text) = ([0; 4], [0 as c_char; MAX_TEXT_BYTES]);
    // SAFETY: both functions only write to their last argument, within the size that ICU declares for it, and the
    // second one ends the text with a zero.
    let icu = unsafe {
        u_get_version(&raw mut version);
        u_version_to_string(&raw const version, text.as_mut_ptr());
        CStr::from_ptr(text.as_ptr())
    };
    Versions { v8: v8::V8::get_version(), icu: icu.to_string_lossy().into_owned() }
}
