//! The snapshot that workers with Python start from.
//!
//! It holds machine code that relies on how workers keep the bounds of Python's memory, which the host's process does not. So the host
//! cannot make it, and a worker with guest code may not write it. A process that runs no guest code makes it.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use ses_protocol::PythonSpec;

use crate::launch::{Installation, Task};
use crate::process::Process;

/// Of which Pythons this process has had the snapshot made.
static MADE: Mutex<BTreeSet<PythonSpec>> = Mutex::new(BTreeSet::new());

/// Has the snapshot of `python` made, if there is none. Waits for that, as do callers that need the same snapshot meanwhile. Without a
/// snapshot each worker boots Python in full, which takes seconds.
pub fn make(installation: &Installation, python: &PythonSpec) {
    // Whatever is mounted.
    let python = PythonSpec { mount: None, ..python.clone() };
    if python.cache.is_none() {
        return;
    }
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if made.contains(&python) {
        return;
    }
    // The pipes stay open until the process has ended, which writes to none but the last.
    if let Ok((process, _commands, _events, _last_words)) =
        Process::start(&installation.program, &installation.arguments(Task::MakeSnapshot))
    {
        process.wait();
    }
    made.insert(python);
}
