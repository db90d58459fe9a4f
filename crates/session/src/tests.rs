//! Tests of executors with a backend that does nothing by itself.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ses_protocol::{Command, Config, Event, Failure, Figures, LogEntry, Outcome, Success, ToolCall, Value, Values};
use ses_sync::CpuClock;
use ses_sync::priority::Thread;

use crate::lost_isolates::{Held, LostIsolates};
use crate::watchdog::HELD_UP;
use crate::{Backend, Boot, Counters, Delivery, Events, Executor, Link, OwnerEvent, Process, Resources, Watchdog};

/// A request to an isolate.
#[derive(Debug, PartialEq)]
enum Asked {
    Variables(u64),
    Tools(u64),
    Run(u64),
    End(u64),
    Interrupt,
}

struct Isolate {
    events: Mutex<Option<Events>>,
    asked: Mutex<Vec<Asked>>,
    /// Whether the isolate can be asked to end a run.
    looks: AtomicBool,
}

impl Isolate {
    fn report(&self, event: Event) {
        let events = self.events.lock().unwrap().clone().expect("it was booted");
        events(event);
    }

    fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

struct OneIsolate(Arc<Isolate>);

impl Backend for OneIsolate {
    fn expect(&self, _config: &Config) {}

    fn boot(&self, boot: Boot) -> Result<Arc<dyn Link>, Failure> {
        *self.0.events.lock().unwrap() = Some(boot.events);
        Ok(Arc::new(ToIsolate(self.0.clone())))
    }

    fn parks(&self) -> bool {
        true
    }
}

struct ToIsolate(Arc<Isolate>);

impl Link for ToIsolate {
    fn send(&self, command: Command) {
        self.0.asked.lock().unwrap().push(match command {
            Command::SetVariables { job, .. } => Asked::Variables(job),
            Command::SetTools { job, .. } => Asked::Tools(job),
            Command::ToolReplies { .. } | Command::Checkpoint { .. } | Command::Restore { .. } => return,
            Command::Run { job, .. } => Asked::Run(job),
        });
    }

    fn interrupt(&self) {
        self.0.asked.lock().unwrap().push(Asked::Interrupt);
    }

    fn ask(&self, job: u64) -> bool {
        let looks = self.0.looks.load(Ordering::Relaxed);
        if looks {
            self.0.asked.lock().unwrap().push(Asked::End(job));
        }
        looks
    }

    fn thread(&self) -> Option<Thread> {
        None
    }

    /// The session reads the clock between arming the two deadlines. This takes long enough for the first one to
    /// expire.
    fn cpu_clock(&self) -> Option<CpuClock> {
        std::thread::sleep(Duration::from_millis(20));
        None
    }

    fn process(&self) -> Option<Process> {
        None
    }
}

/// An executor, its isolate, and the deliveries.
struct Bench {
    executor: Executor,
    isolate: Arc<Isolate>,
    counters: Arc<Counters>,
    owner_events: Arc<Mutex<Vec<OwnerEvent>>>,
}

impl Bench {
    /// An executor in the state READY.
    fn new(watchdog: Watchdog) -> Self {
        Self::with(watchdog, config())
    }

    fn with(watchdog: Watchdog, config: Config) -> Self {
        let mut bench = Self::initializing(watchdog, config);
        bench.isolate.report(Event::Initialized(Ok(())));
        assert_eq!(bench.deliveries(), ["1 done"]);
        bench
    }

    fn initializing(watchdog: Watchdog, config: Config) -> Self {
        let isolate =
            Arc::new(Isolate { events: Mutex::default(), asked: Mutex::default(), looks: AtomicBool::default() });
        let counters = Arc::<Counters>::default();
        let resources = Resources {
            backend: Arc::new(OneIsolate(isolate.clone())),
            watchdog: Arc::new(watchdog),
            counters: counters.clone(),
        };
        let owner_events = Arc::<Mutex<Vec<OwnerEvent>>>::default();
        let inbox = owner_events.clone();
        let executor =
            Executor::new(config, Arc::new(resources), Arc::new(move |event| inbox.lock().unwrap().push(event)));
        let mut bench = Self { executor, isolate, counters, owner_events };
        assert!(bench.executor.init(1.0).is_none());
        bench
    }

