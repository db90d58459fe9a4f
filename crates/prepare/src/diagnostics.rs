//! Collects the findings about one text.

use ses_protocol::{Diagnostic, Severity};

pub(super) fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Findings kept per severity. More would not help, and 1 MiB of `eval;` has 200,000.
pub(super) const MAX_PER_SEVERITY: usize = 100;

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

    /// Adds a finding about the text, unless there are already [`MAX_PER_SEVERITY`] of its severity.
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        let count = &mut self.counts[diagnostic.severity as usize];
        if *count < MAX_PER_SEVERITY {
            *count += 1;
            self.about_code.push(diagnostic);
        }
    }

    /// Whether another finding of this severity would be kept. Lets a rule skip formatting a finding that would be
    /// dropped.
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
