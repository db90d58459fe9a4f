//! Which loops have all their iterations counted before they start.

use super::prepared;

/// What computes may be in `BODY`; `n`, `m` and `a` are variables of the program.
fn only_computes(head: &str, body: &str) -> bool {
    let code = format!("let n = 9, m = 0; const a = new Uint8Array(9), c = 1; {head} {{ {body} }} m");
    prepared(&code).code.contains("__smol_take_all")
}

#[test]
fn numbers_and_elements_of_typed_arrays_are_computed_with() {
    for body in [
        "",
        "m += i;",
        "m = (m * 31 + i) | 0; m--; -m;",
        "a[i] = i; a[i + 1] += a[m & 7]; a[i]++;",
        "if (a[i] > 3 && !(i & 1)) m = i; else continue;",
        "m = i > 3 ? n : -1;",
        "m += a[i] || true;",
        "(m = i, m ^= c);",
    ] {
        assert!(only_computes("for (let i = 0; i < n; i++)", body), "{body}");
    }
    for head in [
        "for (let i = n; i >= 0; i -= 2)",
        "for (let i = 0, k = 4; i <= k; i++)",
        "for (let i = 0; (i < 9); i += n)",
        "for (let i = 0; i < c; ++i)",
    ] {
        assert!(only_computes(head, "m += i;"), "{head}");
    }
}

#[test]
fn the_variable_may_be_declared_elsewhere() {
    for code in [
        "let i = 0, m = 0; while (i < 9) { m += i; i++; } m",
        "let i = 9, m = 0; while (i >= 0) { if (i & 1) m ^= i; i -= 3; } m",
        "const f = (n) => { let i = 0, s = 0; while (i < n) { s = (s + i) & 7; i++ } return s; }; f(3)",
        "let i, m = 0; for (i = 0; i < 9; i++) m += i; m",
        "let m = 0; for (var i = 0; i < 9; i++) m += i; m",
        "let i = 0, m = 0; for (; i < 9; i++) m += i; m",
    ] {
        assert!(prepared(code).code.contains("__smol_take_all"), "{code}");
    }
    for code in [
        // Goes on without counting.
        "let i = 0, m = 0; while (i < 9) { if (m) continue; i++; } m",
        "let i = 0, m = 0; while (i < 9) { m += i; i++; m++; } m",
        "let i = 0, m = 0; while (i < 9) { i++; i++; } m",
        "let i = 0, m = 0; named: while (i < 9) { m += i; i++; } m",
        "const i = 0; let m = 0; while (i < 9) { m += i; i++; } m",
        "let m = 0; while (i < 9) { m += i; i++; } m",
        "let m = 0; const f = () => { while (i < 9) { m += i; i++; } }; f(); let i = 0; m",
        "let i = 0, m = 0; while (i < 9) { m.x; i++; } m",
    ] {
        assert!(!prepared(code).code.contains("__smol_take_all"), "{code}");
    }
}

#[test]
fn what_may_throw_run_code_or_end_the_loop_is_not() {
    for body in [
        "break;",
        "m = a[i];",
        "m = i > 3;",
        "m += '';",
        "m += `${i}`;",
        "m = 1n;",
        "m += x;",
        "x = 1;",
        "c = 1;",
        "c++;",
        "(c) = 1;",
        "a.length;",
        "a[a[i]] = 1;",
        "a[i > 3] = 1;",
        "a['x'] = 1;",
        "a[i].x;",
        "a = 1; a[i] = 1;",
        "Math.max(m, i);",
        "m ??= 1;",
        "m &&= 1;",
        "typeof m;",
        "void m;",
        "delete a[i];",
        "let k = 1;",
        "i in a;",
        "n--;",
        "later[i] = 1;",
    ] {
        let code = format!("{body} let later = a;");
        assert!(!only_computes("for (let i = 0; i < n; i++)", &code), "{body}");
    }
    for head in [
        "for (let i = 0; ; i++)",
        "for (let i = 0; i < a.length; i++)",
        "for (let i = 0; i < x; i++)",
        "for (let i = 0; i != n; i++)",
        "for (let i = 0; i < n; i += m)",
        "for (let i = 1; i < n; i += i)",
        "for (let i = 0; i < n; i -= n)",
    ] {
        assert!(!only_computes(head, "m += i;"), "{head}");
    }
}

#[test]
fn a_variable_may_lack_its_value_or_be_changed_elsewhere() {
    for (code, expected) in [
        ("let n = 1, m = 0; for (let i = 0; i < n; i++) m += i; () => m", true),
        ("let n = 1, m = 0; for (let i = 0; i < n; i++) m += i; () => n", false),
        ("let n = 1; for (let i = 0; i < n; i++) m += i; let m = 0;", false),
        ("let n = 1; switch (n) { case 0: let m = 0; case 1: for (let i = 0; i < n; i++) m += i; }", false),
        ("{ let m = 0; for (let i = 0; i < n; i++) m += i; using n = 1; }", false),
        ("(n, m) => { for (let i = 0; i < n; i++) m += i; }", true),
        ("(n) => { let m = 0; for (let i = 0; i < n; i++) m += i; return () => n; }", false),
        ("let m = 0; (n) => { for (let i = 0; i < n; i++) m += i; }", false),
        ("await 1; let m = 0; for (let i = 0; i < 9; i++) m += i;", true),
        ("await 1; let n = 9, m = 0; for (let i = 0; i < n; i++) m += i;", false),
    ] {
        assert_eq!(prepared(code).code.contains("__smol_take_all"), expected, "{code}");
    }
}

#[test]
fn the_text_of_a_large_loop_is_not_doubled() {
    for (times, expected) in [(10, true), (100, false)] {
        let code = format!("let m = 0; for (let i = 0; i < 9; i++) {{ {} }}", "m += i;".repeat(times));
        assert_eq!(prepared(&code).code.contains("__smol_take_all"), expected, "{times}");
    }
}

#[test]
fn functions_in_the_head_keep_the_variable_of_an_iteration() {
    for head in
        ["let i = 0, f = () => i", "let i = 0, f = function () { return i; }", "let i = 0, c = class { static x = i; }"]
    {
        assert!(!only_computes(&format!("for ({head}; i < n; i++)"), "m += i;"), "{head}");
    }
}
