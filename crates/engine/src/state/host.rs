//! What the realm's native functions work on: the run under way and the way to the Node.js thread.

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
use crate::state::context::GuestContext;
use crate::state::entry::Realm;
use crate::state::log_room::LogRoom;
use crate::state::module_cache::ModuleCache;
use crate::state::pending_calls::{PendingCalls, ToolTable};
use crate::state::scripts::Scripts;
use crate::values::serialize::{Unwritable, Way};

/// Bytes of answers that have been taken until the session is told. 1 MiB.
const TAKEN_BYTES: usize = 1 << 20;
/// Bits of a session's number that its calls begin with, above 32 of their own: JavaScript has their numbers as they are, and answers to
/// calls of an earlier session find none.
const SESSION_BITS: u32 = 20;
/// Rejections without a handler that one run remembers.
const MAX_REJECTIONS: usize = 16;

/// How guest code ended its run, recorded where it cannot reach it.
pub enum Verdict {
    /// `final_answer` is being recorded; a nested call from a getter of its value does not count.
    Recording,
    /// `final_answer(value)`: the value as it was at that moment, unless it is too large.
    Final(Result<Value, Unwritable>),
    /// `final_answer(promise)`: the run ends when the promise is settled.
    FinalPromise(v8::Global<v8::Promise>),
    /// `final_answer(value)` where the stack that was left did not suffice to write the value.
    FinalLate(v8::Global<v8::Value>),
    /// The guards counted more than a limit.
    MaxOperations(Exceeded),
    /// The run made more tool calls than it may.
    ToolCallLimit,
}

impl Verdict {
    /// Whether the guest must not act on the host any more. A final answer that is a promise still needs its tools.
    pub fn is_decided(&self) -> bool {
        !matches!(self, Self::Recording | Self::FinalPromise(_))
    }
}

/// A limit of iterations that was exceeded.
pub struct Exceeded {
    pub limit: f64,
    /// The limit is that of modules, and this one was being loaded.
    pub module: Option<String>,
    /// Where.
    pub at: Option<v8::Global<v8::StackTrace>>,
}

/// State of one run.
pub struct Run {
    pub job: JobId,
    pub verdict: Option<Verdict>,
    pub max_operations: f64,
    /// What was thrown last that is no error, and where.
    pub thrown: Option<(v8::Global<v8::Value>, v8::Global<v8::StackTrace>)>,
    /// Iterations that the run has taken, as far as it has told.
    pub operations: f64,
    /// Tool calls so far.
    tool_calls: u64,
    /// Those of them that were not awaited, once the run has ended.
    pub dropped_calls: u64,
    log: LogRoom,
    pub rejections: Vec<v8::Global<v8::Promise>>,
}

impl Run {
    /// Whether its outcome is still to come: that of a promise may be another one than its value.
    pub fn is_open(&self) -> bool {
        matches!(self.verdict, None | Some(Verdict::FinalPromise(_)))
    }

    fn progress(&self) -> Event {
        Event::Progress { operations: self.operations as u64, tool_calls: self.tool_calls }
    }
}

/// One per isolate, shared by its native functions; used by the executor thread only.
pub struct Host {
    pub context: Rc<dyn GuestContext>,
    pub memory: Arc<BufferBudget>,
    /// Answers of tools that have arrived in the run under way.
    answers: Cell<u64>,
    /// Bytes of answers that the guest has taken and the session was not told of.
    taken_bytes: Cell<usize>,
    /// All calls of the run are answered within some time.
    limits_calls: Cell<bool>,
    /// Commands that arrived while a tool was awaited synchronously.
    early: RefCell<VecDeque<Command>>,
    pub interrupt: OnceCell<Interrupt>,
    /// The run that is to end without its isolate.
    stop: Arc<Stop>,
    /// The run under way, or the last one.
    job: Cell<JobId>,
    pub realm: OnceCell<Realm>,
    pub run: RefCell<Option<Run>>,
    /// Runs that have begun.
    runs: Cell<u64>,
    /// The executor thread terminated the guest itself, for a reason that is recorded elsewhere.
    pub terminated: Cell<bool>,
    pub scripts: RefCell<Scripts>,
    pub tools: RefCell<ToolTable>,
    /// The guest may have made URLs, or parameters of them.
    pub has_urls: Cell<bool>,
    /// Names of variables that were sent.
    pub sent_names: RefCell<HashSet<String>>,
    pub calls: RefCell<PendingCalls>,
    pub modules: RefCell<ModuleCache>,
}

