//! Replaces a file as a whole. Readers see the old content or the new one, never a part, except where that would change
//! the owner of the file.

use std::ffi::OsString;
use std::io::{self, Read, Write};
#[cfg(unix)]
use std::os::unix::fs::fchown;
use std::path::{Path, PathBuf};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, File, Metadata, OpenOptions, Permissions};
use cap_tempfile::TempFile;

use super::encoding::HEAD_BYTES;
use super::error::FileError;
use super::root::{Root, RootPath, open_regular};

/// The destination of a file: its open folder, and its name there.
pub struct Target {
    folder: Dir,
    name: OsString,
    /// Metadata of the existing file.
    replaced: Option<Metadata>,
}

impl Target {
    /// Finds the place of `path`. A symbolic link to a file inside the root stands for that file; a link that leads
    /// nowhere is replaced.
    ///
    /// # Errors
    ///
    /// The folder is missing, or there is something that is not a regular file or may not be written.
    pub fn locate(root: &Root, path: &RootPath) -> Result<Self, FileError> {
        let failed = |error: io::Error| FileError::access(&error, path.text, "File");
        let (place, replaced) = match root.dir().metadata(&path.path) {
            Ok(metadata) if metadata.is_dir() => return Err(FileError::is_directory(path.text)),
            Ok(metadata) if !metadata.is_file() => return Err(FileError::not_regular(path.text)),
            Ok(metadata) => {
                // The rename below would replace a file that is not writable, because only its folder has to be
                // writable.
                root.dir().open_with(&path.path, OpenOptions::new().write(true).nonblock(true)).map_err(failed)?;
                (root.resolve(path, "File")?, Some(metadata))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => (path.path.clone(), None),
            Err(error) => return Err(failed(error)),
        };
        let Some(name) = place.file_name() else { return Err(FileError::is_directory(path.text)) };
        let folder = root.dir().open_dir(folder_of(&place)).map_err(failed)?;
        Ok(Self { folder, name: name.to_owned(), replaced })
    }

    /// The start of the existing file. Empty if there is none, or if it cannot be read.
    pub fn head(&self) -> Vec<u8> {
        let mut head = Vec::new();
        if self.replaced.is_some()
            && let Ok(file) = open_regular(&self.folder, Path::new(&self.name), FollowSymlinks::No)
        {
            // A part of it is enough.
            let _ = file.take(HEAD_BYTES as u64).read_to_end(&mut head);
        }
        head
    }

    /// Writes a temporary file beside the target and renames it. On Linux it has no name until it is complete. If
    /// anything fails, it is removed. If the process may not give the file the old owner or group, the old file is
    /// written in place instead, once there was room for the new content: everyone who could use the file must still be
    /// able to.
    pub fn replace(self, bytes: &[u8]) -> io::Result<()> {
        let mut file = TempFile::new(&self.folder)?;
        file.write_all(bytes)?;
        if let Some(replaced) = self.replaced {
            file.as_file().set_permissions(without_set_id(replaced.permissions()))?;
            if give(file.as_file(), &replaced).is_err() {
                drop(file);
                return write_in_place(&self.folder, Path::new(&self.name), bytes);
            }
        }
        file.replace(&self.name)
    }
}

/// Gives `file` the owner and the group of another one.
#[cfg(unix)]
fn give(file: &File, like: &Metadata) -> io::Result<()> {
    use cap_std::fs::MetadataExt;

    let made = file.metadata()?;
    if (made.uid(), made.gid()) == (like.uid(), like.gid()) {
        return Ok(());
    }
    fchown(file, Some(like.uid()), Some(like.gid()))
}

#[cfg(not(unix))]
fn give(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Overwrites an existing file, and creates none.
fn write_in_place(folder: &Dir, name: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = folder.open_with(name, options.write(true).nonblock(true).follow(FollowSymlinks::No))?;
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)
}

/// As the system does when a file is written: new content must not run with the rights of the old one.
#[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has the bits"))]
fn without_set_id(mut permissions: Permissions) -> Permissions {
    #[cfg(unix)]
    {
        use cap_std::fs::PermissionsExt;
        permissions.set_mode(permissions.mode() & 0o777);
    }
    permissions
}

/// The folder of a relative path: `.` for one without a folder.
pub fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_place_the_content_is_another_and_the_file_the_same() {
        let dir = cap_tempfile::tempdir(cap_std::ambient_authority()).unwrap();
        for (old, new) in [("longer", "new"), ("old", "longer"), ("old", "")] {
            dir.write("a", old).unwrap();
            let file = dir.open("a").unwrap();
            write_in_place(&dir, Path::new("a"), new.as_bytes()).unwrap();
            assert_eq!(io::read_to_string(file).unwrap(), new);
        }
        assert_eq!(write_in_place(&dir, Path::new("b"), b"").unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
