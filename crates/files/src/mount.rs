//! A folder as the file system of a guest: the operations that its C library requests, below one [`Root`].
//!
//! Paths are relative to the root and contain no links: the guest's own file system resolves links from its mount
//! point. Errors are WASI error numbers, which the guest's C library uses.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt, SystemTimeSpec};
use cap_std::fs::{Dir, File, Metadata, OpenOptions};

use crate::root::Root;

/// Maximum number of open files.
const MAX_OPEN: usize = 128;
/// Maximum number of names in a folder that can be listed.
const MAX_NAMES: usize = 1 << 16;

/// A WASI error number.
pub type Errno = i32;
pub const EACCES: Errno = 2;
const EBADF: Errno = 8;
const EBUSY: Errno = 10;
const EEXIST: Errno = 20;
const EFBIG: Errno = 22;
pub const EINVAL: Errno = 28;
const EIO: Errno = 29;
const EISDIR: Errno = 31;
const EMFILE: Errno = 33;
const ENAMETOOLONG: Errno = 37;
const ENOENT: Errno = 44;
const ENOSPC: Errno = 51;
const ENOTDIR: Errno = 54;
const ENOTEMPTY: Errno = 55;
const EOVERFLOW: Errno = 61;
const EROFS: Errno = 69;
const EXDEV: Errno = 75;

/// Bits of `open`'s flags.
const WRITE_ONLY: u32 = 1;
const READ_WRITE: u32 = 2;
const CREATE: u32 = 64;
const EXCLUSIVE: u32 = 128;
const TRUNCATE: u32 = 512;
const APPEND: u32 = 1024;

/// Bits of a mode for the type of a file.
const FOLDER: u32 = 0o040_000;
const REGULAR: u32 = 0o100_000;
const LINK: u32 = 0o120_000;
const OTHER: u32 = 0o010_000;

/// Metadata of a file. Times in milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stat {
    pub mode: u32,
    pub size: u64,
    pub accessed_ms: f64,
    pub modified_ms: f64,
    pub changed_ms: f64,
}

/// An open file.
#[derive(Debug)]
struct Opened {
    file: File,
    /// Whether all writes go to the current end of the file.
    appends: bool,
}

/// A mounted folder, and its open files.
#[derive(Debug)]
pub struct Mount {
    root: Root,
    read_only: bool,
    open: HashMap<u32, Opened>,
    last: u32,
}

impl Mount {
    /// # Errors
    ///
    /// The folder cannot be opened; the text is for people.
    pub fn open(root: &Path, read_only: bool) -> Result<Self, String> {
        let root = Root::open(root).map_err(|error| error.message)?;
        Ok(Self { root, read_only, open: HashMap::new(), last: 0 })
    }

    fn dir(&self) -> &Dir {
        self.root.dir()
    }

    /// The folder, if it is writable.
    fn writable(&self) -> Result<&Dir, Errno> {
        if self.read_only { Err(EROFS) } else { Ok(self.dir()) }
    }

    pub fn stat(&self, path: &str) -> Result<Stat, Errno> {
        let metadata = if path == "." { self.dir().dir_metadata() } else { self.dir().symlink_metadata(path) };
        metadata.map(|metadata| stat_of(&metadata)).map_err(errno)
    }

    /// # Errors
    ///
    /// `EOVERFLOW`: the folder has more names than [`MAX_NAMES`], and others those of the system.
    pub fn list(&self, path: &str) -> Result<Vec<String>, Errno> {
        let mut names = Vec::new();
        for (index, entry) in self.dir().read_dir(path).map_err(errno)?.enumerate() {
            if index == MAX_NAMES {
                return Err(EOVERFLOW);
            }
            // A name that is not UTF-8 cannot be requested.
            names.extend(entry.map_err(errno)?.file_name().into_string());
        }
        Ok(names)
    }

