//! Names of files in results: one line each.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// Number of names that a notice has.
const MAX_NAMED: usize = 3;
/// Of a longer name, a notice shows the end.
const MAX_NAME_CHARS: usize = 100;

/// Files that a notice counts. It names the first ones.
#[derive(Debug, Default)]
pub struct Names {
    count: usize,
    first: Vec<String>,
}

impl Names {
    pub fn add(&mut self, name: &str) {
        self.count += 1;
        if self.first.len() < MAX_NAMED {
            let cut = name.char_indices().rev().nth(MAX_NAME_CHARS - 1).map_or(0, |(at, _)| at);
            let mark = if cut > 0 { "..." } else { "" };
            self.first.push(shown(&format!("{mark}{}", &name[cut..])).into_owned());
        }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// `a, b, c, 2 others`.
    pub fn list(&self) -> String {
        let mut names = self.first.clone();
        match self.count - names.len() {
            0 => {}
            1 => names.push("1 other".to_owned()),
            more => names.push(format!("{more} others")),
        }
        names.join(", ")
    }
}

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
    fn of_many_names_the_first_ones_are_listed() {
        let mut names = Names::default();
        for (name, expected) in [
            ("a", "a"),
            (&"ü/".repeat(MAX_NAME_CHARS / 2), &format!("a, {}", "ü/".repeat(MAX_NAME_CHARS / 2))),
            ("x\ny", &format!("a, {}, \"x\\ny\"", "ü/".repeat(MAX_NAME_CHARS / 2))),
        ] {
            names.add(name);
            assert_eq!(names.list(), expected);
        }
        names.add("d");
        assert!(names.list().ends_with(", 1 other"));
        names.add("e");
        assert!(names.list().ends_with(", 2 others"));
        assert_eq!(names.count(), 5);
    }

    #[test]
    fn of_a_long_name_the_end_is_listed() {
        let mut names = Names::default();
        names.add(&format!("xü{}", "ä".repeat(MAX_NAME_CHARS)));
        assert_eq!(names.list(), format!("...{}", "ä".repeat(MAX_NAME_CHARS)));
    }

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
