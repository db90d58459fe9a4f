//! What V8 assumes of built-ins as long as nobody has changed them. Hardening must not look like a change: each assumption that
//! is lost makes spread, copies of arrays, `await` or iteration many times as slow.

use std::rc::Rc;

use deno_core::v8;
use ses_engine::Booted;

/// In a process of its own, since the flag has to be there before V8 is.
#[test]
fn hardening_keeps_what_v8_assumes_of_arrays_maps_sets_and_promises() {
    const ASSUMPTIONS: [&str; 9] = [
        "ArrayIteratorProtector",
        "ArraySpeciesProtector",
        "IsConcatSpreadableProtector",
        "MapIteratorProtector",
        "NoElementsProtector",
        "PromiseSpeciesProtector",
        "SetIteratorProtector",
        "StringIteratorProtector",
        "TypedArraySpeciesProtector",
    ];
    v8::V8::set_flags_from_string("--allow-natives-syntax");
    let booted = Booted::new(None, 64 << 20, Rc::new(|_| {})).expect("there is memory");
    let Booted::Realm(mut booted) = booted else { panic!("it was not to have Python") };
    let instance = &mut booted.guarded.instance;
    v8::scope_with_context!(scope, &mut instance.isolate, &instance.context);
    let lost: Vec<&str> = ASSUMPTIONS
        .into_iter()
        .filter(|name| {
            let text = v8::String::new(scope, &format!("%{name}()")).expect("it is short");
            let script = v8::Script::compile(scope, text, None).expect("it is valid");
            !script.run(scope).expect("it does not throw").is_true()
        })
        .collect();
    assert_eq!(lost, Vec::<&str>::new());
}
