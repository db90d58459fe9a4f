//! The hardened start-up snapshot that build.rs made for this target.

#[repr(C, align(16))]
struct Aligned<T: ?Sized>(T);

/// V8 reads the blob word by word, in place.
static BLOB: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/hardened.bin")));

/// For `RuntimeOptions::startup_snapshot`.
pub fn hardened() -> &'static [u8] {
    &BLOB.0
}

#[cfg(test)]
mod tests {
    use deno_core::{JsRuntime, RuntimeOptions, serde_json, v8};

    use super::super::extension::ses_executor;

    /// What audit.js reports of a realm as guests find it.
    fn audit() -> serde_json::Value {
        // V8 posts delayed tasks, for which deno_core wants a runtime.
        let tokio = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let _entered = tokio.enter();
        let mut runtime = JsRuntime::new(RuntimeOptions {
            startup_snapshot: Some(super::hardened()),
            extensions: vec![ses_executor::init()],
            skip_op_registration: true,
            ..Default::default()
        });
        runtime.execute_script("finish", "__smol_realm.finishHardening()").unwrap();
        let report = runtime.execute_script("audit", include_str!(concat!(env!("OUT_DIR"), "/audit.js"))).unwrap();
        deno_core::scope!(scope, &mut runtime);
        let report = v8::Local::new(scope, report).to_rust_string_lossy(scope);
        serde_json::from_str(&report).unwrap()
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
             DataView Date DisposableStack Error EvalError Float16Array Float32Array Float64Array Function Infinity \
             Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError \
             ReferenceError Reflect RegExp Set String SuppressedError Symbol SyntaxError TypeError URIError \
             Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet console decodeURI \
             decodeURIComponent encodeURI encodeURIComponent escape eval final_answer globalThis harden isFinite \
             isNaN parseFloat parseInt undefined unescape";
        assert_eq!(names.join(" "), expected.split_whitespace().collect::<Vec<_>>().join(" "));
    }
}
