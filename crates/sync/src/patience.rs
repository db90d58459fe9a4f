//! How a thread waits for one that answers soon.

use std::cell::Cell;
use std::hint;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::mailbox::Receiver;
use crate::processor;

/// How long a message is waited for without sleep: a few times what it takes to wake a thread whose processor has to be woken,
/// too.
const MOMENT: Duration = Duration::from_micros(100);
/// Between two looks for a message passes less, unless somebody else had the processor meanwhile.
const INTERRUPTION: Duration = Duration::from_micros(20);
/// Messages in time that are remembered.
const MAX_TRUST: u32 = 4;
/// After as many waits that began with sleep, one is tried without; after each that did not pay, twice as many.
const RETRY_AFTER: u32 = 4;
const LATEST_RETRY_AFTER: u32 = 64;

/// Threads that work for guests or wait without sleep.
static AWAKE: AtomicUsize = AtomicUsize::new(0);

/// The calling thread works for guests, unless it sleeps.
pub struct Awake(());

impl Default for Awake {
    fn default() -> Self {
        AWAKE.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Awake {
    /// What `wait` returns, which sleeps.
    pub fn sleep<T>(&self, wait: impl FnOnce() -> T) -> T {
        AWAKE.fetch_sub(1, Ordering::Relaxed);
        let received = wait();
        AWAKE.fetch_add(1, Ordering::Relaxed);
        received
    }

    /// The calling thread goes on no more, and keeps this.
    pub fn end(&self) {
        AWAKE.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        AWAKE.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Waits a moment without sleep as long as that pays: most hosts send the next command, and most tools and guests answer,
/// sooner than a thread is woken. Nobody waits like this for whom there is no processor.
pub struct Patience {
    /// How long a message is waited for without sleep.
    moment: Duration,
    /// As [`INTERRUPTION`].
    interruption: Duration,
    /// Messages that came in time, less those that did not, or only after somebody else had the processor: perhaps whoever was
    /// waited for.
    trust: Cell<u32>,
    /// Waits since the last one that began without sleep.
    slept: Cell<u32>,
    /// After how many the next one does.
    retry_after: Cell<u32>,
}

impl Default for Patience {
    fn default() -> Self {
        Self::new(MOMENT, INTERRUPTION)
    }
}

impl Patience {
    /// Whoever begins to wait gets the first message soon: sessions are made to be used.
    fn new(moment: Duration, interruption: Duration) -> Self {
        let (slept, retry_after) = (Cell::default(), Cell::new(RETRY_AFTER));
        Self { moment, interruption, trust: Cell::new(1), slept, retry_after }
    }

    /// The next message; waits. Whoever sends from the processor that this thread is on can do so as soon as it sleeps, and to
    /// wake it there takes no other processor.
    pub fn receive<T>(&self, inbox: &Receiver<T>, awake: &Awake) -> T {
        self.look_into(inbox).unwrap_or_else(|| awake.sleep(|| inbox.recv()))
    }

    /// As [`Self::receive`], but sleeps no longer than until `until`. `None`: nothing has come.
    pub fn receive_until<T>(&self, inbox: &Receiver<T>, awake: &Awake, until: Instant) -> Option<T> {
        self.look_into(inbox).or_else(|| awake.sleep(|| inbox.recv_until(until)))
    }

    fn look_into<T>(&self, inbox: &Receiver<T>) -> Option<T> {
        if !inbox.shares_processor() {
            self.look(|| inbox.is_ready());
        }
        inbox.try_recv()
    }

    /// Looks for a message that is about to be waited for, as long as that pays.
    pub fn look(&self, is_ready: impl Fn() -> bool) {
        if !is_ready() && self.begin(0) {
            self.end(self.spin(is_ready));
        }
    }

    /// Whether to wait without sleep for the next message, beside so many others at work that nobody has counted. If so,
    /// [`Self::end`] has to follow.
    pub fn begin(&self, others: usize) -> bool {
        let is_due = self.trust.get() > 0 || self.slept.get() >= self.retry_after.get();
        let begins = is_due && has_processor_to_spare(others);
        self.slept.set(if begins { 0 } else { self.slept.get().saturating_add(1) });
        begins
    }

    /// Whether it has paid.
    pub fn end(&self, has_paid: bool) {
        let trust = self.trust.get();
        self.trust.set(if has_paid { (trust + 1).min(MAX_TRUST) } else { trust.saturating_sub(1) });
        let retry_after = if has_paid { RETRY_AFTER } else { self.retry_after.get() * if trust == 0 { 2 } else { 1 } };
        self.retry_after.set(retry_after.min(LATEST_RETRY_AFTER));
    }

    /// Waits for a message. Returns whether there is one, and nobody else had the processor.
    fn spin(&self, is_ready: impl Fn() -> bool) -> bool {
        let start = Instant::now();
        let mut last = start;
        let mut is_interrupted = false;
        loop {
            hint::spin_loop();
            let has_come = is_ready();
            let now = Instant::now();
            is_interrupted |= now - last >= self.interruption;
            if has_come || now - start >= self.moment {
                return has_come && !is_interrupted;
            }
            last = now;
        }
    }
}

/// Whether one is left when each thread that works for guests has one, as have `others`, and one that is not counted, such
/// as the host's.
fn has_processor_to_spare(others: usize) -> bool {
    (AWAKE.load(Ordering::Relaxed) + others).max(1) < processor::count()
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use super::*;

    const LONG: Duration = Duration::from_secs(3_600);
    /// Held by a test while nobody else is to be awake.
    static ALONE: Mutex<()> = Mutex::new(());

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
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let patience = Patience::new(LONG, LONG);
        patience.trust.set(0);
        for _ in 0..RETRY_AFTER {
            assert_eq!(looks(&patience, 100), 1);
        }
        let tried = if processor::count() > 1 { 100 } else { 1 };
        for _ in 0..10 {
            assert_eq!(looks(&patience, 100), tried);
        }
        // One that is there is no reason for or against.
        assert_eq!(looks(&patience, 1), 1);
    }

    #[test]
    fn the_first_message_is_waited_for_without_sleep() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(looks(&Patience::new(LONG, LONG), 100), if processor::count() > 1 { 100 } else { 1 });
    }

    #[test]
    fn who_was_disappointed_sleeps_again() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let patience = Patience::new(Duration::ZERO, LONG);
        patience.trust.set(2);
        let tried = if processor::count() > 1 { 2 } else { 1 };
        assert_eq!(looks(&patience, u32::MAX), tried);
        assert_eq!(looks(&patience, u32::MAX), tried);
        for pause in [4, 8, 16, 32, 64, 64] {
            for _ in 0..pause {
                assert_eq!(looks(&patience, u32::MAX), 1);
            }
            assert_eq!(looks(&patience, u32::MAX), tried);
        }
        assert_eq!(looks(&patience, u32::MAX), 1);
    }

    #[test]
    fn who_keeps_others_from_the_processor_sleeps_again() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let patience = Patience::new(LONG, Duration::ZERO);
        assert_eq!(looks(&patience, 100), if processor::count() > 1 { 100 } else { 1 });
        for _ in 0..RETRY_AFTER {
            assert_eq!(looks(&patience, 100), 1);
        }
    }

