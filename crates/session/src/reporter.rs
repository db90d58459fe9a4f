//! Reports a guest's actions to its host. Everything is reported immediately, except calls that follow other calls.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use std::{io, mem};

use ses_protocol::{Event, MAX_REPORTED_CALLS, ToolCall};

use crate::backend::Events;
use crate::watchdog::{Deadline, Watchdog};

/// How long a call may be held back while its guest computes.
const MOMENT: Duration = Duration::from_millis(4);
/// The most bytes of arguments that are held back.
const MAX_HELD_BYTES: usize = 16 << 10;

/// Reports a guest's actions, for the guest's thread.
///
/// For a guest, reporting to the host costs more than making a call. The first asynchronous call since the guest last
/// waited is therefore reported immediately, so that the host can begin. The calls after it are reported when the guest
/// waits, when there are many, or a moment later.
pub struct Reporter {
    held_reports: Arc<HeldReports>,
    watchdog: Arc<Watchdog>,
}

struct HeldReports {
    events: Events,
    /// Locked during a report, so that the host receives everything in the order in which it happened.
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    calls: Vec<ToolCall>,
    bytes: usize,
    /// The guest has made a call since it last waited.
    has_called: bool,
    /// Present while the watchdog is due to check for held calls.
    look: Option<Deadline>,
}

impl Reporter {
    /// `watchdog` reports held calls while the guest computes.
    pub fn new(events: Events, watchdog: Arc<Watchdog>) -> Self {
        Self { held_reports: Arc::new(HeldReports { events, held: Mutex::default() }), watchdog }
    }

    /// Reports `event`, after all earlier events.
    pub fn report(&self, event: Event) {
        let mut held = self.held_reports.held();
        match event {
            Event::ToolCalls(calls) if held.has_called && calls.iter().all(|call| call.is_async) => {
                held.add(calls);
                if held.is_full() || self.arm(&mut held).is_err() {
                    self.held_reports.tell(&mut held);
                }
            }
            event => {
                held.has_called |= matches!(event, Event::ToolCalls(_));
                self.held_reports.tell(&mut held);
                (self.held_reports.events)(event);
            }
        }
    }

    /// The guest is about to wait. It goes on when the host answers or sends something.
    pub fn wait(&self) {
        let mut held = self.held_reports.held();
        held.has_called = false;
        self.held_reports.tell(&mut held);
    }

    /// Makes the watchdog check a moment later. The check is not cancelled when nothing is held any more, because the
    /// next burst comes soon.
    fn arm(&self, held: &mut Held) -> io::Result<()> {
        if held.look.is_none() {
            let held_reports = Arc::downgrade(&self.held_reports);
            held.look = Some(self.watchdog.arm(Instant::now() + MOMENT, move || HeldReports::look(&held_reports))?);
        }
        Ok(())
    }
}

impl Held {
    fn add(&mut self, calls: Vec<ToolCall>) {
        self.bytes += calls.iter().map(|call| call.args.wire_bytes()).sum::<usize>();
        self.calls.extend(calls);
    }

    fn is_full(&self) -> bool {
        self.calls.len() >= MAX_REPORTED_CALLS || self.bytes >= MAX_HELD_BYTES
    }
}

