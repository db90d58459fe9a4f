//! What follows from a change of the journal's state. It calls code of others, so it is done without the lock.

use std::collections::VecDeque;
use std::sync::Arc;

use ses_protocol::{Command, Event};
use ses_session::{Events, Link};

pub enum Effect {
    Send(Arc<dyn Link>, Command),
    Report(Events, Event),
    Interrupt(Arc<dyn Link>),
    /// Reports the outcome of a checkpoint to the owner.
    Tell(OnCheckpoint, Result<(), String>),
}

/// Called once. The error says why there is no checkpoint.
pub type OnCheckpoint = Box<dyn FnOnce(Result<(), String>) + Send>;

impl Effect {
    pub fn apply(self) {
        match self {
            Self::Send(link, command) => link.send(command),
            Self::Report(events, event) => events(event),
            Self::Interrupt(link) => link.interrupt(),
            Self::Tell(on_checkpoint, result) => on_checkpoint(result),
        }
    }
}

/// The effects of one change, in order.
pub type Effects = Vec<Effect>;

/// Effects that have not been applied. One thread applies them at a time, so that the guest and the owner get them in
/// the order of the changes. A thread that changes the state meanwhile leaves its effects here.
#[derive(Default)]
pub struct Outbox {
    effects: VecDeque<Effect>,
    is_busy: bool,
}

impl Outbox {
    pub fn add(&mut self, effects: Effects) {
        self.effects.extend(effects);
    }

    /// The next effect for the calling thread, which calls [`Self::done`] when it has applied it. `None`: there is
    /// none, or another thread applies them.
    pub fn next(&mut self) -> Option<Effect> {
        if self.is_busy {
            return None;
        }
        let effect = self.effects.pop_front()?;
        self.is_busy = true;
        Some(effect)
    }

    pub fn done(&mut self) {
        self.is_busy = false;
    }
}
