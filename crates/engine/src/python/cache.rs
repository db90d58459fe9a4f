//! The folder that snapshots are kept in, for this user's processes: whose its files are, and which of them stay.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Snapshots that were not used for so long are of a version that is gone. 30 days.
const UNUSED: Duration = Duration::from_secs(30 * 86_400);
/// What was to become one, and was not written to for so long, is of a process that was killed meanwhile. An hour.
const ABANDONED: Duration = Duration::from_secs(3_600);
/// How old the note may be that a file was used. A day.
const NOTED: Duration = Duration::from_secs(86_400);

/// Whether nobody else can write the file: what V8 is given as bytecode has to be its own.
#[cfg(unix)]
pub fn is_own(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: this cannot fail.
    found.is_file() && found.uid() == unsafe { libc::geteuid() } && found.mode() & 0o022 == 0
}

#[cfg(not(unix))]
pub fn is_own(found: &fs::Metadata) -> bool {
    found.is_file()
}

/// Notes that a file was used, for [`sweep`]. Where that cannot be done, the file is made anew some day.
pub fn freshen(file: &File) {
    if file.metadata().is_ok_and(|found| is_older(&found, NOTED)) {
        let _ = file.set_modified(SystemTime::now());
    }
}

/// Removes the user's own snapshots that were not used for long, and what nobody makes one of any more. Who has one open goes on with it.
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
            // Another process may have done so.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_older(found: &fs::Metadata, age: Duration) -> bool {
    found.modified().is_ok_and(|modified| modified.elapsed().is_ok_and(|elapsed| elapsed > age))
}
