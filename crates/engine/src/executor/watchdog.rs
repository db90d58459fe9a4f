//! Deadlines of all executors on one thread of the process, and the runtime of what is to happen a moment later.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle, Runtime};

/// Never dropped: its one thread sleeps until the next task and ends with the process.
static TIMERS: OnceLock<Runtime> = OnceLock::new();

/// The runtime of delayed tasks.
///
/// # Errors
///
/// The operating system refused a thread.
pub fn timers() -> std::io::Result<&'static Handle> {
    if let Some(runtime) = TIMERS.get() {
        return Ok(runtime.handle());
    }
    let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("ses-timers").enable_time().build()?;
    Ok(TIMERS.get_or_init(|| runtime).handle())
}

static WATCHDOG: Watchdog = Watchdog { state: Mutex::new(State::new()), sooner: Condvar::new() };

/// Every run arms a deadline and nearly every one disarms it again, so that neither wakes the thread: it is woken for a
/// deadline before the moment that it sleeps until, and finds out at that moment what is left to do.
struct Watchdog {
    /// Held for a few instructions only, by any thread.
    state: Mutex<State>,
    /// A deadline is before [`State::wakes_at`].
    sooner: Condvar,
}

struct State {
    /// By number. There are few, and the thread that looks through them seldom wakes.
    armed: BTreeMap<u64, Armed>,
    last_number: u64,
    has_thread: bool,
    /// Until when the thread sleeps; absent: until it is woken.
    wakes_at: Option<Instant>,
}

struct Armed {
    at: Instant,
    cpu: Option<CpuBudget>,
    expire: Box<dyn FnOnce() + Send>,
}

/// The moment at which the thread of `clock` has used up its time.
struct CpuBudget {
    clock: CpuClock,
    end: Duration,
}

impl CpuBudget {
    /// What is left of it; absent: nothing, or the thread has ended.
    fn left(&self) -> Option<Duration> {
        self.end.checked_sub(self.clock.now()?).filter(|left| !left.is_zero())
    }
}

impl State {
    const fn new() -> Self {
        Self { armed: BTreeMap::new(), last_number: 0, has_thread: false, wakes_at: None }
    }

    /// Takes out what is due. What waits for processor time that is not used up is due again when it can be.
    fn take_due(&mut self, now: Instant) -> Vec<Armed> {
        let mut due = Vec::new();
        for (&number, armed) in self.armed.iter_mut().filter(|(_, armed)| armed.at <= now) {
            match armed.cpu.as_ref().and_then(CpuBudget::left) {
                Some(left) => armed.at = now + left,
                None => due.push(number),
            }
        }
        due.into_iter().filter_map(|number| self.armed.remove(&number)).collect()
    }
}

impl Watchdog {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn arm(&'static self, armed: Armed) -> std::io::Result<Deadline> {
        let mut state = self.state();
        if !state.has_thread {
            std::thread::Builder::new().name("ses-watchdog".to_owned()).spawn(|| self.watch())?;
            state.has_thread = true;
        }
        state.last_number += 1;
        let number = state.last_number;
        let at = armed.at;
        state.armed.insert(number, armed);
        if state.wakes_at.is_none_or(|wakes_at| at < wakes_at) {
            // Here already, so that the next one does not wake the thread for the same reason.
            state.wakes_at = Some(at);
            self.sooner.notify_one();
        }
        Ok(Deadline(number))
    }

    /// The thread, which ends with the process.
    fn watch(&self) {
        let mut state = self.state();
        loop {
            let now = Instant::now();
            let due = state.take_due(now);
            if !due.is_empty() {
                drop(state);
                due.into_iter().for_each(|armed| (armed.expire)());
                state = self.state();
                continue;
            }
            state.wakes_at = state.armed.values().map(|armed| armed.at).min();
            state = match state.wakes_at {
                Some(at) => {
                    let slept = self.sooner.wait_timeout(state, at.saturating_duration_since(now));
                    slept.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.sooner.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

/// A deadline that is disarmed when dropped.
#[derive(Debug)]
pub struct Deadline(u64);

impl Deadline {
    /// Calls `expire` on the watchdog thread at `at`, unless the deadline is dropped before.
    ///
    /// `expire` may still be called if it has begun when the deadline is dropped; [`super::job::Job::claim`]
    /// decides that race.
    ///
    /// # Errors
    ///
    /// The operating system refused a thread.
    pub fn arm(at: Instant, expire: impl FnOnce() + Send + 'static) -> std::io::Result<Self> {
        WATCHDOG.arm(Armed { at, cpu: None, expire: Box::new(expire) })
    }

    /// Calls `expire` when `clock` has advanced by `budget`. Looks each time when what is left of it has passed, which is
    /// the earliest moment at which it can be used up.
    ///
    /// # Errors
    ///
    /// As [`Self::arm`].
    pub fn arm_cpu(
        clock: CpuClock,
        budget: Duration,
        expire: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<Option<Self>> {
        let Some(now) = clock.now() else { return Ok(None) };
        let cpu = Some(CpuBudget { clock, end: now + budget });
        WATCHDOG.arm(Armed { at: Instant::now() + budget, cpu, expire: Box::new(expire) }).map(Some)
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        // Dropped outside of the lock, with what `expire` holds.
        let _armed = WATCHDOG.state().armed.remove(&self.0);
    }
}

/// Processor time of one thread.
#[derive(Clone, Copy, Debug)]
pub struct CpuClock(#[cfg(target_os = "linux")] libc::clockid_t);

impl CpuClock {
    /// The clock of the calling thread; `None` where the system has none that other threads can read.
    pub fn of_this_thread() -> Option<Self> {
        #[cfg(target_os = "linux")]
        {
            let mut clock = 0;
            // SAFETY: `clock` is valid for the write, and `pthread_self` is a live thread.
            let status = unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &raw mut clock) };
            (status == 0).then_some(Self(clock))
        }
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// Time used so far; `None` once the thread has ended.
    pub fn now(self) -> Option<Duration> {
        #[cfg(target_os = "linux")]
        {
            let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
            // SAFETY: `time` is valid for the write; the system checks the clock.
            let status = unsafe { libc::clock_gettime(self.0, &raw mut time) };
            (status == 0).then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
        }
        #[cfg(not(target_os = "linux"))]
        None
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{RecvError, channel};

    use super::*;

    #[test]
    fn a_sooner_deadline_wakes_the_thread() {
        let (expired, when) = channel();
        let _late = Deadline::arm(Instant::now() + Duration::from_secs(3_600), || {}).unwrap();
        let at = Instant::now() + Duration::from_millis(1);
        let _soon = Deadline::arm(at, move || expired.send(Instant::now()).unwrap()).unwrap();
        assert!(when.recv().unwrap() >= at);
    }

    #[test]
    fn a_dropped_deadline_drops_what_it_would_have_called() {
        let (expired, when) = channel::<()>();
        let at = Instant::now() + Duration::from_secs(3_600);
        drop(Deadline::arm(at, move || expired.send(()).unwrap()).unwrap());
        assert_eq!(when.recv(), Err(RecvError));
    }
}
