//! `journals`: whatever the entries, and whatever an isolate does with them, no panic, and no more time and memory than
//! their size allows. A journal is refused, or its replay ends: the session is ready, or has diverged. What a session
//! adds to its journal can be read.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ses_journal::{Content, EntryBody, FlawKind, Journal, JournalBackend, Keys};
use ses_protocol::{
    Command, Event, Failure, FailureKind, Figures, JobId, Language, LogEntry, RunLimits, Seed, Success, ToolCall,
    ToolCallId, ToolReply, Value, Values,
};
use ses_session::{Backend, Boot, Events, Link, Process};
use ses_sync::CpuClock;
use ses_sync::priority::Thread;

use crate::bounds::{Bounds, within};

include!("../../crates/protocol/fixtures/config.rs");

const BOUNDS: Bounds = Bounds {
    time: Duration::from_millis(50),
    time_per_byte: Duration::from_micros(10),
    heap_bytes: 2 << 20, // 2 MiB
    heap_bytes_per_byte: 512,
};
const ID: &str = "s";
/// More than inputs have.
const MAX_BYTES: usize = 64 << 20; // 64 MiB
/// The engine of the checkpoints in the corpus.
pub const ENGINE: &str = "an engine";
/// Bytes of the length before each entry of an input.
const LENGTH_BYTES: usize = 4;

/// What an isolate does with the commands that it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The same as the journal says.
    Faithful,
    /// It ends each job immediately.
    Hasty,
    /// It waits for answers that nobody gives.
    Silent,
}

/// The entries of an input: each after its length, of which more than is left means the rest.
pub fn entries_of(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut entries = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<LENGTH_BYTES>() {
        let length = (u32::from_le_bytes(*length) as usize).min(rest.len());
        let (entry, rest) = rest.split_at(length);
        entries.push(entry.to_vec());
        bytes = rest;
    }
    entries
}

/// An input with these entries.
pub fn input_of(entries: &[Vec<u8>]) -> Vec<u8> {
    entries.iter().flat_map(|entry| [&(entry.len() as u32).to_le_bytes()[..], entry].concat()).collect()
}

/// Checks a journal without codes.
///
/// # Panics
///
/// When something that must hold does not.
pub fn check(bytes: &[u8]) {
    let entries = entries_of(bytes);
    within(&BOUNDS, bytes.len(), || {
        let Some(content) = read(&entries, None, None) else { return };
        // A part of it is a journal, too.
        assert!(read(&entries, Some(content.runs / 2), None).is_some(), "the first runs are refused");
        check_signed(&entries, &content);
        // Nothing is added to a journal without a head.
        if entries.is_empty() {
            return;
        }
        for way in [Way::Faithful, Way::Hasty, Way::Silent] {
            for engine in [None, Some(ENGINE)] {
                repeat(&entries, way, engine);
            }
        }
    });
}

/// Reads a journal without codes. `None`: it is refused.
fn read(entries: &[Vec<u8>], runs: Option<u32>, engine: Option<&str>) -> Option<Content> {
    let journal = journal_of(entries, Keys::default());
    let result = journal.load(runs, engine);
    // What the owner asks to show the history.
    for number in 0..=entries.len() {
        let is_entry = journal.entry(number).is_some();
        assert!(is_entry || result.is_err() || number == entries.len(), "entry {number} was read, and is none");
    }
    match result {
        Ok(content) => Some(content),
        Err(flaw) => {
            assert!(matches!(flaw.kind, FlawKind::Form | FlawKind::Order), "{:?} without keys", flaw.kind);
            assert!(flaw.entry < entries.len() as u64 && !flaw.message.is_empty());
            None
        }
    }
}

fn journal_of(entries: &[Vec<u8>], keys: Keys) -> Journal {
    let journal = Journal::new(ID.to_owned(), keys, MAX_BYTES);
    entries.iter().for_each(|entry| journal.add(entry.clone()));
    journal
}

/// With a key, the entries are refused until they are signed. Then the journal is the same.
fn check_signed(entries: &[Vec<u8>], content: &Content) {
    let keys = || Keys { sign: Some(b"a key".to_vec()), verify: Vec::new() };
    if let Some(flaw) = journal_of(entries, keys()).load(None, None).err() {
        assert_eq!((flaw.kind, flaw.entry), (FlawKind::Mac, 0));
    } else {
        assert!(entries.is_empty(), "entries without codes are accepted");
    }
    let plain = journal_of(entries, Keys::default());
    let signed = Journal::new(ID.to_owned(), keys(), 2 * MAX_BYTES);
    assert!(plain.load(None, None).is_ok() && plain.copy_to(&signed, &content.head, u32::MAX, None));
    let Ok(Some(batch)) = signed.take(usize::MAX) else { panic!("no copy") };
    let Ok(copy) = journal_of(&batch.entries, keys()).load(None, None) else { panic!("a copy is refused") };
    let facts = |content: &Content| {
        let open = content.open.as_ref().map(|open| (open.run, open.calls.len()));
        (content.runs, content.tools.len(), content.notes.len(), content.withheld.len(), open)
    };
    assert_eq!(facts(&copy), facts(content));
}