    /// Opens a regular file and returns its number. Nothing else is opened: a pipe would block, a device may act.
    pub fn open_file(&mut self, path: &str, flags: u32) -> Result<u32, Errno> {
        if self.open.len() >= MAX_OPEN {
            return Err(EMFILE);
        }
        let writes = flags & (WRITE_ONLY | READ_WRITE) != 0;
        let changes = writes || flags & (CREATE | TRUNCATE) != 0;
        let appends = writes && flags & APPEND != 0;
        let dir = if changes { self.writable()? } else { self.dir() };
        let mut options = OpenOptions::new();
        options
            .read(flags & WRITE_ONLY == 0)
            .write(writes)
            .append(appends)
            .create(writes && flags & CREATE != 0)
            .create_new(writes && flags & CREATE != 0 && flags & EXCLUSIVE != 0)
            .follow(FollowSymlinks::No)
            .nonblock(true);
        let file = dir.open_with(path, &options).map_err(errno)?;
        if !file.metadata().map_err(errno)?.is_file() {
            return Err(EACCES);
        }
        if writes && flags & TRUNCATE != 0 {
            file.set_len(0).map_err(errno)?;
        }
        self.last = self.last.wrapping_add(1);
        self.open.insert(self.last, Opened { file, appends });
        Ok(self.last)
    }

    pub fn close(&mut self, file: u32) -> Result<(), Errno> {
        self.open.remove(&file).map(drop).ok_or(EBADF)
    }

    fn opened(&self, file: u32) -> Result<&Opened, Errno> {
        self.open.get(&file).ok_or(EBADF)
    }

    fn file(&self, file: u32) -> Result<&File, Errno> {
        Ok(&self.opened(file)?.file)
    }

    pub fn stat_file(&self, file: u32) -> Result<Stat, Errno> {
        self.file(file)?.metadata().map(|metadata| stat_of(&metadata)).map_err(errno)
    }

    /// Reads at a position and returns the number of bytes.
    pub fn read(&self, file: u32, bytes: &mut [u8], position: u64) -> Result<usize, Errno> {
        read_at(self.file(file)?, bytes, position).map_err(errno)
    }

    /// Writes at a position, or at the end of a file opened for appending, and returns the number of bytes.
    pub fn write(&self, file: u32, bytes: &[u8], position: u64) -> Result<usize, Errno> {
        let Opened { file, appends } = self.opened(file)?;
        if *appends { (&*file).write(bytes) } else { write_at(file, bytes, position) }.map_err(errno)
    }

    /// Creates an empty file.
    pub fn create(&self, path: &str) -> Result<(), Errno> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        self.writable()?.open_with(path, &options).map(drop).map_err(errno)
    }

    pub fn make_folder(&self, path: &str) -> Result<(), Errno> {
        self.writable()?.create_dir(path).map_err(errno)
    }

    pub fn remove_folder(&self, path: &str) -> Result<(), Errno> {
        self.writable()?.remove_dir(path).map_err(errno)
    }

    pub fn remove(&self, path: &str) -> Result<(), Errno> {
        self.writable()?.remove_file_or_symlink(path).map_err(errno)
    }

    pub fn rename(&self, from: &str, to: &str) -> Result<(), Errno> {
        let dir = self.writable()?;
        dir.rename(from, dir, to).map_err(errno)
    }

    /// The target of a link, as text. It is not resolved.
    pub fn read_link(&self, path: &str) -> Result<String, Errno> {
        let target = self.dir().read_link_contents(path).map_err(errno)?;
        target.into_os_string().into_string().map_err(|_| EINVAL)
    }

    pub fn set_length(&self, path: &str, length: u64) -> Result<(), Errno> {
        let mut options = OpenOptions::new();
        options.write(true).follow(FollowSymlinks::No).nonblock(true);
        let file = self.writable()?.open_with(path, &options).map_err(errno)?;
        if !file.metadata().map_err(errno)?.is_file() {
            return Err(EACCES);
        }
        file.set_len(length).map_err(errno)
    }

    pub fn set_file_length(&self, file: u32, length: u64) -> Result<(), Errno> {
        self.writable()?;
        self.file(file)?.set_len(length).map_err(errno)
    }

    /// Times in milliseconds since the Unix epoch.
    pub fn set_times(&self, path: &str, accessed_ms: f64, modified_ms: f64) -> Result<(), Errno> {
        let time = |ms: f64| -> Result<Option<SystemTimeSpec>, Errno> {
            let since = Duration::try_from_secs_f64(ms / 1e3).map_err(|_| EINVAL)?;
            let time = UNIX_EPOCH.checked_add(since).ok_or(EINVAL)?;
            Ok(Some(SystemTimeSpec::Absolute(cap_std::time::SystemTime::from_std(time))))
        };
        self.writable()?.set_symlink_times(path, time(accessed_ms)?, time(modified_ms)?).map_err(errno)
    }
}

