//! The states of a recorded session: its isolate starts, repeats the journal, continues a run, or is live.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ses_protocol::{
    Command, Event, Failure, FailureKind, Figures, JobId, RunLimits, Seed, Success, ToolCall, ToolCallId, ToolReply,
    Value,
};
use ses_session::{Events, Link};

use crate::chain::{Chain, MAC_BYTES};
use crate::content::{
    Content, Record, RecordedEvent, RecordedJob, as_recorded, frame_of_call, frame_of_log, frame_of_settled,
    plain_failure,
};
use crate::effects::{Effect, Effects, OnCheckpoint, Outbox};
use crate::entry::{answers_frame, checkpoint_frame, message_frame, plain};

/// Numbers of jobs that are repeated belong to no job of the owner.
const REPEATED: JobId = 1 << 40;
/// The number of the job that asks for a checkpoint.
const CHECKPOINT: JobId = 1 << 41;
/// Room for the ends of lost runs in a journal that is full.
const RESERVED_BYTES: usize = 4096;
/// Why there is no checkpoint.
const NO_ROOM: &str = "the journal has no room";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The isolate is being made.
    Booting,
    /// It repeats jobs of the journal.
    Replaying,
    /// It repeats the beginning of a run that the owner continues.
    Resuming,
    Live,
    /// The isolate was given up.
    Over,
}

/// Entries that the owner has to store.
pub struct Batch {
    /// The number of the first.
    pub first: u64,
    pub entries: Vec<Vec<u8>>,
    /// Answers of tools are among them.
    pub answers: bool,
    /// The end of a run is among them.
    pub ends: bool,
}

impl Batch {
    /// Bytes of [`Self::write`] before the entries.
    const HEAD_BYTES: usize = 12;
    /// Bytes of the length before each entry.
    const LENGTH_BYTES: usize = 4;

    fn bytes(entries: &[Vec<u8>]) -> usize {
        Self::HEAD_BYTES + entries.iter().map(|entry| Self::LENGTH_BYTES + entry.len()).sum::<usize>()
    }

    /// Writes the number of the first entry (a float of 64 bits), flags (32 bits; 1: answers, 2: ends), and each entry
    /// after its length (32 bits). Numbers are little-endian. Returns how many bytes these are, which fit in `room`.
    pub fn write(&self, mut room: &mut [u8]) -> usize {
        let free = room.len();
        let mut put = |bytes: &[u8]| {
            if let Some((to, rest)) = std::mem::take(&mut room).split_at_mut_checked(bytes.len()) {
                to.copy_from_slice(bytes);
                room = rest;
            }
        };
        put(&(self.first as f64).to_le_bytes());
        put(&(u32::from(self.answers) | u32::from(self.ends) << 1).to_le_bytes());
        for entry in &self.entries {
            put(&(entry.len() as u32).to_le_bytes());
            put(entry);
        }
        free - room.len()
    }
}

pub struct State {
    pub chain: Chain,
    pub max_bytes: usize,
    bytes: usize,
    /// An entry did not fit.
    pub is_full: bool,
    /// Entries that nobody has taken, and the number of the first.
    taken_to: u64,
    entries: Vec<Vec<u8>>,
    answers: bool,
    ends: bool,
    /// All entries with a lower number are stored.
    stored_to: u64,
    /// Commands that the guest gets when the entries below a number are stored.
    held: VecDeque<(u64, Command)>,
    /// The entries that were read.
    pub loaded: Vec<Vec<u8>>,
    pub outbox: Outbox,
    pub diverged: Divergence,
    phase: Phase,
    is_ready: bool,
    link: Option<Weak<dyn Link>>,
    pub events: Option<Events>,
    /// What the isolate has to repeat.
    jobs: VecDeque<RecordedJob>,
    open: Option<RecordedJob>,
    has_lost: bool,
    /// A run stays open if its worker is lost while it only waits for answers.
    pub is_movable: bool,
    /// The worker was lost, and the run under way stays open.
    pub is_moving: bool,
    /// Taken by the next run.
    pub seed: Option<Seed>,
    /// Runs that were begun.
    pub runs: u32,
    /// The next run is one of the owner's: it has the number of the run before it.
    pub is_internal: bool,
    now_ms: f64,
    /// Jobs of the owner that have not ended. The last one is the run, if there is one.
    under_way: Vec<JobId>,
    /// Answers that were sent to the run under way.
    sent: u64,
    is_idle: bool,
    /// Calls of the run by their plain number: the numbers that this isolate gave them, and their numbers in the run.
    made: HashMap<ToolCallId, (ToolCallId, u64)>,
    unanswered: HashSet<ToolCallId>,
    waiting: HashSet<ToolCallId>,
    /// Calls of the run whose results are not kept, by their plain numbers.
    withheld: HashSet<ToolCallId>,
    /// The guest has had answers that the journal must not keep.
    has_withheld: bool,
    /// The checkpoint that the isolate was asked for.
    checkpoint: Option<(String, OnCheckpoint)>,
    work: Work,
}

