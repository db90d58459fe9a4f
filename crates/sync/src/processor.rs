//! Processors.

use std::sync::OnceLock;
use std::thread;

#[cfg(target_os = "linux")]
use crate::priority::Thread;

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

/// Processors that a thread may be on.
///
/// Linux wakes a thread where it has been, or where the caller is, without a look at the others when few processors share a cache and one
/// of them is busy, or when a hypervisor has the one where it has been asleep. Where the caller is it waits for some milliseconds, or has
/// the caller wait, while the other processor does nothing. So one that works beside another is to be kept off its processor before it is
/// woken.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy)]
pub struct Processors(libc::cpu_set_t);

#[cfg(target_os = "linux")]
impl Processors {
    /// Those that the calling thread may be on.
    pub fn of_this_thread() -> Option<Self> {
        // SAFETY: the set is valid for the write, and zeros are valid for it.
        unsafe {
            let mut all = std::mem::zeroed();
            (libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut all) == 0).then_some(Self(all))
        }
    }

    pub fn without(mut self, processor: i32) -> Self {
        if let Ok(number) = usize::try_from(processor)
            && number < libc::CPU_SETSIZE as usize
        {
            // SAFETY: the set has a place for the number.
            unsafe { libc::CPU_CLR(number, &mut self.0) };
        }
        self
    }

    /// Keeps a thread of this process on these, which is on one of them when this returns, or asleep. False: there are none, and it stays
    /// where it was.
    pub fn keep(&self, thread: Thread) -> bool {
        // SAFETY: the set is valid for the read; the system looks for the thread.
        unsafe { libc::sched_setaffinity(thread.number(), size_of::<libc::cpu_set_t>(), &raw const self.0) == 0 }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::thread;

    use super::*;

    fn allowed() -> libc::cpu_set_t {
        Processors::of_this_thread().expect("Linux says it").0
    }

    #[test]
    fn who_is_kept_off_a_processor_is_on_another_one() {
        let spawned = thread::spawn(|| {
            let all = Processors::of_this_thread().expect("Linux says it");
            let here = current();
            let others = all.without(here);
            // SAFETY: the set is valid.
            let is_alone = unsafe { libc::CPU_COUNT(&all.0) } == 1;
            assert_eq!(others.keep(Thread::CALLER), !is_alone);
            assert_eq!(current() == here, is_alone);
            assert!(all.keep(Thread::this()));
            // SAFETY: the sets are valid.
            assert!(unsafe { libc::CPU_EQUAL(&allowed(), &all.0) });
        });
        spawned.join().expect("no panic");
    }

    #[test]
    fn numbers_of_no_processors_change_nothing() {
        let all = Processors::of_this_thread().expect("Linux says it");
        for number in [UNKNOWN, i32::MAX] {
            // SAFETY: the sets are valid.
            assert!(unsafe { libc::CPU_EQUAL(&all.without(number).0, &all.0) });
        }
    }
}
