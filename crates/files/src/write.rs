//! `write`: writes a whole file.

use std::io;
use std::path::{Path, PathBuf};

use super::Limits;
use super::atomic::{Target, folder_of};
use super::error::FileError;
use super::output::Output;
use super::root::{Root, RootPath, too_large};

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
    Target::locate(root, &path)
        .map_err(|error| if error.code == "EISDIR" { FileError::not_writable(path.text) } else { error })?
        .replace(content.as_bytes())
        .map_err(|error| FileError::access(&error, path.text, "Folder"))?;
    Ok(Output::text(format!("Successfully wrote {size} bytes to {}", path.text)))
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
