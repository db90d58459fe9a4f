//! A snapshot: the WebAssembly memory of a Pyodide that is ready to run, and the data that belongs to it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::ptr::NonNull;

use sha2::{Digest, Sha256};

use crate::python::cache::{freshen, is_own, sweep};
use crate::python::parallel::in_parallel;

/// The first bytes of a file of this version.
const MAGIC: &[u8; 8] = b"sespy\0\0\x03";
/// The longest file that is read, and the largest memory. Files that this project writes are shorter. 1 GiB.
const MAX_FILE_BYTES: u64 = 1 << 30;
const DIGEST_BYTES: usize = 32;
/// Magic number, key, digest of everything that follows, and the lengths of all parts except the last.
const HEAD_BYTES: usize = MAGIC.len() + 2 * DIGEST_BYTES + 24;
/// Bytes of a WebAssembly page.
pub const PAGE_BYTES: usize = 1 << 16;
/// Blocks of zeros are left out of a memory, which is half of Python's memory. A block has the size of a page of the
/// system.
pub const BLOCK_BYTES: usize = 1 << 12;
/// Offset and length of a run.
pub const RUN_BYTES: usize = 16;

/// Immutable. Isolates map its memory. Each has its own copy of the pages that it writes.
pub struct Image {
    /// Pyodide's data about the JavaScript objects that the memory refers to.
    pub header: Vec<u8>,
    /// V8's bytecode of the parts of `pyodide.asm.mjs` that booting needs.
    pub code_cache: Vec<u8>,
    /// V8's machine code of the parts of `pyodide.asm.wasm` that were worth optimizing. Empty: there is none.
    pub machine_code: Vec<u8>,
    memory: Memory,
}

impl Image {
    pub fn new(header: Vec<u8>, code_cache: Vec<u8>, machine_code: Vec<u8>, memory: &[u8]) -> io::Result<Self> {
        Ok(Self { header, code_cache, machine_code, memory: Memory::new(memory.len(), &runs_of(memory))? })
    }

    /// WebAssembly pages that the memory needs.
    pub fn pages(&self) -> u32 {
        self.memory.length().div_ceil(PAGE_BYTES) as u32
    }

    /// Makes the memory that begins at `base` a copy of the image's.
    ///
    /// # Safety
    ///
    /// `base` begins a WebAssembly memory of at least [`Self::pages`] pages that nothing else uses at the moment.
    pub unsafe fn map(&self, base: NonNull<u8>) -> io::Result<()> {
        // SAFETY: the caller's contract.
        unsafe { self.memory.map(base) }
    }

    /// The image that [`Self::save`] has stored at `path` for `key`. `None` if the file is incomplete or not the user's
    /// own.
    pub fn load(path: &Path, key: &[u8; DIGEST_BYTES]) -> Option<Self> {
        let mut file = File::open(path).ok()?;
        let found = file.metadata().ok()?;
        if !is_own(&found) || found.len() > MAX_FILE_BYTES {
            return None;
        }
        let mut bytes = Vec::with_capacity(found.len() as usize);
        file.read_to_end(&mut bytes).ok()?;
        let (head, body) = bytes.split_at_checked(HEAD_BYTES)?;
        let (magic, head) = head.split_at(MAGIC.len());
        let (found_key, head) = head.split_at(DIGEST_BYTES);
        let (digest, lengths) = head.split_at(DIGEST_BYTES);
        if magic != MAGIC || found_key != key {
            return None;
        }
        let mut rest = body;
        let mut parts = lengths.chunks_exact(8).map(|length| {
            let length = usize::try_from(u64::from_le_bytes(length.try_into().ok()?)).ok()?;
            let (part, after) = rest.split_at_checked(length)?;
            rest = after;
            Some(part.to_vec())
        });
        let (header, code_cache, machine_code) = (parts.next()??, parts.next()??, parts.next()??);
        drop(parts);
        let memory = || {
            let (length, runs) = unpacked(rest)?;
            Memory::new(length, &runs).ok()
        };
        let (found, memory) = in_parallel(|| Sha256::digest(body), memory);
        let image = memory.map(|memory| Self { header, code_cache, machine_code, memory });
        image.filter(|_| found.as_slice() == digest).inspect(|_| freshen(&file))
    }

