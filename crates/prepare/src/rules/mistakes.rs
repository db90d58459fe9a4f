//! Advice for syntax errors that people and models often make because they think of another language or of Markdown.

use std::borrow::Cow;

use super::super::token_context::{Bracket, TokenContext, last_word};
use super::super::trivia;
use super::typescript;
use ses_protocol::{Diagnostic, Location, Severity};

/// A wrapping that is removed from a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Wrapping {
    /// Fences of Markdown.
    Fences,
    /// The tags of the prompts of this package.
    Tags,
}

/// The rules that report what [`unwrapped`] has removed.
pub const WRAPPING_RULES: [&str; 2] = ["markdown_fences", "code_tags"];

impl Wrapping {
    const ALL: [Wrapping; 2] = [Wrapping::Fences, Wrapping::Tags];

    fn ends(self) -> (&'static str, &'static str) {
        match self {
            Wrapping::Fences => ("```", "```"),
            Wrapping::Tags => ("<code>", "</code>"),
        }
    }

    /// The start and end of the wrapped text: the opening is on the first line, the closing on the last.
    fn inside(self, code: &str) -> Option<(usize, usize)> {
        let (opening, closing) = self.ends();
        let text = code.trim_start().strip_prefix(opening)?;
        let first = code.len() - text.len();
        let start = first + text.find('\n')? + 1;
        let inside = code.trim_end().strip_suffix(closing)?;
        let is_wrapped = self.may_begin_with(code[first..start].trim())
            && inside.len() >= start
            && inside[start - 1..].trim_end_matches([' ', '\t']).ends_with('\n')
            && !inside[start..].lines().any(|line| self == Wrapping::Fences && line.trim_start().starts_with(closing));
        is_wrapped.then_some((start, inside.len()))
    }

    /// `info`: the text after the opening.
    fn may_begin_with(self, info: &str) -> bool {
        let language = info.split_whitespace().next().unwrap_or_default();
        match self {
            Wrapping::Fences => language.bytes().all(|byte| byte.is_ascii_alphanumeric()) && !info.contains('`'),
            Wrapping::Tags => info.is_empty(),
        }
    }

    pub(in super::super) fn diagnostic(self) -> Diagnostic {
        let (rule, message, fix) = match self {
            Wrapping::Fences => (
                WRAPPING_RULES[0],
                "the program was in Markdown fences (```): only the text between them is used",
                "Pass the code without fences",
            ),
            Wrapping::Tags => (
                WRAPPING_RULES[1],
                "the program was in tags (<code>): only the text between them is used",
                "Pass the code without tags",
            ),
        };
        Diagnostic::new(rule, Severity::Warning, message).with_fix(fix)
    }

    /// The fix for source that has only one of the two ends.
    fn fix(self) -> &'static str {
        match self {
            Wrapping::Fences => "Pass the code without Markdown fences (```), or with one before it and one after it",
            Wrapping::Tags => "Pass the code without the tags <code> and </code>, or put each on its own line",
        }
    }
}

/// `code` without its wrapping, and the wrapping, if there is one. Blanks replace it, so positions do not change.
pub(in super::super) fn unwrapped(code: &str) -> (Cow<'_, str>, Option<Wrapping>) {
    let found = Wrapping::ALL.iter().find_map(|wrapping| Some((*wrapping, wrapping.inside(code)?)));
    let Some((wrapping, (start, end))) = found else { return (Cow::Borrowed(code), None) };
    let blank = |text: &str| -> String { text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect() };
    (Cow::Owned(format!("{}{}{}", blank(&code[..start]), &code[start..end], blank(&code[end..]))), Some(wrapping))
}

/// `code` without its wrapping.
pub fn without_wrapping(code: &str) -> Cow<'_, str> {
    unwrapped(code).0
}

const COMMENT: &str = "Comments begin with //, not with #";

