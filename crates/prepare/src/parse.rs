//! Text to syntax tree.

mod budget;
mod stand_ins;

use std::borrow::Cow;
use std::collections::BTreeSet;

use swc_common::{BytePos, Spanned, input::StringInput};
use swc_ecma_ast::{EsVersion, JSXElement, JSXFragment, Module};
use swc_ecma_parser::error::{Error, SyntaxError};
use swc_ecma_parser::{Lexer, Parser, Syntax};
use swc_ecma_visit::{Visit, VisitWith};

use super::diagnostics::MAX_PER_SEVERITY;
use super::dialect::Dialect;
use super::goal::Goal;
use super::rules;
use super::source_index::SourceIndex;
use super::syntax::{Jsx, input, javascript, offset, typescript};
use super::token_context::TokenContext;
use budget::{Budget, Budgeted};
use ses_protocol::{Diagnostic, Location};
pub(super) use stand_ins::StandIns;

/// Source without syntax errors.
pub(super) struct ParsedSource {
    pub(super) module: Module,
    pub(super) dialect: Dialect,
    /// Array patterns may lack their trailing holes.
    pub(super) loses_holes: bool,
    /// Words that the parser read in place of others.
    pub(super) stand_ins: StandIns,
    index: SourceIndex,
}

/// Why source does not parse in its dialect.
#[derive(Default)]
pub(super) struct SyntaxErrors {
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Positions of the errors, in the order of the text.
    offsets: Vec<u32>,
}

impl SyntaxErrors {
    /// Findings about source that the parser read to its end.
    pub(super) fn of_read_text(diagnostics: Vec<Diagnostic>) -> Self {
        SyntaxErrors { diagnostics, offsets: vec![u32::MAX] }
    }

    /// Whether the first error that `other` does not have comes after the corresponding error of `other`.
    pub(super) fn read_more_than(&self, other: &SyntaxErrors) -> bool {
        let differing = self.offsets.iter().zip(&other.offsets).find(|(own, others)| own != others);
        differing.is_some_and(|(own, others)| own > others)
    }
}

/// For problems that prevent the text from being read at all.
impl From<Diagnostic> for SyntaxErrors {
    fn from(diagnostic: Diagnostic) -> Self {
        SyntaxErrors { diagnostics: vec![diagnostic], offsets: vec![0] }
    }
}

impl ParsedSource {
    /// Parses `code` with the module goal: strict mode, top-level `await`, and HTML-like comments are errors. `stack`:
    /// the maximum stack for the parser, if the nesting of the text is not known to be bounded.
    pub(super) fn parse(code: &str, goal: Goal, dialect: Dialect, stack: Option<usize>) -> Result<Self, SyntaxErrors> {
        let index = SourceIndex::new(code);
        let loses_holes = dialect == Dialect::TypeScript || stack.is_some();
        let mut stand_ins = StandIns::default();
        let mut text = Cow::Borrowed(code);
        loop {
            let input = input(&text);
            let parsed = match (dialect, stack) {
                (Dialect::JavaScript, None) => Ok(parse_javascript(input, goal)),
                (Dialect::JavaScript, Some(_)) => parse_within(input, goal, javascript(goal), stack),
                (Dialect::TypeScript, _) => parse_within(input, goal, typescript(Jsx::Refused), stack),
            };
            let (result, mut errors) = parsed.map_err(|stopped| match stopped {
                Stopped::TooDeep(at) => rules::text::nesting_too_deep(index.location(offset(at))),
                Stopped::TooAmbiguous => rules::typescript::too_ambiguous(),
            })?;
            let stopped = match result {
                Ok(module) if errors.is_empty() => {
                    return Ok(ParsedSource { module, dialect, loses_holes, stand_ins, index });
                }
                result => result.err(),
            };
            if let Some(replaced) = stopped.as_ref().and_then(|stopped| stand_ins.replaced(&text, stopped)) {
                text = Cow::Owned(replaced);
                continue;
            }
            errors.extend(stopped);
            return Err(syntax_errors(&errors, &index, code));
        }
    }

    /// The same text with another tree.
    pub(super) fn map(self, change: impl FnOnce(Module) -> Module) -> Self {
        ParsedSource { module: change(self.module), ..self }
    }

    pub(super) fn location(&self, position: BytePos) -> Location {
        self.index.location(offset(position))
    }
}

/// The position of the first JSX, if the source is TypeScript with JSX. `stack`: as in [`ParsedSource::parse`].
pub(super) fn find_jsx(code: &str, goal: Goal, stack: Option<usize>) -> Option<Location> {
    let (result, errors) = parse_within(input(code), goal, typescript(Jsx::Allowed), stack).ok()?;
    let mut finder = JsxFinder(None);
    result.ok().filter(|_| errors.is_empty())?.visit_with(&mut finder);
    finder.0.map(|position| SourceIndex::new(code).location(offset(position)))
}

struct JsxFinder(Option<BytePos>);

