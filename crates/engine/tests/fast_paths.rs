//! Checks that V8's assumptions about unmodified built-ins still hold. Hardening must not count as a change. Each lost
//! assumption makes spread, array copies, `await`, iteration or method calls many times as slow.
//!
//! Runs in a separate process, because the flag must be set before V8 starts.

use std::rc::Rc;

use deno_core::v8;
use ses_engine::BootedRealm;

/// The values of `expressions` in a realm in the state in which guests get it. They may call V8's own functions.
fn values(expressions: &[String]) -> Vec<String> {
    v8::V8::set_flags_from_string("--allow-natives-syntax");
    let mut booted = BootedRealm::new(64 << 20, Rc::new(|_| {})).expect("there is memory");
    let instance = &mut booted.guarded.instance;
    v8::scope_with_context!(scope, &mut instance.isolate, &instance.context);
    let value = |text: &String| {
        let text = v8::String::new(scope, text).expect("it is short");
        let script = v8::Script::compile(scope, text, None).expect("it is valid");
        script.run(scope).expect("it does not throw").to_rust_string_lossy(scope)
    };
    expressions.iter().map(value).collect()
}

#[test]
fn hardening_keeps_what_v8_assumes_of_its_classes() {
    const ASSUMPTIONS: [&str; 10] = [
        "ArrayIteratorProtector",
        "ArraySpeciesProtector",
        "IsConcatSpreadableProtector",
        "MapIteratorProtector",
        "NoElementsProtector",
        "PromiseSpeciesProtector",
        "RegExpSpeciesProtector",
        "SetIteratorProtector",
        "StringIteratorProtector",
        "TypedArraySpeciesProtector",
    ];
    let held = values(&ASSUMPTIONS.map(|name| format!("%{name}()")));
    let lost: Vec<&str> =
        ASSUMPTIONS.into_iter().zip(held).filter(|(_, held)| held != "true").map(|(name, _)| name).collect();
    assert_eq!(lost, Vec::<&str>::new());
}

/// The shim would replace both by functions that call them. V8 quotes a function's text in this message.
#[test]
fn hardening_keeps_the_constructors_of_v8() {
    let message = |class: &str| {
        format!(
            "(() => {{ 'use strict'; try {{ delete {class}.length }} catch (error) {{ return error.message }} }})()"
        )
    };
    let compile = "JSON.stringify(Object.getOwnPropertyDescriptor(RegExp.prototype, 'compile'))".to_owned();
    let expected = |class: &str| format!("Cannot delete property 'length' of function {class}() {{ [native code] }}");
    assert_eq!(
        values(&[message("Date"), message("RegExp"), compile]),
        [
            expected("Date"),
            expected("RegExp"),
            r#"{"writable":false,"enumerable":false,"configurable":false}"#.to_owned()
        ]
    );
}

/// Properties in a hash table are looked up on each read, and optimized code inlines none of them.
#[test]
fn prototypes_and_constructors_are_laid_out_for_reading() {
    const SLOW: &str = "
        const seen = new Set();
        const slow = [];
        const visit = (object, path) => {
          if (Object(object) !== object || seen.has(object)) return;
          seen.add(object);
          const isHome = path === 'globalThis.Math' || path.endsWith('.prototype') || Object.hasOwn(object, 'prototype');
          if (isHome && !%HasFastProperties(object)) slow.push(path);
          visit(Object.getPrototypeOf(object), `${path}.prototype`);
          for (const key of Reflect.ownKeys(object)) {
            visit(Object.getOwnPropertyDescriptor(object, key).value, `${path}.${String(key)}`);
          }
        };
        visit(globalThis, 'globalThis');
        [seen.size > 400, ...slow].join()";
    assert_eq!(values(&[SLOW.to_owned()]), ["true"]);
}

/// `split`, `replace`, `match` and others check each of these.
#[test]
fn regular_expressions_are_what_v8_made() {
    const ARE_UNMODIFIED: &str = "
        [/a/, /a/g, new RegExp('a'), RegExp('a', 'y')].map((regexp) => %RegexpIsUnmodified(regexp)).join() + ' ' +
        [Object.defineProperty(/a/, 'exec', { value: null }), new (class extends RegExp {})('a'), Object.setPrototypeOf(/a/, null)]
            .map((regexp) => %RegexpIsUnmodified(regexp)).join()";
    assert_eq!(values(&[ARE_UNMODIFIED.to_owned()]), ["true,true,true,true false,false,false"]);
}

/// For example, arrays that a method returns that an earlier program of the session has made.
#[test]
fn arrays_of_built_ins_are_not_laid_out_for_what_earlier_ones_held() {
    const MAKE: &str = "
        (make) => {
          const like = { length: 3, [Symbol.isConcatSpreadable]: true, 0: make(0), 1: make(1), 2: make(2) };
          const { prototype } = Array;
          return [
            Array.from({ length: 3 }, (_, i) => make(i)),
            [[make(0)], [make(1)]].flat(),
            [0, 1].flatMap((i) => [make(i)]),
            ...['concat', 'slice', 'splice', 'toReversed', 'toSorted', 'toSpliced'].map((name) =>
              prototype[name].call({ ...like }, ...(name === 'splice' ? [0, 2] : []))),
            prototype.filter.call(like, () => true),
            prototype.map.call(like, (item) => item),
            prototype.with.call(like, 0, make(0)),
          ].map((array, i) => [i, array]);
        }";
    let of = |made: &str, times: u32| {
        format!("(() => {{ const make = {MAKE}; for (let i = 0; i < {times}; i++) make({made}); }})()")
    };
    let kinds = |made: &str, check: &str| {
        format!("({MAKE})({made}).filter(([, array]) => !{check}(array)).map(([i]) => i).join()")
    };
    let seen = values(&[
        of("() => ({})", 1_000),
        kinds("(i) => i + 0.5", "%HasDoubleElements"),
        of("(i) => i + 0.5", 1_000),
        kinds("(i) => i", "%HasSmiElements"),
    ]);
    assert_eq!(seen, ["undefined", "", "undefined", ""]);
}
