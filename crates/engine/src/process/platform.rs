//! What V8 needs once in a process.

use std::sync::OnceLock;
use std::sync::mpsc::channel;
use std::thread;

use deno_core::{JsRuntime, v8};

use crate::memory::allocator::install_icu_hooks;
use crate::memory::fatal::install_fatal_error_handler;
use crate::memory::{sole, stop};
use crate::process::traps;
use ses_protocol::Failure;
use ses_sync::priority;

/// Why there is no V8 in this process, and what to do.
const NO_V8: &str = "V8 cannot reserve the address space that it needs: raise the process's limit (ulimit -v, RLIMIT_AS), which counts \
                     what is reserved and not what is used";

/// What the process's V8 and ICU need before the first isolate.
///
/// # Errors
///
/// The system refuses what V8 needs, and there will never be an isolate in this process.
pub fn prepare_v8() -> Result<(), Failure> {
    static IS_PREPARED: OnceLock<bool> = OnceLock::new();
    let is_prepared = IS_PREPARED.get_or_init(|| {
        // While V8 can still be told.
        traps::are_enabled();
        install_icu_hooks();
        install_fatal_error_handler();
        v8::V8::set_entropy_source(random_bytes);
        // Each step is a script of its own that never comes again: the cache would keep all of them.
        v8::V8::set_flags_from_string("--no-compilation-cache");
        // Pages of isolates that are gone are kept for the next ones for a second or two, not for 8 to 16.
        v8::V8::set_flags_from_string("--memory-pool-timeout=1");
        // Locale and language of the host's environment are none of a guest's business.
        v8::icu::set_default_locale("en-US");
        // What a collection found dead has to be uncounted when the limit is looked at after it.
        v8::V8::set_flags_from_string("--no-concurrent-array-buffer-sweeping");
        // For baseline code nothing is gained by another thread.
        v8::V8::set_flags_from_string("--no-concurrent-sparkplug");
        if !(cfg!(target_os = "linux") && sole::is_declared()) {
            // A guest compiles on its own thread, where its deadline and its limit of memory hold: on the threads of the process it
            // would take turns with all others. Maglev has no bound of the size of a function, and takes 40 KB for an `await`.
            // Turbofan has one.
            v8::V8::set_flags_from_string("--no-concurrent-recompilation --no-maglev");
        }
        // The guest waits for Turbofan, whose time grows with what it inlines: with the default of 920 a parser of a page ran half
        // as long again, and nothing measurably shorter.
        v8::V8::set_flags_from_string("--max-inlined-bytecode-size-cumulative=300");
        start_platform()
    });
    if *is_prepared { Ok(()) } else { Err(Failure::init(NO_V8)) }
}

/// Starts V8, on a thread of its own, whose priority the platform's workers have: they collect and compile for guests. In a
/// process for one guest they are nicer than it is, who does that itself where there is no processor to spare. False: V8 could
/// not be started.
fn start_platform() -> bool {
    // The platform knows no isolate, so that it drops the tasks that V8 posts to an isolate's thread: without an event loop
    // nothing would run them.
    let start = || JsRuntime::init_platform(None);
    let (started, is_started) = channel();
    let thread = thread::Builder::new().name("ses-platform".to_owned()).spawn(move || {
        if sole::is_declared() {
            priority::lower(priority::HELPING_NICE);
        } else {
            priority::work_for_guests();
        }
        stop::start(started, start);
    });
    match thread {
        Ok(_) => is_started.recv().is_ok(),
        // There was no thread to be had.
        Err(_) => {
            start();
            true
        }
    }
}

/// Fills `bytes`, for seeds of hashes and of `Math.random`, which each isolate asks for: V8 opens a device for each otherwise.
/// False: the system gives none, and V8 takes another source.
pub fn random_bytes(bytes: &mut [u8]) -> bool {
    getrandom::fill(bytes).is_ok()
}
