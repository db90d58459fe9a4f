//! The state that the realm's native functions work on: the run under way and the connection to the Node.js thread.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashSet, VecDeque};
use std::ffi::c_void;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use deno_core::v8;
use ses_protocol::{Command, Event, Figures, JobId, LEVEL_WARN, RunLimits, ToolCallId, ToolReply, Value};

use crate::control::interrupt::Interrupt;
use crate::control::stop::Stop;
use crate::memory::budget::BufferBudget;
use crate::memory::limits::{MemoryGuard, with_guard};
use crate::platform::{session_clock, session_random};
use crate::state::context::GuestContext;
use crate::state::entry::Realm;
use crate::state::log_room::LogRoom;
use crate::state::module_cache::ModuleCache;
use crate::state::pending_calls::{PendingCalls, ToolTable};
use crate::state::scripts::Scripts;
use crate::values::serialize::{Unwritable, Way};

/// Bytes of answers that the guest takes before this is reported to the session. 1 MiB.
const TAKEN_BYTES: usize = 1 << 20;
/// Bits of a session's number at the start of its call numbers; 32 bits for the call follow. JavaScript can represent
/// these numbers exactly, and answers to calls of an earlier session match no call.
const SESSION_BITS: u32 = 20;
/// The most unhandled rejections that one run records.
const MAX_REJECTIONS: usize = 16;

/// How guest code ended its run. Stored where guest code cannot reach it.
pub enum Verdict {
    /// `final_answer` is being recorded. A nested call from a getter of its value does not count.
    Recording,
    /// `final_answer(value)`: the value at that moment, unless it is too large.
    Final(Result<Value, Unwritable>),
    /// `final_answer(promise)`: the run ends when the promise settles.
    FinalPromise(v8::Global<v8::Promise>),
    /// `final_answer(value)`, but the remaining stack did not suffice to write the value.
    FinalLate(v8::Global<v8::Value>),
    /// The guards counted more iterations than a limit allows.
    MaxOperations(Exceeded),
    /// The run made more tool calls than allowed.
    ToolCallLimit,
}

impl Verdict {
    /// Whether the guest must not act on the host any more. If the final answer is a promise, its code still needs
    /// tools.
    pub fn is_decided(&self) -> bool {
        !matches!(self, Self::Recording | Self::FinalPromise(_))
    }
}

/// A limit of iterations that was exceeded.
pub struct Exceeded {
    pub limit: f64,
    /// Present if the limit is that of modules: the module that was being loaded.
    pub module: Option<String>,
    /// Where it was exceeded.
    pub at: Option<v8::Global<v8::StackTrace>>,
}

/// State of one run.
pub struct Run {
    pub job: JobId,
    pub verdict: Option<Verdict>,
    pub max_operations: f64,
    /// The last thrown value that is not an error, and where it was thrown.
    pub thrown: Option<(v8::Global<v8::Value>, v8::Global<v8::StackTrace>)>,
    /// Iterations of the run that were reported so far.
    pub operations: f64,
    /// Tool calls so far.
    tool_calls: u64,
    /// The tool calls that had not been awaited when the run ended.
    pub dropped_calls: u64,
    log: LogRoom,
    pub rejections: Vec<v8::Global<v8::Promise>>,
}

impl Run {
    /// Whether the outcome is still open. A promise may settle with a different outcome than its value.
    pub fn is_open(&self) -> bool {
        matches!(self.verdict, None | Some(Verdict::FinalPromise(_)))
    }

    fn progress(&self) -> Event {
        Event::Progress { operations: self.operations as u64, tool_calls: self.tool_calls }
    }
}

/// The state of one isolate, shared by its native functions. Used by the executor thread only.
pub struct Host {
    pub context: Rc<dyn GuestContext>,
    pub memory: Arc<BufferBudget>,
    /// Answers of tools that arrived during the run under way.
    answers: Cell<u64>,
    /// Bytes of answers that the guest has taken and that were not reported to the session yet.
    taken_bytes: Cell<usize>,
    /// The session wants a report when the guest only waits.
    reports_waits: Cell<bool>,
    /// Commands that arrived during the synchronous wait for a tool.
    early: RefCell<VecDeque<Command>>,
    pub interrupt: OnceCell<Interrupt>,
    /// Tells which run is to end while its isolate stays.
    stop: Arc<Stop>,
    /// The run under way, or the last one.
    job: Cell<JobId>,
    pub realm: OnceCell<Realm>,
    pub run: RefCell<Option<Run>>,
    /// Number of runs that have begun.
    runs: Cell<u64>,
    /// The executor thread itself terminated the guest, for a reason that is recorded elsewhere.
    pub terminated: Cell<bool>,
    pub scripts: RefCell<Scripts>,
    pub tools: RefCell<ToolTable>,
    /// The guest may have made objects that cross to the host as something else, such as URLs and blobs.
    pub has_substituted: Cell<bool>,
    /// Names of variables that were sent.
    pub sent_names: RefCell<HashSet<String>>,
    pub calls: RefCell<PendingCalls>,
    pub modules: RefCell<ModuleCache>,
}

