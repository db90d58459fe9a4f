//! For code rather than for models: a whole file or an error, and the metadata of a path.

use std::time::{SystemTime, UNIX_EPOCH};

use super::encoding::{Utf16, without_mark};
use super::error::FileError;
use super::root::{Root, RootPath, too_large};

/// Elements and members of JSON that a caller can convert quickly.
const MAX_JSON_PARTS: usize = 120_000;
/// Levels that values may have on their way to a guest, with a reserve.
const MAX_JSON_DEPTH: usize = 1_000;
/// Lines that a caller can convert quickly.
const MAX_LINES: usize = 500_000;

/// How a caller splits the text of a file immediately after reading it.
#[derive(Clone, Copy, Debug)]
pub enum Parts {
    Json,
    Lines,
}

/// The entry at a path. Links are followed.
#[derive(Debug, PartialEq)]
pub struct Stat {
    /// "file", "directory" or "other".
    pub kind: &'static str,
    /// Bytes of a file.
    pub size: u64,
    /// Milliseconds since the Unix epoch, negative before it; absent if the system does not provide it.
    pub modified_ms: Option<f64>,
}

/// The content of a file, of at most `max_bytes`.
pub fn read_bytes(root: &Root, path: &str, max_bytes: u64) -> Result<Vec<u8>, FileError> {
    root.read_file(&RootPath::parse(root, path)?, max_bytes)
}

/// The same as text, without a byte order mark. Bytes that are not UTF-8 are an error: decoded with replacement
/// characters, they would not be the content of the file.
pub fn read_text(root: &Root, path: &str, max_bytes: u64) -> Result<String, FileError> {
    let mut bytes = read_bytes(root, path, max_bytes)?;
    let mark = bytes.len() - without_mark(&bytes).len();
    bytes.drain(..mark);
    String::from_utf8(bytes).map_err(|error| {
        if let Some(encoding) = Utf16::detect(error.as_bytes()) {
            return encoding.refusal("read", path);
        }
        let at = error.utf8_error().valid_up_to();
        FileError::new("ERR_BINARY_FILE", format!("Not UTF-8 text: {path}, from byte {at} on. Use readBytes."))
    })
}

/// Like [`read_text`], for at most `most` bytes and as many parts as the caller can convert quickly. Other files are
/// refused with the advice `instead`.
pub fn read_parts(
    root: &Root,
    path: &str,
    max_bytes: u64,
    parts: Parts,
    most: u64,
    instead: &str,
) -> Result<String, FileError> {
    let refused = |error: FileError| FileError::new(error.code, format!("{} {instead}", error.message));
    let place = RootPath::parse(root, path)?;
    let size = root.metadata(&place, "File")?.len();
    if size > most && size <= max_bytes {
        return Err(refused(too_large(path, size, most)));
    }
    let text = read_text(root, path, max_bytes)?;
    // The file may have grown.
    if text.len() as u64 > most {
        return Err(refused(too_large(path, text.len() as u64, most)));
    }
    let (count, limit, what) = match parts {
        Parts::Json => (json_parts(&text), MAX_JSON_PARTS, "values"),
        Parts::Lines => (line_ends(&text), MAX_LINES, "lines"),
    };
    if count > limit {
        let message = format!("File has too many {what}: {path} (the limit is {limit}).");
        return Err(refused(FileError::new("ERR_FILE_TOO_LARGE", message)));
    }
    Ok(text)
}

fn line_ends(text: &str) -> usize {
    text.bytes().filter(|byte| matches!(byte, b'\n' | b'\r')).count()
}

/// The number of parts of JSON. JSON that is nested too deeply has more than any limit.
fn json_parts(text: &str) -> usize {
    let (mut parts, mut depth) = (1_usize, 0_usize);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => {
                while let Some(within) = bytes.next() {
                    match within {
                        b'"' => break,
                        b'\\' => drop(bytes.next()),
                        _ => {}
                    }
                }
            }
            b'[' | b'{' => {
                parts += 1;
                depth += 1;
                if depth > MAX_JSON_DEPTH {
                    return usize::MAX;
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' | b':' => parts += 1,
            _ => {}
        }
    }
    parts
}

pub fn stat(root: &Root, path: &str) -> Result<Stat, FileError> {
    let path = RootPath::parse(root, path)?;
    let metadata = root.metadata(&path, "Path")?;
    let kind = match () {
        () if metadata.is_file() => "file",
        () if metadata.is_dir() => "directory",
        () => "other",
    };
    let since_epoch = |time: SystemTime| match time.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_secs_f64(),
        Err(error) => -error.duration().as_secs_f64(),
    };
    Ok(Stat {
        kind,
        size: if metadata.is_file() { metadata.len() } else { 0 },
        modified_ms: metadata.modified().ok().map(|time| since_epoch(time.into_std()) * 1e3),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_json_are_counted_outside_of_its_texts() {
        assert_eq!(json_parts("1"), 1);
        assert_eq!(json_parts(r#"{"a": [1, 2], "b,:[": "\\\",["}"#), 7);
        assert_eq!(json_parts(r#""a"#), 1);
        assert_eq!(json_parts(&"[],".repeat(10)), 21);
        assert_eq!(json_parts(&"[".repeat(MAX_JSON_DEPTH)), 1 + MAX_JSON_DEPTH);
        assert_eq!(json_parts(&"[".repeat(MAX_JSON_DEPTH + 1)), usize::MAX);
    }
}
