//! Reads a journal: the jobs to repeat, and the run that has not ended.

use std::collections::{BTreeMap, HashSet, VecDeque};

use ses_protocol::{
    Command, Event, Failure, FailureKind, Figures, JobId, LogEntry, Seed, Success, ToolCall, ToolCallId, ToolReply,
    ToolSpec, Values,
};

use crate::chain::Chain;
use crate::entry::{Digest, Entry, EntryBody, message_frame, plain};

/// Programs that are returned, and their size in total.
const MAX_PROGRAMS: usize = 256;
const MAX_PROGRAM_BYTES: usize = 256 << 10; // 256 KiB

/// What a journal holds, for its owner.
#[derive(Default)]
pub struct Content {
    pub head: String,
    /// The number of the next entry.
    pub next: u64,
    /// Runs that were begun: finished ones, lost ones and the open one.
    pub runs: u32,
    /// Whether it has a seed. A journal that ends after its head has none.
    pub is_seeded: bool,
    /// The tools that the session has.
    pub tools: Vec<ToolSpec>,
    /// The notes of the open run.
    pub notes: Vec<String>,
    pub open: Option<OpenRun>,
    /// The code of the other runs, apart from those whose code was refused. `None` if it is too much.
    pub programs: Option<Vec<String>>,
    /// Calls whose answers the replay needs and the journal does not have, oldest first.
    pub withheld: Vec<WithheldCall>,
    /// Bytes of the entries that a replay repeats.
    pub replayed_bytes: usize,
    /// The run before the last internal run or checkpoint, if that is not the run with which the session began again.
    pub looked_at: Option<u32>,
}

/// A call whose answer the journal does not keep.
pub struct WithheldCall {
    pub run: u32,
    pub call: OpenCall,
    /// The number of the entry that has the digest of the answer.
    pub entry: u64,
}

/// A run that has begun and not ended.
pub struct OpenRun {
    pub run: u32,
    pub code: String,
    /// Calls without an answer, oldest first.
    pub calls: Vec<OpenCall>,
}

/// A call of the open run.
pub struct OpenCall {
    /// The number of the call in its run, from 1.
    pub number: u64,
    pub tool: u32,
    pub args: Values,
}

/// Why a journal cannot be used.
pub struct Flaw {
    pub kind: FlawKind,
    /// The number of the entry.
    pub entry: u64,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlawKind {
    Form,
    Mac,
    Order,
    Limit,
}

/// An event of the journal, as a frame that is the same in each isolate.
pub struct RecordedEvent {
    /// The number of the entry.
    pub entry: u64,
    pub frame: Vec<u8>,
}

/// Answers that the guest gets in one turn, and the time at which it gets them.
pub type Turn = (Vec<(ToolCallId, ToolReply)>, Option<f64>);

/// A job as it was done.
pub struct RecordedJob {
    pub job: JobId,
    pub run: u32,
    /// It is a run of the owner, which has the number of the run before it.
    is_internal: bool,
    /// Taken when it is sent again.
    pub command: Option<Command>,
    /// Calls and log entries, in the order in which the guest has made them.
    recorded: VecDeque<RecordedEvent>,
    pub turns: VecDeque<Turn>,
    settled: Option<RecordedEvent>,
    answered: HashSet<ToolCallId>,
    /// The calls that were made, with their numbers in the run.
    made: Vec<(ToolCallId, OpenCall)>,
    /// Answers that the journal does not have and that nobody has given yet.
    pub withheld: Vec<Withheld>,
}

/// The number of the job that restores a checkpoint.
const RESTORED: JobId = 1 << 41;

/// An answer that the journal does not have.
pub struct Withheld {
    pub id: ToolCallId,
    /// Of the call in the run.
    pub number: u64,
    pub digest: Digest,
    pub entry: u64,
    /// Taken for the owner, who makes the call.
    call: Option<OpenCall>,
}

impl RecordedJob {
    /// The seed that a run has brought.
    pub fn seed(&self) -> Option<Seed> {
        match &self.command {
            Some(Command::Run { limits, .. }) => limits.seed,
            _ => None,
        }
    }

    pub fn new(job: JobId, run: u32, command: Command) -> Self {
        Self {
            job,
            run,
            is_internal: false,
            command: Some(command),
            recorded: VecDeque::new(),
            turns: VecDeque::new(),
            settled: None,
            answered: HashSet::new(),
            made: Vec::new(),
            withheld: Vec::new(),
        }
    }

