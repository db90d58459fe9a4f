//! The hardened start-up snapshot that build.rs made for this target.

use std::sync::LazyLock;

use deno_core::v8;

use crate::realm::instance::{Instance, isolate_of};

#[repr(C, align(16))]
struct Aligned<T: ?Sized>(T);

/// Aligned, because V8 reads the blob in place, word by word.
static BLOB: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/hardened.bin")));

/// The texts of the bootstrap's scripts, which V8 uses in place.
static SOURCES: LazyLock<&[v8::OneByteConst]> = LazyLock::new(|| {
    let texts: &[&[u8]] = &include!(concat!(env!("OUT_DIR"), "/sources.rs"));
    texts.iter().map(|text| v8::String::create_external_onebyte_const(text)).collect::<Vec<_>>().leak()
});

/// Makes an isolate from the snapshot on the calling thread. V8 must be prepared.
pub fn hardened(params: v8::CreateParams) -> Instance {
    Instance::new(&BLOB.0, &SOURCES, params)
}

/// The index of the context that build.rs adds.
const PLAIN_CONTEXT: usize = 0;

/// Makes an isolate on the calling thread with an unmodified V8 context. V8 must be prepared.
pub fn plain(params: v8::CreateParams) -> Instance {
    let mut isolate = isolate_of(&BLOB.0, &SOURCES, params);
    let context = {
        v8::scope!(let scope, &mut isolate);
        let context = v8::Context::from_snapshot(scope, PLAIN_CONTEXT, v8::ContextOptions::default());
        v8::Global::new(scope, context.expect("build.rs has added it"))
    };
    Instance { context, isolate }
}

#[cfg(test)]
mod tests {
    use deno_core::{serde_json, v8};

    use crate::platform::startup::prepare_v8;
    use crate::state::entry::Realm;
    use crate::state::origin::origin;

    /// The report of audit.js on a realm in the state in which guests get it.
    fn audit() -> serde_json::Value {
        prepare_v8().unwrap();
        let mut instance = super::hardened(v8::CreateParams::default());
        v8::scope_with_context!(scope, &mut instance.isolate, &instance.context);
        Realm::take(scope).unwrap().finish_hardening(scope).unwrap();
        let report = evaluate(scope, include_str!(concat!(env!("OUT_DIR"), "/audit.js")));
        serde_json::from_str(&report).unwrap()
    }

    fn evaluate(scope: &mut v8::PinScope, code: &str) -> String {
        let code = v8::String::new(scope, code).unwrap();
        let name = v8::String::new(scope, "test").unwrap();
        let origin = origin(scope, name, false);
        let value = v8::Script::compile(scope, code, Some(&origin)).unwrap().run(scope).unwrap();
        value.to_rust_string_lossy(scope)
    }

    #[test]
    fn a_fresh_isolate_has_a_small_heap() {
        prepare_v8().unwrap();
        let mut instance = super::hardened(v8::CreateParams::default());
        let used = instance.isolate.get_heap_statistics().used_heap_size();
        assert!(used < 840 << 10, "{used}");
    }

    /// Each isolate would read these names when it starts.
    #[test]
    fn names_that_nothing_uses_are_not_in_the_snapshot() {
        let has = |name: &[u8]| super::BLOB.0.windows(name.len()).any(|bytes| bytes == name);
        assert!(has(b"formatWithOptions"));
        assert!(!has(b"DatePrototypeSetSeconds"), "the inspect library makes it of a method's name");
        assert!(!has(b"./compartment.js"), "a module of the SES shim, which nobody links any more");
    }

    #[test]
    fn everything_that_guests_reach_is_frozen() {
        let report = audit();
        assert_eq!(report["unfrozen"], serde_json::json!([]));
        assert!(report["objects"].as_u64().unwrap() > 500, "{report}");
    }

    #[test]
    fn guests_get_the_names_of_the_language_and_nothing_else() {
        let names: Vec<String> = audit()["globals"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry.as_str().unwrap().split(' ').next().unwrap().to_owned())
            .collect();
        let expected = "AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean \
             DataView Date DisposableStack Error EvalError Float16Array Float32Array Float64Array Function \
             Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy \
             RangeError ReferenceError Reflect RegExp Set String SuppressedError Symbol SyntaxError TextDecoder \
             TextEncoder TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array \
             Uint8ClampedArray WeakMap WeakSet atob btoa console decodeURI decodeURIComponent encodeURI \
             encodeURIComponent escape eval final_answer global globalThis harden isFinite isNaN parseFloat \
             parseInt queueMicrotask self structuredClone undefined unescape";
        assert_eq!(names.join(" "), expected.split_whitespace().collect::<Vec<_>>().join(" "));
    }
}
