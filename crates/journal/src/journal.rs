//! The journal of one session, shared by its owner's thread and the threads that report events of the isolate.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use ses_protocol::{Command, Event, Seed, ToolCallId, ToolReply};
use ses_session::{Events, Link};

use crate::chain::{Chain, Keys};
use crate::content::{self, Content, Flaw, FlawKind};
use crate::effects::{Effects, OnCheckpoint};
use crate::entry::{Entry, EntryKind, head_frame, note_frame, restart_frame, seed_frame};
use crate::lock::Lock;
use crate::state::{Batch, State};

/// Records one session, or repeats it.
pub struct Journal {
    state: Lock<State>,
}

impl Journal {
    /// `max_bytes`: of all entries together.
    pub fn new(id: String, keys: Keys, max_bytes: usize) -> Self {
        Self { state: Lock::new(State::new(Chain::new(id, keys), max_bytes)) }
    }

    /// Begins a new journal.
    pub fn begin(&self, head: &str, seed: Seed) {
        self.state.get().append(head_frame(head));
        self.add_seed(seed);
    }

    /// Adds a seed to a journal without one.
    pub fn add_seed(&self, seed: Seed) {
        let mut state = self.state.get();
        let run = state.runs;
        state.append(seed_frame(run, seed));
        state.seed = Some(seed);
    }

    /// Begins the session again in a journal that was read: what it has until now is not repeated. Its runs count.
    pub fn restart(&self, head: &str, seed: Seed) {
        {
            let mut state = self.state.get();
            state.forget_jobs();
            let run = state.runs;
            state.append(restart_frame(run, head));
        }
        self.add_seed(seed);
    }

    /// The next run is one of the owner's: it is recorded, and does not count.
    pub fn begin_internal(&self) {
        self.state.get().is_internal = true;
    }

    /// Whether a run stays open if its worker is lost while it only waits for answers.
    pub fn set_movable(&self, is_movable: bool) {
        self.state.get().is_movable = is_movable;
    }

    /// Whether the worker was lost, and the run under way has stayed open.
    pub fn is_moving(&self) -> bool {
        self.state.get().is_moving
    }

    /// Gives up the run that has not ended. It counts as lost.
    pub fn give_up(&self) {
        self.state.get().close_lost();
    }

    /// The journal does not keep the result of this call, but its digest.
    pub fn withhold(&self, call: ToolCallId) {
        self.state.get().withhold(call);
    }

    /// The answer to a call whose result the journal does not have. Returns whether it is the one that the call had.
    #[must_use]
    pub fn provide(&self, run: u32, number: u64, reply: ToolReply) -> bool {
        self.state.get().provide(run, number, reply)
    }

    /// Asks the isolate for its state, and records it. From then on, a replay begins with that state, if `engine` is
    /// the text that [`Self::load`] is called with. No job must be under way.
    pub fn checkpoint(&self, engine: String, on_checkpoint: OnCheckpoint) {
        self.change(|state, effects| state.begin_checkpoint(engine, on_checkpoint, effects));
    }

    /// Takes the next entry of an existing journal, for [`Self::load`].
    pub fn add(&self, entry: Vec<u8>) {
        self.state.get().loaded.push(entry);
    }

    /// Reads the entries of an existing journal. Only the first `runs` runs count if that is given. `engine`:
    /// checkpoints with this text are used. Without it, everything is repeated.
    ///
    /// # Errors
    ///
    /// The journal is not one that this build, with these keys, has written.
    pub fn load(&self, runs: Option<u32>, engine: Option<&str>) -> Result<Content, Flaw> {
        let mut state = self.state.get();
        let State { chain, loaded, max_bytes, .. } = &mut *state;
        let bytes = loaded.iter().map(Vec::len).sum::<usize>();
        if bytes > *max_bytes {
            let message = format!("the journal takes {bytes} bytes, more than {max_bytes}");
            return Err(Flaw { kind: FlawKind::Limit, entry: loaded.len() as u64, message });
        }
        let (content, record) = content::read(chain, loaded, runs, engine)?;
        state.hold(record, &content);
        Ok(content)
    }

