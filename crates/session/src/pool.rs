//! Isolates made ahead of need. A session takes one, and the pool makes a replacement.
//!
//! Each isolate waits on its own thread and never had a session. The heap limit is fixed when an isolate is made, so an
//! isolate serves only executors with the same limit. A replacement is made a moment later, one at a time, so that it
//! does not take processors from running guests.

use std::collections::VecDeque;
use std::io;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::counters::Counters;
use crate::recent_pools::Rest;
use crate::watchdog::{Deadline, Watchdog};

/// How long a replacement is delayed in favor of the session that took the isolate.
const DELAY: Duration = Duration::from_millis(5);
/// Delay of the next attempt after the first failure. Doubles with each further failure.
const RETRY: Duration = Duration::from_millis(100);
/// Number of failures after which the delay stops growing.
const MAX_DOUBLINGS: u32 = 10;

/// Isolates of the type `W`. Dropping one ends it.
pub struct Pool<W: Send + 'static>(Arc<Shared<W>>);

struct Shared<W: Send + 'static> {
    /// Number of isolates to keep ready.
    size: usize,
    /// Starts to make an isolate with a memory limit, on another thread or in another process.
    boot: Box<dyn Fn(usize, Booting<W>) -> io::Result<()> + Send + Sync>,
    watchdog: Arc<Watchdog>,
    counters: Arc<Counters>,
    /// Any thread may hold it, for a few instructions only.
    state: Mutex<State<W>>,
}

struct State<W> {
    /// Isolates with their memory limits, oldest first.
    ready: VecDeque<(usize, W)>,
    is_booting: Option<usize>,
    /// Limits of the isolates to make next.
    wanted: VecDeque<usize>,
    /// The limit of the last session that found no isolate. Absent if a later session found one.
    missed: Option<usize>,
    /// Failures since the last isolate was made.
    failures: u32,
    /// When the next isolate is made.
    next: Option<Deadline>,
    /// Other pools were used recently, but not this one.
    is_resting: bool,
}

impl<W: Send + 'static> Pool<W> {
    /// A pool of `size` isolates. `boot` starts to make one elsewhere and reports the result to its `Booting`.
    pub fn new(
        size: usize,
        watchdog: Arc<Watchdog>,
        counters: Arc<Counters>,
        boot: impl Fn(usize, Booting<W>) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let state = State {
            ready: VecDeque::new(),
            is_booting: None,
            wanted: VecDeque::new(),
            missed: None,
            failures: 0,
            next: None,
            is_resting: false,
        };
        Self(Arc::new(Shared { size, boot: Box::new(boot), watchdog, counters, state: Mutex::new(state) }))
    }

    /// Whether isolates are kept ready.
    pub fn is_on(&self) -> bool {
        self.0.size > 0
    }

    /// An executor with this memory limit was made.
    pub fn expect(&self, limit_bytes: usize) {
        self.asked();
        let mut state = self.0.state();
        while state.count() < self.0.size {
            state.wanted.push_back(limit_bytes);
        }
        self.0.schedule(&mut state, DELAY);
    }

    /// Takes an isolate with this memory limit and orders another one.
    pub fn take(&self, limit_bytes: usize) -> Option<W> {
        self.asked();
        let mut state = self.0.state();
        let found = state.ready.iter().position(|&(limit, _)| limit == limit_bytes);
        let warm = found.and_then(|index| state.ready.remove(index));
        let mut makes_room = None;
        if warm.is_some() {
            self.0.counters.remove_warm();
            state.missed = None;
            state.wanted.push_back(limit_bytes);
        } else {
            makes_room = state.miss(limit_bytes, self.0.size);
        }
        self.0.schedule(&mut state, DELAY);
        drop(state);
        if makes_room.is_some() {
            self.0.counters.remove_warm();
        }
        warm.map(|(_, warm)| warm)
    }

    fn asked(&self) {
        if self.is_on() {
            self.0.state().is_resting = false;
            let shared: Weak<dyn Rest> = Arc::downgrade(&self.0) as Weak<dyn Rest>;
            self.0.counters.recent_pools.asked(&shared);
        }
    }
}

