//! For code rather than for models: all of a file, or an error; and what is known of a path.

use std::time::UNIX_EPOCH;

use super::error::FileError;
use super::root::{Root, RootPath, too_large};

/// What there is at a path, links followed.
#[derive(Debug, PartialEq)]
pub struct Stat {
    /// "file", "directory" or "other".
    pub kind: &'static str,
    /// Bytes of a file.
    pub size: u64,
    /// Milliseconds since the Unix epoch; absent: the system does not say.
    pub modified_ms: Option<f64>,
}

/// The content of a file, of at most `max_bytes`.
pub fn read_bytes(root: &Root, path: &str, max_bytes: u64) -> Result<Vec<u8>, FileError> {
    root.read_file(&RootPath::parse(root, path)?, max_bytes)
}

/// The same as text, without a byte order mark. What is no text is an error, since code would work on something else.
pub fn read_text(root: &Root, path: &str, max_bytes: u64) -> Result<String, FileError> {
    let mut bytes = read_bytes(root, path, max_bytes)?;
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        bytes.drain(..3);
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        FileError::new("ERR_BINARY_FILE", format!("Not UTF-8 text: {path}, from byte {at} on. Use readBytes."))
    })
}

/// As [`read_text`], of at most `most` bytes, since the caller takes it apart at once: larger ones are refused with `instead`.
pub fn read_small_text(root: &Root, path: &str, max_bytes: u64, most: u64, instead: &str) -> Result<String, FileError> {
    let place = RootPath::parse(root, path)?;
    let size = root.metadata(&place, "File")?.len();
    if size > most && size <= max_bytes {
        let mut error = too_large(path, size, most);
        error.message = format!("{} {instead}", error.message);
        return Err(error);
    }
    read_text(root, path, max_bytes)
}

pub fn stat(root: &Root, path: &str) -> Result<Stat, FileError> {
    let path = RootPath::parse(root, path)?;
    let metadata = root.metadata(&path, "Path")?;
    let kind = match () {
        () if metadata.is_file() => "file",
        () if metadata.is_dir() => "directory",
        () => "other",
    };
    let since = metadata.modified().ok().and_then(|time| time.into_std().duration_since(UNIX_EPOCH).ok());
    Ok(Stat {
        kind,
        size: if metadata.is_file() { metadata.len() } else { 0 },
        modified_ms: since.map(|since| since.as_secs_f64() * 1e3),
    })
}
