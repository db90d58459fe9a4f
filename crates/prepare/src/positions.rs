//! Maps positions in generated code back to the source.

use std::cmp::Reverse;
use std::ops::Range;

use super::source_index::SourceIndex;
use ses_protocol::Location;

/// A place where generated and source text correspond. Between two marks, both texts advance in step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    /// Generated line from 0, and its UTF-16 column from 0.
    pub(super) line: u32,
    pub(super) column: u32,
    /// Offset in the source in bytes.
    pub(super) source: u32,
}

/// The positions of the functions and classes of a source: byte offsets of their starts and ends.
#[derive(Debug, Default)]
pub(super) struct Functions(Vec<(u32, u32)>);

impl Functions {
    pub(super) fn add(&mut self, start: u32, end: u32) {
        self.0.push((start, end));
    }

    /// The innermost function or class around an offset.
    fn around(&self, offset: u32) -> Option<Range<usize>> {
        let following = self.0.partition_point(|&(start, _)| start <= offset);
        let &(start, end) = self.0[..following].iter().rev().find(|&&(_, end)| offset < end)?;
        Some(start as usize..end as usize)
    }
}

/// The source that code was generated from.
pub(super) struct Source<'a> {
    pub(super) code: &'a str,
    pub(super) functions: Functions,
}

/// Maps positions in generated code to the original text. Holds neither text.
#[derive(Debug)]
pub struct PositionMap {
    /// In the order of the generated code.
    marks: Vec<Mark>,
    source: SourceIndex,
    /// Outer ones before inner ones.
    functions: Functions,
}

impl PositionMap {
    pub(super) fn new(marks: Vec<Mark>, Source { code: source, functions }: Source) -> Self {
        let (mut marks, mut functions) = (marks, functions);
        marks.shrink_to_fit();
        functions.0.sort_unstable_by_key(|&(start, end)| (start, Reverse(end)));
        functions.0.shrink_to_fit();
        for mark in &mut marks {
            // The printer places a semicolon at the last byte of its statement, even if the source has none.
            while (mark.source as usize) < source.len() && !source.is_char_boundary(mark.source as usize) {
                mark.source += 1;
            }
        }
        PositionMap { marks, source: SourceIndex::new(source), functions }
    }

    /// Memory that the map takes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.marks.len() * size_of::<Mark>() + 8 * self.functions.0.len() + self.source.bytes()
    }

    /// The source position of a position in the generated code (`line` and `column` from 1, UTF-16), or `None` for code
    /// before the first statement.
    pub fn original(&self, line: u32, column: u32) -> Option<Location> {
        let (line, column) = (line.checked_sub(1)?, column.checked_sub(1)?);
        let following = self.following(line, column);
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

    /// The range of the function or class in the source whose head contains such a position.
    pub fn function_at(&self, line: u32, column: u32) -> Option<Range<usize>> {
        let following = self.following(line.checked_sub(1)?, column.checked_sub(1)?);
        self.functions.around(self.marks[..following].last()?.source)
    }

    /// The index of the first mark after a position (counted from 0).
    fn following(&self, line: u32, column: u32) -> usize {
        self.marks.partition_point(|mark| (mark.line, mark.column) <= (line, column))
    }
}