    /// Returns when the isolate counts as stuck.
    fn await_stuck(&self) {
        while self.counters.now().stuck == 0 {
            std::thread::yield_now();
        }
    }

    fn run(&mut self, call: f64) {
        assert!(self.executor.run(call, "1".to_owned(), None, None, false, None).is_none());
    }

    /// The deliveries so far.
    fn told(&mut self) -> Vec<Delivery> {
        let mut told = Vec::new();
        loop {
            let events = std::mem::take(&mut *self.owner_events.lock().unwrap());
            if events.is_empty() {
                return told;
            }
            told.extend(events.into_iter().map(|event| self.executor.on_owner_event(event)));
        }
    }

    fn deliveries(&mut self) -> Vec<String> {
        self.told().into_iter().filter_map(show).collect()
    }

    /// The messages of the failures among the deliveries.
    fn messages(&mut self) -> Vec<String> {
        let message = |delivery: Delivery| {
            let (_, outcome) = delivery.settled?;
            outcome.result.err().map(|failure| failure.kind.message())
        };
        self.told().into_iter().filter_map(message).collect()
    }
}

/// `None`: there is nothing to deliver.
fn show(Delivery { settled, tool_calls, logs }: Delivery) -> Option<String> {
    let settled = settled.map(|(call, outcome)| {
        let Outcome { result, report } = *outcome;
        let logs = report.map(|report| format!(" {} calls, log {:?}", report.figures.tool_calls, report.logs));
        let result = match result {
            Ok(Success::Done) => "done".to_owned(),
            Ok(Success::Output { value, .. }) => format!("{value:?}"),
            Err(failure) => {
                let details = ["reason", "operation", "details", "cause"];
                let told = details.iter().find_map(|&name| failure.details.get(name)).unwrap_or_default();
                format!("{} {told}", failure.kind.code())
            }
        };
        format!("{call} {result}{}", logs.unwrap_or_default())
    });
    let calls: Vec<_> = tool_calls.iter().map(|call| format!("tool {}", call.id)).collect();
    let parts = [
        settled,
        (!calls.is_empty()).then(|| calls.join(", ")),
        (!logs.is_empty()).then(|| format!("{} entries", logs.len())),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    assert!(parts.len() <= 1, "{parts:?} are delivered together");
    parts.into_iter().next()
}

include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/fixtures/config.rs"));

fn config() -> Config {
    Config { queue_runs: true, max_queued_runs: 4, owner: "owner".to_owned(), stream_logs: true, ..plain_config() }
}

fn settled(job: u64, value: f64) -> Event {
    settled_with(job, value, false)
}

fn settled_with(job: u64, value: f64, is_final_answer: bool) -> Event {
    let result = Ok(Success::Output { value: Value::Number(value), is_final_answer });
    let figures = Figures { operations: 0, tool_calls: 2, heap_used_bytes: 0, dropped_calls: 0 };
    Event::Settled { job, result, figures, sound: true }
}

/// Variables or tools are installed.
fn done(job: u64) -> Event {
    Event::Settled { job, result: Ok(Success::Done), figures: Figures::default(), sound: true }
}

fn entry(message: &str) -> LogEntry {
    LogEntry { level: 0, message: message.to_owned(), at_ms: 0.0 }
}

fn tool_call(id: u64, made: u64) -> Event {
    Event::ToolCalls(vec![ToolCall { id, tool: 1, is_async: true, args: Values::List(Vec::new()), made }])
}

#[test]
fn a_run_is_settled_by_its_isolate() {
    let mut bench = Bench::new(Watchdog::default());
    bench.run(2.0);
    assert_eq!(bench.isolate.asked(), [Asked::Run(1)]);
    bench.isolate.report(Event::Log { job: 1, entry: entry("a") });
    bench.isolate.report(Event::Log { job: 1, entry: entry("b") });
    bench.isolate.report(tool_call(7, 1));
    bench.isolate.report(settled(1, 42.0));
    let expected = ["2 entries", "tool 7", "2 Number(42.0) 2 calls, log \"a\\nb\""];
    assert_eq!((bench.deliveries(), bench.executor.state()), (expected.map(str::to_owned).to_vec(), "READY"));
}

#[test]
fn nothing_runs_without_a_deadline() {
    let mut bench = Bench::new(Watchdog::refused());
    bench.run(2.0);
    bench.run(3.0);
    assert_eq!(bench.isolate.asked(), []);
    assert_eq!(bench.deliveries(), ["2 ERR_RUNTIME_EXCEPTION \"engine\"", "3 ERR_RUNTIME_EXCEPTION \"engine\""]);
    assert_eq!(bench.executor.state(), "READY");
}

/// Regression: each run began the next one by recursion and overflowed the stack.
#[test]
fn a_long_queue_without_deadlines_is_refused_one_by_one() {
    const QUEUED: u32 = 100_000;
    let max_queued_runs = QUEUED as usize;
    let mut bench = Bench::with(Watchdog::refused(), Config { max_queued_runs, ..config() });
    assert!(bench.executor.send_tools(2.0, Vec::new()).is_none());
    bench.run(3.0);
    (0..QUEUED).for_each(|queued| bench.run(f64::from(4 + queued)));
    bench.isolate.report(done(1));
    let deliveries = bench.deliveries();
    assert_eq!((deliveries.len(), deliveries[0].as_str()), (2 + QUEUED as usize, "2 done"));
    assert_eq!(deliveries.last().unwrap(), &format!("{} ERR_RUNTIME_EXCEPTION \"engine\"", 3 + QUEUED));
    assert_eq!(bench.executor.state(), "READY");
}

#[test]
fn a_deadline_may_pass_while_the_run_is_handed_over() {
    let mut bench = Bench::with(Watchdog::default(), Config { max_cpu_ms: Some(1e6), ..config() });
    assert!(bench.executor.run(2.0, "1".to_owned(), None, Some(1.0), false, None).is_none());
    assert_eq!(bench.deliveries(), ["2 ERR_EXEC_TIMEOUT \"deadline\" 0 calls, log \"\""]);
    assert_eq!(bench.executor.state(), "DIRTY");
}

#[test]
fn a_run_that_is_looked_at_while_its_deadline_is_armed_keeps_it() {
    let mut bench = Bench::new(Watchdog::default());
    HELD_UP.set(Duration::from_millis(30));
    assert!(bench.executor.run(2.0, "1".to_owned(), None, Some(60.0), false, None).is_none());
    HELD_UP.set(Duration::ZERO);
    let until = Instant::now() + Duration::from_secs(60);
    let mut deliveries = bench.deliveries();
    while deliveries.is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
        deliveries = bench.deliveries();
    }
    assert_eq!(deliveries, ["2 ERR_EXEC_TIMEOUT \"deadline\" 0 calls, log \"\""]);
}

#[test]
fn what_is_settled_is_not_settled_again() {
    let mut bench = Bench::new(Watchdog::default());
    bench.run(2.0);
    bench.isolate.report(Event::Log { job: 1, entry: entry("a") });
    bench.isolate.report(tool_call(7, 3));
    bench.executor.abort(2.0, "enough");
    assert_eq!(bench.isolate.asked(), [Asked::Run(1), Asked::Interrupt]);
    // All of these reports come too late.
    bench.isolate.report(Event::Log { job: 1, entry: entry("b") });
    bench.isolate.report(tool_call(8, 4));
    bench.isolate.report(settled(1, 42.0));
    assert_eq!(bench.deliveries(), ["1 entries", "tool 7", "2 ERR_EXEC_TIMEOUT \"enough\" 3 calls, log \"a\""]);
    assert_eq!((bench.executor.state(), bench.counters.now().terminated), ("DIRTY", 1));
}

#[test]
fn a_guest_that_looks_is_asked_to_end_and_goes_on() {
    let mut bench = Bench::new(Watchdog::default());
    bench.isolate.looks.store(true, Ordering::Relaxed);
    bench.run(2.0);
    bench.executor.abort(2.0, "enough");
    bench.executor.abort(2.0, "more than enough");
    assert_eq!(bench.isolate.asked(), [Asked::Run(1), Asked::End(1)]);
    bench.isolate.report(settled(1, 42.0));
    assert_eq!(bench.deliveries(), ["2 ERR_EXEC_TIMEOUT \"enough\" 2 calls, log \"\""]);
    assert_eq!((bench.executor.state(), bench.counters.now().terminated), ("READY", 0));
}

#[test]
fn a_guest_that_is_asked_to_end_after_its_final_answer_has_given_that() {
    let mut bench = Bench::new(Watchdog::default());
    bench.isolate.looks.store(true, Ordering::Relaxed);
    bench.run(2.0);
    bench.executor.abort(2.0, "enough");
    bench.isolate.report(settled_with(1, 42.0, true));
    assert_eq!(bench.deliveries(), ["2 Number(42.0) 2 calls, log \"\""]);
    assert_eq!((bench.executor.state(), bench.counters.now().terminated), ("READY", 0));
}

#[test]
fn a_guest_that_does_not_end_when_it_is_asked_is_given_up() {
    let mut bench = Bench::new(Watchdog::default());
    bench.isolate.looks.store(true, Ordering::Relaxed);
    bench.run(2.0);
    bench.executor.abort(2.0, "enough");
    while bench.owner_events.lock().unwrap().is_empty() {
        std::thread::yield_now();
    }
    assert_eq!(bench.isolate.asked(), [Asked::Run(1), Asked::End(1), Asked::Interrupt]);
    bench.isolate.report(settled(1, 42.0));
    assert_eq!(bench.deliveries(), ["2 ERR_EXEC_TIMEOUT \"enough\" 0 calls, log \"\""]);
    assert_eq!(bench.executor.state(), "DIRTY");
}

#[test]
fn a_parked_isolate_is_lost_with_what_it_works_on() {
    let mut bench = Bench::new(Watchdog::default());
    assert_eq!(bench.counters.now().live, 1);
    let values = || Values::List(Vec::new());
    assert!(bench.executor.send_variables(2.0, Vec::new(), values()).is_none());
    assert!(bench.executor.send_variables(3.0, Vec::new(), values()).is_none());
    assert_eq!(bench.isolate.asked(), [Asked::Variables(1), Asked::Variables(2)]);
    bench.isolate.report(Event::Parked { bytes: 5 });
    assert_eq!(bench.deliveries(), ["2 ERR_MEMORY_LIMIT_EXCEEDED null", "3 ERR_INVALID_STATE \"sendVariables\""]);
    let stats = bench.counters.now();
    assert_eq!((stats.live, stats.parked, stats.parked_bytes), (0, 1, 5));
    assert_eq!(bench.executor.state(), "DIRTY");
}

#[test]
fn calls_that_cleanup_refuses_have_their_names_and_their_isolate_counts_once() {
    let mut bench = Bench::new(Watchdog::default());
    assert!(bench.executor.send_variables(2.0, Vec::new(), Values::List(Vec::new())).is_none());
    assert!(bench.executor.send_tools(3.0, Vec::new()).is_none());
    bench.run(4.0);
    assert!(bench.executor.send_tools(5.0, Vec::new()).is_none());
    assert_eq!(bench.isolate.asked(), [Asked::Variables(1), Asked::Tools(2)]);
    assert!(bench.executor.cleanup(6.0).is_none());
    let expected = [
        "2 ERR_INVALID_STATE \"sendVariables\"",
        "3 ERR_INVALID_STATE \"sendTools\"",
        "4 ERR_INVALID_STATE \"run\"",
        "5 ERR_INVALID_STATE \"sendTools\"",
        "6 done",
    ];
    assert_eq!((bench.deliveries(), bench.counters.now().terminated), (expected.map(str::to_owned).to_vec(), 1));
}

#[test]
fn a_run_begins_when_all_that_was_sent_before_is_there() {
    let mut bench = Bench::new(Watchdog::default());
    bench.isolate.looks.store(true, Ordering::Relaxed);
    assert!(bench.executor.send_variables(2.0, Vec::new(), Values::List(Vec::new())).is_none());
    assert!(bench.executor.send_tools(3.0, Vec::new()).is_none());
    bench.run(4.0);
    bench.run(5.0);
    assert_eq!(bench.executor.state(), "RUNNING");
    // An abort does not end other work of the isolate.
    bench.executor.abort(4.0, "enough");
    bench.isolate.report(done(1));
    assert_eq!(bench.deliveries(), ["4 ERR_EXEC_TIMEOUT \"enough\"", "2 done"]);
    assert_eq!(bench.isolate.asked(), [Asked::Variables(1), Asked::Tools(2)]);
    bench.isolate.report(done(2));
    assert_eq!(bench.deliveries(), ["3 done"]);
    assert_eq!(bench.isolate.asked(), [Asked::Run(3)]);
    bench.isolate.report(settled(3, 42.0));
    assert_eq!(bench.deliveries(), ["5 Number(42.0) 2 calls, log \"\""]);
}

#[test]
fn variables_that_are_lost_with_their_process_have_called_no_tools() {
    let mut bench = Bench::new(Watchdog::default());
    bench.run(2.0);
    bench.isolate.report(tool_call(7, 3));
    bench.isolate.report(settled(1, 42.0));
    assert!(bench.executor.send_variables(3.0, Vec::new(), Values::List(Vec::new())).is_none());
    bench.isolate.report(Event::Lost { reason: "gone".to_owned() });
    let calls = bench.told().into_iter().filter_map(|delivery| {
        let (_, outcome) = delivery.settled.filter(|&(call, _)| call == 3.0)?;
        outcome.result.err().map(|failure| failure.details["toolCalls"].clone())
    });
    assert_eq!(calls.collect::<Vec<_>>(), [0]);
}

#[test]
fn an_isolate_that_is_parked_with_nothing_to_do_is_lost_for_want_of_memory() {
    let parked = || Event::Parked { bytes: 5 };
    let mut bench = Bench::initializing(Watchdog::default(), config());
    bench.isolate.report(parked());
    assert_eq!(bench.messages(), ["SES init failed: Memory limit exceeded (16 MB)"]);
    assert_eq!(bench.executor.state(), "DEAD");

    let mut bench = Bench::new(Watchdog::default());
    bench.isolate.report(parked());
    assert_eq!((bench.messages(), bench.executor.state()), (Vec::new(), "DIRTY"));

    let mut bench = Bench::new(Watchdog::default());
    assert!(bench.executor.cleanup(2.0).is_none());
    bench.isolate.report(parked());
    assert_eq!(bench.messages(), ["Cleanup failed: Memory limit exceeded (16 MB)"]);
}

#[test]
fn an_isolate_that_was_given_up_may_be_parked() {
    let mut bench = Bench::new(Watchdog::default());
    bench.run(2.0);
    bench.executor.abort(2.0, "enough");
    assert_eq!(bench.deliveries(), ["2 ERR_EXEC_TIMEOUT \"enough\" 0 calls, log \"\""]);
    bench.isolate.report(Event::Parked { bytes: 5 });
    assert_eq!((bench.deliveries(), bench.executor.state()), (Vec::new(), "DIRTY"));
}

#[test]
fn an_isolate_that_goes_on_is_stuck_until_it_ends() {
    let mut bench = Bench::new(Watchdog::default());
    bench.run(2.0);
    bench.executor.abort(2.0, "enough");
    assert_eq!(bench.counters.now().stuck, 0);
    bench.await_stuck();
    bench.isolate.report(Event::Progress { operations: 0, tool_calls: 0 });
    bench.isolate.report(Event::Log { job: 1, entry: entry("late") });
    let stats = bench.counters.now();
    assert_eq!((stats.live, stats.stuck, stats.stuck_bytes), (1, 1, 16 << 20));
    bench.isolate.report(Event::Closed { panicked: false });
    let stats = bench.counters.now();
    assert_eq!((stats.live, stats.stuck, stats.stuck_bytes), (0, 0, 0));
}

#[test]
fn a_stuck_isolate_may_be_parked() {
    let mut bench = Bench::new(Watchdog::default());
    bench.run(2.0);
    assert!(bench.executor.cleanup(3.0).is_none_or(|outcome| outcome.result.is_ok()));
    bench.await_stuck();
    bench.isolate.report(Event::Parked { bytes: 5 });
    let stats = bench.counters.now();
    assert_eq!((stats.live, stats.stuck, stats.parked, stats.parked_bytes), (0, 0, 1, 5));
}

#[test]
fn what_one_owner_has_left_does_not_keep_another_from_isolates() {
    let lost_isolates = LostIsolates::default();
    lost_isolates.add_parked(Some("a"), 3 << 20);
    lost_isolates.add_stuck("a", 1 << 20);
    lost_isolates.add_parked(None, 1);
    assert_eq!(
        (lost_isolates.of("a").bytes(), lost_isolates.of("b").bytes(), lost_isolates.of("").bytes()),
        (6 << 20, 0, 0)
    );
    lost_isolates.remove_stuck("a", 1 << 20);
    assert_eq!(lost_isolates.all(), Held { parked: 2, parked_bytes: (3 << 20) + 1, stuck: 0, stuck_bytes: 0 });
}

#[test]
fn nobody_gets_an_isolate_who_has_left_too_much() {
    let mut bench = Bench::new(Watchdog::default());
    bench.isolate.report(Event::Parked { bytes: 5 });
    bench.deliveries();
    let _ = bench.executor.cleanup(2.0);
    let refused = bench.executor.init(3.0).expect("it is refused at once").result.unwrap_err();
    assert_eq!((refused.kind.code(), &refused.details["parked"]), ("ERR_SES_INIT_FAILED", &1.into()));
}

#[test]
fn cleanup_waits_for_an_idle_isolate() {
    let mut bench = Bench::new(Watchdog::default());
    assert!(bench.executor.cleanup(2.0).is_none());
    assert_eq!(bench.deliveries(), [""; 0]);
    bench.isolate.report(Event::Closed { panicked: false });
    assert_eq!((bench.deliveries(), bench.counters.now().live), (vec!["2 done".to_owned()], 0));
}

#[test]
fn a_thread_that_panics_while_it_is_cleaned_up_is_told_of() {
    let mut bench = Bench::new(Watchdog::default());
    assert!(bench.executor.cleanup(2.0).is_none());
    bench.isolate.report(Event::Closed { panicked: true });
    assert_eq!(bench.deliveries(), ["2 ERR_CLEANUP_FAILED null"]);
    assert_eq!((bench.executor.state(), bench.counters.now().live), ("DEAD", 0));
}

#[test]
fn every_cell_of_the_table() {
    use ses_protocol::State::*;
    use ses_protocol::Transition::*;

    let transitions = [Init, Initialized, InitFailed, RunStarted, RunEnded, Corrupted, Cleanup];
    let table = [
        (New, [Some(Initializing), None, None, None, None, None, Some(Dead)]),
        (Initializing, [Some(Initializing), Some(Ready), Some(Dead), None, None, None, Some(Dead)]),
        (Ready, [Some(Ready), None, None, Some(Running), None, Some(Dirty), Some(Dead)]),
        (Running, [None, None, None, None, Some(Ready), Some(Dirty), Some(Dead)]),
        (Dirty, [None, None, None, None, None, None, Some(Dead)]),
        (Dead, [Some(Initializing), None, None, None, None, None, Some(Dead)]),
    ];
    for (from, row) in table {
        for (transition, expected) in transitions.into_iter().zip(row) {
            assert_eq!(from.after(transition), expected, "{from:?} by {transition:?}");
        }
    }
}
