//! One session of a worker process: its jobs, the events that the worker may send, and its deadlines.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use serde_json::json;

use ses_protocol::frames::{Control, Hello};
use ses_protocol::{Command, Config, Event, Failure, Figures, JobId, MAX_TOLD_CALLS, TIMEOUT_MS, ToolCall, ToolCallId};
use ses_session::{Deadline, Events, Link, Process, Watchdog};
use ses_sync::CpuClock;
use ses_sync::priority::Thread;

use crate::content::readable;
use crate::launch::Confinement;
use crate::worker::{NONSENSE, News, Worker};

/// How long a worker may take for actions that guest code cannot prolong: to begin a session, to define variables and
/// tools, to refuse a run. Many times the time that they take on a heavily overloaded machine.
pub const ANSWER: Duration = Duration::from_secs(60);

/// How long a worker that was started ahead of need may take to begin a session before a fresh one replaces it. It only
/// has to read one message. If it does not, it has been stopped.
pub const SPARE_ANSWER: Duration = Duration::from_secs(5);

/// The most events that a worker may send while it has no job, which is more than an honest worker sends. Reading
/// events without a limit would cost the host a processor.
const MAX_UNASKED: usize = 10_000;

/// State shared by the owner's thread and the thread that reads from the worker.
pub struct SessionState {
    /// Any thread may hold it, for a few instructions.
    open: Mutex<Open>,
    /// All further events of the worker are ignored.
    is_over: AtomicBool,
    hello: OnceLock<Hello>,
}

#[derive(Default)]
struct Open {
    /// The worker's jobs, oldest first, each with a deadline if no other code watches over it.
    jobs: VecDeque<Asked>,
    /// The deadline for the worker to be ready.
    opening: Option<Deadline>,
    /// A fresh process replaces the worker's process and has not sent its greeting yet.
    is_replaced: bool,
    /// Unanswered calls, with the bytes of their arguments.
    calls: HashMap<ToolCallId, usize>,
    /// Calls that the run under way has made.
    made: u64,
    /// Events that arrived since the last job was done.
    unasked: usize,
}

struct Asked {
    job: JobId,
    is_run: bool,
    /// Ends the worker when it expires. Dropped with the job, which cancels it.
    _deadline: Option<Deadline>,
}

impl SessionState {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the greeting of the worker.
    ///
    /// # Errors
    ///
    /// The worker must have a sandbox and has none.
    pub fn greet(&self, confinement: Confinement, hello: Hello) -> Result<(), Failure> {
        // A worker sends one greeting.
        let _ = self.hello.set(hello);
        let missing = match hello {
            _ if confinement != Confinement::Required => return Ok(()),
            Hello { landlock: true, seccomp: true, .. } => return Ok(()),
            Hello { landlock: true, .. } => "seccomp",
            Hello { seccomp: true, .. } => "landlock",
            Hello { .. } => "landlock and seccomp",
        };
        self.is_over.store(true, Ordering::Release);
        let sandbox = json!({ "landlock": hello.landlock, "seccomp": hello.seccomp });
        let details = format!("sandbox is \"required\", but this system has no {missing}");
        Err(Failure::init(details).with("sandbox", sandbox))
    }
}

/// The worker's end of a session.
pub struct Peer {
    session_state: Arc<SessionState>,
    confinement: Confinement,
    config: Arc<Config>,
    events: Events,
    is_initialized: bool,
}

impl Peer {
    pub fn new(confinement: Confinement, config: Arc<Config>, events: Events) -> Self {
        let session_state =
            SessionState { open: Mutex::default(), is_over: AtomicBool::new(false), hello: OnceLock::new() };
        Self { session_state: Arc::new(session_state), confinement, config, events, is_initialized: false }
    }

    pub fn session_state(&self) -> Arc<SessionState> {
        self.session_state.clone()
    }

