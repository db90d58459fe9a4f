//! Any text ends in a result, on a thread with very little stack.

use std::thread;
use std::time::{Duration, Instant};

use super::options;
use super::validate;
use crate::{nesting_too_deep_to_compile, prepare, prepare_module};
use ses_protocol::Location;

/// The rules of the errors for `code`, if any, on a thread of 128 KiB.
fn outcome(code: String) -> Vec<&'static str> {
    thread::Builder::new()
        .stack_size(128 << 10) // 128 KiB
        .spawn(move || match prepare(&code, &options()) {
            Ok(_) => Vec::new(),
            Err(diagnostics) => diagnostics.iter().map(|diagnostic| diagnostic.rule).collect(),
        })
        .expect("a thread")
        .join()
        .expect("no panic")
}

fn nested(open: &str, inner: &str, close: &str, count: usize) -> String {
    [&open.repeat(count), inner, &close.repeat(count)].concat()
}

pub(crate) const SHAPES: [(&str, &str, &str); 48] = [
    ("(", "1", ")"),
    ("[", "", "]"),
    ("{", "", "}"),
    ("x={a:", "1", "}"),
    ("a=>", "1", ""),
    ("(a)=>{", "", "}"),
    ("async a=>", "1", ""),
    ("!", "1", ""),
    ("- ", "1", ""),
    ("typeof ", "1", ""),
    ("await ", "1", ""),
    ("++", "a", ""),
    ("new ", "a", ""),
    ("a?b:", "c", ""),
    ("a?", "1", ":b"),
    ("if(a)b;else ", "c", ""),
    ("if(a){}else ", "c", ""),
    ("if(a)", "b", ""),
    ("if(a)\n", "b", ""),
    ("for(;;)", "b", ""),
    ("while(a)", "b", ""),
    ("do ", "b;", "while(a);"),
    ("a:", "1", ""),
    ("a+", "a", ""),
    ("a&&", "a", ""),
    ("a**", "a", ""),
    ("a??", "a", ""),
    ("a/", "a", ""),
    ("a=", "1", ""),
    ("a\n.b=", "1", ""),
    ("[a=", "1", "]=1"),
    ("`${", "1", "}`"),
    ("f(", "", ")"),
    ("import(", "", ")"),
    ("function f(){", "", "}"),
    ("(function(){", "", "})"),
    ("class A extends ", "B{}", ""),
    ("class A{static{", "", "}}"),
    ("x={a(){return ", "1", "}}"),
    ("try{", "", "}finally{}"),
    ("try{}catch(e){", "", "}"),
    ("switch(a){case 1:", "", "}"),
    ("a", ";", ".b"),
    ("", "a", ".b"),
    ("", "a", "[0]"),
    ("", "a", "()"),
    ("", "a", "?.b"),
    ("", "a", "``"),
];

#[test]
fn deep_nesting_is_rejected_without_overflow() {
    for (open, inner, close) in SHAPES {
        for count in [200_000, (1 << 20) / (open.len() + close.len())] {
            for code in [
                nested(open, inner, close, count),
                format!("{};)", nested(open, inner, close, count)),
                open.repeat(count),
            ] {
                let rules = outcome(code);
                let is_expected = rules.iter().all(|rule| {
                    ["nesting_too_deep", "syntax_valid", "code_too_large", "code_non_empty"].contains(rule)
                });
                assert!(is_expected && (!rules.is_empty() || open == "a"), "{count} of {open:?} {close:?}: {rules:?}");
            }
        }
    }
}

/// The reasons why a module cannot be read, on a thread of 128 KiB.
fn module_outcome(code: String) -> Vec<&'static str> {
    thread::Builder::new()
        .stack_size(128 << 10) // 128 KiB
        .spawn(move || match prepare_module(&code, "m", &options()) {
            Ok(_) => Vec::new(),
            Err(diagnostics) => diagnostics.iter().map(|diagnostic| diagnostic.rule).collect(),
        })
        .expect("a thread")
        .join()
        .expect("no panic")
}

#[test]
fn modules_that_are_not_deep_are_accepted() {
    let cases: String = (0..20_000).map(|number| format!("case {number}:")).collect();
    let code = format!("switch(x){{{cases}y()}}if(x){{}}/`/.test(y)");
    assert_eq!(outcome(code.clone()), ["nesting_too_deep"]);
    assert_eq!(module_outcome(code), Vec::<&str>::new());
}

