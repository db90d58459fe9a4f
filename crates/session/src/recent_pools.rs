//! Only the most recently used pools keep isolates ready. Otherwise executors that each have a separate folder would
//! each leave a pool with an isolate that nothing uses.

use std::collections::VecDeque;
use std::fmt;
use std::ptr;
use std::sync::{Mutex, PoisonError, Weak};

/// Pools that keep isolates ready at the same time.
const MAX_POOLS: usize = 4;

/// A pool that can release its isolates. It makes none until it is asked again.
pub trait Rest: Send + Sync {
    fn rest(&self);
}

/// The pools that keep isolates ready. The most recently used one is last.
#[derive(Default)]
pub struct RecentPools(Mutex<VecDeque<Weak<dyn Rest>>>);

impl RecentPools {
    /// Marks `pool` as used. If there are too many pools, the least recently used one rests.
    pub fn asked(&self, pool: &Weak<dyn Rest>) {
        let one_too_many = {
            let mut pools = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            pools.retain(|other| other.strong_count() > 0 && !ptr::addr_eq(other.as_ptr(), pool.as_ptr()));
            pools.push_back(pool.clone());
            if pools.len() > MAX_POOLS { pools.pop_front() } else { None }
        };
        if let Some(pool) = one_too_many.and_then(|pool| pool.upgrade()) {
            pool.rest();
        }
    }
}

impl fmt::Debug for RecentPools {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("RecentPools")
    }
}
