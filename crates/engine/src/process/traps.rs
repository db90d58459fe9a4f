//! Bounds of WebAssembly's memory, as the processor keeps them: V8 leaves checks out of machine code, and reserves addresses behind each
//! memory that nobody may touch. A guest that touches one has the system send SIGSEGV, which has to reach V8.
//!
//! The signal is the process's. Whoever had it before us gets whatever V8 does not know: Node.js's own WebAssembly, and crashes.

pub use native::{are_enabled, catch, check};

/// Why Python does not run: for people.
#[cfg_attr(
    not(all(target_os = "linux", target_arch = "x86_64")),
    expect(dead_code, reason = "no other handler matters there")
)]
const TAKEN: &str = "something else handles SIGSEGV in this process since Python has started, and V8 needs that signal to stop code \
                     that leaves its memory: install the other handler before the first Python executor, or use `isolation: \
                     'process'`";

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod native {
    use std::ffi::{c_int, c_void};
    use std::mem::MaybeUninit;
    use std::ptr;
    use std::sync::OnceLock;

    use deno_core::v8;
    use libc::{SIGSEGV, sigaction, siginfo_t};

    use super::TAKEN;

    // SAFETY: V8's declaration (`include/v8-wasm-trap-handler-posix.h`), which the `v8` crate has no function for.
    unsafe extern "C" {
        #[link_name = "_ZN2v829TryHandleWebAssemblyTrapPosixEiP9siginfo_tPv"]
        fn try_handle_trap(signal: c_int, info: *mut siginfo_t, context: *mut c_void) -> bool;
    }

    /// The fault was at an address that is mapped, and not for this access.
    const SEGV_ACCERR: c_int = 2;

    static ENABLED: OnceLock<bool> = OnceLock::new();
    /// What handled the signal before us.
    static BEFORE: OnceLock<sigaction> = OnceLock::new();

    /// Whether V8 leaves checks of bounds out, so that its machine code relies on [`catch`]: if the process may reserve as many
    /// addresses as it likes, of which each memory takes 10 GB. Decided when it is asked for first, before the first isolate.
    pub fn are_enabled() -> bool {
        *ENABLED.get_or_init(|| has_addresses() && v8::V8::enable_web_assembly_trap_handler(false))
    }

    fn has_addresses() -> bool {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the pointer is that of a whole structure.
        let found = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
        found == 0 && limit.rlim_cur == libc::RLIM_INFINITY
    }

    /// Sees to it that V8 is told of faults, and that the calling thread takes them. Before any WebAssembly runs on it.
    ///
    /// # Errors
    ///
    /// As [`check`].
    pub fn catch() -> Result<(), &'static str> {
        if !are_enabled() {
            return Ok(());
        }
        BEFORE.get_or_init(install);
        // SAFETY: the set is whole once it was emptied.
        unsafe {
            let mut faults = MaybeUninit::uninit();
            libc::sigemptyset(faults.as_mut_ptr());
            libc::sigaddset(faults.as_mut_ptr(), SIGSEGV);
            libc::pthread_sigmask(libc::SIG_UNBLOCK, faults.as_ptr(), ptr::null_mut());
        }
        check()
    }

    /// Whether V8 is still told of faults, which takes 0.2 µs.
    ///
    /// # Errors
    ///
    /// What has happened and what to do, for people: the handler was replaced.
    pub fn check() -> Result<(), &'static str> {
        (!are_enabled() || handler().sa_sigaction == address()).then_some(()).ok_or(TAKEN)
    }

    fn address() -> usize {
        on_fault as *const () as usize
    }

    fn handler() -> sigaction {
        let mut found = MaybeUninit::<sigaction>::zeroed();
        // SAFETY: zeros are a structure, too, and the system writes all of it.
        unsafe {
            libc::sigaction(SIGSEGV, ptr::null(), found.as_mut_ptr());
            found.assume_init()
        }
    }

    fn install() -> sigaction {
        let before = handler();
        // What the handler before us runs with, it goes on to run with.
        let action = sigaction {
            sa_sigaction: address(),
            sa_flags: libc::SA_SIGINFO | (before.sa_flags & libc::SA_ONSTACK),
            ..before
        };
        // SAFETY: the handler is safe to be called at any moment, but for what it passes on. It asks for `BEFORE` when it has a value:
        // a fault between this and that goes to nobody, and ends the process.
        unsafe { libc::sigaction(SIGSEGV, &raw const action, ptr::null_mut()) };
        before
    }

    extern "C" fn on_fault(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        // SAFETY: the system passes whole structures. V8's function is made for handlers: it takes locks only for faults of its own code.
        unsafe {
            // V8's pages are mapped. What is not mapped is a crash, in which thread-local variables may be out of reach.
            if (*info).si_code == SEGV_ACCERR && try_handle_trap(signal, info, context) {
                return;
            }
            pass_on(signal, info, context);
        }
    }

    /// Has the handler before us do what it would have done.
    ///
    /// # Safety
    ///
    /// As for a handler of signals.
    unsafe fn pass_on(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        let before = BEFORE.get();
        match before.map_or(libc::SIG_DFL, |before| before.sa_sigaction) {
            handler @ (libc::SIG_DFL | libc::SIG_IGN) => {
                // SAFETY: both are calls that handlers may make.
                unsafe {
                    // A fault comes again when this returns, and ends the process then. A signal that somebody sent does not.
                    let is_sent = (*info).si_code <= 0;
                    if is_sent && handler == libc::SIG_IGN {
                        return;
                    }
                    libc::signal(signal, libc::SIG_DFL);
                    if is_sent {
                        libc::raise(signal);
                    }
                }
            }
            handler if before.is_some_and(|before| before.sa_flags & libc::SA_SIGINFO != 0) => {
                // SAFETY: this is how its flags say that it is called.
                let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) =
                    unsafe { std::mem::transmute(handler) };
                handler(signal, info, context);
            }
            handler => {
                // SAFETY: as above.
                let handler: extern "C" fn(c_int) = unsafe { std::mem::transmute(handler) };
                handler(signal);
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use std::os::unix::process::ExitStatusExt;
        use std::process::ExitStatus;

        use super::*;
        use crate::alone;

        /// As which it ends, if the handler before ours was called with what it needs.
        const CALLED: c_int = 42;

        extern "C" fn before(_: c_int, info: *mut siginfo_t, _: *mut c_void) {
            // SAFETY: the system passes a whole structure, and the call is one that handlers may make.
            unsafe { libc::_exit(if (*info).si_addr().addr() % 4096 == 8 { CALLED } else { 1 }) }
        }

        fn set(handler: usize, flags: c_int) {
            let mut action = super::handler();
            (action.sa_sigaction, action.sa_flags) = (handler, flags);
            // SAFETY: the handlers are those above, or the system's.
            assert_eq!(unsafe { libc::sigaction(SIGSEGV, &raw const action, ptr::null_mut()) }, 0);
        }

        /// Writes to a page with nothing mapped, or one that nobody may write to.
        fn fault(is_mapped: bool) {
            // SAFETY: nobody else has the page, and the write is to fault.
            unsafe {
                let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
                let page = libc::mmap(ptr::null_mut(), 4096, libc::PROT_NONE, flags, -1, 0);
                if !is_mapped {
                    libc::munmap(page, 4096);
                }
                page.cast::<u8>().add(8).write_volatile(1);
            }
        }

        fn run(test: &str, part: &str) -> ExitStatus {
            alone::run(module_path!(), test, part)
        }

        #[test]
        fn what_v8_does_not_know_reaches_the_handler_before() {
            match alone::part().as_deref() {
                None => {
                    for part in ["mapped", "unmapped"] {
                        assert_eq!(
                            run("what_v8_does_not_know_reaches_the_handler_before", part).code(),
                            Some(CALLED),
                            "{part}"
                        );
                    }
                }
                Some(part) => {
                    set(before as *const () as usize, libc::SA_SIGINFO);
                    catch().unwrap();
                    fault(part == "mapped");
                }
            }
        }

        #[test]
        fn crashes_still_end_the_process() {
            match alone::part().as_deref() {
                None => {
                    for part in ["mapped", "unmapped", "sent"] {
                        assert_eq!(run("crashes_still_end_the_process", part).signal(), Some(SIGSEGV), "{part}");
                    }
                }
                Some(part) => {
                    set(libc::SIG_DFL, 0);
                    catch().unwrap();
                    match part {
                        // SAFETY: this takes a number.
                        "sent" => assert_eq!(unsafe { libc::raise(SIGSEGV) }, 0),
                        part => fault(part == "mapped"),
                    }
                }
            }
        }

        #[test]
        fn who_takes_the_signal_is_noticed() {
            match alone::part().as_deref() {
                None => assert!(run("who_takes_the_signal_is_noticed", "taken").success()),
                Some(_) => {
                    catch().unwrap();
                    set(before as *const () as usize, libc::SA_SIGINFO);
                    assert_eq!((check(), catch()), (Err(TAKEN), Err(TAKEN)));
                }
            }
        }
    }
}

/// Elsewhere V8's code checks bounds by itself.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod native {
    pub fn are_enabled() -> bool {
        false
    }

    pub fn catch() -> Result<(), &'static str> {
        Ok(())
    }

    pub fn check() -> Result<(), &'static str> {
        Ok(())
    }
}
