//! White space and comments between tokens.

const LINE_ENDS: [char; 4] = ['\n', '\r', '\u{2028}', '\u{2029}'];

/// `text` after leading white space and comments.
pub(super) fn skip(mut text: &str) -> &str {
    loop {
        text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        text = if text.starts_with("//") {
            text.find(LINE_ENDS).map_or("", |end| &text[end..])
        } else if let Some(comment) = text.strip_prefix("/*") {
            comment.find("*/").map_or("", |end| &comment[end + 2..])
        } else {
            return text;
        };
    }
}

pub(super) fn has_line_end(text: &str) -> bool {
    text.contains(LINE_ENDS)
}

/// The tokens of a string that contains only one-character punctuators, joined.
pub(super) fn punctuators(mut text: &str) -> String {
    let mut found = String::new();
    loop {
        text = skip(text);
        let Some(next) = text.chars().next() else { return found };
        found.push(next);
        text = &text[next.len_utf8()..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_and_comments_are_left_out() {
        for (text, rest) in
            [("", ""), (" \n//x\r\n /* * */\u{2028}\u{a0}a b", "a b"), ("// x", ""), ("/* x", ""), ("/", "/")]
        {
            assert_eq!(skip(text), rest);
        }
        assert_eq!(punctuators(" ; /* ; */ // )\n ) "), ";)");
    }
}
