//! What the tokens of a source alone show about its names. The source may be JavaScript or TypeScript, and may not
//! parse.

use crate::LINE_ENDS;

/// Bytes of a source that are searched. 64 KiB.
const MAX_SOURCE_BYTES: usize = 64 << 10;
/// Occurrences of a name that are examined.
const MAX_PLACES: usize = 64;
/// Tokens of types between the parentheses of an arrow function and its arrow.
const MAX_TYPE_TOKENS: usize = 16;

/// The tokens of a source, without comments: names and numbers, string literals, and single punctuators.
pub struct Tokens<'a> {
    source: &'a str,
    list: Vec<Token<'a>>,
}

struct Token<'a> {
    /// Byte offset.
    at: usize,
    text: &'a str,
    /// The innermost bracket that encloses it.
    parent: Option<usize>,
    /// For a bracket, its partner.
    partner: Option<usize>,
}

/// Where a source declares a name.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Declared {
    pub at_top: bool,
    /// In a block or a function, also as a parameter.
    pub inside: bool,
}

/// A step of the expression before a place: `.rows`, `[0]` or `(…)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    Name(&'a str),
    /// The text between the brackets.
    Index(&'a str),
    Call,
}

/// Whether a character can be part of a name or a number.
pub fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

impl<'a> Tokens<'a> {
    /// `None` for a source that is too long to search.
    pub fn of(source: &'a str) -> Option<Self> {
        (source.len() <= MAX_SOURCE_BYTES).then(|| Scan { source, at: 0, list: Vec::new(), open: Vec::new() }.all())
    }

    /// Where the source declares `name`. A name with too many occurrences counts as declared everywhere.
    pub fn declared(&self, name: &str) -> Declared {
        let mut declared = Declared::default();
        for (count, index) in (0..self.list.len()).filter(|&index| self.list[index].text == name).enumerate() {
            if count == MAX_PLACES {
                return Declared { at_top: true, inside: true };
            }
            match self.is_declared_inside(index) {
                Some(true) => declared.inside = true,
                Some(false) => declared.at_top = true,
                None => {}
            }
        }
        declared
    }

    /// Whether a token is `name`.
    pub fn has(&self, name: &str) -> bool {
        self.list.iter().any(|token| token.text == name)
    }

    /// The place where the source declares `name`, if it is the only one.
    pub fn declared_once(&self, name: &str) -> Option<usize> {
        let mut places = (0..self.list.len()).filter(|&index| self.list[index].text == name).take(MAX_PLACES);
        let only = places.find(|&index| self.is_declared_inside(index).is_some())?;
        places.all(|index| self.is_declared_inside(index).is_none()).then_some(only)
    }

    /// Whether `const` declares the name at this place.
    pub fn is_constant(&self, index: usize) -> bool {
        let declares =
            |word: &&str| matches!(*word, "const" | "let" | "var" | "using" | "function" | "class" | "catch");
        (0..index).rev().map(|index| self.text(index)).find(declares) == Some("const")
    }

