//! TypeScript becomes JavaScript before any other step.

use super::{options, prepared, rejected};
use ses_protocol::{Diagnostic, Language, Location};

use crate::{Form, Observed, PrepareOptions, prepare, prepare_for, prepare_module};

fn as_typescript() -> PrepareOptions {
    PrepareOptions { language: Language::TypeScript, ..options() }
}

fn rules(diagnostics: &[Diagnostic]) -> Vec<&'static str> {
    diagnostics.iter().map(|diagnostic| diagnostic.rule).collect()
}

#[track_caller]
fn body(code: &str) -> String {
    // So that bindings do not change.
    let mut observed = Observed::default();
    observed.add(&prepared("globalThis").lookups);
    let program = prepare_for(&observed, code, &as_typescript());
    let program = program.unwrap_or_else(|found| panic!("{code:?} was rejected: {found:?}"));
    let (head, tail) = if program.form == Form::Script { (1, 0) } else { (2, 1) };
    let is_published = |line: &&str| line.contains("__smol_declare(") || line.starts_with("__smol_reach(");
    let text = program.code.lines().skip(head).filter(|line| !is_published(line)).collect::<Vec<_>>();
    text[..text.len() - tail].join("\n")
}

#[test]
fn javascript_is_not_read_as_typescript() {
    for code in ["a < b > (c)", "f(a < b, c > (d))", "x = a ? (b) : c => d", "type\nA = 1", "namespace\nN\n{}", "as\nx"]
    {
        let javascript = PrepareOptions { language: Language::JavaScript, ..options() };
        let expected = prepare(code, &javascript).expect("JavaScript").code;
        assert_eq!(prepare(code, &options()).expect("JavaScript").code, expected, "{code}");
    }
    assert_eq!(body("a < b > (c)"), "(a(c));");
}

#[test]
fn a_text_without_types_has_the_errors_of_javascript() {
    for code in ["super.x", "let a = ;", "@a class B {}", "f()! = 1", "<!-- a", "010"] {
        let javascript = PrepareOptions { language: Language::JavaScript, ..options() };
        assert_eq!(rejected(code), prepare(code, &javascript).expect_err("no JavaScript"), "{code}");
    }
}

#[test]
fn the_dialect_that_reads_more_reports_its_errors() {
    let at = |code: &str| rejected(code).iter().map(|found| found.location).collect::<Vec<_>>();
    assert_eq!(at("let a: string = 1;\nlet b = ;"), [Some(Location { line: 2, column: 9 })]);
    assert_eq!(at("let a = ;\nlet b: string;"), [Some(Location { line: 1, column: 9 })]);
    assert_eq!(at("enum A { a = }"), [Some(Location { line: 1, column: 14 })]);
}

#[test]
fn what_swc_adds_is_read_back_as_what_it_is() {
    assert_eq!(
        body("namespace N { export const { a, b: [c] } = x; }"),
        "let N;\nreturn ((function(N) {\n({ a: N.a, b: [N.c] } = x);\n})(N || (N = {})));"
    );
    assert_eq!(body("enum E { A = -1, B = (A ** f()) }").matches("(-1)").count(), 1);
    assert_eq!(body("() => <any>{ a: 1 }"), "(()=>({\na: 1\n}));");
    assert_eq!(body("<any>{ a: 1 }"), "(({\na: 1\n}));");
}

#[test]
fn a_program_gives_the_value_of_its_last_value_statement() {
    assert_eq!(body("const x = 1; type A = number"), "let x = 1;\nreturn x;");
    assert_eq!(body("x;\ninterface A { a: string }\ndeclare const b: A;"), "(x);");
    assert_eq!(body("namespace N { export const a = 1 }\nN.a").lines().last(), Some("return (N.a);"));
}

