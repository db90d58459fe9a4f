//! Estimates how deep the parser can recurse on source, by one pass over the bytes before parsing.

mod labels;
mod words;

use super::dialect::Dialect;
use labels::Labels;
use words::Word;

/// Source with more estimated levels is rejected unparsed. Operators that do not nest count too, so this limit is well
/// above [`super::stack::MAX_DEPTH`], which is exact and applied to the tree.
const MAX_ESTIMATE: u32 = 12_000;

/// The parser walks an `else if` chain once per branch; 16,384 of them in one chain take 0.1 s.
const MAX_ELSES: usize = 16_384;

/// Openers that source may have when its depth cannot be estimated. They may all be nested, at 3 KiB of stack each.
const MAX_UNCERTAIN_OPENERS: usize = 32_768;

/// Colons that may end a label in source whose depth cannot be estimated. The parser creates an error for each pair of
/// labels with the same name. A thousand take 2 s and 200 MB.
const MAX_UNCERTAIN_COLONS: usize = 1_000;

/// Shorter texts are not scanned. Each level takes a byte, so they cannot nest too deeply, and an executor thread has
/// enough stack for that many levels.
const SHORT_BYTES: usize = 2_400;

/// The number of colons in a short text. More could be labels with one name, in too many pairs.
const SHORT_COLONS: usize = 400;

/// First byte of U+2028 and U+2029 (among others).
const LINE_SEPARATOR_START: u8 = 0xe2;

/// What the bytes show about nesting.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Nesting {
    /// Bytes and words that can make the parser recurse, anywhere in the text (also in strings and comments). No text
    /// nests deeper than this, whatever the dialect.
    pub(super) openers: usize,
    /// Where the estimated depth exceeds its limit.
    pub(super) too_deep_at: Option<usize>,
    /// Whether the estimate may be too low, and there are enough openers or labels to use hundreds of megabytes.
    pub(super) may_be_deep: bool,
}

impl Nesting {
    pub(super) fn of(text: &str, dialect: Dialect) -> Self {
        let colons = || text.bytes().filter(|&byte| byte == b':').count();
        if text.len() <= SHORT_BYTES && colons() <= SHORT_COLONS {
            return Nesting { openers: text.len(), ..Nesting::default() };
        }
        let mut scanner = Scanner::new(text.as_bytes(), dialect);
        let too_deep_at = scanner.find_deep_nesting();
        let (openers, elses) = count_openers(text.as_bytes(), dialect);
        let too_many_elses = (elses + scanner.escaped_words > MAX_ELSES).then_some(0);
        let may_be_deep = scanner.is_uncertain
            && (openers > MAX_UNCERTAIN_OPENERS || labels::count_colons(text.as_bytes()) > MAX_UNCERTAIN_COLONS);
        Nesting { openers, too_deep_at: too_deep_at.or(too_many_elses), may_be_deep }
    }
}

/// The position of the deepest nesting, by the estimate.
pub(super) fn deepest(text: &str, dialect: Dialect) -> usize {
    let (mut depth, mut at) = (0, 0);
    Scanner::new(text.as_bytes(), dialect).find(|scanner| {
        if scanner.depth > depth {
            (depth, at) = (scanner.depth, scanner.at);
        }
        false
    });
    at.min(text.len())
}

/// Everything that begins a nested construct: brackets, prefix and right-associative operators, arrows, conditionals,
/// labels, and the keywords of [`Word`]; of TypeScript also type arguments and the dots of `namespace a.b`.
fn count_openers(bytes: &[u8], dialect: Dialect) -> (usize, usize) {
    let mut openers = 0;
    // The number of `else`, each of which an `if` may follow.
    let mut elses = 0;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii_alphabetic() {
            let end = words::end(bytes, at);
            match Word::of(&bytes[at..end], dialect) {
                Word::Else => {
                    openers += 1;
                    let next = bytes[end..].iter().find(|byte| !byte.is_ascii_whitespace());
                    elses += usize::from(next != Some(&b'{'));
                }
                Word::Other => {}
                _ => openers += 1,
            }
            at = end;
        } else if byte == b'*' {
            // Only for `**`: each comment contains two `*`, and generators contain a word or brackets.
            let is_power = bytes.get(at + 1) == Some(&b'*');
            openers += usize::from(is_power);
            at += 1 + usize::from(is_power);
        } else {
            // An escape in an identifier may spell a keyword.
            let is_dot = byte == b'.' && dialect == Dialect::TypeScript;
            openers += usize::from(is_opener(byte, dialect) || is_dot || byte == b'\\');
            at += 1;
        }
    }
    (openers, elses)
}

fn is_opener(byte: u8, dialect: Dialect) -> bool {
    matches!(byte, b'(' | b'[' | b'{' | b'`' | b'!' | b'~' | b'+' | b'-' | b'=' | b'?' | b':' | b'*' | b'>' | b'@')
        || (byte == b'<' && dialect == Dialect::TypeScript)
}