impl HeldReports {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, held: &mut Held) {
        if !held.calls.is_empty() {
            held.bytes = 0;
            (self.events)(Event::ToolCalls(mem::take(&mut held.calls)));
        }
    }

    /// Runs on the watchdog's thread.
    fn look(held_reports: &Weak<Self>) {
        let Some(held_reports) = held_reports.upgrade() else { return };
        let mut held = held_reports.held();
        held.look = None;
        held_reports.tell(&mut held);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use ses_protocol::{Block, Value, Values};

    use super::*;

    struct Bench {
        reporter: Reporter,
        told: Receiver<String>,
    }

    impl Bench {
        fn new(watchdog: Watchdog) -> Self {
            let (tell, told) = channel();
            let tell = Mutex::new(tell);
            let events: Events = Arc::new(move |event| tell.lock().unwrap().send(show(event)).unwrap());
            Self { reporter: Reporter::new(events, Arc::new(watchdog)), told }
        }

        /// A reporter whose watchdog is kept busy until the returned value is dropped, so that it reports nothing by
        /// itself.
        fn with_busy_watchdog() -> (Self, impl Drop) {
            struct Busy {
                free: Sender<()>,
                _work: Deadline,
            }
            impl Drop for Busy {
                fn drop(&mut self) {
                    self.free.send(()).unwrap();
                }
            }
            let watchdog = Watchdog::default();
            let (free, is_free) = channel();
            let (begun, has_begun) = channel();
            let work = watchdog.arm(Instant::now(), move || {
                begun.send(()).unwrap();
                is_free.recv().unwrap();
            });
            has_begun.recv().unwrap();
            (Self::new(watchdog), Busy { free, _work: work.unwrap() })
        }

        fn call(&self, id: u64, is_async: bool) {
            self.call_with(id, is_async, Values::List(Vec::new()));
        }

        fn call_with(&self, id: u64, is_async: bool, args: Values) {
            self.reporter.report(Event::ToolCalls(vec![ToolCall { id, tool: 1, is_async, args, made: id }]));
        }

        fn told(&self) -> Vec<String> {
            self.told.try_iter().collect()
        }
    }

    fn show(event: Event) -> String {
        match event {
            Event::ToolCalls(calls) => calls.iter().map(|call| call.id.to_string()).collect::<Vec<_>>().join(" "),
            Event::Idle { answers } => format!("idle {answers}"),
            event => format!("{event:?}"),
        }
    }

    #[test]
    fn the_first_call_is_told_at_once_and_the_others_when_the_guest_waits() {
        let (bench, _busy) = Bench::with_busy_watchdog();
        for id in 1..=4 {
            bench.call(id, true);
        }
        assert_eq!(bench.told(), ["1"]);
        bench.reporter.wait();
        assert_eq!(bench.told(), ["2 3 4"]);
        bench.call(5, true);
        assert_eq!(bench.told(), ["5"]);
        bench.reporter.wait();
        assert!(bench.told().is_empty());
    }

    #[test]
    fn a_call_that_is_waited_for_is_told_after_those_held_back() {
        let (bench, _busy) = Bench::with_busy_watchdog();
        for id in 1..=3 {
            bench.call(id, true);
        }
        bench.call(4, false);
        assert_eq!(bench.told(), ["1", "2 3", "4"]);
    }

    #[test]
    fn events_keep_their_order() {
        let (bench, _busy) = Bench::with_busy_watchdog();
        for id in 1..=2 {
            bench.call(id, true);
        }
        bench.reporter.report(Event::Idle { answers: 3 });
        assert_eq!(bench.told(), ["1", "2", "idle 3"]);
    }

    #[test]
    fn no_more_than_so_many_are_held_back() {
        let (bench, _busy) = Bench::with_busy_watchdog();
        let most = MAX_REPORTED_CALLS as u64;
        for id in 1..=most + 2 {
            bench.call(id, true);
        }
        let together: Vec<_> = (2..=most + 1).map(|id| id.to_string()).collect();
        assert_eq!(bench.told(), ["1", &together.join(" ")]);
    }

    #[test]
    fn no_more_than_so_many_bytes_are_held_back() {
        let (bench, _busy) = Bench::with_busy_watchdog();
        bench.call(1, true);
        bench.call(2, true);
        let args = Values::List(vec![Value::Latin1(Block::copy_of(&[b'a'; MAX_HELD_BYTES]).unwrap())]);
        bench.call_with(3, true, args);
        assert_eq!(bench.told(), ["1", "2 3"]);
    }

    #[test]
    fn the_watchdog_tells_of_calls_while_the_guest_computes() {
        let bench = Bench::new(Watchdog::default());
        for round in 0..3 {
            bench.call(2 * round, true);
            bench.call(2 * round + 1, true);
            assert_eq!(bench.told.recv().unwrap(), (2 * round).to_string());
            assert_eq!(bench.told.recv().unwrap(), (2 * round + 1).to_string());
            bench.reporter.wait();
        }
    }

    #[test]
    fn nothing_is_held_back_that_nobody_would_look_for() {
        let bench = Bench::new(Watchdog::refused());
        for id in 1..=3 {
            bench.call(id, true);
        }
        assert_eq!(bench.told(), ["1", "2", "3"]);
    }
}
