//! Tests of sessions with a shell script as the worker.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ses_peer::{Confinement, Connection, INVALID_MESSAGE, Peer, PeerLink};
use ses_protocol::frames::{Control, Hello, Message, Status, VERSION};
use ses_protocol::{Command, Event, Figures, Success, Values};
use ses_session::{Events, Folders, Link, Watchdog};

use crate::launch::{Installation, Kind};
use crate::worker::{Intake, Worker};

include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/fixtures/config.rs"));

const SILENT: &str = "the worker process does not answer";
/// No test waits this long, unless it fails.
const AGES: Duration = Duration::from_secs(3_600);
/// The outcome of a worker arrives within this time, even on a heavily loaded machine.
const SOON: Duration = Duration::from_secs(60);

static SCRIPTS: AtomicU32 = AtomicU32::new(0);

/// A shell script that acts as a worker.
struct Bench {
    script: PathBuf,
    link: PeerLink,
    worker: Arc<Worker>,
    events: Receiver<Event>,
}

impl Bench {
    /// A worker that runs `script` and may take `answer` for each answer.
    fn new(script: &str, answer: Duration) -> Self {
        let start = |installation, kind, intake| Worker::start_attached(installation, kind, intake).unwrap();
        Self::started(script, answer, start)
    }

    /// A worker that was started ahead of need.
    fn of_spare(script: &str) -> Self {
        Self::started(script, AGES, |installation, kind, intake| {
            let (ready, is_ready) = channel();
            Worker::start(installation, kind, move |worker| ready.send(worker).unwrap()).unwrap();
            let worker = is_ready.recv_timeout(SOON).unwrap();
            assert!(worker.attach(intake, &Folders::default()).is_ok());
            worker
        })
    }

    fn started(script: &str, answer: Duration, start: impl FnOnce(Arc<Installation>, Kind, Intake) -> Worker) -> Self {
        let number = SCRIPTS.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("ses-process-{}-{number}.sh", std::process::id()));
        fs::write(&path, script).unwrap();
        let installation = Installation {
            program: "/bin/sh".into(),
            addon: path.clone(),
            environment: Vec::new(),
            engine: Arc::default(),
        };
        let kind = Kind { confinement: Confinement::Off, memory_limit_bytes: 16 << 20 };
        let (report, events) = channel();
        let report = Mutex::new(report);
        let events_of_peer: Events = Arc::new(move |event| {
            // The test may be over.
            let _ = report.lock().unwrap().send(event);
        });
        let mut peer = Peer::new(kind.confinement, Arc::new(plain_config()), events_of_peer);
        let session_state = peer.session_state();
        let intake = Intake::Frames { most: 1 << 20, listener: Box::new(move |event| peer.on_worker_event(event)) };
        let worker = Arc::new(start(Arc::new(installation), kind, intake));
        let link = PeerLink::new(1, worker.clone(), session_state, Arc::new(Watchdog::default()), answer);
        Self { script: path, link, worker, events }
    }

    fn event(&self) -> Event {
        self.events.recv_timeout(SOON).unwrap()
    }

    fn is_lost(&self) -> bool {
        matches!(self.event(), Event::Lost { reason } if reason == SILENT)
    }

    fn set_variables(&self) {
        self.link.send(Command::SetVariables { job: 1, names: Vec::new(), values: Values::List(Vec::new()) });
    }

    /// The number of deadlines that would end the worker.
    fn deadlines(&self) -> usize {
        Arc::weak_count(&self.worker)
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        fs::remove_file(&self.script).unwrap();
        let _ = fs::remove_file(marker(&self.script));
    }
}

/// A file beside the script, which the script creates.
fn marker(script: &Path) -> PathBuf {
    script.with_extension("begun")
}

/// A script that does one thing in the first process, and another thing in each further process.
fn first_and_then(first: &str, then: &str) -> String {
    format!("marker=\"${{0%.sh}}.begun\"\nif [ -e \"$marker\" ]; then\n{then}else\n: >\"$marker\"\n{first}fi\n")
}

/// A line of a script that writes `message`.
fn says(message: &impl Message) -> String {
    let mut frame = Vec::new();
    message.write(1, &mut frame).unwrap();
    let octal: String = frame.iter().map(|byte| format!("\\{byte:03o}")).collect();
    format!("printf '{octal}'\n")
}

fn greets() -> String {
    says(&Status::Hello(Hello { version: VERSION, landlock: false, seccomp: false }))
}

fn initialized() -> String {
    says(&Event::Initialized(Ok(())))
}

/// A line of a script that stays alive without writing anything.
fn stays() -> String {
    "exec sleep 3600\n".to_owned()
}

#[test]
fn a_worker_that_begins_no_session_is_ended() {
    let bench = Bench::new(&(greets() + &stays()), Duration::from_millis(1));
    bench.link.open(&Control::Open(Arc::new(plain_config())));
    assert!(bench.is_lost());
}

