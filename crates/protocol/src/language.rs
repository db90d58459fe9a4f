//! The language of source code.

/// The language of the source code, as stated by the caller.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Language {
    /// JavaScript, or TypeScript if the source parses only as TypeScript.
    #[default]
    Auto,
    JavaScript,
    TypeScript,
}

impl Language {
    /// The language with this name in the public contract: `"auto"`, `"javascript"` or `"typescript"`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Language::Auto),
            "javascript" => Some(Language::JavaScript),
            "typescript" => Some(Language::TypeScript),
            _ => None,
        }
    }
}
