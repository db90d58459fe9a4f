use super::{options, prepared, rejected};
use ses_protocol::{Diagnostic, Location, Severity};

use super::validate;
use crate::{Form, Observed, PrepareOptions, prepare, prepare_module, prepare_page};

fn rules(diagnostics: &[Diagnostic]) -> Vec<&'static str> {
    diagnostics.iter().map(|diagnostic| diagnostic.rule).collect()
}

fn at(line: u32, column: u32) -> Option<Location> {
    Some(Location { line, column })
}

#[test]
fn blank_text_is_no_program() {
    for code in ["", " \n\t\r\n", "\u{feff}", "\u{a0}\u{2028}"] {
        assert_eq!(rules(&rejected(code)), ["code_non_empty"], "{code:?}");
    }
    assert!(validate("// only a comment", &options()).is_empty());
}

#[test]
fn syntax_errors_name_the_unexpected_token() {
    let found = rejected("let a = 1;\nlet b = ;");
    assert_eq!(rules(&found), ["syntax_valid"]);
    assert_eq!(found[0].location, at(2, 9));
    assert_eq!(found[0].severity, Severity::Error);
    assert_eq!(rejected("foo(")[0].location, at(1, 5));
}

#[test]
fn what_an_async_arrow_function_cannot_contain_is_a_syntax_error() {
    for code in [
        "new.target",
        "() => new.target",
        "super.x",
        "import.meta.url",
        "export const a = 1",
        "export default 1",
        "with (a) {}",
        "<!-- a",
        "a\n--> b",
        "await: 1",
        "var let",
        "010",
        "break",
        "import.source('x-ok')",
        "import.defer('x-ok')",
        "import(...a)",
        "import('x-ok', options)",
        "@a class B {}",
        "<a/>",
        "let a: string = ;",
    ] {
        let found = rejected(code);
        assert!(found.iter().all(|diagnostic| diagnostic.rule == "syntax_valid"), "{code}: {found:?}");
    }
}

#[test]
fn options_out_of_range_are_reported_beside_the_program() {
    for bad in [0.0, -1.0, 1.5, f64::NAN, f64::NEG_INFINITY, 9_007_199_254_740_992.0] {
        let found = validate("1", &PrepareOptions { max_operations: bad, ..options() });
        assert_eq!(rules(&found), ["max_operations_valid"], "{bad}");
        assert!(crate::prepare("1", &PrepareOptions { max_operations: bad, ..options() }).is_err());
    }
    for bad in [0.0, 0.5, f64::NAN, 2_147_483_648.0] {
        let found = validate("1", &PrepareOptions { timeout_ms: bad, ..options() });
        assert_eq!(rules(&found), ["timeout_valid"], "{bad}");
    }
    for good in [1.0, 2_147_483_647.0] {
        assert!(validate("1", &PrepareOptions { timeout_ms: good, max_operations: good, ..options() }).is_empty());
    }
    let unlimited = PrepareOptions { max_operations: f64::INFINITY, ..options() };
    assert!(validate("1", &unlimited).is_empty());
    assert_eq!(rules(&validate("1", &PrepareOptions { timeout_ms: f64::INFINITY, ..unlimited })), ["timeout_valid"]);
}

/// Modules keep their guards, because runs with a limit may call their functions.
#[test]
fn programs_without_a_limit_have_no_guards() {
    let unlimited = PrepareOptions { max_operations: f64::INFINITY, ..options() };
    for code in [
        "for (;;) { break }",
        "a: for (const b of c) { for (const d in b) { continue a } }",
        "do { await f() } while (g())",
        "const f = function* () { while (h) { try { yield 1 } finally { while (i); } } }; for await (const j of k) f()",
    ] {
        let guarded = |options: &PrepareOptions| {
            let code = prepare(code, options).expect("a program").code;
            ["__smol_budget", "__smol_left", "__smol_guard"].iter().any(|name| code.contains(name))
        };
        assert_eq!((guarded(&options()), guarded(&unlimited)), (true, false), "{code}");
    }
    let caught = prepare("try { f() } catch { g() }", &unlimited).expect("a program").code;
    assert_eq!(caught, prepare("try { f() } catch { g() }", &options()).expect("a program").code);
    let module = prepare_module("export const f = () => { for (;;); }", "m", &unlimited).expect("a module").code;
    assert!(module.contains("__smol_budget"), "{module}");
}

