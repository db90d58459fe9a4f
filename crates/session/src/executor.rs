//! Lifecycle and queue of one executor.

use std::collections::VecDeque;
use std::sync::Arc;

use ses_protocol::{
    CallId, Command, Config, Failure, FailureKind, JobId, Language, Operation, Outcome, RunLimits, SessionId, State,
    ToolCallId, ToolReply, ToolSpec, Transition, Values, refusals,
};

use crate::backend::Process;
use crate::lost_isolates::Held;
use crate::owner_event::{Delivery, End, OwnerEvent, OwnerEvents};
use crate::resources::Resources;
use crate::session::{Refusal, Session};

/// A call in the queue.
enum Queued {
    Run(QueuedRun),
    SetUp(QueuedSetUp),
}

impl Queued {
    fn call(&self) -> CallId {
        match self {
            Self::Run(run) => run.call,
            Self::SetUp(set_up) => set_up.call,
        }
    }

    fn operation(&self) -> Operation {
        match self {
            Self::Run(_) => Operation::Run,
            Self::SetUp(set_up) => set_up.content.operation(),
        }
    }
}

/// Variables or tools that wait to be sent to the isolate.
struct QueuedSetUp {
    call: CallId,
    content: SetUp,
}

enum SetUp {
    Variables { names: Vec<String>, values: Values },
    Tools(Vec<ToolSpec>),
}

impl SetUp {
    fn operation(&self) -> Operation {
        match self {
            Self::Variables { .. } => Operation::SendVariables,
            Self::Tools(_) => Operation::SendTools,
        }
    }

    fn command(self, job: JobId) -> Command {
        match self {
            Self::Variables { names, values } => Command::SetVariables { job, names, values },
            Self::Tools(tools) => Command::SetTools { job, tools },
        }
    }
}

struct QueuedRun {
    call: CallId,
    code: String,
    limits: RunLimits,
    /// All tool calls of the run have a time limit.
    limits_calls: bool,
}

/// The run that is first in the queue.
enum CurrentRun {
    /// The isolate must first do the work of earlier `sendVariables` and `sendTools` calls. That work must not count
    /// against the run's deadline, and ending the run must not end that work.
    Waiting(QueuedRun),
    /// The isolate runs it.
    Begun { id: JobId, call: CallId, timeout_ms: f64 },
}

impl CurrentRun {
    fn call(&self) -> CallId {
        match *self {
            Self::Waiting(QueuedRun { call, .. }) | Self::Begun { call, .. } => call,
        }
    }
}

/// Calls that wait for the thread of the last session to end.
struct Closing {
    session: SessionId,
    call: CallId,
}

/// One `SESExecutor` (specification, sections 2.3, 4 and 7.2).
///
/// Methods return the outcome if it is already known. Otherwise they return `None`, and the outcome follows as a
/// [`Delivery`] for the same call.
pub struct Executor {
    state: State,
    config: Arc<Config>,
    resources: Arc<Resources>,
    owner_events: OwnerEvents,
    session: Option<Session>,
    sessions_started: SessionId,
    jobs_started: JobId,
    /// `init()` calls that wait for the isolate.
    initializing: Vec<CallId>,
    /// Calls of `sendVariables` and `sendTools` that wait for the isolate, oldest first.
    setups: VecDeque<(JobId, Operation)>,
    /// Present in state RUNNING only.
    current: Option<CurrentRun>,
    queue: VecDeque<Queued>,
    closing: Vec<Closing>,
    /// Why the isolate of a DIRTY executor was lost, if its process is gone: for people, and as `details.reason`.
    lost: Option<(String, String)>,
}

impl Executor {
    pub fn new(config: Config, resources: Arc<Resources>, owner_events: OwnerEvents) -> Self {
        resources.backend.expect(&config);
        Self {
            state: State::New,
            config: Arc::new(config),
            resources,
            owner_events,
            session: None,
            sessions_started: 0,
            jobs_started: 0,
            initializing: Vec::new(),
            setups: VecDeque::new(),
            current: None,
            queue: VecDeque::new(),
            closing: Vec::new(),
            lost: None,
        }
    }

