//! What becomes of a thread whose isolate cannot go on.

use std::cell::RefCell;
use std::ffi::c_char;
use std::rc::Rc;
use std::sync::{Arc, Once};

use deno_core::v8;

use crate::memory::buffers::BufferBudget;
use crate::memory::limits::MemoryGuard;
use crate::memory::native_memory::{Account, with_guard};

/// Told on the isolate's thread, with the bytes that the isolate holds, when that is about to be parked.
pub type OnParked = Rc<dyn Fn(usize)>;

/// What the handlers of fatal errors know of the thread that they are called on.
#[derive(Clone)]
struct ThreadIsolate {
    on_parked: OnParked,
    buffers: Arc<BufferBudget>,
}

thread_local! {
    static THREAD_ISOLATE: RefCell<Option<ThreadIsolate>> = const { RefCell::new(None) };
}

/// Names who [`park`] reports to on this thread.
pub fn set_thread_isolate(on_parked: OnParked, buffers: Arc<BufferBudget>) {
    static FATAL_ERROR_HANDLER: Once = Once::new();
    FATAL_ERROR_HANDLER.call_once(|| v8::V8::set_fatal_error_handler(on_fatal_error));
    THREAD_ISOLATE.set(Some(ThreadIsolate { on_parked, buffers }));
}

/// What V8 says when it gives up for a size that the guest chose. It looks before it writes, so that its memory is sound.
const SIZE_ERRORS: [&str; 3] = ["invalid size", "Invalid size", "invalid array length"];

/// V8 calls this before it ends the process. For a size, it never returns on the thread of an isolate. Otherwise an invariant
/// does not hold, so that memory cannot be trusted: the process ends when this returns.
fn on_fatal_error(file: &str, line: i32, message: &str) {
    if SIZE_ERRORS.iter().any(|size| message.contains(size)) {
        park();
    }
    eprintln!(
        "ses-executor: V8 found an invariant broken ({message}, {file}:{line}) and ends the process. Please report it \
         with the template .github/ISSUE_TEMPLATE/crash.md of the project, and the code that ran."
    );
}

/// Ways in which V8 ends the process without a handler of the embedder: build.rs has the linker send them here (`--wrap`).
/// The names are those of V8's functions, whose further arguments only make up a text.
#[cfg(target_os = "linux")]
mod fatal {
    use std::ffi::{CStr, c_char};

    use super::{park, stop};

    /// `v8::base::FatalNoSecurityImpact(const char* format, ...)`: most arrays that are too long.
    // SAFETY: the name is that by which the linker knows the wrapper of V8's function.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn __wrap__ZN2v84base21FatalNoSecurityImpactEPKcz(format: *const c_char) -> ! {
        park();
        // SAFETY: V8 passes a literal.
        end(unsafe { CStr::from_ptr(format) })
    }

    /// `v8::base::FatalOOM(OOMType type, const char* message)`: the operating system has no memory.
    // SAFETY: as above.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn __wrap__ZN2v84base8FatalOOMENS0_7OOMTypeEPKc(_type: i32, _message: *const c_char) -> ! {
        stop()
    }

    /// `v8::base::OS::PrintError(const char* format, ...)`: what the heap was like before the handler of exhausted memory is
    /// called, which is nobody's business. Whatever ends the process says so by another way.
    // SAFETY: as above.
    #[unsafe(no_mangle)]
    extern "C" fn __wrap__ZN2v84base2OS10PrintErrorEPKcz(_format: *const c_char) {}

    fn end(message: &CStr) -> ! {
        eprintln!("ses-executor: V8 ends the process: {}", message.to_string_lossy());
        std::process::abort()
    }
}

/// V8 aborts the process when this returns, so it does not: the run is settled, the thread parked for good.
/// Nothing of V8 is on the stack of any other thread that waits for this one.
pub unsafe extern "C" fn on_out_of_memory(_location: *const c_char, _details: &v8::OomDetails) {
    stop();
}

/// Ends what the calling thread does: parks it if it has an isolate. One of the platform works for isolates of others, of
/// which each that waits for it meets its deadline.
fn stop() -> ! {
    park();
    loop {
        std::thread::park();
    }
}

/// Reports that the calling thread's isolate is lost and never returns, if the thread has an isolate.
pub fn park() {
    let Some(ThreadIsolate { on_parked, buffers }) = THREAD_ISOLATE.with_borrow(Clone::clone) else { return };
    let bytes = with_guard(MemoryGuard::held_bytes).unwrap_or_else(|| buffers.total());
    // What reporting allocates is nobody's.
    Account::close();
    on_parked(bytes);
    loop {
        std::thread::park();
    }
}
