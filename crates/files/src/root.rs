//! The folder that the tools work in, as a directory capability.
//!
//! The root is opened once. From then on, paths are resolved below its handle (`openat2` with `RESOLVE_BENEATH` if the
//! system has it, otherwise component by component), so that `..`, absolute paths and symbolic links cannot leave it,
//! even if folders and links are exchanged meanwhile. Relative symbolic links that stay inside work.

use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};

use super::error::FileError;
use super::truncate::format_size;

/// Linux does not resolve longer paths in one call.
const MAX_PATH_BYTES: usize = 4096;

#[derive(Debug)]
pub struct Root {
    dir: Dir,
    /// The prefixes of absolute paths to it: as passed, and without links.
    bases: Vec<PathBuf>,
}

/// A path of the caller, relative to the root, in which no `..` leaves the root. `text` is the original path.
#[derive(Clone, Debug)]
pub struct RootPath<'a> {
    pub text: &'a str,
    pub path: PathBuf,
}

impl Root {
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let dir = Dir::open_ambient_dir(path, ambient_authority())
            .map_err(|error| FileError::access(&error, &path.to_string_lossy(), "Root folder"))?;
        let real = path.canonicalize().ok().filter(|real| real != path);
        let bases = [Some(path.to_owned()), real].into_iter().flatten().filter(|base| base.is_absolute()).collect();
        Ok(Self { dir, bases })
    }

    /// A root whose folder is already open.
    #[cfg(test)]
    pub fn of(dir: Dir) -> Self {
        Self { dir, bases: Vec::new() }
    }

    /// The capability itself.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// The path relative to the root for an absolute path to something inside; empty for the root itself.
    pub fn inside<'t>(&self, text: &'t str) -> Option<&'t Path> {
        inside(&self.bases, text)
    }

    /// Metadata of the entry that `path` leads to. Follows links.
    pub fn metadata(&self, path: &RootPath, missing: &str) -> Result<Metadata, FileError> {
        self.dir.metadata(&path.path).map_err(|error| FileError::access(&error, path.text, missing))
    }

    /// The path of the entry that `path` leads to, without links and dots, relative to the root; empty for the root
    /// itself.
    pub fn resolve(&self, path: &RootPath, missing: &str) -> Result<PathBuf, FileError> {
        self.metadata(path, missing)?;
        let real = self.dir.canonicalize(&path.path).map_err(|error| FileError::access(&error, path.text, missing))?;
        Ok(real.components().filter(|part| matches!(part, Component::Normal(_))).collect())
    }

    /// Opens a regular file for reading. Nothing else is opened: a pipe would block, a device may act.
    pub fn open_file(&self, path: &RootPath) -> Result<File, FileError> {
        let metadata = self.metadata(path, "File")?;
        if metadata.is_dir() {
            return Err(FileError::is_directory(path.text));
        }
        if !metadata.is_file() {
            return Err(FileError::not_regular(path.text));
        }
        open_regular(&self.dir, &path.path, FollowSymlinks::Yes).map_err(|error| match error.kind() {
            // It was exchanged after the check above.
            io::ErrorKind::InvalidInput => FileError::not_regular(path.text),
            _ => FileError::access(&error, path.text, "File"),
        })
    }

    /// The content of a regular file of at most `max_bytes`.
    pub fn read_file(&self, path: &RootPath, max_bytes: u64) -> Result<Vec<u8>, FileError> {
        let file = self.open_file(path)?;
        read_all(file, max_bytes)
            .map_err(|error| FileError::access(&error, path.text, "File"))?
            .map_err(|size| too_large(path.text, size, max_bytes))
    }
}

fn inside<'t>(bases: &[PathBuf], text: &'t str) -> Option<&'t Path> {
    bases.iter().find_map(|base| Path::new(text).strip_prefix(base).ok())
}