/// An open bracket, and what is pending inside it.
#[derive(Clone, Copy)]
struct Level {
    opener: u8,
    /// Operators and keywords since the last statement or list element began.
    pending: u32,
    bracket: Bracket,
}

impl Level {
    fn may_have_labels(&self) -> bool {
        matches!(self.opener, 0 | b'{') && self.bracket != Bracket::Object
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    /// `${`
    Template,
    /// `(` after `if`, `for`, `while` or `with`
    Header,
    /// `{` that can only begin an object literal, a pattern or an object type
    Object,
    Other,
}

/// Reads the text like a tokenizer, and guesses where only a parser could know. A wrong guess makes the estimate wrong,
/// which costs memory or rejects an odd program, but never overflows a stack.
struct Scanner<'a> {
    bytes: &'a [u8],
    dialect: Dialect,
    at: usize,
    levels: Vec<Level>,
    depth: u32,
    /// The last byte of the previous token, 0 at the start.
    previous: u8,
    /// The previous word, unless another token follows it.
    word: Word,
    /// Words with an escape, which may spell any keyword.
    escaped_words: usize,
    /// Whether part of the text can only be read by a parser, so that the estimate may be too low.
    is_uncertain: bool,
    line_break: bool,
    /// In `namespace a.b.c`, where each dot nests.
    in_namespace_name: bool,
    labels: Labels<'a>,
}

impl<'a> Scanner<'a> {
    fn new(bytes: &'a [u8], dialect: Dialect) -> Self {
        Scanner {
            bytes,
            dialect,
            at: 0,
            levels: vec![Level { opener: 0, pending: 0, bracket: Bracket::Other }],
            depth: 0,
            previous: 0,
            word: Word::Other,
            escaped_words: 0,
            is_uncertain: false,
            line_break: false,
            in_namespace_name: false,
            labels: Labels::default(),
        }
    }

    fn find_deep_nesting(&mut self) -> Option<usize> {
        self.find(|scanner| scanner.depth > MAX_ESTIMATE || scanner.labels.are_too_many())
    }

    /// The end of the first token after which `is_found` returns true.
    fn find(&mut self, mut is_found: impl FnMut(&Self) -> bool) -> Option<usize> {
        if self.bytes.starts_with(b"#!") {
            self.skip_line();
        }
        while self.at < self.bytes.len() {
            self.token();
            if is_found(self) {
                return Some(self.at.min(self.bytes.len()));
            }
        }
        None
    }

    fn token(&mut self) {
        let byte = self.bytes[self.at];
        match byte {
            b'\n' | b'\r' => {
                self.line_break = true;
                self.at += 1;
                return;
            }
            b' ' | b'\t' => {
                self.at += 1;
                return;
            }
            b'/' if self.peek(1) == b'/' => return self.skip_line(),
            b'/' if self.peek(1) == b'*' => return self.skip_block_comment(),
            b'/' => {
                self.is_uncertain |= self.is_ambiguous();
                if self.operand_expected() {
                    self.skip_regex();
                } else {
                    self.at += 1;
                }
            }
            b'<' | b'-' if self.is_html_comment() => {
                // Some readers treat it as a comment.
                self.is_uncertain = true;
                self.add_pending();
                self.at += 1;
            }
            b'"' | b'\'' => self.skip_string(byte),
            b'`' => {
                self.at += 1;
                self.template();
            }
            b'(' if self.word == Word::Header => self.open(Bracket::Header),
            b'{' if self.begins_object() => self.open(Bracket::Object),
            b'(' | b'[' | b'{' => self.open(Bracket::Other),
            b')' | b']' | b'}' => match self.close() {
                Bracket::Template => self.template(),
                // A statement follows, like an operand after `return`.
                Bracket::Header => {
                    self.word = Word::Prefix;
                    self.line_break = false;
                    return;
                }
                Bracket::Object | Bracket::Other => {}
            },
            b';' | b',' => {
                self.reset_pending();
                self.at += 1;
            }
            _ if byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'\\' | 0x80..) => {
                return self.word();
            }
            _ => {
                if byte == b':' && self.levels.last().is_some_and(Level::may_have_labels) {
                    self.labels.end_name(self.levels.len());
                }
                if is_opener(byte, self.dialect) || (byte == b'.' && self.in_namespace_name) {
                    self.add_pending();
                }
                self.at += 1;
            }
        }
        self.labels.forget_name();
        self.previous = self.bytes[self.at.min(self.bytes.len()) - 1];
        self.word = Word::Other;
        self.line_break = false;
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn operand_expected(&self) -> bool {
        matches!(self.word, Word::Prefix | Word::MaybePrefix | Word::BinaryOperator | Word::Else)
            || !(self.previous.is_ascii_alphanumeric()
                || matches!(self.previous, b'_' | b'$' | b')' | b']' | b'}' | b'"' | b'\'' | b'`' | b'/' | 0x80..))
    }

