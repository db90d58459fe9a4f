//! `move` and `remove`.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::vec;

use super::Limits;
use super::atomic::folder_of;
use super::error::FileError;
use super::output::Output;
use super::pool::Stop;
use super::root::{Root, RootPath};
use super::write::make_folders;

/// Gives a file or a folder another path. What is there already stays, unless it is a file and `overwrite` is set.
pub fn relocate(root: &Root, from: &str, to: &str, overwrite: bool) -> Result<Output, FileError> {
    let (source, target) = (RootPath::parse(root, from)?, RootPath::parse(root, to)?);
    let dir = root.dir();
    for path in [&source, &target] {
        refuse_root(path, "move")?;
    }
    dir.symlink_metadata(&source.path).map_err(|error| FileError::access(&error, from, "Path"))?;
    match dir.symlink_metadata(&target.path) {
        Ok(metadata) if metadata.is_dir() => {
            let message = format!("Is a directory: {to}. Give the whole new path, with the name that it is to have.");
            return Err(FileError::new("EISDIR", message));
        }
        Ok(_) if !overwrite => {
            return Err(FileError::new("EEXIST", format!("Exists already: {to}. Pass overwrite: true to replace it.")));
        }
        _ => {}
    }
    make_folders(root, &folder_of(&target.path)).map_err(|error| FileError::access(&error, to, "Folder"))?;
    dir.rename(&source.path, dir, &target.path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => FileError::new("EINVAL", format!("Cannot move {from} into itself: {to}")),
        _ => FileError::access(&error, from, "Path"),
    })?;
    Ok(Output::text(format!("Successfully moved {from} to {to}")))
}

/// Removes a file, a link itself, or a folder: one with something in it only if `recursive` is set.
pub fn remove(root: &Root, limits: &Limits, text: &str, recursive: bool, stop: &Stop) -> Result<Output, FileError> {
    let path = RootPath::parse(root, text)?;
    refuse_root(&path, "remove")?;
    let failed = |error: io::Error| FileError::access(&error, text, "Path");
    let metadata = root.dir().symlink_metadata(&path.path).map_err(failed)?;
    if !metadata.is_dir() {
        root.dir().remove_file(&path.path).map_err(failed)?;
    } else if recursive {
        remove_folder(root, limits, &path, stop)?;
    } else {
        root.dir().remove_dir(&path.path).map_err(|error| match error.kind() {
            io::ErrorKind::DirectoryNotEmpty => FileError::new(
                "ENOTEMPTY",
                format!("Not empty: {text}. Pass recursive: true to remove the folder with all that is in it."),
            ),
            _ => failed(error),
        })?;
    }
    Ok(Output::text(format!("Successfully removed {text}")))
}

fn refuse_root(path: &RootPath, what: &str) -> Result<(), FileError> {
    if path.names_root() || path.path.file_name().is_none() {
        return Err(FileError::new(
            "ERR_INVALID_PATH",
            format!("Cannot {what} {}: name what is in a folder.", path.text),
        ));
    }
    Ok(())
}

/// A folder whose entries are being removed.
struct Level {
    folder: PathBuf,
    entries: vec::IntoIter<(OsString, bool)>,
}

/// One list per level, and no handle that is held: a deep tree costs neither stack nor descriptors. Links are removed, not
/// followed.
fn remove_folder(root: &Root, limits: &Limits, path: &RootPath, stop: &Stop) -> Result<(), FileError> {
    let failed = |error: io::Error| FileError::access(&error, path.text, "Path");
    let mut left = limits.max_entries;
    let mut levels = vec![list(root, path.path.clone(), &mut left).map_err(failed)?];
    while let Some(level) = levels.last_mut() {
        if stop.is_stopped() {
            return Err(FileError::stopped());
        }
        match level.entries.next() {
            _ if left == 0 => {
                let message = format!(
                    "{} has more than {} entries: a part of it was removed; call again to go on.",
                    path.text, limits.max_entries
                );
                return Err(FileError::new("ERR_TOO_MANY_ENTRIES", message));
            }
            Some((name, true)) => {
                let folder = level.folder.join(name);
                levels.push(list(root, folder, &mut left).map_err(failed)?);
            }
            Some((name, false)) => root.dir().remove_file(level.folder.join(name)).map_err(failed)?,
            None => {
                root.dir().remove_dir(&level.folder).map_err(failed)?;
                levels.pop();
            }
        }
    }
    Ok(())
}

/// The entries of a folder, as many as `left` says, which becomes less.
fn list(root: &Root, folder: PathBuf, left: &mut usize) -> io::Result<Level> {
    let mut entries = Vec::new();
    for entry in root.dir().read_dir(Path::new(&folder))? {
        if *left == 0 {
            break;
        }
        *left -= 1;
        let entry = entry?;
        let is_folder = entry.file_type()?.is_dir();
        entries.push((entry.file_name(), is_folder));
    }
    Ok(Level { folder, entries: entries.into_iter() })
}