    /// The isolate begins with the state of a checkpoint.
    fn of_checkpoint(entry: u64, run: u32, state: Vec<u8>) -> Self {
        let (result, figures) = (Ok(Success::Done), Figures::default());
        let settled = Event::Settled { job: RESTORED, result, figures, sound: true };
        let settled = Some(RecordedEvent { entry, frame: frame_of_settled(settled) });
        Self { settled, ..Self::new(RESTORED, run, Command::Restore { job: RESTORED, state }) }
    }

    /// Whether the job restores a checkpoint.
    pub fn restores(&self) -> bool {
        self.job == RESTORED
    }

    /// The first event that the journal has and the isolate has not repeated.
    pub fn next_recorded(&mut self) -> Option<RecordedEvent> {
        self.recorded.pop_front().or_else(|| self.settled.take())
    }

    /// Whether the journal has more of the job than its end.
    pub fn has_more(&self) -> bool {
        !self.recorded.is_empty() || !self.turns.is_empty()
    }

    /// Calls that the journal has answers to.
    pub fn answered(&self) -> &HashSet<ToolCallId> {
        &self.answered
    }
}

/// What the replay needs.
#[derive(Default)]
pub struct Record {
    pub jobs: VecDeque<RecordedJob>,
    /// The run that has not ended.
    pub open: Option<RecordedJob>,
    /// Some jobs, or more than one, have not ended and are not continued.
    pub has_lost: bool,
    /// The seed of runs that come next.
    pub seed: Option<Seed>,
    /// Bytes of all entries.
    pub bytes: usize,
}

/// Reads the entries of a journal, up to the end of run `runs`. `engine`: checkpoints with this text are used.
///
/// # Errors
///
/// The journal is not one that this build, with these keys, has written.
pub fn read(
    chain: &mut Chain,
    entries: &[Vec<u8>],
    runs: Option<u32>,
    engine: Option<&str>,
) -> Result<(Content, Record), Flaw> {
    let (mut content, mut record) = (Content::default(), Record::default());
    let mut jobs: Vec<RecordedJob> = Vec::new();
    let mut programs = Programs::default();
    let mut tools: BTreeMap<Vec<String>, ToolSpec> = BTreeMap::new();
    let mut has_restarted = false;
    for (number, bytes) in entries.iter().enumerate() {
        let flaw = |kind, message: &str| Flaw { kind, entry: number as u64, message: message.to_owned() };
        let Some(frame) = chain.verify(bytes) else {
            return Err(flaw(FlawKind::Mac, "its code is not that of any of the keys"));
        };
        record.bytes += bytes.len();
        let entry =
            Entry::read(frame).map_err(|_| flaw(FlawKind::Form, "it is not an entry that this version writes"))?;
        if runs.is_some_and(|runs| entry.run > runs) {
            continue;
        }
        if (number == 0) != matches!(entry.body, EntryBody::Head(_)) {
            return Err(flaw(FlawKind::Order, "a journal begins with its head, which is its only one"));
        }
        let begins_run = matches!(&entry.body, EntryBody::Command(Command::Run { .. }));
        if !(entry.run == content.runs || begins_run && entry.run.checked_sub(1) == Some(content.runs)) {
            return Err(flaw(FlawKind::Order, "its run is neither the last one nor the next one"));
        }
        content.replayed_bytes += bytes.len();
        let is_internal = entry.run <= content.runs;
        content.runs = content.runs.max(entry.run);
        match entry.body {
            EntryBody::Head(text) => content.head = text,
            EntryBody::Seed(seed) => {
                content.is_seeded = true;
                record.seed = Some(seed);
            }
            EntryBody::Note(text) => {
                if jobs.last().is_some_and(|job| job.run == entry.run && job.settled.is_none()) {
                    content.notes.push(text);
                }
            }
            EntryBody::Restart(text) => {
                content.head = text;
                content.is_seeded = false;
                content.notes.clear();
                (content.replayed_bytes, content.looked_at, has_restarted) = (0, None, true);
                record.seed = None;
                jobs.clear();
                tools.clear();
                programs = Programs::default();
            }
            EntryBody::Checkpoint { engine: of_entry, state } => {
                if jobs.iter().any(|job| job.settled.is_none()) {
                    return Err(flaw(FlawKind::Order, "a checkpoint while a job is under way"));
                }
                if engine == Some(of_entry.as_str()) {
                    jobs = vec![RecordedJob::of_checkpoint(number as u64, entry.run, state)];
                    (content.replayed_bytes, content.looked_at) = (0, Some(entry.run));
                }
            }
            EntryBody::Answers { withheld, command } => {
                on_answers(&mut jobs, (number as u64, entry.run), withheld, command)
                    .map_err(|message| flaw(FlawKind::Order, message))?;
            }
            EntryBody::Command(command @ Command::ToolReplies { .. }) => {
                on_answers(&mut jobs, (number as u64, entry.run), Vec::new(), command)
                    .map_err(|message| flaw(FlawKind::Order, message))?;
            }
            EntryBody::Command(command) => {
                let is_internal = begins_run && is_internal;
                if is_internal && !has_restarted {
                    content.looked_at = Some(entry.run);
                }
                has_restarted &= !begins_run;
                let job = match &command {
                    Command::Run { job, limits, code, .. } => {
                        programs.begin(code);
                        content.notes.clear();
                        if limits.seed.is_some() {
                            record.seed = None;
                        }
                        *job
                    }
                    Command::SetVariables { job, .. } | Command::SetTools { job, .. } => *job,
                    Command::ToolReplies { .. } => continue,
                    Command::Checkpoint { .. } | Command::Restore { .. } => {
                        return Err(flaw(FlawKind::Order, "a command that journals do not have"));
                    }
                };
                jobs.push(RecordedJob { is_internal, ..RecordedJob::new(job, entry.run, command) });
            }
            EntryBody::Event(event) => {
                programs.on_event(&event);
                let at = (number as u64, entry.run);
                if matches!(event, Event::Lost { .. }) {
                    drop_lost(&mut jobs, &mut record.seed);
                    continue;
                }
                on_event(&mut jobs, &mut tools, at, event).map_err(|message| flaw(FlawKind::Order, message))?
            }
        }
    }
    let unsettled = jobs.iter().filter(|job| job.settled.is_none()).count();
    let is_open = unsettled == 1
        && jobs.last().is_some_and(|job| {
            job.settled.is_none() && !job.is_internal && matches!(job.command, Some(Command::Run { .. }))
        });
    if is_open {
        programs.take_back();
        record.open = jobs.pop();
    } else {
        record.has_lost = unsettled > 0;
    }
    drop_lost(&mut jobs, &mut record.seed);
    for job in jobs.iter_mut().chain(record.open.as_mut()) {
        let run = job.run;
        let calls = job.withheld.iter_mut().filter_map(|it| Some((it.call.take()?, it.entry)));
        content.withheld.extend(calls.map(|(call, entry)| WithheldCall { run, call, entry }));
    }
    content.next = chain.next();
    content.programs = programs.known();
    content.tools = tools.into_values().collect();
    content.open = record.open.as_mut().and_then(open_run);
    if content.open.is_none() {
        content.notes.clear();
    }
    record.jobs = jobs.into();
    Ok((content, record))
}

/// The code of runs, the last one last.
#[derive(Default)]
struct Programs {
    texts: Vec<String>,
    bytes: usize,
    is_too_much: bool,
}

impl Programs {
    fn begin(&mut self, code: &str) {
        self.bytes += code.len();
        self.is_too_much |= self.texts.len() == MAX_PROGRAMS || self.bytes > MAX_PROGRAM_BYTES;
        self.texts.push(if self.is_too_much { String::new() } else { code.to_owned() });
    }

