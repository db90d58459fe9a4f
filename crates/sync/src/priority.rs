//! How threads share the processors with the host.

/// How much nicer guests are than the host's threads: on a machine with more guests than processors the event loop still gets
/// its turn at once. With processors to spare it makes no difference.
pub const GUEST_NICE: i32 = 5;
/// And how much nicer yet a thread is that has only an isolate to free.
pub const FREEING_NICE: i32 = 5;

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