/// The advice for the first syntax error of `code`, at the place of `context`, if it is a known mistake.
pub(in super::super) fn fix(code: &str, context: &TokenContext) -> Option<&'static str> {
    let after = context.after();
    let before = &code[..code.len() - after.len()];
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let line = code[line..].lines().next().unwrap_or_default().trim_start();
    if after.starts_with(['\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}']) {
        return Some("Use straight quotes: \" or '");
    }
    if [after.trim_start(), line].iter().any(|text| is_comment(text, context)) {
        let is_member = line.strip_prefix('#').is_some_and(|name| is_read(code, word_at(name)));
        return Some(if is_member { "A `}` before this ends its class: remove it" } else { COMMENT });
    }
    if last_word(context.before) == "for" && after.starts_with("await") {
        return Some("`for await` needs an async function: `async function name(…) { … }`");
    }
    let wrapping = Wrapping::ALL.into_iter().find(|wrapping| {
        let (opening, closing) = wrapping.ends();
        code.trim_start().starts_with(opening) || code.trim_end().ends_with(closing)
    });
    // Prose before the code.
    let is_fenced = || after.lines().skip(1).any(|line| line.trim_start().starts_with("```"));
    let wrapping = wrapping.or_else(|| is_fenced().then_some(Wrapping::Fences));
    wrapping
        .map(Wrapping::fix)
        .or_else(|| python(line, context))
        .or_else(|| member(context))
        .or_else(|| object(context))
}

/// Whether a `#` at the start of `text` does not begin a private name.
fn is_comment(text: &str, context: &TokenContext) -> bool {
    let is_name = |text: &str| text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '\\'));
    text.strip_prefix('#').is_some_and(|rest| {
        !is_name(rest)
            || (!context.is_in_class() && (text.len() != context.after().len() || !context.before.ends_with('.')))
    })
}

/// Whether the code reads a private member of this name.
fn is_read(code: &str, name: &str) -> bool {
    !name.is_empty() && code.split(".#").skip(1).any(|rest| word_at(rest) == name)
}

/// The JavaScript to write instead of Python. `line`: the line of the place.
fn python(line: &str, context: &TokenContext) -> Option<&'static str> {
    let after = context.after();
    let word = word_at(after);
    let is_operand = |text: &str| {
        text.trim_start_matches([' ', '\t']).starts_with(|c: char| c.is_alphanumeric() || "_$([\"'`!-".contains(c))
    };
    if context.is_on_line() {
        match word {
            "and" if is_operand(&after[word.len()..]) => return Some("This is Python: write `&&`"),
            "or" if is_operand(&after[word.len()..]) => return Some("This is Python: write `||`"),
            "not" if word_at(after[word.len()..].trim_start()) == "in" => {
                return Some("This is Python: write `!list.includes(item)`");
            }
            "is" if is_operand(&after[word.len()..]) => return Some("This is Python: write `===`, or `!==`"),
            "for" if context.innermost().is_some_and(|bracket| bracket.is('[')) => {
                return Some("This is Python: write `list.map((item) => …)`");
            }
            _ if last_word(context.before) == "not" && is_operand(after) => return Some("This is Python: write `!`"),
            _ if last_word(context.before) == "lambda" => return Some("This is Python: write `(…) => …`"),
            _ if after.starts_with(':') && context.innermost().is_some_and(|bracket| bracket.is('[')) => {
                return Some("This is Python: write `list.slice(…)`");
            }
            _ => {}
        }
    }
    let closed = context.closed.filter(|bracket| bracket.is('(')).map_or("", |bracket| last_word(bracket.before));
    if closed == "elif" || last_word(context.before) == "elif" {
        return Some(ELSE_IF);
    }
    let is_block = line.trim_end().ends_with(':');
    match word_at(line) {
        _ if word == "except" && lacks_catch(context) => Some("This is Python: write `catch (error) { … }`"),
        "elif" => Some(ELSE_IF),
        "def" => Some("This is Python: write `function name(…) { … }`"),
        "async" if line.starts_with("async def ") => Some("This is Python: write `async function name(…) { … }`"),
        "if" if is_block => Some("This is Python: write `if (…) { … }`"),
        "else" if is_block => Some("This is Python: write `else { … }`"),
        "while" if is_block => Some("This is Python: write `while (…) { … }`"),
        "for" if line.contains(" in ") && is_block => Some("This is Python: write `for (const item of list) { … }`"),
        "try" | "except" | "finally" if is_block => Some("This is Python: write `try { … } catch (error) { … }`"),
        "class" if is_block => Some("This is Python: write `class Name { … }`"),
        "with" if is_block => Some("This is Python: call the functions without `with`"),
        "raise" if is_operand(&line["raise".len()..]) => Some("This is Python: write `throw new Error(…)`"),
        "print" if is_operand(&line["print".len()..]) => Some("This is Python: write `console.log(…)`"),
        "del" if is_operand(&line["del".len()..]) => Some("This is Python: write `delete object[key]`"),
        "assert" if is_operand(&line["assert".len()..]) => Some("This is Python: write `if (!…) throw new Error(…)`"),
        "global" | "nonlocal" if is_operand(&line[word_at(line).len()..]) => {
            Some("This is Python: leave the line out, since functions can assign variables outside of them")
        }
        _ => None,
    }
}

