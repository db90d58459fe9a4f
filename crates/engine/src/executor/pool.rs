//! Isolates made ahead of need, for all executors of the process: `init()` takes one, and another is made in its place.
//!
//! Each waits on its own thread and never had a session. The heap's limit is fixed when an isolate is made, so one serves
//! executors of the same limit only. A replacement is made a moment later and one at a time, so that they do not take the
//! processors from those who work.

use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::session::spawn;
use super::thread::{self, Handover};
use super::timers;
use super::watchdog::CpuClock;
use crate::realm::interrupt::Interrupt;

/// How many isolates wait, unless an executor's options say so.
const DEFAULT_SIZE: usize = 1;
/// How long a replacement is put off for the session that took its place.
const DELAY: Duration = Duration::from_millis(5);

/// An isolate that waits for a session.
pub struct Warm {
    pub limit_bytes: usize,
    pub interrupt: Interrupt,
    pub cpu_clock: Option<CpuClock>,
    /// Dropping it makes the thread end.
    pub handover: Sender<Handover>,
}

struct Pool {
    /// Isolates to keep ready.
    size: usize,
    /// Oldest first.
    ready: VecDeque<Warm>,
    /// Limit of the isolate that is being made.
    booting: Option<usize>,
    /// Limits of the isolates to make next.
    wanted: VecDeque<usize>,
    /// The limit of the last `init()` that found nothing, if none has found something since.
    missed: Option<usize>,
    /// [`refill`] is going to be called.
    is_scheduled: bool,
}

/// Held for a few instructions only, by any thread.
static POOL: Mutex<Pool> = Mutex::new(Pool {
    size: DEFAULT_SIZE,
    ready: VecDeque::new(),
    booting: None,
    wanted: VecDeque::new(),
    missed: None,
    is_scheduled: false,
});

/// Isolates that are ready.
pub fn warm() -> usize {
    pool().ready.len()
}

/// Whether isolates are kept ready.
pub fn is_on() -> bool {
    pool().size > 0
}

/// An executor with this memory limit was made. `size`: isolates to keep ready from now on.
pub fn configure(size: Option<usize>, limit_bytes: usize) {
    let mut pool = pool();
    if let Some(size) = size {
        pool.resize(size);
    }
    while pool.count() < pool.size {
        pool.wanted.push_back(limit_bytes);
    }
    pool.schedule();
}

/// Takes an isolate with this memory limit, and orders another one.
pub fn take(limit_bytes: usize) -> Option<Warm> {
    let mut pool = pool();
    let found = pool.ready.iter().position(|warm| warm.limit_bytes == limit_bytes);
    let warm = found.and_then(|index| pool.ready.remove(index));
    if warm.is_some() {
        pool.missed = None;
        pool.wanted.push_back(limit_bytes);
    } else {
        pool.miss(limit_bytes);
    }
    pool.schedule();
    warm
}

/// Adds an isolate that is ready.
pub fn offer(warm: Warm) {
    let mut pool = pool();
    if pool.ready.len() < pool.size {
        pool.ready.push_back(warm);
    }
}

/// The isolate that was being made is ready, or cannot be made.
pub fn booted() {
    pool().booting = None;
    refill();
}

/// Starts to make the next isolate that is wanted, unless one is being made.
fn refill() {
    let limit_bytes = {
        let mut pool = pool();
        if pool.booting.is_some() {
            return;
        }
        let Some(limit_bytes) = pool.wanted.pop_front() else { return };
        pool.booting = Some(limit_bytes);
        limit_bytes
    };
    if spawn("ses-warm".to_owned(), move || thread::warm(limit_bytes)).is_err() {
        pool().booting = None;
    }
}

impl Pool {
    fn resize(&mut self, size: usize) {
        self.size = size;
        while self.count() > size && self.wanted.pop_back().is_some() {}
        while self.count() > size && self.ready.pop_front().is_some() {}
    }

    /// Isolates that are ready, being made or to be made.
    fn count(&self) -> usize {
        self.ready.len() + usize::from(self.booting.is_some()) + self.wanted.len()
    }

    /// Nothing with this limit is ready. If that happens twice in a row and all others have other limits, the oldest makes
    /// room: executors that take turns with different limits must not have isolates made for nobody.
    fn miss(&mut self, limit_bytes: usize) {
        let is_coming = self.booting == Some(limit_bytes) || self.wanted.contains(&limit_bytes);
        if self.missed.replace(limit_bytes) == Some(limit_bytes) && !is_coming && self.ready.pop_front().is_some() {
            self.wanted.push_back(limit_bytes);
        }
    }

    fn schedule(&mut self) {
        if self.wanted.is_empty() || self.is_scheduled {
            return;
        }
        let Ok(timers) = timers() else { return };
        self.is_scheduled = true;
        timers.spawn(async {
            tokio::time::sleep(DELAY).await;
            pool().is_scheduled = false;
            refill();
        });
    }
}

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}