    fn on_event(&mut self, event: &Event) {
        if let Event::Settled { result: Err(failure), .. } = event
            && matches!(failure.kind, FailureKind::ValidationFailed)
        {
            self.take_back();
        }
    }

    /// The last run has executed nothing that others can see.
    fn take_back(&mut self) {
        if let Some(text) = self.texts.pop() {
            self.bytes -= text.len().min(self.bytes);
        }
    }

    fn known(self) -> Option<Vec<String>> {
        (!self.is_too_much).then_some(self.texts)
    }
}

fn on_answers(
    jobs: &mut [RecordedJob],
    (entry, run): (u64, u32),
    withheld: Vec<(ToolCallId, Digest)>,
    command: Command,
) -> Result<(), &'static str> {
    let Command::ToolReplies { replies, now_ms } = command else { return Ok(()) };
    let run = jobs.last_mut().filter(|job| job.run == run && job.settled.is_none()).ok_or("answers without a run")?;
    let finals = replies.iter().filter(|(_, reply)| !matches!(reply, ToolReply::Promise));
    run.answered.extend(finals.map(|&(call, _)| call));
    for (id, digest) in withheld {
        let at = run.made.iter().position(|&(made, _)| made == id).ok_or("an answer to a call that was not made")?;
        if !replies.iter().any(|(call, reply)| *call == id && matches!(reply, ToolReply::Promise)) {
            return Err("a digest without an answer");
        }
        let (_, call) = run.made.remove(at);
        run.answered.insert(id);
        run.withheld.push(Withheld { id, number: call.number, digest, entry, call: Some(call) });
    }
    run.turns.push_back((replies, now_ms));
    Ok(())
}

