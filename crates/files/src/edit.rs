//! `edit`: one exact replacement in a text file.

use super::Limits;
use super::atomic::Target;
use super::diff::diff;
use super::edit_explain::{near_miss, twins};
use super::edit_match::{NotUnique, find_unique, line_ending, to_lf};
use super::encoding::{MARK, Utf16};
use super::error::FileError;
use super::output::{Details, Output};
use super::root::{Root, RootPath, too_large};
use super::truncate::truncate_head;

pub fn edit(root: &Root, limits: &Limits, path: &str, old_text: &str, new_text: &str) -> Result<Output, FileError> {
    let path = RootPath::parse(root, path)?;
    if old_text.is_empty() {
        let message = "oldText must not be empty. Give the text to replace, or use write for a whole file.";
        return Err(FileError::new("ERR_TEXT_NOT_FOUND", message));
    }
    let target = Target::locate(root, &path)?;
    let bytes = root.read_file(&path, limits.max_file_bytes)?;
    if let Some(encoding) = Utf16::detect(&bytes) {
        return Err(encoding.refusal("edit", path.text));
    }
    let Ok(content) = String::from_utf8(bytes) else {
        let message = format!("Cannot edit {}: it is not UTF-8 text, and an edit would damage it.", path.text);
        return Err(FileError::new("ERR_BINARY_FILE", message));
    };
    let edited = replace_unique(&content, old_text, new_text, path.text)?;
    let size = edited.len() as u64;
    if size > limits.max_file_bytes {
        return Err(too_large(path.text, size, limits.max_file_bytes));
    }
    target.replace(edited.as_bytes()).map_err(|error| FileError::access(&error, path.text, "File"))?;

    let change = diff(&shown(&content), &shown(&edited));
    let (kept, cut) = truncate_head(&change.text, usize::MAX, limits.max_bytes);
    let mut output = Output::text(format!("Successfully replaced text in {}.", path.text));
    output.details = Details {
        diff: Some(kept.to_owned()),
        diff_truncated: cut.is_some(),
        first_changed_line: change.first_changed_line,
        ..Details::default()
    };
    Ok(output)
}

/// `content` with the only place that matches `old_text` replaced. All other bytes stay, including line endings. The
/// new lines get the line ending of the file. A byte order mark stays, even if `old_text` begins with it.
fn replace_unique(content: &str, old_text: &str, new_text: &str, path: &str) -> Result<String, FileError> {
    let found = find_unique(content, old_text).map_err(|reason| match reason {
        NotUnique::Missing => with_reason(
            FileError::new(
                "ERR_TEXT_NOT_FOUND",
                format!(
                    "Could not find the exact text in {path}. The old text must match exactly including all whitespace and newlines."
                ),
            ),
            near_miss(content, old_text),
        ),
        NotUnique::Several(count) => with_reason(
            FileError::new(
                "ERR_TEXT_NOT_UNIQUE",
                format!(
                    "Found {count} occurrences of the text in {path}. The text must be unique. Please provide more context to make it unique."
                ),
            ),
            twins(content, old_text),
        ),
    })?;
    let new_text = to_lf(new_text).replace('\n', line_ending(content));
    let text_start = if content.starts_with(MARK) { MARK.len() } else { 0 };
    let start = found.start.max(text_start);
    let new_text = if start > 0 && start == text_start { new_text.trim_start_matches(MARK) } else { &new_text };
    let edited = [&content[..start], new_text, &content[found.end..]].concat();
    if edited == content {
        return Err(FileError::new(
            "ERR_NO_CHANGE",
            format!(
                "No changes made to {path}. The replacement produced identical content. This might indicate an issue with special characters or the text not existing as expected."
            ),
        ));
    }
    Ok(edited)
}

fn with_reason(error: FileError, reason: Option<String>) -> FileError {
    match reason {
        Some(reason) => error.with_advice(&reason),
        None => error,
    }
}

/// The form that diffs show: without a byte order mark, lines ending in LF.
fn shown(content: &str) -> String {
    to_lf(content.strip_prefix(MARK).unwrap_or(content))
}
