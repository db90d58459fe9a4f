//! Text to syntax tree.

use swc_common::{BytePos, Spanned, input::StringInput};
use swc_ecma_ast::{EsVersion, Module};
use swc_ecma_parser::{EsSyntax, Lexer, Parser, Syntax, error::Error};

use super::analyze::Goal;
use super::diagnostics::{Location, Report};
use super::rules;
use super::source_index::SourceIndex;

/// Where the text begins in swc's positions; 0 is its mark for nodes without a position.
const FIRST: u32 = 1;
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A text without syntax errors.
pub(super) struct ParsedSource {
    pub(super) module: Module,
    index: SourceIndex,
}

impl ParsedSource {
    /// Parses `code` with the module goal: strict, top-level `await`, HTML-like comments are errors.
    pub(super) fn parse(code: &str, goal: Goal, report: &mut Report) -> Option<Self> {
        let text = code.strip_prefix(BYTE_ORDER_MARK).unwrap_or(code);
        let start = FIRST + (code.len() - text.len()) as u32;
        let input = StringInput::new(text, BytePos(start), BytePos(start + text.len() as u32));
        let syntax = Syntax::Es(EsSyntax {
            allow_return_outside_function: goal == Goal::Program,
            explicit_resource_management: true,
            import_attributes: true,
            ..EsSyntax::default()
        });
        let lexer = Lexer::new(syntax, EsVersion::EsNext, input, None);
        let mut parser = Parser::new_from(lexer);
        let result = parser.parse_module();
        let mut errors = parser.take_errors();
        match result {
            Ok(module) if errors.is_empty() => Some(ParsedSource { module, index: SourceIndex::new(code) }),
            result => {
                errors.extend(result.err());
                report_syntax_errors(&errors, &SourceIndex::new(code), report);
                None
            }
        }
    }

    pub(super) fn location(&self, position: BytePos) -> Location {
        self.index.location(offset(position))
    }
}

/// A position of swc as an offset into the text.
pub(super) fn offset(position: BytePos) -> u32 {
    position.0.saturating_sub(FIRST)
}

fn report_syntax_errors(errors: &[Error], index: &SourceIndex, report: &mut Report) {
    for error in errors {
        report.push(rules::text::syntax_valid(error.kind().msg(), index.location(offset(error.span().lo))));
    }
}