#[test]
fn a_fresh_process_takes_the_place_of_a_spare_that_begins_no_session() {
    let settles = awaits_open() + &initialized() + &awaits() + &settled() + &stays();
    let script = first_and_then(&(greets() + &stays()), &(greets() + &settles));
    let bench = Bench::of_spare(&script);
    let first = bench.worker.pid();
    bench.link.open_spare(Control::Open(Arc::new(plain_config())), Duration::from_millis(1));
    assert!(matches!(bench.event(), Event::Initialized(Ok(()))));
    assert!(first.is_some() && bench.worker.pid().is_some_and(|pid| Some(pid) != first));
    bench.set_variables();
    assert!(matches!(bench.event(), Event::Settled { job: 1, .. }));
    assert_eq!(bench.deadlines(), 0);
}

#[test]
fn a_spare_that_begins_its_session_in_time_keeps_it() {
    let script = greets() + &awaits_open() + &initialized() + &stays();
    let bench = Bench::of_spare(&script);
    let first = bench.worker.pid();
    bench.link.open_spare(Control::Open(Arc::new(plain_config())), AGES);
    assert!(matches!(bench.event(), Event::Initialized(Ok(()))));
    assert_eq!((bench.worker.pid(), bench.deadlines()), (first, 0));
}

#[test]
fn a_session_that_nobody_wants_gets_no_fresh_process() {
    let bench = Bench::of_spare(&first_and_then(&(greets() + &stays()), &(greets() + &initialized() + &stays())));
    bench.link.interrupt();
    bench.link.open_spare(Control::Open(Arc::new(plain_config())), Duration::ZERO);
    assert!(matches!(bench.event(), Event::Closed { .. }));
    assert_eq!(bench.worker.pid(), None);
}

#[test]
fn a_worker_that_does_not_answer_is_ended() {
    let bench = Bench::new(&(greets() + &initialized() + &stays()), Duration::from_millis(1));
    assert!(matches!(bench.event(), Event::Initialized(Ok(()))));
    bench.set_variables();
    assert!(bench.is_lost());
}

#[test]
fn what_a_worker_is_sent_that_has_ended_is_not_kept() {
    let bench = Bench::new("exit 1\n", AGES);
    assert!(matches!(bench.event(), Event::Lost { .. }));
    bench.set_variables();
    assert_eq!(bench.worker.early_frames(), 0);
}

#[test]
fn an_answer_ends_the_wait_for_it() {
    let asked = "head -c 1 >/dev/null\n";
    let script = greets() + &initialized() + asked + &settled() + &stays();
    let bench = Bench::new(&script, AGES);
    assert!(matches!(bench.event(), Event::Initialized(Ok(()))));
    bench.set_variables();
    assert!(matches!(bench.event(), Event::Settled { job: 1, .. }));
    assert_eq!(bench.deadlines(), 0);
}

/// A line of a script that waits for the message that begins its session.
fn awaits_open() -> String {
    let mut frame = Vec::new();
    Control::Open(Arc::new(plain_config())).write(1, &mut frame).unwrap();
    format!("head -c {} >/dev/null\n", frame.len())
}

/// A line of a script that waits for the command of [`Bench::set_variables`].
fn awaits() -> String {
    let command = Command::SetVariables { job: 1, names: Vec::new(), values: Values::List(Vec::new()) };
    let mut frame = Vec::new();
    command.write(1, &mut frame).unwrap();
    format!("head -c {} >/dev/null\n", frame.len())
}

fn settled() -> String {
    let (result, figures) = (Ok(Success::Done), Figures::default());
    says(&Event::Settled { job: 1, result, figures, sound: true })
}

#[test]
fn the_end_of_a_process_within_a_frame_is_its_end() {
    let begun = "printf '\\377\\000'\n";
    let bench = Bench::new(&(greets() + &initialized() + begun), AGES);
    assert!(matches!(bench.event(), Event::Initialized(Ok(()))));
    assert!(matches!(bench.event(), Event::Lost { reason } if reason != INVALID_MESSAGE));
}

#[test]
fn a_worker_that_goes_on_telling_of_no_run_is_ended() {
    let tells = says(&Event::Progress { operations: 1, tool_calls: 1 });
    let script = greets() + &initialized() + "while :; do\n" + &tells + "done\n";
    let bench = Bench::new(&script, AGES);
    assert!(matches!(bench.event(), Event::Initialized(Ok(()))));
    for _ in 0..10_000 {
        assert!(matches!(bench.event(), Event::Progress { .. }));
    }
    assert!(matches!(bench.event(), Event::Lost { reason } if reason == INVALID_MESSAGE));
}

#[test]
fn a_worker_that_writes_what_is_no_frame_is_ended() {
    let nonsense = "printf '\\001\\000\\000\\000\\000\\000\\000\\000\\000'\n";
    let bench = Bench::new(&(greets() + &initialized() + nonsense + &stays()), AGES);
    assert!(matches!(bench.event(), Event::Initialized(Ok(()))));
    assert!(matches!(bench.event(), Event::Lost { reason } if reason == INVALID_MESSAGE));
}
