//! How threads share the processors with the host.

use std::sync::OnceLock;
use std::thread;

/// How much nicer guests are than the host's threads: on a machine with more guests than processors the event loop still gets
/// its turn at once. With processors to spare it makes no difference.
const GUEST_NICE: i32 = 5;
/// And how much nicer yet a thread is that has only an isolate to free.
pub const FREEING_NICE: i32 = 5;

/// How much nicer yet a guest is whose run goes on computing: those that compute for a moment only are served first.
pub const COMPUTING_NICE: i32 = 10;
/// How much nicer than a guest those are that help it alone: nicer than any guest.
pub const HELPING_NICE: i32 = COMPUTING_NICE + 1;
/// Nobody is nicer: a thread that cannot be ended.
pub const NICEST: i32 = 19;

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
        Self::numbered(std::process::id())
    }

    /// A thread of any process, by its number.
    pub fn numbered(id: u32) -> Self {
        #[cfg(target_os = "linux")]
        {
            Self(id)
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = id;
            Self()
        }
    }

    /// How nice the thread is to others; 0 where the system has no such thing.
    pub fn niceness(self) -> i32 {
        #[cfg(target_os = "linux")]
        {
            // SAFETY: it takes numbers only.
            unsafe { libc::getpriority(libc::PRIO_PROCESS, self.0) }
        }
        #[cfg(not(target_os = "linux"))]
        0
    }

    /// Makes the thread so nice, which must not have ended, since another one may have its number then. False: the system
    /// refuses, as it does without privileges if that is less nice than before.
    pub fn set_niceness(self, niceness: i32) -> bool {
        #[cfg(target_os = "linux")]
        {
            // SAFETY: it takes numbers only.
            unsafe { libc::setpriority(libc::PRIO_PROCESS, self.0, niceness.min(NICEST)) == 0 }
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = niceness;
            false
        }
    }
}

/// Whether the system lets a thread be less nice again, which takes a privilege that containers seldom have. Tried once.
pub fn can_restore() -> bool {
    static CAN: OnceLock<bool> = OnceLock::new();
    let attempt = || {
        let this = Thread::this();
        let before = this.niceness();
        this.set_niceness(before + 1) && this.set_niceness(before)
    };
    // On a thread of its own, which is nicer for good where it is refused.
    *CAN.get_or_init(|| thread::Builder::new().spawn(attempt).is_ok_and(|tried| tried.join().unwrap_or(false)))
}

/// How nice guests are at first.
pub fn of_guests() -> i32 {
    Thread::first().niceness() + GUEST_NICE
}

/// How nice those are who make something that nobody waits for yet: nicer than guests, if they need not stay so.
pub fn ahead_of_need() -> i32 {
    of_guests() + if can_restore() { COMPUTING_NICE } else { 0 }
}

/// Makes the calling thread as nice as that.
pub fn work_ahead_of_need() {
    Thread::CALLER.set_niceness(ahead_of_need());
}

/// Makes the calling thread, and those that it starts later, as nice as guests are at first, where the system can.
pub fn work_for_guests() {
    Thread::CALLER.set_niceness(of_guests());
}

/// Makes the calling thread nicer than guests are, which it helps, where the system can.
pub fn help_guests() {
    Thread::CALLER.set_niceness(of_guests() + HELPING_NICE);
}

/// Makes the calling thread, and those that it starts later, nicer than it is to all others, where the system can. It never
/// gets that back.
pub fn lower(steps: i32) {
    // That it may be refused changes nothing.
    Thread::CALLER.set_niceness(Thread::CALLER.niceness() + steps);
}