#[test]
fn what_is_not_supported_is_named() {
    for (code, message) in [
        ("import a = require('x-ok')", "`import name = …` is not supported"),
        ("import a = b.c", "`import name = …` is not supported"),
        ("export = a", "`export =` is not supported"),
        ("@a class B { c: number }", "decorators are not supported"),
        ("class B { @a c: number }", "decorators are not supported"),
        ("class B { accessor c: number }", "`accessor` properties are not supported"),
        ("const a: A = <b>c</b>", "JSX is not supported"),
        ("const a = <b c={1} />", "JSX is not supported"),
        ("namespace N { return 1 }", "`return` is not allowed in a namespace"),
        ("namespace N { export default 1 }", "a namespace can only export declarations"),
        ("namespace N { import 'x-ok' }", "a namespace can only export declarations"),
        ("module 'm' {}", "a module with a quoted name can only be declared"),
        ("namespace N { class N {} }", "\"N\" is the name of a namespace or enum around it"),
        ("namespace N { export let a = 1; (N) => a }", "\"N\" is the name of a namespace or enum around it"),
        ("namespace N { f(function N() {}) }", "\"N\" is the name of a namespace or enum around it"),
    ] {
        let found = rejected(code);
        assert_eq!(rules(&found), ["syntax_valid"], "{code}: {found:?}");
        assert_eq!(found[0].message, message, "{code}");
        assert!(found[0].fix.is_some(), "{code}");
    }
    prepare("declare namespace N { export default 1; class N {} } 1", &options()).expect("only types");
}

/// tsc evaluates only constants of the text, and reports the members after others.
#[test]
fn members_of_enums_after_unknown_ones_must_have_values() {
    const MESSAGE: &str = "an enum member needs a value if the value of the member before it is not a constant number";
    let at = |code: &str| {
        let found = rejected(code);
        assert!(found.iter().all(|one| one.rule == "syntax_valid" && one.message == MESSAGE), "{code}: {found:?}");
        found.iter().filter_map(|one| one.location).map(|at| (at.line, at.column)).collect::<Vec<_>>()
    };
    assert_eq!(at("enum E { A = BASE, B }"), [(1, 20)]);
    assert_eq!(at("enum E {\n  A = Other.X,\n  B,\n  C,\n}"), [(3, 3), (4, 3)]);
    assert_eq!(at("namespace N { export enum E { A = f(), 'b c' } }"), [(1, 40)]);
    assert_eq!(at("enum E { A = 'a', B, C = 3, D }"), [(1, 19)]);
    assert_eq!(at("() => { let base = 10; enum E { A = base, B } }"), [(1, 43)]);
    for code in [
        "const BASE = 10; enum E { A = BASE, B }",
        "enum E { A = BASE, B = A + 1, C = 2, D }",
        "declare enum E { A = BASE, B } 1",
        "enum E { A = void 0, B = undefined } E",
        "let E: any; E[E['B'] = void 0] = 'B'",
    ] {
        prepare(code, &options()).unwrap_or_else(|found| panic!("{code}: {found:?}"));
    }
}

#[test]
fn imports_of_types_are_erased_and_others_are_not() {
    for code in [
        "import type { A } from 'no'; 1",
        "import { type A } from 'no'; 1",
        "import { type A, type B as C } from 'no'; 1",
        "export type A = 1; 1",
        "type A = 1; export { type A }; 1",
        "import type A = require('no'); 1",
    ] {
        prepare(code, &options()).unwrap_or_else(|found| panic!("{code}: {found:?}"));
    }
    for code in [
        "import { type A, b } from 'x-ok'; 1",
        "import {} from 'x-ok'; let a: 1",
        "import A from 'x-ok'; let a: A",
        "import 'x-ok'; let a: 1",
    ] {
        assert_eq!(rules(&rejected(code)), ["static_import_in_script_mode"], "{code}");
    }
}

#[test]
fn names_of_the_executor_are_refused_where_they_are_values() {
    for code in [
        "enum __smol_x { A }",
        "namespace __smol_x { export const a = 1 }",
        "enum A { B = __smol_x }",
        "namespace A { const __smol_x = 1; f() }",
        "class A { constructor(private __smol_x: number) {} }",
        "(__smol_x: number) => 1",
        "__smol_x as number",
    ] {
        let found = rejected(code);
        assert!(
            !found.is_empty() && found.iter().all(|found| found.rule == "reserved_identifier"),
            "{code}: {found:?}"
        );
        assert!(found.iter().all(|found| found.location.is_some()), "{code}");
    }
    prepare("let a: __smol_x; type __smol_y = 1; interface __smol_z {}", &options()).expect("only types");
}

