//! What a sandbox adds to programs.

use ses_protocol::Language;

use crate::{CallStyle, PrepareOptions, SandboxKind, SandboxProgram, SandboxRequest, sandbox_program};

fn added(code: &str, kind: SandboxKind, style: Option<CallStyle>) -> (CallStyle, String) {
    let options = PrepareOptions { language: Language::Auto, ..PrepareOptions::unlimited() };
    let request = SandboxRequest { kit: "K".into(), kind, style };
    let SandboxProgram { style, insertions } = sandbox_program(code, &request, &options);
    let mut text = String::new();
    let mut at = 0;
    for insertion in insertions {
        text.push_str(&code[at..insertion.at]);
        text.push_str(&insertion.text);
        at = insertion.at;
    }
    (style, text + &code[at..])
}

fn execute(code: &str) -> String {
    added(code, SandboxKind::Execute, None).1
}

fn mutate(code: &str) -> String {
    added(code, SandboxKind::Mutate, None).1
}

fn style(code: &str) -> CallStyle {
    added(code, SandboxKind::Execute, None).0
}

#[test]
fn the_style_is_that_of_the_syntax_tree() {
    for code in [
        "var a = sdk.m.k({}); a",
        "'await Promise.all()'",
        "(async () => { return sdk.m.k() })()",
        "await utils.parallel(() => sdk.m.k())",
        "const x = { Promise: 1, await: 2 }; x.Promise",
        "list.then(1); a.catch(2)",
    ] {
        assert_eq!(style(code), CallStyle::Sync, "{code}");
    }
    for code in [
        "const a = await sdk.m.k({}); a",
        "Promise.all([sdk.m.k()])",
        "sdk.m.k().then((a) => a)",
        "for await (const a of b) {}",
        "(async () => { const a = await f(); })()",
        "await utils.parallel(async () => { await sdk.m.k() })",
    ] {
        assert_eq!(style(code), CallStyle::Async, "{code}");
    }
    assert_eq!(added("await a", SandboxKind::Execute, Some(CallStyle::Sync)).0, CallStyle::Sync);
}

#[test]
fn functions_that_run_in_parallel_wait_for_themselves() {
    assert_eq!(
        execute("utils.parallel(function () { return sdk.a.b({ x: 1 }).c; }, () => sdk.c.d())"),
        "K.begin(\"sync\");utils.parallel(function () { return K.task(function* () { return K.take(yield \
         sdk.a.b({ x: 1 }, K.later)).c; });}, () => K.task(function* () { return (K.take(yield sdk.c.d(void 0, \
         K.later))); }))"
    );
    assert_eq!(
        execute("utils.parallel([() => { f(sdk.a.b(sdk.a.c(1,),)) }])"),
        "K.begin(\"sync\");utils.parallel([() => { return K.task(function* () { f(K.take(yield sdk.a.b(K.take(yield \
         sdk.a.c(1, K.later,)), K.later,))) });}])"
    );
}

#[test]
fn what_is_not_known_to_be_the_same_stays() {
    for code in [
        "utils.parallel(() => list.map((x) => sdk.a.b(x)))",
        "utils.parallel(f, async () => sdk.a.b(), function* () { sdk.a.b() })",
        "utils.parallel(() => sdk.a.b(this.x))",
        "utils.parallel(function () { return sdk.a.b(arguments[0]) })",
        "utils.parallel(function (x = sdk.a.b()) { return sdk.a.b(x) })",
        "utils.parallel(() => sdk.a?.b())",
        "const utils = { parallel: 1 }; utils.parallel(() => sdk.a.b())",
        "utils.parallel((() => { const sdk = 1; return sdk.a.b(); }))",
        "other.parallel(() => sdk.a.b())",
        "const run = () => sdk.a.b(); run()",
    ] {
        assert_eq!(added(code, SandboxKind::Execute, Some(CallStyle::Sync)).1, format!("K.begin(\"sync\");{code}"));
    }
}

#[test]
fn calls_that_give_promises_say_where_they_are() {
    assert_eq!(
        execute("\u{fc}; await sdk.a.b({}); await sdk.a['c']( ); await sdk.a.b(...x)"),
        "K.begin(\"async\");\u{fc}; await sdk.a.b({}, 16); await sdk.a['c']( void 0, 34); await sdk.a.b(...x)"
    );
}

#[test]
fn a_function_is_what_it_gives() {
    assert_eq!(mutate("(state) => ({ ...state });"), "K.begin(\"sync\");K.apply(((state) => ({ ...state })));");
    assert_eq!(mutate("function (s) { return s } ; "), "K.begin(\"sync\");K.apply((function (s) { return s }\n)) ; ");
    assert_eq!(mutate("{ ...state, a: [1, 2] }"), "K.begin(\"sync\");K.apply(({ ...state, a: [1, 2] }\n))");
    assert_eq!(mutate("function f(s) { return s }"), "K.begin(\"sync\");function f(s) { return s };K.apply(f)");
    assert_eq!(mutate("const f = (s) => s"), "K.begin(\"sync\");const f = (s) => s;K.apply(f)");
    assert_eq!(mutate("f(); return state"), "K.begin(\"sync\");f(); return K.apply((state))");
    assert_eq!(execute("async () => 1"), "K.begin(\"sync\");K.apply((async () => 1))");
    assert_eq!(execute("(() => 1);;"), "K.begin(\"sync\");K.apply(((() => 1)));;");
    // A program that only declares a function means it; behind others it may be a helper.
    assert_eq!(execute("function main() {};"), "K.begin(\"sync\");function main() {};K.apply(main);");
    assert_eq!(execute("const main = () => 1"), "K.begin(\"sync\");const main = () => 1;K.apply(main)");
    assert_eq!(execute("1; function helper() {}"), "K.begin(\"sync\");1; function helper() {}");
    assert_eq!(execute("f"), "K.begin(\"sync\");f");
    assert_eq!(added("1 + 1", SandboxKind::Search, None).1, "K.begin(\"search\");1 + 1");
}

#[test]
fn what_comes_first_stays_first() {
    assert_eq!(execute("\u{feff}// a\n'use strict'; 1"), "\u{feff}// a\nK.begin(\"sync\");'use strict'; 1");
    assert_eq!(execute("#!/bin/node\nf()"), "#!/bin/node\nK.begin(\"sync\");f()");
    assert_eq!(execute("let a: number = f() as any; a"), "K.begin(\"sync\");let a: number = f() as any; a");
}

#[test]
fn what_does_not_parse_stays_as_it_is() {
    for code in ["", "   ", "// nothing", "const = 1", "1)(2", "f(", "(((("] {
        assert_eq!(execute(code), code);
        assert_eq!(mutate(code), code);
    }
}
