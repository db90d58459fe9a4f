//! Measures the exact depth of a recursive pass over the tree.

use swc_common::Spanned;

use super::diagnostics::Report;
use super::parse::ParsedSource;
use super::rules;
use super::stack::MAX_DEPTH;

/// Counts nested expressions, statements, patterns and types.
#[derive(Default)]
pub(super) struct Descent {
    depth: u32,
    is_stopped: bool,
}

impl Descent {
    /// Descends to a node of a kind that can nest in itself. False if the pass is stopped. At the limit, this function
    /// stops the pass and reports it.
    pub(super) fn enter(&mut self, node: &impl Spanned, source: &ParsedSource, report: &mut Report) -> bool {
        if self.is_stopped {
            return false;
        }
        if self.depth == MAX_DEPTH {
            self.stop();
            report.push(rules::text::nesting_too_deep(source.location(node.span_lo())));
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Stops the pass.
    pub(super) fn stop(&mut self) {
        self.is_stopped = true;
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped
    }
}
