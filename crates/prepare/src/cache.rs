//! Keeps prepared programs. Agents send the same source again when they retry, and hosts prepare a program before they
//! run it.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use super::{Lookups, PrepareOptions, Program};

/// The size of all kept programs together. 4 MiB.
const MAX_BYTES: usize = 4 << 20;
/// The least length of source that is kept. Preparing a shorter one takes about as long as keeping it.
const MIN_CODE_BYTES: usize = 256;
/// A larger program is not kept, because it would displace many. 256 KiB.
const MAX_PROGRAM_BYTES: usize = 256 << 10;
/// The size of an entry without its strings.
const ENTRY_BYTES: usize = 512;

/// Recently prepared programs, for all users of an engine.
pub struct Programs {
    /// Held for a few instructions and the copy of a string, by executor threads and the preparing thread.
    cache: Mutex<Cache>,
}

impl Programs {
    /// The recent result of [`super::prepare`] for the same text and options, if it was passed to [`Self::keep`].
    pub fn kept(&self, code: &str, options: &PrepareOptions) -> Option<Arc<Program>> {
        if code.len() < MIN_CODE_BYTES { None } else { self.cache().get(code, options) }
    }

    /// Keeps a result of [`super::prepare`].
    pub fn keep(&self, code: &str, options: &PrepareOptions, program: &Arc<Program>) {
        if code.len() >= MIN_CODE_BYTES {
            self.cache().put(code, options, program);
        }
    }

