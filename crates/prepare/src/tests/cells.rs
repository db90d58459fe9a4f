//! Programs that name variables of earlier ones.

use super::{options, prepared};
use crate::{Form, Observed, Program, guest_text, prepare_for};

/// The state that a program leaves if its functions refer to `n`, `f` and `C`.
fn observed() -> Observed {
    let mut observed = Observed::default();
    observed.add(&prepared("let n = 1; function f() { return n++; } class C { m = [C, f]; } let own = 1;").lookups);
    observed
}

fn program(code: &str) -> Program {
    prepare_for(&observed(), code, &options()).unwrap()
}

/// The statements, and the declarations before them.
#[track_caller]
fn texts(code: &str) -> (String, String) {
    let program = program(code);
    let text = program.code.replace('\n', " ");
    let text = text.split_once("\"use strict\"; ").expect("a program is strict").1.trim_end_matches("})").trim();
    match text.split_once("; ").and_then(|(head, body)| Some((head.strip_prefix("const ")?, body))) {
        Some((cells, body)) => (cells.to_owned(), body.to_owned()),
        None => (String::new(), text.to_owned()),
    }
}

#[track_caller]
fn body(code: &str) -> String {
    texts(code).1
}

#[test]
fn a_cell_is_used_where_it_is_named() {
    let cells = r#"__smol_1 = __smol_cell("n")"#;
    assert_eq!(texts("n + 1"), (cells.into(), "return (__smol_1.n + 1);".into()));
    assert_eq!(
        body("n = 2, n += 1, n++, [n, { n }] "),
        "return (__smol_1.n = 2, __smol_1.n += 1, __smol_1.n++, [ __smol_1.n, { n: __smol_1.n } ]);"
    );
    assert_eq!(
        body("[n, ...n] = []; ({ n, a: n, b: n = 1, ...n } = {})"),
        "[__smol_1.n, ...__smol_1.n] = []; return ({ n: __smol_1.n, a: __smol_1.n, b: __smol_1.n = 1, ...__smol_1.n } = {});"
    );
    assert_eq!(body("({ n = 2 } = {})"), "return ({ n: __smol_1.n = 2 } = {});");
    assert!(body("for (n of []); for (n in {}); for (n = 0; n < 1; n++);").contains("for (__smol_1.n of [])"));
    assert_eq!(program("n").form, Form::Function);
    assert_eq!(program("own").form, Form::Script);
}

#[test]
fn a_function_of_a_cell_has_no_receiver() {
    assert_eq!(body("f(n)"), "return ((0, __smol_1.f)(__smol_2.n));");
    assert_eq!(body("(f)()"), "return ((0, __smol_1.f)());");
    assert_eq!(body("f?.()"), "return ((0, __smol_1.f)?.());");
    assert_eq!(body("f``"), "return ((0, __smol_1.f)``);");
    assert_eq!(body("new C(), C.m(), f?.a"), "return (new __smol_1.C(), __smol_1.C.m(), __smol_2.f?.a);");
}

#[test]
fn what_may_not_be_iterable_keeps_its_name() {
    assert!(body("const [a] = n; a").contains("let [a] = n;"));
    assert!(body("[own] = n; own").starts_with("[own] = n;"));
    assert!(body("const { length } = n; length").contains("let { length } = __smol_1.n;"));
    assert!(body("let n = 1; [own] = n; own").contains("[own] = __smol_1.n;"));
}

#[test]
fn names_of_other_scopes_are_no_cells() {
    for code in [
        "(n) => n",
        "{ let n = 2; n; }",
        "{ function f() {} f(); }",
        "{ class C {} new C(); }",
        "try {} catch (n) { n; }",
        "try {} catch (n) { var n = 2; (() => n)(); }",
        "for (let n of []) n;",
        "((f, { n }) => { n; f(); })",
        "(function f() { f(); })",
        "(class C { n = C; })",
        "({ n: 1, f() {} }).n",
        "typeof n",
        "n: for (;;) break n",
        "own",
    ] {
        assert!(!body(code).contains("__smol_1"), "{code}");
    }
}

