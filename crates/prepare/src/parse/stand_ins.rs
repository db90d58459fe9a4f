//! Syntax of the language that the parser refuses: `for (using x = f(); …; …)`, and `static async constructor() {}` in
//! TypeScript.
//!
//! When the parser has stopped at such a place, a word is replaced by another word of the same length that it accepts
//! there, and the text is read again. Positions do not change. TRANSFORM restores the original word.

use swc_common::{BytePos, Spanned};
use swc_ecma_parser::error::{Error, SyntaxError};

use super::super::syntax::{FIRST, offset};

/// Each replacement costs another parse. All of these parses together take twice as long as one parse of the largest
/// program. Beyond that, the parser's error stands.
const MAX_STAND_INS: usize = 8;
const MAX_BYTES: usize = 256 << 10; // 256 KiB

/// Read in place of `using`.
const DECLARATION: &str = "const";
/// Read in place of `constructor`.
const METHOD: &str = "asyncMethod";

/// Positions of replaced words.
#[derive(Default)]
pub(in super::super) struct StandIns {
    /// Positions of `using`, and whether it is `await using`.
    pub(in super::super) heads: Vec<(BytePos, bool)>,
    /// Positions of `constructor`.
    pub(in super::super) methods: Vec<BytePos>,
}

impl StandIns {
    pub(in super::super) fn is_empty(&self) -> bool {
        self.heads.is_empty() && self.methods.is_empty()
    }

    pub(in super::super) fn has_await(&self) -> bool {
        self.heads.iter().any(|&(_, is_await)| is_await)
    }

    /// `text`, which starts at the parser's first position, with a word replaced, if the parser has stopped because of
    /// it.
    pub(super) fn replaced(&mut self, text: &str, stopped: &Error) -> Option<String> {
        if text.len() > MAX_BYTES || self.heads.len() + self.methods.len() == MAX_STAND_INS {
            return None;
        }
        let at = offset(stopped.span().lo) as usize;
        let before = text.get(..at)?;
        if matches!(stopped.kind(), SyntaxError::AsyncConstructor) {
            word_before(word_before(before, "async")?, "static")?;
            let rest = text[at..].strip_prefix("constructor")?;
            self.methods.push(position(at));
            return Some([before, METHOD, rest].concat());
        }
        let head = Head::before(before)?;
        self.heads.push((position(head.using), head.is_await));
        let blank = " ".repeat(head.using - head.start);
        let rest = &text[head.using + DECLARATION.len()..];
        Some([&text[..head.start], &blank, DECLARATION, rest].concat())
    }
}

/// `using` or `await using` at the end of the beginning of a `for`.
struct Head {
    start: usize,
    using: usize,
    is_await: bool,
}

impl Head {
    /// `before`: the text up to the declared name.
    fn before(before: &str) -> Option<Head> {
        let line = before.trim_end_matches([' ', '\t']);
        let head = line.strip_suffix("using").filter(|_| line.len() < before.len())?;
        let using = head.len();
        let (start, is_await) = word_before(head, "await").map_or((using, false), |rest| (rest.len(), true));
        let keyword = head[..start].trim_end().strip_suffix('(')?.trim_end();
        let outside = keyword.strip_suffix("for")?;
        let is_word = !outside.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '.'));
        is_word.then_some(Head { start, using, is_await })
    }
}

/// `text` without the given word and white space at its end.
fn word_before<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let trimmed = text.trim_end();
    trimmed.strip_suffix(word).filter(|_| trimmed.len() < text.len())
}

fn position(offset: usize) -> BytePos {
    BytePos(FIRST + offset as u32)
}