fn stat_of(metadata: &Metadata) -> Stat {
    let kind = match metadata.file_type() {
        kind if kind.is_dir() => FOLDER,
        kind if kind.is_file() => REGULAR,
        kind if kind.is_symlink() => LINK,
        _ => OTHER,
    };
    let ms = |time: io::Result<cap_std::time::SystemTime>| {
        let since = time.ok().and_then(|time| SystemTime::duration_since(&time.into_std(), UNIX_EPOCH).ok());
        since.map_or(0.0, |since| since.as_secs_f64() * 1e3)
    };
    let modified_ms = ms(metadata.modified());
    Stat {
        mode: kind | permissions(metadata),
        size: metadata.len(),
        accessed_ms: ms(metadata.accessed()),
        modified_ms,
        changed_ms: modified_ms,
    }
}

#[cfg(unix)]
fn permissions(metadata: &Metadata) -> u32 {
    use cap_std::fs::MetadataExt;
    metadata.mode() & 0o777
}

#[cfg(not(unix))]
fn permissions(metadata: &Metadata) -> u32 {
    if metadata.permissions().readonly() { 0o555 } else { 0o777 }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], position: u64) -> io::Result<usize> {
    use cap_std::fs::FileExt;
    file.read_at(bytes, position)
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], position: u64) -> io::Result<usize> {
    use cap_std::fs::FileExt;
    file.write_at(bytes, position)
}

#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], position: u64) -> io::Result<usize> {
    use cap_std::fs::FileExt;
    file.seek_read(bytes, position)
}

#[cfg(windows)]
fn write_at(file: &File, bytes: &[u8], position: u64) -> io::Result<usize> {
    use cap_std::fs::FileExt;
    file.seek_write(bytes, position)
}

