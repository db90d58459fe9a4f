//! `write`: writes a whole file.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use super::Limits;
use super::atomic::{Target, folder_of};
use super::encoding::{MARK, Utf16};
use super::error::FileError;
use super::output::Output;
use super::root::{Root, RootPath, too_large};

/// The file keeps its byte order mark, unless it becomes empty.
pub fn write(root: &Root, limits: &Limits, path: &str, content: &str) -> Result<Output, FileError> {
    let path = RootPath::to_make(root, path)?;
    let size = content.len() as u64;
    if size > limits.max_file_bytes {
        return Err(too_large(path.text, size, limits.max_file_bytes));
    }
    if path.names_folder() {
        return Err(FileError::not_writable(path.text));
    }
    make_parents(root, &path)?;
    let target = Target::locate(root, &path)
        .map_err(|error| if error.code == "EISDIR" { FileError::not_writable(path.text) } else { error })?;
    let head = target.head();
    let has_mark = !content.is_empty() && !content.starts_with(MARK) && head.starts_with(MARK.as_bytes());
    let content = if has_mark { Cow::Owned([MARK, content].concat()) } else { Cow::Borrowed(content) };
    let size = content.len() as u64;
    if size > limits.max_file_bytes {
        return Err(too_large(path.text, size, limits.max_file_bytes));
    }
    target.replace(content.as_bytes()).map_err(|error| FileError::access(&error, path.text, "Folder"))?;
    let change = match Utf16::detect(&head) {
        Some(encoding) => format!(". It was {} text, and is UTF-8 now", encoding.name()),
        None => String::new(),
    };
    Ok(Output::text(format!("Successfully wrote {size} bytes to {}{change}", path.text)))
}

/// Creates the folders above `path`.
pub fn make_parents(root: &Root, path: &RootPath) -> Result<(), FileError> {
    make_folders(root, &folder_of(&path.path)).map_err(|error| match error.kind() {
        io::ErrorKind::NotADirectory => {
            FileError::new("ENOTDIR", format!("Not a directory: a parent of {} is a file", path.text))
        }
        _ => FileError::access(&error, path.text, "Folder"),
    })
}

/// Creates `folder` and the folders above it, one after the other: a path has room for thousands.
fn make_folders(root: &Root, folder: &Path) -> io::Result<()> {
    let mut made = PathBuf::new();
    for part in folder.components() {
        made.push(part);
        match root.dir().create_dir(&made) {
            Ok(()) => {}
            Err(error) => match root.dir().metadata(&made) {
                Ok(metadata) if metadata.is_dir() => {}
                Ok(_) => return Err(io::ErrorKind::NotADirectory.into()),
                // Something exists there, but it leads out of the root, or nowhere.
                Err(reason) if error.kind() == io::ErrorKind::AlreadyExists => return Err(reason),
                Err(_) => return Err(error),
            },
        }
    }
    Ok(())
}