    /// Adds the first `runs` runs to `other`. `seed`: random numbers of later runs follow from it.
    ///
    /// Returns whether everything fits.
    #[must_use]
    pub fn copy_to(&self, other: &Self, head: &str, runs: u32, seed: Option<Seed>) -> bool {
        let state = self.state.get();
        let mut other = other.state.get();
        other.append(head_frame(head));
        let mut last_run = 0;
        for entry in state.loaded.iter().skip(1) {
            let frame = state.chain.frame_of(entry);
            let run = Entry::run_of(frame);
            if run <= runs {
                other.append(frame.to_vec());
                last_run = run;
            }
        }
        if let Some(seed) = seed {
            // It does not apply to earlier runs of the copy.
            other.append(seed_frame(last_run, seed));
        }
        !other.is_full
    }

    /// What an entry of a journal that was read says, until its replay ends. `None`: it is not an entry.
    pub fn entry(&self, number: usize) -> Option<Entry> {
        let state = self.state.get();
        Entry::read(state.chain.frame_of(state.loaded.get(number)?)).ok()
    }

    /// The numbers of the entries of one kind that belong to run `run`, for [`Self::entry`]. They are not read.
    pub fn find(&self, kind: EntryKind, run: u32) -> Vec<usize> {
        let state = self.state.get();
        let frames = state.loaded.iter().map(|entry| state.chain.frame_of(entry)).enumerate();
        let found = frames.filter(|(_, frame)| Entry::run_of(frame) == run && Entry::kind_of(frame) == Some(kind));
        found.map(|(number, _)| number).collect()
    }

    /// What the journal has, and what the isolate did instead, if a replay has failed.
    pub fn diverged(&self) -> (Option<Entry>, Option<Entry>) {
        let state = self.state.get();
        let read = |frame: &Option<Vec<u8>>| frame.as_ref().and_then(|frame| Entry::read(frame).ok());
        (read(&state.diverged.expected), read(&state.diverged.actual))
    }

    /// The entries that were recorded since the last call, if [`Batch::write`] writes at most `room` bytes.
    ///
    /// # Errors
    ///
    /// It would write so many bytes. The entries are kept.
    pub fn take(&self, room: usize) -> Result<Option<Batch>, usize> {
        self.state.get().take(room)
    }

    /// All entries with a number below `next` are stored.
    pub fn written(&self, next: u64) {
        self.change(|state, effects| state.written(next, effects));
    }

    /// Records nothing more of the isolate. What is under way counts as lost.
    pub fn close(&self) {
        self.on_interrupt();
    }

    /// Adds text that the replay ignores. Returns whether it fits.
    pub fn note(&self, text: &str) -> bool {
        let mut state = self.state.get();
        let run = state.runs;
        state.append(note_frame(run, text));
        !state.is_full
    }

    /// These calls wait for somebody. When the guest waits for nothing else, its run ends.
    pub fn set_waiting(&self, calls: HashSet<ToolCallId>) {
        self.change(|state, effects| state.set_waiting(calls, effects));
    }

    /// The number of the run under way, and the number of one of its calls, both from 1.
    pub fn numbers_of(&self, call: ToolCallId) -> (u32, u64) {
        let state = self.state.get();
        (state.runs, state.number_of(call))
    }

    /// Runs that were begun.
    pub fn runs(&self) -> u32 {
        self.state.get().runs
    }

    /// What a replay would repeat: bytes of entries, and the time that the isolate has worked since it was made.
    pub fn repeated(&self) -> (usize, Duration) {
        self.state.get().repeated()
    }

    pub(crate) fn begin_session(&self, events: Events) {
        self.state.get().events = Some(events);
    }

    pub(crate) fn connect(&self, link: &Arc<dyn Link>) {
        self.change(|state, effects| state.connect(link, effects));
    }

    pub(crate) fn on_event(&self, event: Event) {
        self.change(|state, effects| state.on_event(event, effects));
    }

    pub(crate) fn on_command(&self, command: Command) {
        self.change(|state, effects| state.on_command(command, effects));
    }

    /// Changes the state, and applies what follows from it.
    fn change(&self, change: impl FnOnce(&mut State, &mut Effects)) {
        let mut state = self.state.get();
        let mut effects = Effects::new();
        change(&mut state, &mut effects);
        state.outbox.add(effects);
        while let Some(effect) = state.outbox.next() {
            drop(state);
            effect.apply();
            state = self.state.get();
            state.outbox.done();
        }
    }

    pub(crate) fn on_interrupt(&self) {
        self.change(State::on_interrupt);
    }
}