/// What a replay would repeat.
#[derive(Default)]
struct Work {
    /// Bytes of entries.
    bytes: usize,
    /// How long the isolate has worked on jobs that have ended, without the time in which it waited for answers only.
    time: Duration,
    /// The same for the jobs under way.
    under_way: Duration,
    since: Option<Instant>,
}

impl Work {
    fn begin(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    /// The isolate waits.
    fn pause(&mut self) {
        self.under_way += self.since.take().map_or(Duration::ZERO, |since| since.elapsed());
    }

    fn end(&mut self) {
        self.pause();
        self.time += std::mem::take(&mut self.under_way);
    }

    /// Jobs that were lost are not repeated.
    fn drop_jobs(&mut self) {
        (self.under_way, self.since) = (Duration::ZERO, None);
    }
}

/// Where a replay has left the journal: the frame that the journal has, and the one that the isolate has caused.
#[derive(Default)]
pub struct Divergence {
    pub expected: Option<Vec<u8>>,
    pub actual: Option<Vec<u8>>,
}

impl State {
    pub fn new(chain: Chain, max_bytes: usize) -> Self {
        Self {
            chain,
            max_bytes,
            bytes: 0,
            is_full: false,
            taken_to: 0,
            entries: Vec::new(),
            answers: false,
            ends: false,
            stored_to: 0,
            held: VecDeque::new(),
            loaded: Vec::new(),
            outbox: Outbox::default(),
            diverged: Divergence::default(),
            phase: Phase::Booting,
            is_ready: false,
            link: None,
            events: None,
            jobs: VecDeque::new(),
            open: None,
            has_lost: false,
            is_movable: false,
            is_moving: false,
            seed: None,
            runs: 0,
            is_internal: false,
            now_ms: 0.0,
            under_way: Vec::new(),
            sent: 0,
            is_idle: false,
            made: HashMap::new(),
            unanswered: HashSet::new(),
            waiting: HashSet::new(),
            withheld: HashSet::new(),
            has_withheld: false,
            checkpoint: None,
            work: Work::default(),
        }
    }

    /// Takes what was read from a journal of `next` entries.
    pub fn hold(&mut self, record: Record, content: &Content) {
        let &Content { runs, next, replayed_bytes, .. } = content;
        let Record { jobs, open, has_lost, seed, bytes } = record;
        (self.jobs, self.open, self.has_lost, self.seed, self.bytes) = (jobs, open, has_lost, seed, bytes);
        self.has_withheld = !content.withheld.is_empty();
        (self.runs, self.taken_to, self.stored_to) = (runs, next, next);
        self.work.bytes = replayed_bytes;
    }

    /// What a replay would repeat: bytes of entries, and the time that the isolate has worked since it was made.
    pub fn repeated(&self) -> (usize, Duration) {
        (self.work.bytes, self.work.time)
    }

    /// Adds an entry. If the journal has no room for it, the job under way is given up, because nothing is left out.
    pub fn append(&mut self, frame: Vec<u8>) {
        if self.is_full || self.bytes + frame.len() + MAC_BYTES + RESERVED_BYTES > self.max_bytes {
            self.is_full = true;
            return;
        }
        self.sign(frame);
    }

    fn sign(&mut self, frame: Vec<u8>) {
        let entry = self.chain.sign(frame);
        self.bytes += entry.len();
        self.work.bytes += entry.len();
        self.entries.push(entry);
    }

    pub fn take(&mut self, room: usize) -> Result<Option<Batch>, usize> {
        if self.entries.is_empty() {
            return Ok(None);
        }
        let bytes = Batch::bytes(&self.entries);
        if bytes > room {
            return Err(bytes);
        }
        let entries = std::mem::take(&mut self.entries);
        let first = self.taken_to;
        self.taken_to += entries.len() as u64;
        let (answers, ends) = (std::mem::take(&mut self.answers), std::mem::take(&mut self.ends));
        Ok(Some(Batch { first, entries, answers, ends }))
    }