    /// The state's name in the specification.
    pub fn state(&self) -> &'static str {
        self.state.name()
    }

    /// The isolate's own process, if it has one.
    pub fn process(&self) -> Option<Process> {
        self.session.as_ref().and_then(Session::process)
    }

    /// Whether there is an isolate that has not been cleaned up. It may still be starting, or may have been given up.
    pub fn has_isolate(&self) -> bool {
        self.session.is_some()
    }

    /// Makes the isolate (section 4.3, 1). READY: no-op; INITIALIZING: joins the `init()` under way.
    pub fn init(&mut self, call: CallId) -> Option<Outcome> {
        if let Some(hint) = self.state.refusal(Operation::Init) {
            return Some(self.illegal(Operation::Init, hint));
        }
        if self.state == State::Ready {
            return Some(Outcome::done());
        }
        if self.state != State::Initializing {
            let held = self.resources.counters.lost_isolates.of(&self.config.owner);
            if self.resources.backend.parks() && held.bytes() >= self.config.max_parked_bytes as u64 {
                self.state = State::Dead;
                return Some(Outcome::failed(too_much_held(&held)));
            }
            self.sessions_started += 1;
            match Session::start(self.sessions_started, self.config.clone(), &self.resources, self.owner_events.clone())
            {
                Ok(session) => {
                    self.session = Some(session);
                    self.lost = None;
                }
                Err(failure) => {
                    self.state = State::Dead;
                    return Some(Outcome::failed(failure));
                }
            }
        }
        self.transition(Transition::Init);
        self.initializing.push(call);
        None
    }

    /// Defines variables in the realm (section 4.3, 2). `values` are in the order of `names`.
    pub fn send_variables(&mut self, call: CallId, names: Vec<String>, values: Values) -> Option<Outcome> {
        self.set_up(call, SetUp::Variables { names, values })
    }

    /// Defines tools in the realm (section 4.3, 3).
    pub fn send_tools(&mut self, call: CallId, tools: Vec<ToolSpec>) -> Option<Outcome> {
        self.set_up(call, SetUp::Tools(tools))
    }

    /// Runs code, or queues it (sections 4.3, 4 and 7.2). Absent limits are those of the executor. `limits_calls`: the
    /// host answers all tool calls of the run within a limited time.
    pub fn run(
        &mut self,
        call: CallId,
        code: String,
        max_operations: Option<f64>,
        timeout_ms: Option<f64>,
        limits_calls: bool,
        language: Option<Language>,
    ) -> Option<Outcome> {
        let limits = RunLimits {
            max_operations: max_operations.unwrap_or(self.config.max_operations),
            timeout_ms: timeout_ms.unwrap_or(self.config.timeout_ms),
            cpu_ms: self.config.max_cpu_ms,
            reports_waits: false,
            now_ms: None,
            seed: None,
            language: language.unwrap_or(self.config.language),
        };
        if let Some(refused) = self.refused(Operation::Run) {
            return Some(refused);
        }
        let run = QueuedRun { call, code, limits, limits_calls };
        if self.state == State::Running {
            return self.enqueue(Queued::Run(run));
        }
        self.start_run(run);
        None
    }

    /// Ends the run of `call` as a timeout would, even if the run is still queued. `reason` comes from the caller's
    /// signal.
    pub fn abort(&mut self, call: CallId, reason: &str) {
        let aborted = |timeout_ms| {
            Failure::new(FailureKind::Timeout { timeout_ms })
                .with("timeoutMs", timeout_ms)
                .with("aborted", true)
                .with("reason", reason)
        };
        match self.current {
            Some(CurrentRun::Waiting(ref run)) if run.call == call => {
                let outcome = Outcome::failed(aborted(run.limits.timeout_ms));
                self.current = None;
                self.deliver(call, outcome);
                return self.end_run();
            }
            Some(CurrentRun::Begun { id, call: current, timeout_ms }) if current == call => {
                if let Some(session) = &self.session {
                    session.interrupt(id, aborted(timeout_ms));
                }
                return;
            }
            _ => {}
        }
        if let Some(index) = self.queue.iter().position(|queued| queued.call() == call)
            && let Some(Queued::Run(queued)) = self.queue.remove(index)
        {
            self.deliver(call, Outcome::failed(aborted(queued.limits.timeout_ms)));
        }
    }

    /// Releases the isolate (section 4.3, 5). Every pending call is settled with `ERR_INVALID_STATE`.
    ///
    /// Waits for the thread to end if it is idle. A thread that is busy or stuck is given up, and ends when V8 returns.
    pub fn cleanup(&mut self, call: CallId) -> Option<Outcome> {
        let was_idle = self.state == State::Ready && self.setups.is_empty();
        if let Some(next) = self.state.after(Transition::Cleanup) {
            self.state = next;
        }
        self.refuse_all_pending(refusals::CLEANED_UP);
        let Some(session) = self.session.take() else { return Some(Outcome::done()) };
        let entries = session.take_logs();
        if !entries.is_empty() {
            (self.owner_events)(OwnerEvent::Deliver(Delivery::logs(entries)));
        }
        // Dropping the handle ends the thread, which reports its end by `Event::Closed`.
        if was_idle {
            self.closing.push(Closing { session: session.id(), call });
        } else {
            // After the outcomes of the calls that were pending.
            self.deliver(call, Outcome::done());
        }
        None
    }

    /// Passes on answers of host tools. The thread drops answers to calls of earlier runs. Returns the answers for
    /// which the guest has no room: it gets errors in their place.
    pub fn tool_replies(&self, replies: Vec<(ToolCallId, ToolReply)>) -> Vec<Refusal> {
        self.session.as_ref().map_or_else(Vec::new, |session| session.answer(replies))
    }

    /// Applies an event from another thread. Returns what the facade gets.
    pub fn on_owner_event(&mut self, event: OwnerEvent) -> Delivery {
        match event {
            OwnerEvent::Initialized { session, result } => {
                if self.is_current(session) {
                    self.on_initialized(result);
                }
                Delivery::default()
            }
            OwnerEvent::Settled { session, job, call, outcome, sound } => {
                if self.is_current(session) {
                    self.on_settled(job, sound);
                }
                Delivery::settled(call, outcome)
            }
            OwnerEvent::ToolCalls { session, calls } if self.is_current(session) => Delivery::tool_calls(calls),
            OwnerEvent::ToolCalls { .. } => Delivery::default(),
            OwnerEvent::Logs { session } => {
                let current = self.session.as_ref().filter(|current| current.id() == session);
                current.map_or_else(Delivery::default, |session| Delivery::logs(session.take_logs()))
            }
            OwnerEvent::Lost { session, reason } => self.on_lost(session, reason).unwrap_or_default(),
            OwnerEvent::Closed { session, end } => self.on_closed(session, end).unwrap_or_default(),
            OwnerEvent::Deliver(delivery) => delivery,
        }
    }

    fn is_current(&self, session: SessionId) -> bool {
        self.session.as_ref().is_some_and(|current| current.id() == session)
    }

    fn on_initialized(&mut self, result: Result<(), Failure>) {
        let transition = if result.is_ok() { Transition::Initialized } else { Transition::InitFailed };
        self.transition(transition);
        if result.is_err() {
            self.session = None;
        }
        for call in std::mem::take(&mut self.initializing) {
            let outcome = match &result {
                Ok(()) => Outcome::done(),
                Err(failure) => Outcome::failed(failure.clone()),
            };
            self.deliver(call, outcome);
        }
    }

    fn on_settled(&mut self, job: JobId, sound: bool) {
        if !matches!(self.current, Some(CurrentRun::Begun { id, .. }) if id == job) {
            self.setups.retain(|&(setup, _)| setup != job);
            if sound {
                self.begin_current();
                self.begin_next();
            } else {
                self.on_corrupted();
            }
            return;
        }
        self.current = None;
        if let Some(session) = &mut self.session {
            session.disarm();
        }
        if !sound {
            self.on_corrupted();
            return;
        }
        self.end_run();
    }

    /// The isolate is lost: fails everything that waits for it.
    fn on_corrupted(&mut self) {
        self.transition(Transition::Corrupted);
        self.refuse_all_pending(refusals::LEFT_DIRTY);
    }

    /// A thread has ended: its session was given up, or the thread panicked or was parked.
    fn on_closed(&mut self, session: SessionId, end: End) -> Option<Delivery> {
        let lost = match end {
            End::Ended => None,
            End::Panicked => {
                let failure = Failure::new(FailureKind::Runtime { cause: PANICKED.to_owned() });
                Some((PANICKED.to_owned(), failure.with("reason", "engine")))
            }
            End::Parked(bytes) => {
                let failure = Failure::parked(self.config.memory_limit_bytes, bytes);
                Some((failure.kind.message(), failure))
            }
        };
        if let Some(index) = self.closing.iter().position(|closing| closing.session == session) {
            let Closing { call, .. } = self.closing.swap_remove(index);
            let outcome = match lost {
                Some((cause, _)) => Outcome::failed(Failure::new(FailureKind::CleanupFailed { cause })),
                None => Outcome::done(),
            };
            return Some(Delivery::settled(call, Box::new(outcome)));
        }
        let (cause, failure) = lost.filter(|_| self.is_current(session))?;
        if self.state == State::Initializing {
            self.on_initialized(Err(Failure::init(cause)));
            return None;
        }
        self.lose(failure.clone(), failure)
    }

    /// The isolate is gone. Ends the job that it worked on and the run that waits for variables or tools with these
    /// failures.
    fn lose(&mut self, of_job: Failure, of_waiting: Failure) -> Option<Delivery> {
        let job = self.session.as_ref().and_then(|session| session.take_lost(of_job));
        if let Some(run) = self.current.take_if(|run| matches!(run, CurrentRun::Waiting(_))) {
            self.deliver(run.call(), Outcome::failed(of_waiting));
        }
        // The isolate may have been given up before.
        if self.state != State::Dirty {
            self.on_corrupted();
        }
        job.map(|(call, outcome)| Delivery::settled(call, Box::new(outcome)))
    }

    /// The process of the isolate has ended by itself. The work under way is not repeated, because it may have had
    /// effects.
    fn on_lost(&mut self, session: SessionId, reason: String) -> Option<Delivery> {
        if !self.is_current(session) {
            return self.on_closed(session, End::Ended);
        }
        let cause = self.session.as_ref().and_then(Session::lost_cause);
        self.lost = Some((reason.clone(), cause.map_or(reason, str::to_owned)));
        if self.state == State::Initializing {
            self.on_initialized(Err(self.lost_failure(0)?));
            return None;
        }
        let has_run = matches!(self.current, Some(CurrentRun::Begun { .. }));
        let tool_calls = self.session.as_ref().filter(|_| has_run).map_or(0, Session::tool_calls);
        self.lose(self.lost_failure(tool_calls)?, self.lost_failure(0)?)
    }

    fn lost_failure(&self, tool_calls: u64) -> Option<Failure> {
        let (reason, cause) = self.lost.clone()?;
        let failure = Failure::new(FailureKind::WorkerLost { reason });
        Some(failure.with("reason", cause).with("toolCalls", tool_calls))
    }

    fn set_up(&mut self, call: CallId, content: SetUp) -> Option<Outcome> {
        if let Some(refused) = self.refused(content.operation()) {
            return Some(refused);
        }
        let set_up = QueuedSetUp { call, content };
        if self.state == State::Running {
            return self.enqueue(Queued::SetUp(set_up));
        }
        self.start_set_up(set_up);
        None
    }

    /// Queues a call until the run under way and the calls before it are done.
    fn enqueue(&mut self, queued: Queued) -> Option<Outcome> {
        let operation = queued.operation();
        if !self.config.queue_runs {
            return Some(self.illegal(operation, refusals::NO_QUEUE));
        }
        let max_queued_runs = self.config.max_queued_runs;
        if self.queue.len() >= max_queued_runs {
            let mut refused = self.illegal(operation, refusals::QUEUE_FULL);
            if let Err(failure) = &mut refused.result {
                failure.details.insert("maxQueuedRuns".into(), max_queued_runs.into());
            }
            return Some(refused);
        }
        self.queue.push_back(queued);
        None
    }

    fn start_set_up(&mut self, QueuedSetUp { call, content }: QueuedSetUp) {
        let Some(session) = &self.session else { return };
        self.jobs_started += 1;
        let job = self.jobs_started;
        self.setups.push_back((job, content.operation()));
        session.set_up(job, call, content.command(job));
    }

    fn start_run(&mut self, run: QueuedRun) {
        self.transition(Transition::RunStarted);
        self.current = Some(CurrentRun::Waiting(run));
        self.begin_current();
    }

    /// Hands over the first run in the queue, unless the isolate must do something first.
    fn begin_current(&mut self) {
        if !self.setups.is_empty() {
            return;
        }
        match self.current.take() {
            Some(CurrentRun::Waiting(run)) => self.hand_over(run),
            current => self.current = current,
        }
    }

    fn end_run(&mut self) {
        self.transition(Transition::RunEnded);
        self.begin_next();
    }

    /// Starts queued calls until one is under way.
    fn begin_next(&mut self) {
        while self.state == State::Ready
            && let Some(next) = self.queue.pop_front()
        {
            match next {
                Queued::Run(run) => self.start_run(run),
                Queued::SetUp(set_up) => self.start_set_up(set_up),
            }
        }
    }

    /// Hands a run to the isolate. Its time begins here. If the run cannot begin, it is settled, and the caller goes on
    /// with the queue. This function does not: each run of a long queue may fail to begin, and recursion would overflow
    /// the stack.
    fn hand_over(&mut self, QueuedRun { call, code, limits, limits_calls }: QueuedRun) {
        let Some(session) = &mut self.session else { return };
        self.jobs_started += 1;
        let id = self.jobs_started;
        match session.run(id, call, code, limits, limits_calls) {
            Ok(()) => self.current = Some(CurrentRun::Begun { id, call, timeout_ms: limits.timeout_ms }),
            Err(failure) => {
                self.deliver(call, Outcome::failed(failure));
                self.transition(Transition::RunEnded);
            }
        }
    }

    fn refuse_all_pending(&mut self, hint: &'static str) {
        let state = self.state.name();
        let refused = |operation: Operation| Outcome::failed(Failure::invalid_state(state, operation.name(), hint));
        for call in std::mem::take(&mut self.initializing) {
            self.deliver(call, refused(Operation::Init));
        }
        let (waiting, begun) = match self.current.take() {
            Some(CurrentRun::Waiting(run)) => (Some(Queued::Run(run)), None),
            Some(CurrentRun::Begun { id, .. }) => (None, Some((id, Operation::Run))),
            None => (None, None),
        };
        for (job, operation) in std::mem::take(&mut self.setups).into_iter().chain(begun) {
            // If another thread has settled the job, its outcome is on its way.
            let failure = Failure::invalid_state(state, operation.name(), hint);
            if let Some((call, outcome)) = self.session.as_ref().and_then(|session| session.refuse(job, failure)) {
                self.deliver(call, outcome);
            }
        }
        let queue = std::mem::take(&mut self.queue);
        for queued in waiting.into_iter().chain(queue) {
            self.deliver(queued.call(), refused(queued.operation()));
        }
    }

    fn deliver(&self, call: CallId, outcome: Outcome) {
        (self.owner_events)(OwnerEvent::Deliver(Delivery::settled(call, Box::new(outcome))));
    }

    /// Refuses a call that the state does not allow.
    fn refused(&self, operation: Operation) -> Option<Outcome> {
        let hint = self.state.refusal(operation)?;
        let lost = self.lost_failure(0).filter(|_| self.state == State::Dirty);
        Some(lost.map_or_else(|| self.illegal(operation, hint), Outcome::failed))
    }

    fn illegal(&self, operation: Operation, hint: &str) -> Outcome {
        Outcome::failed(Failure::invalid_state(self.state.name(), operation.name(), hint))
    }

    fn transition(&mut self, transition: Transition) {
        let next = self.state.after(transition);
        #[cfg(test)]
        assert!(next.is_some(), "{transition:?} in {:?}", self.state);
        self.state = next.unwrap_or(self.state);
    }
}

fn too_much_held(held: &Held) -> Failure {
    let details = format!(
        "guests of the same owner have left {} isolates parked and {} that do not end, which hold {} MB; restart the \
         process, or raise maxParkedMb",
        held.parked,
        held.stuck,
        held.bytes() >> 20
    );
    Failure::init(details).with("parked", held.parked).with("stuck", held.stuck).with("heldBytes", held.bytes())
}

/// The cause of failures if the executor thread has panicked, which is a defect of this crate.
const PANICKED: &str = "the executor thread panicked; please report this";
