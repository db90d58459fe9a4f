//! The cache folder for snapshots of this user's processes: checks the owner of its files and removes old files.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Snapshots that were unused for this time belong to an obsolete version. 30 days.
const UNUSED: Duration = Duration::from_secs(30 * 86_400);
/// Unfinished files that were not written to for this time belong to a process that was killed. An hour.
const ABANDONED: Duration = Duration::from_secs(3_600);
/// The most by which the recorded time of use may lag behind. A day.
const NOTED: Duration = Duration::from_secs(86_400);

/// Whether no other user can write the file. V8 trusts bytecode, so it must be our own.
#[cfg(unix)]
pub fn is_own(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: the call cannot fail.
    found.is_file() && found.uid() == unsafe { libc::geteuid() } && found.mode() & 0o022 == 0
}

#[cfg(not(unix))]
pub fn is_own(found: &fs::Metadata) -> bool {
    found.is_file()
}

/// Records that a file was used, for [`sweep`]. If that fails, the file is removed too early and made again later.
pub fn freshen(file: &File) {
    if file.metadata().is_ok_and(|found| is_older(&found, NOTED)) {
        let _ = file.set_modified(SystemTime::now());
    }
}

/// Removes the user's own snapshots that were unused for a long time, and files of abandoned writes. Processes that
/// have a removed file open can go on using it.
pub fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let age = match Path::new(name).extension().and_then(|extension| extension.to_str()) {
            Some("image") => UNUSED,
            Some("tmp") => ABANDONED,
            _ => continue,
        };
        if name.starts_with("python-") && entry.metadata().is_ok_and(|found| is_own(&found) && is_older(&found, age)) {
            // Another process may have removed it.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_older(found: &fs::Metadata, age: Duration) -> bool {
    found.modified().is_ok_and(|modified| modified.elapsed().is_ok_and(|elapsed| elapsed > age))
}
