//! `NativeJournal`: the journal of one session for the facade.

use std::sync::Arc;

use napi::bindgen_prelude::{AsyncTask, JsValue, Object, ToNapiValue, Uint8Array, Uint8ArraySlice, Unknown};
use napi::{Env, Error, Result, Task};
use napi_derive::napi;

use ses_journal::{Content, Entry, EntryBody, EntryKind, Flaw, FlawKind, Journal, Keys, WithheldCall};
use ses_protocol::{Command, Event, Seed, Success, ToolCallId, ToolError, ToolReply, ToolSpec, Value, Values};

use crate::deliver::NativeError;
use crate::values::{self, NativeValue, values_list};

#[napi]
pub struct NativeJournal(pub(crate) Arc<Journal>);

/// What a journal holds, or why it cannot be used: then it is empty.
#[napi(object, object_from_js = false)]
#[derive(Default)]
pub struct NativeJournalContent {
    pub head: String,
    pub next: f64,
    pub runs: u32,
    pub is_seeded: bool,
    pub tools: Vec<NativeJournalTool>,
    pub notes: Vec<String>,
    pub open: Option<NativeOpenRun>,
    pub programs: Option<Vec<String>>,
    /// Calls whose answers the replay needs and the journal does not have, oldest first.
    pub withheld: Vec<NativeWithheldCall>,
    /// Bytes of the entries that a replay repeats.
    pub replayed_bytes: f64,
    /// The run before the last internal run, if that is not the one with which the session began again.
    pub looked_at: Option<u32>,
    pub flaw: Option<NativeJournalFlaw>,
}

/// Why a journal cannot be used.
#[napi(object, object_from_js = false)]
pub struct NativeJournalFlaw {
    #[napi(ts_type = "'form' | 'mac' | 'order' | 'limit'")]
    pub kind: &'static str,
    pub entry: f64,
    pub message: String,
}

#[napi(object, object_from_js = false)]
pub struct NativeJournalTool {
    pub id: u32,
    pub path: Vec<String>,
    pub is_async: bool,
}

impl From<ToolSpec> for NativeJournalTool {
    fn from(ToolSpec { id, path, is_async, .. }: ToolSpec) -> Self {
        Self { id, path, is_async }
    }
}

#[napi(object, object_from_js = false)]
pub struct NativeOpenRun {
    pub run: u32,
    pub code: String,
    pub calls: Vec<NativeOpenCall>,
}

/// A call without an answer. `args`: a list of values, or their serialized bytes.
#[napi(object, object_from_js = false)]
pub struct NativeOpenCall {
    pub call: f64,
    pub id: u32,
    #[napi(ts_type = "unknown")]
    pub args: NativeValues,
}

/// A call whose answer the journal does not have. `args`: as of [`NativeOpenCall`].
#[napi(object, object_from_js = false)]
pub struct NativeWithheldCall {
    pub run: u32,
    pub call: f64,
    pub id: u32,
    #[napi(ts_type = "unknown")]
    pub args: NativeValues,
    /// The number of the entry.
    pub entry: f64,
}

/// What one entry says. Which fields it has depends on `type`.
#[napi(object, object_from_js = false)]
#[derive(Default)]
pub struct NativeJournalEntry {
    #[napi(js_name = "type")]
    pub kind: &'static str,
    pub run: u32,
    /// JSON of a head or a note, the code of a run, or the message of a log entry.
    pub text: Option<String>,
    /// The level of a log entry.
    pub level: Option<u32>,
    /// The time that the guest sees, in milliseconds since the Unix epoch.
    pub now_ms: Option<f64>,
    /// Names of variables.
    pub names: Option<Vec<String>>,
    pub tools: Option<Vec<NativeJournalTool>>,
    pub calls: Option<Vec<NativeJournalCall>>,
    pub answers: Option<Vec<NativeJournalAnswer>>,
    /// A job has ended with this value.
    pub output: Option<NativeSuccess>,
    pub error: Option<NativeError>,
}

#[napi(object, object_from_js = false)]
pub struct NativeDivergence {
    pub expected: Option<NativeJournalEntry>,
    pub actual: Option<NativeJournalEntry>,
}

