//! The code that is added to programs that call the SDK.

use ses_protocol::Language;

use crate::{CallStyle, PrepareOptions, SdkProgram, SdkProgramKind, SdkProgramRequest, sdk_program};

fn added(code: &str, kind: SdkProgramKind, style: Option<CallStyle>) -> (CallStyle, String) {
    let options = PrepareOptions { language: Language::Auto, ..PrepareOptions::unlimited() };
    let request = SdkProgramRequest { kit: "K".into(), kind, style };
    let SdkProgram { style, insertions } = sdk_program(code, &request, &options);
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
    added(code, SdkProgramKind::Execute, None).1
}

fn mutate(code: &str) -> String {
    added(code, SdkProgramKind::Mutate, None).1
}

fn style(code: &str) -> CallStyle {
    added(code, SdkProgramKind::Execute, None).0
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
    assert_eq!(added("await a", SdkProgramKind::Execute, Some(CallStyle::Sync)).0, CallStyle::Sync);
}

#[test]
fn functions_that_run_in_parallel_wait_for_themselves() {
    assert_eq!(
        execute("r = utils.parallel(function () { return sdk.a.b({ x: 1 }).c; }, () => sdk.c.d()); class R {}"),
        "K.begin(\"sync\");r = utils.parallel(function () { return K.task(function* () { return K.take(yield \
         sdk.a.b({ x: 1 }, K.later)).c; });}, () => K.task(function* () { return (K.take(yield sdk.c.d(void 0, \
         K.later))); })); class R {}"
    );
    assert_eq!(
        execute("utils.parallel([() => { f(sdk.a.b(sdk.a.c(1,),)) }])"),
        "K.begin(\"sync\");K.done((utils.parallel([() => { return K.task(function* () { f(K.take(yield sdk.a.b(K.take(yield \
         sdk.a.c(1, K.later,)), K.later,))) });}])))"
    );
}

#[test]
fn functions_that_a_map_gives_and_those_that_only_say_async_wait_for_themselves_too() {
    assert_eq!(
        execute("utils.parallel(...list.map((i) => () => sdk.a.b({ i })))"),
        "K.begin(\"sync\");K.done((utils.parallel(...list.map((i) => () => K.task(function* () { return (K.take(yield \
         sdk.a.b({ i }, K.later))); })))))"
    );
    assert_eq!(
        execute("utils.parallel(list.map(function (i) { return () => sdk.a.b(i); }))"),
        "K.begin(\"sync\");K.done((utils.parallel(list.map(function (i) { return () => K.task(function* () { return \
         (K.take(yield sdk.a.b(i, K.later))); }); }))))"
    );
    assert_eq!(
        execute("utils.parallel(async () => sdk.a.b(), async function () { sdk.a.c(1) })"),
        "K.begin(\"sync\");K.done((utils.parallel(K.promised(/*async*/ () => K.task(function* () { return (K.take(yield \
         sdk.a.b(void 0, K.later))); })), K.promised(/*async*/ function () { return K.task(function* () { K.take(yield \
         sdk.a.c(1, K.later)) });}))))"
    );
}

#[test]
fn what_is_not_known_to_be_the_same_stays() {
    for code in [
        "utils.parallel(() => list.map((x) => sdk.a.b(x)))",
        "utils.parallel(f, async () => { sdk.a.b(await 1) }, function* () { sdk.a.b() })",
        "utils.parallel(list.flat((i) => () => sdk.a.b(i)), ...list.map((i) => (j) => sdk.a.b(j)))",
        "utils.parallel(() => sdk.a.b(this.x))",
        "utils.parallel(function () { return sdk.a.b(arguments[0]) })",
        "utils.parallel(function (x = sdk.a.b()) { return sdk.a.b(x) })",
        "utils.parallel(() => sdk.a?.b())",
        "const utils = { parallel: 1 }; utils.parallel(() => sdk.a.b())",
        "utils.parallel((() => { const sdk = 1; return sdk.a.b(); }))",
        "other.parallel(() => sdk.a.b())",
        "const run = () => sdk.a.b(); run()",
    ] {
        let whole = format!("{code}; class Last {{}}");
        assert_eq!(
            added(&whole, SdkProgramKind::Execute, Some(CallStyle::Sync)).1,
            format!("K.begin(\"sync\");{whole}")
        );
    }
}

#[test]
fn calls_that_give_promises_say_where_they_are() {
    assert_eq!(
        execute("\u{fc}; await sdk.a.b({}); await sdk.a['c']( ); await sdk.a.b(...x)"),
        "K.begin(\"async\");\u{fc}; await sdk.a.b({}, 16); await sdk.a['c']( void 0, 34); K.done((await \
         sdk.a.b(...x)))"
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
    // A program that only declares a function means that function. After other functions it may be a helper.
    assert_eq!(execute("function main() {};"), "K.begin(\"sync\");function main() {};K.apply(main);");
    assert_eq!(execute("const main = () => 1"), "K.begin(\"sync\");const main = () => 1;K.apply(main)");
    assert_eq!(execute("1; function helper() {}"), "K.begin(\"sync\");1; function helper() {}");
    assert_eq!(execute("f"), "K.begin(\"sync\");K.done((f))");
    assert_eq!(added("1 + 1", SdkProgramKind::Search, None).1, "K.begin(\"search\");1 + 1");
}

#[test]
fn what_the_program_gives_is_looked_at_whichever_way_it_ends() {
    assert_eq!(
        execute("if (a) { return { b }; } else { f(() => { return 1 }); } c;"),
        "K.begin(\"sync\");if (a) { return K.done(({ b })); } else { f(() => { return 1 }); } K.done((c));"
    );
    assert_eq!(
        execute("try { if (a) b; else { c; ; } } catch { d } finally { e }"),
        "K.begin(\"sync\");try { if (a) K.done((b)); else { K.done((c)); ; } } catch { K.done((d)) } finally { e }"
    );
    assert_eq!(added("if (a) return b; c", SdkProgramKind::Search, None).1, "K.begin(\"search\");if (a) return b; c");
}

#[test]
fn what_comes_first_stays_first() {
    assert_eq!(execute("\u{feff}// a\n'use strict'; 1"), "\u{feff}// a\nK.begin(\"sync\");'use strict'; K.done((1))");
    assert_eq!(execute("#!/bin/node\nf()"), "#!/bin/node\nK.begin(\"sync\");K.done((f()))");
    assert_eq!(execute("let a: number = f() as any; a"), "K.begin(\"sync\");let a: number = f() as any; K.done((a))");
}

#[test]
fn what_does_not_parse_stays_as_it_is() {
    for code in ["", "   ", "// nothing", "const = 1", "1)(2", "f(", "(((("] {
        assert_eq!(execute(code), code);
        assert_eq!(mutate(code), code);
    }
}
