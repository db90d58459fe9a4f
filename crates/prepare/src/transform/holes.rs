//! Holes at the end of array patterns.
//!
//! `[x, , ] = values` takes two values from an iterator. The parser for TypeScript, which also reads texts that may be
//! deep, drops holes after the last element if it read an expression before it recognized a pattern.

use swc_common::Spanned;
use swc_ecma_ast::ArrayPat;
use swc_ecma_visit::{VisitMut, VisitMutWith};

use super::super::syntax::offset;
use super::super::trivia;

/// Restores them in a tree whose text is `code`.
pub(in super::super) fn restore<'a, N: VisitMutWith<Holes<'a>>>(program: &mut N, code: &'a str) {
    program.visit_mut_with(&mut Holes { code });
}

pub(in super::super) struct Holes<'a> {
    code: &'a str,
}

impl VisitMut for Holes<'_> {
    fn visit_mut_array_pat(&mut self, node: &mut ArrayPat) {
        node.visit_mut_children_with(self);
        if node.span.is_dummy() {
            return;
        }
        let last = node.elems.iter().rposition(Option::is_some);
        let end = match last.and_then(|last| node.elems[last].as_ref()) {
            Some(element) => offset(element.span_hi()),
            None => offset(node.span.lo) + 1,
        };
        let mut rest = trivia::skip(self.code.get(end as usize..).unwrap_or_default());
        let mut commas = 0;
        while let Some(next) = rest.strip_prefix(',') {
            commas += 1;
            rest = trivia::skip(next);
        }
        // The first comma after an element belongs to the element.
        let length = last.map_or(commas, |last| last + commas.max(1));
        if node.elems.len() < length {
            node.elems.resize_with(length, || None);
        }
    }
}
