//! Programs that come again in one session, each with the function that V8 has compiled it to: what V8 has learned of the values that it
//! met belongs to the function, and so does the machine code that it made of that. Nothing of a run is in it; that it is the same one
//! shows only in the arrays that tags of templates are given, which are frozen.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::rc::Rc;
use std::sync::Arc;

use deno_core::v8;
use lru::LruCache;

use crate::state::scripts::Script;
use ses_prepare::Program;

/// Programs that are known again.
const MAX_PROGRAMS: usize = 16;
/// Bytes of the source of a program that is kept, for what has become of it is many times as large. 32 KiB.
const MAX_SOURCE_BYTES: usize = 32 << 10;

/// The programs of one session, by the hash of their source. One that has come once has no function yet: most never come again, and what
/// is made of those that do depends on what was there before them.
pub struct Reruns {
    programs: LruCache<u64, Option<Kept>>,
    hasher: RandomState,
}

struct Kept {
    script: Rc<Script>,
    program: Arc<Program>,
    function: v8::Global<v8::Function>,
}

impl Reruns {
    /// The function of the program with this source, and V8's name for its script.
    pub fn find(&mut self, source: &str, program: &Program) -> Option<(v8::Global<v8::Function>, Rc<str>)> {
        if source.len() > MAX_SOURCE_BYTES {
            return None;
        }
        let Kept { script, program: kept, function } = self.programs.get(&self.hash(source))?.as_ref()?;
        let is_same = script.source == source && kept.code == program.code;
        is_same.then(|| (function.clone(), script.resource_name.clone()))
    }

    /// Remembers a program that has run, and keeps its function if it has come before.
    pub fn note(&mut self, script: &Rc<Script>, program: &Arc<Program>, function: v8::Global<v8::Function>) {
        if script.source.len() > MAX_SOURCE_BYTES {
            return;
        }
        let hash = self.hash(&script.source);
        let kept =
            self.programs.contains(&hash).then(|| Kept { script: script.clone(), program: program.clone(), function });
        self.programs.put(hash, kept);
        if self.programs.len() > MAX_PROGRAMS {
            self.programs.pop_lru();
        }
    }

    /// Forgets all, for the guest's heap is full.
    pub fn clear(&mut self) {
        self.programs.clear();
    }

    fn hash(&self, source: &str) -> u64 {
        self.hasher.hash_one(source)
    }
}

impl Default for Reruns {
    fn default() -> Self {
        Self { programs: LruCache::unbounded(), hasher: RandomState::new() }
    }
}