impl<W: Send + 'static> Shared<W> {
    fn state(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Schedules the next wanted isolate after `delay`.
    fn schedule(self: &Arc<Self>, state: &mut State<W>, delay: Duration) {
        if state.wanted.is_empty() || state.next.is_some() {
            return;
        }
        let pool = Arc::downgrade(self);
        let refill = move || {
            if let Some(pool) = pool.upgrade() {
                pool.state().next = None;
                pool.refill();
            }
        };
        // Without a watchdog no run can begin either. The next session tries again.
        state.next = self.watchdog.arm(Instant::now() + delay, refill).ok();
    }

    /// Starts to make the next isolate that is wanted, unless one is being made.
    fn refill(self: &Arc<Self>) {
        let limit_bytes = {
            let mut state = self.state();
            if state.is_booting.is_some() {
                return;
            }
            let Some(limit_bytes) = state.wanted.pop_front() else { return };
            state.is_booting = Some(limit_bytes);
            limit_bytes
        };
        let booting = Booting { pool: Arc::downgrade(self), limit_bytes, is_settled: false };
        // If nothing can be started, `booting` is dropped, which counts as a failure.
        let _ = (self.boot)(limit_bytes, booting);
    }
}

impl<W: Send + 'static> Rest for Shared<W> {
    fn rest(&self) {
        let mut state = self.state();
        state.is_resting = true;
        state.wanted.clear();
        let ready = mem::take(&mut state.ready);
        drop(state);
        for _ in ready {
            self.counters.remove_warm();
        }
    }
}

impl<W> State<W> {
    /// Isolates that are ready, being made or wanted.
    fn count(&self) -> usize {
        self.ready.len() + usize::from(self.is_booting.is_some()) + self.wanted.len()
    }

    /// No isolate with this limit is ready, in a pool of `size`. If that happens twice in a row and all other isolates
    /// have other limits, removes the oldest. Otherwise executors that alternate between limits would make isolates
    /// that nothing uses.
    fn miss(&mut self, limit_bytes: usize, size: usize) -> Option<(usize, W)> {
        if self.count() < size {
            self.wanted.push_back(limit_bytes);
            return None;
        }
        let is_coming = self.is_booting == Some(limit_bytes) || self.wanted.contains(&limit_bytes);
        if self.missed.replace(limit_bytes) != Some(limit_bytes) || is_coming {
            return None;
        }
        let oldest = self.ready.pop_front()?;
        self.wanted.push_back(limit_bytes);
        Some(oldest)
    }
}

impl<W: Send + 'static> Drop for Shared<W> {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        for _ in state.ready.drain(..) {
            self.counters.remove_warm();
        }
    }
}

/// An isolate that is being made for the pool, which makes one at a time. If this is dropped before the isolate is
/// ready, the pool tries again later.
pub struct Booting<W: Send + 'static> {
    pool: Weak<Shared<W>>,
    limit_bytes: usize,
    is_settled: bool,
}

impl<W: Send + 'static> Booting<W> {
    /// The isolate is ready.
    pub fn ready(mut self, warm: W) {
        self.is_settled = true;
        let Some(pool) = self.pool.upgrade() else { return };
        let unwanted = {
            let mut state = pool.state();
            state.is_booting = None;
            state.failures = 0;
            if state.is_resting {
                Some(warm)
            } else {
                state.ready.push_back((self.limit_bytes, warm));
                pool.counters.add_warm();
                None
            }
        };
        drop(unwanted);
        pool.refill();
    }

    /// The isolate keeps its memory. Another one is made only when a session asks for it.
    pub fn parked(mut self) {
        self.is_settled = true;
        let Some(pool) = self.pool.upgrade() else { return };
        pool.state().is_booting = None;
        pool.refill();
    }
}