#[test]
fn a_declaration_gives_the_cell_its_value() {
    assert_eq!(
        texts("let n = 2; n"),
        (r#"__smol_1 = __smol_cell("n", "let")"#.into(), "(__smol_1.n = 2); return __smol_1.n;".into())
    );
    assert_eq!(body("let n; n"), "(__smol_1.n = void 0); return __smol_1.n;");
    assert_eq!(texts("var n; n"), (r#"__smol_1 = __smol_cell("n", "var")"#.into(), "var n; return __smol_1.n;".into()));
    assert!(body("if (own) var n = 2; n").starts_with("if (own) { var n; (__smol_1.n = 2); } "));
    assert_eq!(
        body("let a = 1, n = a, b = n; () => [a, b]").split_once("let a").unwrap().1,
        " = 1; (__smol_1.n = a); let b = __smol_1.n; return (()=>[ a, b ]);"
    );
    // Functions have their value from the start, and are called by their names.
    assert_eq!(
        texts("f(); function f() { return f; }"),
        (
            r#"__smol_1 = __smol_cell("f", "let")"#.into(),
            "__smol_1.f = function f() { return __smol_1.f; }; return ((0, __smol_1.f)());".into()
        )
    );
    // A class refers to itself.
    assert_eq!(body("class C { static p = C; } C.p"), "__smol_1.C = class C { static p = C; }; return (__smol_1.C.p);");
    assert_eq!(body("let n = () => 1; 0"), "(__smol_1.n = ({ n: ()=>1 }).n); return (0);");
    assert_eq!(
        body("n = class {}; n ||= function() {}; 0"),
        "__smol_1.n = ({ n: class { } }).n; __smol_1.n ||= ({ n: function() {} }).n; return (0);"
    );
    assert_eq!(body("let n = class A {}; 0"), "(__smol_1.n = class A { }); return (0);");
}

#[test]
fn patterns_and_heads_of_loops_assign_to_cells() {
    let of = |code: &str| body(code).rsplit_once("return").unwrap().0.trim().to_owned();
    assert_eq!(of("let { n, a: [f = n] } = own; 0"), "({ n: __smol_1.n, a: [__smol_2.f = __smol_1.n] } = own);");
    assert!(of("const [n, other] = own; 0").ends_with("let other; ([__smol_1.n, other] = own);"));
    assert!(of("var [n, other = n] = own; 0").ends_with("var n, other; ([__smol_1.n, other = __smol_1.n] = own);"));
    assert!(of("for (var n = 0, k = 9; n < k; n++); 0").contains("var n, k;"));
    assert!(
        of("for (var n = 0, k = 9; n < k; n++); 0").contains("(__smol_1.n = 0, k = 9; __smol_1.n < k; __smol_1.n++")
    );
    assert!(of("for (var n; n < 1; n++); 0").contains("(void 0; __smol_1.n < 1;"));
    assert!(of("for (var [n, k] of own); 0").contains("for ([__smol_1.n, k] of own)"));
}

#[test]
fn a_constant_of_the_program_refuses_what_it_writes() {
    let (cells, text) = texts("const n = 1; n = 2; n++; (n) = 3; [n] = [4]; ({ n } = {}); for (n of []); n");
    assert_eq!(cells, r#"__smol_1 = __smol_cell("n", "const"), __smol_2 = __smol_cell("n", "refused")"#);
    let refused = "(__smol_1.n = 1); __smol_2.n = 2; __smol_2.n++; (__smol_2.n) = 3; [__smol_2.n] = [ 4 ]; ({ n: __smol_2.n } = {}); ";
    assert!(text.starts_with(refused), "{text}");
    assert!(text.contains("for (__smol_2.n of [])") && text.ends_with("return __smol_2.n;"), "{text}");
    // The pattern does not declare a name that a default assigns.
    assert!(body("const [n = n = 1] = own; 0").starts_with("([__smol_1.n = __smol_2.n = 1] = own);"));
}

/// The pattern assigns, which a constant of the program would not allow.
#[test]
fn constants_beside_a_cell_refuse_what_the_program_writes() {
    let (cells, text) = texts("const { n, own } = {}; own = 5; own");
    assert_eq!(
        cells,
        r#"__smol_1 = __smol_cell("n", "const"), __smol_2 = __smol_cell("n", "refused"), __smol_3 = __smol_cell("own", "const"), __smol_4 = __smol_cell("own", "refused")"#
    );
    assert_eq!(text, "({ n: __smol_1.n, own: __smol_3.own } = {}); __smol_4.own = 5; return __smol_4.own;");
    for code in ["const { own } = {}; own = 5;", "let { n, own } = {}; own = 5;", "const { n, own } = {}; own;"] {
        assert!(!program(code).code.contains("__smol_cell(\"own\""), "{code}");
    }
}

#[test]
fn what_no_function_holds_on_to_is_declared_anew() {
    let mut observed = Observed::default();
    observed.add(&prepared("const r = await 1; const more = 1;").lookups);
    let code = |text: &str| prepare_for(&observed, text, &options()).unwrap().code.clone();
    assert!(code("r").contains("__smol_cell"));
    assert!(!code("const r = 2; r").contains("__smol_cell"));
    // From then on it is a property of the global.
    observed.add(&prepared("const r = 2; r").lookups);
    let code = |text: &str| prepare_for(&observed, text, &options()).unwrap().code.clone();
    assert!(!code("r").contains("__smol_cell") && code("more").contains("__smol_cell"));
}

#[test]
fn what_throws_in_its_dead_zone_has_one() {
    for code in ["let n = n + 1;", "const seen = n; let n = 2;", "let n = (n, 1);"] {
        assert!(!program(code).code.contains("__smol_cell"), "{code}");
    }
    assert!(program("f(); let n = 1; n").code.contains("__smol_cell(\"n\", \"let\")"));
    assert!(program("n = 1; var n = n;").code.contains("__smol_cell"));
}

#[test]
fn a_page_has_cells_of_what_its_program_declares() {
    let code = |text: &str| crate::prepare_page(&observed(), text, &options()).unwrap().code;
    assert!(!code("n + f()").contains("__smol_cell"));
    assert!(code("let n = 2; f();").contains("const __smol_1 = __smol_cell(\"n\", \"let\"); "));
}

#[test]
fn what_v8_refuses_stays_as_it_is() {
    for code in [
        "let n = 1; let n = 2;",
        "let n = 1; { var n = 2; }",
        "class f {} function f() {}",
        "let n = 1; using n = null;",
    ] {
        assert!(!program(code).code.contains("__smol_cell"), "{code}");
    }
    // A `var` may not stand where a block has declared the name.
    for code in [
        "{ let n; { var n = 1; } }",
        "{ let n; for (var n of []); }",
        "{ let n; a: for (var [n] = []; ;) continue a; }",
    ] {
        assert!(body(code).contains("var n;"), "{code}");
    }
    let labeled = body("a: b: for (var n of []) continue a;");
    assert!(labeled.contains("var n; __smol_loop: a: b: for (__smol_1.n of"), "{labeled}");
    for code in ["const n;", "for (var n = 1 in {});", "for (var n = 1 of []);", "delete n;"] {
        assert!(prepare_for(&observed(), code, &options()).is_err(), "{code}");
    }
    assert!(program("var n = 1; function n() {} var n").code.contains("__smol_cell"));
}

#[test]
fn a_kept_program_suits_sessions_with_the_same_cells() {
    let mut other = observed();
    let with = program("n");
    let without = prepared("n");
    assert!(with.suits(&other) && !without.suits(&other) && !with.suits(&Observed::default()));
    other.add(&prepared("own = 1; let own; let unrelated = () => own;").lookups);
    assert!(with.suits(&other));
}

#[test]
fn lowered_typescript_uses_cells_by_scope() {
    let code = |text: &str| prepare_for(&observed(), text, &options()).unwrap().code;
    for text in ["enum n { A = 1, B = A << 1 } n.B", "namespace n { export const a = n } n.a"] {
        let code = code(text);
        assert!(code.contains("__smol_cell(\"n\"") && code.contains("function(n)"), "{code}");
    }
}

#[test]
fn texts_of_messages_are_what_the_guest_wrote() {
    for (text, written) in [
        ("(0 , __smol_2.f)", "f"),
        ("(0 , __smol_2.f)(...).g", "f(...).g"),
        ("__smol_1.n.map", "n.map"),
        ("(0 , __smol_12.$ä)(...) and __smol_1.n", "$ä(...) and n"),
        ("__smol_.x __smol_1 __smol_at", "__smol_.x __smol_1 __smol_at"),
        ("__smol_import(...) of __smol_1.n and __smol_imported", "import(...) of n and __smol_imported"),
        ("__smol_import is not a function", "import is not a function"),
        ("(0 , a.b)", "(0 , a.b)"),
        ("", ""),
    ] {
        assert_eq!(guest_text(text), written);
    }
}

#[test]
fn a_call_is_where_its_name_is() {
    for code in
        ["f()", "f(1)", "try { f() } catch (e) { e }", "1 + f(2)", "let x = f()", "[f(), f(n)]", "f(f())", "if (n) f()"]
    {
        let program = program(code);
        let mut count = 0;
        for (line, text) in program.code.lines().enumerate() {
            // Where V8 places a call whose callee is not a plain name.
            for (at, _) in text.match_indices(".f)(") {
                let place = program.positions.original(line as u32 + 1, at as u32 + 4).expect("it is in the source");
                let source = &code[place.column as usize - 1..];
                assert!(source.starts_with("f("), "{source:?} of {code:?}: {text}");
                count += 1;
            }
        }
        assert_eq!(count, code.matches("f(").count(), "{code}");
    }
}

/// V8 reports an error there at the start of the statement, or of the declaration's value.
#[test]
fn a_declaration_throws_where_its_value_is() {
    for code in
        ["1;\nconst n = own(1);", "1;\nlet n = !own();", "1;\nvar [n, a] = new own();", "1;\nlet b = 2,\n { n } = own;"]
    {
        let program = program(code);
        let start = program.code.rfind("\n(").expect("a separate statement") + 1;
        let line = program.code[..start].matches('\n').count() as u32 + 1;
        let value = code.find(if code.contains("new") { "new own" } else { "own" }).expect("a value");
        let value = if code.contains('!') { value - 1 } else { value };
        let before = &code[..value];
        let expected = (before.matches('\n').count() as u32 + 1, before.len() - before.rfind('\n').unwrap_or(0));
        let place = program.positions.original(line, 1).map(|at| (at.line, at.column as usize));
        assert_eq!(place, Some(expected), "{code:?}: {}", program.code);
    }
}
