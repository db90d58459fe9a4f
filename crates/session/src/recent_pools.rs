//! Which pools keep isolates ready: those that were asked last. Executors that have a folder of their own each would leave an
//! isolate in a pool of its own each, and for nobody.

use std::collections::VecDeque;
use std::fmt;
use std::ptr;
use std::sync::{Mutex, PoisonError, Weak};

/// Pools that keep isolates ready at the same time.
const MAX_POOLS: usize = 4;

/// Lets its isolates go, and makes none until it is asked again.
pub trait Rest: Send + Sync {
    fn rest(&self);
}

/// The pools that keep isolates ready, the one that was asked last at the end.
#[derive(Default)]
pub struct RecentPools(Mutex<VecDeque<Weak<dyn Rest>>>);

impl RecentPools {
    /// `pool` is being asked. If it is one too many, the one that was not asked for the longest time rests.
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