    /// Keeps V8's bytecode for a kept program.
    pub fn keep_bytecode(&self, code: &str, options: &PrepareOptions, program: &Arc<Program>, bytecode: Box<[u8]>) {
        self.cache().add_bytecode(code, options, program, bytecode);
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Programs {
    fn default() -> Self {
        Self { cache: Mutex::new(Cache::new(MAX_BYTES)) }
    }
}

struct Cache {
    /// By the hash of text and options, most recently used first. Of two entries with the same hash, the later one
    /// stays.
    entries: LruCache<u64, Entry>,
    hasher: RandomState,
    bytes: usize,
    max_bytes: usize,
}

struct Entry {
    code: Box<str>,
    options: PrepareOptions,
    program: Arc<Program>,
    /// Its size, including added bytecode.
    bytes: usize,
}

/// The size of an entry for this program.
fn bytes(code: &str, options: &PrepareOptions, program: &Program) -> usize {
    let imports: usize = options.authorized_imports.iter().map(|name| name.len() + size_of::<String>()).sum();
    let Lookups { names, cells, plain, constants, .. } = &program.lookups;
    let shared_uses = program.shared_uses.iter().map(|shared| &shared.name);
    let names = program.private.iter().chain(names).chain(cells).chain(plain).chain(constants).chain(shared_uses);
    let names: usize = names.map(|name| name.len() + size_of::<String>()).sum();
    ENTRY_BYTES + code.len() + program.bytes() + imports + names
}

impl Cache {
    fn new(max_bytes: usize) -> Self {
        Self { entries: LruCache::unbounded(), hasher: RandomState::new(), bytes: 0, max_bytes }
    }

    fn hash(&self, code: &str, options: &PrepareOptions) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        code.hash(&mut hasher);
        options.max_operations.to_bits().hash(&mut hasher);
        options.timeout_ms.to_bits().hash(&mut hasher);
        options.authorized_imports.hash(&mut hasher);
        options.globals.hash(&mut hasher);
        hasher.finish()
    }

    fn get(&mut self, code: &str, options: &PrepareOptions) -> Option<Arc<Program>> {
        let entry = self.entries.get(&self.hash(code, options))?;
        (*entry.code == *code && entry.options == *options).then(|| entry.program.clone())
    }

    fn put(&mut self, code: &str, options: &PrepareOptions, program: &Arc<Program>) {
        let bytes = bytes(code, options, program);
        if bytes > MAX_PROGRAM_BYTES.min(self.max_bytes) {
            return;
        }
        let entry = Entry { code: code.into(), options: options.clone(), program: program.clone(), bytes };
        self.bytes += bytes;
        let replaced = self.entries.put(self.hash(code, options), entry);
        self.bytes -= replaced.map_or(0, |replaced| replaced.bytes);
        self.make_room();
    }

    fn add_bytecode(&mut self, code: &str, options: &PrepareOptions, program: &Arc<Program>, bytecode: Box<[u8]>) {
        let hash = self.hash(code, options);
        // A program that was displaced or prepared again meanwhile is not counted.
        let Some(entry) = self.entries.get_mut(&hash).filter(|entry| Arc::ptr_eq(&entry.program, program)) else {
            return;
        };
        let bytes = bytecode.len();
        if entry.bytes + bytes > MAX_PROGRAM_BYTES.min(self.max_bytes) || program.bytecode.set(bytecode).is_err() {
            return;
        }
        entry.bytes += bytes;
        self.bytes += bytes;
        self.make_room();
    }

    /// Drops the least recently used entries.
    fn make_room(&mut self) {
        while self.bytes > self.max_bytes {
            let Some((_, oldest)) = self.entries.pop_lru() else { break };
            self.bytes -= oldest.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ses_protocol::Language;

    fn options() -> PrepareOptions {
        PrepareOptions {
            language: Language::Auto,
            authorized_imports: Vec::new(),
            globals: Vec::new(),
            max_operations: 1e6,
            timeout_ms: 1e3,
            max_log_bytes: 65_536.0,
            max_code_bytes: 1 << 20,
        }
    }

    fn program(code: &str) -> Arc<Program> {
        Arc::new(super::super::prepare(code, &options()).unwrap())
    }

    #[test]
    fn what_is_kept_is_found_again() {
        let code = "kept;".repeat(100);
        let first = program(&code);
        let programs = Programs::default();
        assert!(programs.kept(&code, &options()).is_none());
        programs.keep(&code, &options(), &first);
        assert!(Arc::ptr_eq(&first, &programs.kept(&code, &options()).unwrap()));
        assert!(Programs::default().kept(&code, &options()).is_none());
    }

    #[test]
    fn a_short_text_is_prepared_each_time() {
        let programs = Programs::default();
        programs.keep("1", &options(), &program("1"));
        assert!(programs.kept("1", &options()).is_none());
    }

    #[test]
    fn other_options_are_another_program() {
        let mut cache = Cache::new(MAX_BYTES);
        cache.put("1", &options(), &program("1"));
        for other in [
            PrepareOptions { language: Language::TypeScript, ..options() },
            PrepareOptions { max_operations: 2.0, ..options() },
            PrepareOptions { max_log_bytes: 1_024.0, ..options() },
            PrepareOptions { max_code_bytes: 1, ..options() },
            PrepareOptions { authorized_imports: vec!["fs".to_owned()], ..options() },
            PrepareOptions { globals: vec!["timers".to_owned()], ..options() },
        ] {
            assert!(cache.get("1", &other).is_none());
        }
        assert!(cache.get("1", &options()).is_some());
        assert!(cache.get("2", &options()).is_none());
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let one = bytes("1", &options(), &program("1"));
        let mut cache = Cache::new(2 * one);
        cache.put("1", &options(), &program("1"));
        cache.put("2", &options(), &program("2"));
        assert!(cache.get("1", &options()).is_some());
        cache.put("3", &options(), &program("3"));
        assert!(cache.get("2", &options()).is_none());
        assert!(cache.get("1", &options()).is_some());
        assert!(cache.get("3", &options()).is_some());
        assert_eq!(cache.bytes, 2 * one);
    }

    #[test]
    fn a_large_program_is_not_kept() {
        let code = format!("\"{}\"", "x".repeat(MAX_PROGRAM_BYTES));
        let mut cache = Cache::new(MAX_BYTES);
        cache.put(&code, &options(), &program(&code));
        assert!(cache.get(&code, &options()).is_none());
        assert_eq!(cache.bytes, 0);
    }

    #[test]
    fn bytecode_is_kept_with_its_program_and_counts() {
        let mut cache = Cache::new(MAX_BYTES);
        let first = program("1");
        cache.put("1", &options(), &first);
        let before = cache.bytes;
        cache.add_bytecode("1", &options(), &first, vec![7; 1_000].into());
        assert_eq!(cache.bytes, before + 1_000);
        assert_eq!(cache.get("1", &options()).unwrap().bytecode.get().unwrap().len(), 1_000);
        // The first one stays.
        cache.add_bytecode("1", &options(), &first, vec![8; 2_000].into());
        assert_eq!(cache.bytes, before + 1_000);
        // Bytecode of a program that is not the kept one.
        let again = program("1");
        cache.put("1", &options(), &again);
        assert_eq!(cache.bytes, before);
        cache.add_bytecode("1", &options(), &first, vec![7; 1_000].into());
        assert_eq!(cache.bytes, before);
        assert!(cache.get("1", &options()).unwrap().bytecode.get().is_none());
    }

    #[test]
    fn bytecode_drives_out_what_was_not_used_for_longest() {
        let one = bytes("1", &options(), &program("1"));
        let mut cache = Cache::new(3 * one);
        let second = program("2");
        cache.put("1", &options(), &program("1"));
        cache.put("2", &options(), &second);
        cache.add_bytecode("2", &options(), &second, vec![7; 2 * one].into());
        assert!(cache.get("1", &options()).is_none());
        assert!(cache.get("2", &options()).is_some());
        assert_eq!(cache.bytes, 3 * one);
        cache.put("3", &options(), &program("3"));
        assert_eq!(cache.bytes, one);
    }

    #[test]
    fn bytecode_that_is_large_is_not_kept() {
        let mut cache = Cache::new(MAX_BYTES);
        let first = program("1");
        cache.put("1", &options(), &first);
        let before = cache.bytes;
        cache.add_bytecode("1", &options(), &first, vec![7; MAX_PROGRAM_BYTES].into());
        assert_eq!(cache.bytes, before);
        assert!(first.bytecode.get().is_none());
    }

    #[test]
    fn what_is_put_twice_counts_once() {
        let mut cache = Cache::new(MAX_BYTES);
        cache.put("1", &options(), &program("1"));
        let bytes = cache.bytes;
        cache.put("1", &options(), &program("1"));
        assert_eq!(cache.bytes, bytes);
    }
}
