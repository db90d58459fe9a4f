//! Why a tool failed: a code for programs and a message for models.

use std::io;

/// A failed call. `message` names paths as the caller gave them.
#[derive(Debug)]
pub struct FileError {
    pub code: &'static str,
    pub message: String,
}

impl FileError {
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The error with a sentence that says what to do.
    pub fn with_advice(mut self, advice: &str) -> Self {
        self.message.push(' ');
        self.message.push_str(advice);
        self
    }

    /// A call whose run has ended.
    pub fn stopped() -> Self {
        Self::new("ECANCELED", "The run that made this call has ended")
    }

    pub fn escapes(path: &str) -> Self {
        Self::new(
            "ERR_PATH_ESCAPES_ROOT",
            format!("Path escapes the root: {path}. Use a path relative to the root that stays inside it."),
        )
    }

    pub fn not_regular(path: &str) -> Self {
        Self::new("ERR_NOT_A_FILE", format!("Not a regular file: {path}. Pipes, sockets and devices are not opened."))
    }

    pub fn is_directory(path: &str) -> Self {
        Self::new("EISDIR", format!("Is a directory: {path}. Use ls to list it."))
    }

    /// A folder in the place of a file to write.
    pub fn not_writable(path: &str) -> Self {
        Self::new("EISDIR", format!("Is a directory: {path}. Give the path of a file in it."))
    }

    /// A failed access to `path`. `missing` begins the text for a path that does not exist: "File" or "Path".
    pub fn access(error: &io::Error, path: &str, missing: &str) -> Self {
        match error.kind() {
            // cap-std's own refusal has no number of the operating system; EACCES has.
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => Self::escapes(path),
            io::ErrorKind::PermissionDenied => Self::new("EACCES", format!("Permission denied: {path}")),
            io::ErrorKind::NotFound => Self::new("ENOENT", format!("{missing} not found: {path}")),
            io::ErrorKind::NotADirectory => Self::new("ENOTDIR", format!("Not a directory: {path}")),
            io::ErrorKind::IsADirectory => Self::is_directory(path),
            io::ErrorKind::InvalidFilename => Self::new("ENAMETOOLONG", format!("Path is too long: {path}")),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::new("ENOSPC", format!("No space is left to write {path}"))
            }
            io::ErrorKind::ReadOnlyFilesystem => Self::new("EROFS", format!("The file system is read-only: {path}")),
            io::ErrorKind::CrossesDevices => Self::new(
                "EXDEV",
                format!(
                    "On another file system: {path}. Write the files again at the new path, then remove the old ones."
                ),
            ),
            // The text of a system error has no path in it.
            _ => Self::new("EIO", format!("Cannot access {path}: {error}")),
        }
    }
}