#[napi(object, object_from_js = false)]
pub struct NativeJournalCall {
    /// What answers name.
    pub id: f64,
    /// The number of the call in its run, from 1.
    pub number: f64,
    pub tool: u32,
    /// A list of values, or their serialized bytes.
    #[napi(ts_type = "unknown")]
    pub args: NativeValues,
}

/// One of `value` and `error` is present, unless a tool that was called synchronously returned a promise, or the result
/// is not kept.
#[napi(object, object_from_js = false)]
pub struct NativeJournalAnswer {
    pub id: f64,
    pub value: Option<NativeSuccess>,
    pub error: Option<NativeToolError>,
    pub is_withheld: bool,
}

#[napi(object, object_from_js = false)]
pub struct NativeToolError {
    pub name: String,
    pub message: String,
}

#[napi(object, object_from_js = false)]
pub struct NativeSuccess {
    /// As deliveries have it.
    #[napi(ts_type = "unknown")]
    pub value: NativeValue,
}

impl From<Entry> for NativeJournalEntry {
    fn from(Entry { run, body }: Entry) -> Self {
        let entry = |kind| Self { kind, run, ..Self::default() };
        match body {
            EntryBody::Head(text) => Self { text: Some(text), ..entry("head") },
            EntryBody::Note(text) => Self { text: Some(text), ..entry("note") },
            EntryBody::Seed(_) => entry("seed"),
            EntryBody::Restart(text) => Self { text: Some(text), ..entry("restart") },
            EntryBody::Checkpoint { .. } => entry("checkpoint"),
            EntryBody::Answers { withheld, command } => {
                let mut read = Self::from(Entry { run, body: EntryBody::Command(command) });
                for answer in read.answers.iter_mut().flatten() {
                    answer.is_withheld = withheld.iter().any(|&(call, _)| call as f64 == answer.id);
                }
                read
            }
            EntryBody::Command(Command::Run { code, limits, .. }) => {
                Self { text: Some(code), now_ms: limits.now_ms, ..entry("run") }
            }
            EntryBody::Command(Command::SetVariables { names, .. }) => {
                Self { names: Some(names), ..entry("variables") }
            }
            EntryBody::Command(Command::SetTools { tools, .. }) => {
                Self { tools: Some(tools.into_iter().map(Into::into).collect()), ..entry("tools") }
            }
            EntryBody::Command(Command::ToolReplies { replies, now_ms }) => {
                let answers = replies.into_iter().map(|(call, reply)| answer(call, reply)).collect();
                Self { answers: Some(answers), now_ms, ..entry("answers") }
            }
            EntryBody::Event(Event::ToolCalls(calls)) => {
                let calls = calls.into_iter().map(|call| NativeJournalCall {
                    id: call.id as f64,
                    number: call.made as f64,
                    tool: call.tool,
                    args: NativeValues(call.args),
                });
                Self { calls: Some(calls.collect()), ..entry("call") }
            }
            EntryBody::Event(Event::Log { entry: log, .. }) => {
                Self { text: Some(log.message), level: Some(log.level as u32), ..entry("log") }
            }
            EntryBody::Event(Event::Settled { result, .. }) => match result {
                Ok(Success::Done) => entry("end"),
                Ok(Success::Output { value, .. }) => {
                    Self { output: Some(NativeSuccess { value: NativeValue(value) }), ..entry("end") }
                }
                Err(failure) => Self { error: Some(failure.into()), ..entry("end") },
            },
            // Journals do not have other commands.
            EntryBody::Event(_) | EntryBody::Command(_) => entry("lost"),
        }
    }
}

fn answer(call: ToolCallId, reply: ToolReply) -> NativeJournalAnswer {
    let (value, error) = match reply {
        ToolReply::Value(value) => (Some(NativeSuccess { value: NativeValue(value) }), None),
        ToolReply::Error(ToolError { name, message, .. }) => (None, Some(NativeToolError { name, message })),
        ToolReply::Promise => (None, None),
    };
    NativeJournalAnswer { id: call as f64, value, error, is_withheld: false }
}