    /// The name that `name` is derived from: `const name = rows[0];` or `for (const name of rows.list)`.
    pub fn taken_from(&self, name: &str) -> Option<&'a str> {
        let at = self.declared_once(name)?;
        if !matches!(self.before(at), "const" | "let" | "var") {
            return None;
        }
        let from = at + 2;
        let end = self.end_of_members(from);
        let is_whole = match self.text(at + 1) {
            "of" => self.text(end + 1) == ")",
            "=" => matches!(self.text(end + 1), "" | ";" | "}" | "const" | "let" | "var" | "for" | "if"),
            _ => false,
        };
        Some(self.text(from)).filter(|root| is_whole && is_name(root) && !is_word(root))
    }

    /// The function whose result a pattern takes `name` from: `const { name } = db.query(…)`.
    pub fn taken_from_call(&self, name: &str) -> Option<String> {
        let open = self.list[self.declared_once(name)?].parent?;
        let close = self.list[open].partner?;
        let is_pattern = self.text(open) == "{" && matches!(self.before(open), "const" | "let" | "var");
        if is_pattern && self.text(close + 1) == "=" { self.called(close + 2) } else { None }
    }

    /// The function that is called from the token with this index on, with its path: `db.query(…)`.
    pub fn called(&self, index: usize) -> Option<String> {
        let end = self.end_of_members(index);
        let names = self.chain(end).into_iter().map(|step| match step {
            Step::Name(name) => Some(name),
            Step::Index(_) | Step::Call => None,
        });
        let names = names.collect::<Option<Vec<_>>>().filter(|names| !names.is_empty());
        names.filter(|_| self.text(end + 1) == "(").map(|names| names.join("."))
    }

    /// Whether the only declaration of `name` is an async function, which returns a promise.
    pub fn is_async_function(&self, name: &str) -> bool {
        let Some(at) = self.declared_once(name) else { return false };
        if self.before(at) == "function" {
            return at >= 2 && self.before(at - 1) == "async";
        }
        let is_function = match self.text(at + 3) {
            "function" => self.text(at + 4) != "*",
            head => head == "(" || is_name(head),
        };
        is_function && self.text(at + 1) == "=" && self.text(at + 2) == "async"
    }

    /// The index of the last token that begins at or before `offset`.
    pub fn at(&self, offset: usize) -> Option<usize> {
        self.list.partition_point(|token| token.at <= offset).checked_sub(1)
    }

    /// The text of a token; empty after the last one.
    pub fn text(&self, index: usize) -> &'a str {
        self.list.get(index).map_or("", |token| token.text)
    }

    /// The text of the token before.
    pub fn before(&self, index: usize) -> &'a str {
        index.checked_sub(1).map_or("", |index| self.text(index))
    }

    /// Whether a token is the first argument of a call.
    pub fn is_argument(&self, index: usize) -> bool {
        let Some(open) = self.list[index].parent.filter(|&open| self.text(open) == "(") else { return false };
        matches!(self.before(index), "(" | ",") && is_name(self.before(open)) && !is_control(self.before(open))
    }

    /// The steps of `db.query("x").rows` up to the token with this index, which is the last one; empty if it does not
    /// begin with a name.
    pub fn chain(&self, last: usize) -> Vec<Step<'a>> {
        let mut steps = Vec::new();
        let mut at = last;
        loop {
            let Some(token) = self.list.get(at) else { return Vec::new() };
            let (step, first) = match (token.text, token.partner) {
                (")", Some(open)) if open < at => (Step::Call, open),
                ("]", Some(open)) if open < at => (Step::Index(self.between(open, at)), open),
                (name, _) if is_name(name) => (Step::Name(name), at),
                _ => return Vec::new(),
            };
            steps.push(step);
            let is_member = self.before(first) == "." && !self.is_spread(first);
            if !is_member && matches!(step, Step::Name(_)) {
                break;
            }
            let is_optional = is_member && first >= 2 && self.before(first - 1) == "?";
            let Some(before) = first.checked_sub(1 + usize::from(is_member) + usize::from(is_optional)) else {
                return Vec::new();
            };
            at = before;
        }
        match steps.last() {
            Some(Step::Name(name)) if !is_control(name) => steps.reverse(),
            _ => steps.clear(),
        }
        steps
    }

    /// The last token of the member expression that begins at this index: for `a` in `a.b[0] = 1`, the bracket.
    pub fn end_of_members(&self, index: usize) -> usize {
        let mut at = index;
        loop {
            at = match (self.text(at + 1), self.text(at + 2)) {
                (".", name) if is_name(name) => at + 2,
                ("[", _) => match self.list[at + 1].partner {
                    Some(close) => close,
                    None => return at,
                },
                _ => return at,
            };
        }
    }

    fn between(&self, open: usize, close: usize) -> &'a str {
        match (self.list.get(open + 1), close == open + 2) {
            (Some(only), true) => only.text,
            _ => "…",
        }
    }

    /// Whether a token begins a line that continues the expression of the line above.
    pub fn goes_on(&self, index: usize) -> bool {
        let Some((before, token)) = index.checked_sub(1).zip(self.list.get(index)) else { return false };
        let Token { at, text, partner, .. } = self.list[before];
        let is_value = match text {
            ")" => !partner.is_some_and(|open| is_control(self.before(open))),
            "]" => true,
            _ => text.starts_with(|c: char| is_part(c) || matches!(c, '"' | '\'' | '`')) && !is_word(text),
        };
        is_value && self.source[at + text.len()..token.at].contains(LINE_ENDS)
    }

    /// The line of a token, from 1.
    pub fn line(&self, index: usize) -> usize {
        let before = self.list.get(index).map_or(self.source, |token| &self.source[..token.at]);
        before.replace("\r\n", "\n").matches(LINE_ENDS).count() + 1
    }

    /// The innermost bracket that encloses a token.
    pub fn bracket(&self, index: usize) -> Option<usize> {
        self.list.get(index)?.parent
    }

    /// The partner of a bracket.
    pub fn partner(&self, index: usize) -> Option<usize> {
        self.list.get(index)?.partner
    }

    /// The member that is read at the place of an error. After a call, V8 reports the end of the call.
    pub fn member_at(&self, index: usize) -> usize {
        match (self.text(index), self.text(index + 1)) {
            (".", _) => index + 1,
            (")", ".") => index + 2,
            _ => index,
        }
    }

    /// The last token before this member: a name, or the bracket of an index.
    pub fn end_of_receiver(&self, member: usize) -> Option<usize> {
        let is_name = is_name(self.text(member)) && self.before(member) == "." && !self.is_spread(member);
        match self.text(member) {
            "[" if self.before(member) != "." => member.checked_sub(1),
            _ if is_name && member >= 3 && self.before(member - 1) == "?" => Some(member - 3),
            _ if is_name => member.checked_sub(2),
            _ => None,
        }
    }

    /// Whether a token follows `...`.
    pub fn is_spread(&self, index: usize) -> bool {
        index >= 3 && (index - 3..index).all(|dot| self.text(dot) == ".")
    }

    /// Whether the token, a name, is declared in a block or a function, or at the top level; `None` if this token does
    /// not declare it.
    fn is_declared_inside(&self, index: usize) -> Option<bool> {
        if self.is_arrow(index + 1) && self.before(index) != "." {
            return Some(true);
        }
        let mut at = index;
        loop {
            let before = if self.is_spread(at) { self.before(at - 3) } else { self.before(at) };
            let parent = self.list[at].parent;
            let is_generator = before == "*" && at >= 2 && self.before(at - 1) == "function";
            if matches!(before, "const" | "let" | "var" | "using" | "function" | "class") || is_generator {
                return Some(parent.is_some());
            }
            if !matches!(before, "," | "(" | "{" | "[" | ":") {
                return None;
            }
            if before == "," && self.is_declarator(at) {
                return Some(parent.is_some());
            }
            let open = parent?;
            match self.text(open) {
                "(" => return self.is_parameters(open).then_some(true),
                // The key of a pattern or of a literal declares nothing.
                "{" if self.text(self.list[at].partner.map_or(at, |close| close.max(at)) + 1) == ":" => return None,
                _ => at = open,
            }
        }
    }

    /// Whether the token after a comma is one of several declarators: `let a = 1, b`.
    fn is_declarator(&self, index: usize) -> bool {
        let mut at = index;
        while let Some(before) = at.checked_sub(1) {
            match self.text(before) {
                "const" | "let" | "var" => return true,
                ";" | "(" | "[" | "{" => return false,
                // A group is skipped as a whole.
                ")" | "]" | "}" => match self.list[before].partner {
                    Some(open) => at = open,
                    None => return false,
                },
                _ => at = before,
            }
        }
        false
    }

    /// Whether parentheses are those of an arrow function, a function, a method or a `catch` clause.
    fn is_parameters(&self, open: usize) -> bool {
        let Some(close) = self.list[open].partner else { return false };
        let (head, of) = (self.before(open), open.checked_sub(2).map_or("", |index| self.text(index)));
        let is_function = matches!(head, "function" | "catch") || of == "function" || (of == "*" && is_name(head));
        match self.text(close + 1) {
            _ if is_function || self.is_arrow(close + 1) => true,
            "{" => (is_name(head) || head == "]") && !is_control(head),
            ":" => (close + 2..close + 2 + MAX_TYPE_TOKENS).any(|index| self.is_arrow(index)),
            _ => false,
        }
    }

    fn is_arrow(&self, index: usize) -> bool {
        self.text(index) == "=" && self.text(index + 1) == ">"
    }
}