#[test]
fn what_nests_in_a_short_text_has_the_stack_for_it() {
    for (open, inner, close) in SHAPES {
        let count = (2_400 - inner.len()) / (open.len() + close.len());
        for code in [nested(open, inner, close, count), open.repeat(count)] {
            let rules = outcome(code);
            let is_expected = |rule: &&str| ["nesting_too_deep", "syntax_valid", "code_non_empty"].contains(rule);
            assert!(rules.iter().all(is_expected), "{count} of {open:?} {close:?}: {rules:?}");
        }
    }
}

#[test]
fn many_labels_of_one_name_are_found_in_a_short_text() {
    assert_eq!(outcome(format!("{};", "a:".repeat(460))), ["nesting_too_deep"]);
}

#[test]
fn nesting_up_to_the_limit_is_accepted() {
    let accepted = [
        nested("a+", "a", "", 2_900),
        nested("if(a){b}else ", "{c}", "", 1_000),
        nested("if(a)b;else ", "c", "", 2_000),
        nested("", "a", ".b", 2_900),
        nested("", "a", ".b(x=>x)", 1_000),
        nested("(", "1", ")", 2_900),
        nested("[", "", "]", 1_400),
        nested("{", "", "}", 2_900),
        nested("!", "1", "", 2_900),
        nested("a=>", "1", "", 2_900),
        nested("a?b:", "c", "", 2_900),
        nested("`${", "1", "}`", 2_900),
        nested("f(", "", ")", 2_900),
        nested("for(;;)", "b", "", 1_400),
        nested("function f(){", "", "}", 1_400),
    ];
    for code in accepted {
        let shown: String = code.chars().take(20).collect();
        assert_eq!(outcome(code), Vec::<&str>::new(), "{shown}");
    }
}

#[test]
fn long_flat_programs_are_accepted() {
    for line in [
        "a = b(c)\n",
        "let x = 1;\n",
        "i++;\n",
        "if (a) { b() } else { c() }\n",
        "x = y => z\n",
        "x = a ? b : c\n",
        "const f = async () => await g(-1)\n",
        "[a, b] = [b, a];\n",
        "// it's ( a comment\n",
        "s += '(((';\n",
        "for (const x of y) if (x) z(`${x}`)\n",
        "r = /[(]'/g;\n",
        "if (a) /'/.test(b)\n",
    ] {
        let unique = !line.starts_with("let") && !line.starts_with("const");
        let code = if unique { line.repeat(20_000) } else { format!("{{{line}}}\n").repeat(20_000) };
        assert_eq!(outcome(code), Vec::<&str>::new(), "{line}");
    }
    assert_eq!(outcome(format!("x = [{}]", "{ a: 1, b: [2, -3], c: 'd' }, ".repeat(20_000))), Vec::<&str>::new());
    assert_eq!(outcome(format!("x = {{{}}}", "a: b ? -1 : !c,\n".repeat(20_000))), Vec::<&str>::new());
}

/// Every prefix of a program with all kinds of tokens, and every version of it with one character replaced.
#[test]
fn damaged_programs_end_in_a_result() {
    let program = "#!x\nlet {a=1,...b}=/[/]\\//g,c=`x${`y${1}`}`;for await(const x of y)try{z?.[0]??=1n**2n}catch({m}){class A extends B{#p=1;static{}get q(){return super.q}}}finally{if(!a)do{}while(0);else switch(a){case'\\u{1F600}𠮷':default:}}async function*f(){yield*await import('x-ok')}//\u{2028}<!--\nl:while(1)break l;new.target;x=>({...y})";
    let options = options();
    for (index, _) in program.char_indices() {
        validate(&program[..index], &options);
        validate(&program[index..], &options);
    }
    for (index, character) in program.char_indices() {
        for replacement in [
            "", "(", ")", "}", "`", "'", "/", "\\", "\n", "\u{0}", "${", "\\u", "#", "@", "<", "/*", "--", "𠮷",
            "\u{2028}",
        ] {
            let code = [&program[..index], replacement, &program[index + character.len_utf8()..]].concat();
            validate(&code, &options);
        }
    }
}

