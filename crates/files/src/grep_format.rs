//! The text of `grep`: `name:12: line` for a match, `name-11- line` for a line around it.

use std::fmt::Write;

/// Longer lines are cut.
pub const MAX_LINE_CHARS: usize = 500;

/// Matches as text, until a limit is reached.
pub struct Report {
    pub text: String,
    /// Matches.
    pub count: usize,
    pub limit: usize,
    pub lines_truncated: bool,
    context: usize,
    max_bytes: usize,
}

impl Report {
    pub fn new(context: usize, limit: usize, max_bytes: usize) -> Self {
        Self { text: String::new(), count: 0, limit, lines_truncated: false, context, max_bytes }
    }

    /// Whether more would be cut: by the number of matches, or by the bytes of the text.
    pub fn is_full(&self) -> bool {
        self.count >= self.limit || self.text.len() > self.max_bytes
    }

    /// Adds the match in the line that begins at `at` of `content`, and the lines around it.
    pub fn add(&mut self, name: &str, content: &[u8], at: usize, number: u64) {
        self.count += 1;
        let mut first = (at, number);
        for _ in 0..self.context {
            match previous_line(content, first.0) {
                Some(start) => first = (start, first.1 - 1),
                None => break,
            }
        }
        let last = number.saturating_add(self.context as u64);
        let (mut start, mut current) = first;
        // A single line can be as long as the file; its text is cut before it is copied.
        while current <= last && (start < content.len() || current == number) && self.text.len() <= self.max_bytes {
            let end = content[start..].iter().position(|&byte| byte == b'\n').map_or(content.len(), |n| start + n);
            self.line(name, current, &content[start..end], current == number);
            start = end + 1;
            current += 1;
            if end == content.len() {
                break;
            }
        }
    }

    fn line(&mut self, name: &str, number: u64, line: &[u8], is_match: bool) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let mark = if is_match { ':' } else { '-' };
        // A string takes any text.
        let _ = write!(self.text, "{name}{mark}{number}{mark} ");
        let (text, cut) = shorten(line);
        self.text.push_str(&text);
        if cut {
            self.text.push_str("... [truncated]");
            self.lines_truncated = true;
        }
    }
}

/// The start of the line before the one that starts at `at`.
fn previous_line(content: &[u8], at: usize) -> Option<usize> {
    let newline = at.checked_sub(1)?;
    Some(content[..newline].iter().rposition(|&byte| byte == b'\n').map_or(0, |n| n + 1))
}

/// The first characters of a line, without carriage returns, and whether there are more.
fn shorten(line: &[u8]) -> (String, bool) {
    // A character has at most four bytes; one that is cut at the end falls away below.
    let start = &line[..line.len().min(4 * (MAX_LINE_CHARS + 1))];
    let text = String::from_utf8_lossy(start);
    let mut chars = text.chars().filter(|&char| char != '\r');
    let kept: String = chars.by_ref().take(MAX_LINE_CHARS).collect();
    (kept, chars.next().is_some() || start.len() < line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(context: usize, content: &str, matches: &[(usize, u64)]) -> String {
        let mut report = Report::new(context, 10, 10_000);
        for &(at, number) in matches {
            report.add("f", content.as_bytes(), at, number);
        }
        report.text
    }

    #[test]
    fn context_ends_at_the_ends_of_the_file() {
        assert_eq!(report(0, "a\nb\nc\n", &[(2, 2)]), "f:2: b");
        assert_eq!(report(1, "a\nb\nc\n", &[(2, 2)]), "f-1- a\nf:2: b\nf-3- c");
        assert_eq!(report(9, "a\nb\nc\n", &[(0, 1)]), "f:1: a\nf-2- b\nf-3- c");
        assert_eq!(report(2, "a\n\nb", &[(3, 3)]), "f-1- a\nf-2- \nf:3: b");
        assert_eq!(report(usize::MAX, "a\nb", &[(2, 2)]), "f-1- a\nf:2: b");
    }

    #[test]
    fn long_lines_are_cut() {
        let long = "ü".repeat(MAX_LINE_CHARS + 1);
        assert_eq!(shorten(long.as_bytes()), ("ü".repeat(MAX_LINE_CHARS), true));
        assert_eq!(shorten("a\r".as_bytes()), ("a".to_owned(), false));
        assert!(!shorten(&long.as_bytes()[..2 * MAX_LINE_CHARS]).1);
    }
}
