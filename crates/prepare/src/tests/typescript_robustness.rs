//! Any text read as TypeScript also ends in a result: in limited time, on a thread with very little stack.

use std::thread;
use std::time::{Duration, Instant};

use super::options;
use ses_protocol::Language;

use super::validate;
use crate::{PrepareOptions, prepare};

/// The rules of the errors for `code`, if any, on a thread of 128 KiB.
fn outcome(code: String) -> Vec<&'static str> {
    let options = PrepareOptions { language: Language::TypeScript, ..options() };
    let shown: String = code.chars().take(40).collect();
    let bound = Duration::from_secs(1) + Duration::from_micros(20) * code.len() as u32;
    let start = Instant::now();
    let rules = thread::Builder::new()
        .stack_size(128 << 10) // 128 KiB
        .spawn(move || match prepare(&code, &options) {
            Ok(_) => Vec::new(),
            Err(diagnostics) => diagnostics.iter().map(|diagnostic| diagnostic.rule).collect(),
        })
        .expect("a thread")
        .join()
        .expect("no panic");
    assert!(start.elapsed() < bound, "{shown} took {:?}", start.elapsed());
    rules
}

fn nested([start, open, inner, close]: [&str; 4], count: usize) -> String {
    [start, &open.repeat(count), inner, &close.repeat(count)].concat()
}

/// Types, and text that makes the parser go back: a beginning, a repeated part, the inside, and an end.
const SHAPES: [[&str; 4]; 62] = [
    ["let a:", "(", "b", ")"],
    ["type A=", "a<", "b", ">"],
    ["type A=", "[", "b", "]"],
    ["type A=", "{a:", "b", "}"],
    ["type A=b", "", "", "[]"],
    ["type A=b", "", "", "[c]"],
    ["type A=", "a extends b?", "c", ":d"],
    ["type A=", "a extends ", "b", "?c:d"],
    ["type A=", "a extends b?c:", "d", ""],
    ["type A=a extends ", "infer b extends ", "c", ""],
    ["type A=a extends ", "(infer b extends ", "c", "?d:e)"],
    ["type A=", "keyof ", "b", ""],
    ["type A=", "readonly ", "b", ""],
    ["type A=", "(a:", "b", ")=>c"],
    ["type A=", "()=>", "b", ""],
    ["type A=", "new(a:", "b", ")=>c"],
    ["type A=", "<T>(a:", "b", ")=>c"],
    ["type A=", "{[a in ", "b", "]:c}"],
    ["type A=", "{[a in b]:", "c", "}"],
    ["type A=", "`${", "b", "}`"],
    ["type A=a", ".b", "", ""],
    ["type A=", "import('a').b<", "c", ">"],
    ["type A=", "a|", "b", ""],
    ["type A=", "a&", "b", ""],
    ["let a:", "(a:b)=>a is ", "b", ""],
    ["function f", "(a:", "b", ")=>c"],
    ["class A<T extends ", "B<", "c", ">"],
    ["", "interface A{a:{", "", "}}"],
    ["", "namespace a{", "", "}"],
    ["", "namespace a{export ", "let b", "}"],
    ["namespace a", ".a", "{}", ""],
    ["", "declare namespace a{", "", "}"],
    ["", "enum A{a=", "b", "}"],
    ["enum A{a=", "(", "b", ")}"],
    ["enum A{a=", "1+", "b", "}"],
    ["", "abstract class A{a=class{static{", "", "}}}"],
    ["", "class A{constructor(private a=", "b", "){}}"],
    ["", "x as ", "b", ""],
    ["x", " as a", "", ""],
    ["x", " satisfies a", "", ""],
    ["x", "!", "", ""],
    ["", "<T>", "a", ""],
    ["", "<T>(", "a", ")"],
    ["", "<T>(a=", "1", ")=>1"],
    ["", "async<T>(a=", "1", ")=>1"],
    ["", "a?(b):c=>", "d", ""],
    ["", "a?(b:c):d=>", "e", ":f"],
    ["", "a?(", "b", "):c"],
    ["", "f<", "a", ">"],
    ["", "f<", "a", ""],
    ["", "f<(", "a", ")>()"],
    ["", "f<T>(", "a", ")"],
    ["", "f(a<b,", "c", ">(d))"],
    ["f(", "a<b,", "c", ")"],
    ["", "a<b[", "c", "]>(d)"],
    ["", "a<typeof b<", "c", ">>()"],
    ["", "new a<", "b", ">()"],
    ["", "a<b>`${", "c", "}`"],
    ["", "for(var of function(){", "", "});"],
    ["", "@a(", "b", ")class A{}"],
    ["", "(a:", "b", ")=>1"],
    ["", "<a>", "b", "</a>"],
];