/// Slashes that only a parser can read must not hide nesting from the estimate made before parsing.
#[test]
fn ambiguous_slashes_do_not_hide_nesting() {
    let deep = "(".repeat(100_000);
    for code in [
        format!("if(a){{}}/`/;{deep}/`"),
        format!("if(a){{}}\n/'/;x\n/\"/;{deep}"),
        format!("x={{}}/'/1;{deep}/'"),
        format!("a++ /'/1;{deep}/'/"),
        format!("1. /'/1;{deep}/'/"),
        format!("of /'/1;{deep}/'/"),
        format!("yield /'/1;{deep}/'/"),
        format!("<!-- `\n{deep}`"),
        format!("// \u{2028}{deep}"),
        format!("#! `\n{deep}`"),
        format!("r\\u0065turn /`/;{deep}`"),
        format!("'\r{deep}'"),
    ] {
        let shown: String = code.chars().take(12).collect();
        let rules = outcome(code);
        assert_eq!(rules, ["nesting_too_deep"], "{shown:?}");
    }
}

#[test]
fn labels_of_one_name_are_rejected_before_each_pair_is_an_error() {
    let shapes: [fn(usize) -> String; 7] = [
        |n| format!("{};", "a:".repeat(n)),
        |n| nested("{a:", ";", "}", n),
        |n| format!("{};", "do a: ".repeat(n)),
        |n| format!("{};", "a/* b */\n:".repeat(n)),
        |n| format!("{};", "async:".repeat(n)),
        |n| format!("{};", "\\u0061:a:".repeat(n / 2)),
        // The text after the slash may be a regular expression, which hides the labels.
        |n| format!("{{}} /[/; {}; /]/", "a//\"\n:".repeat(n)),
    ];
    for shape in shapes {
        for count in [1_500, 11_000] {
            let code = shape(count);
            assert!(!outcome(code).is_empty());
        }
    }
}

#[test]
fn the_first_hundred_of_many_syntax_errors_are_found_in_time_linear_in_the_text() {
    type Shape = fn(usize) -> String;
    let shapes: [(&str, Shape); 4] = [
        ("breaks", |index| format!("break x{index};")),
        ("continues", |index| format!("for(;;)continue x{index};")),
        ("octal numbers", |_| "01;".to_owned()),
        ("lines", |_| "1++;\n".to_owned()),
    ];
    for (shape, error) in shapes {
        let code: String = (0..60_000).map(error).collect();
        let began = Instant::now();
        assert_eq!(outcome(code), ["syntax_valid"; 100], "{shape}");
        // Each error compared with all before it took a minute.
        assert!(began.elapsed() < Duration::from_secs(10), "{shape}: {:?}", began.elapsed());
    }
}

#[test]
fn a_label_after_a_comment_is_found_in_no_time() {
    let began = Instant::now();
    assert_eq!(outcome(format!("for(;;)continue/**/x;{}", " ".repeat(200_000))), ["syntax_valid"]);
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[test]
fn comments_nest_nothing() {
    for comment in ["/**/", "/***/", "/* * */", "/** a */\n"] {
        assert_eq!(
            outcome(format!("{}nope", comment.repeat(1_000_000 / comment.len()))),
            Vec::<&str>::new(),
            "{comment}"
        );
    }
}

#[test]
fn a_program_is_deepest_after_the_last_bracket_that_opens() {
    let found = nesting_too_deep_to_compile(&format!("[1];\n{}1{}", "f(() => ".repeat(900), ")".repeat(900)));
    assert_eq!(found.rule, "nesting_too_deep");
    assert_eq!(found.message, "the program is nested too deeply to be compiled");
    let Location { line, column } = found.location.expect("it is known");
    assert_eq!((line, column), (2, 900 * 8));
}

#[test]
fn names_before_colons_that_are_no_nested_labels_are_accepted() {
    let nested_keys = format!("x = [{}]", "{ a: { a: { a: [{ a: 1, a: 2 }] } } },".repeat(5_000));
    let switches = format!("switch (x) {{ {} }}", "case a: y(); break; case b: z(); ".repeat(5_000));
    let conditionals = "x ? a : b ? a : c;".repeat(5_000);
    let statements = "a: for (;;) { break a } ".repeat(5_000);
    for code in [nested_keys, switches, conditionals, statements] {
        assert_eq!(outcome(code), Vec::<&str>::new());
    }
}
