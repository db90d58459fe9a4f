//! Any text has a plan, on a thread with very little stack, and within limits of time and memory. `__test__/prepare/`
//! has the plans of programs, and compares plans with runs.

use std::thread;

use super::{PlanRequest, plan};
use crate::PrepareOptions;
use crate::tests::SHAPES;
use ses_protocol::Language;

const TOOLS: [&str; 3] = ["t0", "t1", "ns.x"];
/// Deep trees that are accepted.
const ACCEPTED: usize = 700;

fn plan_on_small_stack(code: String, earlier: Option<Vec<String>>) -> serde_json::Value {
    let plan = thread::Builder::new()
        .stack_size(128 << 10) // 128 KiB
        .spawn(move || {
            let tools = TOOLS.iter().map(|name| name.split('.').map(str::to_owned).collect()).collect();
            let options = PrepareOptions {
                language: Language::Auto,
                max_code_bytes: 1 << 20, // 1 MiB
                ..PrepareOptions::unlimited()
            };
            plan(&code, &PlanRequest { tools, earlier, front: None }, &options)
        })
        .expect("a thread")
        .join()
        .expect("no panic");
    serde_json::from_str(&plan).expect("JSON")
}

fn planned(code: impl Into<String>) -> serde_json::Value {
    plan_on_small_stack(code.into(), Some(Vec::new()))
}

fn names(plan: &serde_json::Value) -> Vec<&str> {
    plan["tools"].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect()
}

fn nested(open: &str, inner: &str, close: &str, count: usize) -> String {
    [&open.repeat(count), inner, &close.repeat(count)].concat()
}

#[test]
fn deep_nesting_has_a_plan_of_everything() {
    for (open, _, close) in SHAPES {
        let plan = planned(nested(open, "t0()", close, (1 << 20) / (open.len() + close.len() + 1)));
        assert!(names(&plan) == TOOLS || plan["unresolved"][0].is_null(), "{open:?} {close:?}: {plan}");
    }
}

#[test]
fn deep_nesting_that_is_accepted_is_read_to_the_end() {
    let expected = |code: String| {
        let plan = planned(code.clone());
        assert_eq!((names(&plan), &plan["unresolved"]), (vec!["t0"], &serde_json::json!([])), "{code}");
    };
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("({a:", "})"),
        ("!", ""),
        ("if(a)", ""),
        ("for(;;)", ""),
        ("do ", ";while(a)"),
        ("a=", ""),
        ("a?.[", "]"),
        ("`${", "}`"),
        ("f(", ")"),
        ("new f(", ")"),
        ("(()=>{", "})()"),
        ("(function(){", "})()"),
        ("try{", "}finally{}"),
        ("try{}catch(e){", "}"),
        ("switch(a){case 1:", "}"),
        ("(class{static{", "}})"),
        ("(class{m(){", "}})"),
        ("(async function*(){", "})()"),
        ("a&&", ""),
        ("[0].map(()=>", ")"),
        ("({...", "})"),
        ("(({a=", "})=>a)({})"),
    ] {
        expected(nested(open, "t0()", close, ACCEPTED));
    }
}

#[test]
fn constants_that_grow_are_cut() {
    let doubled = (1..60).map(|n| format!("const o{n}={{p:o{0},q:o{0}}};", n - 1)).collect::<String>();
    let joined = (1..60).map(|n| format!("const s{n}=`${{s{0}}}${{s{0}}}`;", n - 1)).collect::<String>();
    let code = format!("const o0={{a:1}};{doubled}const s0=x?'a':'b';{joined}t0(o59,s59,s1);");
    let plan = planned(code);
    let call = &plan["tools"][0]["calls"][0]["arguments"];
    // Another name refers to the parts, so they may change.
    let parts = serde_json::json!({ "object": { "p": { "any": true }, "q": { "any": true } } });
    let texts = serde_json::json!({ "oneOf": ["aa", "ab", "ba", "bb"] });
    assert_eq!(*call, serde_json::json!([parts, { "any": true }, texts]));
}

#[test]
fn calls_beyond_a_number_count_together() {
    let plan = planned("t0(1);".repeat(1_000));
    let tool = &plan["tools"][0];
    let calls = tool["calls"].as_array().expect("calls");
    assert_eq!((calls.len(), &tool["times"]), (101, &serde_json::json!({ "atMost": 1_000 })));
    assert_eq!(
        (&calls[100]["times"], &calls[100]["arguments"]),
        (&serde_json::json!({ "atMost": 900 }), &serde_json::json!([{ "rest": true }]))
    );
}

#[test]
fn arguments_have_a_size_in_total() {
    let text = "x".repeat(8_000);
    let plan = planned(format!("t0('{text}');").repeat(100));
    let arguments: Vec<_> =
        plan["tools"][0]["calls"].as_array().expect("calls").iter().map(|call| &call["arguments"][0]).collect();
    let known = arguments.iter().filter(|argument| argument["value"] == text).count();
    assert!(known > 50 && known < 100, "{known}");
    assert!(arguments[known..].iter().all(|argument| argument["rest"] == true));
}

#[test]
fn many_values_in_one_variable_are_all_possible() {
    let functions: String = (0..200).map(|n| format!("f=()=>t0({n});")).collect();
    let plan = planned(format!("let f;{functions}f();"));
    assert_eq!((names(&plan), &plan["tools"][0]["times"]), (vec!["t0"], &serde_json::json!("repeatedly")));
}

#[test]
fn earlier_programs_that_cannot_be_read_may_do_anything() {
    for earlier in ["(", "globalThis.x", "import('m')"] {
        let plan = plan_on_small_stack("x".to_owned(), Some(vec![earlier.to_owned()]));
        assert_eq!(
            (names(&plan), &plan["unresolved"][0]["reason"]),
            (TOOLS.to_vec(), &serde_json::json!("earlier_program"))
        );
        let plan = plan_on_small_stack("const x = 1".to_owned(), Some(vec![earlier.to_owned()]));
        assert_eq!(names(&plan), Vec::<&str>::new());
    }
}
