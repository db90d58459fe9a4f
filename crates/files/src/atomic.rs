//! Replacing a file as a whole: readers see the old content or the new, never a part.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use cap_fs_ext::OpenOptionsSyncExt;
use cap_std::fs::{Dir, OpenOptions, Permissions};
use cap_tempfile::TempFile;

use super::error::FileError;
use super::root::{Root, RootPath};

/// Where a file goes: its folder, opened, and its name there.
pub struct Target {
    folder: Dir,
    name: OsString,
    /// Those of the file that is there already.
    permissions: Option<Permissions>,
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
        let (place, permissions) = match root.dir().metadata(&path.path) {
            Ok(metadata) if metadata.is_dir() => return Err(FileError::is_directory(path.text)),
            Ok(metadata) if !metadata.is_file() => return Err(FileError::not_regular(path.text)),
            Ok(metadata) => {
                // The rename below would replace a file that is not writable: only its folder has to be.
                root.dir().open_with(&path.path, OpenOptions::new().write(true).nonblock(true)).map_err(failed)?;
                (root.resolve(path, "File")?, Some(metadata.permissions()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => (path.path.clone(), None),
            Err(error) => return Err(failed(error)),
        };
        let Some(name) = place.file_name() else { return Err(FileError::is_directory(path.text)) };
        let folder = root.dir().open_dir(folder_of(&place)).map_err(failed)?;
        Ok(Self { folder, name: name.to_owned(), permissions })
    }

    /// Writes a temporary file beside the target and renames it. On Linux it has no name until it is complete; should
    /// anything fail, it is removed.
    pub fn replace(self, bytes: &[u8]) -> io::Result<()> {
        let mut file = TempFile::new(&self.folder)?;
        file.write_all(bytes)?;
        if let Some(permissions) = self.permissions {
            file.as_file().set_permissions(without_set_id(permissions))?;
        }
        file.replace(&self.name)
    }
}

/// As the system does when a file is written: new content must not run with the rights of the old.
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
