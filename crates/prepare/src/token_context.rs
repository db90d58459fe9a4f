//! Finds what surrounds a place in source that cannot be parsed. Works on the tokens, in one pass and without
//! recursion.

use swc_common::Spanned;
use swc_ecma_ast::{AssignOp, EsVersion};
use swc_ecma_lexer::Lexer;
use swc_ecma_lexer::common::input::Tokens;
use swc_ecma_lexer::token::{BinOpToken, Token};

use super::syntax::{Jsx, input, offset, typescript};

/// The place, and the text up to certain tokens before it.
pub(super) struct TokenContext<'a> {
    code: &'a str,
    at: usize,
    /// The text up to the end of the last token before the place.
    pub(super) before: &'a str,
    /// Brackets that are open at the place, innermost last.
    open: Vec<Bracket<'a>>,
    /// The bracket that the last token before the place closes.
    pub(super) closed: Option<Bracket<'a>>,
    /// The text after the innermost bracket's partner, if the bracket is closed.
    pub(super) after_bracket: Option<&'a str>,
}

#[derive(Clone, Copy)]
pub(super) struct Bracket<'a> {
    /// The text up to the end of the token before it.
    pub(super) before: &'a str,
    /// The text up to the end of the token before that one.
    pub(super) earlier: &'a str,
    /// The text from the bracket on.
    pub(super) rest: &'a str,
    pub(super) is_class: bool,
}

impl<'a> TokenContext<'a> {
    /// Whether the bracket is on a later line than the token before it.
    pub(super) fn is_on_later_line(&self, bracket: &Bracket) -> bool {
        self.code[bracket.before.len()..self.code.len() - bracket.rest.len()].contains('\n')
    }

    /// `at` must be between two characters.
    pub(super) fn of(code: &'a str, at: usize) -> Self {
        let mut context = TokenContext { code, at, before: "", open: Vec::new(), closed: None, after_bracket: None };
        let mut earlier = "";
        // The number of open brackets at a `class` whose body has not begun.
        let mut class: Option<usize> = None;
        // Brackets that are opened after the place.
        let mut opened = 0;
        let mut lexer = Lexer::new(typescript(Jsx::Refused), EsVersion::EsNext, input(code), None);
        while let Some(token) = lexer.next() {
            let is_slash = matches!(token.token, Token::BinOp(BinOpToken::Div) | Token::AssignOp(AssignOp::DivAssign));
            if is_slash && !ends_with_value(context.before) {
                // As the parser reads it there.
                lexer.set_next_regexp(Some(token.span_lo()));
                let regexp = lexer.next();
                lexer.set_next_regexp(None);
                match regexp {
                    Some(regexp) if !matches!(regexp.token, Token::Error(_)) => {
                        let end = offset(regexp.span_hi()) as usize;
                        if end <= at {
                            (earlier, context.before, context.closed) =
                                (context.before, code.get(..end).unwrap_or_default(), None);
                        }
                    }
                    _ => break,
                }
                continue;
            }
            let (start, end) = (offset(token.span_lo()) as usize, offset(token.span_hi()) as usize);
            let opens = matches!(token.token, Token::LParen | Token::LBracket | Token::LBrace | Token::DollarLBrace);
            let closes = matches!(token.token, Token::RParen | Token::RBracket | Token::RBrace);
            if matches!(token.token, Token::Error(_) | Token::Eof) || (start >= at && context.open.is_empty()) {
                break;
            }
            if start >= at {
                if closes && opened == 0 {
                    context.after_bracket = code.get(end..);
                    break;
                }
                opened = if opens { opened + 1 } else { opened - usize::from(closes) };
                continue;
            }
            let before = context.before;
            context.closed = None;
            match token.token {
                _ if opens => {
                    let is_class = class.take_if(|depth| *depth == context.open.len() && token.token == Token::LBrace);
                    let rest = code.get(start..).unwrap_or_default();
                    context.open.push(Bracket { before, earlier, rest, is_class: is_class.is_some() });
                }
                _ if closes => context.closed = context.open.pop(),
                Token::Word(_) if code.get(start..end) == Some("class") && !before.ends_with('.') => {
                    class = Some(context.open.len());
                }
                // `class` was the name of a property.
                Token::Colon | Token::Comma | Token::Semi if class == Some(context.open.len()) => class = None,
                _ => {}
            }
            (earlier, context.before) = (before, code.get(..end).unwrap_or_default());
        }
        context
    }