    /// Stores the image at `path`, for [`Self::load`], and removes files in its folder that are no longer used.
    /// `memory`: the memory that the image was made from.
    pub fn save(&self, path: &Path, key: &[u8; DIGEST_BYTES], memory: &[u8]) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            let mut make = fs::DirBuilder::new();
            make.recursive(true);
            #[cfg(unix)]
            make.mode(0o700);
            make.create(folder)?;
            // Done here and not at start-up, because its cost does not matter here. Done before the write, because a
            // process that is killed during the write leaves a file.
            sweep(folder);
        }
        let parts = [&self.header, &self.code_cache, &self.machine_code, &packed(memory)];
        let mut hash = Sha256::new();
        parts.iter().for_each(|part| hash.update(part));
        // Process numbers are not enough: containers may share the folder.
        let mut number = [0; 8];
        getrandom::fill(&mut number).map_err(io::Error::other)?;
        let temporary = path.with_extension(format!("{:016x}.tmp", u64::from_ne_bytes(number)));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        options.mode(0o600);
        let mut file = options.open(&temporary)?;
        let write = move || {
            file.write_all(MAGIC)?;
            file.write_all(key)?;
            file.write_all(&hash.finalize())?;
            parts[..3].iter().try_for_each(|part| file.write_all(&(part.len() as u64).to_le_bytes()))?;
            parts.iter().try_for_each(|part| file.write_all(part))
        };
        // In one step, so that no process reads an incomplete file.
        write().and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| drop(fs::remove_file(&temporary)))
    }
}

/// A run of a memory that is not all zeros: its offset and its bytes.
pub type Run<'a> = (usize, &'a [u8]);

fn runs_of(memory: &[u8]) -> Vec<Run<'_>> {
    let mut runs: Vec<Run> = Vec::new();
    let blocks = memory.chunks(BLOCK_BYTES).enumerate().map(|(index, block)| (index * BLOCK_BYTES, block));
    for (at, block) in blocks.filter(|(_, block)| block.iter().any(|&byte| byte != 0)) {
        match runs.last_mut() {
            Some((start, run)) if *start + run.len() == at => *run = &memory[*start..at + block.len()],
            _ => runs.push((at, block)),
        }
    }
    runs
}

/// A memory in the format of files: its length, the number of runs, offset and length of each run, and their bytes.
fn packed(memory: &[u8]) -> Vec<u8> {
    packed_runs(memory.len(), runs_of(memory))
}

/// As [`packed`]. `None`: the runs have more than `max_bytes`, or the memory is larger than [`unpacked`] accepts.
pub fn packed_within(memory: &[u8], max_bytes: usize) -> Option<Vec<u8>> {
    if memory.len() as u64 > MAX_FILE_BYTES {
        return None;
    }
    let runs = runs_of(memory);
    let bytes = runs.iter().map(|(_, run)| run.len()).sum::<usize>();
    (bytes <= max_bytes).then(|| packed_runs(memory.len(), runs))
}

fn packed_runs(length: usize, runs: Vec<Run>) -> Vec<u8> {
    let mut numbers = vec![length, runs.len()];
    numbers.extend(runs.iter().flat_map(|&(at, run)| [at, run.len()]));
    let mut bytes: Vec<u8> = numbers.into_iter().flat_map(|number| (number as u64).to_le_bytes()).collect();
    runs.into_iter().for_each(|(_, run)| bytes.extend_from_slice(run));
    bytes
}

/// Length and runs of the output of [`packed`]. `None`: the format is different.
pub fn unpacked(bytes: &[u8]) -> Option<(usize, Vec<Run<'_>>)> {
    let number = |bytes: &[u8]| usize::try_from(u64::from_le_bytes(bytes.try_into().ok()?)).ok();
    let (length, rest) = bytes.split_at_checked(8)?;
    let (count, rest) = rest.split_at_checked(8)?;
    let (length, count) = (number(length)?, number(count)?);
    let (places, mut rest) = rest.split_at_checked(count.checked_mul(RUN_BYTES)?)?;
    let mut run_at = |place: &[u8]| {
        let (at, run_length) = (number(&place[..8])?, number(&place[8..])?);
        let (run, after) = rest.split_at_checked(run_length)?;
        rest = after;
        (at.checked_add(run_length)? <= length).then_some((at, run))
    };
    let runs = places.chunks_exact(RUN_BYTES).map(&mut run_at).collect::<Option<Vec<_>>>()?;
    (length as u64 <= MAX_FILE_BYTES && rest.is_empty()).then_some((length, runs))
}

/// Makes a memory one that has these runs and is zero elsewhere. Writes only the blocks that differ, because isolates
/// share pages that they do not write. The runs are those that [`unpacked`] returns for a memory that is not longer.
pub fn unpack(memory: &mut [u8], runs: &[Run]) {
    const ZEROS: &[u8] = &[0; BLOCK_BYTES];
    let mut at = 0;
    for &(start, run) in runs {
        if at < start {
            memory[at..start].chunks_mut(BLOCK_BYTES).for_each(|block| copy(block, &ZEROS[..block.len()]));
        }
        let end = start + run.len();
        let blocks = memory[start..end].chunks_mut(BLOCK_BYTES).zip(run.chunks(BLOCK_BYTES));
        blocks.for_each(|(block, bytes)| copy(block, bytes));
        at = at.max(end);
    }
    memory[at..].chunks_mut(BLOCK_BYTES).for_each(|block| copy(block, &ZEROS[..block.len()]));
}