impl Host {
    pub fn new(context: Rc<dyn GuestContext>, memory: Arc<BufferBudget>, stop: Arc<Stop>) -> Self {
        session_clock::forget();
        session_random::forget();
        let first_call = (context.session() % (1 << SESSION_BITS)) << 32;
        Self {
            context,
            memory,
            answers: Cell::default(),
            taken_bytes: Cell::default(),
            reports_waits: Cell::default(),
            early: RefCell::default(),
            interrupt: OnceCell::new(),
            stop,
            job: Cell::default(),
            realm: OnceCell::new(),
            run: RefCell::new(None),
            runs: Cell::new(0),
            terminated: Cell::new(false),
            scripts: RefCell::default(),
            tools: RefCell::default(),
            has_substituted: Cell::new(false),
            sent_names: RefCell::default(),
            calls: RefCell::new(PendingCalls::starting_at(first_call)),
            modules: RefCell::default(),
        }
    }

    /// Begins the record of a run.
    pub fn begin(&self, job: JobId, limits: &RunLimits) {
        self.job.set(job);
        session_clock::set_now(limits.now_ms);
        self.answers.set(0);
        self.taken_bytes.set(0);
        self.reports_waits.set(limits.reports_waits);
        self.terminated.set(false);
        self.runs.set(self.runs.get() + 1);
        *self.run.borrow_mut() = Some(Run {
            job,
            verdict: None,
            max_operations: limits.max_operations,
            thrown: None,
            operations: 0.0,
            tool_calls: 0,
            dropped_calls: 0,
            log: LogRoom::new(self.context.config().max_log_bytes),
            rejections: Vec::new(),
        });
    }

    /// The number of the run under way, or of the last one.
    pub fn run_number(&self) -> u64 {
        self.runs.get()
    }

    /// Whether the guest was terminated for a reason other than its iterations.
    pub fn is_terminated(&self) -> bool {
        self.context.is_given_up() || self.is_stopped() || with_guard(MemoryGuard::is_exceeded) == Some(true)
    }

