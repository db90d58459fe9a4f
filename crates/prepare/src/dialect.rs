//! Ways to read a text.

use ses_protocol::Language;

/// One way to read a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    JavaScript,
    TypeScript,
}

impl Dialect {
    /// How to read a text of this language, in this order until one way succeeds.
    pub(super) fn of(language: Language) -> &'static [Dialect] {
        match language {
            Language::Auto => &[Dialect::JavaScript, Dialect::TypeScript],
            Language::JavaScript => &[Dialect::JavaScript],
            Language::TypeScript => &[Dialect::TypeScript],
        }
    }
}