    /// # Errors
    ///
    /// The worker must be ended, for this reason.
    pub fn on_news(&mut self, news: News) -> Result<(), &'static str> {
        match news {
            News::Ready(hello) => {
                self.session_state.open().is_replaced = false;
                self.on_greeting(hello)
            }
            // The event came from a process that was given up.
            News::Event(_) if self.session_state.open().is_replaced => Ok(()),
            News::Event(_) if self.is_over() => Ok(()),
            News::Event(event) => self.on_event(event),
            News::Unstarted(reason) => {
                *self.session_state.open() = Open::default();
                (self.events)(Event::Initialized(Err(Failure::init(reason))));
                Ok(())
            }
            News::Lost(reason) => {
                // Drops the deadlines of jobs that will never be done.
                *self.session_state.open() = Open::default();
                (self.events)(if self.is_over() { Event::Closed { panicked: false } } else { Event::Lost { reason } });
                Ok(())
            }
        }
    }

    fn on_greeting(&self, hello: Hello) -> Result<(), &'static str> {
        self.session_state.greet(self.confinement, hello).map_err(|failure| {
            (self.events)(Event::Initialized(Err(failure)));
            "the worker process has no sandbox"
        })
    }

    fn is_over(&self) -> bool {
        self.session_state.is_over.load(Ordering::Acquire)
    }

    /// Passes on an event if a worker may send it in the present state.
    fn on_event(&mut self, event: Event) -> Result<(), &'static str> {
        let mut is_last = false;
        let event = match event {
            Event::Initialized(result) => {
                if std::mem::replace(&mut self.is_initialized, true) {
                    return Err(NONSENSE);
                }
                self.session_state.open().opening = None;
                is_last = result.is_err();
                Event::Initialized(result)
            }
            Event::Settled { job, result, figures, sound } => {
                self.end_job(job)?;
                is_last = !sound;
                Event::Settled { job, result, figures, sound }
            }
            Event::ToolCalls(calls) => {
                self.begin_calls(&calls)?;
                Event::ToolCalls(calls)
            }
            // The process can be ended, which frees its memory.
            Event::Parked { bytes } => {
                let job = self.session_state.open().jobs.pop_front().ok_or("the isolate has no memory left")?.job;
                let failure = Failure::parked(self.config.memory_limit_bytes, bytes);
                is_last = true;
                Event::Settled { job, result: Err(failure), figures: Figures::default(), sound: false }
            }
            Event::Log { job, entry } => {
                if self.session_state.open().jobs.front().is_none_or(|asked| !asked.is_run || asked.job != job) {
                    return Err(NONSENSE);
                }
                Event::Log { job, entry }
            }
            event @ (Event::Idle { .. } | Event::Taken { .. } | Event::CpuSpent { .. } | Event::Progress { .. }) => {
                let mut open = self.session_state.open();
                open.unasked += usize::from(open.jobs.is_empty());
                if open.unasked > MAX_UNASKED {
                    return Err(NONSENSE);
                }
                drop(open);
                event
            }
            Event::Closed { .. } | Event::Lost { .. } => return Err(NONSENSE),
        };
        let event = readable(event, self.config.max_transfer_bytes).ok_or(NONSENSE)?;
        if is_last {
            self.session_state.is_over.store(true, Ordering::Release);
        }
        (self.events)(event);
        if is_last { Err("the isolate was lost") } else { Ok(()) }
    }

    /// Ends the first job. Workers do jobs in the order in which they receive them.
    fn end_job(&self, job: JobId) -> Result<(), &'static str> {
        let mut open = self.session_state.open();
        open.jobs.pop_front().filter(|asked| asked.job == job).ok_or(NONSENSE)?;
        open.calls.clear();
        open.made = 0;
        Ok(())
    }

    /// Records tool calls. Only runs make calls, within the limits that the isolate itself enforces.
    /// `maxConcurrentToolCalls` is not among these limits: the host enforces it where it calls tools
    /// (`lib/contract/concurrency-limiter.ts`).
    fn begin_calls(&self, calls: &[ToolCall]) -> Result<(), &'static str> {
        let mut open = self.session_state.open();
        open.made += calls.len() as u64;
        let is_run = open.jobs.front().is_some_and(|asked| asked.is_run);
        let are_new = calls.iter().all(|call| open.calls.insert(call.id, call.args.wire_bytes()).is_none());
        let is_within = (1..=MAX_TOLD_CALLS).contains(&calls.len())
            && open.made <= self.config.max_tool_calls
            // Besides these calls, the guest may wait for one call with its own arguments.
            && open.calls.values().sum::<usize>() <= self.config.max_transfer_bytes.saturating_mul(2);
        if is_run && are_new && is_within { Ok(()) } else { Err(NONSENSE) }
    }
}

/// The connection to a worker's isolate.
pub struct ProcessLink {
    session: u32,
    worker: Arc<Worker>,
    session_state: Arc<SessionState>,
    watchdog: Arc<Watchdog>,
    /// How long the worker may take to answer.
    answer: Duration,
}

