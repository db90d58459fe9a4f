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

/// The system's number of a thread of this process.
#[derive(Clone, Copy, Debug)]
pub struct ThreadNumber(#[cfg(target_os = "linux")] libc::pid_t);

/// That of the calling thread.
pub fn this_thread() -> ThreadNumber {
    // SAFETY: takes nothing.
    ThreadNumber(
        #[cfg(target_os = "linux")]
        unsafe {
            libc::gettid()
        },
    )
}

/// Processors that a thread may be on.
pub struct Processors(#[cfg(target_os = "linux")] libc::cpu_set_t);

/// Has `sleeper`, which is about to be woken, begin on another processor than the caller's, if it may be on any. Returns those that it
/// may be on, for [`Processors::allow`]. `None`: it begins where the system has it begin.
///
/// Linux wakes a thread where it has been, or where the caller is, without a look at the others when few processors share a cache and one
/// of them is busy. There the sleeper takes the caller's place for some milliseconds, while the other processor does nothing.
pub fn begin_elsewhere(sleeper: ThreadNumber) -> Option<Processors> {
    #[cfg(target_os = "linux")]
    {
        let own = usize::try_from(current()).ok()?;
        let size = size_of::<libc::cpu_set_t>();
        // SAFETY: the sets are valid for what the system reads and writes, zeros too, and the processor's number is looked at.
        unsafe {
            let mut all = std::mem::zeroed::<libc::cpu_set_t>();
            if own >= size * 8 || libc::sched_getaffinity(sleeper.0, size, &raw mut all) != 0 {
                return None;
            }
            let mut others = all;
            libc::CPU_CLR(own, &mut others);
            let is_set =
                libc::CPU_COUNT(&others) > 0 && libc::sched_setaffinity(sleeper.0, size, &raw const others) == 0;
            is_set.then_some(Processors(all))
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = sleeper;
        None
    }
}

impl Processors {
    /// The calling thread may be on them, which stays on the one that it is on for now.
    pub fn allow(self) {
        #[cfg(target_os = "linux")]
        // SAFETY: the set is valid for the read.
        unsafe {
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const self.0);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn allowed(thread: ThreadNumber) -> libc::cpu_set_t {
        // SAFETY: the set is valid for the write, and zeros are valid for it.
        unsafe {
            let mut set = std::mem::zeroed();
            assert_eq!(libc::sched_getaffinity(thread.0, size_of::<libc::cpu_set_t>(), &raw mut set), 0);
            set
        }
    }

    #[test]
    fn who_is_woken_begins_elsewhere_and_may_be_anywhere_then() {
        if count() < 2 {
            // SAFETY: as above.
            assert!(begin_elsewhere(this_thread()).is_none(), "there is no other");
            return;
        }
        let (tell, told) = channel();
        let (wake, is_woken) = channel::<Processors>();
        let sleeper = thread::spawn(move || {
            tell.send(this_thread()).unwrap();
            is_woken.recv().unwrap().allow();
            allowed(this_thread())
        });
        let number = told.recv().unwrap();
        let before = allowed(number);
        let processors = begin_elsewhere(number).expect("there is another");
        let between = allowed(number);
        // SAFETY: the sets are valid.
        unsafe {
            assert_eq!(libc::CPU_COUNT(&between), libc::CPU_COUNT(&before) - 1);
            assert!((0..1024).all(|one| !libc::CPU_ISSET(one, &between) || libc::CPU_ISSET(one, &before)));
            wake.send(processors).unwrap();
            assert!(libc::CPU_EQUAL(&sleeper.join().unwrap(), &before));
        }
    }
}
