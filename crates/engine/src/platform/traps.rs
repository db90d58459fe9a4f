//! Bounds checks of WebAssembly's memory.
//!
//! In a host's process, V8 compiles a bounds check into each access. In a worker process it leaves the checks out,
//! which makes WebAssembly programs up to a quarter faster. V8 then reserves the addresses after each memory and
//! handles the SIGSEGV of an access to them. A signal handler belongs to the whole process, so a library must not
//! install one in its host.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use deno_core::v8;

static IS_WORKER: AtomicBool = AtomicBool::new(false);

/// Declares that this process is a worker, in which V8 may handle SIGSEGV. Must be called before V8 starts.
pub fn declare_worker() {
    IS_WORKER.store(true, Ordering::Relaxed);
}

/// Whether V8 leaves out bounds checks. Machine code that was made with checks must not be used without them, or vice
/// versa. The first call decides, and must come before the first isolate.
pub fn are_enabled() -> bool {
    static ENABLED: OnceLock<bool> = OnceLock::new();
    *ENABLED.get_or_init(|| {
        IS_WORKER.load(Ordering::Relaxed) && has_addresses() && v8::V8::enable_web_assembly_trap_handler(true)
    })
}

/// Whether the process may reserve unlimited address space: each memory without checks takes 10 GB.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn has_addresses() -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is to a whole structure.
    let found = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
    found == 0 && limit.rlim_cur == libc::RLIM_INFINITY
}

/// On other platforms V8's code always checks bounds.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn has_addresses() -> bool {
    false
}
