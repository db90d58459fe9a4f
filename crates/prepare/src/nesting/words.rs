//! Words that matter for nesting.

use super::super::dialect::Dialect;

/// A word of the text, by its effect on nesting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Else,
    /// An operand or a nested statement follows.
    Prefix,
    /// The same, except where it is an ordinary name.
    MaybePrefix,
    /// A parenthesis and a nested statement follow.
    Header,
    /// Begins another construct that nests without its own brackets.
    Construct,
    /// `in`, `instanceof`, `of`; `as`, `satisfies`.
    BinaryOperator,
    /// A name with nesting dots follows.
    Namespace,
    Other,
}

impl Word {
    pub(super) fn of(word: &[u8], dialect: Dialect) -> Self {
        match dialect {
            Dialect::JavaScript => Word::of_javascript(word),
            Dialect::TypeScript => Word::of_typescript(word),
        }
    }

    fn of_typescript(word: &[u8]) -> Self {
        match word {
            b"abstract" | b"asserts" | b"enum" | b"infer" | b"is" | b"keyof" | b"readonly" | b"unique" => {
                Word::MaybePrefix
            }
            b"as" | b"satisfies" => Word::BinaryOperator,
            b"namespace" | b"module" => Word::Namespace,
            _ => Word::of_javascript(word),
        }
    }

    fn of_javascript(word: &[u8]) -> Self {
        match word {
            b"else" => Word::Else,
            b"typeof" | b"void" | b"delete" | b"new" | b"do" | b"return" | b"throw" | b"case" | b"extends" => {
                Word::Prefix
            }
            b"await" | b"yield" => Word::MaybePrefix,
            b"if" | b"for" | b"while" | b"with" => Word::Header,
            b"try" | b"switch" | b"class" | b"function" | b"async" => Word::Construct,
            b"in" | b"instanceof" | b"of" => Word::BinaryOperator,
            _ => Word::Other,
        }
    }
}

/// The end of the word that begins at `start`.
pub(super) fn end(bytes: &[u8], start: usize) -> usize {
    let continues = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'\\' | 0x80..);
    start + bytes[start..].iter().take_while(|byte| continues(byte)).count()
}