    #[test]
    fn a_wait_that_somebody_else_makes_counts_as_one_of_its_own() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let patience = Patience::new(LONG, LONG);
        let is_shared = processor::count() > 1;
        assert_eq!(patience.begin(0), is_shared);
        patience.end(false);
        for _ in 0..RETRY_AFTER {
            assert!(!patience.begin(0));
        }
        assert_eq!(patience.begin(0), is_shared);
        patience.end(true);
        assert!(!patience.begin(processor::count()), "none is to spare");
        assert_eq!(patience.begin(processor::count() - 1), is_shared);
    }

    #[test]
    fn one_processor_is_left_for_the_host() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut threads: Vec<_> = (0..processor::count()).map(|_| Awake::default()).collect();
        let patience = Patience::new(LONG, LONG);
        patience.trust.set(MAX_TRUST);
        assert_eq!(looks(&patience, 100), 1);
        let asleep = threads.pop().expect("there is a processor");
        asleep.sleep(|| assert_eq!(looks(&patience, 100), if processor::count() > 1 { 100 } else { 1 }));
        assert_eq!(looks(&patience, 100), 1);
        asleep.end();
        std::mem::forget(asleep);
        assert_eq!(looks(&patience, 100), if processor::count() > 1 { 100 } else { 1 });
    }
}
