//! From positions in generated code back to the source.

use super::source_index::SourceIndex;
use ses_protocol::Location;

/// One place where generated and source text correspond. Between two of them both texts run in parallel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    /// Generated line from 0, and its UTF-16 column from 0.
    pub(super) line: u32,
    pub(super) column: u32,
    /// Offset in the source in bytes.
    pub(super) source: u32,
}

/// Maps positions in generated code to the text it was made from. Holds neither text.
#[derive(Debug)]
pub struct PositionMap {
    /// In the order of the generated code.
    marks: Vec<Mark>,
    source: SourceIndex,
}

impl PositionMap {
    pub(super) fn new(marks: Vec<Mark>, source: &str) -> Self {
        let mut marks = marks;
        marks.shrink_to_fit();
        for mark in &mut marks {
            // For the printer a semicolon is the last byte of its statement, also where the source has none.
            while (mark.source as usize) < source.len() && !source.is_char_boundary(mark.source as usize) {
                mark.source += 1;
            }
        }
        PositionMap { marks, source: SourceIndex::new(source) }
    }

    /// Memory that the map takes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.marks.len() * size_of::<Mark>() + self.source.bytes()
    }

    /// The source position of a position in the generated code (`line` and `column` from 1, UTF-16), or `None` for code
    /// before the first statement.
    pub fn original(&self, line: u32, column: u32) -> Option<Location> {
        let (line, column) = (line.checked_sub(1)?, column.checked_sub(1)?);
        let following = self.marks.partition_point(|mark| (mark.line, mark.column) <= (line, column));
        let mark = self.marks[..following].last()?;
        let mut location = self.source.location(mark.source);
        if mark.line == line {
            location.column += column - mark.column;
            if let Some(next) = self.marks.get(following).filter(|next| next.source >= mark.source) {
                location = location.min(self.source.location(next.source));
            }
            location = self.source.clamp(location);
        }
        Some(location)
    }
}
