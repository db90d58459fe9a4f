//! Findings of VALIDATE (specification 3.1 and 8.3).

/// How a finding affects the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The program does not run.
    Error,
    /// The program runs, but probably not as its author expects.
    Warning,
    /// Worth knowing.
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

/// A position in program text.
///
/// Lines end where ECMAScript says so (LF, CR, CRLF, U+2028, U+2029), as V8 counts them.
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
    /// Where in the text; absent for findings about options or about the text as a whole.
    pub location: Option<Location>,
    /// What to do instead.
    pub fix: Option<String>,
    /// The module that was named; only for the rules about imports.
    pub module: Option<String>,
}

impl Diagnostic {
    pub(super) fn new(rule: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        Diagnostic { rule, severity, message: message.into(), location: None, fix: None, module: None }
    }

    pub(super) fn error(rule: &'static str, message: impl Into<String>) -> Self {
        Diagnostic::new(rule, Severity::Error, message)
    }

    pub(super) fn at(mut self, location: Location) -> Self {
        self.location = Some(location);
        self
    }

    pub(super) fn with_fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    pub(super) fn with_module(mut self, module: &str) -> Self {
        self.module = Some(module.to_owned());
        self
    }
}

pub(super) fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Findings kept of each severity. More would help nobody, and 1 MiB of `eval;` has 200,000.
const MAX_PER_SEVERITY: usize = 100;

/// Collects the findings about one text.
pub(super) struct Report {
    about_options: Vec<Diagnostic>,
    about_code: Vec<Diagnostic>,
    counts: [usize; 3],
}

impl Report {
    pub(super) fn new(about_options: Vec<Diagnostic>) -> Self {
        Report { about_options, about_code: Vec::new(), counts: [0; 3] }
    }

    /// Adds a finding about the text, unless [`MAX_PER_SEVERITY`] of its severity are there.
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        let count = &mut self.counts[diagnostic.severity as usize];
        if *count < MAX_PER_SEVERITY {
            *count += 1;
            self.about_code.push(diagnostic);
        }
    }

    /// Whether another finding of this severity would be kept: lets a rule skip formatting what would be dropped.
    pub(super) fn accepts(&self, severity: Severity) -> bool {
        self.counts[severity as usize] < MAX_PER_SEVERITY
    }

    pub(super) fn has_errors(&self) -> bool {
        has_errors(&self.about_options) || has_errors(&self.about_code)
    }

    pub(super) fn into_sorted(self) -> Vec<Diagnostic> {
        let Report { mut about_options, mut about_code, .. } = self;
        about_code.sort_by_key(|diagnostic| diagnostic.location);
        about_code.dedup();
        about_options.append(&mut about_code);
        about_options
    }
}