/// Values in the form of deliveries.
pub struct NativeValues(Values);

impl napi::bindgen_prelude::TypeName for NativeValues {
    fn type_name() -> &'static str {
        "unknown"
    }

    fn value_type() -> napi::ValueType {
        napi::ValueType::Unknown
    }
}

impl ToNapiValue for NativeValues {
    unsafe fn to_napi_value(env: napi::sys::napi_env, values: Self) -> Result<napi::sys::napi_value> {
        // SAFETY: the caller passes the live environment of this thread.
        unsafe { values_list(env, values.0) }
    }
}

impl From<std::result::Result<Content, Flaw>> for NativeJournalContent {
    fn from(read: std::result::Result<Content, Flaw>) -> Self {
        match read {
            Ok(Content {
                head,
                next,
                runs,
                is_seeded,
                tools,
                notes,
                open,
                programs,
                withheld,
                replayed_bytes,
                looked_at,
            }) => NativeJournalContent {
                head,
                next: next as f64,
                runs,
                is_seeded,
                tools: tools.into_iter().map(Into::into).collect(),
                notes,
                programs,
                open: open.map(|open| NativeOpenRun {
                    run: open.run,
                    code: open.code,
                    calls: open
                        .calls
                        .into_iter()
                        .map(|call| NativeOpenCall {
                            call: call.number as f64,
                            id: call.tool,
                            args: NativeValues(call.args),
                        })
                        .collect(),
                }),
                withheld: withheld
                    .into_iter()
                    .map(|WithheldCall { run, call, entry }| NativeWithheldCall {
                        run,
                        call: call.number as f64,
                        id: call.tool,
                        args: NativeValues(call.args),
                        entry: entry as f64,
                    })
                    .collect(),
                replayed_bytes: replayed_bytes as f64,
                looked_at,
                flaw: None,
            },
            Err(flaw) => {
                let kind = match flaw.kind {
                    FlawKind::Form => "form",
                    FlawKind::Mac => "mac",
                    FlawKind::Order => "order",
                    FlawKind::Limit => "limit",
                };
                let flaw = NativeJournalFlaw { kind, entry: flaw.entry as f64, message: flaw.message };
                NativeJournalContent { flaw: Some(flaw), ..NativeJournalContent::default() }
            }
        }
    }
}

/// Computes the codes of all entries, away from the host's thread.
pub struct LoadTask {
    journal: Arc<Journal>,
    runs: Option<u32>,
    engine: Option<String>,
}

impl Task for LoadTask {
    type Output = NativeJournalContent;
    type JsValue = NativeJournalContent;

    fn compute(&mut self) -> Result<Self::Output> {
        Ok(self.journal.load(self.runs, self.engine.as_deref()).into())
    }

    fn resolve(&mut self, _: Env, content: Self::Output) -> Result<Self::JsValue> {
        Ok(content)
    }
}

/// Signs all entries of a copy, away from the host's thread.
pub struct CopyTask {
    from: Arc<Journal>,
    to: Arc<Journal>,
    head: String,
    runs: u32,
    seed: Option<Seed>,
}

impl Task for CopyTask {
    type Output = bool;
    type JsValue = bool;

    fn compute(&mut self) -> Result<Self::Output> {
        Ok(self.from.copy_to(&self.to, &self.head, self.runs, self.seed))
    }

    fn resolve(&mut self, _: Env, fits: Self::Output) -> Result<Self::JsValue> {
        Ok(fits)
    }
}

fn seed_of(bytes: &[u8]) -> Result<Seed> {
    let bytes: [u8; 32] = bytes.try_into().map_err(|_| Error::from_reason("a seed has 32 bytes"))?;
    Ok(Seed::of_bytes(bytes))
}

#[napi]
impl NativeJournal {
    /// `sign`: null, entries carry no code.
    #[napi(constructor)]
    pub fn new(id: String, sign: Option<Uint8Array>, verify: Vec<Uint8Array>, max_bytes: f64) -> Self {
        let keys =
            Keys { sign: sign.map(|key| key.to_vec()), verify: verify.into_iter().map(|key| key.to_vec()).collect() };
        Self(Arc::new(Journal::new(id, keys, max_bytes as usize)))
    }

