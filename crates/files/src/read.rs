//! `read`: lines of a text file, or an image.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::Limits;
use super::budget::Budget;
use super::encoding::{HEAD_BYTES, Utf16, without_mark};
use super::error::FileError;
use super::output::{Block, Details, Output};
use super::pool::Stop;
use super::root::{Root, RootPath, read_all, too_large};
use super::truncate::{Truncation, count_lines, format_size, line_start, truncate_head};

/// Image types that models accept.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/// Bytes of a large file that are held in addition to those shown.
const CHUNK_BYTES: usize = 64 << 10;
/// The advice for text that is too large.
pub const PARTS: &str = "Use read with offset and limit for some of its lines.";

#[derive(Debug)]
pub struct ReadRequest {
    pub path: String,
    /// First line, from 1.
    pub offset: Option<usize>,
    /// Number of lines.
    pub limit: Option<usize>,
}

pub fn read(root: &Root, limits: &Limits, request: &ReadRequest, stop: &Stop) -> Result<Output, FileError> {
    let path = RootPath::parse(root, &request.path)?;
    let failed = |error| FileError::access(&error, path.text, "File");
    let mut file = root.open_file(&path)?;
    let mut head = Vec::new();
    file.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head).map_err(failed)?;
    let image = infer::get(&head).and_then(|kind| IMAGES.into_iter().find(|image| *image == kind.mime_type()));
    if image.is_none() {
        if let Some(encoding) = Utf16::detect(&head) {
            return Err(encoding.refusal("show", path.text));
        }
        if head.contains(&0) {
            return Err(binary(path.text, &head));
        }
    }
    let start = head.len() - without_mark(&head).len();
    file.seek(SeekFrom::Start(start as u64)).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    if image.is_none() && size > limits.max_file_bytes && (request.offset.is_some() || request.limit.is_some()) {
        let budget = Budget::new(limits, stop);
        let lines = LargeFile { reader: BufReader::with_capacity(CHUNK_BYTES, file), budget };
        let shown = lines.show(limits, request).map_err(failed)?;
        return shown.unwrap_or_else(|| Err(too_far(path.text, size, limits)));
    }
    let max_bytes = if image.is_some() { limits.max_image_bytes } else { limits.max_file_bytes };
    let bytes = read_all(file, max_bytes).map_err(failed)?.map_err(|size| match image {
        Some(_) => too_large(path.text, size, max_bytes),
        None => too_large(path.text, size, max_bytes).with_advice(PARTS),
    })?;
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
    // An empty file has no lines, but reading from its start is allowed.
    if first > total.max(1) {
        return Err(beyond_end(first, total));
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

fn beyond_end(first: usize, total: usize) -> FileError {
    let message = format!("Offset {first} is beyond end of file ({total} lines total)");
    FileError::new("ERR_OFFSET_BEYOND_END", message)
}

fn too_far(path: &str, size: u64, limits: &Limits) -> FileError {
    let (size, seconds) = (format_size(size), limits.max_search.as_secs_f64());
    let message =
        format!("File is too large: {path} has {size}, and these lines are not reached within {seconds} seconds.");
    FileError::new("ERR_FILE_TOO_LARGE", message)
}

/// A text file that is too large to hold in memory. Its lines are not counted.
struct LargeFile<R> {
    reader: R,
    budget: Budget,
}

impl<R: BufRead> LargeFile<R> {
    /// The requested lines; `None` if there is no time to reach them.
    fn show(mut self, limits: &Limits, request: &ReadRequest) -> io::Result<Option<Result<Output, FileError>>> {
        let first = request.offset.unwrap_or(1);
        let Some(before) = self.skip(first - 1)? else { return Ok(None) };
        if !self.has_more()? {
            return Ok(Some(Err(beyond_end(first, before))));
        }
        let asked = request.limit.unwrap_or(usize::MAX).min(limits.max_lines);
        let (mut bytes, mut lines) = (Vec::new(), 0);
        while lines < asked && bytes.len() <= limits.max_bytes && self.has_more()? {
            // A newline, and one byte that shows that something was cut.
            let room = limits.max_bytes + 2 - bytes.len();
            self.reader.by_ref().take(room as u64).read_until(b'\n', &mut bytes)?;
            lines += 1;
        }
        let text = String::from_utf8_lossy(&bytes);
        let (shown, cut) = truncate_head(&text, asked, limits.max_bytes);
        let limit = format_size(limits.max_bytes as u64);
        let next = first + cut.as_ref().map_or(lines, |cut| cut.output_lines);
        let text = if next == first {
            let in_line = !bytes.ends_with(b"\n");
            let has_next = lines > 1 || (!in_line || self.skip(1)?.is_some()) && self.has_more()?;
            let more =
                if has_next { format!(". Use offset={} to continue after it", first + 1) } else { String::new() };
            format!("[Line {first} exceeds {limit} limit{more}.]")
        } else if cut.is_some() || self.has_more()? {
            let shown = shown.strip_suffix('\n').unwrap_or(shown);
            let limit = if cut.is_some() { format!(" ({limit} limit)") } else { String::new() };
            format!("{shown}\n\n[Showing lines {first}-{}{limit}. Use offset={next} to continue.]", next - 1)
        } else {
            shown.to_owned()
        };
        Ok(Some(Ok(Output::text(text))))
    }

    fn has_more(&mut self) -> io::Result<bool> {
        Ok(!self.reader.fill_buf()?.is_empty())
    }

    /// Skips so many lines, and returns how many there were; `None` if there is no time for that.
    fn skip(&mut self, lines: usize) -> io::Result<Option<usize>> {
        let (mut skipped, mut in_line) = (0, false);
        while skipped < lines {
            if !self.budget.has_time() {
                return Ok(None);
            }
            let chunk = self.reader.fill_buf()?;
            if chunk.is_empty() {
                return Ok(Some(skipped + usize::from(in_line)));
            }
            let mut ends = chunk.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            match ends.nth(lines - skipped - 1) {
                Some((end, _)) => {
                    skipped = lines;
                    self.reader.consume(end + 1);
                }
                None => {
                    skipped += chunk.iter().filter(|byte| **byte == b'\n').count();
                    in_line = !chunk.ends_with(b"\n");
                    let length = chunk.len();
                    self.reader.consume(length);
                }
            }
        }
        Ok(Some(skipped))
    }
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
