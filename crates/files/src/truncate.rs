//! Cutting of long results, at whole lines.

/// How text was cut. Lines are counted as editors do: a newline at the end does not start another line.
#[derive(Clone, Debug, PartialEq)]
pub struct Truncation {
    /// "lines" or "bytes": the limit that was reached.
    pub truncated_by: &'static str,
    pub total_lines: usize,
    pub total_bytes: usize,
    pub output_lines: usize,
    pub output_bytes: usize,
    /// The first line alone is beyond the byte limit, so that nothing is left.
    pub first_line_exceeds_limit: bool,
    pub max_lines: usize,
    pub max_bytes: usize,
}

/// The whole lines at the start of `text` within both limits, without the newline at the end if something was cut.
pub fn truncate_head(text: &str, max_lines: usize, max_bytes: usize) -> (&str, Option<Truncation>) {
    let total_lines = count_lines(text);
    if total_lines <= max_lines && text.len() <= max_bytes {
        return (text, None);
    }
    let mut truncated_by = "lines";
    let (mut lines, mut start, mut end) = (0, 0, 0);
    for line in text.split_inclusive('\n').take(max_lines) {
        let line_end = start + line.strip_suffix('\n').unwrap_or(line).len();
        if line_end > max_bytes {
            truncated_by = "bytes";
            break;
        }
        lines += 1;
        start += line.len();
        end = line_end;
    }
    let kept = &text[..end];
    // Only the newline at the end exceeded the limit, by one byte.
    if lines == total_lines {
        return (kept, None);
    }
    let truncation = Truncation {
        truncated_by,
        total_lines,
        total_bytes: text.len(),
        output_lines: lines,
        output_bytes: kept.len(),
        first_line_exceeds_limit: lines == 0,
        max_lines,
        max_bytes,
    };
    (kept, Some(truncation))
}

/// Lines of `text`.
pub fn count_lines(text: &str) -> usize {
    let newlines = text.bytes().filter(|&byte| byte == b'\n').count();
    newlines + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// Position of line `index`, from 0; the end of `text` if it has fewer lines.
pub fn line_start(text: &str, index: usize) -> usize {
    match index.checked_sub(1) {
        None => 0,
        Some(newline) => text.match_indices('\n').nth(newline).map_or(text.len(), |(at, _)| at + 1),
    }
}

/// A size for people: `512B`, `50.0KB`, `1.5MB`.
pub fn format_size(bytes: u64) -> String {
    const KB: f64 = 1024.0;
    let size = bytes as f64;
    if size < KB {
        format!("{bytes}B")
    } else if size < KB * KB {
        format!("{:.1}KB", size / KB)
    } else {
        format!("{:.1}MB", size / (KB * KB))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_editors_do() {
        let counts = ["", "\n", "a", "a\n", "a\n\n", "a\nb"].map(count_lines);
        assert_eq!(counts, [0, 1, 1, 1, 2, 2]);
    }

    #[test]
    fn line_starts() {
        let starts = [0, 1, 2, 3].map(|index| line_start("ab\nc\n", index));
        assert_eq!(starts, [0, 3, 5, 5]);
    }

    #[test]
    fn text_within_the_limits_is_whole() {
        assert_eq!(truncate_head("a\nb\n", 2, 4), ("a\nb\n", None));
        assert_eq!(truncate_head("", 1, 1), ("", None));
        assert_eq!(truncate_head("ab\n", 1, 2), ("ab", None));
    }

    #[test]
    fn the_limit_that_is_reached_first_cuts() {
        let (text, cut) = truncate_head("a\nb\nc", 2, 100);
        let cut = cut.unwrap();
        assert_eq!((text, cut.truncated_by, cut.output_lines, cut.total_lines), ("a\nb", "lines", 2, 3));
        let (text, cut) = truncate_head("aa\nbb\ncc", 3, 5);
        let cut = cut.unwrap();
        assert_eq!((text, cut.truncated_by, cut.output_lines, cut.output_bytes), ("aa\nbb", "bytes", 2, 5));
    }

    #[test]
    fn a_first_line_that_is_too_long_leaves_nothing() {
        let (text, cut) = truncate_head("äöü\nb", 10, 5);
        assert_eq!(text, "");
        assert!(cut.unwrap().first_line_exceeds_limit);
    }

    #[test]
    fn sizes() {
        let sizes = [0, 1023, 1024, 51_200, 1_572_864].map(format_size);
        assert_eq!(sizes, ["0B", "1023B", "1.0KB", "50.0KB", "1.5MB"]);
    }
}
