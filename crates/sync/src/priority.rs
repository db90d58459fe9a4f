//! How threads share the processors with the host: each sets its own priority when it starts.

/// How much nicer than the host's threads those are that run guests. On a machine with more guests than processors the event loop
/// still gets its turn immediately. With processors to spare it makes no difference.
const GUEST_NICE: i32 = 5;
/// How much nicer than a guest the threads are that help it alone.
pub const HELPING_NICE: i32 = 11;
/// The highest niceness of the system. For a thread that cannot be ended.
const NICEST: i32 = 19;

/// A thread as the system knows it.
#[derive(Clone, Copy, Debug)]
pub struct Thread(#[cfg(target_os = "linux")] libc::id_t);

impl Thread {
    /// Whoever calls, by the system's name for it: the only one that a sandbox lets it change.
    pub const CALLER: Self = Self(
        #[cfg(target_os = "linux")]
        0,
    );

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

    /// The first one of this process, whose niceness is the host's.
    fn first() -> Self {
        Self(
            #[cfg(target_os = "linux")]
            std::process::id(),
        )
    }

    /// How nice the thread is to others; 0 where the system has no such thing.
    fn niceness(self) -> i32 {
        #[cfg(target_os = "linux")]
        {
            // SAFETY: it takes numbers only.
            unsafe { libc::getpriority(libc::PRIO_PROCESS, self.0) }
        }
        #[cfg(not(target_os = "linux"))]
        0
    }

    /// Gives the thread only the processor time that no other thread wants. It must not have ended: the system may have given its
    /// number to another one.
    pub fn hold_back(self) {
        self.set_niceness(NICEST);
    }

    /// Where the system refuses, nothing changes.
    fn set_niceness(self, niceness: i32) {
        #[cfg(target_os = "linux")]
        {
            // SAFETY: it takes numbers only.
            unsafe { libc::setpriority(libc::PRIO_PROCESS, self.0, niceness.min(NICEST)) };
        }
        #[cfg(not(target_os = "linux"))]
        let _ = niceness;
    }
}

/// Makes the calling thread, and those that it starts later, as nice as guests are, where the system can.
pub fn work_for_guests() {
    Thread::CALLER.set_niceness(Thread::first().niceness() + GUEST_NICE);
}

/// Makes the calling thread nicer than guests are, which it helps, where the system can.
pub fn help_guests() {
    Thread::CALLER.set_niceness(Thread::first().niceness() + GUEST_NICE + HELPING_NICE);
}

/// Makes the calling thread, and those that it starts later, so much nicer, where the system can.
pub fn lower(steps: i32) {
    Thread::CALLER.set_niceness(Thread::CALLER.niceness() + steps);
}
