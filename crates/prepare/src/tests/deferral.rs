//! Which bindings are added to the global only after the run.

use super::{options, prepared};
use crate::{Lookups, Observed, Program, prepare_for};

#[track_caller]
fn deferred(code: &str) -> Vec<String> {
    prepared(code).lookups.plain
}

#[test]
fn what_only_the_programs_own_body_uses_is_deferred() {
    assert_eq!(
        deferred("let a = 1; const b = a; var c; for (let i = 0; i < 9; i++) { a += i; c = b; } a"),
        ["a", "b", "c"]
    );
    assert_eq!(deferred("let a = 1, b = () => 2; { const a = 3; a; } [1].map((b) => b)"), ["a", "b"]);
    assert_eq!(deferred("let x = 1; ((x) => x)(2); { let x = 3; x; } x"), ["x"]);
    assert_eq!(deferred("let x = 1; ({ x, y: x, [x]: 1 }); `${x}`; x = 2; [x] = [3]; x++"), ["x"]);
}

#[test]
fn what_a_function_or_class_uses_is_not() {
    for code in [
        "let x = 1; () => x",
        "let x = 1; function f(a = x) {}",
        "let x = 1; ({ get a() { return x; } })",
        "let x = 1; ({ set a(v) { x = v; } })",
        "let x = 1; ({ m() { x++; } })",
        "let x = 1; class A { p = x; }",
        "let x = 1; class A extends x {}",
        "let x = 1; class A { static { ({ x }); } }",
        "let x = 1; class A { static p = ([x] = [1]); }",
        "let x = 1; async () => { for (x of []); }",
        "var x = 1; () => { { var y; } x; }",
        "let x = 1; (() => { (() => { x; }); let y; })()",
        "(() => x); { var x = 1; }",
        "function x() {} x()",
        "class x {} x",
    ] {
        assert_eq!(deferred(code), [""; 0], "{code}");
    }
}

#[test]
fn what_var_would_change_is_not() {
    for code in [
        "x; let x = 1",
        "typeof x; let x = 1",
        "let x = x",
        "let x = (x, 1)",
        "x = 1; let x",
        "const x = 1; x = 2",
        "const x = 1; (x) = 2",
        "const x = 1; [(x)] = [2]",
        "const x = 1; ((x))++",
        "const x = 1; ({ x } = {})",
        "const x = 1; ({ y: x } = {})",
        "const x = 1; for (x of []);",
        "const x = 1; x &&= 2",
        "const { x } = {}",
        "let [x] = []",
        // V8 refuses these.
        "let x = 1; let x = 2",
        "let x = 1; var x = 2",
        "let x = 1; { var x = 2; }",
        // A function in a block cannot have the name of a variable.
        "var x = 1; function f() {} function f() {}",
        "var x = 1; function x() {}",
    ] {
        assert_eq!(deferred(code), [""; 0], "{code}");
    }
    assert_eq!(deferred("var x = 1; var x = 2"), ["x"]);
    assert_eq!(deferred("x; var x = 1"), ["x"]);
}

#[test]
fn nothing_is_deferred_where_other_code_can_meet_it() {
    for code in [
        "let x = 1; globalThis.x",
        "let x = 1; (() => globalThis)",
        "let x = 1; import('x-ok')",
        "let x = 1; await 1",
        "let x = 1; for await (const y of []);",
        "let x = 1; await using y = null",
        "let x = 1; class A extends (await 1) {}",
        "let x = 1; class A { [await 1]() {} }",
    ] {
        assert_eq!(deferred(code), [""; 0], "{code}");
    }
    assert_eq!(deferred("let x = 1; let globalThis = 2; async () => await 1"), ["x", "globalThis"]);
}

#[test]
fn what_earlier_programs_look_up_is_not() {
    let mut observed = Observed::default();
    observed.add(&prepared("const f = () => { const b = a; return b + c; }; d").lookups);
    let program = prepare_for(&observed, "let a = 1, b = 2, c = 3, d = 4", &options()).unwrap();
    assert_eq!(program.lookups.plain, ["b", "d"]);
    observed.add(&prepared("await d").lookups);
    assert!(!program.suits(&observed));
    assert!(prepared("let b = 1").suits(&observed));
    observed.add(&prepared("globalThis").lookups);
    assert!(!prepared("let b = 1").suits(&observed));
    assert!(prepared("b").suits(&observed));
}

