//! The text of `grep`: `name:12: line` for a match, `name-11- line` for a line around it.

use std::fmt::Write;

use super::grep_lines::{FoundLine, MAX_LINE_CHARS};

/// Matches as text, until a limit is reached.
pub struct Report {
    pub text: String,
    /// Number of matches.
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

    /// Whether a limit is reached: the number of matches, or the bytes of the text.
    pub fn is_full(&self) -> bool {
        self.count >= self.limit || self.text.len() > self.max_bytes
    }

    /// Adds a matching line of `content`, and the lines around it.
    pub fn add(&mut self, name: &str, content: &[u8], found: &FoundLine) {
        let &FoundLine { at, number, matched } = found;
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
        // A single line can be as long as the file. Its text is cut before it is copied.
        while current <= last && (start < content.len() || current == number) && self.text.len() <= self.max_bytes {
            let end = content[start..].iter().position(|&byte| byte == b'\n').map_or(content.len(), |n| start + n);
            let matched = (current == number).then_some(matched);
            self.line(name, current, &content[start..end], matched);
            start = end + 1;
            current += 1;
            if end == content.len() {
                break;
            }
        }
    }

    fn line(&mut self, name: &str, number: u64, line: &[u8], matched: Option<usize>) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let mark = if matched.is_some() { ':' } else { '-' };
        // Writing to a string does not fail.
        let _ = write!(self.text, "{name}{mark}{number}{mark} ");
        let (text, cut) = shorten(line, matched.unwrap_or(0));
        self.text.push_str(&text);
        self.lines_truncated |= cut;
    }
}

/// The start of the line before the one that starts at `at`.
fn previous_line(content: &[u8], at: usize) -> Option<usize> {
    let newline = at.checked_sub(1)?;
    Some(content[..newline].iter().rposition(|&byte| byte == b'\n').map_or(0, |n| n + 1))
}

/// The characters of a line around the position `matched`, without carriage returns, and whether some were cut.
fn shorten(line: &[u8], matched: usize) -> (String, bool) {
    // A character has at most four bytes. Characters that are cut at the ends are dropped below.
    const MAX_BYTES: usize = 4 * (MAX_LINE_CHARS + 1);
    let clean = |bytes| String::from_utf8_lossy(bytes).replace('\r', "");
    let (before, after) = line.split_at(matched.min(line.len()));
    let near = (&before[before.len().saturating_sub(MAX_BYTES)..], &after[..after.len().min(MAX_BYTES)]);
    let (left, right) = (clean(near.0), clean(near.1));
    let (left_chars, right_chars) = (left.chars().count(), right.chars().count());
    // Room that one side does not need goes to the other.
    let half = MAX_LINE_CHARS / 2;
    let left_kept = left_chars.min(half.max(MAX_LINE_CHARS.saturating_sub(right_chars)));
    let right_kept = right_chars.min(MAX_LINE_CHARS - left_kept);
    let cut_before = left_kept < left_chars || near.0.len() < before.len();
    let cut_after = right_kept < right_chars || near.1.len() < after.len();
    let mut text = String::new();
    if cut_before {
        text.push_str("[truncated] ...");
    }
    text.extend(left.chars().skip(left_chars - left_kept));
    text.extend(right.chars().take(right_kept));
    if cut_after {
        text.push_str("... [truncated]");
    }
    (text, cut_before || cut_after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(context: usize, content: &str, matches: &[(usize, u64)]) -> String {
        let mut report = Report::new(context, 10, 10_000);
        for &(at, number) in matches {
            report.add("f", content.as_bytes(), &FoundLine { at, number, matched: 0 });
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
        assert_eq!(shorten(long.as_bytes(), 0), (format!("{}... [truncated]", "ü".repeat(MAX_LINE_CHARS)), true));
        assert_eq!(shorten("a\r".as_bytes(), 1), ("a".to_owned(), false));
        assert!(!shorten(&long.as_bytes()[..2 * MAX_LINE_CHARS], 0).1);
    }

    #[test]
    fn long_lines_are_cut_around_the_match() {
        let (left, right) = ("ä".repeat(3000), "ö".repeat(3000));
        let line = format!("{left}needle{right}");
        let ä = |count| "ä".repeat(count);
        let ö = |count| "ö".repeat(count);
        for (matched, expected) in [
            (left.len(), format!("[truncated] ...{}needle{}... [truncated]", ä(250), ö(244))),
            (2 * 100, format!("{}... [truncated]", ä(500))),
            (line.len(), format!("[truncated] ...{}", ö(500))),
            (line.len() - 2 * 100, format!("[truncated] ...{}", ö(500))),
        ] {
            assert_eq!(shorten(line.as_bytes(), matched), (expected, true));
        }
        let short = format!("{}needle{}", ä(300), ö(100));
        assert_eq!(shorten(short.as_bytes(), 600), (short.clone(), false));
    }
}
