//! Isolates that were not released: parked ones, and those that go on although they were given up.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Memory of a parked isolate and its thread that is not measured: stacks and V8's tables.
const ISOLATE_BYTES: u64 = 2 << 20;

/// Memory that guests have left behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    pub parked: u64,
    pub parked_bytes: u64,
    pub stuck: u64,
    /// The limits of the stuck isolates. Their actual use cannot be read.
    pub stuck_bytes: u64,
}

impl Held {
    /// The total.
    pub fn bytes(&self) -> u64 {
        self.parked_bytes + self.parked * ISOLATE_BYTES + self.stuck_bytes
    }
}

/// Memory that guests have left behind, by the owner of their executors. Isolates that no session has had belong to no
/// owner. Owners without such memory are not in the map.
#[derive(Debug, Default)]
pub struct LostIsolates(Mutex<HashMap<Option<String>, Held>>);

impl LostIsolates {
    pub fn of(&self, owner: &str) -> Held {
        self.lock().get(&Some(owner.to_owned())).copied().unwrap_or_default()
    }

    /// The sum over all owners.
    pub fn all(&self) -> Held {
        self.lock().values().fold(Held::default(), |sum, held| Held {
            parked: sum.parked + held.parked,
            parked_bytes: sum.parked_bytes + held.parked_bytes,
            stuck: sum.stuck + held.stuck,
            stuck_bytes: sum.stuck_bytes + held.stuck_bytes,
        })
    }

    pub fn add_parked(&self, owner: Option<&str>, bytes: usize) {
        self.change(owner, |held| {
            held.parked += 1;
            held.parked_bytes += bytes as u64;
        });
    }

    pub fn add_stuck(&self, owner: &str, bytes: usize) {
        self.change(Some(owner), |held| {
            held.stuck += 1;
            held.stuck_bytes += bytes as u64;
        });
    }

    /// An isolate that [`Self::add_stuck`] counted has ended or is parked.
    pub fn remove_stuck(&self, owner: &str, bytes: usize) {
        self.change(Some(owner), |held| {
            held.stuck -= 1;
            held.stuck_bytes -= bytes as u64;
        });
    }

    fn change(&self, owner: Option<&str>, change: impl FnOnce(&mut Held)) {
        let owner = owner.map(str::to_owned);
        let mut lost_isolates = self.lock();
        let held = lost_isolates.entry(owner.clone()).or_default();
        change(held);
        if *held == Held::default() {
            lost_isolates.remove(&owner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Option<String>, Held>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
