//! Diffs with line numbers, for people and models.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

/// Unchanged lines that are shown before and after a change.
const CONTEXT_LINES: usize = 4;
/// After this time the diff is still correct, but not the shortest one.
const TIMEOUT: Duration = Duration::from_millis(500);

pub struct Diff {
    pub text: String,
    /// In the new text, from 1; `None` if nothing changed.
    pub first_changed_line: Option<usize>,
}

/// Lines as `+12 new`, `-12 old` and ` 12 same`; ` ... ` stands for unchanged lines that are left out.
pub fn diff(old: &str, new: &str) -> Diff {
    let lines = old.split('\n').count().max(new.split('\n').count());
    let width = lines.to_string().len();
    let gap = format!(" {:width$} ...", "");
    let diff = TextDiff::configure().timeout(TIMEOUT).diff_lines(old, new);
    let (mut shown, mut first_changed_line) = (Vec::new(), None);
    let mut end = 0;
    for group in diff.grouped_ops(CONTEXT_LINES) {
        for op in group {
            if op.old_range().start > end {
                shown.push(gap.clone());
            }
            end = op.old_range().end;
            for change in diff.iter_changes(&op) {
                let (sign, index) = match change.tag() {
                    ChangeTag::Equal => (' ', change.old_index()),
                    ChangeTag::Delete => ('-', change.old_index()),
                    ChangeTag::Insert => ('+', change.new_index()),
                };
                if change.tag() != ChangeTag::Equal {
                    first_changed_line.get_or_insert(op.new_range().start + 1);
                }
                let line = change.value();
                let line = line.strip_suffix('\n').unwrap_or(line);
                shown.push(format!("{sign}{:>width$} {line}", index.unwrap_or_default() + 1));
            }
        }
    }
    if first_changed_line.is_some() && end < diff.old_len() {
        shown.push(gap);
    }
    Diff { text: shown.join("\n"), first_changed_line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_has_its_surroundings() {
        let old: String = (1..=20).map(|line| format!("line {line}\n")).collect();
        let new = old.replace("line 10\n", "ten\nand a half\n");
        let Diff { text, first_changed_line } = diff(&old, &new);
        let expected = [
            "    ...",
            "  6 line 6",
            "  7 line 7",
            "  8 line 8",
            "  9 line 9",
            "-10 line 10",
            "+10 ten",
            "+11 and a half",
            " 11 line 11",
            " 12 line 12",
            " 13 line 13",
            " 14 line 14",
            "    ...",
        ];
        assert_eq!(text, expected.join("\n"));
        assert_eq!(first_changed_line, Some(10));
    }

    #[test]
    fn short_texts_are_shown_whole() {
        assert_eq!(diff("Hello, world!", "Hello, testing!").text, "-1 Hello, world!\n+1 Hello, testing!");
        assert_eq!(diff("a\nb\n", "b\n").text, "-1 a\n 2 b");
    }
}