impl ProcessLink {
    pub fn new(
        session: u32,
        worker: Worker,
        session_state: Arc<SessionState>,
        watchdog: Arc<Watchdog>,
        answer: Duration,
    ) -> Self {
        Self { session, worker: Arc::new(worker), session_state, watchdog, answer }
    }

    /// Begins the session.
    pub fn open(&self, control: &Control) {
        let deadline = self.deadline();
        self.session_state.open().opening = deadline;
        self.worker.send(self.session, control);
    }

    /// Begins the session in a worker that was started ahead of need. If the worker does not answer within `limit`, a
    /// fresh one begins the session.
    pub fn open_spare(&self, control: Control, limit: Duration) {
        let (session, answer) = (self.session, self.answer);
        let (worker, session_state, watchdog) =
            (Arc::downgrade(&self.worker), self.session_state.clone(), self.watchdog.clone());
        let control = Arc::new(control);
        let message = control.clone();
        let expire = move || {
            let Some(worker) = worker.upgrade() else { return };
            let deadline = end_after(answer, &worker, &watchdog);
            {
                let mut open = session_state.open();
                // The worker has answered meanwhile.
                if open.opening.is_none() {
                    return;
                }
                open.opening = deadline;
                open.is_replaced = true;
            }
            worker.replace(session, &*message);
        };
        let deadline = arm(Instant::now() + limit, &self.worker, &self.watchdog, expire);
        self.session_state.open().opening = deadline;
        self.worker.send(self.session, &*control);
    }

    fn deadline(&self) -> Option<Deadline> {
        end_after(self.answer, &self.worker, &self.watchdog)
    }

    /// Records a job of the worker. Must be called before the message is sent, because the worker may answer
    /// immediately.
    fn note(&self, job: JobId, is_run: bool, is_watched: bool) {
        let deadline = if is_watched { None } else { self.deadline() };
        let mut open = self.session_state.open();
        open.jobs.push_back(Asked { job, is_run, _deadline: deadline });
        open.unasked = 0;
    }
}

/// Ends a worker that has not answered in time.
fn end_after(answer: Duration, worker: &Arc<Worker>, watchdog: &Watchdog) -> Option<Deadline> {
    let ended: Weak<Worker> = Arc::downgrade(worker);
    arm(Instant::now() + answer, worker, watchdog, move || {
        if let Some(worker) = ended.upgrade() {
            worker.end("the worker process does not answer");
        }
    })
}

fn arm(at: Instant, worker: &Worker, watchdog: &Watchdog, expire: impl FnOnce() + Send + 'static) -> Option<Deadline> {
    let armed = watchdog.arm(at, expire);
    if armed.is_err() {
        worker.end("nothing can watch over the worker process");
    }
    armed.ok()
}

impl Link for ProcessLink {
    fn send(&self, command: Command) {
        match &command {
            Command::SetVariables { job, .. } | Command::SetTools { job, .. } => self.note(*job, false, false),
            // The session watches over a run if its deadline is valid. Other runs are refused immediately.
            Command::Run { job, limits, .. } => self.note(*job, true, TIMEOUT_MS.takes(limits.timeout_ms)),
            Command::ToolReplies { replies, .. } => {
                let mut open = self.session_state.open();
                // A call that was answered with a promise has passed its arguments on. Their number is not limited.
                for (call, _) in replies {
                    open.calls.remove(call);
                }
            }
        }
        self.worker.send(self.session, &command);
    }

    /// A signal tells a worker that runs guest code that there is something to read. Linux only.
    fn ask(&self, job: JobId) -> bool {
        if cfg!(not(target_os = "linux")) {
            return false;
        }
        self.worker.send(self.session, &Control::Stop(job));
        self.worker.wake();
        true
    }

    fn interrupt(&self) {
        self.session_state.is_over.store(true, Ordering::Release);
        self.worker.kill();
    }

    fn thread(&self) -> Option<Thread> {
        None
    }

    /// The worker reports when a run has used up its processor time.
    fn cpu_clock(&self) -> Option<CpuClock> {
        None
    }

    fn process(&self) -> Option<Process> {
        Some(Process { pid: self.worker.pid(), hello: self.session_state.hello.get().copied() })
    }
}

