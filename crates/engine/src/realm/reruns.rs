//! Programs that run again in one session, each with its compiled function. V8 stores feedback on the values that it
//! met, and the machine code based on that, with the function. The function holds no state of a run. Reuse is visible
//! only in one place: the arrays that are passed to template tags are identical, and they are frozen.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::rc::Rc;
use std::sync::Arc;

use deno_core::v8;
use lru::LruCache;

use crate::state::scripts::Script;
use ses_prepare::Program;

/// The most programs that are remembered.
const MAX_PROGRAMS: usize = 16;
/// The most bytes of the source of a program that is kept. Its compiled form is many times as large. 32 KiB.
const MAX_SOURCE_BYTES: usize = 32 << 10;

/// The programs of one session, by the hash of their source. A program that has run once has no function here yet: most
/// programs never run again, and the compiled code of the first run depends on variables that did not exist before.
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

    /// Records a program that has run, and keeps its function if it has run before.
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

    /// Drops everything, because the guest's heap is full.
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
