//! Byte order marks, and text that is not UTF-8.

use super::error::FileError;

/// The byte order mark. In UTF-8 it is optional, and it is not a part of the text.
pub const MARK: &str = "\u{feff}";
/// Bytes at the start of a file that determine its encoding.
pub const HEAD_BYTES: usize = 8192;
/// Units of UTF-16 that text without a byte order mark has at least. Shorter content is too likely something else.
const MIN_UNMARKED_UNITS: usize = 8;

/// `bytes` without a byte order mark of UTF-8 at their start.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(MARK.as_bytes()).unwrap_or(bytes)
}

/// The byte order of UTF-16 text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Utf16 {
    LittleEndian,
    BigEndian,
}

impl Utf16 {
    /// The byte order of a file that is UTF-16 text, given its start.
    ///
    /// With a byte order mark, the text must be valid and have no null characters. Without one, at least half of it
    /// must be ASCII as well, and it must have no control characters except white space. Numbers in binary files do not
    /// pass this.
    pub fn detect(content: &[u8]) -> Option<Self> {
        let head = &content[..content.len().min(HEAD_BYTES)];
        match head {
            [0xff, 0xfe, text @ ..] => Self::LittleEndian.is_marked_text(text),
            [0xfe, 0xff, text @ ..] => Self::BigEndian.is_marked_text(text),
            // ASCII characters have one null byte each.
            _ if !head.contains(&0) => None,
            _ => [Self::LittleEndian, Self::BigEndian].into_iter().find(|order| order.is_unmarked_text(head)),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::LittleEndian => "UTF-16 LE",
            Self::BigEndian => "UTF-16 BE",
        }
    }

    /// The error for a file of this encoding. `action`: what the tool cannot do with it.
    pub fn refusal(self, action: &str, path: &str) -> FileError {
        let (name, label) = (self.name(), self.label());
        FileError::new(
            "ERR_BINARY_FILE",
            format!(
                "Cannot {action} {path}: it is {name} text, and the file tools read UTF-8. To read or convert it, decode the result of readBytes as {label} in code."
            ),
        )
    }

    /// The label in the Encoding Standard, which other languages accept too.
    fn label(self) -> &'static str {
        match self {
            Self::LittleEndian => "utf-16le",
            Self::BigEndian => "utf-16be",
        }
    }

    fn is_marked_text(self, text: &[u8]) -> Option<Self> {
        self.chars(text).all(|char| char.is_some_and(|char| char != '\0')).then_some(self)
    }

    fn is_unmarked_text(self, head: &[u8]) -> bool {
        if !head.len().is_multiple_of(2) || head.len() < 2 * MIN_UNMARKED_UNITS {
            return false;
        }
        let (mut count, mut ascii) = (0, 0);
        for char in self.chars(head) {
            match char {
                Some(char) if !char.is_control() || matches!(char, '\t' | '\n' | '\r' | '\u{c}') => {
                    count += 1;
                    ascii += usize::from(char.is_ascii());
                }
                _ => return false,
            }
        }
        2 * ascii >= count
    }

    /// The characters at the start of text; `None` for an unpaired surrogate. Half a character at the end is left out.
    fn chars(self, text: &[u8]) -> impl Iterator<Item = Option<char>> {
        let units = text.chunks_exact(2).map(move |pair| match self {
            Self::LittleEndian => u16::from_le_bytes([pair[0], pair[1]]),
            Self::BigEndian => u16::from_be_bytes([pair[0], pair[1]]),
        });
        let count = text.len() / 2;
        let is_cut = units.clone().next_back().is_some_and(|last| (0xd800..0xdc00).contains(&last));
        char::decode_utf16(units.take(count - usize::from(is_cut))).map(Result::ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(order: Utf16, text: &str) -> Vec<u8> {
        let bytes = |unit: u16| match order {
            Utf16::LittleEndian => unit.to_le_bytes(),
            Utf16::BigEndian => unit.to_be_bytes(),
        };
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn text_with_a_mark_is_recognized() {
        for order in [Utf16::LittleEndian, Utf16::BigEndian] {
            for text in ["", "a", "日本語", "😀", "\u{1b}[31mred", &"ü😀".repeat(HEAD_BYTES)] {
                assert_eq!(Utf16::detect(&encoded(order, &format!("{MARK}{text}"))), Some(order), "{text:.10}");
            }
        }
    }

    #[test]
    fn text_without_a_mark_is_recognized_if_most_of_it_is_ascii() {
        for order in [Utf16::LittleEndian, Utf16::BigEndian] {
            for text in ["key = value\r\n", "naïve café\n", "\ttab and 日本", &"line\n".repeat(HEAD_BYTES)] {
                assert_eq!(Utf16::detect(&encoded(order, text)), Some(order), "{text:.10}");
            }
            for text in ["short\n", "日本語の文章 abc", "bell \u{7} rings", "null \0 here"] {
                assert_eq!(Utf16::detect(&encoded(order, text)), None, "{text}");
            }
        }
    }

    #[test]
    fn other_content_is_not_utf_16() {
        let numbers: Vec<u8> = (0..1000_u16).flat_map(u16::to_le_bytes).collect();
        let samples: Vec<u8> = [32_u16, 65, 3, 120].repeat(50).into_iter().flat_map(u16::to_le_bytes).collect();
        let surrogate = [0xff, 0xfe, 0x00, 0xdc, 0x41, 0x00];
        let utf_32 = [0xff, 0xfe, 0, 0, 0x41, 0, 0, 0];
        for content in [
            b"".as_slice(),
            b"plain text of ASCII",
            "\u{feff}UTF-8 with a mark".as_bytes(),
            &[0; 64],
            &[0xff; 64],
            &numbers,
            &samples,
            &surrogate,
            &utf_32,
            b"one\0two\0three\0four\0",
            b"caf\xe9 in Latin-1 text",
        ] {
            assert_eq!(Utf16::detect(content), None, "{content:.10?}");
        }
    }
}