/// Whether a token is a name or a keyword.
pub fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| is_part(c) && !c.is_ascii_digit())
}

/// Whether parentheses after a word are not a call.
fn is_control(word: &str) -> bool {
    matches!(word, "if" | "for" | "while" | "switch" | "with") || is_word(word)
}

/// Whether a value follows a word.
fn is_word(word: &str) -> bool {
    matches!(
        word,
        "await"
            | "case"
            | "delete"
            | "do"
            | "else"
            | "in"
            | "new"
            | "of"
            | "return"
            | "throw"
            | "typeof"
            | "void"
            | "yield"
    )
}

/// A source that is being split into tokens.
struct Scan<'a> {
    source: &'a str,
    at: usize,
    list: Vec<Token<'a>>,
    /// Open brackets, each with whether an expression in a template ends with its partner.
    open: Vec<(usize, bool)>,
}

impl<'a> Scan<'a> {
    fn all(mut self) -> Tokens<'a> {
        while let Some(next) = self.source[self.at..].chars().next() {
            let rest = &self.source[self.at..];
            match next {
                _ if next.is_whitespace() => self.at += next.len_utf8(),
                _ if rest.starts_with("//") => self.at += rest.find(['\n', '\r']).unwrap_or(rest.len()),
                _ if rest.starts_with("/*") => self.at += rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
                '"' | '\'' => self.take(text_length(rest, next)),
                '`' => self.template(1),
                '/' if self.is_regexp() => self.take(regexp_length(rest)),
                '(' | '[' | '{' => self.open_bracket(1, false),
                ')' | ']' | '}' => self.close_bracket(),
                _ if is_part(next) => self.take(rest.find(|c| !is_part(c)).unwrap_or(rest.len())),
                _ => self.take(next.len_utf8()),
            }
        }
        Tokens { source: self.source, list: self.list }
    }

    fn take(&mut self, length: usize) {
        let text = &self.source[self.at..self.at + length];
        let parent = self.open.last().map(|&(index, _)| index);
        self.list.push(Token { at: self.at, text, parent, partner: None });
        self.at += length;
    }

    fn open_bracket(&mut self, length: usize, is_of_template: bool) {
        let index = self.list.len();
        self.take(length);
        self.open.push((index, is_of_template));
    }

    fn close_bracket(&mut self) {
        let index = self.list.len();
        let opened = self.open.pop();
        self.take(1);
        let Some((open, is_of_template)) = opened else { return };
        self.list[index].partner = Some(open);
        self.list[open].partner = Some(index);
        if is_of_template {
            self.template(0);
        }
    }

    /// Advances to the end of a template, or to an expression in it. `from`: bytes that it begins with.
    fn template(&mut self, from: usize) {
        let rest = &self.source[self.at..];
        let mut bytes = rest.bytes().enumerate().skip(from);
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'\\' => drop(bytes.next()),
                b'`' => return self.take(at + 1),
                b'$' if rest[at..].starts_with("${") => {
                    self.take(at);
                    return self.open_bracket(2, true);
                }
                _ => {}
            }
        }
        self.take(rest.len());
    }

    /// Whether a slash begins a regular expression, because no value precedes it.
    fn is_regexp(&self) -> bool {
        let before = self.list.last().map_or("", |token| token.text);
        let is_value = before.ends_with(|c| is_part(c) || ")]}\"'`".contains(c));
        !is_value || is_word(before)
    }
}