impl Drop for ProcessLink {
    fn drop(&mut self) {
        self.interrupt();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::AtomicU32;
    use std::sync::mpsc::{Receiver, channel};

    use ses_protocol::frames::{Message, Status, VERSION};
    use ses_protocol::{Success, Values};
    use ses_session::Folders;

    use super::*;
    use crate::launch::{Installation, Kind};
    use crate::worker::Listener;

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
        link: ProcessLink,
        events: Receiver<Event>,
    }

    impl Bench {
        /// A worker that runs `script` and may take `answer` for each answer.
        fn new(script: &str, answer: Duration) -> Self {
            let start =
                |installation, kind, listener| Worker::start_attached(installation, kind, listener, 1 << 20).unwrap();
            Self::started(script, answer, start)
        }

        /// A worker that was started ahead of need.
        fn of_spare(script: &str) -> Self {
            Self::started(script, AGES, |installation, kind, listener| {
                let (ready, is_ready) = channel();
                Worker::start(installation, kind, move |worker| ready.send(worker).unwrap()).unwrap();
                let worker = is_ready.recv_timeout(SOON).unwrap();
                assert!(worker.attach(listener, 1 << 20, &Folders::default()).is_ok());
                worker
            })
        }

        fn started(
            script: &str,
            answer: Duration,
            start: impl FnOnce(Arc<Installation>, Kind, Listener) -> Worker,
        ) -> Self {
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
            let listener = Box::new(move |news| peer.on_news(news));
            let worker = start(Arc::new(installation), kind, listener);
            let link = ProcessLink::new(1, worker, session_state, Arc::new(Watchdog::default()), answer);
            Self { script: path, link, events }
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
            Arc::weak_count(&self.link.worker)
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
        let first = bench.link.worker.pid();
        bench.link.open_spare(Control::Open(Arc::new(plain_config())), Duration::from_millis(1));
        assert!(matches!(bench.event(), Event::Initialized(Ok(()))));
        assert!(first.is_some() && bench.link.worker.pid().is_some_and(|pid| Some(pid) != first));
        bench.set_variables();
        assert!(matches!(bench.event(), Event::Settled { job: 1, .. }));
        assert_eq!(bench.deadlines(), 0);
    }

    #[test]
    fn a_spare_that_begins_its_session_in_time_keeps_it() {
        let script = greets() + &awaits_open() + &initialized() + &stays();
        let bench = Bench::of_spare(&script);
        let first = bench.link.worker.pid();
        bench.link.open_spare(Control::Open(Arc::new(plain_config())), AGES);
        assert!(matches!(bench.event(), Event::Initialized(Ok(()))));
        assert_eq!((bench.link.worker.pid(), bench.deadlines()), (first, 0));
    }

    #[test]
    fn a_session_that_nobody_wants_gets_no_fresh_process() {
        let bench = Bench::of_spare(&first_and_then(&(greets() + &stays()), &(greets() + &initialized() + &stays())));
        bench.link.interrupt();
        bench.link.open_spare(Control::Open(Arc::new(plain_config())), Duration::ZERO);
        assert!(matches!(bench.event(), Event::Closed { .. }));
        assert_eq!(bench.link.worker.pid(), None);
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
        assert_eq!(bench.link.worker.early_frames(), 0);
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
        assert!(matches!(bench.event(), Event::Lost { reason } if reason != NONSENSE));
    }

    #[test]
    fn a_worker_that_goes_on_telling_of_no_run_is_ended() {
        let tells = says(&Event::Progress { operations: 1, tool_calls: 1 });
        let script = greets() + &initialized() + "while :; do\n" + &tells + "done\n";
        let bench = Bench::new(&script, AGES);
        assert!(matches!(bench.event(), Event::Initialized(Ok(()))));
        for _ in 0..MAX_UNASKED {
            assert!(matches!(bench.event(), Event::Progress { .. }));
        }
        assert!(matches!(bench.event(), Event::Lost { reason } if reason == NONSENSE));
    }

    #[test]
    fn a_worker_that_writes_what_is_no_frame_is_ended() {
        let nonsense = "printf '\\001\\000\\000\\000\\000\\000\\000\\000\\000'\n";
        let bench = Bench::new(&(greets() + &initialized() + nonsense + &stays()), AGES);
        assert!(matches!(bench.event(), Event::Initialized(Ok(()))));
        assert!(matches!(bench.event(), Event::Lost { reason } if reason == NONSENSE));
    }
}