/// Repeats a journal, continues it, and reads it again.
fn repeat(entries: &[Vec<u8>], way: Way, engine: Option<&str>) {
    let session = Session::boot(journal_of(entries, Keys::default()), way, engine);
    let outcomes = session.told(|event| match event {
        Event::Initialized(result) => Some(result.as_ref().err().map(|failure| failure.kind.clone())),
        _ => None,
    });
    match outcomes.as_slice() {
        [None] => {}
        [Some(FailureKind::ReplayDiverged { .. })] => {
            // The owner names both sides.
            session.journal.diverged();
            return;
        }
        others => panic!("{way:?}: {others:?} in place of a session or a divergence"),
    }
    session.run();
    let Ok(batch) = session.journal.take(usize::MAX) else { panic!("no room for entries") };
    let mut all = entries.to_vec();
    all.extend(session.written.get().drain(..));
    all.extend(batch.into_iter().flat_map(|batch| batch.entries));
    if let Err(flaw) = journal_of(&all, Keys::default()).load(None, engine) {
        panic!("{way:?}: what a session adds is refused: entry {}, {}", flaw.entry, flaw.message);
    }
}

/// A session with a journal, and the isolate that it thinks it has.
struct Session {
    journal: Arc<Journal>,
    link: Arc<dyn Link>,
    isolate: Arc<Isolate>,
    told: Arc<List<Event>>,
    written: List<Vec<u8>>,
    way: Way,
    /// What the isolate does in the jobs that it gets.
    script: List<Vec<Event>>,
    open: Option<String>,
}

impl Session {
    /// Repeats a journal that can be read.
    fn boot(journal: Journal, way: Way, engine: Option<&str>) -> Self {
        let Ok(content) = journal.load(None, engine) else { panic!("it was read before") };
        let script = List::of(script_of(&journal, engine));
        let journal = Arc::new(journal);
        let (isolate, told) = (Arc::<Isolate>::default(), Arc::<List<Event>>::default());
        let backend = JournalBackend::new(Arc::new(OneIsolate(isolate.clone())), journal.clone());
        let inbox = told.clone();
        let events: Events = Arc::new(move |event| inbox.get().push_back(event));
        let Ok(link) = backend.boot(Boot { session: 1, config: Arc::new(plain_config()), events }) else {
            panic!("no isolate")
        };
        let open = content.open.map(|open| open.code);
        let session = Self { journal, link, isolate, told, written: List::default(), way, script, open };
        session.isolate.report(Event::Initialized(Ok(())));
        session.work();
        session
    }

    /// Does a run, or continues the one that has not ended.
    fn run(&self) {
        let limits = RunLimits {
            max_operations: 1e3,
            timeout_ms: 1e3,
            cpu_ms: None,
            reports_waits: true,
            now_ms: None,
            seed: Some(Seed([1, 2, 3, 4])),
            language: Language::Auto,
        };
        let code = self.open.clone().unwrap_or_else(|| "1".to_owned());
        self.link.send(Command::Run { job: 7, code, limits });
        self.work();
        if self.has_ended() {
            return;
        }
        // The answers to what was called, and one call more.
        let calls = self.told(|event| match event {
            Event::ToolCalls(calls) => Some(calls.iter().map(|call| call.id).collect::<Vec<_>>()),
            _ => None,
        });
        self.answer(calls.into_iter().flatten());
        let log = LogEntry { level: 0, message: "log".to_owned(), at_ms: 0.0 };
        self.isolate.report(Event::Log { job: 7, entry: log });
        let (id, args) = (0xF000_0000, Values::List(Vec::new()));
        self.isolate.report(Event::ToolCalls(vec![ToolCall { id, tool: 0, is_async: true, args, made: 1 }]));
        self.answer([id]);
        self.isolate.report(settled(7, Ok(Success::Output { value: Value::Null, is_final_answer: false })));
        self.work();
    }

    fn answer(&self, calls: impl IntoIterator<Item = ToolCallId>) {
        let replies = calls.into_iter().map(|call| (call, ToolReply::Value(Value::Bool(true)))).collect();
        self.link.send(Command::ToolReplies { replies, now_ms: None });
        self.work();
    }