    /// Begins a new journal.
    #[napi]
    pub fn begin(&self, head: String, seed: Uint8Array) -> Result<()> {
        self.0.begin(&head, seed_of(&seed)?);
        Ok(())
    }

    /// Adds a seed to a journal without one.
    #[napi]
    pub fn add_seed(&self, seed: Uint8Array) -> Result<()> {
        self.0.add_seed(seed_of(&seed)?);
        Ok(())
    }

    /// Takes the next entry of an existing journal, for `load`.
    #[napi]
    pub fn add(&self, entry: &[u8]) {
        self.0.add(entry.to_vec());
    }

    /// Reads the entries of an existing journal, up to the end of run `runs`. `engine`: checkpoints with this text are
    /// used. Nothing else may use the journal meanwhile.
    #[napi(ts_return_type = "Promise<NativeJournalContent>")]
    pub fn load(&self, runs: Option<u32>, engine: Option<String>) -> AsyncTask<LoadTask> {
        AsyncTask::new(LoadTask { journal: self.0.clone(), runs, engine })
    }

    /// Asks the isolate for its state, and records it: a later replay begins with it if `load` is called with the same
    /// `engine`. Resolves to the reason if there is no checkpoint.
    #[napi(ts_return_type = "Promise<string | null>")]
    pub fn checkpoint<'env>(&self, env: &'env Env, engine: String) -> Result<Object<'env>> {
        let (deferred, promise) = env.create_deferred()?;
        let on_checkpoint = move |result: std::result::Result<(), String>| deferred.resolve(move |_| Ok(result.err()));
        self.0.checkpoint(engine, Box::new(on_checkpoint));
        Ok(promise)
    }

    /// Begins the session again in a journal that was read: what it has until now is not repeated.
    #[napi]
    pub fn restart(&self, head: String, seed: Uint8Array) -> Result<()> {
        self.0.restart(&head, seed_of(&seed)?);
        Ok(())
    }

    /// The next run is one of the owner's: it is recorded, and does not count.
    #[napi]
    pub fn begin_internal(&self) {
        self.0.begin_internal();
    }

    /// Whether a run stays open if its worker is lost while it only waits for answers.
    #[napi]
    pub fn set_movable(&self, is_movable: bool) {
        self.0.set_movable(is_movable);
    }

    /// Whether the worker was lost, and the run under way has stayed open.
    #[napi]
    pub fn is_moving(&self) -> bool {
        self.0.is_moving()
    }

    /// Gives up the run that has not ended. It counts as lost.
    #[napi]
    pub fn give_up(&self) {
        self.0.give_up();
    }

    /// The result of this call is not kept. In a replay, `provide` has to give it.
    #[napi]
    pub fn withhold(&self, call: f64) {
        self.0.withhold(call as u64);
    }

    /// The answer to a call whose result the journal does not have, as of `NativeExecutor.toolResult`. Returns whether
    /// it is the one that the call had.
    #[napi]
    pub fn provide(&self, env: Env, run: u32, call: f64, status: f64, payload: Unknown) -> Result<bool> {
        // SAFETY: `env` is the environment of this call, and `payload` one of its arguments.
        let (number, reply) = unsafe { values::reply(env.raw(), call, status, payload.raw()) }?;
        Ok(self.0.provide(run, number, reply))
    }

    /// Writes the entries that were recorded since the last call to `room`, in the form of `Batch::write` in
    /// `crates/journal`: to create objects for each of them would take longer than everything else.
    ///
    /// Returns how many bytes these are, 0 without entries. A negative number: they need as many bytes, and nothing was
    /// written.
    #[napi]
    pub fn take(&self, mut room: Uint8ArraySlice<'_>) -> f64 {
        match self.0.take(room.len()) {
            // SAFETY: the array belongs to the caller, whose thread waits for this call.
            Ok(Some(batch)) => batch.write(unsafe { room.as_mut() }) as f64,
            Ok(None) => 0.0,
            Err(bytes) => -(bytes as f64),
        }
    }

    /// All entries with a number below `next` are stored.
    #[napi]
    pub fn written(&self, next: f64) {
        self.0.written(next as u64);
    }

    /// Records nothing more of the isolate, which may still work. What is under way counts as lost.
    #[napi]
    pub fn close(&self) {
        self.0.close();
    }

    /// Adds text that the replay ignores. Returns whether it fits.
    #[napi]
    pub fn note(&self, text: String) -> bool {
        self.0.note(&text)
    }

    /// These calls wait for somebody. When the guest waits for nothing else, the run ends with ERR_RUN_WAITING.
    #[napi]
    pub fn set_waiting(&self, calls: Vec<f64>) {
        self.0.set_waiting(calls.into_iter().map(|call| call as u64).collect());
    }

    /// The number of the run under way, and the number of one of its calls, both from 1.
    #[napi(ts_return_type = "[run: number, call: number]")]
    pub fn numbers_of(&self, call: f64) -> Vec<f64> {
        let (run, number) = self.0.numbers_of(call as u64);
        vec![f64::from(run), number as f64]
    }

    /// Runs that were begun.
    #[napi(getter)]
    pub fn runs(&self) -> u32 {
        self.0.runs()
    }

    /// What a replay would repeat: bytes of entries, and the milliseconds that the isolate has worked since it was
    /// made.
    #[napi(ts_return_type = "[bytes: number, workedMs: number]")]
    pub fn repeated(&self) -> Vec<f64> {
        let (bytes, time) = self.0.repeated();
        vec![bytes as f64, time.as_secs_f64() * 1e3]
    }

    /// Copies the first `runs` runs of the journal that was read. `seed`: of later runs; null keeps the seed. Returns
    /// whether everything fits into `other`. Nothing else may use the two journals meanwhile.
    #[napi(ts_return_type = "Promise<boolean>")]
    pub fn copy_to(
        &self,
        other: &NativeJournal,
        head: String,
        runs: u32,
        seed: Option<Uint8Array>,
    ) -> Result<AsyncTask<CopyTask>> {
        let seed = seed.map(|seed| seed_of(&seed)).transpose()?;
        Ok(AsyncTask::new(CopyTask { from: self.0.clone(), to: other.0.clone(), head, runs, seed }))
    }

    /// What the entry `number` of a journal that was read says, until its replay ends; null if it is not an entry that
    /// this version writes.
    #[napi]
    pub fn entry(&self, number: u32) -> Option<NativeJournalEntry> {
        self.0.entry(number as usize).map(Into::into)
    }

    /// The same, with null in place of the results of tools: to create large values takes long.
    #[napi]
    pub fn outline(&self, number: u32) -> Option<NativeJournalEntry> {
        let mut entry = NativeJournalEntry::from(self.0.entry(number as usize)?);
        for result in entry.answers.iter_mut().flatten().filter_map(|answer| answer.value.as_mut()) {
            result.value = NativeValue(Value::Null);
        }
        Some(entry)
    }

    /// The numbers of the entries of a type that belong to run `run`, for `entry`. To find them is cheap: their content
    /// is not read.
    #[napi]
    pub fn find(
        &self,
        #[napi(ts_arg_type = "'note' | 'call' | 'answers'")] kind: String,
        run: u32,
    ) -> Result<Vec<u32>> {
        let kind = match kind.as_str() {
            "note" => EntryKind::Note,
            "call" => EntryKind::Calls,
            "answers" => EntryKind::Answers,
            _ => return Err(Error::from_reason("entries of this type cannot be found")),
        };
        Ok(self.0.find(kind, run).into_iter().map(|number| number as u32).collect())
    }

    /// Where a replay has left the journal: what the journal has, and what the isolate did instead.
    #[napi]
    pub fn diverged(&self) -> NativeDivergence {
        let (expected, actual) = self.0.diverged();
        NativeDivergence { expected: expected.map(Into::into), actual: actual.map(Into::into) }
    }
}