#[test]
fn modules_may_be_typescript() {
    let source = "import type { A } from 'no'; export enum E { A } export const a: A = 1; export type B = A;";
    let code = prepare_module(source, "m", &options()).expect("a module").code;
    assert!(code.contains("export var E = ") && code.contains("export const a = 1;"), "{code}");
    let javascript = PrepareOptions { language: Language::JavaScript, ..options() };
    assert_eq!(rules(&prepare_module(source, "m", &javascript).expect_err("types")), ["syntax_valid"]);
}

/// swc would fold these to gigabytes, or copy them for each operator.
#[test]
fn constants_do_not_explode() {
    let doubling = |separator: &str, last: &str| {
        let steps: Vec<String> = (1..60).map(|step| format!("a{step} = a{0} + a{0}", step - 1)).collect();
        format!("{}{last}", steps.join(separator))
    };
    let in_enum = format!("enum E {{ a0 = 'ab', {} }}", doubling(", ", ""));
    assert_eq!(rules(&rejected(&in_enum)), ["typescript_too_complex"]);
    let of_constants = format!("const a0: any = 'ab', b0 = 'ab', {}; type A = 1", doubling(", ", "").replace('a', "b"));
    prepare(&of_constants.replace("b0 =", "b00 = 1, b0 ="), &options()).expect("a program");
    let long = "x".repeat(100_000);
    let copies: Vec<String> = (0..1_000).map(|index| format!("B{index} = E.A")).collect();
    let copied = format!("enum E {{ A = '{long}' }} enum F {{ {} }}", copies.join(", "));
    assert_eq!(rules(&rejected(&copied)), ["typescript_too_complex"]);
    let backwards = format!("enum F {{ {} }} enum E {{ A = '{long}' }}", copies.join(", "));
    assert_eq!(rules(&rejected(&backwards)), ["typescript_too_complex"]);
    let uses = format!("const enum E {{ A = '{long}' }} f({})", "E.A,".repeat(10_000));
    assert!(prepare(&uses, &options()).expect("a program").code.len() < 500_000);
    let many = format!(
        "{} enum A {{ {} }}",
        "enum A {} ".repeat(4_000),
        (0..4_000).map(|i| format!("m{i},")).collect::<String>()
    );
    assert_eq!(rules(&rejected(&many)), ["typescript_too_complex"]);
    let supers = format!(
        "class A extends B {{ constructor({}) {{ {} }} }}",
        (0..1_000).map(|index| format!("private a{index},")).collect::<String>(),
        "super();".repeat(1_000)
    );
    assert_eq!(rules(&rejected(&supers)), ["typescript_too_complex"]);
}