    /// Stores what was recorded, and lets the isolate do its jobs.
    fn work(&self) {
        let mut answers = 0;
        loop {
            while let Ok(Some(batch)) = self.journal.take(usize::MAX) {
                let next = batch.first + batch.entries.len() as u64;
                self.written.get().extend(batch.entries);
                self.journal.written(next);
            }
            let command = self.isolate.commands.get().pop_front();
            match command {
                Some(Command::ToolReplies { replies, .. }) => answers += replies.len() as u64,
                Some(
                    Command::Run { job, .. }
                    | Command::SetVariables { job, .. }
                    | Command::SetTools { job, .. }
                    | Command::Restore { job, .. },
                ) => {
                    answers = 0;
                    self.do_job(job);
                }
                Some(Command::Checkpoint { .. }) => panic!("nobody asks for one"),
                None => {
                    self.isolate.report(Event::Idle { answers });
                    if self.isolate.commands.get().is_empty() {
                        return;
                    }
                }
            }
        }
    }

    fn do_job(&self, job: JobId) {
        match self.way {
            Way::Silent => {}
            Way::Hasty => self.isolate.report(settled(job, Ok(Success::Done))),
            Way::Faithful => {
                let events = self.script.get().pop_front();
                for event in events.into_iter().flatten() {
                    self.isolate.report(match event {
                        Event::Settled { result, figures, sound, .. } => Event::Settled { job, result, figures, sound },
                        Event::Log { entry, .. } => Event::Log { job, entry },
                        event => event,
                    });
                }
            }
        }
    }

    /// Jobs of the journal end without a report.
    fn has_ended(&self) -> bool {
        self.told.get().iter().any(|event| matches!(event, Event::Settled { .. }))
    }

    fn told<T>(&self, find: impl Fn(&Event) -> Option<T>) -> Vec<T> {
        self.told.get().iter().filter_map(find).collect()
    }
}

fn settled(job: JobId, result: Result<Success, Failure>) -> Event {
    Event::Settled { job, result, figures: Figures::default(), sound: true }
}

/// What the isolate did in the jobs that count, by the entries of a journal.
fn script_of(journal: &Journal, engine: Option<&str>) -> VecDeque<Vec<Event>> {
    let mut jobs: Vec<(JobId, bool, Vec<Event>)> = Vec::new();
    for number in 0.. {
        let Some(entry) = journal.entry(number) else { break };
        match entry.body {
            EntryBody::Restart(_) => jobs.clear(),
            EntryBody::Checkpoint { engine: of_entry, .. } if engine == Some(of_entry.as_str()) => {
                jobs = vec![(0, true, vec![settled(0, Ok(Success::Done))])];
            }
            EntryBody::Command(
                Command::Run { job, .. } | Command::SetVariables { job, .. } | Command::SetTools { job, .. },
            ) => jobs.push((job, false, Vec::new())),
            EntryBody::Event(Event::Lost { .. }) => jobs.retain(|(_, has_ended, _)| *has_ended),
            EntryBody::Event(event) => {
                let job_of_event = match &event {
                    Event::Log { job, .. } | Event::Settled { job, .. } => Some(*job),
                    _ => None,
                };
                let is_it = |job: &JobId| job_of_event.is_none_or(|of_event| of_event == *job);
                let found = jobs.iter_mut().rev().find(|(job, has_ended, _)| !has_ended && is_it(job));
                if let Some((_, has_ended, events)) = found {
                    *has_ended = matches!(event, Event::Settled { .. });
                    events.push(event);
                }
            }
            _ => {}
        }
    }
    let is_open = jobs.iter().filter(|(_, has_ended, _)| !has_ended).count() == 1;
    jobs.retain(|(_, has_ended, _)| *has_ended || is_open);
    jobs.into_iter().map(|(_, _, events)| events).collect()
}

/// A list that several owners have.
struct List<T>(Mutex<VecDeque<T>>);

impl<T> List<T> {
    fn of(items: VecDeque<T>) -> Self {
        Self(Mutex::new(items))
    }

    fn get(&self) -> MutexGuard<'_, VecDeque<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self::of(VecDeque::new())
    }
}

/// The isolate's side of a session.
#[derive(Default)]
struct Isolate {
    commands: List<Command>,
    events: Mutex<Option<Events>>,
}

impl Isolate {
    fn report(&self, event: Event) {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(events) = events {
            events(event);
        }
    }
}

struct OneIsolate(Arc<Isolate>);

impl Backend for OneIsolate {
    fn expect(&self, _config: &ses_protocol::Config) {}

    fn boot(&self, boot: Boot) -> Result<Arc<dyn Link>, Failure> {
        *self.0.events.lock().unwrap_or_else(PoisonError::into_inner) = Some(boot.events);
        Ok(Arc::new(ToIsolate(self.0.clone())))
    }

    fn is_local(&self) -> bool {
        false
    }

    fn parks(&self) -> bool {
        false
    }
}

struct ToIsolate(Arc<Isolate>);

impl Link for ToIsolate {
    fn send(&self, command: Command) {
        self.0.commands.get().push_back(command);
    }

    fn interrupt(&self) {
        self.0.commands.get().clear();
    }

    fn thread(&self) -> Option<Thread> {
        None
    }

    fn cpu_clock(&self) -> Option<CpuClock> {
        None
    }

    fn process(&self) -> Option<Process> {
        None
    }
}
