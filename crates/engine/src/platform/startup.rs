//! Starts V8, once per process.

use std::io;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use deno_core::{JsRuntime, v8};

use crate::memory::allocator::install_icu_hooks;
use crate::memory::fatal::install_fatal_error_handler;
use crate::memory::{single_isolate, stop};
#[cfg(target_os = "linux")]
use crate::platform::newest_built_ins;
use crate::platform::{flags, idle, traps};
use ses_protocol::Failure;
use ses_sync::priority;

/// The message if V8 cannot start in this process, with advice.
const NO_V8: &str = "V8 cannot reserve the address space that it needs: raise the process's limit (ulimit -v, RLIMIT_AS), which counts \
                     reserved memory and not used memory";

/// The same if V8 may be able to start later.
const NO_THREADS: &str =
    "V8 cannot start threads: raise the system's limit (ulimit -u, RLIMIT_NPROC, or pids.max of a container)";

/// The most threads of V8's own, as in Node.js.
const MAX_WORKERS: u32 = 4;
/// How long the system may still count a thread that has ended.
const LEAVING: Duration = Duration::from_millis(100);

/// Prepares the process's V8 and ICU. Must run before the first isolate.
///
/// # Errors
///
/// The system refuses threads, which may be available later, or address space. In the latter case there will never be
/// an isolate in this process.
pub fn prepare_v8() -> Result<(), Failure> {
    static IS_STARTED: Mutex<Option<bool>> = Mutex::new(None);
    let mut is_started = IS_STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_there = match *is_started {
        Some(is_there) => is_there,
        None => *is_started.insert(start_v8()?),
    };
    if is_there { Ok(()) } else { Err(Failure::init(NO_V8)) }
}

/// Starts V8 on a separate thread. The platform's workers, which collect and compile for guests, inherit its priority.
/// In a process for one guest they are nicer than the guest, which does that work itself if no processor is idle.
/// False: V8 could not be started.
///
/// # Errors
///
/// No threads are available for it, and nothing was done.
fn start_v8() -> Result<bool, Failure> {
    #[cfg(target_os = "linux")]
    if !newest_built_ins::are_in_snapshot() {
        return Err(Failure::init("the engine is linked without `--defsym` (build.rs)"));
    }
    let refused = |error| Failure::init(format!("{NO_THREADS}: {error}"));
    let start = move || {
        let workers = thread::available_parallelism().map_or(MAX_WORKERS, |count| MAX_WORKERS.min(count.get() as u32));
        try_threads(workers).map_err(refused)?;
        // Decided before V8 starts.
        traps::are_enabled();
        install_icu_hooks();
        install_fatal_error_handler();
        v8::V8::set_entropy_source(random_bytes);
        flags::set();
        // The locale and language of the host's environment must not reach guests.
        v8::icu::set_default_locale("en-US");
        let platform = v8::new_custom_platform(workers, false, false, idle::Posted);
        JsRuntime::init_platform(Some(platform.make_shared()));
        Ok(())
    };
    let (started, is_started) = channel();
    let thread = thread::Builder::new().name("ses-platform".to_owned()).spawn(move || {
        if single_isolate::is_declared() {
            priority::raise_niceness(priority::HELPER_NICE);
        } else {
            priority::use_guest_priority();
        }
        stop::start(started, start);
    });
    thread.map_err(refused)?;
    is_started.recv().map_or(Ok(false), |started| started.map(|()| true))
}

/// Runs this many threads at the same time as a test, because V8 ends the process if the system refuses it one.
fn try_threads(count: u32) -> io::Result<()> {
    let gate = Mutex::new(());
    let tried = thread::scope(|scope| -> io::Result<Vec<_>> {
        let closed = gate.lock();
        let wait = || {
            drop(gate.lock());
            task()
        };
        let threads: Vec<_> = (0..count).map(|_| thread::Builder::new().spawn_scoped(scope, wait)).collect();
        drop(closed);
        threads.into_iter().map(|thread| Ok(thread?.join().unwrap_or_default())).collect()
    })?;
    for task in tried {
        // The system counts a thread until a moment after it has ended.
        let until = Instant::now() + LEAVING;
        while task.as_ref().is_some_and(|task| task.exists()) && Instant::now() < until {
            thread::yield_now();
        }
    }
    Ok(())
}

/// A path that exists in the file system as long as the calling thread.
fn task() -> Option<PathBuf> {
    #[cfg(target_os = "linux")]
    // SAFETY: the call takes no arguments.
    return Some(PathBuf::from(format!("/proc/self/task/{}", unsafe { libc::gettid() })));
    #[cfg(not(target_os = "linux"))]
    None
}

/// Fills `bytes`. Each isolate asks for seeds of hashes and of `Math.random`; otherwise V8 would open a device for
/// each. False: the system returns none, and V8 uses another source.
pub fn random_bytes(bytes: &mut [u8]) -> bool {
    getrandom::fill(bytes).is_ok()
}