/// The number of an error in the guest's C library.
#[expect(clippy::needless_pass_by_value, reason = "it is what a failure is mapped with")]
fn errno(error: io::Error) -> Errno {
    use io::ErrorKind as Kind;
    match error.kind() {
        Kind::NotFound => ENOENT,
        // Also for paths that lead out of the folder.
        Kind::PermissionDenied => EACCES,
        Kind::AlreadyExists => EEXIST,
        Kind::InvalidInput => EINVAL,
        Kind::NotADirectory => ENOTDIR,
        Kind::IsADirectory => EISDIR,
        Kind::DirectoryNotEmpty => ENOTEMPTY,
        Kind::ReadOnlyFilesystem => EROFS,
        Kind::StorageFull | Kind::QuotaExceeded => ENOSPC,
        Kind::FileTooLarge => EFBIG,
        Kind::ResourceBusy => EBUSY,
        Kind::CrossesDevices => EXDEV,
        Kind::InvalidFilename => ENAMETOOLONG,
        _ => EIO,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folder() -> cap_tempfile::TempDir {
        cap_tempfile::tempdir(cap_std::ambient_authority()).unwrap()
    }

    fn mount(dir: &cap_tempfile::TempDir, read_only: bool) -> Mount {
        let root = Root::of(dir.try_clone().unwrap());
        Mount { root, read_only, open: HashMap::new(), last: 0 }
    }

    #[test]
    fn files_are_written_read_renamed_and_removed() {
        let dir = folder();
        let mut mount = mount(&dir, false);
        mount.make_folder("a").unwrap();
        let file = mount.open_file("a/b.txt", READ_WRITE | CREATE).unwrap();
        assert_eq!(mount.write(file, b"hello", 0), Ok(5));
        let mut bytes = [0; 8];
        assert_eq!((mount.read(file, &mut bytes, 1), &bytes[..4]), (Ok(4), b"ello".as_slice()));
        assert_eq!(mount.stat_file(file).unwrap().size, 5);
        mount.set_file_length(file, 2).unwrap();
        mount.close(file).unwrap();
        assert_eq!(mount.close(file), Err(EBADF));
        mount.rename("a/b.txt", "c.txt").unwrap();
        assert_eq!(dir.read_to_string("c.txt").unwrap(), "he");
        let mut names = mount.list(".").unwrap();
        names.sort();
        assert_eq!(names, ["a", "c.txt"]);
        mount.set_times("c.txt", 1e12, 2e12).unwrap();
        let stat = mount.stat("c.txt").unwrap();
        assert_eq!((stat.mode & REGULAR, stat.accessed_ms, stat.modified_ms), (REGULAR, 1e12, 2e12));
        assert_eq!(mount.open_file("c.txt", READ_WRITE | CREATE | EXCLUSIVE), Err(EEXIST));
        mount.remove("c.txt").unwrap();
        mount.remove_folder("a").unwrap();
        assert_eq!(mount.stat("c.txt"), Err(ENOENT));
    }

    #[test]
    fn what_is_appended_goes_to_the_end_of_the_file() {
        let dir = folder();
        let mut mount = mount(&dir, false);
        let files = [(); 2].map(|()| mount.open_file("log", WRITE_ONLY | CREATE | APPEND).unwrap());
        // Both have determined the end before.
        assert_eq!(files.map(|file| mount.write(file, b"line\n", 0)), [Ok(5), Ok(5)]);
        assert_eq!(dir.read_to_string("log").unwrap(), "line\nline\n");
    }

    #[cfg(unix)]
    #[test]
    fn nothing_leads_out_of_the_folder() {
        let outside = std::env::temp_dir().join(format!("ses-mount-{}", std::process::id()));
        fs::write(&outside, "secret").unwrap();
        let dir = folder();
        dir.create_dir("a").unwrap();
        // Somebody on the host may create them.
        let path = |name: &str| outside.with_file_name(name);
        dir.symlink_contents(&outside, "link").unwrap();
        dir.symlink_contents(path(""), "folder").unwrap();
        let mut mount = mount(&dir, false);
        let name = outside.file_name().unwrap().to_str().unwrap();
        let above = format!("../{name}");
        let through = format!("folder/{name}");
        for path in ["link", above.as_str(), &through, outside.to_str().unwrap(), "a/../../etc/passwd"] {
            for flags in [0, READ_WRITE | CREATE, WRITE_ONLY | TRUNCATE] {
                assert!(mount.open_file(path, flags).is_err(), "{path}");
            }
            assert!(mount.set_length(path, 0).is_err(), "{path}");
        }
        for path in [above.as_str(), &through, outside.to_str().unwrap(), ".."] {
            assert!(mount.stat(path).is_err() && mount.remove(path).is_err() && mount.list(path).is_err(), "{path}");
            assert!(mount.rename("a", path).is_err() && mount.make_folder(path).is_err(), "{path}");
        }
        assert!(mount.list("folder").is_err());
        assert_eq!(fs::read_to_string(&outside).unwrap(), "secret");
        fs::remove_file(&outside).unwrap();
    }

    #[test]
    fn a_folder_of_too_many_names_is_not_listed_in_part() {
        let dir = folder();
        (0..MAX_NAMES).for_each(|number| drop(dir.create(number.to_string()).unwrap()));
        let mount = mount(&dir, false);
        assert_eq!(mount.list(".").map(|names| names.len()), Ok(MAX_NAMES));
        dir.create("one more").unwrap();
        assert_eq!(mount.list("."), Err(EOVERFLOW));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_not_waited_for() {
        let path = std::env::temp_dir().join(format!("ses-pipe-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(path.join("pipe")).status().unwrap();
        assert!(made.success());
        let mut mount = Mount::open(&path, false).unwrap();
        assert!(mount.open_file("pipe", 0).is_err());
        fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn a_folder_that_is_for_reading_is_not_changed() {
        let dir = folder();
        dir.write("a.txt", "a").unwrap();
        let mut mount = mount(&dir, true);
        assert!(mount.open_file("a.txt", 0).is_ok());
        for flags in [WRITE_ONLY, READ_WRITE, CREATE, TRUNCATE] {
            assert_eq!(mount.open_file("a.txt", flags), Err(EROFS));
        }
        assert_eq!(mount.create("b.txt"), Err(EROFS));
        assert_eq!((mount.make_folder("b"), mount.remove("a.txt")), (Err(EROFS), Err(EROFS)));
        assert_eq!((mount.rename("a.txt", "b"), mount.set_length("a.txt", 0)), (Err(EROFS), Err(EROFS)));
        assert_eq!(mount.set_times("a.txt", 0.0, 0.0), Err(EROFS));
    }
}
