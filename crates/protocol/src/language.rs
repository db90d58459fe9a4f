//! The language of source.

/// What the caller states about the language of source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Language {
    /// JavaScript, and TypeScript when that is what parses.
    #[default]
    Auto,
    JavaScript,
    TypeScript,
}

impl Language {
    /// By the name in the public contract: `"auto"`, `"javascript"` or `"typescript"`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Language::Auto),
            "javascript" => Some(Language::JavaScript),
            "typescript" => Some(Language::TypeScript),
            _ => None,
        }
    }
}
