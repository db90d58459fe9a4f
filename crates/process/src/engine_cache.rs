//! The cache of an engine from which workers start.
//!
//! The cache may contain machine code that relies on the way in which workers check the bounds of WebAssembly memory.
//! The host's process checks them differently, so it cannot make the cache. A worker that runs guest code must not
//! write it. Therefore a separate process, which runs no guest code, makes the cache.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use ses_protocol::EngineSpec;

use crate::launch::{Installation, Task};
use crate::process::Process;

/// Engines whose cache this process has already had filled.
static FILLED: Mutex<BTreeSet<EngineSpec>> = Mutex::new(BTreeSet::new());

/// Fills the cache of the engine, if the engine has one. Waits until it is filled. Other callers that need the same
/// cache wait too. Without the cache, each worker makes its whole content again, which may take seconds.
pub fn fill_cache(installation: &Installation) {
    let mut engine = EngineSpec::clone(&installation.engine);
    // Data of guests is not part of the cache.
    engine.folders.retain(|folder| folder.list.is_some());
    if engine.cache.is_none() {
        return;
    }
    let mut filled = FILLED.lock().unwrap_or_else(PoisonError::into_inner);
    if filled.contains(&engine) {
        return;
    }
    // The pipes stay open until the process has ended. The process writes only to the last one.
    let started =
        installation.arguments(Task::FillCache).and_then(|arguments| Process::start(&installation.program, &arguments));
    if let Ok((process, _commands, _events, _last_words)) = started {
        process.wait();
    }
    filled.insert(engine);
}
