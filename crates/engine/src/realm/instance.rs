//! An isolate from the snapshot, with its only context. It is plain V8. deno_core's `JsRuntime` would add an event
//! loop, modules and 185 native functions. These take memory and time in each isolate and are not needed here.

use deno_core::v8;

use crate::bridge::ops;

/// Drops the context's handle before its isolate.
pub struct Instance {
    pub context: v8::Global<v8::Context>,
    pub isolate: v8::OwnedIsolate,
}

/// The pointers that the snapshot refers to by index: the native functions, then the texts of the bootstrap's scripts.
pub fn external_references(sources: &'static [v8::OneByteConst]) -> Vec<v8::ExternalReference> {
    let natives = ops::table().into_iter().map(|(_, function)| v8::ExternalReference { function });
    let texts =
        sources.iter().map(|text| v8::ExternalReference { pointer: std::ptr::from_ref(text).cast_mut().cast() });
    natives.chain(texts).collect()
}

impl Instance {
    /// Makes an isolate on the calling thread. V8 must be prepared. `sources`: the texts with which `blob` was made.
    pub fn new(blob: &'static [u8], sources: &'static [v8::OneByteConst], params: v8::CreateParams) -> Self {
        let mut isolate = isolate_of(blob, sources, params);
        let context = {
            v8::scope!(let scope, &mut isolate);
            let context = v8::Context::new(scope, v8::ContextOptions::default());
            v8::Global::new(scope, context)
        };
        Self { context, isolate }
    }
}

/// An isolate from `blob`, without a context.
pub fn isolate_of(
    blob: &'static [u8],
    sources: &'static [v8::OneByteConst],
    params: v8::CreateParams,
) -> v8::OwnedIsolate {
    let params =
        params.snapshot_blob(v8::StartupData::from(blob)).external_references(external_references(sources).into());
    let mut isolate = v8::Isolate::new(params);
    isolate.set_microtasks_policy(v8::MicrotasksPolicy::Explicit);
    isolate
}