    /// Whether the run under way is to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_raised(self.job.get())
    }

    /// A run has ended. If it had been asked to end, guest code may run again.
    pub fn forget_stop(&self, job: JobId, isolate: &v8::Isolate) {
        if self.stop.forget(job) {
            self.cancel_termination(isolate);
        }
    }

    /// Records that the run has exceeded a limit. `None`: the limit of the run itself.
    pub fn exceed_limit(&self, exceeded: Option<Exceeded>) {
        if self.is_terminated() {
            return;
        }
        let mut run = self.run.borrow_mut();
        let Some(run) = run.as_mut() else { return };
        let exceeded = exceeded.unwrap_or(Exceeded { limit: run.max_operations, module: None, at: None });
        if exceeded.module.is_none() {
            run.operations = run.max_operations;
        }
        if run.is_open() {
            run.verdict = Some(Verdict::MaxOperations(exceeded));
        }
    }

    /// Terminates a guest that goes on although its run is over.
    pub fn stop_guest(&self) {
        self.terminated.set(true);
        if let Some(interrupt) = self.interrupt.get() {
            interrupt.terminate();
        }
    }

    /// Lets guest code run again after a termination. Code that gives the session up sets its flag before it
    /// terminates. So if the cancellation here hides that termination, the flag still shows it.
    pub fn cancel_termination(&self, isolate: &v8::Isolate) {
        isolate.cancel_terminate_execution();
        if self.context.is_given_up() {
            isolate.terminate_execution();
        }
    }

    /// Whether the run's outcome is decided.
    pub fn is_over(&self) -> bool {
        self.run.borrow().as_ref().is_some_and(|run| run.verdict.as_ref().is_some_and(Verdict::is_decided))
    }

    /// Waits for the next command. `None` when the session was given up.
    pub fn next_command(&self) -> Option<Command> {
        // The last wake-up may have been for that, or to end a sleep or a run that had ended.
        while !self.context.is_given_up() {
            let early = self.early.borrow_mut().pop_front();
            if early.is_some() {
                return early;
            }
            let command = self.context.next();
            if command.is_some() && !self.context.is_given_up() {
                return command;
            }
        }
        None
    }

    /// Like [`Self::next_command`], while the guest waits for answers of tools.
    pub fn next_answer(&self) -> Option<Command> {
        if let Some(command) = self.early.borrow_mut().pop_front() {
            return Some(command);
        }
        self.await_answer()
    }

    /// Waits for the next command while the guest waits too. `None` when the session was given up.
    fn await_answer(&self) -> Option<Command> {
        if self.reports_waits.get() {
            self.context.report(Event::Idle { answers: self.answers.get() });
        }
        // For the same reasons as in `next_command`.
        if self.context.is_given_up() {
            return None;
        }
        let command = self.context.next().map(|command| self.arrived(command));
        command.filter(|_| !self.context.is_given_up())
    }

    /// Counts a command that has just arrived.
    fn arrived(&self, command: Command) -> Command {
        if let Command::ToolReplies { replies, .. } = &command {
            self.answers.set(self.answers.get() + replies.len() as u64);
        }
        command
    }

    /// Records that the guest has taken an answer, which no longer uses memory of the host.
    pub fn take_answer(&self, reply: &ToolReply) {
        let bytes = self.taken_bytes.get() + reply.bytes();
        if bytes < TAKEN_BYTES {
            self.taken_bytes.set(bytes);
        } else {
            self.taken_bytes.set(0);
            self.context.report(Event::Taken { bytes: bytes as u64 });
        }
    }

    /// Receives commands that have arrived already, for [`Self::next_command`] and similar methods.
    pub fn take_in(&self) {
        while let Some(command) = self.context.ready() {
            let command = self.arrived(command);
            self.early.borrow_mut().push_back(command);
        }
    }

    /// Stores a command that has arrived, if there is one, and returns whether there was. Does not wait.
    pub fn has_come(&self) -> bool {
        self.take_in();
        !self.early.borrow().is_empty()
    }

    /// Returns a command that has already arrived.
    pub fn ready_command(&self) -> Option<Command> {
        let early = self.early.borrow_mut().pop_front();
        early.or_else(|| self.context.ready().map(|command| self.arrived(command)))
    }

    /// Waits for the answer to a tool call. Stores everything else for [`Self::next_command`]. `None` when the session
    /// was given up.
    pub fn wait_for_reply(&self, call: ToolCallId) -> Option<ToolReply> {
        loop {
            let (mut replies, now_ms) = match self.await_answer()? {
                Command::ToolReplies { replies, now_ms } => (replies, now_ms),
                other => {
                    self.early.borrow_mut().push_back(other);
                    continue;
                }
            };
            let found = replies.iter().position(|&(answered, _)| answered == call).map(|at| replies.remove(at).1);
            if !replies.is_empty() {
                self.early.borrow_mut().push_back(Command::ToolReplies { replies, now_ms });
            }
            if let Some(reply) = found {
                session_clock::set_now(now_ms);
                self.take_answer(&reply);
                return Some(reply);
            }
        }
    }

    /// Waits for the answer to one of the awaited calls, at most until `until` if it is given. Stores everything else
    /// for [`Self::next_command`]. `None`: no answer arrived in time, or the session was given up.
    pub fn wait_for_any(
        &self,
        is_awaited: impl Fn(ToolCallId) -> bool,
        until: Option<Instant>,
    ) -> Option<(ToolCallId, ToolReply)> {
        loop {
            if let Some((call, reply)) = self.take_early_reply(&is_awaited) {
                self.take_answer(&reply);
                return Some((call, reply));
            }
            match until {
                None => {
                    let command = self.await_answer()?;
                    self.early.borrow_mut().push_back(command);
                }
                Some(until) => {
                    if !self.wait_until(until) && !self.has_early_reply(&is_awaited) {
                        return None;
                    }
                }
            }
        }
    }

    /// The first stored answer to an awaited call.
    fn take_early_reply(&self, is_awaited: impl Fn(ToolCallId) -> bool) -> Option<(ToolCallId, ToolReply)> {
        let mut early = self.early.borrow_mut();
        for command in early.iter_mut() {
            if let Command::ToolReplies { replies, now_ms } = command
                && let Some(at) = replies.iter().position(|&(call, _)| is_awaited(call))
            {
                session_clock::set_now(*now_ms);
                return Some(replies.remove(at));
            }
        }
        None
    }

    fn has_early_reply(&self, is_awaited: impl Fn(ToolCallId) -> bool) -> bool {
        let is_found = |command: &Command| matches!(command, Command::ToolReplies { replies, .. } if replies.iter().any(|&(call, _)| is_awaited(call)));
        self.early.borrow().iter().any(is_found)
    }

    /// Waits until `until`, or until another command arrives, and stores that command. Returns whether it is still
    /// before `until` and the session was not given up.
    pub fn wait_until(&self, until: Instant) -> bool {
        match self.context.next_until(until) {
            Some(command) => {
                let command = command.map(|command| self.arrived(command));
                self.early.borrow_mut().extend(command);
                !self.context.is_given_up()
            }
            None => false,
        }
    }

    /// Whether this console level is collected and the log has room.
    pub fn is_log_open(&self, level: usize) -> bool {
        self.context.config().levels.get(level).copied().unwrap_or(false)
            && self.run.borrow().as_ref().is_some_and(|run| run.log.is_open())
    }

    /// Adds `message` to the run's log, as far as there is room. `complete`: the message was not cut off before.
    pub fn log(&self, level: usize, message: String, complete: bool) {
        if !self.is_log_open(level) {
            return;
        }
        let mut run = self.run.borrow_mut();
        let Some(run) = run.as_mut() else { return };
        if let Some(entry) = run.log.take(level, message, complete) {
            self.context.report(Event::Log { job: run.job, entry });
        }
    }

    /// Logs a remark of the engine.
    pub fn warn(&self, message: String) {
        self.log(LEVEL_WARN, message, true);
    }

    /// Bytes that fit into the log.
    pub fn log_room(&self) -> usize {
        self.run.borrow().as_ref().map_or(0, |run| run.log.remaining())
    }

    /// Records a promise that was rejected without a handler.
    pub fn add_rejection(&self, promise: v8::Global<v8::Promise>) {
        if let Some(run) = self.run.borrow_mut().as_mut()
            && run.rejections.len() < MAX_REJECTIONS
        {
            run.rejections.push(promise);
        }
    }

    /// Removes a promise that later got a handler.
    pub fn remove_rejection(&self, promise: &v8::Global<v8::Promise>) {
        if let Some(run) = self.run.borrow_mut().as_mut() {
            run.rejections.retain(|rejected| rejected != promise);
        }
    }

    /// Counts a tool call. For the first call beyond the limit, records the verdict and returns false. Later calls are
    /// not counted.
    pub fn count_tool_call(&self) -> bool {
        let mut run = self.run.borrow_mut();
        let Some(run) = run.as_mut() else { return false };
        let most = self.context.config().max_tool_calls;
        if run.tool_calls <= most {
            run.tool_calls += 1;
        }
        if run.tool_calls <= most {
            return true;
        }
        if !run.verdict.as_ref().is_some_and(Verdict::is_decided) {
            run.verdict = Some(Verdict::ToolCallLimit);
        }
        false
    }

    /// How a value of at most `max_bytes` is transferred to the host.
    pub fn way(&self, max_bytes: usize) -> Way {
        Way { max_bytes, is_raw: self.context.sends_raw() }
    }

    /// Reports figures that no other event contains.
    pub fn report_progress(&self) {
        if let Some(run) = self.run.borrow().as_ref() {
            self.context.report(run.progress());
        }
    }

    /// Tool calls that the run has made.
    pub fn tool_calls(&self) -> u64 {
        self.run.borrow().as_ref().map_or(0, |run| run.tool_calls)
    }

    /// The figures of the run, as far as they are known. Zero without a run.
    pub fn figures(&self) -> Figures {
        self.run.borrow().as_ref().map_or_else(Figures::default, |run| Figures {
            operations: run.operations as u64,
            tool_calls: run.tool_calls,
            heap_used_bytes: 0,
            dropped_calls: run.dropped_calls,
        })
    }

    /// Whether the guest was given a tool with this number.
    pub fn has_tool(&self, id: u32) -> bool {
        self.tools.borrow().has(id)
    }

    /// Names of the functions in the tool table, for messages.
    pub fn tool_name(&self, id: u32) -> String {
        self.tools.borrow().name(id)
    }
}

/// Makes the isolate receive pending commands at V8's next check, unless it is waiting for them.
pub fn wake(interrupt: &Interrupt) {
    interrupt.request(take_in, std::ptr::null_mut());
}

/// V8 calls this at a check while guest code runs.
unsafe extern "C" fn take_in(isolate: v8::UnsafeRawIsolatePtr, _data: *mut c_void) {
    // SAFETY: this is the isolate's thread, and guest code runs, so the isolate is alive.
    let isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(isolate) };
    if let Some(host) = isolate.get_slot::<Rc<Host>>() {
        host.take_in();
    }
}
