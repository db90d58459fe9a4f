//! No nesting of constructs takes time exponential in its depth. The test nests all pairs of constructs in each other
//! alternately: twice the depth may take a small multiple of the time.
//!
//! swc's resolver visits the heritage of a class expression twice, so that 26 nested ones took seconds.

use std::time::{Duration, Instant};

use super::options;
use ses_protocol::Language;

use crate::{PrepareOptions, prepare};

/// `%` marks the place of an inner construct. Not all combinations are programs: refusing one must not take long
/// either.
const CONSTRUCTS: [&str; 84] = [
    "(%)",
    "[%]",
    "({a:%})",
    "({[%]:1})",
    "({a(){%}})",
    "({get a(){return %}})",
    "`${%}`",
    "a`${%}`",
    "!%",
    "-%",
    "typeof %",
    "await %",
    "a+%",
    "%+a",
    "a**%",
    "a=%",
    "a??=%",
    "[a=%]=b",
    "({a=%}=b)",
    "a?%:b",
    "a?b:%",
    "%?a:b",
    "f(%)",
    "f(...%)",
    "f?.(%)",
    "new A(%)",
    "new (%)",
    "a[%]",
    "(%)[a]",
    "()=>%",
    "()=>{%}",
    "(a=%)=>a",
    "([a=%])=>a",
    "({a=%})=>a",
    "async(a=%)=>a",
    "async()=>{%}",
    "async(%)",
    "function(){%}",
    "function f(a=%){}",
    "function*(){yield %}",
    "(class extends %{})",
    "(class{[%]=1})",
    "(class{a=%})",
    "(class{static{%}})",
    "(class{constructor(a=%){}})",
    "class A extends %{}",
    "class A extends (%){}",
    "{%}",
    "if(a)%",
    "if(%)b",
    "if(a)b;else %",
    "for(%;;)a",
    "for(let a of %)b",
    "for(const [a=%] of b);",
    "while(a)%",
    "do %;while(a)",
    "switch(a){case %:b}",
    "try{%}catch{}",
    "try{}catch(a){%}",
    "try{}finally{%}",
    "a:%",
    "let a=%",
    "let{a=%}=b",
    "const f=(a)=>%",
    "% as a",
    "(%)as a",
    "<a>%",
    "<T>(%)",
    "<T>(a=%)=>a",
    "async<T>(a=%)=>a",
    "f<%>(a)",
    "a<%",
    "a<b,%>(c)",
    "a?(b):c=>%",
    "a?(%):c=>d",
    "a?(b=%):c=>d",
    "let a:%",
    "let a:(b:%)=>c",
    "let a:b extends %?c:d",
    "let a:(infer b extends %)",
    "type A=%",
    "namespace a{%}",
    "enum A{a=%}",
    "(a:%)=>b",
];

/// Levels of each of the two constructs.
const SHALLOW: usize = 7;
const DEEP: usize = 2 * SHALLOW;
/// Maximum ratio of the times for the deep and the shallow text. Exponential time would have a ratio of 2^14.
const MAX_RATIO: u32 = 100;
/// Shorter times are not compared.
const LEAST: Duration = Duration::from_micros(100);

fn nested(outer: &str, inner: &str, levels: usize) -> String {
    let mut code = "x".to_owned();
    for _ in 0..levels {
        code = outer.replacen('%', &inner.replacen('%', &code, 1), 1);
    }
    code
}

fn time(code: &str, options: &PrepareOptions) -> Duration {
    let start = Instant::now();
    let _ = prepare(code, options);
    start.elapsed().max(LEAST)
}

#[test]
fn nesting_takes_no_exponential_time() {
    for language in [Language::JavaScript, Language::TypeScript] {
        let options = PrepareOptions { language, ..options() };
        for outer in CONSTRUCTS {
            for inner in CONSTRUCTS {
                let [shallow, deep] = [SHALLOW, DEEP].map(|levels| nested(outer, inner, levels));
                // The thread may have been interrupted: only a program that takes long each time counts.
                let is_fast = (0..5).any(|_| time(&deep, &options) <= time(&shallow, &options) * MAX_RATIO);
                assert!(is_fast, "{language:?}: {deep}");
            }
        }
    }
}

/// What a class extends keeps its names, and its class.
#[test]
fn heritages_stay_where_they_are() {
    let options = PrepareOptions { language: Language::TypeScript, ..options() };
    let code = "let a: number; (class A extends (class B extends f(A, class { b: B }) {}) { c = A })";
    let program = prepare(code, &options).expect("it is a program");
    let text: String = program.code.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("class A extends (class B extends f(A, class { b; }) { }) { c = A; }"), "{text}");
}
