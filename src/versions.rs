//! The versions of what the addon contains.

use napi_derive::napi;

use ses_engine::Versions;

#[napi(object, object_from_js = false)]
pub struct NativeVersions {
    pub v8: String,
    pub icu: String,
}

/// The versions of V8 and ICU in the addon. `process.versions` has those of Node.js.
#[napi]
pub fn versions() -> NativeVersions {
    let Versions { v8, icu } = ses_engine::versions();
    NativeVersions { v8: v8.to_owned(), icu }
}