#[test]
fn a_small_log_budget_is_only_worth_knowing() {
    let small = PrepareOptions { max_log_bytes: 1024.0, ..options() };
    let found = validate("1", &small);
    assert_eq!(rules(&found), ["log_budget_too_small"]);
    assert_eq!(found[0].severity, Severity::Info);
    let program = crate::prepare("1", &small).expect("INFO does not block");
    assert_eq!(rules(&program.diagnostics), ["log_budget_too_small"]);
}

#[test]
fn long_texts_are_rejected_before_parsing() {
    let found = validate("12345", &PrepareOptions { max_code_bytes: 4, ..options() });
    assert_eq!(rules(&found), ["code_too_large"]);
}

#[test]
fn static_imports_are_rejected_even_of_authorized_modules() {
    let found = rejected("import fs from 'x-ok';");
    assert_eq!(rules(&found), ["static_import_in_script_mode"]);
    assert_eq!((found[0].module.as_deref(), found[0].location), (Some("x-ok"), at(1, 1)));
    let found = rejected("1;\n  import 'other'");
    assert_eq!(rules(&found), ["static_import_in_script_mode", "import_allowed"]);
    assert_eq!((found[1].module.as_deref(), found[1].location), (Some("other"), at(2, 3)));
}

#[test]
fn dynamic_imports_are_checked_where_the_text_decides() {
    for code in [
        "import('x-ok')",
        "import(`x-ok`)",
        "import(name)",
        "import(`${name}`)",
        "import('x-ok', { with: { type: 'json' } })",
    ] {
        assert!(prepared(code).diagnostics.is_empty(), "{code}");
    }
    for code in ["import('X-OK')", "import(`no`)", "import(('no'))", "() => import('\\u006eo')"] {
        assert_eq!(rules(&rejected(code)), ["import_allowed"], "{code}");
    }
    assert_eq!(rejected("await import('no')")[0].module.as_deref(), Some("no"));
}

#[test]
fn only_unresolved_references_to_other_environments_warn() {
    for code in [
        "process.exit()",
        "typeof window",
        "x => { document = 1 }",
        "[document] = [1]",
        "({ document } = {})",
        "({ require })",
        "{ let fetch; } fetch",
        "eval('1')",
        "new Function('1')",
        "for (window of []);",
        "performance.now()",
        "crypto.randomUUID()",
        "new AbortController()",
        "requestAnimationFrame(f => f)",
    ] {
        let found = prepared(code).diagnostics;
        assert_eq!(rules(&found), ["forbidden_global_access"], "{code}");
        assert_eq!(found[0].severity, Severity::Warning);
        assert!(found[0].fix.is_some());
    }
    for code in [
        "let process; process",
        "a.process",
        "({ process: 1 })",
        "function f(fetch) { fetch }",
        "{ var self; } self",
        "f(); function fetch() { fetch }",
        "try {} catch ({ module }) { module }",
        "(class Buffer { a = Buffer })",
        "for (const window of []) window",
        "fetch: for (;;) break fetch",
        "const { fetch = 1, a: { require } } = {}; fetch(require)",
        "x => { var exports; { exports } }",
        "({ fetch() {} })",
        "class A { self = 1; #fetch }",
    ] {
        assert_eq!(prepared(code).diagnostics, [], "{code}");
    }
    let found = prepared("eval;\n  setTimeout").diagnostics;
    assert_eq!((found[0].location, found[1].location), (at(1, 1), at(2, 3)));
    assert_eq!(
        found[1].fix.as_deref(),
        Some("Ask the host for a tool such as sleepTool(ms); hosts can allow it with globals: [\"timers\"]")
    );
}

#[test]
fn a_group_of_globals_takes_away_the_warnings_about_its_names() {
    let code = "setTimeout; clearInterval; crypto; performance; AbortSignal; fetch; Headers";
    let warned = |globals: &[&str]| {
        let globals = globals.iter().map(|&group| group.to_owned()).collect();
        validate(code, &PrepareOptions { globals, ..options() }).len()
    };
    assert_eq!(warned(&[]), 7);
    assert_eq!(warned(&["timers"]), 5);
    assert_eq!(warned(&["timers", "crypto", "performance", "abort", "fetch"]), 0);
}

