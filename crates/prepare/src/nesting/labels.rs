//! Finds labels that enclose each other, as far as they can be told apart from property names before parsing.
//!
//! The parser creates an error for each pair of nested labels with one name: 10,000 of them, in 20 KB of text, take a
//! minute and 20 GB.

use std::collections::HashMap;

/// Pairs of equal open names in one text. Each may be an error of the parser, of 400 bytes. Object literals that
/// contain themselves under one key also have such pairs.
const MAX_PAIRS: usize = 100_000;

/// Names before a colon whose statement or value has not ended.
#[derive(Default)]
pub(super) struct Labels<'a> {
    /// The name that the scanner has just read, if a colon may make it a label.
    name: Option<&'a [u8]>,
    /// With the number of brackets around them.
    open: Vec<(&'a [u8], usize)>,
    counts: HashMap<&'a [u8], usize>,
    pairs: usize,
}

impl<'a> Labels<'a> {
    pub(super) fn begin_name(&mut self, name: &'a [u8]) {
        // An escape may spell any name.
        self.name = Some(if name.contains(&b'\\') { b"\\" } else { name });
    }

    pub(super) fn forget_name(&mut self) {
        self.name = None;
    }

    /// A colon follows the name.
    pub(super) fn end_name(&mut self, level: usize) {
        let Some(name) = self.name.take() else { return };
        let count = self.counts.entry(name).or_default();
        self.pairs += *count;
        *count += 1;
        self.open.push((name, level));
    }

    /// Statements and values within `level` brackets have ended.
    pub(super) fn close(&mut self, level: usize) {
        while let Some((name, _)) = self.open.pop_if(|&mut (_, at)| at >= level) {
            if let Some(count) = self.counts.get_mut(name) {
                *count -= 1;
            }
        }
    }

    pub(super) fn are_too_many(&self) -> bool {
        self.pairs > MAX_PAIRS
    }
}

/// Colons that may end a label, wherever they are: those that do not follow a string.
pub(super) fn count_colons(bytes: &[u8]) -> usize {
    let mut colons = 0;
    let mut before = 0;
    for &byte in bytes {
        colons += usize::from(byte == b':' && !matches!(before, b'"' | b'\''));
        if !matches!(byte, b' ' | b'\t') {
            before = byte;
        }
    }
    colons
}
