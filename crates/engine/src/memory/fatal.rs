//! Where V8 would end the process.

use deno_core::v8;

use crate::memory::stop::park;

/// Has V8 ask before it ends the process. Must come before the first isolate.
pub fn install_fatal_error_handler() {
    v8::V8::set_fatal_error_handler(on_fatal_error);
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
mod wrappers {
    use std::ffi::{CStr, c_char};

    use crate::memory::stop::{park, stop};

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
