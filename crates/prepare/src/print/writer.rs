//! The printer's output.

use swc_common::{BytePos, Span};
use swc_ecma_codegen::{Result, text_writer::WriteJs};

use super::super::positions::{Mark, PositionMap, Source};
use super::super::syntax::offset;

/// Collects text without indentation (whose size would be quadratic in the nesting), and the marks of a
/// [`PositionMap`].
pub(super) struct Writer {
    text: String,
    marks: Vec<Mark>,
    line: u32,
    /// In UTF-16 code units.
    column: u32,
    /// The source position of the last written name, if it has no length. It is the name of a called function: V8
    /// reports a call at the parenthesis unless a plain name precedes it, and the guest's code has such a name.
    callee: Option<BytePos>,
}

impl Writer {
    pub(super) fn new(source_bytes: usize) -> Self {
        Writer {
            text: String::with_capacity(source_bytes + source_bytes / 4 + 256),
            marks: Vec::new(),
            line: 0,
            column: 0,
            callee: None,
        }
    }

    /// Writes text and advances the position over it, with the line terminators of ECMAScript.
    pub(super) fn text(&mut self, text: &str) {
        self.text.push_str(text);
        if text.bytes().all(|byte| byte.is_ascii() && byte != b'\n' && byte != b'\r') {
            self.column += text.len() as u32;
            return;
        }
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '\r' if characters.peek() == Some(&'\n') => {}
                '\n' | '\r' | '\u{2028}' | '\u{2029}' => {
                    self.line += 1;
                    self.column = 0;
                }
                _ => self.column += character.len_utf16() as u32,
            }
        }
    }

    pub(super) fn end_line(&mut self) {
        if self.column > 0 {
            self.text("\n");
        }
    }

    pub(super) fn finish(self, source: Source) -> (String, PositionMap) {
        (self.text, PositionMap::new(self.marks, source))
    }

    fn mark(&mut self, position: BytePos) {
        if position.0 == 0 || position.is_reserved_for_comments() {
            return;
        }
        let mark = Mark { line: self.line, column: self.column, source: offset(position) };
        match self.marks.last_mut() {
            // The start of one node is more informative than the end of another.
            Some(last) if (last.line, last.column) == (mark.line, mark.column) => *last = mark,
            _ => self.marks.push(mark),
        }
    }

    fn spanned(&mut self, span: Option<Span>, text: &str) {
        match span {
            Some(span) => {
                self.mark(span.lo);
                self.text(text);
                self.mark(span.hi);
            }
            None => self.text(text),
        }
    }
}

impl WriteJs for Writer {
    fn increase_indent(&mut self) -> Result {
        Ok(())
    }

    fn decrease_indent(&mut self) -> Result {
        Ok(())
    }

    fn write_semi(&mut self, span: Option<Span>) -> Result {
        self.spanned(span, ";");
        Ok(())
    }

    fn write_space(&mut self) -> Result {
        self.text(" ");
        Ok(())
    }

    fn write_keyword(&mut self, span: Option<Span>, text: &'static str) -> Result {
        self.spanned(span, text);
        Ok(())
    }

    fn write_operator(&mut self, span: Option<Span>, text: &str) -> Result {
        self.spanned(span, text);
        Ok(())
    }

    fn write_param(&mut self, text: &str) -> Result {
        self.text(text);
        Ok(())
    }

    fn write_property(&mut self, text: &str) -> Result {
        self.text(text);
        Ok(())
    }

    fn write_line(&mut self) -> Result {
        self.end_line();
        Ok(())
    }

    fn write_lit(&mut self, span: Span, text: &str) -> Result {
        self.spanned(Some(span), text);
        Ok(())
    }

    fn write_comment(&mut self, text: &str) -> Result {
        self.text(text);
        Ok(())
    }

    fn write_str_lit(&mut self, span: Span, text: &str) -> Result {
        self.spanned(Some(span), text);
        Ok(())
    }

    fn write_str(&mut self, text: &str) -> Result {
        self.text(text);
        Ok(())
    }

    fn write_symbol(&mut self, span: Span, text: &str) -> Result {
        self.spanned(Some(span), text);
        Ok(())
    }

    fn write_punct(&mut self, span: Option<Span>, text: &'static str, _commit_pending_semi: bool) -> Result {
        if text.starts_with('(')
            && let Some(callee) = self.callee.take()
        {
            self.mark(callee);
        }
        self.spanned(span, text);
        Ok(())
    }

    fn care_about_srcmap(&self) -> bool {
        true
    }

    fn add_srcmap(&mut self, position: BytePos) -> Result {
        let precedes = |last: &Mark| (last.line, last.column) < (self.line, self.column);
        let is_empty = self.marks.last().is_some_and(|last| last.source == offset(position) && precedes(last));
        self.callee = is_empty.then_some(position);
        self.mark(position);
        Ok(())
    }

    fn commit_pending_semi(&mut self) -> Result {
        Ok(())
    }
}
