//! Finds the matching lines, piece by piece. Matching takes linear time, but the constant is the size of the pattern,
//! so that one call for a large file could take minutes. The search can end between two pieces.

use std::convert::Infallible;
use std::io;
use std::ops::Range;

use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{Searcher, SearcherBuilder, Sink, SinkMatch};
use regex_automata::meta::{Config, Regex};
use regex_automata::{Input, util::syntax};
use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{AssertionKind, Ast, Visitor, visit};

/// Longer lines are cut to so many characters around the match.
pub const MAX_LINE_CHARS: usize = 500;
/// Size of a piece of whole lines that is searched in one call, and of a window on a longer line.
const PIECE_BYTES: usize = 16 * (1 << 10);
/// Overlap of two windows. A longer match that begins in one window and ends in the next is not found.
const OVERLAP_BYTES: usize = 4 * (1 << 10);
/// 2 MiB: size of the compiled expression, which determines how slow the search of a piece can be.
const MAX_REGEX_BYTES: usize = 2 * (1 << 20);
/// 10 MiB: size of its cache while it runs.
const MAX_CACHE_BYTES: usize = 10 * (1 << 20);

/// A line that matches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FoundLine {
    /// Position of its start.
    pub at: usize,
    /// Its number, from 1.
    pub number: u64,
    /// Start of the first match in it, in bytes from the start of the line.
    pub matched: usize,
}

/// A searcher with its pattern.
pub struct LineSearch {
    matcher: RegexMatcher,
    searcher: Searcher,
    /// The same pattern, for windows. The matcher would treat the end of a window as the end of the line.
    windows: Regex,
}

impl LineSearch {
    /// # Errors
    ///
    /// The pattern is not a regular expression, can match line endings, or is too large. The message says which.
    pub fn new(pattern: &str, literal: bool, ignore_case: bool) -> Result<Self, String> {
        let pattern = if literal { regex_syntax::escape(pattern) } else { of_lines(pattern) };
        let matcher = RegexMatcherBuilder::new()
            .case_insensitive(ignore_case)
            // `$` matches before CRLF too.
            .crlf(true)
            .multi_line(true)
            .size_limit(MAX_REGEX_BYTES)
            .dfa_size_limit(MAX_CACHE_BYTES)
            .build(&pattern)
            .map_err(|error| error.to_string())?;
        let windows = Regex::builder()
            .syntax(syntax::Config::new().case_insensitive(ignore_case).crlf(true).multi_line(true).utf8(false))
            .configure(
                Config::new()
                    .utf8_empty(false)
                    // Both compile to the same program, except for the matcher's additions.
                    .nfa_size_limit(Some(2 * MAX_REGEX_BYTES))
                    .hybrid_cache_capacity(MAX_CACHE_BYTES),
            )
            .build(&pattern)
            .map_err(|error| error.to_string())?;
        let searcher = SearcherBuilder::new()
            // The same line terminator as the matcher's.
            .line_terminator(LineTerminator::crlf())
            .line_number(true)
            .bom_sniffing(false)
            .build();
        Ok(Self { matcher, searcher, windows })
    }

    /// Calls `found` with each matching line, as long as it returns true. Calls `has_time` before each piece.
    pub fn run(
        &mut self,
        content: &[u8],
        mut has_time: impl FnMut() -> bool,
        mut found: impl FnMut(FoundLine) -> bool,
    ) -> io::Result<()> {
        let (mut at, mut number) = (0, 1);
        while at < content.len() && has_time() {
            let end = piece_end(content, at);
            let piece = &content[at..end];
            if piece.len() > PIECE_BYTES {
                let line = piece.strip_suffix(b"\n").unwrap_or(piece);
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                if let Some(matched) = self.long_line(line, &mut has_time)
                    && !found(FoundLine { at, number, matched })
                {
                    return Ok(());
                }
                number += 1;
            } else {
                let mut lines = Lines { at, number, windows: &self.windows, found: &mut found, ended: false };
                self.searcher.search_slice(&self.matcher, piece, &mut lines)?;
                if lines.ended {
                    return Ok(());
                }
                number += piece.iter().filter(|&&byte| byte == b'\n').count() as u64;
            }
            at = end;
        }
        Ok(())
    }

