//! The position of a token in the generated code maps to its position in the source.

use super::prepared;
use ses_protocol::Location;

use crate::code_frame;

/// Where `needle` is in `text`: line and UTF-16 column from 1, with V8's line terminators.
fn find(text: &str, needle: &str) -> Location {
    end_of(&text[..text.find(needle).unwrap_or_else(|| panic!("{needle:?} is not in {text:?}"))])
}

/// The location after `before`.
fn end_of(before: &str) -> Location {
    let normalized = before.replace("\r\n", "\n").replace(['\r', '\u{2028}', '\u{2029}'], "\n");
    let line = normalized.matches('\n').count() as u32 + 1;
    let start = normalized.rfind('\n').map_or(0, |index| index + 1);
    Location { line, column: normalized[start..].encode_utf16().count() as u32 + 1 }
}

#[track_caller]
fn maps(source: &str, needles: &[&str]) {
    let program = prepared(source);
    for needle in needles {
        let generated = find(&program.code, needle);
        let mapped = program.positions.original(generated.line, generated.column);
        assert_eq!(mapped, Some(find(source, needle)), "{needle:?} in {:?}", program.code);
    }
}

#[test]
fn tokens_map_to_their_source() {
    maps(
        "const one = 1;\n\n   two(  three ,four);\nif (five) { six.seven.eight() }",
        &["two", "three", "four", "five", "six", "seven", "eight"],
    );
    maps("for (const x of list) {\n  throw   new Oops(x);\n}", &["list", "throw", "new Oops", "Oops"]);
    maps("try { alpha() } catch ({ message: beta = gamma }) {\n delta() }", &["alpha", "beta", "gamma", "delta"]);
    maps("class K { #p = alpha; get q() { return beta } static { gamma() } }", &["alpha", "beta", "gamma"]);
    maps("for (let i = alpha; i < beta; i++) {\n  gamma[i] = delta; }", &["alpha", "beta", "gamma", "delta"]);
    maps("let a = async (x) => { await   alpha(x) };\n\n\n  [1].map(beta)", &["alpha", "beta"]);
}

#[test]
fn columns_count_utf16_units() {
    maps("let s = '𠮷𠮷é变'; alpha(s); /* 𠮷 */ beta", &["alpha", "beta"]);
    maps("let 变量 = 1, 𠮷 = 2; 变量 + 𠮷 + alpha", &["alpha"]);
    maps("`𠮷\n𠮷${alpha}𠮷${beta}`; gamma", &["alpha", "beta", "gamma"]);
}

#[test]
fn no_position_is_within_a_character() {
    for source in ["alpha\nx𠮷\n", "x变", "throw 𠮷", "({ é })", "f(𠮷)\n𠮷"] {
        let program = prepared(source);
        let starts: Vec<Location> =
            (0..=source.len()).filter(|&at| source.is_char_boundary(at)).map(|at| end_of(&source[..at])).collect();
        let places = program.code.char_indices().map(|(at, _)| end_of(&program.code[..at]));
        let after_all = Location { line: u32::MAX, column: 1 };
        for Location { line, column } in places.chain([after_all]) {
            let mapped = program.positions.original(line, column);
            assert!(
                mapped.is_none_or(|mapped| starts.contains(&mapped)),
                "{mapped:?} of {line}:{column} in {source:?}"
            );
        }
    }
}

#[test]
fn lines_end_as_v8_says() {
    maps("a;\r\nb;\r  alpha;\n\tbeta\u{2028}gamma;\u{2029} delta", &["alpha", "beta", "gamma", "delta"]);
    maps("x = '\u{2028}' + `\r\n\u{2029}`;\n  alpha(y); beta", &["alpha", "beta"]);
    maps("\t\talpha\t+\tbeta", &["alpha", "beta"]);
    maps("\u{feff}alpha; beta", &["alpha", "beta"]);
    maps("#!/usr/bin/env node\nalpha", &["alpha"]);
}

#[test]
fn generated_code_maps_to_what_it_belongs_to() {
    let source = "1;\n  while (a) b();\ntry {} catch { c }";
    let program = prepared(source);
    for (needle, belongs_to) in [("__smol_guard(", "while"), ("--__smol_left", "while"), ("__smol_rethrow(", "catch")] {
        let generated = find(&program.code, needle);
        let mapped = program.positions.original(generated.line, generated.column);
        assert_eq!(mapped, Some(find(source, belongs_to)), "{needle}");
    }
}

#[test]
fn positions_outside_the_program_have_no_source() {
    let program = prepared("let a = 1;");
    for (line, column) in [(0, 0), (1, 1), (2, 5), (3, 1)] {
        assert_eq!(program.positions.original(line, column), None, "{line}:{column}");
    }
    assert!(program.positions.original(u32::MAX, u32::MAX).is_some());
}

#[test]
fn frames_show_the_place() {
    let code = "let a = 1;\nlet b = '𠮷' + oops;\nlet c;\nlet d;";
    let frame = code_frame(code, find(code, "oops"), "oops is not defined");
    assert_eq!(
        frame,
        "  |\n1 | let a = 1;\n2 | let b = '𠮷' + oops;\n  |                ^ oops is not defined\n3 | let c;\n  |"
    );
}

#[test]
fn frames_stay_small() {
    let long = format!("{}oops{}", "x(变);".repeat(50_000), "y();".repeat(50_000));
    let frame = code_frame(&long, find(&long, "oops"), &"m".repeat(100_000));
    assert!(frame.len() < 2_000, "{}", frame.len());
    assert!(frame.contains("oops"), "{frame}");
    for (line, column) in [(0, 0), (1, 0), (1, u32::MAX), (7, 1), (u32::MAX, u32::MAX)] {
        for code in ["", "a", "a\nb\r\n", "\t\u{0}\u{1b}[31m变", "\n\n\n"] {
            code_frame(code, Location { line, column }, "a message\nof two lines");
        }
    }
}