impl<W: Send + 'static> Drop for Booting<W> {
    fn drop(&mut self) {
        if self.is_settled {
            return;
        }
        let Some(pool) = self.pool.upgrade() else { return };
        let mut state = pool.state();
        state.is_booting = None;
        if state.is_resting {
            return;
        }
        state.wanted.push_front(self.limit_bytes);
        let delay = RETRY * (1 << state.failures.min(MAX_DOUBLINGS));
        state.failures += 1;
        pool.schedule(&mut state, delay);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    type Boots = Receiver<(usize, Booting<u32>)>;

    fn pool(size: usize) -> (Pool<u32>, Boots, Arc<Counters>) {
        pool_with(size, Arc::default())
    }

    fn pool_with(size: usize, counters: Arc<Counters>) -> (Pool<u32>, Boots, Arc<Counters>) {
        let (boots, begun) = channel();
        let boots = Mutex::new(boots);
        let boot = move |limit, booting| {
            boots.lock().unwrap().send((limit, booting)).unwrap();
            Ok(())
        };
        (Pool::new(size, Arc::default(), counters.clone(), boot), begun, counters)
    }

    #[test]
    fn what_is_expected_is_made_one_at_a_time_and_replaced() {
        let (pool, begun, counters) = pool(2);
        pool.expect(64);
        let (limit, first) = begun.recv().unwrap();
        assert_eq!(limit, 64);
        assert!(begun.try_recv().is_err());
        first.ready(1);
        begun.recv().unwrap().1.ready(2);
        assert_eq!(counters.now().warm, 2);
        assert_eq!(pool.take(128), None);
        assert_eq!(pool.take(64), Some(1));
        begun.recv().unwrap().1.ready(3);
        assert_eq!(counters.now().warm, 2);
        drop(pool);
        // The watchdog may be about to release it.
        while counters.now().warm > 0 {
            std::thread::yield_now();
        }
    }

    #[test]
    fn what_failed_is_made_again_without_another_executor() {
        let (pool, begun, _) = pool(1);
        pool.expect(64);
        drop(begun.recv().unwrap());
        drop(begun.recv().unwrap());
        let (limit, booting) = begun.recv().unwrap();
        booting.ready(7);
        assert_eq!((limit, pool.take(64)), (64, Some(7)));
    }

    #[test]
    fn what_was_parked_is_made_again_for_a_session_only() {
        let (pool, begun, _) = pool(1);
        pool.expect(64);
        begun.recv().unwrap().1.parked();
        assert!(pool.0.state().next.is_none() && pool.0.state().wanted.is_empty());
        assert_eq!(pool.take(64), None);
        begun.recv().unwrap().1.ready(1);
        assert_eq!(pool.take(64), Some(1));
    }

    #[test]
    fn a_limit_that_is_missed_twice_takes_the_place_of_the_oldest() {
        let (pool, begun, counters) = pool(1);
        pool.expect(64);
        begun.recv().unwrap().1.ready(1);
        assert_eq!((pool.take(128), pool.take(128)), (None, None));
        assert_eq!(counters.now().warm, 0);
        assert_eq!(begun.recv().unwrap().0, 128);
    }

    #[test]
    fn only_the_pools_that_were_asked_last_keep_isolates() {
        let counters = Arc::<Counters>::default();
        let pools: Vec<_> = (0..5).map(|_| pool_with(1, counters.clone())).collect();
        for (at, (pool, begun, _)) in pools.iter().enumerate() {
            pool.expect(64);
            begun.recv().unwrap().1.ready(at as u32);
        }
        assert_eq!(counters.now().warm, 4);
        // The first pool rests: it has no isolates. Asking it makes it recent again, and it makes an isolate.
        assert_eq!(pools[0].0.take(64), None);
        assert_eq!(counters.now().warm, 3);
        pools[0].1.recv().unwrap().1.ready(5);
        assert_eq!(pools[0].0.take(64), Some(5));
        assert_eq!(pools[2].0.take(64), Some(2));
        // The isolate that a pool is making when it starts to rest is discarded.
        let coming = pools[2].1.recv().unwrap().1;
        for (pool, ..) in [&pools[3], &pools[4], &pools[0], &pools[1]] {
            pool.expect(64);
        }
        coming.ready(7);
        assert!(pools[2].0.0.state().ready.is_empty());
    }
}