const RULES: [&str; 5] =
    ["nesting_too_deep", "syntax_valid", "code_too_large", "typescript_too_complex", "reserved_identifier"];

#[test]
fn deep_nesting_ends_in_a_result() {
    for shape in SHAPES {
        for count in [20, 500, 200_000] {
            for code in [
                nested(shape, count),
                format!("{};)", nested(shape, count)),
                nested([shape[0], shape[1], "", ""], count),
            ] {
                let rules = outcome(code);
                assert!(rules.iter().all(|rule| RULES.contains(rule)), "{count} of {shape:?}: {rules:?}");
            }
        }
    }
}

#[test]
fn nesting_up_to_the_limit_is_accepted() {
    for (shape, count) in [
        (["let a:", "(", "b", ")"], 2_900),
        (["type A=", "a<", "b", ">"], 2_900),
        (["type A=", "[", "b", "]"], 2_900),
        (["type A=", "{a:", "b", "}"], 2_900),
        (["type A=b", "", "", "[]"], 2_900),
        (["type A=", "a extends b?c:", "d", ""], 2_900),
        (["x", " as a", "", ""], 1_400),
        (["", "<T>", "a", ""], 20),
        (["", "f<T>(", "a", ")"], 1_400),
    ] {
        assert_eq!(outcome(nested(shape, count)), Vec::<&str>::new(), "{count} of {shape:?}");
    }
}

#[test]
fn long_flat_programs_are_accepted() {
    for line in [
        "let a: Array<Map<string, number>> = [];\n",
        "f<string>(a, b as number, c!);\n",
        "type A = 'a' | 'b' | { c: number }[];\n",
        "interface A { a?: string; b(c: number): void }\n",
        "const f = <T>(a: T, b = 1): T | undefined => a;\n",
        "a = b ? (c) : (d) => e;\n",
        "if (a < b && c > (d)) e();\n",
        "class A<T> { private readonly a: T = 1; constructor(public b: T) {} }\n",
        "const a = 'x' + b + `${c}`;\n",
    ] {
        let code = format!("{{ {line} }}").repeat(10_000);
        assert_eq!(outcome(code), Vec::<&str>::new(), "{line}");
    }
    assert_eq!(outcome(format!("type A = {} 1;", "'a' |".repeat(100_000))), Vec::<&str>::new());
    assert_eq!(
        outcome(format!("enum A {{ {} }}", (0..50_000).map(|i| format!("a{i},")).collect::<String>())),
        Vec::<&str>::new()
    );
}

/// Every scope is searched for every name.
#[test]
fn names_in_deep_scopes_are_bounded() {
    for (open, close) in [("{", "}"), ("()=>{", "}"), ("namespace a{", "}"), ("class A{static{", "}}")] {
        let code = [&open.repeat(900), &"b;".repeat(400_000)[..], &close.repeat(900), "let x: 1"].concat();
        let rules = outcome(code);
        assert!(rules.iter().all(|rule| RULES.contains(rule)) && !rules.is_empty(), "{open}: {rules:?}");
    }
}

/// Every prefix of a program with all kinds of TypeScript, and every version of it with one character replaced.
#[test]
fn damaged_programs_end_in_a_result() {
    let program = "abstract class A<in out T extends B=C>implements D{private static readonly a?:b;constructor(public c=1){super()}declare d:e;[f:string]:g;h!:i;get j():k{return<l>m}}enum N{o='p',q=o+`r`}declare module's'{}namespace t.u{export const{v,w:[x]}=y as z,aa=1;export enum ab{}}import type ac from'x';function ad(this:ae,af?:ag):asserts af is ah;let ai:typeof aj<ak>|keyof al[],am=<an,>(ao:ap):aq=>ar!satisfies as[as]?(at):(au)=>av;type aw<ax>=ax extends infer ay extends az?{-readonly[ba in bb as`${bc}`]+?:bd}:unique symbol;@be class bf{}";
    for options in [options(), PrepareOptions { language: Language::TypeScript, ..options() }] {
        for (index, _) in program.char_indices() {
            validate(&program[..index], &options);
            validate(&program[index..], &options);
        }
        for (index, character) in program.char_indices() {
            for replacement in
                ["", "(", ")", "}", "`", "'", "/", "<", ">", "=>", "?", ":", "\n", "=", ";", "!", " as ", "@"]
            {
                let code = [&program[..index], replacement, &program[index + character.len_utf8()..]].concat();
                validate(&code, &options);
            }
        }
    }
}