impl Visit for JsxFinder {
    fn visit_jsx_element(&mut self, node: &JSXElement) {
        self.0.get_or_insert(node.span.lo);
    }

    fn visit_jsx_fragment(&mut self, node: &JSXFragment) {
        self.0.get_or_insert(node.span.lo);
    }
}

/// A tree, or the error that ended parsing; and the errors that did not.
type Parsed = (Result<Module, Error>, Vec<Error>);

fn parse_javascript(input: StringInput, goal: Goal) -> Parsed {
    let mut parser = Parser::new_from(Lexer::new(javascript(goal), EsVersion::EsNext, input, None));
    let result = parser.parse_module();
    (result, parser.take_errors())
}

/// Why the parser did not read the source to its end.
enum Stopped {
    /// The parser would take too much stack, or creates more errors than a reader can use.
    TooDeep(BytePos),
    /// It would try too many readings of the text.
    TooAmbiguous,
}

/// Parses within a budget of time, and of stack if that is given.
fn parse_within(input: StringInput, goal: Goal, syntax: Syntax, stack: Option<usize>) -> Result<Parsed, Stopped> {
    let budget = Budget::new((input.end_pos() - input.start_pos()).0 as usize, stack);
    let mut parser = swc_ecma_lexer::Parser::new_from(Budgeted::new(syntax, input, &budget));
    let result = parser.parse_module();
    let mut errors = parser.take_errors();
    if let Some(at) = budget.too_deep_at() {
        return Err(Stopped::TooDeep(at));
    }
    if budget.is_used_up() {
        return Err(Stopped::TooAmbiguous);
    }
    if goal != Goal::HostModule {
        errors.retain(|error| !matches!(error.kind(), SyntaxError::ReturnNotAllowed));
    }
    Ok((result, errors))
}

/// swc's message for text that it could not read, after it has reported the reason.
const UNREADABLE: &str = "<lexing error";
/// The start of its message for a number or a string.
const LITERAL: &str = " literal (";

/// Only for the first places: describing a place searches the text.
fn syntax_errors(errors: &[Error], index: &SourceIndex, code: &str) -> SyntaxErrors {
    let place = |error: &Error| offset(error.span().lo) as usize;
    // Additional advice is only given for the first place: the others may result from it.
    let first = errors.iter().map(place).min().unwrap_or_default();
    let first = (0..=first.min(code.len())).rev().find(|&at| code.is_char_boundary(at)).unwrap_or_default();
    let context = TokenContext::of(code, first);
    let (mut offsets, mut diagnostics) = (BTreeSet::new(), Vec::new());
    for error in errors {
        let place = place(error);
        let is_first = place == first;
        if diagnostics.len() >= MAX_PER_SEVERITY && !is_first {
            continue;
        }
        if is_first && let Some((at, rule)) = rules::mistakes::not_supported(&context) {
            return SyntaxErrors { diagnostics: vec![rule(index.location(at as u32))], offsets: vec![at as u32] };
        }
        // V8's message or place is more precise.
        let (at, message) = match error.kind() {
            SyntaxError::TS1109 | SyntaxError::ExpectedIdent => (place, rules::mistakes::unexpected(code, place)),
            SyntaxError::Unexpected { .. } | SyntaxError::UnexpectedTokenWithSuggestions { .. } => {
                (place, rules::mistakes::unexpected(code, place))
            }
            SyntaxError::Expected(token, _) if token == "," && is_first && context.is_in_arguments() => {
                (place, Some("missing ) after argument list".to_owned()))
            }
            SyntaxError::Expected(token, got) if token == "," || got.contains(LITERAL) => {
                (place, rules::mistakes::unexpected(code, place))
            }
            SyntaxError::TS1005 if is_first && rules::mistakes::lacks_catch(&context) => {
                (context.before.len() - 1, Some("Missing catch or finally after try".to_owned()))
            }
            SyntaxError::TS1107 => (place, rules::mistakes::undefined_label(code, place)),
            SyntaxError::InvalidIdentInStrict(_) => match rules::mistakes::name_error_after_let(code, place) {
                Some((at, message)) => (at, Some(message)),
                None => (place, None),
            },
            _ => (place, None),
        };
        let own = error.kind().msg();
        // An error that follows from the first one of a place does not help.
        if (own.contains(UNREADABLE) && !offsets.is_empty()) || !offsets.insert(at as u32) {
            continue;
        }
        let message = message.map_or(own, Into::into);
        let location = index.location(at as u32);
        diagnostics.push(match error.kind() {
            SyntaxError::TsInvalidParamPropPat => rules::typescript::parameter_property(location),
            _ => match is_first.then(|| rules::mistakes::fix(code, &context)).flatten() {
                Some(fix) => rules::text::syntax_valid(message, location).with_fix(fix),
                None => rules::text::syntax_valid(message, location),
            },
        });
    }
    SyntaxErrors { diagnostics, offsets: offsets.into_iter().collect() }
}
