//! What V8 needs once in a process.

use std::sync::OnceLock;
use std::sync::mpsc::channel;
use std::thread;

use deno_core::{JsRuntime, v8};

use crate::memory::allocator::install_icu_hooks;
use crate::memory::fatal::install_fatal_error_handler;
use crate::memory::{sole, stop};
use crate::process::{flags, idle, traps};
use ses_protocol::Failure;
use ses_sync::priority;

/// Why there is no V8 in this process, and what to do.
const NO_V8: &str = "V8 cannot reserve the address space that it needs: raise the process's limit (ulimit -v, RLIMIT_AS), which counts \
                     what is reserved and not what is used";

/// Threads of V8's own, at most. As in Node.js.
const MAX_WORKERS: u32 = 4;

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
        flags::set();
        // Locale and language of the host's environment are none of a guest's business.
        v8::icu::set_default_locale("en-US");
        start_platform()
    });
    if *is_prepared { Ok(()) } else { Err(Failure::init(NO_V8)) }
}

/// Starts V8, on a thread of its own, whose priority the platform's workers have: they collect and compile for guests. In a
/// process for one guest they are nicer than it is, who does that itself where there is no processor to spare. False: V8 could
/// not be started.
fn start_platform() -> bool {
    let start = || {
        let workers = thread::available_parallelism().map_or(MAX_WORKERS, |count| MAX_WORKERS.min(count.get() as u32));
        let platform = v8::new_custom_platform(workers, false, false, idle::Posted);
        JsRuntime::init_platform(Some(platform.make_shared()));
    };
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