fn on_event(
    jobs: &mut [RecordedJob],
    tools: &mut BTreeMap<Vec<String>, ToolSpec>,
    (entry, run): (u64, u32),
    event: Event,
) -> Result<(), &'static str> {
    match event {
        Event::ToolCalls(calls) => {
            let open = jobs.last_mut().filter(|job| job.run == run && job.settled.is_none());
            let open = open.ok_or("calls without a run")?;
            for call in calls {
                let (frame, call) = frame_of_call(call);
                open.recorded.push_back(RecordedEvent { entry, frame });
                let (id, number, tool) = (call.id, call.made, call.tool);
                open.made.push((id, OpenCall { number, tool, args: call.args }));
            }
        }
        Event::Log { job, entry: log } => {
            if let Some(open) = jobs.iter_mut().rev().find(|open| open.job == job && open.settled.is_none()) {
                open.recorded.push_back(RecordedEvent { entry, frame: frame_of_log(&log) });
            }
        }
        event @ Event::Settled { job, .. } => {
            let open = jobs.iter_mut().rev().find(|open| open.job == job && open.settled.is_none());
            let open = open.ok_or("the end of a job that has not begun")?;
            if let (Event::Settled { result: Ok(_), .. }, Some(Command::SetTools { tools: added, .. })) =
                (&event, &open.command)
            {
                for tool in added {
                    tools.insert(tool.path.clone(), tool.clone());
                }
            }
            open.settled = Some(RecordedEvent { entry, frame: frame_of_settled(event) });
            open.made = Vec::new();
        }
        _ => return Err("an event that journals do not have"),
    }
    Ok(())
}

/// Drops what an isolate was doing when it was given up. The next run has the seed of a run that was dropped.
fn drop_lost(jobs: &mut Vec<RecordedJob>, seed: &mut Option<Seed>) {
    jobs.retain(|job| {
        if job.settled.is_none() {
            *seed = seed.or(job.seed());
        }
        job.settled.is_some()
    });
}

fn open_run(open: &mut RecordedJob) -> Option<OpenRun> {
    let Some(Command::Run { code, .. }) = &open.command else { return None };
    let made = std::mem::take(&mut open.made);
    let calls = made.into_iter().filter(|(id, _)| !open.answered.contains(id)).map(|(_, call)| call).collect();
    Some(OpenRun { run: open.run, code: code.clone(), calls })
}

/// The frame of a call, as it is compared. Returns the call with its own number.
pub fn frame_of_call(call: ToolCall) -> (Vec<u8>, ToolCall) {
    as_recorded(call, |event| message_frame(0, event).unwrap_or_default())
}

/// Shows `work` the event of a call as journals have it. Returns the call with its own number, too.
pub fn as_recorded<T>(call: ToolCall, work: impl FnOnce(&Event) -> T) -> (T, ToolCall) {
    let id = call.id;
    let event = Event::ToolCalls(vec![ToolCall { id: plain(id), ..call }]);
    let result = work(&event);
    let Event::ToolCalls(mut calls) = event else { unreachable!("it is the event above") };
    (result, ToolCall { id, ..calls.remove(0) })
}

/// The frame of a log entry, without its time.
pub fn frame_of_log(entry: &LogEntry) -> Vec<u8> {
    message_frame(0, &Event::Log { job: 0, entry: LogEntry { at_ms: 0.0, ..entry.clone() } }).unwrap_or_default()
}

/// The frame of an outcome, without what depends on the isolate.
pub fn frame_of_settled(event: Event) -> Vec<u8> {
    let Event::Settled { mut result, mut figures, sound, .. } = event else { return Vec::new() };
    if let Err(failure) = &mut result {
        plain_failure(failure);
    }
    figures.heap_used_bytes = 0;
    message_frame(0, &Event::Settled { job: 0, result, figures, sound }).unwrap_or_default()
}

/// The failure without the part of a call's number that differs between isolates.
pub fn plain_failure(failure: &mut Failure) {
    failure.tool_call = failure.tool_call.map(plain);
}