impl Host {
    pub fn new(context: Rc<dyn GuestContext>, memory: Arc<BufferBudget>, stop: Arc<Stop>) -> Self {
        let first_call = (context.session() % (1 << SESSION_BITS)) << 32;
        Self {
            context,
            memory,
            answers: Cell::default(),
            taken_bytes: Cell::default(),
            limits_calls: Cell::default(),
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
            has_urls: Cell::new(false),
            sent_names: RefCell::default(),
            calls: RefCell::new(PendingCalls::starting_at(first_call)),
            modules: RefCell::default(),
        }
    }

    /// Starts the record of a run.
    pub fn begin(&self, job: JobId, limits: &RunLimits) {
        self.job.set(job);
        self.answers.set(0);
        self.taken_bytes.set(0);
        self.limits_calls.set(limits.tool_timeout_ms.is_some());
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

    /// Whether the guest was terminated for another reason than its iterations.
    pub fn is_terminated(&self) -> bool {
        self.context.is_given_up() || self.is_stopped() || with_guard(MemoryGuard::is_exceeded) == Some(true)
    }

    /// Whether the run under way is to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_raised(self.job.get())
    }

    /// A run has ended: lets guest code run again if it was to end before it did.
    pub fn forget_stop(&self, job: JobId, isolate: &v8::Isolate) {
        if self.stop.forget(job) {
            self.go_on(isolate);
        }
    }

    /// Records that the run has exceeded a limit: its own, if nothing is known of it.
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

    /// Terminates the guest: it went on although its run is over.
    pub fn stop_guest(&self) {
        self.terminated.set(true);
        if let Some(interrupt) = self.interrupt.get() {
            interrupt.terminate();
        }
    }

    /// Lets guest code run again after a termination. Whoever gives the session up says so before it terminates: what is seen
    /// here only after the cancellation is not lost by it.
    pub fn go_on(&self, isolate: &v8::Isolate) {
        isolate.cancel_terminate_execution();
        if self.context.is_given_up() {
            isolate.terminate_execution();
        }
    }

    /// Whether the run's outcome is decided.
    pub fn is_over(&self) -> bool {
        self.run.borrow().as_ref().is_some_and(|run| run.verdict.as_ref().is_some_and(Verdict::is_decided))
    }