/// Regression: swc looks for exported names only in the block that exports them.
#[test]
fn blocks_of_a_namespace_see_what_the_others_export() {
    let last = |code: &str| body(code).lines().filter(|line| line.contains("use(")).collect::<Vec<_>>().join(" ");
    for (code, expected) in [
        ("namespace N { export const a = 1 } namespace N { use(a) }", "use(N.a);"),
        ("namespace N { use(a) } namespace N { export let a = 1 }", "use(N.a);"),
        ("namespace N { export let a = 1 } namespace N { use(...f(a)) }", "use(...f(N.a));"),
        ("namespace N { export const [a, { b: c = 1 }] = x } namespace N { use(a, c, b) }", "use(N.a, N.c, b);"),
        (
            "namespace N { export function f() {} export class C {} } namespace N { use(f(), new C) }",
            "use(N.f(), new N.C);",
        ),
        ("namespace N { export enum E { A } } namespace N { use(E.A) }", "use(N.E.A);"),
        ("namespace A.B { export let a = 1 } namespace A { use(B.a) }", "use(A.B.a);"),
        ("namespace A.B { export let a = 1 } namespace A.B { use(a) }", "use(B.a);"),
        ("namespace A { export namespace B { export let a = 1 } } namespace A.B { () => use(a) }", "()=>use(B.a);"),
        ("namespace A { namespace B { export let a = 1 } } namespace A { namespace B { use(a) } }", "use(a);"),
        ("namespace N { let a = 1 } namespace N { use(a) }", "use(a);"),
        ("namespace N { export let a = 1 } namespace N { let a = 2; use(a) }", "use(a);"),
        ("namespace N { export let a = 1 } namespace N { (a: 1) => use(a) }", "(a)=>use(a);"),
        ("let a = 0; namespace N { export let a = 1 } namespace N { use(a) } use(a)", "use(N.a); return (use(a));"),
        ("function g() { namespace N { export let a = 1 } namespace N { use(a) } }", "use(N.a);"),
        ("namespace N { export let a = 1 } namespace N { export const b = use(a) }", "N.b = use(N.a);"),
        ("class C {} namespace C { export let a = 1 } namespace C { use(a) }", "use(C.a);"),
        ("enum E { A } namespace E { use(A) }", "use(A);"),
        ("enum E { A = use(), } enum E { B = use(A) }", "E[E[\"A\"] = use()] = \"A\"; E[E[\"B\"] = use(E.A)] = \"B\";"),
        (
            "namespace N { export enum E { A = 1 } } namespace N { export enum E { B = use(A) } }",
            "E[E[\"B\"] = use(N.E.A)] = \"B\";",
        ),
    ] {
        assert_eq!(last(code).trim(), expected, "{code}");
    }
    let literal = body("namespace N { export let a = 1 } namespace N { use({ a }) }").replace(['\n', ' '], "");
    assert!(literal.contains("use({a:N.a});"), "{literal}");
    let assigned = body(
        "namespace N { export let a, b } namespace N { a = 1; a++; [a, { b, c: b = 2 }] = x; for (a of x); for (let a of x) a }",
    );
    assert!(
        assigned.contains("N.a = 1;")
            && assigned.contains("N.a++;")
            && assigned.contains("[N.a, { b: N.b, c: N.b = 2 }] = x")
            && assigned.contains("for (N.a of x)")
            && assigned.contains("for (let a of x)"),
        "{assigned}"
    );
}

/// Regression: a class computes its fields before its constructor assigns parameter properties.
#[test]
fn parameter_properties_come_before_the_fields_that_read_them() {
    let class = |code: &str| body(code).replace('\n', " ");
    assert_eq!(
        class("class A { b = this.a + 1; constructor(private a: number) {} }"),
        "class A { a; b; constructor(a){ this.a = a; this.#__smol_fields(); } #__smol_fields() { this.b = this.a + 1; } }"
    );
    let derived = class(
        "class A extends B { c = 0; d = f(this); 'e-f' = g(); h = () => this.a; constructor(readonly a = 1) { f(); super(a); g(); } }",
    );
    assert!(
        derived.contains("a; c = 0; d; 'e-f'; h = ()=>this.a;")
            && derived.contains("f(); super(a), this.a = a, this.#__smol_fields(); g();")
            && derived.contains("#__smol_fields() { this.d = f(this); this['e-f'] = g(); }"),
        "{derived}"
    );
    let private = class("class A { #b = this.a; static c = this; constructor(public a: 1) {} }");
    assert!(private.contains("#b; static c = this;") && private.contains("this.#b = this.a;"), "{private}");
    // Nothing reads the instance, or there is no parameter property.
    for code in [
        "class A { b = 1; c = () => this.b; static d = this; constructor(public a: 1) {} }",
        "class A { b = this.c; constructor(a: 1) {} }",
        "class A { declare b: 1; c: 2; constructor(public a: 1) {} }",
    ] {
        assert!(!class(code).contains("__smol_fields"), "{code}");
    }
    let found = rejected("class A { [k()] = this.a; constructor(public a: 1) {} }");
    assert_eq!(found[0].message, "a field with a computed name cannot have a value that reads parameter properties");
    assert_eq!(found[0].location, Some(Location { line: 1, column: 11 }));
    assert!(class("class A { ['b'] = this.a; constructor(public a: 1) {} }").contains("this['b'] = this.a"));
}