    /// The text from the place on.
    pub(super) fn after(&self) -> &'a str {
        self.code.get(self.at..).unwrap_or_default()
    }

    pub(super) fn place(&self) -> usize {
        self.at
    }

    /// Whether the last token before the place is on its line.
    pub(super) fn is_on_line(&self) -> bool {
        self.code.get(self.before.len()..self.at).is_some_and(|between| !between.contains('\n'))
    }

    pub(super) fn innermost(&self) -> Option<&Bracket<'a>> {
        self.open.last()
    }

    /// Whether the place is among the members of a class.
    pub(super) fn is_in_class_body(&self) -> bool {
        self.innermost().is_some_and(|bracket| bracket.is_class)
    }

    /// Whether it is anywhere in the body of a class.
    pub(super) fn is_in_class(&self) -> bool {
        self.open.iter().any(|bracket| bracket.is_class)
    }

    /// Whether it is among the arguments of a call.
    pub(super) fn is_in_arguments(&self) -> bool {
        let Some((bracket, outer)) = self.open.split_last().filter(|(bracket, _)| bracket.is('(')) else {
            return false;
        };
        let name = last_word(bracket.before);
        if name.is_empty() {
            return bracket.before.ends_with([')', ']']) || bracket.before.ends_with("?.");
        }
        if NO_CALLEES.contains(&name) || last_word(bracket.earlier) == "function" || bracket.earlier.ends_with('*') {
            return false;
        }
        // There, a method looks like a call.
        match outer.last() {
            Some(outer) if outer.is_class => {
                bracket.earlier.ends_with(|c: char| "=+-/%&|^!~?:.<>".contains(c))
                    || matches!(last_word(bracket.earlier), "new" | "await")
            }
            Some(outer) if outer.is('{') && !outer.is_block() => {
                !bracket.earlier.ends_with(['{', ',']) && !matches!(last_word(bracket.earlier), "get" | "set" | "async")
            }
            _ => true,
        }
    }
}

impl Bracket<'_> {
    pub(super) fn is(&self, opener: char) -> bool {
        self.rest.starts_with(opener)
    }

    /// Whether it is a brace that begins a statement.
    pub(super) fn is_statement(&self) -> bool {
        self.is('{') && (self.before.is_empty() || self.before.ends_with([';', '}']))
    }

    /// Whether it is a brace around statements. A block after a label counts as an object.
    fn is_block(&self) -> bool {
        self.is_statement()
            || self.before.ends_with([')', '{'])
            || self.before.ends_with("=>")
            || matches!(last_word(self.before), "else" | "do" | "try" | "finally" | "catch" | "static")
    }
}

/// Words before a parenthesis that does not open a list of arguments, or for which V8 reports another error.
const NO_CALLEES: [&str; 26] = [
    "if",
    "for",
    "while",
    "switch",
    "catch",
    "with",
    "function",
    "return",
    "typeof",
    "in",
    "of",
    "instanceof",
    "delete",
    "void",
    "await",
    "yield",
    "case",
    "throw",
    "else",
    "do",
    "new",
    "import",
    "constructor",
    "default",
    "extends",
    "get",
];

/// Whether a slash after `text` is a division.
fn ends_with_value(text: &str) -> bool {
    let word = last_word(text);
    if word.is_empty() { text.ends_with([')', ']', '}', '"', '\'', '`']) } else { !NO_CALLEES.contains(&word) }
}

/// The word that `text` ends with, if any.
pub(super) fn last_word(text: &str) -> &str {
    let rest = text.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
    &text[rest.len()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Around the `|` in `text`.
    fn with<R>(text: &str, look: impl FnOnce(TokenContext) -> R) -> R {
        look(TokenContext::of(&text.replacen('|', "", 1), text.find('|').expect("a place")))
    }

    #[test]
    fn arguments_are_told_from_other_parentheses() {
        for text in [
            "f(1 |2)",
            "a.b(1 |",
            "new A(1 |",
            "f()(1 |",
            "a?.(1 |",
            "{ f(1 |",
            "x => { f(1 |",
            "f(')', `${1}` |",
            "f(/[)]/ |",
            "f(1, /[)]/ |",
            "f(`${1}`, /[)]/ |",
            "class A { x = f(1 |",
            "class A { m() { f(1 |",
            "({ a: f(1 |",
        ] {
            assert!(with(text, |context| context.is_in_arguments()), "{text}");
        }
        for text in [
            "(1 |2)",
            "[1 |",
            "f(); |",
            "if (1 |",
            "function f(a |",
            "function (a |",
            "function* f(a |",
            "class A { m(a |",
            "class A { x = 1\n m(a |",
            "({ m(a |",
            "({ a: 1, m(a |",
            "({ get m(a |",
            "f({ a: 1 |",
        ] {
            assert!(!with(text, |context| context.is_in_arguments()), "{text}");
        }
    }

    #[test]
    fn bodies_of_classes_are_known() {
        for text in ["class A {|", "class A extends f({}) { x; |", "a = class {|"] {
            assert!(with(text, |context| context.is_in_class_body() && context.is_in_class()), "{text}");
        }
        assert!(with("class A { m() {|", |context| context.is_in_class() && !context.is_in_class_body()));
        for text in ["({ class: { |", "a.class\n{ |", "class A {} |", "class A {} { |", "'class' + { |"] {
            assert!(with(text, |context| !context.is_in_class()), "{text}");
        }
    }

    #[test]
    fn what_follows_on_the_innermost_bracket_is_found() {
        assert_eq!(
            with("f({ a|, b: [{}] } = c)", |context| context.after_bracket.map(str::to_owned)).as_deref(),
            Some(" = c)")
        );
        assert_eq!(with("f({ a|, b: [{}", |context| context.after_bracket.map(str::to_owned)).as_deref(), None);
        assert_eq!(with("a| b", |context| context.after_bracket.map(str::to_owned)).as_deref(), None);
    }
}
