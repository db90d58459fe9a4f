//! The cache of an engine that workers start from.
//!
//! It may hold machine code that relies on how workers keep the bounds of WebAssembly's memory, which the host's process does not do. So
//! the host cannot make it, and a worker with guest code may not write it. A process that runs no guest code makes it.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use ses_protocol::EngineSpec;

use crate::launch::{Installation, Task};
use crate::process::Process;

/// For which engines this process has had the cache filled.
static FILLED: Mutex<BTreeSet<EngineSpec>> = Mutex::new(BTreeSet::new());

/// Has the cache of the engine filled, if it has one. Waits for that, as do callers that need the same cache meanwhile. Without it each
/// worker makes all of it again, which may take seconds.
pub fn fill_cache(installation: &Installation) {
    let mut engine = EngineSpec::clone(&installation.engine);
    // Data of guests is not part of it.
    engine.folders.retain(|folder| folder.list.is_some());
    if engine.cache.is_none() {
        return;
    }
    let mut filled = FILLED.lock().unwrap_or_else(PoisonError::into_inner);
    if filled.contains(&engine) {
        return;
    }
    // The pipes stay open until the process has ended, which writes to none but the last.
    let started =
        installation.arguments(Task::FillCache).and_then(|arguments| Process::start(&installation.program, &arguments));
    if let Ok((process, _commands, _events, _last_words)) = started {
        process.wait();
    }
    filled.insert(engine);
}