    pub fn written(&mut self, next: u64, effects: &mut Effects) {
        self.stored_to = self.stored_to.max(next);
        while let Some((needed, _)) = self.held.front()
            && *needed <= self.stored_to
            && let Some((_, command)) = self.held.pop_front()
        {
            self.pass(command, effects);
        }
    }

    pub fn set_waiting(&mut self, calls: HashSet<ToolCallId>, effects: &mut Effects) {
        self.waiting = calls;
        self.pause_if_idle(effects);
    }

    pub fn withhold(&mut self, call: ToolCallId) {
        self.withheld.insert(plain(call));
    }

    /// What the journal has is not repeated.
    pub fn forget_jobs(&mut self) {
        self.work = Work::default();
        self.jobs.clear();
        (self.open, self.has_lost, self.has_withheld) = (None, false, false);
    }

    /// Completes the answers of the journal by one that it does not have. Returns whether it is the one that the call
    /// had.
    pub fn provide(&mut self, run: u32, number: u64, reply: ToolReply) -> bool {
        let mut jobs = self.jobs.iter_mut().chain(self.open.as_mut());
        let Some((job, at)) = jobs.find_map(|job| {
            let at = job.withheld.iter().position(|one| job.run == run && one.number == number)?;
            Some((job, at))
        }) else {
            return false;
        };
        let (id, expected) = (job.withheld[at].id, job.withheld[at].digest);
        let (bytes, reply) = bytes_of(reply);
        if !self.chain.accepts(&expected, (run, number), &bytes) {
            return false;
        }
        // A tool that was called synchronously may have answered with a promise before.
        let answers = job.turns.iter_mut().rev().flat_map(|(replies, _)| replies.iter_mut().rev());
        if let Some((_, answer)) = answers.into_iter().find(|(call, _)| *call == id) {
            *answer = reply;
        }
        job.withheld.swap_remove(at);
        true
    }

    pub fn number_of(&self, call: ToolCallId) -> u64 {
        self.made.get(&plain(call)).map_or(0, |&(_, number)| number)
    }

    pub fn connect(&mut self, link: &Arc<dyn Link>, effects: &mut Effects) {
        self.link = Some(Arc::downgrade(link));
        if self.is_ready {
            self.next_job(effects);
        }
    }

    pub fn on_interrupt(&mut self, effects: &mut Effects) {
        self.end_checkpoint(Err("the isolate was given up".to_owned()), effects);
        if !matches!(self.phase, Phase::Over) {
            self.lose();
        }
    }

    /// Asks the isolate for its state.
    pub fn begin_checkpoint(&mut self, engine: String, on_checkpoint: OnCheckpoint, effects: &mut Effects) {
        let has_open = self.open.is_some() || self.has_lost || self.checkpoint.is_some();
        let is_idle = self.phase == Phase::Live && self.under_way.is_empty() && !has_open;
        let reason = match self.link() {
            // The state contains everything that the guest has had.
            _ if self.has_withheld => "it has had results that must not be kept",
            _ if self.is_full => NO_ROOM,
            Some(link) if is_idle => {
                self.checkpoint = Some((engine, on_checkpoint));
                return effects.push(Effect::Send(link, Command::Checkpoint { job: CHECKPOINT }));
            }
            _ => "it is at work",
        };
        effects.push(Effect::Tell(on_checkpoint, Err(reason.to_owned())));
    }

    /// Records the state that the isolate has reported. Its job is none of the owner's.
    fn on_checkpoint(&mut self, result: Result<Success, Failure>, effects: &mut Effects) {
        let Some((engine, _)) = &self.checkpoint else { return };
        let frame = match &result {
            // It comes after the beginning of the job in the journal, but is the state from before it.
            Ok(_) if !self.under_way.is_empty() => Err("it is at work".to_owned()),
            Ok(Success::Output { value: Value::Bytes(state), .. }) => {
                // Later runs need room, too.
                let frame = checkpoint_frame(self.runs, engine, state);
                frame.filter(|frame| self.bytes + 2 * frame.len() <= self.max_bytes).ok_or(NO_ROOM.to_owned())
            }
            Ok(_) => Err("the engine has no checkpoints".to_owned()),
            Err(failure) => Err(failure.kind.message()),
        };
        let result = frame.map(|frame| {
            self.append(frame);
            self.work = Work::default();
        });
        self.end_checkpoint(result, effects);
    }

