//! Findings of VALIDATE (specification 3.1 and 8.3).

/// How a finding affects the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The program does not run.
    Error,
    /// The program runs, but probably not as its author expects.
    Warning,
    /// A remark that may be of use.
    Info,
}

impl Severity {
    /// The name in the public contract: `"ERROR"`, `"WARNING"` or `"INFO"`.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "ERROR",
            Severity::Warning => "WARNING",
            Severity::Info => "INFO",
        }
    }
}

/// A position in the source of a program.
///
/// Lines end as ECMAScript defines it (LF, CR, CRLF, U+2028, U+2029), as in V8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// From 1.
    pub line: u32,
    /// From 1, in UTF-16 code units.
    pub column: u32,
}

/// One finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// The rule's identifier, for example `syntax_valid`.
    pub rule: &'static str,
    pub severity: Severity,
    pub message: String,
    /// The position. Absent for findings about options or about the whole source.
    pub location: Option<Location>,
    /// A suggestion for fixing the code.
    pub fix: Option<String>,
    /// The module that the code names. Present only for the rules about imports.
    pub module: Option<String>,
}

impl Diagnostic {
    pub fn new(rule: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        Diagnostic { rule, severity, message: message.into(), location: None, fix: None, module: None }
    }

    pub fn error(rule: &'static str, message: impl Into<String>) -> Self {
        Diagnostic::new(rule, Severity::Error, message)
    }

    pub fn at(mut self, location: Location) -> Self {
        self.location = Some(location);
        self
    }

    pub fn with_fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    pub fn with_module(mut self, module: &str) -> Self {
        self.module = Some(module.to_owned());
        self
    }
}
