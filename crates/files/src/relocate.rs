//! `move` and `remove`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{io, mem, vec};

use cap_std::fs::{Dir, Metadata};

use super::Limits;
#[cfg(unix)]
use super::atomic::folder_of;
use super::error::FileError;
use super::output::Output;
use super::pool::Stop;
use super::root::{Root, RootPath};
use super::write::make_parents;

/// Entries of each folder on the way down that are listed in one step.
const MAX_LISTED: usize = 256;

/// Moves a file or a folder to another path. An existing entry stays, unless it is a file and `overwrite` is set.
pub fn relocate(root: &Root, from: &str, to: &str, overwrite: bool) -> Result<Output, FileError> {
    let (source, target) = (RootPath::parse(root, from)?, RootPath::to_make(root, to)?);
    let dir = root.dir();
    for path in [&source, &target] {
        refuse_root(path, "move")?;
    }
    let failed = |error: io::Error| FileError::access(&error, from, "Path");
    let moved = dir.symlink_metadata(&source.path).map_err(failed)?;
    let replaced = dir.symlink_metadata(&target.path).ok();
    let is_folder = replaced.as_ref().is_some_and(Metadata::is_dir) || target.names_folder() && !moved.is_dir();
    match &replaced {
        _ if is_folder => {
            let message = format!("Is a directory: {to}. Give the complete new path, including the new name.");
            return Err(FileError::new("EISDIR", message));
        }
        Some(_) if moved.is_dir() => {
            let message = format!("Not a directory: {to}. A folder cannot replace a file: remove the file first.");
            return Err(FileError::new("ENOTDIR", message));
        }
        Some(_) if !overwrite => {
            return Err(FileError::new("EEXIST", format!("Exists already: {to}. Pass overwrite: true to replace it.")));
        }
        _ => {}
    }
    if moved.is_dir() && is_below(dir, &target.path, &source.path) {
        return Err(FileError::new("EINVAL", format!("Cannot move {from} into itself: {to}")));
    }
    make_parents(root, &target)?;
    match replaced {
        Some(replaced) if are_two_names(dir, (&source.path, &moved), (&target.path, &replaced)) => {
            dir.remove_file(&source.path).map_err(failed)?;
        }
        _ => dir.rename(&source.path, dir, &target.path).map_err(failed)?,
    }
    Ok(Output::text(format!("Successfully moved {from} to {to}")))
}

/// Whether `path` is below `folder`. Only its first folders may exist.
fn is_below(dir: &Dir, path: &Path, folder: &Path) -> bool {
    let existing = path.ancestors().skip(1).find_map(|above| dir.canonicalize(above).ok());
    let folder = dir.canonicalize(folder).ok();
    existing.zip(folder).is_some_and(|(existing, folder)| existing.starts_with(folder))
}

/// Whether two paths are different names of one file: renaming one to the other does nothing.
#[cfg(unix)]
fn are_two_names(dir: &Dir, one: (&Path, &Metadata), other: (&Path, &Metadata)) -> bool {
    use cap_std::fs::MetadataExt;

    let identity = |metadata: &Metadata| (metadata.dev(), metadata.ino());
    let folder = |path: &Path| dir.metadata(folder_of(path)).ok().as_ref().map(identity);
    // Without regard to case, two spellings are one name.
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    identity(one.1) == identity(other.1) && (name(one.0), folder(one.0)) != (name(other.0), folder(other.0))
}

#[cfg(not(unix))]
fn are_two_names(_: &Dir, _: (&Path, &Metadata), _: (&Path, &Metadata)) -> bool {
    false
}

/// Removes a file, a link itself, or a folder. A folder that is not empty requires `recursive`.
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
                format!("Not empty: {text}. Pass recursive: true to remove the folder and everything in it."),
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
    /// It has more entries than were listed.
    is_cut: bool,
}

/// Keeps one list per level and no open handle, so a deep tree costs neither stack nor descriptors. Links are removed,
/// not followed.
fn remove_folder(root: &Root, limits: &Limits, path: &RootPath, stop: &Stop) -> Result<(), FileError> {
    let failed = |error: io::Error| FileError::access(&error, path.text, "Path");
    let mut left = limits.max_entries;
    let mut count = || {
        left = left.checked_sub(1).ok_or_else(|| {
            let message = format!(
                "{} has more than {} entries: only part of it was removed; call again to continue.",
                path.text, limits.max_entries
            );
            FileError::new("ERR_TOO_MANY_ENTRIES", message)
        })?;
        Ok(())
    };
    let mut levels = vec![list(root, path.path.clone()).map_err(failed)?];
    while let Some(level) = levels.last_mut() {
        if stop.is_stopped() {
            return Err(FileError::stopped());
        }
        match level.entries.next() {
            Some((name, true)) => {
                let folder = level.folder.join(name);
                levels.push(list(root, folder).map_err(failed)?);
            }
            Some((name, false)) => {
                count()?;
                root.dir().remove_file(level.folder.join(name)).map_err(failed)?;
            }
            None if level.is_cut => *level = list(root, mem::take(&mut level.folder)).map_err(failed)?,
            None => {
                let folder = mem::take(&mut level.folder);
                levels.pop();
                // The folder to remove is not an entry of itself.
                if !levels.is_empty() {
                    count()?;
                }
                root.dir().remove_dir(&folder).map_err(failed)?;
            }
        }
    }
    Ok(())
}

/// The first entries of a folder.
fn list(root: &Root, folder: PathBuf) -> io::Result<Level> {
    let mut listed = root.dir().read_dir(&folder)?;
    let mut entries = Vec::new();
    for entry in listed.by_ref().take(MAX_LISTED) {
        let entry = entry?;
        let is_folder = entry.file_type()?.is_dir();
        entries.push((entry.file_name(), is_folder));
    }
    Ok(Level { folder, entries: entries.into_iter(), is_cut: listed.next().is_some() })
}
