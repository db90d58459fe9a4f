//! How an isolate's thread waits for the host.

use std::cell::Cell;
use std::hint;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use crate::mailbox::Receiver;

/// Looks for a message between two looks at the clock.
const LOOKS: u32 = 16;
/// Messages in time that are remembered.
const MAX_TRUST: u32 = 4;
/// After as many waits that began with sleep, one is tried without.
const RETRY_AFTER: u32 = 64;

/// Waits a moment without sleep as long as that pays: most tools answer sooner than a thread is woken.
pub struct Patience {
    /// How long a message is waited for without sleep.
    moment: Duration,
    /// Messages that came in time, less those that did not.
    trust: Cell<u32>,
    /// Waits since the last one that began without sleep.
    slept: Cell<u32>,
}

impl Patience {
    pub fn new(moment: Duration) -> Self {
        Self { moment, trust: Cell::default(), slept: Cell::default() }
    }

    /// The next message; waits.
    pub fn receive<T>(&self, inbox: &Receiver<T>) -> T {
        self.look(|| inbox.is_ready());
        inbox.recv()
    }

    /// Looks for a message that is about to be waited for, as long as that pays.
    pub fn look(&self, is_ready: impl Fn() -> bool) {
        if is_ready() {
            return;
        }
        if has_several_processors() && (self.trust.get() > 0 || self.slept.get() >= RETRY_AFTER) {
            self.slept.set(0);
            let trust = self.trust.get();
            let has_paid = spin(is_ready, self.moment);
            self.trust.set(if has_paid { (trust + 1).min(MAX_TRUST) } else { trust.saturating_sub(1) });
        } else {
            self.slept.set(self.slept.get() + 1);
        }
    }
}

/// Waits for a message. Returns whether there is one.
fn spin(is_ready: impl Fn() -> bool, moment: Duration) -> bool {
    let until = Instant::now() + moment;
    loop {
        for _ in 0..LOOKS {
            if is_ready() {
                return true;
            }
            hint::spin_loop();
        }
        if Instant::now() >= until {
            return false;
        }
    }
}

/// With one processor, whoever is to answer waits for this thread.
fn has_several_processors() -> bool {
    static SEVERAL: OnceLock<bool> = OnceLock::new();
    *SEVERAL.get_or_init(|| thread::available_parallelism().is_ok_and(|processors| processors.get() > 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3_600);

    /// How often a message is looked for that comes with look number `comes`.
    fn looks(patience: &Patience, comes: u32) -> u32 {
        let looks = Cell::new(0);
        patience.look(|| {
            looks.set(looks.get() + 1);
            looks.get() >= comes
        });
        looks.get()
    }

    #[test]
    fn who_waits_sleeps_until_it_is_tried_without_and_goes_on_without_as_long_as_that_pays() {
        let patience = Patience::new(LONG);
        for _ in 0..RETRY_AFTER {
            assert_eq!(looks(&patience, 100), 1);
        }
        let tried = if has_several_processors() { 100 } else { 1 };
        for _ in 0..10 {
            assert_eq!(looks(&patience, 100), tried);
        }
        // One that is there is no reason for or against.
        assert_eq!(looks(&patience, 1), 1);
    }

    #[test]
    fn who_was_disappointed_sleeps_again() {
        let patience = Patience::new(Duration::ZERO);
        patience.trust.set(2);
        let tried = if has_several_processors() { 1 + LOOKS } else { 1 };
        assert_eq!(looks(&patience, u32::MAX), tried);
        assert_eq!(looks(&patience, u32::MAX), tried);
        for _ in 0..RETRY_AFTER {
            assert_eq!(looks(&patience, u32::MAX), 1);
        }
        assert_eq!(looks(&patience, u32::MAX), tried);
        assert_eq!(looks(&patience, u32::MAX), 1);
    }
}