    /// Position of the first match in a line that is longer than a piece.
    fn long_line(&self, line: &[u8], has_time: &mut impl FnMut() -> bool) -> Option<usize> {
        let mut start = 0;
        while has_time() {
            let end = (start + PIECE_BYTES).min(line.len());
            // `^`, `$` and `\b` see what is around the window.
            if let Some(found) = self.windows.find(Input::new(line).range(start..end)) {
                return Some(found.start());
            }
            if end == line.len() {
                return None;
            }
            start = end - OVERLAP_BYTES;
        }
        None
    }
}

/// `pattern` with line anchors in place of text anchors, because a piece is not the whole text: `\A`, `\z`, `(?-m)^`.
fn of_lines(pattern: &str) -> String {
    // An invalid pattern is reported where it is compiled.
    let Ok(ast) = Parser::new().parse(pattern) else { return pattern.to_owned() };
    let Ok(assertions) = visit(&ast, Assertions::default());
    let mut text = String::new();
    let mut at = 0;
    for (place, line) in assertions.0 {
        text.push_str(&pattern[at..place.start]);
        text.push_str(line);
        at = place.end;
    }
    text + &pattern[at..]
}

/// The anchors of a pattern, in order, each with its replacement for lines.
#[derive(Default)]
struct Assertions(Vec<(Range<usize>, &'static str)>);

impl Visitor for Assertions {
    type Output = Self;
    type Err = Infallible;

    fn finish(self) -> Result<Self, Infallible> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Infallible> {
        if let Ast::Assertion(assertion) = ast {
            let line = match assertion.kind {
                AssertionKind::StartLine | AssertionKind::StartText => "(?mR:^)",
                AssertionKind::EndLine | AssertionKind::EndText => "(?mR:$)",
                _ => return Ok(()),
            };
            self.0.push((assertion.span.start.offset..assertion.span.end.offset, line));
        }
        Ok(())
    }
}

/// The end of the piece that begins at `at`: as many whole lines as fit, at least one.
fn piece_end(content: &[u8], at: usize) -> usize {
    let limit = at + PIECE_BYTES;
    if content.len() <= limit {
        return content.len();
    }
    let newline = |byte: &u8| *byte == b'\n';
    match content[at..limit].iter().rposition(newline) {
        Some(last) => at + last + 1,
        None => content[limit..].iter().position(newline).map_or(content.len(), |next| limit + next + 1),
    }
}

/// Passes on the searcher's findings in a piece.
struct Lines<'a, F> {
    /// Position and line number of the piece.
    at: usize,
    number: u64,
    windows: &'a Regex,
    found: &'a mut F,
    ended: bool,
}

impl<F: FnMut(FoundLine) -> bool> Sink for Lines<'_, F> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, line: &SinkMatch<'_>) -> io::Result<bool> {
        let at = self.at + line.absolute_byte_offset() as usize;
        // The searcher counts from 1.
        let number = self.number + line.line_number().unwrap_or(1) - 1;
        // The position of the match is needed only for lines that are cut.
        let is_long = line.bytes().len() > MAX_LINE_CHARS;
        let found = if is_long { self.windows.find(line.bytes()) } else { None };
        let matched = found.map_or(0, |found| found.start());
        self.ended = !(self.found)(FoundLine { at, number, matched });
        Ok(!self.ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(pattern: &str, content: &str) -> Vec<(usize, u64)> {
        let mut lines = Vec::new();
        let found = |line: FoundLine| {
            lines.push((line.at, line.number));
            true
        };
        LineSearch::new(pattern, false, false).unwrap().run(content.as_bytes(), || true, found).unwrap();
        lines
    }

    #[test]
    fn positions_and_numbers_go_on_over_pieces() {
        let content: String = (1..=10_000).map(|number| format!("line {number}\r\n")).collect();
        let expected: Vec<_> = content
            .split_inclusive('\n')
            .scan(0, |at, line| {
                *at += line.len();
                Some((*at - line.len(), line))
            })
            .zip(1..)
            .filter(|((_, line), _)| line.trim_end().ends_with('7'))
            .map(|((at, _), number)| (at, number))
            .collect();
        assert_eq!(expected.len(), 1000);
        assert_eq!(search("7$", &content), expected);
        assert_eq!(search("^", &"\n".repeat(40_000)).len(), 40_000);
    }

    #[test]
    fn long_lines_match_as_short_ones_do() {
        let long = "x".repeat(3 * PIECE_BYTES + 5);
        let content = format!("{long}middle{long}end\nafter\n{long}");
        let after = content.find("after").unwrap();
        for pattern in [
            "middle",
            "xmiddlex",
            "middle.*",
            r"\bmiddle|dd.*",
            "x{4000}middle",
            "end$",
            "^xx",
            "d[^m]*d",
            r"\bx",
            r"end\b",
        ] {
            assert_eq!(search(&format!("{pattern}|after"), &content)[..2], [(0, 1), (after, 2)], "{pattern}");
        }
        // No match begins or ends where a window does.
        for pattern in ["^middle", "middle$", r"x\bx", r"x\b\B", "^end"] {
            assert_eq!(search(pattern, &content), [], "{pattern}");
        }
        assert_eq!(search("x$", &content), [(after + 6, 3)]);
        // Longer than the overlap of two windows.
        assert_eq!(search("^x+middle", &content), []);
    }

    #[test]
    fn the_first_match_in_a_long_line_is_told() {
        for length in [1000, 3 * PIECE_BYTES] {
            let content = format!("\n{}needle needle{}\n", "x".repeat(length), "y".repeat(length));
            for (pattern, matched) in [("needle", length), ("^x", 0), ("y$", 2 * length + 12)] {
                let mut lines = Vec::new();
                let found = |line| {
                    lines.push(line);
                    true
                };
                LineSearch::new(pattern, false, false).unwrap().run(content.as_bytes(), || true, found).unwrap();
                assert_eq!(lines, [FoundLine { at: 1, number: 2, matched }], "{pattern}");
            }
        }
    }

    #[test]
    fn what_is_said_of_the_text_is_said_of_each_line() {
        let content: String = (0..5000).map(|number| format!("line {number}\r\n")).collect();
        for (pattern, like) in [
            (r"\Aline", "^line"),
            ("(?-m)^line", "^line"),
            (r"9\z", "9$"),
            ("(?-m)9$", "9$"),
            ("(?x) 4 9 (?-mR: $)", "49$"),
            (r"\A\z", "^$"),
            (r"(\A|x)*line 4$", "^line 4$"),
            (r"\\A|[\^$]|^l", "^l"),
        ] {
            assert_eq!(search(pattern, &content), search(like, &content), "{pattern}");
        }
        let long = format!("{}y\n", "x".repeat(2 * PIECE_BYTES));
        assert_eq!(search(r"x\z|\Ay|(?-m)^y|\Axx+y\z", &format!("{long}x\n{long}")), [(long.len(), 2)]);
        let error = LineSearch::new(r"\A(", false, false).err().unwrap();
        assert!(error.contains(r"(?:\A()"), "{error}");
    }

    #[test]
    fn time_is_asked_for() {
        let mut search = LineSearch::new("x", false, false).unwrap();
        for content in ["y\n".repeat(PIECE_BYTES), "y".repeat(4 * PIECE_BYTES)] {
            let mut left = 2;
            let has_time = || {
                left -= 1;
                left > 0
            };
            search.run(content.as_bytes(), has_time, |_| unreachable!()).unwrap();
            assert_eq!(left, 0);
        }
    }
}
