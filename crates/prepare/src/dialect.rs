//! The grammars by which source is parsed.

use ses_protocol::Language;

/// One grammar by which source is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    JavaScript,
    TypeScript,
}

impl Dialect {
    /// The dialects to try for source of this language, in this order until one succeeds.
    pub(super) fn of(language: Language) -> &'static [Dialect] {
        match language {
            Language::Auto => &[Dialect::JavaScript, Dialect::TypeScript],
            Language::JavaScript => &[Dialect::JavaScript],
            Language::TypeScript => &[Dialect::TypeScript],
        }
    }
}
