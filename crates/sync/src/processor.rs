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

/// Calls `work` on another processor than this one, if the calling thread may be on another.
///
/// Linux wakes a thread where it has been, or where the caller is, without a look at the others when few processors share a cache and one
/// of them is busy. There it takes the place of who has woken it for some milliseconds, while the other processor does nothing.
pub fn apart_from<T>(processor: i32, work: impl FnOnce() -> T) -> T {
    #[cfg(target_os = "linux")]
    if let Ok(number) = usize::try_from(processor)
        && number < libc::CPU_SETSIZE as usize
    {
        let size = size_of::<libc::cpu_set_t>();
        // SAFETY: the sets are valid for what the system reads and writes, zeros too, and have a place for the number.
        let moved = unsafe {
            let mut all = std::mem::zeroed::<libc::cpu_set_t>();
            let is_known = libc::sched_getaffinity(0, size, &raw mut all) == 0;
            let mut others = all;
            libc::CPU_CLR(number, &mut others);
            // Refused where there are none. Else it has moved when this returns.
            (is_known && libc::sched_setaffinity(0, size, &raw const others) == 0).then_some(Apart(all))
        };
        let result = work();
        drop(moved);
        return result;
    }
    #[cfg(not(target_os = "linux"))]
    let _ = processor;
    work()
}

/// While the calling thread is not to be on one of its processors: all of them.
#[cfg(target_os = "linux")]
struct Apart(libc::cpu_set_t);

#[cfg(target_os = "linux")]
impl Drop for Apart {
    fn drop(&mut self) {
        // SAFETY: the set is valid for the read.
        unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const self.0) };
    }
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
    fn who_works_apart_is_on_another_processor_and_may_be_on_all_behind_it() {
        let all = allowed();
        let first = settle(&all) as i32;
        assert_eq!(apart_from(first, current), first, "there is no other");
        // SAFETY: the set is valid.
        let count = unsafe {
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const all);
            libc::CPU_COUNT(&all)
        };
        for one in [first, first, UNKNOWN, i32::MAX] {
            assert_eq!(apart_from(one, current) == one, one == first && count == 1);
            // SAFETY: the sets are valid.
            assert!(unsafe { libc::CPU_EQUAL(&allowed(), &all) });
        }
    }

    #[test]
    fn who_panics_apart_may_be_on_all_processors_behind_it() {
        let all = allowed();
        let panicked = std::panic::catch_unwind(|| apart_from(current(), || panic!("on purpose")));
        assert!(panicked.is_err());
        // SAFETY: the sets are valid.
        assert!(unsafe { libc::CPU_EQUAL(&allowed(), &all) });
    }
}
