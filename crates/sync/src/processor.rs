//! Processors.

use std::sync::OnceLock;
use std::thread;

/// No processor.
pub const UNKNOWN: i32 = -1;

/// The one that the calling thread is on; [`UNKNOWN`] where the system does not say, which takes no system call.
pub fn current() -> i32 {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: takes nothing and touches no memory of ours.
        unsafe { libc::sched_getcpu() }
    }
    #[cfg(not(target_os = "linux"))]
    UNKNOWN
}

/// How many there are for this process.
pub fn count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

/// Moves the calling thread to another processor, if it is on this one and may be on another, where it may be on all again.
///
/// Linux wakes a thread where it has been, or where the caller is, without a look at the others when few processors share a cache and one
/// of them is busy. There it takes the place of who has woken it for some milliseconds, while the other processor does nothing.
pub fn leave(processor: i32) {
    #[cfg(target_os = "linux")]
    if let Ok(number) = usize::try_from(processor)
        && processor == current()
        && number < libc::CPU_SETSIZE as usize
    {
        let size = size_of::<libc::cpu_set_t>();
        // SAFETY: the sets are valid for what the system reads and writes, zeros too, and have a place for the number.
        unsafe {
            let mut all = std::mem::zeroed::<libc::cpu_set_t>();
            if libc::sched_getaffinity(0, size, &raw mut all) != 0 {
                return;
            }
            let mut others = all;
            libc::CPU_CLR(number, &mut others);
            // Refused where there are none. Else it has moved when this returns.
            if libc::sched_setaffinity(0, size, &raw const others) == 0 {
                libc::sched_setaffinity(0, size, &raw const all);
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = processor;
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn allowed() -> libc::cpu_set_t {
        // SAFETY: the set is valid for the write, and zeros are valid for it.
        unsafe {
            let mut set = std::mem::zeroed();
            assert_eq!(libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set), 0);
            set
        }
    }

    /// Has the calling thread be on the first processor that it may be on, and returns which that is.
    fn settle(all: &libc::cpu_set_t) -> usize {
        // SAFETY: the sets are valid.
        unsafe {
            let first = (0..libc::CPU_SETSIZE as usize).find(|&one| libc::CPU_ISSET(one, all)).expect("it is on one");
            let mut only = std::mem::zeroed();
            libc::CPU_SET(first, &mut only);
            assert_eq!(libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const only), 0);
            first
        }
    }

    #[test]
    fn who_leaves_a_processor_is_on_another_and_may_be_on_all() {
        let all = allowed();
        let first = settle(&all) as i32;
        leave(first);
        assert_eq!(current(), first, "there is no other");
        // SAFETY: the set is valid.
        let count = unsafe {
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const all);
            libc::CPU_COUNT(&all)
        };
        // The system may have moved it by itself.
        let has_left = (0..1_000).any(|_| {
            leave(first);
            current() != first
        });
        assert_eq!(has_left, count > 1);
        // SAFETY: the sets are valid.
        assert!(unsafe { libc::CPU_EQUAL(&allowed(), &all) });
        leave(UNKNOWN);
        leave(i32::MAX);
    }
}