    /// Whether the brace here can only begin an object, given the tokens before it.
    fn begins_object(&self) -> bool {
        match self.previous {
            b'=' | b'(' | b'[' | b',' | b'?' => true,
            b':' => self.levels.last().is_some_and(|level| level.bracket == Bracket::Object),
            _ => false,
        }
    }

    /// Whether a slash here may start a regular expression or be a division.
    fn is_ambiguous(&self) -> bool {
        // A type may end before a line break or with `>`, and `!` follows an operand.
        let after_type = self.dialect == Dialect::TypeScript
            && (matches!(self.previous, b'>' | b'!') || (self.line_break && !self.operand_expected()));
        after_type
            || matches!(self.previous, b'}' | b'+' | b'-' | b'.')
            || matches!(self.word, Word::MaybePrefix | Word::BinaryOperator | Word::Construct)
    }

    fn is_html_comment(&self) -> bool {
        let rest = &self.bytes[self.at..];
        rest.starts_with(b"<!--") || rest.starts_with(b"-->")
    }

    fn word(&mut self) {
        let end = words::end(self.bytes, self.at);
        let word = Word::of(&self.bytes[self.at..end], self.dialect);
        self.in_namespace_name |= word == Word::Namespace;
        let follows_operand = !self.operand_expected();
        let continues = matches!(word, Word::Else | Word::BinaryOperator);
        if follows_operand && !continues && (self.line_break || self.previous == b'}') {
            // Two operands in a row: a statement or class member ended between them.
            self.reset_pending();
        }
        if !matches!(word, Word::Other) {
            self.add_pending();
        }
        if self.bytes[self.at..end].contains(&b'\\') {
            self.escaped_words += 1;
            self.is_uncertain = true;
        }
        // After a dot or a hash, it is the name of a property.
        let is_name = matches!(self.previous, b'.' | b'#');
        self.word = if is_name { Word::Other } else { word };
        if is_name || self.previous == b'?' {
            self.labels.forget_name();
        } else {
            self.labels.begin_name(&self.bytes[self.at..end]);
        }
        self.previous = b'a';
        self.line_break = false;
        self.at = end.max(self.at + 1);
    }

    fn open(&mut self, bracket: Bracket) {
        let opener = self.bytes[self.at];
        self.in_namespace_name = false;
        self.levels.push(Level { pending: 0, bracket, opener });
        self.depth += 1;
        self.at += 1;
    }

    fn close(&mut self) -> Bracket {
        self.at += 1;
        if self.levels.len() == 1 {
            return Bracket::Other;
        }
        self.reset_pending();
        self.depth -= 1;
        let Some(level) = self.levels.pop() else {
            return Bracket::Other;
        };
        let closer = self.bytes[self.at - 1];
        // The ASCII code of a closing bracket is one or two above that of its partner.
        self.is_uncertain |= !matches!(closer.wrapping_sub(level.opener), 1 | 2);
        level.bracket
    }

    fn add_pending(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            level.pending += 1;
            self.depth += 1;
        }
    }

    fn reset_pending(&mut self) {
        self.in_namespace_name = false;
        self.labels.close(self.levels.len());
        if let Some(level) = self.levels.last_mut() {
            self.depth -= level.pending;
            level.pending = 0;
        }
    }

    /// Skips template text up to its end or its next `${`.
    fn template(&mut self) {
        while self.at < self.bytes.len() {
            match self.bytes[self.at] {
                b'\\' => self.at += 2,
                b'`' => {
                    self.at += 1;
                    return;
                }
                b'$' if self.peek(1) == b'{' => {
                    self.at += 1;
                    return self.open(Bracket::Template);
                }
                _ => self.at += 1,
            }
        }
    }

    fn skip_string(&mut self, quote: u8) {
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.bytes[self.at] {
                b'\\' if self.bytes[self.at + 1..].starts_with(b"\r\n") => self.at += 3,
                b'\\' => self.at += 2,
                b'\n' | b'\r' => {
                    self.is_uncertain = true;
                    return;
                }
                byte => {
                    self.at += 1;
                    if byte == quote {
                        return;
                    }
                }
            }
        }
    }

    fn skip_regex(&mut self) {
        self.at += 1;
        let mut in_class = false;
        while self.at < self.bytes.len() {
            match self.bytes[self.at] {
                b'\\' => self.at += 1,
                b'\n' | b'\r' | LINE_SEPARATOR_START => {
                    self.is_uncertain |= self.at_line_end();
                    if self.at_line_end() {
                        return;
                    }
                }
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    fn skip_line(&mut self) {
        while self.at < self.bytes.len() && !self.at_line_end() {
            self.at += 1;
        }
    }

    fn at_line_end(&self) -> bool {
        let rest = &self.bytes[self.at..];
        matches!(rest, [b'\n' | b'\r', ..] | [LINE_SEPARATOR_START, 0x80, 0xa8 | 0xa9, ..])
    }

    fn skip_block_comment(&mut self) {
        self.at += 2;
        while self.at < self.bytes.len() && !(self.bytes[self.at] == b'*' && self.peek(1) == b'/') {
            self.at += 1;
        }
        self.at += 2;
    }
}