#[test]
fn warnings_are_bounded() {
    assert_eq!(prepared(&"eval;".repeat(5_000)).diagnostics.len(), 100);
}

#[test]
fn reserved_identifiers_are_found_wherever_they_are_names() {
    for code in [
        "__smol_x",
        "let __smol_x",
        "__smol\\u005fx = 1",
        "\\u{5f}_smol_x()",
        "({ __smol_x })",
        "({ __smol_x } = {})",
        "(__smol_x) => 1",
        "class __smol_x {}",
        "__smol_x: 1",
        "try {} catch (__smol_x) {}",
        "const { a: __smol_x } = {}",
        "(function __smol_x() {})",
        "typeof __smol_x",
        "for (const __smol_x of []);",
        "`${__smol_x}`",
        "[...__smol_x]",
        "({ [__smol_x]: 1 })",
        "__smol_budget = 1e9",
        "__smol_x++",
        "class A { static { __smol_x } }",
    ] {
        let found = rejected(code);
        assert_eq!(rules(&found), ["reserved_identifier"], "{code}");
    }
    for code in [
        "a.__smol_x",
        "({ __smol_x: 1, __smol_y() {} })",
        "class A { __smol_x = 1; #__smol_y }",
        "'__smol_x'",
        "_smol_x",
        "a.b.__smol_x = 1",
        "({ __smol_x: a } = {})",
    ] {
        prepared(code);
    }
}

#[test]
fn modules_keep_imports_and_exports() {
    let program = prepare_module("import a from 'x-ok'; export default a; for (;;) break;", "m", &options())
        .expect("a valid module");
    assert!(program.code.contains("import a from 'x-ok';\nexport default a;"), "{}", program.code);
    assert!(program.code.contains("__smol_guard(__smol_left)"));
    for code in ["import 'no'", "export * from 'no'", "export { a } from 'no'", "import('no')"] {
        let found = prepare_module(code, "m", &options()).expect_err("an unauthorized import");
        assert_eq!(rules(&found), ["import_allowed"], "{code}");
        assert!(found[0].message.starts_with("in module \"m\", line 1, column "), "{}", found[0].message);
    }
    assert_eq!(rules(&prepare_module("return 1", "m", &options()).expect_err("a return")), ["syntax_valid"]);
    prepare_module("import.meta.url; await 1", "m", &options()).expect("a valid module");
    prepare_module("", "m", &options()).expect("an empty module");
}

#[test]
fn a_program_for_a_page_is_not_looked_at_for_what_it_names() {
    let prepared = |code: &str| prepare_page(&Observed::default(), code, &options());
    let code = "const p = /\\p{L}/u; fetch('x'); import('y'); while (true) { try { eval('1') } catch {} }";
    let program = prepared(code).unwrap_or_else(|found| panic!("{found:?}"));
    assert!(program.diagnostics.is_empty(), "{:?}", program.diagnostics);
    assert!(!program.code.contains("__smol_budget") && program.code.contains("import('y')"), "{}", program.code);
    assert_eq!(program.form, Form::Function);
    let waiting = prepared("await 1").unwrap_or_else(|found| panic!("{found:?}"));
    assert_eq!(waiting.form, Form::AsyncFunction);
    for (code, rule) in [
        ("", "code_non_empty"),
        ("let = 1", "syntax_valid"),
        ("import 'x'", "static_import_in_script_mode"),
        ("__smol_x", "reserved_identifier"),
    ] {
        let found = prepared(code).err().unwrap_or_default();
        assert_eq!(rules(&found), [rule], "{code}");
    }
}

#[test]
fn names_of_a_program_for_a_page_are_there_at_once_where_text_may_look_for_them() {
    let deferred = |code: &str, observed: &Observed| {
        let program = prepare_page(observed, code, &options()).unwrap_or_else(|found| panic!("{found:?}"));
        program.code.contains("__smol_keep")
    };
    assert!(deferred("let n = 0; n++; n", &Observed::default()));
    assert!(!deferred("let n = 0; eval('n++'); n", &Observed::default()));
    assert!(!deferred("let n = 0; n++; n", &Observed::everything()));
}
