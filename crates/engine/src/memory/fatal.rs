//! Handles the cases in which V8 would end the process.

use deno_core::v8;

use crate::memory::stop::park;

/// Makes V8 call a handler before it ends the process. Must run before the first isolate exists.
pub fn install_fatal_error_handler() {
    v8::V8::set_fatal_error_handler(on_fatal_error);
}

/// V8's messages when it gives up because of a size that the guest chose. It checks before it writes, so its memory is
/// sound.
const SIZE_ERRORS: [&str; 3] = ["invalid size", "Invalid size", "invalid array length"];

/// V8 calls this before it ends the process. For a size error, it never returns on the thread of an isolate. Otherwise
/// an invariant of V8 is broken and its memory cannot be trusted: the process ends when this returns.
fn on_fatal_error(file: &str, line: i32, message: &str) {
    if SIZE_ERRORS.iter().any(|size| message.contains(size)) {
        park();
    }
    eprintln!(
        "ses-executor: V8 found a broken invariant ({message}, {file}:{line}) and ends the process. Please report it \
         with the template .github/ISSUE_TEMPLATE/crash.md of the project, and the code that ran."
    );
}

/// Functions by which V8 ends the process without a handler of the embedder. The linker redirects them to this file
/// (`--wrap`, build.rs). The names are those of V8's functions. Their further arguments only make up a message.
#[cfg(target_os = "linux")]
mod wrappers {
    use std::ffi::{CStr, c_char};

    use crate::memory::stop::{park, stop};

    /// `v8::base::FatalNoSecurityImpact(const char* format, ...)`: most arrays that are too long.
    // SAFETY: the name is the linker's name for the wrapper of V8's function.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn __wrap__ZN2v84base21FatalNoSecurityImpactEPKcz(format: *const c_char) -> ! {
        park();
        // SAFETY: V8 passes a string literal.
        end(unsafe { CStr::from_ptr(format) })
    }

    /// `v8::base::FatalOOM(OOMType type, const char* message)`: the operating system has no memory.
    // SAFETY: as above.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn __wrap__ZN2v84base8FatalOOMENS0_7OOMTypeEPKc(_type: i32, _message: *const c_char) -> ! {
        stop()
    }

    /// `v8::base::OS::PrintError(const char* format, ...)`: prints details of the heap before the handler of exhausted
    /// memory is called. The output is suppressed. Code that ends the process reports the reason in another way.
    // SAFETY: as above.
    #[unsafe(no_mangle)]
    extern "C" fn __wrap__ZN2v84base2OS10PrintErrorEPKcz(_format: *const c_char) {}

    fn end(message: &CStr) -> ! {
        eprintln!("ses-executor: V8 ends the process: {}", message.to_string_lossy());
        std::process::abort()
    }
}