    /// The next command; waits. `None` when the session was given up.
    pub fn next_command(&self) -> Option<Command> {
        // What woke the thread up last may have been that, or what was to end a sleep or a run that had ended.
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

    /// As [`Self::next_command`], while the guest waits for answers of tools.
    pub fn next_answer(&self) -> Option<Command> {
        if let Some(command) = self.early.borrow_mut().pop_front() {
            return Some(command);
        }
        self.await_answer()
    }

    /// The next command; waits, and the guest with it. `None` when the session was given up.
    fn await_answer(&self) -> Option<Command> {
        if self.limits_calls.get() || self.tools.borrow().has_limited() {
            self.context.report(Event::Idle { answers: self.answers.get() });
        }
        // As in `next_command`.
        if self.context.is_given_up() {
            return None;
        }
        let command = self.context.next().map(|command| self.arrived(command));
        command.filter(|_| !self.context.is_given_up())
    }

    /// Counts what has arrived just now.
    fn arrived(&self, command: Command) -> Command {
        if let Command::ToolReplies(replies) = &command {
            self.answers.set(self.answers.get() + replies.len() as u64);
        }
        command
    }

    /// Notes that the guest has an answer, which nobody keeps for it any more.
    pub fn take_answer(&self, reply: &ToolReply) {
        let bytes = self.taken_bytes.get() + reply.bytes();
        if bytes < TAKEN_BYTES {
            self.taken_bytes.set(bytes);
        } else {
            self.taken_bytes.set(0);
            self.context.report(Event::Taken { bytes: bytes as u64 });
        }
    }

    /// Takes in what has arrived already, for [`Self::next_command`] and the like.
    pub fn take_in(&self) {
        while let Some(command) = self.context.ready() {
            let command = self.arrived(command);
            self.early.borrow_mut().push_back(command);
        }
    }

    /// Whether something has arrived, which is kept. Does not wait.
    pub fn has_come(&self) -> bool {
        self.take_in();
        !self.early.borrow().is_empty()
    }

    /// A command that has arrived already.
    pub fn ready_command(&self) -> Option<Command> {
        let early = self.early.borrow_mut().pop_front();
        early.or_else(|| self.context.ready().map(|command| self.arrived(command)))
    }

    /// Waits for the answer to a tool call, keeping everything else for [`Self::next_command`]. `None` when the session
    /// was given up.
    pub fn wait_for_reply(&self, call: ToolCallId) -> Option<ToolReply> {
        loop {
            let mut replies = match self.await_answer()? {
                Command::ToolReplies(replies) => replies,
                other => {
                    self.early.borrow_mut().push_back(other);
                    continue;
                }
            };
            let found = replies.iter().position(|&(answered, _)| answered == call).map(|at| replies.remove(at).1);
            if !replies.is_empty() {
                self.early.borrow_mut().push_back(Command::ToolReplies(replies));
            }
            if let Some(reply) = found {
                self.take_answer(&reply);
                return Some(reply);
            }
        }
    }

    /// Waits until `until` or until something more arrives, which is kept. Returns whether it is sooner, and the session not given up.
    pub fn wait_until(&self, until: Instant) -> bool {
        match self.context.next_until(until) {
            Some(command) => {
                self.early.borrow_mut().extend(command);
                !self.context.is_given_up()
            }
            None => false,
        }
    }

    /// Whether the console level is collected and the log has room.
    pub fn is_log_open(&self, level: usize) -> bool {
        self.context.config().levels.get(level).copied().unwrap_or(false)
            && self.run.borrow().as_ref().is_some_and(|run| run.log.is_open())
    }

    /// Adds `message` to the run's log, or as much of it as there is room for. `complete`: nothing follows it.
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

    /// A remark of the engine.
    pub fn warn(&self, message: String) {
        self.log(LEVEL_WARN, message, true);
    }

    /// Bytes that the log still takes.
    pub fn log_room(&self) -> usize {
        self.run.borrow().as_ref().map_or(0, |run| run.log.remaining())
    }

    /// Remembers a promise that was rejected without a handler.
    pub fn add_rejection(&self, promise: v8::Global<v8::Promise>) {
        if let Some(run) = self.run.borrow_mut().as_mut()
            && run.rejections.len() < MAX_REJECTIONS
        {
            run.rejections.push(promise);
        }
    }

    /// Forgets a promise that got its handler later.
    pub fn remove_rejection(&self, promise: &v8::Global<v8::Promise>) {
        if let Some(run) = self.run.borrow_mut().as_mut() {
            run.rejections.retain(|rejected| rejected != promise);
        }
    }

    /// Counts a tool call. Returns false, with the verdict, for the first one beyond the limit; later ones are not counted.
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

    /// How a value of at most `max_bytes` goes to the host.
    pub fn way(&self, max_bytes: usize) -> Way {
        Way { max_bytes, is_raw: self.context.sends_raw() }
    }

    /// Reports what no other event tells.
    pub fn report_progress(&self) {
        if let Some(run) = self.run.borrow().as_ref() {
            self.context.report(run.progress());
        }
    }

    /// Tool calls that the run has made.
    pub fn tool_calls(&self) -> u64 {
        self.run.borrow().as_ref().map_or(0, |run| run.tool_calls)
    }

    /// What is known of the run; nothing without one.
    pub fn figures(&self) -> Figures {
        self.run.borrow().as_ref().map_or_else(Figures::default, |run| Figures {
            operations: run.operations as u64,
            tool_calls: run.tool_calls,
            heap_used_bytes: 0,
            dropped_calls: run.dropped_calls,
        })
    }

    /// Whether the guest was given a tool of this number.
    pub fn has_tool(&self, id: u32) -> bool {
        self.tools.borrow().has(id)
    }

    /// Names of the functions in the tool table, for messages.
    pub fn tool_name(&self, id: u32) -> String {
        self.tools.borrow().name(id)
    }
}

/// Has the isolate take in what has been sent to it, at V8's next check, while it does not wait for that.
pub fn wake(interrupt: &Interrupt) {
    interrupt.request(take_in, std::ptr::null_mut());
}

/// V8 calls this at a check, where guest code runs.
unsafe extern "C" fn take_in(isolate: v8::UnsafeRawIsolatePtr, _data: *mut c_void) {
    // SAFETY: this is the isolate's thread, and guest code runs, so that the isolate is alive.
    let isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(isolate) };
    if let Some(host) = isolate.get_slot::<Rc<Host>>() {
        host.take_in();
    }
}
