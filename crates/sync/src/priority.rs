//! How threads share the processors with the host: each sets its own priority when it starts.

/// Niceness of guest threads above the host's threads. On a machine with more guests than processors, the event loop
/// still gets its turn immediately. With processors to spare it makes no difference.
const GUEST_NICE: i32 = 5;
/// Niceness above a guest's of threads that help only that guest.
pub const HELPER_NICE: i32 = 11;
/// The highest niceness of the system, for a thread that cannot be ended.
const NICEST: i32 = 19;

/// A thread, identified as the system does.
#[derive(Clone, Copy, Debug)]
pub struct Thread(#[cfg(target_os = "linux")] libc::id_t);

impl Thread {
    /// The calling thread, by the number that the system reserves for it. A sandbox allows changes to this number only.
    pub const CALLER: Self = Self(
        #[cfg(target_os = "linux")]
        0,
    );

    /// The calling thread.
    pub fn this() -> Self {
        #[cfg(target_os = "linux")]
        {
            // SAFETY: the call takes no arguments and cannot fail.
            let id = unsafe { libc::gettid() };
            Self(id.cast_unsigned())
        }
        #[cfg(not(target_os = "linux"))]
        Self()
    }

    /// The first thread of this process. Its niceness is the host's.
    fn first() -> Self {
        Self(
            #[cfg(target_os = "linux")]
            std::process::id(),
        )
    }

    /// The niceness of the thread; 0 if the system has no such concept.
    fn niceness(self) -> i32 {
        #[cfg(target_os = "linux")]
        {
            // SAFETY: the call takes only numbers.
            unsafe { libc::getpriority(libc::PRIO_PROCESS, self.0) }
        }
        #[cfg(not(target_os = "linux"))]
        0
    }

    /// Gives the thread only the processor time that no other thread wants. The thread must not have ended, because the
    /// system may have reused its number.
    pub fn set_lowest_priority(self) {
        self.set_niceness(NICEST);
    }

    /// Changes nothing if the system refuses.
    fn set_niceness(self, niceness: i32) {
        #[cfg(target_os = "linux")]
        {
            // SAFETY: the call takes only numbers.
            unsafe { libc::setpriority(libc::PRIO_PROCESS, self.0, niceness.min(NICEST)) };
        }
        #[cfg(not(target_os = "linux"))]
        let _ = niceness;
    }
}

/// Gives the calling thread, and threads that it starts later, the niceness of guests, where the system can.
pub fn use_guest_priority() {
    Thread::CALLER.set_niceness(Thread::first().niceness() + GUEST_NICE);
}

/// Makes the calling thread nicer than the guest that it helps, where the system can.
pub fn use_helper_priority() {
    Thread::CALLER.set_niceness(Thread::first().niceness() + GUEST_NICE + HELPER_NICE);
}

/// Raises the niceness of the calling thread, and of threads that it starts later, by `steps`, where the system can.
pub fn raise_niceness(steps: i32) {
    Thread::CALLER.set_niceness(Thread::CALLER.niceness() + steps);
}