const ELSE_IF: &str = "This is Python: write `else if (…) { … }`";

/// Advice for a member of a class that is written like one of an object.
fn member(context: &TokenContext) -> Option<&'static str> {
    let value = if context.before.ends_with(':') { context.after() } else { context.after().strip_prefix(':')? };
    let is_function = matches!(word_at(value.trim_start()), "function" | "async");
    (context.is_in_class_body() && is_function).then_some("In a class write methods as `name(…) { … }`")
}

/// Advice for an object or a pattern in a place where a block is expected.
fn object(context: &TokenContext) -> Option<&'static str> {
    const PATTERN: &str = "An assignment that begins with a pattern needs parentheses: `({ … } = value)`";
    let after = context.after();
    if context.closed.is_some_and(|bracket| bracket.is_statement()) && is_assignment(after) {
        return Some(PATTERN);
    }
    let bracket = context.innermost().filter(|bracket| is_object(bracket))?;
    if bracket.before.ends_with("=>") {
        return Some("An arrow function that returns an object needs parentheses: `(…) => ({ … })`");
    }
    match bracket.is_statement() || is_after_complete_line(context, bracket) {
        true if context.after_bracket.is_some_and(|rest| is_assignment(trivia::skip(rest))) => Some(PATTERN),
        true => Some("An object at the end of a program needs parentheses: `({ … })`, or `return { … }`"),
        false => None,
    }
}

/// Whether it is a brace that begins a statement because the line before ended an expression without a semicolon.
fn is_after_complete_line(context: &TokenContext, bracket: &Bracket) -> bool {
    let is_operand = bracket.before.ends_with(|c: char| c.is_alphanumeric() || "_$)]\"'`".contains(c));
    is_operand && context.is_on_later_line(bracket) && !BEFORE_BRACES.contains(&last_word(bracket.before))
}

/// Words that a brace follows.
const BEFORE_BRACES: [&str; 8] = ["else", "do", "try", "finally", "catch", "static", "return", "default"];

fn is_assignment(text: &str) -> bool {
    text.starts_with('=') && !text[1..].starts_with(['=', '>'])
}

/// Whether the text after a brace is that of an object: a key and `:` or `,`, or `...`.
fn is_object(bracket: &Bracket) -> bool {
    let Some(inside) = bracket.rest.strip_prefix('{') else { return false };
    let inside = trivia::skip(inside);
    let key = inside.trim_start_matches(['"', '\'']);
    let rest = key.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
    let has_key = rest.len() < key.len();
    inside.starts_with("...") || (has_key && trivia::skip(rest.trim_start_matches(['"', '\''])).starts_with([':', ',']))
}

/// Whether the place follows the block of a `try`.
pub(in super::super) fn lacks_catch(context: &TokenContext) -> bool {
    context.closed.is_some_and(|bracket| bracket.is('{') && last_word(bracket.before) == "try")
}

/// What is said of a place.
type Rule = fn(Location) -> Diagnostic;

/// Future syntax of JavaScript that is not supported here, with its place.
pub(in super::super) fn not_supported(context: &TokenContext) -> Option<(usize, Rule)> {
    let end = context.before.len();
    if let Some(name) = context.after().strip_prefix('@') {
        let may_begin = context.before.is_empty()
            || context.before.ends_with([';', '{', '}', ')'])
            || !context.is_on_line()
            || context.is_in_class_body();
        return (may_begin && !word_at(name).is_empty()).then_some((context.place(), typescript::decorator));
    }
    let is_accessor = last_word(context.before) == "accessor" && context.is_in_class_body() && context.is_on_line();
    is_accessor.then(|| (end - "accessor".len(), typescript::auto_accessor as Rule))
}

