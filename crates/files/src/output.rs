//! The result of a tool: blocks for the model, and details for programs.

use super::truncate::{Truncation, format_size};

/// The result of a successful call.
#[derive(Debug)]
pub struct Output {
    pub content: Vec<Block>,
    pub details: Details,
}

#[derive(Debug)]
pub enum Block {
    Text(String),
    /// `data` is base64.
    Image {
        mime_type: &'static str,
        data: String,
    },
}

/// Facts besides the text. A field that is `None` or false does not apply.
#[derive(Debug, Default, PartialEq)]
pub struct Details {
    pub truncation: Option<Truncation>,
    /// `edit`: the change with line numbers and context.
    pub diff: Option<String>,
    /// `edit`: the diff was cut at the byte limit.
    pub diff_truncated: bool,
    /// `edit`: line of the first change in the new text, from 1.
    pub first_changed_line: Option<usize>,
    /// `grep`: the limit that ended the search.
    pub match_limit_reached: Option<usize>,
    /// `grep`: a line was cut.
    pub lines_truncated: bool,
    /// `find`: the limit that ended the search.
    pub result_limit_reached: Option<usize>,
    /// `grep`, `find`: what the search left out.
    pub left_out: Option<LeftOutCounts>,
    /// `ls`: the limit that cut the list.
    pub entry_limit_reached: Option<usize>,
    /// `grep`, `find`, `ls`: "entries" or "time", the limit that ended the walk early.
    pub stopped_by: Option<&'static str>,
}

/// What a search left out. See `LeftOut` in `lib/files/tools.ts`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LeftOutCounts {
    pub ignored_folders: usize,
    pub ignored_files: usize,
    pub binary_files: usize,
    pub utf16_files: usize,
    pub large_files: usize,
    pub unreadable: usize,
}

impl Output {
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Block::Text(text.into())], details: Details::default() }
    }

    /// Text with notices in brackets below it.
    pub fn with_notices(mut text: String, notices: &[String], details: Details) -> Self {
        if !notices.is_empty() {
            text.push_str("\n\n");
            text.push_str(&in_brackets(notices));
        }
        Self { content: vec![Block::Text(text)], details }
    }

    /// A second block of text for notices, because code splits the first one into lines.
    pub fn with_block_of(mut self, notices: &[String]) -> Self {
        if !notices.is_empty() {
            self.content.push(Block::Text(in_brackets(notices)));
        }
        self
    }
}

fn in_brackets(notices: &[String]) -> String {
    format!("[{}]", notices.join(". "))
}

/// The notice that `limit` was reached. It recommends a higher limit, up to `greatest`, and the alternative `besides`.
/// At the greatest limit it recommends `instead`.
pub fn limit_notice(limit: usize, greatest: usize, results: &str, besides: &str, instead: &str) -> String {
    let advice = match limit.saturating_mul(2).min(greatest) {
        more if more > limit => format!("Use limit={more} for more{besides}"),
        _ => instead.to_owned(),
    };
    format!("{limit} {results} limit reached. {advice}")
}

/// The notice that the text was cut at `max_bytes`, with advice on how to get the rest.
pub fn bytes_notice(max_bytes: usize, advice: &str) -> String {
    format!("{} limit reached. {advice}", format_size(max_bytes as u64))
}