#[test]
fn what_other_code_may_look_for_is_on_the_global_from_its_declaration_on() {
    let late = |code: &str, observed: &Observed| {
        let program = prepare_for(observed, code, &options()).unwrap();
        let reached =
            program.code.lines().filter_map(|line| line.strip_prefix("__smol_reach(\"")?.strip_suffix("\");"));
        reached.map(str::to_owned).collect::<Vec<_>>()
    };
    let code = "let a = globalThis.b, { b, c: [d] } = {}; var e; class F {} function g() {} const h = 1; { let i; }";
    assert_eq!(late(code, &Observed::default()), ["a", "b", "d", "F", "h"]);
    let mut observed = Observed::default();
    observed.add(&prepared("() => a + f").lookups);
    assert_eq!(late("let a = 1; const b = () => a; await 1", &observed), ["a"]);
    assert_eq!(late("let b = 1; const c = () => b; await 1", &observed), [""; 0]);
    let Program { code, .. } = prepare_for(&observed, "let a = 1, b = 2; class f {}", &options()).unwrap();
    assert_eq!(
        code,
        "(() => {\n\"use strict\";\nlet __smol_at = 0; \nlet a = 1;\ntry {\n\
         const __smol_reach = __smol_declare({ get a() { return a; }, set a(__smol_v) { a = __smol_v; }, \
         get f() { return f; }, set f(__smol_v) { f = __smol_v; } }, [], [], [\"a\", \"f\"]);\n\
         __smol_reach(\"a\");\nvar b = 2;\n__smol_at = 1;\nclass f {\n}\n__smol_reach(\"f\");\nreturn b;\n\
         } finally { __smol_keep(__smol_at, [\"b\", 1, b]); }\n})"
    );
}

#[test]
fn too_many_names_are_all_names() {
    let mut observed = Observed::default();
    let names =
        |range: std::ops::Range<u32>| Lookups { names: range.map(|n| format!("n{n}")).collect(), ..Lookups::default() };
    observed.add(&names(0..4_096));
    assert!(!observed.contains("other"));
    observed.add(&names(4_096..4_097));
    assert!(observed.contains("other"));
}

#[test]
fn a_declaration_is_noted_when_it_was_reached() {
    let Program { code, .. } = prepared("let a = 1, f = () => g, g; var v; a");
    assert_eq!(
        code,
        "(() => {\n\"use strict\";\nlet __smol_at = 0; try {\n\
         __smol_declare({ get g() { return g; }, set g(__smol_v) { g = __smol_v; } }, []);\n\
         var v = __smol_before(\"v\");\nvar a = 1;\n__smol_at = 1;\nvar f = ()=>g;\n__smol_at = 2;\nlet g;\nvar v;\nreturn a;\n\
         } finally { __smol_keep(__smol_at, [\"a\", 1, a, \"f\", 2, f, \"v\", 0, v]); }\n})"
    );
}

#[test]
fn declarations_that_cannot_fail_come_ahead() {
    let ahead = |observed: &Observed, text: &str| {
        let program = prepare_for(observed, text, &options()).unwrap();
        let (_, from) = program.code.split_once("let __smol_at = 0; ").expect("something is deferred");
        let (ahead, others) = from.split_once("try {\n").expect("it may fail");
        (ahead.trim().to_owned(), others.lines().nth(1).unwrap_or_default().to_owned())
    };
    let none = Observed::default();
    for (declared, printed) in [
        ("const size = -8;", "let size = -8;"),
        ("const size = [[1], 'a'];", "let size = [\n[\n1\n],\n'a'\n];"),
        ("let size;", "let size;"),
        ("const twice = (x) => 2 * x; function f() {} ; let size = 1, other = 2;", "let size = 1;"),
    ] {
        let code = format!("let own = 1; {declared} const more = f(), use = () => size; own;");
        assert_eq!(ahead(&none, &code).0, printed, "{declared}");
    }
    for stays in ["const size = f();", "const { size } = 8;", "var size = 8;", "const size = [...f];", "class size {}"]
    {
        let code = format!("{stays} let own = 1; const use = () => size; own;");
        assert_eq!(ahead(&none, &code).0, "", "{stays}");
    }
    // A function may name the body's declarations. A declaration after any other statement may not be reached.
    assert_eq!(ahead(&none, "const f = () => g; let own = 1; own++; let g = 2;").0, "");
    assert_eq!(ahead(&none, "f(); const size = 8; let own = 1; const use = () => size;").0, "");
    assert_eq!(ahead(&none, "let own = 1; own;").0, "");
}