    fn end_checkpoint(&mut self, result: Result<(), String>, effects: &mut Effects) {
        if let Some((_, on_checkpoint)) = self.checkpoint.take() {
            effects.push(Effect::Tell(on_checkpoint, result));
        }
    }

    /// The isolate was given up. What it was doing cannot be repeated.
    fn lose(&mut self) {
        let was_live = matches!(self.phase, Phase::Live | Phase::Resuming);
        self.phase = Phase::Over;
        self.held.clear();
        self.work.drop_jobs();
        if was_live && !self.under_way.is_empty() {
            self.under_way.clear();
            self.ends = true;
            self.record_lost();
        }
    }

    /// The worker was lost. A run that may continue on another worker stays open. Others are lost.
    fn lose_worker(&mut self) {
        let waits = self.is_idle && self.held.is_empty() && !self.unanswered.is_empty() && !self.is_full;
        if self.is_movable && waits && !self.under_way.is_empty() {
            self.is_moving = true;
            self.under_way.clear();
        }
        self.lose();
    }

    fn record(&mut self, message: &impl ses_protocol::frames::Message) {
        match message_frame(self.runs, message) {
            Some(frame) => self.append(frame),
            None => self.is_full = true,
        }
    }

    fn record_answers(&mut self, command: &mut Command) {
        let Command::ToolReplies { replies, .. } = command else { return };
        let (mut digests, mut kept) = (Vec::new(), Vec::new());
        for (at, (call, reply)) in replies.iter_mut().enumerate() {
            if !(self.withheld.contains(call) && matches!(reply, ToolReply::Value(_))) {
                continue;
            }
            self.withheld.remove(call);
            let number = self.number_of(*call);
            let (bytes, reply) = bytes_of(std::mem::replace(reply, ToolReply::Promise));
            digests.push((*call, self.chain.digest((self.runs, number), &bytes)));
            kept.push((at, reply));
        }
        if digests.is_empty() {
            return self.record(command);
        }
        self.has_withheld = true;
        match answers_frame(self.runs, &digests, command) {
            Some(frame) => self.append(frame),
            None => self.is_full = true,
        }
        let Command::ToolReplies { replies, .. } = command else { return };
        for (at, reply) in kept {
            replies[at].1 = reply;
        }
    }

    /// There is room for it.
    fn record_lost(&mut self) {
        if let Some(frame) = message_frame(self.runs, &Event::Lost { reason: String::new() }) {
            self.sign(frame);
        }
    }

    fn link(&self) -> Option<Arc<dyn Link>> {
        self.link.as_ref().and_then(Weak::upgrade)
    }

    fn report(&self, event: Event, effects: &mut Effects) {
        if let Some(events) = &self.events {
            effects.push(Effect::Report(events.clone(), event));
        }
    }

    /// Sends a command to the guest.
    fn pass(&mut self, command: Command, effects: &mut Effects) {
        if let Command::ToolReplies { replies, .. } = &command {
            self.sent += replies.len() as u64;
            self.is_idle = false;
        }
        if let Some(link) = self.link() {
            if matches!(self.phase, Phase::Live | Phase::Resuming) {
                self.work.begin();
            }
            effects.push(Effect::Send(link, command));
        }
    }

    /// Sends a command when everything that was recorded is stored.
    fn pass_when_stored(&mut self, command: Command, effects: &mut Effects) {
        let needed = self.chain.next();
        if self.held.is_empty() && needed <= self.stored_to {
            return self.pass(command, effects);
        }
        self.is_idle = false;
        self.held.push_back((needed, command));
    }

    /// Sends answers to the guest while they are being stored. The guest may go on, but nobody learns what it does
    /// before the owner has stored everything: calls, logs and outcomes come after the answers in the journal.
    fn pass_answers(&mut self, command: Command, effects: &mut Effects) {
        if self.held.is_empty() {
            return self.pass(command, effects);
        }
        self.is_idle = false;
        self.held.push_back((self.chain.next(), command));
    }

