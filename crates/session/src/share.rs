//! How a guest that goes on computing shares the processors with those that compute for a moment.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ses_sync::priority::{self, COMPUTING_NICE, NICEST};

use crate::backend::Tasks;

/// When a run is looked at that goes on, and then again: nearly all have ended by then, and cost nothing.
const LOOK: Duration = Duration::from_millis(10);
/// When one is looked at again at the latest that waits for something.
const LATEST_LOOK: Duration = Duration::from_millis(320);
/// Who has computed for so long after the first look is nicer until the run ends.
const LONG: Duration = Duration::from_millis(5);
/// The same where it is for good, since the system does not let it be less nice again.
const LONG_FOR_GOOD: Duration = Duration::from_millis(100);

/// The share of one isolate. Nothing holds it to its share where the system refuses.
pub struct Share {
    tasks: Arc<dyn Tasks>,
    /// Whether the system lets tasks be less nice again.
    can_restore: fn() -> bool,
    is_lowered: bool,
    /// Of the run under way.
    watch: Option<Watch>,
}

struct Watch {
    /// When to look next.
    at: Instant,
    /// The processor time at the first look, and at the last one.
    used: Option<(Duration, Duration)>,
    pause: Duration,
}

impl Share {
    pub fn new(tasks: Arc<dyn Tasks>, can_restore: fn() -> bool) -> Self {
        Self { tasks, can_restore, is_lowered: false, watch: None }
    }

    /// A run begins, which is served as any other.
    pub fn begin(&mut self, now: Instant) {
        self.restore();
        self.watch = (!self.is_lowered).then(|| Watch { at: now + LOOK, used: None, pause: LOOK });
    }

    /// When the run is to be looked at; absent: no more.
    pub fn due(&self) -> Option<Instant> {
        self.watch.as_ref().map(|watch| watch.at)
    }

    /// Looks at the run under way if that is due.
    pub fn look(&mut self, now: Instant) {
        let Some(watch) = self.watch.as_mut().filter(|watch| watch.at <= now) else { return };
        let long = if (self.can_restore)() { LONG } else { LONG_FOR_GOOD };
        let Some(used) = self.tasks.cpu_time() else { return self.watch = None };
        if watch.is_long(used, long, now) {
            self.watch = None;
            self.is_lowered = true;
            self.tasks.set_niceness(priority::of_guests() + COMPUTING_NICE);
        }
    }

    /// The run under way was asked to end by itself, and has little time for that.
    pub fn hurry(&mut self) {
        self.watch = None;
        self.restore();
    }

    fn restore(&mut self) {
        if self.is_lowered && (self.can_restore)() {
            self.is_lowered = !self.tasks.set_niceness(priority::of_guests());
        }
    }

    /// The isolate was given up and goes on: it gets what nobody else wants.
    pub fn hold_back(&mut self) {
        self.watch = None;
        self.tasks.set_niceness(NICEST);
    }
}

impl Watch {
    /// Whether the run has computed for `long` since the first look. Otherwise says when to look again.
    fn is_long(&mut self, used: Duration, long: Duration, now: Instant) -> bool {
        let (first, last) = self.used.unwrap_or((used, used));
        let left = long.saturating_sub(used - first);
        // It waits if it has had nearly nothing since the last look.
        let waits = self.used.is_some() && (used - last) * 10 < self.pause;
        self.pause = if waits { (self.pause * 2).min(LATEST_LOOK) } else { left };
        self.used = Some((first, used));
        self.at = now + self.pause;
        left.is_zero()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Tasks that have computed for so many milliseconds, and how nice they were made.
    #[derive(Default)]
    struct Fake(Mutex<(u64, Vec<i32>)>);

    impl Tasks for Fake {
        fn cpu_time(&self) -> Option<Duration> {
            Some(ms(self.0.lock().unwrap().0))
        }

        fn set_niceness(&self, niceness: i32) -> bool {
            self.0.lock().unwrap().1.push(niceness - priority::of_guests());
            true
        }
    }

    /// A share and its time, at which nothing is due before it should be.
    struct Bench {
        share: Share,
        fake: Arc<Fake>,
        now: Instant,
    }

    impl Bench {
        /// A run has begun.
        fn new(can_restore: fn() -> bool) -> Self {
            let fake = Arc::<Fake>::default();
            let mut share = Share::new(fake.clone(), can_restore);
            let now = Instant::now();
            share.begin(now);
            Self { share, fake, now }
        }

        /// The next look, when the run has computed for so many milliseconds more; returns after how many.
        fn look(&mut self, computed: u64) -> Option<u128> {
            let due = self.share.due()?;
            let pause = due - self.now;
            self.share.look(due - Duration::from_nanos(1));
            assert_eq!(self.share.due(), Some(due), "it was not due");
            self.fake.0.lock().unwrap().0 += computed;
            self.now = due;
            self.share.look(due);
            Some(pause.as_millis())
        }

        fn made(&self) -> Vec<i32> {
            std::mem::take(&mut self.fake.0.lock().unwrap().1)
        }
    }

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn who_goes_on_computing_is_nicer_until_the_run_ends() {
        let mut bench = Bench::new(|| true);
        // What was used before the first look may be of earlier runs.
        assert_eq!(bench.look(1_000), Some(10));
        assert_eq!(bench.look(4), Some(5));
        assert!(bench.made().is_empty());
        assert_eq!(bench.look(1), Some(1));
        assert_eq!(bench.made(), [COMPUTING_NICE]);
        assert_eq!(bench.look(1), None, "there is nothing left to look for");
        bench.share.begin(bench.now);
        assert_eq!(bench.made(), [0]);
        assert_eq!(bench.look(0), Some(10));
    }

    #[test]
    fn who_is_asked_to_end_is_served_as_any_other() {
        let mut bench = Bench::new(|| true);
        bench.look(0);
        bench.look(5);
        assert_eq!(bench.made(), [COMPUTING_NICE]);
        bench.share.hurry();
        assert_eq!((bench.made(), bench.share.due()), (vec![0], None));
        bench.share.begin(bench.now);
        bench.share.hurry();
        assert_eq!((bench.made(), bench.share.due()), (Vec::new(), None));
    }

    #[test]
    fn where_it_is_for_good_it_takes_longer() {
        let mut bench = Bench::new(|| false);
        bench.look(0);
        assert_eq!(bench.look(99), Some(100));
        assert!(bench.made().is_empty());
        bench.look(1);
        assert_eq!(bench.made(), [COMPUTING_NICE]);
        bench.share.begin(bench.now);
        assert!(bench.made().is_empty());
        assert_eq!(bench.share.due(), None);
    }

    #[test]
    fn who_waits_is_looked_at_more_and_more_seldom() {
        let mut bench = Bench::new(|| true);
        let pauses: Vec<_> = (0..9).filter_map(|_| bench.look(0)).collect();
        assert_eq!(pauses, [10, 5, 10, 20, 40, 80, 160, 320, 320]);
        bench.look(33);
        assert_eq!(bench.made(), [COMPUTING_NICE]);
    }

    #[test]
    fn who_was_given_up_gets_what_nobody_wants() {
        let mut bench = Bench::new(|| true);
        bench.share.hold_back();
        assert_eq!(bench.made(), [NICEST - priority::of_guests()]);
        assert_eq!(bench.look(1_000), None);
    }
}
