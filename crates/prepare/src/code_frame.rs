//! A few lines of source with a mark under the relevant place.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use ses_protocol::Location;

const LINES_BEFORE: u32 = 2;
const LINES_AFTER: u32 = 1;
/// Characters of a line that are shown.
const LINE_WIDTH: usize = 120;
/// Characters of the message that are shown.
const MESSAGE_WIDTH: usize = 300;

/// Renders the lines around `at` in `code`, with `message` at the column, as plain text.
///
/// Long lines are cut around the column, so the size of the frame does not depend on the code. A position outside the
/// code is moved to the nearest one inside.
pub fn code_frame(code: &str, at: Location, message: &str) -> String {
    let message = shorten(message);
    let window = Window::around(code, at);
    let snippet = Snippet::source(window.text.as_str()).line_start(window.first_line as usize).fold(false).annotation(
        AnnotationKind::Primary.span(window.caret..window.caret + window.caret_len).label(message.as_str()),
    );
    let report = &[Group::with_level(Level::ERROR).element(snippet)];
    Renderer::plain().term_width(LINE_WIDTH * 2 + MESSAGE_WIDTH).render(report)
}

/// The lines that are shown, cut to a width.
struct Window {
    text: String,
    first_line: u32,
    /// Offset in `text` of the character at the location.
    caret: usize,
    caret_len: usize,
}

impl Window {
    fn around(code: &str, at: Location) -> Self {
        let first_line = at.line.saturating_sub(LINES_BEFORE).max(1);
        let mut window = Window { text: String::new(), first_line, caret: 0, caret_len: 0 };
        let mut last: Option<&str> = None;
        for (number, line) in (1u32..).zip(Lines(Some(code))) {
            if number > at.line.saturating_add(LINES_AFTER) {
                break;
            }
            // The renderer drops blank lines at the beginning without counting them.
            if number >= first_line && number < at.line && window.text.is_empty() && line.trim().is_empty() {
                window.first_line = number + 1;
            } else if number >= first_line {
                window.add(line, (number == at.line).then_some(at.column));
            }
            last = Some(line);
        }
        if window.text.is_empty() {
            // The location is below the last line.
            window.first_line = Lines(Some(code)).count() as u32;
            window.add(last.unwrap_or_default(), Some(u32::MAX));
        }
        window
    }

    fn add(&mut self, line: &str, column: Option<u32>) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let target = column.map_or(0, |column| byte_of_column(line, column));
        let (start, end) = cut(line, target);
        if start > 0 {
            self.text.push('…');
        }
        if column.is_some() {
            self.caret = self.text.len() + (target - start);
            self.caret_len = line[target..].chars().next().map_or(0, char::len_utf8);
        }
        self.text.push_str(&line[start..end]);
        if end < line.len() {
            self.text.push('…');
        }
    }
}

/// The part of `line` to show, as byte offsets on character boundaries, so that `target` is in it.
fn cut(line: &str, target: usize) -> (usize, usize) {
    if line.len() <= LINE_WIDTH {
        return (0, line.len());
    }
    let start = line[..target].char_indices().rev().nth(LINE_WIDTH / 2 - 1).map_or(0, |(index, _)| index);
    let end = line[start..].char_indices().nth(LINE_WIDTH).map_or(line.len(), |(index, _)| start + index);
    (start, end)
}

/// The byte offset of a UTF-16 column (from 1), at most the line's length.
fn byte_of_column(line: &str, column: u32) -> usize {
    let mut units = 1;
    for (index, character) in line.char_indices() {
        units += character.len_utf16() as u32;
        if units > column {
            return index;
        }
    }
    line.len()
}

fn shorten(message: &str) -> String {
    let mut text: String = message.chars().take(MESSAGE_WIDTH).collect();
    if text.len() < message.len() {
        text.push('…');
    }
    text
}

/// Splits at the line terminators of ECMAScript.
struct Lines<'a>(Option<&'a str>);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.0?;
        let Some((end, terminator)) =
            rest.char_indices().find(|(_, c)| matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}'))
        else {
            self.0 = None;
            return Some(rest);
        };
        let mut next = end + terminator.len_utf8();
        if terminator == '\r' && rest[next..].starts_with('\n') {
            next += 1;
        }
        self.0 = Some(&rest[next..]);
        Some(&rest[..end])
    }
}
