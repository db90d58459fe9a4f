//! `read`: lines of a text file, or an image.

use std::io::{Read, Seek};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::Limits;
use super::error::FileError;
use super::output::{Block, Details, Output};
use super::root::{Root, RootPath, read_all, too_large};
use super::truncate::{Truncation, count_lines, format_size, line_start, truncate_head};

/// Images that models take.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/// Bytes at the start that say what a file is, and whether it is text.
const HEAD_BYTES: u64 = 8192;

#[derive(Debug)]
pub struct ReadRequest {
    pub path: String,
    /// First line, from 1.
    pub offset: Option<usize>,
    /// Number of lines.
    pub limit: Option<usize>,
}

pub fn read(root: &Root, limits: &Limits, request: &ReadRequest) -> Result<Output, FileError> {
    let path = RootPath::parse(root, &request.path)?;
    let failed = |error| FileError::access(&error, path.text, "File");
    let mut file = root.open_file(&path)?;
    let mut head = Vec::new();
    file.by_ref().take(HEAD_BYTES).read_to_end(&mut head).map_err(failed)?;
    file.rewind().map_err(failed)?;
    let image = infer::get(&head).and_then(|kind| IMAGES.into_iter().find(|image| *image == kind.mime_type()));
    if image.is_none() && head.contains(&0) {
        return Err(binary(path.text, &head));
    }
    let max_bytes = if image.is_some() { limits.max_image_bytes } else { limits.max_file_bytes };
    let bytes = read_all(file, max_bytes).map_err(failed)?.map_err(|size| too_large(path.text, size, max_bytes))?;
    match image {
        Some(mime_type) => {
            let note = Block::Text(format!("Read image file [{mime_type}]"));
            let image = Block::Image { mime_type, data: STANDARD.encode(bytes) };
            Ok(Output { content: vec![note, image], details: Details::default() })
        }
        None => show_lines(&String::from_utf8_lossy(&bytes), limits, request),
    }
}

fn binary(path: &str, head: &[u8]) -> FileError {
    let kind = infer::get(head).map_or("unknown type", |kind| kind.mime_type());
    FileError::new("ERR_BINARY_FILE", format!("Cannot show binary file: {path} ({kind})"))
}

fn show_lines(text: &str, limits: &Limits, request: &ReadRequest) -> Result<Output, FileError> {
    let total = count_lines(text);
    let first = request.offset.unwrap_or(1);
    // An empty file has no lines, but its start is no error.
    if first > total.max(1) {
        let message = format!("Offset {first} is beyond end of file ({total} lines total)");
        return Err(FileError::new("ERR_OFFSET_BEYOND_END", message));
    }
    let rest = &text[line_start(text, first - 1)..];
    let selected = match request.limit {
        Some(limit) => &rest[..line_start(rest, limit)],
        None => rest,
    };
    let (shown, truncation) = truncate_head(selected, limits.max_lines, limits.max_bytes);
    let text = match &truncation {
        Some(cut) if cut.first_line_exceeds_limit => long_line(selected, first, total, limits),
        Some(cut) => format!("{shown}\n\n{}", continuation(cut, first, total)),
        None => {
            let next = first + count_lines(selected);
            if next > total {
                shown.to_owned()
            } else {
                let shown = shown.strip_suffix('\n').unwrap_or(shown);
                format!("{shown}\n\n[{} more lines in file. Use offset={next} to continue.]", total + 1 - next)
            }
        }
    };
    Ok(Output { content: vec![Block::Text(text)], details: Details { truncation, ..Details::default() } })
}

fn continuation(cut: &Truncation, first: usize, total: usize) -> String {
    let next = first + cut.output_lines;
    let limit = match cut.truncated_by {
        "bytes" => format!(" ({} limit)", format_size(cut.max_bytes as u64)),
        _ => String::new(),
    };
    format!("[Showing lines {first}-{} of {total}{limit}. Use offset={next} to continue.]", next - 1)
}

fn long_line(selected: &str, number: usize, total: usize, limits: &Limits) -> String {
    let size = format_size(selected.lines().next().map_or(0, str::len) as u64);
    let limit = format_size(limits.max_bytes as u64);
    let next = if number < total { format!(", or offset={} to continue after it", number + 1) } else { String::new() };
    format!("[Line {number} is {size}, exceeds {limit} limit. Use grep to see what matches in it{next}.]")
}