/// Bytes of the string literal at the start of `rest`.
fn text_length(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    let end = rest.char_indices().skip(1).find(|&(_, c)| {
        let is_end = !is_escaped && (c == quote || c == '\n');
        is_escaped = !is_escaped && c == '\\';
        is_end
    });
    end.map_or(rest.len(), |(at, _)| at + 1)
}

/// Bytes of the regular expression at the start of `rest`. Its flags count as a name.
fn regexp_length(rest: &str) -> usize {
    let (mut is_escaped, mut is_in_class) = (false, false);
    let end = rest.char_indices().skip(1).find(|&(_, c)| {
        let is_end = !is_escaped && ((c == '/' && !is_in_class) || c == '\n');
        if !is_escaped && matches!(c, '[' | ']') {
            is_in_class = c == '[';
        }
        is_escaped = !is_escaped && c == '\\';
        is_end
    });
    end.map_or(rest.len(), |(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(code: &str) -> (bool, bool) {
        let Declared { at_top, inside } = Tokens::of(code).expect("it is short").declared("rows");
        (at_top, inside)
    }

    #[test]
    fn a_name_is_declared_inside_where_it_is_a_parameter_or_of_a_block() {
        for code in [
            "list.map(rows => rows.a)",
            "list.map((x, rows) => rows.a)",
            "list.map(({ rows }) => f(rows))",
            "list.map(([a, { b: rows = 1 }]) => f(rows))",
            "list.map((...rows) => 1)",
            "list.map((rows: Row[]): number => 1)",
            "function f(a, rows) {}",
            "function f(rows): number {}",
            "const f = function (rows) {}",
            "const f = function* (rows) {}",
            "try {} catch (rows) {}",
            "{ const rows = 1; }",
            "{ let a = f(1, 2), rows; }",
            "function f() { let rows; }",
            "function f(o) { const { rows } = o; }",
            "class V { render(rows) {} }",
            "const o = { async m(rows) {} }",
            "const o = { ['a'](rows) {} }",
            "for (const rows of x) {}",
            "for (const { rows } of x) {}",
            "for (const [, rows] of x) {}",
            "`${x.map((rows) => `${rows}`)}`",
            "const a = /[/{]/; f((rows) => 1)",
        ] {
            assert_eq!(declared(code), (false, true), "{code}");
        }
    }

    #[test]
    fn a_name_is_declared_at_the_top() {
        for code in [
            "const rows = 1; { rows }",
            "let a = { b: 1 }, rows",
            "const { a, rows } = x",
            "const { a: { b: [rows] } } = x",
            "function rows() {}",
            "async function* rows() {}",
            "class rows {}",
            "let rows: string[]",
        ] {
            assert_eq!(declared(code), (true, false), "{code}");
        }
    }

    #[test]
    fn a_name_that_is_used_is_not_declared() {
        for code in [
            "rows.a",
            "f(rows)",
            "let rowsOf = (a) => 1",
            "a.rows => 1",
            "f((rows), () => 1)",
            "const o = { rows }",
            "const { rows: other } = x",
            "const { a = rows } = x",
            "f({ a, rows })",
            "if (rows) {}",
            "while (rows) { rows }",
            "{ rows }",
            "(a = rows) => 1",
            "// const rows = 1",
            "\"const rows = 1\"",
            "`const rows = ${1}`",
            "f(...rows)",
            "{ x; }\n[1, rows]",
        ] {
            assert_eq!(declared(code), (false, false), "{code}");
        }
    }

    #[test]
    fn what_a_name_is_taken_out_of_is_the_function_that_is_called() {
        let taken = |code: &str| Tokens::of(code).expect("it is short").taken_from_call("rows");
        assert_eq!(taken("const { rows } = search('q'); rows.a"), Some("search".to_owned()));
        assert_eq!(taken("let { a, b: rows } = db.query(f(1))"), Some("db.query".to_owned()));
        for other in [
            "const { rows } = await search('q')",
            "const { rows } = (await search('q'))",
            "const { rows } = data",
            "const { a: { rows } } = search('q')",
            "const [rows] = search('q')",
            "const rows = search('q')",
            "({ rows } = search('q'))",
            "const { rows } = search('q'); { const rows = 1; }",
            "const { rows } =",
        ] {
            assert_eq!(taken(other), None, "{other}");
        }
    }

    #[test]
    fn async_functions_are_told_by_their_declarations() {
        let is_async = |code: &str| Tokens::of(code).expect("it is short").is_async_function("rows");
        for code in [
            "async function rows() {}",
            "{ async function rows() {} }",
            "const rows = async () => 1",
            "let rows = async x => x",
            "const rows = async function () {}",
        ] {
            assert!(is_async(code), "{code}");
        }
        for code in [
            "function rows() {}",
            "async function* rows() {}",
            "const rows = async function* () {}",
            "const rows = async",
            "const rows = () => async",
            "async function rows() {} { const rows = 1; }",
            "rows()",
            "function rows",
        ] {
            assert!(!is_async(code), "{code}");
        }
    }

    #[test]
    fn chains_are_read_from_their_ends() {
        use Step::{Call, Index, Name};

        fn chain(code: &str) -> Vec<Step<'_>> {
            let tokens = Tokens::of(code).expect("it is short");
            tokens.chain(tokens.list.len() - 1)
        }
        assert_eq!(chain("await db.query(f(1), 'x').rows"), [Name("db"), Name("query"), Call, Name("rows")]);
        assert_eq!(chain("x; a?.b[0]?.[i + 1]"), [Name("a"), Name("b"), Index("0"), Index("…")]);
        assert_eq!(chain("f(...a.b"), [Name("a"), Name("b")]);
        assert_eq!(chain("search('x')\n  .map"), [Name("search"), Call, Name("map")]);
        for other in ["(await f()).x", "[1].x", "1", "'a'.x", ".x", ")", "?.x"] {
            assert!(!matches!(chain(other)[..], [Name(_), Name(_), ..]), "{other}");
        }
    }

    #[test]
    fn any_text_has_tokens() {
        for code in ["", "'", "`", "`${", "`${a}", "}", "/", "/[", "\\", "/*", "é`\\", "\u{1F600}(", ")]}", "'\\"] {
            let tokens = Tokens::of(code).expect("it is short");
            for index in 0..tokens.list.len() {
                tokens.chain(index);
                tokens.is_declared_inside(index);
                tokens.taken_from_call(tokens.text(index));
                tokens.called(index);
                tokens.is_async_function(tokens.text(index));
            }
        }
        assert!(Tokens::of(&" ".repeat(MAX_SOURCE_BYTES + 1)).is_none());
    }
}
