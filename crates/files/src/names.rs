//! Names of files in results: one line each.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// A path with slashes on all systems.
pub fn display(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}

/// A path as results show it. A path with characters that end or hide a line is shown as a JSON string, and so is one
/// that looks like a JSON string.
pub fn shown(path: &str) -> Cow<'_, str> {
    let is_odd = |char: char| char.is_control() || matches!(char, '\u{2028}' | '\u{2029}');
    if !path.starts_with('"') && !path.contains(is_odd) {
        return Cow::Borrowed(path);
    }
    let mut text = String::with_capacity(path.len() + 8);
    text.push('"');
    for char in path.chars() {
        match char {
            '"' | '\\' => text.extend(['\\', char]),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            // All of them are below U+10000.
            odd if is_odd(odd) => drop(write!(text, "\\u{:04x}", u32::from(odd))),
            char => text.push(char),
        }
    }
    text.push('"');
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_line() {
        for (name, expected) in [
            ("src/a b.rs", "src/a b.rs"),
            ("日本 \\ 'x' \"y\"", "日本 \\ 'x' \"y\""),
            ("a\nb.txt", r#""a\nb.txt""#),
            ("a\r\tb\\\"", r#""a\r\tb\\\"""#),
            ("\"quoted\"", r#""\"quoted\"""#),
            ("\u{1b}[2K\u{7f}\u{85}\u{2028}", r#""\u001b[2K\u007f\u0085\u2028""#),
        ] {
            assert_eq!(shown(name), expected);
        }
    }
}