/// The error for a private name outside all classes: V8's message, and advice. `before`: the text before its `#`.
pub(in super::super) fn private_name(before: &str, name: &str, after: &str, at: Location) -> Diagnostic {
    let is_used = before.trim_end().ends_with('.') || word_at(trivia::skip(after)) == "in";
    let shown: String = name.chars().take(64).collect();
    super::text::syntax_valid(format!("Private field '#{shown}' must be declared in an enclosing class"), at)
        .with_fix(if is_used { "Private names work only inside their class: give the class a method" } else { COMMENT })
}

/// V8's description of an unexpected token.
pub(in super::super) fn unexpected(code: &str, offset: usize) -> Option<String> {
    let after = code.get(offset..)?;
    let Some(first) = after.chars().next() else { return Some("Unexpected end of input".to_owned()) };
    let word: String = word_at(after).chars().take(64).collect();
    match first {
        '0'..='9' => Some("Unexpected number".to_owned()),
        '"' | '\'' => Some("Unexpected string".to_owned()),
        '`' => Some("Unexpected template string".to_owned()),
        _ if word.is_empty() => first.is_ascii_punctuation().then(|| format!("Unexpected token '{first}'")),
        _ if WORDS.contains(&&*word) => Some(format!("Unexpected token '{word}'")),
        _ if STRICT_WORDS.contains(&&*word) => Some("Unexpected strict mode reserved word".to_owned()),
        _ if matches!(&*word, "await" | "enum") => Some("Unexpected reserved word".to_owned()),
        _ => Some(format!("Unexpected identifier '{word}'")),
    }
}

/// Keywords.
const WORDS: [&str; 36] = [
    "async",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "import",
    "in",
    "instanceof",
    "new",
    "null",
    "return",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
];
/// Keywords of strict mode.
const STRICT_WORDS: [&str; 9] =
    ["implements", "interface", "let", "package", "private", "protected", "public", "static", "yield"];

/// V8's message for the jump at `offset`, if no statement has the label that it names.
pub(in super::super) fn undefined_label(code: &str, offset: usize) -> Option<String> {
    let label = word_at(code.get(offset..)?.strip_prefix("continue")?.trim_start());
    if label.is_empty() {
        return None;
    }
    let is_label = |at: usize| code[at + label.len()..].trim_start().starts_with(':');
    let is_there = code.match_indices(label).any(|(at, _)| is_label(at));
    (!is_there).then(|| format!("Undefined label '{label}'"))
}

/// Where a name was expected after the `let` at `offset`, and V8's message for the token found instead.
pub(in super::super) fn name_error_after_let(code: &str, offset: usize) -> Option<(usize, String)> {
    let rest = code.get(offset..)?.strip_prefix("let")?;
    let name = rest.trim_start();
    let at = code.len() - name.len();
    let word = word_at(name);
    let message = match word.chars().next()? {
        '0'..='9' => "Invalid or unexpected token".to_owned(),
        _ => format!("Unexpected token '{word}'"),
    };
    (name.len() < rest.len()).then_some((at, message))
}

fn word_at(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_is_wrapped_in_becomes_blanks() {
        for (code, inside) in [
            ("```js\n1 + 1\n```", "     \n1 + 1\n   "),
            ("\n```\n1\n```\n", "\n   \n1\n   \n"),
            ("```js title=\"x\"\n1\n```", "               \n1\n   "),
            ("```typescript\nlet x: number = 1;\n  ```", "             \nlet x: number = 1;\n     "),
        ] {
            assert_eq!(unwrapped(code), (inside.into(), Some(Wrapping::Fences)));
        }
        let tagged = "\n<code> \nconst s = `\n<code>`;\n </code>\n";
        let inside = "\n       \nconst s = `\n<code>`;\n        \n";
        assert_eq!(unwrapped(tagged), (inside.into(), Some(Wrapping::Tags)));
        for code in
            ["<code>1</code>", "<code>\n1", "1\n</code>", "<code>\n1</code>", "<code> 1\n</code>", "```\n1\n</code>"]
        {
            assert_eq!(unwrapped(code), (code.into(), None));
        }
        for code in ["1", "```", "```js", "``` ```", "f```js\n1\n```", "```a\n1\n```\n```b\n2\n```", "```js\n`1```"] {
            assert_eq!(unwrapped(code), (code.into(), None));
        }
    }
}