    /// The time of the next command. Never earlier than that of the last.
    fn now(&mut self) -> Option<f64> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_millis() as f64);
        self.now_ms = self.now_ms.max(now);
        Some(self.now_ms)
    }

    pub fn on_command(&mut self, command: Command, effects: &mut Effects) {
        match command {
            Command::Run { job, code, limits } => self.on_run(job, code, limits, effects),
            Command::ToolReplies { replies, .. } => self.on_replies(replies, effects),
            // The owner asks for them in another way.
            Command::Checkpoint { .. } | Command::Restore { .. } => {}
            Command::SetVariables { job, .. } | Command::SetTools { job, .. } => {
                self.close_lost();
                self.under_way.push(job);
                self.record(&command);
                if !self.refuse_if_full(effects) {
                    self.pass_when_stored(command, effects);
                }
            }
        }
    }

    /// Jobs of the journal that have not ended do not count from now on.
    pub fn close_lost(&mut self) {
        let open = self.open.take();
        self.seed = self.seed.or(open.as_ref().and_then(RecordedJob::seed));
        if std::mem::take(&mut self.has_lost) || open.is_some() {
            self.record_lost();
        }
    }

    fn on_run(&mut self, job: JobId, code: String, mut limits: RunLimits, effects: &mut Effects) {
        self.made.clear();
        self.unanswered.clear();
        self.waiting.clear();
        self.withheld.clear();
        (self.sent, self.is_idle) = (0, false);
        limits.reports_waits = true;
        let is_same =
            |open: &RecordedJob| matches!(&open.command, Some(Command::Run { code: before, .. }) if *before == code);
        if let Some(mut open) = self.open.take_if(|open| is_same(open)) {
            if let Some(Command::Run { limits: before, .. }) = open.command.take() {
                (limits.now_ms, limits.seed) = (before.now_ms, before.seed);
                limits.max_operations = before.max_operations;
                self.now_ms = self.now_ms.max(before.now_ms.unwrap_or_default());
            }
            self.under_way.push(job);
            self.jobs.push_front(open);
            self.phase = Phase::Resuming;
            return self.pass(Command::Run { job, code, limits }, effects);
        }
        self.close_lost();
        if !std::mem::take(&mut self.is_internal) {
            self.runs += 1;
        }
        self.under_way.push(job);
        (limits.now_ms, limits.seed) = (self.now(), self.seed.take());
        let command = Command::Run { job, code, limits };
        self.record(&command);
        if !self.refuse_if_full(effects) {
            self.pass_when_stored(command, effects);
        }
    }

    fn on_replies(&mut self, mut replies: Vec<(ToolCallId, ToolReply)>, effects: &mut Effects) {
        if !matches!(self.phase, Phase::Live | Phase::Resuming) {
            return;
        }
        // Answers that come after the run are dropped.
        replies.retain(|(call, _)| self.made.contains_key(&plain(*call)));
        if replies.is_empty() {
            return;
        }
        for (call, reply) in &mut replies {
            *call = plain(*call);
            if !matches!(reply, ToolReply::Promise) {
                self.unanswered.remove(call);
            }
        }
        let now_ms = self.now();
        self.answers = true;
        let mut command = Command::ToolReplies { replies, now_ms };
        self.record_answers(&mut command);
        if self.refuse_if_full(effects) {
            return;
        }
        let Command::ToolReplies { replies, .. } = &mut command else { return };
        if self.phase == Phase::Resuming {
            // After those that the journal has.
            if let Some(open) = self.jobs.front_mut() {
                open.turns.push_back((std::mem::take(replies), now_ms));
            }
            return self.answer(effects);
        }
        for (call, _) in replies.iter_mut() {
            *call = self.made.get(call).map_or(*call, |&(actual, _)| actual);
        }
        self.pass_answers(command, effects);
    }

    /// Gives up the job under way if something of it did not fit into the journal. It counts as lost.
    fn refuse_if_full(&mut self, effects: &mut Effects) -> bool {
        if !self.is_full {
            return false;
        }
        if let Some(&job) = self.under_way.last() {
            let limit = self.max_bytes;
            let failure = Failure::new(FailureKind::JournalLimit { limit }).with("limit", limit);
            self.lose();
            self.give_up(job, failure, effects);
        }
        true
    }

    /// Ends the job and gives the isolate up.
    fn give_up(&mut self, job: JobId, failure: Failure, effects: &mut Effects) {
        self.phase = Phase::Over;
        self.under_way.clear();
        self.held.clear();
        let settled = Event::Settled { job, result: Err(failure), figures: Figures::default(), sound: false };
        self.report(settled, effects);
        if let Some(link) = self.link() {
            effects.push(Effect::Interrupt(link));
        }
    }

    /// Ends the run, which stays open in the journal, if all that is left waits for somebody.
    fn pause_if_idle(&mut self, effects: &mut Effects) {
        if self.refuse_if_full(effects) {
            return;
        }
        let waits = self.is_idle && self.held.is_empty() && !self.waiting.is_empty();
        let is_live = matches!(self.phase, Phase::Live | Phase::Resuming);
        let plain_waiting = self.waiting.iter().map(|&call| plain(call)).collect::<HashSet<_>>();
        if !(waits && is_live && self.unanswered.is_subset(&plain_waiting)) {
            return;
        }
        if let Some(&job) = self.under_way.last() {
            self.give_up(job, Failure::new(FailureKind::RunWaiting), effects);
        }
    }

    pub fn on_event(&mut self, event: Event, effects: &mut Effects) {
        let event = match event {
            Event::Settled { job: CHECKPOINT, result, sound, .. } => {
                self.on_checkpoint(result, effects);
                if sound {
                    return;
                }
                Event::Lost { reason: "the isolate was lost".to_owned() }
            }
            Event::Closed { .. } | Event::Lost { .. } | Event::Parked { .. } => {
                self.end_checkpoint(Err("the isolate was lost".to_owned()), effects);
                event
            }
            event => event,
        };
        match self.phase {
            Phase::Booting | Phase::Replaying => self.on_repeated(event, effects),
            Phase::Resuming => self.on_resumed(event, effects),
            Phase::Live => self.on_live(event, effects),
            Phase::Over => {
                if matches!(event, Event::Closed { .. } | Event::Lost { .. } | Event::Parked { .. }) {
                    self.report(event, effects);
                }
            }
        }
    }

    fn on_live(&mut self, event: Event, effects: &mut Effects) {
        match event {
            Event::Idle { answers } => {
                self.is_idle = answers == self.sent && self.held.is_empty();
                if self.is_idle {
                    self.work.pause();
                }
                self.report(event, effects);
                self.pause_if_idle(effects);
            }
            Event::ToolCalls(calls) => {
                let calls = calls.into_iter().map(|call| self.add_call(call)).collect::<Vec<_>>();
                if !self.refuse_if_full(effects) {
                    self.report(Event::ToolCalls(calls), effects);
                }
            }
            Event::Log { .. } => {
                self.record(&event);
                self.report(event, effects);
                self.refuse_if_full(effects);
            }
            Event::Settled { .. } => self.settle(event, effects),
            Event::Lost { .. } => {
                self.lose_worker();
                self.report(event, effects);
            }
            Event::Closed { .. } | Event::Parked { .. } => {
                self.lose();
                self.report(event, effects);
            }
            event => self.report(event, effects),
        }
    }

    /// Records a call that was made now.
    fn add_call(&mut self, call: ToolCall) -> ToolCall {
        let (id, number) = (call.id, call.made);
        self.is_idle = false;
        self.made.insert(plain(id), (id, number));
        self.unanswered.insert(plain(id));
        as_recorded(call, |event| self.record(event)).1
    }

    /// A job has ended.
    fn settle(&mut self, event: Event, effects: &mut Effects) {
        let Event::Settled { job, mut result, figures, sound } = event else { return };
        self.phase = Phase::Live;
        // What is left depends on collections, or the isolate is lost.
        let is_memory = matches!(&result, Err(failure) if matches!(failure.kind, FailureKind::Memory { .. }));
        if !sound || is_memory {
            if let Err(failure) = &mut result
                && is_memory
            {
                *failure = failure.clone().with("stateLost", true);
            }
            self.lose();
            return self.report(Event::Settled { job, result, figures, sound: false }, effects);
        }
        let actual = result.as_ref().err().and_then(|failure| failure.tool_call);
        if let Err(failure) = &mut result {
            plain_failure(failure);
        }
        self.ends = true;
        self.work.end();
        self.made.clear();
        self.unanswered.clear();
        let event = Event::Settled { job, result, figures, sound };
        self.record(&event);
        if self.refuse_if_full(effects) {
            return;
        }
        self.under_way.retain(|&open| open != job);
        let Event::Settled { mut result, .. } = event else { return };
        if let Err(failure) = &mut result {
            failure.tool_call = actual;
        }
        self.report(Event::Settled { job, result, figures, sound }, effects);
    }

    fn on_repeated(&mut self, event: Event, effects: &mut Effects) {
        match event {
            Event::Initialized(Ok(())) => {
                self.is_ready = true;
                if self.link().is_some() {
                    self.next_job(effects);
                }
            }
            Event::ToolCalls(calls) => {
                for call in calls {
                    let (id, number) = (call.id, call.made);
                    let (frame, _) = frame_of_call(call);
                    let expected = self.jobs.front_mut().and_then(RecordedJob::next_recorded);
                    if expected.as_ref().is_none_or(|recorded| recorded.frame != frame) {
                        return self.diverge("call", expected, Some(frame), effects);
                    }
                    self.made.insert(plain(id), (id, number));
                }
                self.answer(effects);
            }
            Event::Log { entry, .. } => {
                let expected = self.jobs.front_mut().and_then(RecordedJob::next_recorded);
                let frame = frame_of_log(&entry);
                if expected.as_ref().is_none_or(|recorded| recorded.frame != frame) {
                    self.diverge("log", expected, Some(frame), effects);
                }
            }
            event @ Event::Settled { .. } => {
                let frame = frame_of_settled(event);
                let Some(done) = self.jobs.front_mut() else { return };
                let recorded = done.next_recorded();
                if recorded.as_ref().is_none_or(|recorded| recorded.frame != frame) {
                    let cause =
                        if self.jobs.front().is_some_and(RecordedJob::restores) { "checkpoint" } else { "outcome" };
                    return self.diverge(cause, recorded, Some(frame), effects);
                }
                self.jobs.pop_front();
                self.next_job(effects);
            }
            Event::Idle { answers } => {
                // The guest has taken all answers to the calls that it has made, and has not ended.
                if answers == self.sent
                    && let Some(job) = self.jobs.front_mut()
                {
                    let recorded = job.next_recorded();
                    self.diverge("stuck", recorded, None, effects);
                }
            }
            Event::Initialized(Err(_)) | Event::Closed { .. } | Event::Lost { .. } | Event::Parked { .. } => {
                self.phase = Phase::Over;
                self.report(event, effects);
            }
            _ => {}
        }
    }

    fn on_resumed(&mut self, event: Event, effects: &mut Effects) {
        match event {
            Event::ToolCalls(calls) => {
                for call in calls {
                    let Some(expected) = self.jobs.front_mut().and_then(RecordedJob::next_recorded) else {
                        let call = self.add_call(call);
                        self.report(Event::ToolCalls(vec![call]), effects);
                        continue;
                    };
                    let (id, number) = (call.id, call.made);
                    let (frame, call) = frame_of_call(call);
                    if expected.frame != frame {
                        return self.diverge("call", Some(expected), Some(frame), effects);
                    }
                    self.is_idle = false;
                    self.made.insert(plain(id), (id, number));
                    let is_answered = self.jobs.front().is_some_and(|open| open.answered().contains(&plain(id)));
                    if !is_answered {
                        self.unanswered.insert(plain(id));
                        self.report(Event::ToolCalls(vec![call]), effects);
                    }
                }
                self.answer(effects);
            }
            Event::Log { job, entry } => {
                let expected = self.jobs.front_mut().and_then(RecordedJob::next_recorded);
                let frame = frame_of_log(&entry);
                match expected {
                    Some(recorded) if recorded.frame != frame => {
                        return self.diverge("log", Some(recorded), Some(frame), effects);
                    }
                    Some(_) => {}
                    None => {
                        let job_of_entry = self.jobs.front().map_or(job, |open| open.job);
                        self.record(&Event::Log { job: job_of_entry, entry: entry.clone() });
                    }
                }
                self.report(Event::Log { job, entry }, effects);
            }
            Event::Settled { job, result, figures, sound } => {
                let Some(open) = self.jobs.front_mut() else { return };
                if let Some(recorded) = open.next_recorded() {
                    let frame = frame_of_settled(Event::Settled { job, result, figures, sound });
                    return self.diverge("outcome", Some(recorded), Some(frame), effects);
                }
                let Some(open) = self.jobs.pop_front() else { return };
                // The journal knows the run by the number of its first job.
                let recorded = open.job;
                self.under_way.retain(|&other| other != job);
                self.under_way.push(recorded);
                let mut of_owner = Effects::new();
                self.settle(Event::Settled { job: recorded, result, figures, sound }, &mut of_owner);
                for effect in of_owner {
                    effects.push(match effect {
                        Effect::Report(events, Event::Settled { result, figures, sound, .. }) => {
                            Effect::Report(events, Event::Settled { job, result, figures, sound })
                        }
                        effect => effect,
                    });
                }
            }
            Event::Idle { answers } => {
                self.is_idle = answers == self.sent && self.held.is_empty();
                // The journal says that the guest goes on without further answers.
                if self.is_idle
                    && let Some(open) = self.jobs.front_mut().filter(|open| open.has_more())
                {
                    let recorded = open.next_recorded();
                    return self.diverge("stuck", recorded, None, effects);
                }
                if self.is_idle {
                    self.work.pause();
                }
                self.report(event, effects);
                self.pause_if_idle(effects);
            }
            Event::Lost { .. } => {
                self.lose_worker();
                self.report(event, effects);
            }
            Event::Closed { .. } | Event::Parked { .. } => {
                self.lose();
                self.report(event, effects);
            }
            event => self.report(event, effects),
        }
    }

    /// Sends the lists of answers whose calls were all made.
    fn answer(&mut self, effects: &mut Effects) {
        loop {
            let Some((replies, _)) = self.jobs.front().and_then(|job| job.turns.front()) else { return };
            if !replies.iter().all(|(call, _)| self.made.contains_key(call)) {
                return;
            }
            let missing = self.jobs.front().and_then(|job| {
                let missing = job.withheld.iter().find(|one| replies.iter().any(|(call, _)| *call == one.id))?;
                Some(RecordedEvent { entry: missing.entry, frame: Vec::new() })
            });
            if missing.is_some() {
                return self.diverge("answer", missing, None, effects);
            }
            let Some((mut replies, now_ms)) = self.jobs.front_mut().and_then(|job| job.turns.pop_front()) else {
                return;
            };
            for (call, _) in &mut replies {
                *call = self.made.get(call).map_or(*call, |&(actual, _)| actual);
            }
            self.now_ms = self.now_ms.max(now_ms.unwrap_or_default());
            let command = Command::ToolReplies { replies, now_ms };
            if self.phase == Phase::Resuming {
                self.pass_answers(command, effects);
            } else {
                self.pass(command, effects);
            }
        }
    }

    /// Repeats the next job, or reports that the isolate is ready.
    fn next_job(&mut self, effects: &mut Effects) {
        self.made.clear();
        (self.sent, self.is_idle) = (0, false);
        let Some(done) = self.jobs.front_mut() else {
            self.phase = Phase::Live;
            self.loaded = Vec::new();
            return self.report(Event::Initialized(Ok(())), effects);
        };
        self.phase = Phase::Replaying;
        let command = match done.command.take() {
            Some(Command::SetVariables { job, names, values }) => {
                Command::SetVariables { job: job | REPEATED, names, values }
            }
            Some(Command::SetTools { job, tools }) => Command::SetTools { job: job | REPEATED, tools },
            Some(Command::Run { job, code, limits }) => {
                self.now_ms = self.now_ms.max(limits.now_ms.unwrap_or_default());
                Command::Run { job: job | REPEATED, code, limits }
            }
            Some(Command::Restore { job, state }) => Command::Restore { job: job | REPEATED, state },
            Some(Command::ToolReplies { .. } | Command::Checkpoint { .. }) | None => return,
        };
        self.pass(command, effects);
    }

    /// The isolate does not do what the journal says.
    fn diverge(
        &mut self,
        cause: &str,
        expected: Option<RecordedEvent>,
        actual: Option<Vec<u8>>,
        effects: &mut Effects,
    ) {
        let run = self.jobs.front().map_or(self.runs, |job| job.run);
        let mut failure =
            Failure::new(FailureKind::ReplayDiverged { cause: cause.to_owned() }).with("run", run).with("cause", cause);
        if let Some(RecordedEvent { entry, .. }) = &expected {
            failure = failure.with("entry", *entry);
        }
        self.diverged = Divergence { expected: expected.map(|recorded| recorded.frame), actual };
        let is_resuming = self.phase == Phase::Resuming;
        if let (true, Some(&job)) = (is_resuming, self.under_way.last()) {
            return self.give_up(job, failure, effects);
        }
        self.phase = Phase::Over;
        self.report(Event::Initialized(Err(failure)), effects);
        if let Some(link) = self.link() {
            effects.push(Effect::Interrupt(link));
        }
    }
}

/// An answer as the bytes that its digest covers.
fn bytes_of(reply: ToolReply) -> (Vec<u8>, ToolReply) {
    let command = Command::ToolReplies { replies: vec![(0, reply)], now_ms: None };
    let bytes = message_frame(0, &command).unwrap_or_default();
    let Command::ToolReplies { mut replies, .. } = command else { unreachable!("it is the command above") };
    (bytes, replies.remove(0).1)
}
