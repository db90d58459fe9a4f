//! What to do about syntax errors that people and models often make, who think of another language or of Markdown.

use std::borrow::Cow;

use ses_protocol::{Diagnostic, Severity};

/// A fence of Markdown.
const FENCE: &str = "```";

/// `code` without the Markdown fences round it, if there are any: blanks take their place, so that positions stay.
pub fn without_fences(code: &str) -> Cow<'_, str> {
    let Some((start, end)) = fences(code) else { return Cow::Borrowed(code) };
    let blank = |text: &str| -> String { text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect() };
    Cow::Owned(format!("{}{}{}", blank(&code[..start]), &code[start..end], blank(&code[end..])))
}

/// Where the text between two fences begins and ends: one on the first line, one on the last, none between them.
fn fences(code: &str) -> Option<(usize, usize)> {
    let opening = code.trim_start();
    if !opening.starts_with(FENCE) {
        return None;
    }
    let first = code.len() - opening.len();
    let start = first + opening.find('\n')? + 1;
    let info = code[first + FENCE.len()..start].trim();
    let language = info.split_whitespace().next().unwrap_or_default();
    let inside = code.trim_end().strip_suffix(FENCE)?;
    let is_fence = language.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && !info.contains('`')
        && inside.len() >= start
        && inside[start - 1..].trim_end_matches([' ', '\t']).ends_with('\n')
        && !inside[start..].lines().any(|line| line.trim_start().starts_with(FENCE));
    is_fence.then_some((start, inside.len()))
}

pub(in super::super) fn markdown_fences() -> Diagnostic {
    Diagnostic::new(
        "markdown_fences",
        Severity::Warning,
        "the program was in Markdown fences (```): only what is between them is taken",
    )
    .with_fix("Pass the code without fences")
}

/// What to do about the syntax error at `offset`, if it is a known mistake.
pub(in super::super) fn fix(code: &str, offset: usize) -> Option<&'static str> {
    let offset = (0..=offset.min(code.len())).rev().find(|&at| code.is_char_boundary(at))?;
    let (before, after) = code.split_at(offset);
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let line = code[line..].lines().next().unwrap_or_default().trim_start();
    if after.starts_with(['\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}']) {
        return Some("Use straight quotes: \" or '");
    }
    if after.starts_with('#') || after.trim_start().starts_with('#') || line.starts_with('#') {
        return Some("Comments begin with //, not with #");
    }
    if before.trim_end().ends_with("for") && after.starts_with("await") {
        return Some("`for await` needs an async function: `async function name(…) { … }`");
    }
    if code.trim_start().starts_with(FENCE) || code.trim_end().ends_with(FENCE) {
        return Some("Pass the code without Markdown fences (```), or with one before and one behind it");
    }
    let word = line.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    match word {
        "elif" => return Some("This is Python: write `else if (…) { … }`"),
        "def" => return Some("This is Python: write `function name(…) { … }`"),
        "if" | "while" if line.trim_end().ends_with(':') => return Some("This is Python: write `if (…) { … }`"),
        "for" if line.contains(" in ") && line.trim_end().ends_with(':') => {
            return Some("This is Python: write `for (const item of list) { … }`");
        }
        _ => {}
    }
    is_in_last_object(before, after)
        .then_some("An object at the end of a program needs parentheses: `({ … })`, or `return { … }`")
}

/// Whether the error is at the `:` or `,` of an object literal that stands where a block would.
fn is_in_last_object(before: &str, after: &str) -> bool {
    let Some(brace) = before.rfind('{') else { return false };
    let is_statement = matches!(before[..brace].trim_end().chars().next_back(), None | Some(';' | '}'));
    let inside = format!("{}{after}", &before[brace + 1..]);
    let key = inside.trim_start().trim_start_matches(['"', '\'']);
    let rest = key.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
    is_statement && rest.len() < key.len() && rest.trim_start_matches(['"', '\'']).trim_start().starts_with([':', ','])
}

/// What V8 calls the token where the parser had expected something else.
pub(in super::super) fn unexpected(code: &str, offset: usize) -> Option<String> {
    let after = code.get(offset..)?;
    let first = after.chars().next()?;
    let word: String = word_at(after).chars().take(64).collect();
    match first {
        _ if word.is_empty() && first.is_ascii_punctuation() && !"\"'`".contains(first) => {
            Some(format!("Unexpected token '{first}'"))
        }
        'a'..='z' => Some(format!("Unexpected token '{word}'")),
        _ => None,
    }
}

/// V8's words for the jump at `offset`, if no statement has the label that it names.
pub(in super::super) fn undefined_label(code: &str, offset: usize) -> Option<String> {
    let label = word_at(code.get(offset..)?.strip_prefix("continue")?.trim_start());
    let is_label = |at: usize| code[at + label.len()..].trim_start().starts_with(':');
    let is_there = code.match_indices(label).any(|(at, _)| is_label(at));
    (!label.is_empty() && !is_there).then(|| format!("Undefined label '{label}'"))
}

/// Where a name was expected behind the `let` at `offset`, and V8's words for what is there instead.
pub(in super::super) fn declared_behind_let(code: &str, offset: usize) -> Option<(usize, String)> {
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
    fn fences_become_blanks() {
        for (code, inside) in [
            ("```js\n1 + 1\n```", "     \n1 + 1\n   "),
            ("\n```\n1\n```\n", "\n   \n1\n   \n"),
            ("```js title=\"x\"\n1\n```", "               \n1\n   "),
            ("```typescript\nlet x: number = 1;\n  ```", "             \nlet x: number = 1;\n     "),
        ] {
            assert_eq!(without_fences(code), inside);
        }
        for code in ["1", "```", "```js", "``` ```", "f```js\n1\n```", "```a\n1\n```\n```b\n2\n```", "```js\n`1```"] {
            assert_eq!(without_fences(code), code);
        }
    }
}
