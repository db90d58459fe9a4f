//! Maps byte offsets in a program to lines and UTF-16 columns.

use ses_protocol::Location;

/// Answers in O(log n), whatever the lengths of lines. Holds 8 bytes per line and 8 per non-ASCII character, and no
/// text.
#[derive(Debug)]
pub(super) struct SourceIndex {
    /// Byte offset of each line's first character.
    line_starts: Vec<u32>,
    /// Byte offset of the terminator of each line except the last.
    line_ends: Vec<u32>,
    /// For each non-ASCII character: the offset after it, and how many more bytes than UTF-16 units the text up to
    /// there has.
    surplus: Vec<(u32, u32)>,
    len: u32,
}

impl SourceIndex {
    pub(super) fn new(text: &str) -> Self {
        let mut line_starts = vec![0];
        let mut line_ends = Vec::new();
        let mut surplus = Vec::new();
        let mut extra = 0;
        let bytes = text.as_bytes();
        let is_ascii = bytes.is_ascii();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'\n' => {
                    line_ends.push(at as u32);
                    at += 1;
                    line_starts.push(at as u32);
                }
                b'\r' => {
                    line_ends.push(at as u32);
                    at += if bytes.get(at + 1) == Some(&b'\n') { 2 } else { 1 };
                    line_starts.push(at as u32);
                }
                _ if is_ascii => {
                    let line = &bytes[at..];
                    at += line.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(line.len());
                }
                0..=0x7f => at += 1,
                _ => {
                    // The text is UTF-8 and `at` is always a character boundary, so a character is there.
                    let Some(character) = text[at..].chars().next() else {
                        break;
                    };
                    let terminates = matches!(character, '\u{2028}' | '\u{2029}');
                    if terminates {
                        line_ends.push(at as u32);
                    }
                    at += character.len_utf8();
                    extra += (character.len_utf8() - character.len_utf16()) as u32;
                    surplus.push((at as u32, extra));
                    if terminates {
                        line_starts.push(at as u32);
                    }
                }
            }
        }
        SourceIndex { line_starts, line_ends, surplus, len: bytes.len() as u32 }
    }

    /// Memory of the index besides the struct itself.
    pub(super) fn bytes(&self) -> usize {
        4 * (self.line_starts.len() + self.line_ends.len()) + 8 * self.surplus.len()
    }

    /// The location of a byte offset. An offset past the end has the location of the end.
    pub(super) fn location(&self, offset: u32) -> Location {
        let offset = offset.min(self.len);
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let start = self.line_starts[line - 1];
        Location { line: line as u32, column: self.utf16_offset(offset) - self.utf16_offset(start) + 1 }
    }

    /// The same line, at most its end.
    pub(super) fn clamp(&self, location: Location) -> Location {
        let end = (location.line as usize).checked_sub(1).and_then(|line| self.line_ends.get(line));
        let last = self.location(end.copied().unwrap_or(self.len));
        if last.line == location.line { location.min(last) } else { location }
    }

    fn utf16_offset(&self, offset: u32) -> u32 {
        let before = self.surplus.partition_point(|&(end, _)| end <= offset);
        offset - if before == 0 { 0 } else { self.surplus[before - 1].1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clamped_column_is_at_most_that_of_the_line_s_end() {
        let index = SourceIndex::new("ab\r\ncde\u{2028}f\u{2029}\nlast");
        let ends = [(1, 3), (2, 4), (3, 2), (4, 1), (5, 5)];
        for (line, column) in ends {
            let end = Location { line, column };
            assert_eq!(index.clamp(Location { line, column: 99 }), end);
            assert_eq!(index.clamp(end), end);
            assert_eq!(index.clamp(Location { line, column: 1 }), Location { line, column: 1 });
        }
    }
}
