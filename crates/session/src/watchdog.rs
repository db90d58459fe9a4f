//! Deadlines and short delays, all on one thread.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ses_sync::{CpuClock, WakeTime};

/// The thread starts with the first deadline and ends when the watchdog is dropped.
pub struct Watchdog(Arc<Table>);

/// Every run arms a deadline, and nearly every run disarms it again. So neither operation wakes the thread. Arming only
/// moves its wake-up time forward. When it wakes, it checks which deadlines are left.
struct Table {
    /// Any thread may hold it, for a few instructions only.
    state: Mutex<State>,
    /// Set to [`State::wakes_at`], under the lock of the state.
    wake_time: WakeTime,
    start: Start,
}

/// How long the thread sleeps if other code has closed its timer.
const WITHOUT_ALARM: Duration = Duration::from_millis(1);

#[cfg(test)]
thread_local! {
    /// Delay of the calling thread after it has armed something.
    pub static HELD_UP: std::cell::Cell<Duration> = const { std::cell::Cell::new(Duration::ZERO) };
}

/// Starts the thread of a watchdog.
type Start = fn(Arc<Table>) -> io::Result<()>;

#[derive(Default)]
struct State {
    /// Deadlines by number. There are few, and the thread seldom looks through them.
    armed: BTreeMap<u64, Armed>,
    last_number: u64,
    has_thread: bool,
    is_gone: bool,
    /// When the thread wakes. Absent: it sleeps until it is woken.
    wakes_at: Option<Instant>,
}

struct Armed {
    at: Instant,
    cpu: Option<CpuBudget>,
    expire: Box<dyn FnOnce() + Send>,
}

/// The moment at which the thread of `clock` has used up its processor time.
struct CpuBudget {
    clock: CpuClock,
    end: Duration,
}

impl CpuBudget {
    /// Processor time that is left. Absent: none, or the thread has ended.
    fn left(&self) -> Option<Duration> {
        self.end.checked_sub(self.clock.now()?).filter(|left| !left.is_zero())
    }
}

impl State {
    /// Takes out the deadlines that are due. A deadline for processor time that is not used up becomes due again at the
    /// earliest moment at which it can be.
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

impl Default for Watchdog {
    fn default() -> Self {
        Self::with(WakeTime::default(), start)
    }
}

/// Starts the thread.
fn start(table: Arc<Table>) -> io::Result<()> {
    let thread = std::thread::Builder::new().name("ses-watchdog".to_owned());
    thread.spawn(move || table.watch()).map(drop)
}

impl Watchdog {
    /// A watchdog that takes no file descriptor and wakes more often.
    pub fn without_timer() -> Self {
        Self::with(WakeTime::without_timer(), start)
    }

    fn with(wake_time: WakeTime, start: Start) -> Self {
        Self(Arc::new(Table { state: Mutex::default(), wake_time, start }))
    }

    /// A watchdog whose thread the system refuses to start.
    #[cfg(test)]
    pub fn refused() -> Self {
        Self::with(WakeTime::default(), |_| Err(io::ErrorKind::WouldBlock.into()))
    }

    /// Calls `expire` on the watchdog's thread at `at`, unless the deadline is dropped before.
    ///
    /// If `expire` has begun when the deadline is dropped, it still completes. [`crate::jobs::Jobs::claim`] decides
    /// that race.
    ///
    /// # Errors
    ///
    /// The operating system refused a thread, or other code has closed the timer.
    pub fn arm(&self, at: Instant, expire: impl FnOnce() + Send + 'static) -> io::Result<Deadline> {
        self.add(Armed { at, cpu: None, expire: Box::new(expire) })
    }

    /// Calls `expire` when `clock` has advanced by `budget`. `None`: the clock's thread has ended.
    ///
    /// Checks again whenever the remaining budget has passed as real time: that is the earliest moment at which the
    /// budget can be used up.
    ///
    /// # Errors
    ///
    /// As for [`Self::arm`].
    pub fn arm_cpu(
        &self,
        clock: CpuClock,
        budget: Duration,
        expire: impl FnOnce() + Send + 'static,
    ) -> io::Result<Option<Deadline>> {
        let Some(now) = clock.now() else { return Ok(None) };
        let cpu = Some(CpuBudget { clock, end: now + budget });
        self.add(Armed { at: Instant::now() + budget, cpu, expire: Box::new(expire) }).map(Some)
    }

    fn add(&self, armed: Armed) -> io::Result<Deadline> {
        let mut state = self.0.state();
        if !state.has_thread {
            (self.0.start)(self.0.clone())?;
            state.has_thread = true;
        }
        state.last_number += 1;
        let number = state.last_number;
        let at = armed.at;
        if state.wakes_at.is_none_or(|wakes_at| at < wakes_at) {
            self.0.wake_time.set(Some(at))?;
            state.wakes_at = Some(at);
        }
        state.armed.insert(number, armed);
        drop(state);
        #[cfg(test)]
        std::thread::sleep(HELD_UP.get());
        Ok(Deadline { number, table: self.0.clone() })
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.is_gone = true;
        // If other code has closed the timer, the thread notices at the end of its sleep.
        let _ = self.0.wake_time.set(Some(Instant::now()));
    }
}

impl Table {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The body of the thread.
    fn watch(&self) {
        let mut state = self.state();
        while !state.is_gone {
            let now = Instant::now();
            let due = state.take_due(now);
            if !due.is_empty() {
                drop(state);
                due.into_iter().for_each(|armed| (armed.expire)());
                state = self.state();
                continue;
            }
            state.wakes_at = state.armed.values().map(|armed| armed.at).min();
            let is_set = self.wake_time.set(state.wakes_at);
            drop(state);
            if is_set.and_then(|()| self.wake_time.wait()).is_err() {
                std::thread::sleep(WITHOUT_ALARM);
            }
            state = self.state();
        }
    }
}

/// A deadline that is disarmed when dropped.
pub struct Deadline {
    number: u64,
    table: Arc<Table>,
}

impl Drop for Deadline {
    fn drop(&mut self) {
        // Dropped outside the lock, because `expire` may own anything.
        let _armed = self.table.state().armed.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{RecvError, channel};

    use super::*;

    #[test]
    fn a_sooner_deadline_wakes_the_thread() {
        let watchdog = Watchdog::default();
        let (expired, when) = channel();
        let _late = watchdog.arm(Instant::now() + Duration::from_secs(3_600), || {}).unwrap();
        let at = Instant::now() + Duration::from_millis(1);
        let _soon = watchdog.arm(at, move || expired.send(Instant::now()).unwrap()).unwrap();
        assert!(when.recv().unwrap() >= at);
    }

    #[test]
    fn a_dropped_deadline_drops_what_it_would_have_called() {
        let watchdog = Watchdog::default();
        let (expired, when) = channel::<()>();
        let at = Instant::now() + Duration::from_secs(3_600);
        drop(watchdog.arm(at, move || expired.send(()).unwrap()).unwrap());
        assert_eq!(when.recv(), Err(RecvError));
    }

    #[test]
    fn the_thread_ends_with_the_watchdog() {
        let watchdog = Watchdog::default();
        let _deadline = watchdog.arm(Instant::now() + Duration::from_secs(3_600), || {}).unwrap();
        let table = Arc::downgrade(&watchdog.0);
        drop((watchdog, _deadline));
        while table.strong_count() > 0 {
            std::thread::yield_now();
        }
    }
}
