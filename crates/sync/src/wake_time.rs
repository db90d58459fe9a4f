//! The moment until which a thread sleeps.

use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The moment until which one thread sleeps. Other threads may bring it forward.
///
/// Uses a timer of the system where one is available, because setting it wakes no thread. Waking a thread is expensive:
/// if the processors were idle, it costs the waking thread several times as much as a short run. It also takes the
/// processor that another thread is about to get.
#[derive(Debug)]
pub struct WakeTime(Kind);

#[derive(Debug)]
enum Kind {
    #[cfg(target_os = "linux")]
    Timer(timer::Timer),
    Signal(Signal),
}

impl Default for WakeTime {
    /// Takes one descriptor, if the system has one left.
    fn default() -> Self {
        #[cfg(target_os = "linux")]
        if let Ok(timer) = timer::Timer::new() {
            return Self(Kind::Timer(timer));
        }
        Self::without_timer()
    }
}

impl WakeTime {
    /// Takes no descriptor. Setting it wakes the thread, which goes to sleep again.
    pub fn without_timer() -> Self {
        Self(Kind::Signal(Signal::default()))
    }

    /// Sets or clears the moment. A thread that is already asleep sleeps until the new moment.
    ///
    /// # Errors
    ///
    /// Other code has closed the timer.
    pub fn set(&self, at: Option<Instant>) -> io::Result<()> {
        match &self.0 {
            #[cfg(target_os = "linux")]
            Kind::Timer(timer) => timer.set(at),
            Kind::Signal(signal) => {
                signal.set(at);
                Ok(())
            }
        }
    }

    /// Sleeps until the moment has passed. Only one thread may call it.
    ///
    /// # Errors
    ///
    /// As for [`Self::set`]; the moment may not have passed.
    pub fn wait(&self) -> io::Result<()> {
        match &self.0 {
            #[cfg(target_os = "linux")]
            Kind::Timer(timer) => timer.wait(),
            Kind::Signal(signal) => {
                signal.wait();
                Ok(())
            }
        }
    }
}

#[cfg(target_os = "linux")]
mod timer {
    use std::io::{Error, ErrorKind, Result};
    use std::mem::MaybeUninit;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
    use std::ptr::null_mut;
    use std::time::{Duration, Instant};

    #[derive(Debug)]
    pub struct Timer(OwnedFd);

    impl Timer {
        pub fn new() -> Result<Self> {
            // SAFETY: the call takes only numbers.
            let fd = unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_CLOEXEC) };
            if fd < 0 {
                return Err(Error::last_os_error());
            }
            // SAFETY: nothing else owns the descriptor.
            Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
        }

        pub fn set(&self, at: Option<Instant>) -> Result<()> {
            // Zero disarms the timer.
            let left = at
                .map_or(Duration::ZERO, |at| at.saturating_duration_since(Instant::now()).max(Duration::from_nanos(1)));
            let never = libc::timespec { tv_sec: 0, tv_nsec: 0 };
            let value = libc::timespec {
                tv_sec: left.as_secs().try_into().unwrap_or(libc::time_t::MAX),
                tv_nsec: left.subsec_nanos().into(),
            };
            let spec = libc::itimerspec { it_interval: never, it_value: value };
            // SAFETY: `spec` is valid for the read.
            let status = unsafe { libc::timerfd_settime(self.0.as_raw_fd(), 0, &raw const spec, null_mut()) };
            if status < 0 { Err(Error::last_os_error()) } else { Ok(()) }
        }

        pub fn wait(&self) -> Result<()> {
            let mut times = MaybeUninit::<u64>::uninit();
            loop {
                // SAFETY: `times` is valid for the write of its bytes.
                let read = unsafe { libc::read(self.0.as_raw_fd(), times.as_mut_ptr().cast(), size_of::<u64>()) };
                if read >= 0 {
                    return Ok(());
                }
                let error = Error::last_os_error();
                if error.kind() != ErrorKind::Interrupted {
                    return Err(error);
                }
            }
        }
    }
}

#[derive(Debug, Default)]
struct Signal {
    at: Mutex<Option<Instant>>,
    is_set: Condvar,
}

impl Signal {
    fn at(&self) -> MutexGuard<'_, Option<Instant>> {
        self.at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, at: Option<Instant>) {
        *self.at() = at;
        self.is_set.notify_one();
    }

    fn wait(&self) {
        let mut at = self.at();
        loop {
            at = match *at {
                None => self.is_set.wait(at).unwrap_or_else(PoisonError::into_inner),
                Some(due) => {
                    let left = due.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return;
                    }
                    self.is_set.wait_timeout(at, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use super::*;

    const KINDS: [fn() -> WakeTime; 2] = [WakeTime::default, WakeTime::without_timer];
    const HOUR: Duration = Duration::from_secs(3_600);

    #[test]
    fn a_thread_sleeps_until_the_moment_and_not_less() {
        for wake_time in KINDS {
            let (wake_time, at) = (wake_time(), Instant::now() + Duration::from_millis(2));
            wake_time.set(Some(at)).unwrap();
            wake_time.wait().unwrap();
            assert!(Instant::now() >= at);
            wake_time.set(Some(at)).unwrap();
            wake_time.wait().unwrap();
        }
    }

    #[test]
    fn the_moment_is_brought_forward_for_who_sleeps() {
        for wake_time in KINDS {
            for first in [None, Some(Instant::now() + HOUR)] {
                let wake_time = Arc::new(wake_time());
                wake_time.set(first).unwrap();
                let (wakes, has_woken) = channel();
                let sleeper = wake_time.clone();
                thread::spawn(move || {
                    sleeper.wait().unwrap();
                    wakes.send(Instant::now()).unwrap();
                });
                let at = Instant::now() + Duration::from_millis(2);
                wake_time.set(Some(at)).unwrap();
                assert!(has_woken.recv().unwrap() >= at);
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn who_sets_the_moment_wakes_nobody() {
        /// How often the calling thread has gone to sleep.
        fn sleeps() -> i64 {
            let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
            // SAFETY: `usage` is valid for the write, and zeros are valid for it.
            unsafe {
                libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
                usage.assume_init().ru_nvcsw
            }
        }
        let wake_time = Arc::<WakeTime>::default();
        let (tells, has_told) = channel();
        let sleeper = wake_time.clone();
        thread::spawn(move || {
            tells.send(0).unwrap();
            let before = sleeps();
            sleeper.wait().unwrap();
            tells.send(sleeps() - before).unwrap();
        });
        has_told.recv().unwrap();
        for sooner in 0..1_000 {
            wake_time.set(Some(Instant::now() + HOUR - Duration::from_secs(sooner))).unwrap();
            thread::yield_now();
        }
        wake_time.set(Some(Instant::now())).unwrap();
        assert!(has_told.recv().unwrap() <= 1);
    }
}
