//! How threads share the processors with the host.

/// How much nicer guests are than the host's threads: on a machine with more guests than processors the event loop still gets
/// its turn at once. With processors to spare it makes no difference.
pub const GUEST_NICE: i32 = 5;
/// And how much nicer yet a thread is that has only an isolate to free.
pub const FREEING_NICE: i32 = 5;

/// Nobody is nicer: a thread that cannot be ended.
#[cfg(target_os = "linux")]
const NICEST: i32 = 19;

/// A thread as the system knows it.
#[derive(Clone, Copy, Debug)]
pub struct Thread(#[cfg(target_os = "linux")] libc::id_t);

impl Thread {
    /// The calling thread.
    pub fn this() -> Self {
        #[cfg(target_os = "linux")]
        {
            // SAFETY: it takes nothing and cannot fail.
            let id = unsafe { libc::gettid() };
            Self(id.cast_unsigned())
        }
        #[cfg(not(target_os = "linux"))]
        Self()
    }

    /// Makes the thread as nice as can be, where the system can. It must not have ended, since another one may have its number
    /// then.
    pub fn hold_back(self) {
        #[cfg(target_os = "linux")]
        // SAFETY: it takes numbers only. That it may be refused changes nothing.
        unsafe {
            libc::setpriority(libc::PRIO_PROCESS, self.0, NICEST);
        };
    }
}

/// Makes the calling thread, and those that it starts later, nicer than it is to all others, where the system can. It never
/// gets that back.
pub fn lower(steps: i32) {
    #[cfg(target_os = "linux")]
    // SAFETY: these take numbers only; 0 is the calling thread. That it may be refused changes nothing.
    unsafe {
        let nice = libc::getpriority(libc::PRIO_PROCESS, 0);
        libc::setpriority(libc::PRIO_PROCESS, 0, nice + steps);
    };
    #[cfg(not(target_os = "linux"))]
    let _ = steps;
}