fn copy(block: &mut [u8], bytes: &[u8]) {
    if block != bytes {
        block.copy_from_slice(bytes);
    }
}

/// Sealed memory of the system. Each mapping has its own copy of the pages that it writes.
#[cfg(target_os = "linux")]
struct Memory {
    file: File,
    length: usize,
}

#[cfg(target_os = "linux")]
impl Memory {
    fn new(length: usize, runs: &[Run]) -> io::Result<Self> {
        use std::os::fd::{AsRawFd, FromRawFd};
        // SAFETY: the name ends with a zero.
        let file = unsafe { libc::memfd_create(c"ses-python".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is open, and nothing else owns it.
        let file = unsafe { File::from_raw_fd(file) };
        file.set_len(length as u64)?;
        // Parts that are left out read as zeros and take no memory.
        for &(at, run) in runs {
            std::os::unix::fs::FileExt::write_all_at(&file, run, at as u64)?;
        }
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_WRITE | libc::F_SEAL_SEAL;
        // SAFETY: the call takes only numbers.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { file, length })
    }

    fn length(&self) -> usize {
        self.length
    }

    unsafe fn map(&self, base: NonNull<u8>) -> io::Result<()> {
        use std::os::fd::AsRawFd;
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_FIXED);
        // SAFETY: the caller owns the whole range. V8 has mapped it separately, and unmaps it whatever is mapped there.
        let mapped =
            unsafe { libc::mmap(base.as_ptr().cast(), self.length, protection, flags, self.file.as_raw_fd(), 0) };
        if mapped == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

#[cfg(not(target_os = "linux"))]
struct Memory(Vec<u8>);

#[cfg(not(target_os = "linux"))]
impl Memory {
    fn new(length: usize, runs: &[Run]) -> io::Result<Self> {
        let mut bytes = vec![0; length];
        runs.iter().for_each(|&(at, run)| bytes[at..at + run.len()].copy_from_slice(run));
        Ok(Self(bytes))
    }

    fn length(&self) -> usize {
        self.0.len()
    }

    unsafe fn map(&self, base: NonNull<u8>) -> io::Result<()> {
        // SAFETY: the caller owns the range, which does not overlap the image.
        unsafe { base.as_ptr().copy_from_nonoverlapping(self.0.as_ptr(), self.0.len()) };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(unix)]
    use std::os::unix::fs::MetadataExt;
    use std::time::{Duration, SystemTime};

    const KEY: [u8; 32] = [7; 32];

    fn folder(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("ses-image-{}-{name}", std::process::id()));
        drop(fs::remove_dir_all(&folder));
        folder
    }

    fn memory() -> Vec<u8> {
        let mut memory = vec![0; 3 * PAGE_BYTES];
        memory[PAGE_BYTES] = 1;
        memory[3 * PAGE_BYTES - 1] = 2;
        memory
    }

    fn copied(image: &Image) -> Vec<u8> {
        let layout = std::alloc::Layout::from_size_align(3 * PAGE_BYTES, PAGE_BYTES).unwrap();
        // SAFETY: the layout is not empty, and the copy has its length. The block is never freed, because part of it is
        // mapped.
        unsafe {
            let base = NonNull::new(std::alloc::alloc(layout)).unwrap();
            image.map(base).unwrap();
            std::slice::from_raw_parts(base.as_ptr(), 3 * PAGE_BYTES).to_vec()
        }
    }

    #[test]
    fn what_was_saved_is_loaded_and_mapped() {
        let folder = folder("whole");
        let path = folder.join("a.image");
        let image = Image::new(b"head".to_vec(), b"code".to_vec(), b"machine".to_vec(), &memory()).unwrap();
        image.save(&path, &KEY, &memory()).unwrap();
        let loaded = Image::load(&path, &KEY).unwrap();
        let parts = [loaded.header.as_slice(), &loaded.code_cache, &loaded.machine_code];
        assert_eq!(parts, [b"head".as_slice(), b"code", b"machine"]);
        assert_eq!((loaded.pages(), copied(&loaded) == memory()), (3, true));
        #[cfg(unix)]
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn who_saves_one_removes_what_was_not_used_for_long() {
        let folder = folder("sweep");
        let days_ago = |name: &str, days: u64| {
            let file = File::options().write(true).create(true).truncate(false).open(folder.join(name)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(days * 86_400)).unwrap();
        };
        let image = Image::new(Vec::new(), Vec::new(), Vec::new(), &memory()).unwrap();
        let save = |name: &str| image.save(&folder.join(name), &KEY, &memory()).unwrap();
        save("python-1-used.image");
        days_ago("python-1-used.image", 29);
        days_ago("python-1-unused.image", 31);
        days_ago("python-1-killed.7.tmp", 1);
        days_ago("python-1-making.8.tmp", 0);
        days_ago("notes.image", 31);
        fs::create_dir(folder.join("python-1-folder.image")).unwrap();
        // Loading an image counts as use.
        assert!(Image::load(&folder.join("python-1-used.image"), &KEY).is_some());
        let age = fs::metadata(folder.join("python-1-used.image")).unwrap().modified().unwrap().elapsed().unwrap();
        assert!(age < Duration::from_secs(3_600), "{age:?}");
        save("python-1-new.image");
        let mut left: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        left.sort();
        fs::remove_dir_all(&folder).unwrap();
        let expected = [
            "notes.image",
            "python-1-folder.image",
            "python-1-making.8.tmp",
            "python-1-new.image",
            "python-1-used.image",
        ];
        assert_eq!(left, expected);
    }

    /// Process numbers may be the same, because containers that share a folder number processes separately.
    #[test]
    fn what_another_process_is_writing_stays_and_keeps_nobody_from_saving() {
        let folder = folder("shared");
        fs::create_dir(&folder).unwrap();
        let others = folder.join(format!("python-1.{}.tmp", std::process::id()));
        fs::write(&others, "half of it").unwrap();
        let image = Image::new(Vec::new(), Vec::new(), Vec::new(), &memory()).unwrap();
        let path = folder.join("python-1.image");
        image.save(&path, &KEY, &memory()).unwrap();
        assert!(Image::load(&path, &KEY).is_some());
        assert_eq!(fs::read_to_string(&others).unwrap(), "half of it");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_memory_becomes_the_packed_one() {
        let memory = memory();
        let bytes = packed_within(&memory, 2 * BLOCK_BYTES).unwrap();
        assert!(packed_within(&memory, 2 * BLOCK_BYTES - 1).is_none());
        assert!(packed_within(&vec![0; MAX_FILE_BYTES as usize + 1], 0).is_none());
        let (length, runs) = unpacked(&bytes).unwrap();
        for fill in [0, 7] {
            let mut other = vec![fill; 4 * PAGE_BYTES];
            unpack(&mut other, &runs);
            assert!(other[..length] == memory && other[length..].iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn zeros_are_left_out_and_runs_outside_are_refused() {
        let memory = memory();
        let whole = packed(&memory);
        assert_eq!(whole.len(), 16 + 2 * RUN_BYTES + 2 * BLOCK_BYTES);
        let (length, runs) = unpacked(&whole).unwrap();
        assert_eq!((length, &runs), (memory.len(), &runs_of(&memory)));
        assert_eq!(
            runs.iter().map(|&(at, run)| (at, run.len())).collect::<Vec<_>>(),
            [(PAGE_BYTES, BLOCK_BYTES), (3 * PAGE_BYTES - BLOCK_BYTES, BLOCK_BYTES)]
        );
        let with = |at: usize, value: u64| {
            let mut bytes = whole.clone();
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
            bytes
        };
        // The length, the number of runs, and the offset and length of the last run.
        for broken in [with(0, 9), with(0, u64::MAX), with(8, u64::MAX), with(32, u64::MAX), with(40, u64::MAX)] {
            assert!(unpacked(&broken).is_none());
        }
        assert!(unpacked(&whole[..whole.len() - 1]).is_none());
    }

    #[test]
    fn what_is_changed_cut_off_for_another_key_or_writable_by_others_is_not_loaded() {
        let folder = folder("broken");
        let path = folder.join("a.image");
        Image::new(b"head".to_vec(), b"code".to_vec(), b"machine".to_vec(), &memory())
            .unwrap()
            .save(&path, &KEY, &memory())
            .unwrap();
        let whole = fs::read(&path).unwrap();
        assert!(Image::load(&path, &[8; 32]).is_none());
        let mut changed = whole.clone();
        changed[HEAD_BYTES + 9] ^= 1;
        for broken in [&changed[..], &whole[..whole.len() - 1], &whole[..HEAD_BYTES - 1]] {
            fs::write(&path, broken).unwrap();
            assert!(Image::load(&path, &KEY).is_none());
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::write(&path, &whole).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o620)).unwrap();
            assert!(Image::load(&path, &KEY).is_none());
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