/// Opens `path` below `dir` without waiting. The error kind is `InvalidInput` if it is not a regular file.
pub fn open_regular(dir: &Dir, path: &Path, follow: FollowSymlinks) -> io::Result<File> {
    // With `nonblock`, a pipe without a writer opens immediately. It has no effect on regular files.
    let file = dir.open_with(path, OpenOptions::new().read(true).nonblock(true).follow(follow))?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// The rest of `file`, or its size if that is more than `max_bytes`.
pub fn read_all(file: File, max_bytes: u64) -> io::Result<Result<Vec<u8>, u64>> {
    let size = file.metadata()?.len();
    if size > max_bytes {
        return Ok(Err(size));
    }
    let mut bytes = Vec::with_capacity(size as usize);
    // The file may grow meanwhile.
    file.take(max_bytes + 1).read_to_end(&mut bytes)?;
    let length = bytes.len() as u64;
    Ok(if length > max_bytes { Err(length) } else { Ok(bytes) })
}

pub fn too_large(path: &str, size: u64, max_bytes: u64) -> FileError {
    FileError::new(
        "ERR_FILE_TOO_LARGE",
        format!("File is too large: {path} has {}, the limit is {}.", format_size(size), format_size(max_bytes)),
    )
}

impl<'a> RootPath<'a> {
    /// # Errors
    ///
    /// The path is empty, too long, has a null byte, or leads out of the root: by a `..`, or as an absolute path to
    /// another place.
    pub fn parse(root: &Root, text: &'a str) -> Result<Self, FileError> {
        Self::parse_below(&root.bases, text)
    }

    /// The path of an entry to create, including its folders, without each `..` that leads out of a folder that does
    /// not exist. Such a folder need not be created.
    pub fn to_make(root: &Root, text: &'a str) -> Result<Self, FileError> {
        let parsed = Self::parse(root, text)?;
        let mut path = PathBuf::new();
        for part in parsed.path.components() {
            let is_missing =
                || matches!(root.dir.symlink_metadata(&path), Err(error) if error.kind() == io::ErrorKind::NotFound);
            match part {
                Component::CurDir => {}
                Component::ParentDir if is_missing() => drop(path.pop()),
                part => path.push(part),
            }
        }
        Ok(Self { path, ..parsed })
    }

    fn parse_below(bases: &[PathBuf], text: &'a str) -> Result<Self, FileError> {
        if text.is_empty() {
            return Err(FileError::new("ERR_INVALID_PATH", "path must not be empty"));
        }
        if text.contains('\0') {
            return Err(FileError::new("ERR_INVALID_PATH", "path must not have null bytes"));
        }
        if text.len() > MAX_PATH_BYTES {
            let message = format!("path must have at most {MAX_PATH_BYTES} bytes, got {}", text.len());
            return Err(FileError::new("ERR_INVALID_PATH", message));
        }
        let path = match inside(bases, text) {
            Some(inside) if inside.as_os_str().is_empty() => Path::new("."),
            Some(inside) => inside,
            None => Path::new(text),
        };
        let mut depth = 0_usize;
        for part in path.components() {
            depth = match part {
                Component::Normal(_) => depth + 1,
                Component::CurDir => depth,
                Component::ParentDir => depth.checked_sub(1).ok_or_else(|| FileError::escapes(text))?,
                Component::RootDir | Component::Prefix(_) => return Err(FileError::escapes(text)),
            };
        }
        Ok(Self { text, path: path.to_owned() })
    }

    /// Whether the path as written is the root itself.
    pub fn names_root(&self) -> bool {
        let depth = self.path.components().fold(0_usize, |depth, part| match part {
            Component::Normal(_) => depth + 1,
            Component::ParentDir => depth.saturating_sub(1),
            _ => depth,
        });
        depth == 0
    }

    /// Whether the path as written names a folder: `name/`, `name/.`, `name/..`.
    pub fn names_folder(&self) -> bool {
        matches!(self.text.rsplit('/').next(), Some("" | "." | ".."))
    }

    /// The last component, for results that name a file.
    pub fn file_name(&self) -> String {
        self.path.file_name().map_or_else(|| self.text.to_owned(), |name| name.to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_lead_out_as_written_are_refused() {
        for text in ["..", "../a", "a/../../b", "/", "/etc/passwd", "./.."] {
            assert_eq!(RootPath::parse_below(&[], text).unwrap_err().code, "ERR_PATH_ESCAPES_ROOT", "{text}");
        }
        for text in [".", "a", "a/..", "a/../b", "./a//b/", "..a", "a\\..\\..\\b"] {
            assert!(RootPath::parse_below(&[], text).is_ok() || cfg!(windows), "{text}");
        }
    }

    #[test]
    fn paths_that_name_nothing_are_refused() {
        let long = "a".repeat(MAX_PATH_BYTES + 1);
        for text in ["", "a\0b", &long] {
            assert_eq!(RootPath::parse_below(&[], text).unwrap_err().code, "ERR_INVALID_PATH");
        }
    }

    #[test]
    fn absolute_paths_inside_are_taken_as_relative_ones() {
        let bases = [PathBuf::from("/work/root"), PathBuf::from("/real")];
        let path = |text| RootPath::parse_below(&bases, text).map(|path| path.path.to_string_lossy().into_owned());
        assert_eq!(path("/work/root/a/b").unwrap(), "a/b");
        assert_eq!(path("/real/./a").unwrap(), "a");
        assert_eq!(path("/work/root").unwrap(), ".");
        for text in ["/work/root/../x", "/work/rootx", "/work", "/etc/passwd", "/real/a/../../x"] {
            assert_eq!(path(text).unwrap_err().code, "ERR_PATH_ESCAPES_ROOT", "{text}");
        }
    }
}
