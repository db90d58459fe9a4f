//! State shared by all executors whose resources have the same counters.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::lost_isolates::{Held, LostIsolates};
use crate::recent_pools::RecentPools;

/// Counters of isolates.
#[derive(Debug, Default)]
pub struct Counters {
    live: AtomicU64,
    warm: AtomicU64,
    terminated: AtomicU64,
    /// Isolates that were never released.
    pub lost_isolates: LostIsolates,
    /// Pools that keep isolates ready.
    pub recent_pools: RecentPools,
}

/// The counters at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineStats {
    /// Isolates of executors, without the parked ones.
    pub live: u64,
    /// Isolates that are ready and wait for an executor.
    pub warm: u64,
    /// Isolates whose thread was parked because V8 could not go on without memory.
    pub parked: u64,
    /// Heap and array buffers of the parked isolates, in bytes.
    pub parked_bytes: u64,
    /// Isolates that were given up a while ago and still run. They count as live too.
    pub stuck: u64,
    /// Memory limits of the stuck isolates, in bytes: the most that they may hold.
    pub stuck_bytes: u64,
    /// Isolates that were given up while they worked: at a deadline, by an abort, or by `cleanup()`.
    pub terminated: u64,
}

impl Counters {
    pub fn now(&self) -> EngineStats {
        let Held { parked, parked_bytes, stuck, stuck_bytes } = self.lost_isolates.all();
        EngineStats {
            live: self.live.load(Ordering::Relaxed),
            warm: self.warm.load(Ordering::Relaxed),
            parked,
            parked_bytes,
            stuck,
            stuck_bytes,
            terminated: self.terminated.load(Ordering::Relaxed),
        }
    }

    /// A session has an isolate, or waits for one.
    pub fn add_live(&self) {
        self.live.fetch_add(1, Ordering::Relaxed);
    }

    pub fn remove_live(&self) {
        self.live.fetch_sub(1, Ordering::Relaxed);
    }

    /// An isolate waits for a session.
    pub fn add_warm(&self) {
        self.warm.fetch_add(1, Ordering::Relaxed);
    }

    pub fn remove_warm(&self) {
        self.warm.fetch_sub(1, Ordering::Relaxed);
    }

    /// An isolate was given up while it worked.
    pub fn count_terminated(&self) {
        self.terminated.fetch_add(1, Ordering::Relaxed);
    }
}
