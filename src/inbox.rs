//! Events for the owner on their way to the Node.js thread. One wake-up covers all events that arrive before the thread
//! looks.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ses_protocol::MAX_REPORTED_CALLS;
use ses_session::OwnerEvent;

/// The most events of tool calls that are delivered together, so that their arguments fit on the stack of one call.
const MAX_EVENTS: usize = 64 / MAX_REPORTED_CALLS;

/// Any thread adds events, and the Node.js thread removes them. The lock is held for a few instructions.
#[derive(Default)]
pub struct Inbox(Mutex<Pending>);

#[derive(Default)]
struct Pending {
    events: VecDeque<OwnerEvent>,
    /// The Node.js thread was notified and will call [`Inbox::take`].
    is_told: bool,
}

impl Inbox {
    /// Adds an event. Returns whether the Node.js thread must be notified. It need not be notified again before it has
    /// looked.
    pub fn push(&self, event: OwnerEvent) -> bool {
        let mut pending = self.lock();
        pending.events.push_back(event);
        !mem::replace(&mut pending.is_told, true)
    }

    /// The oldest event, or several events of tool calls. The second value: whether the Node.js thread must be notified
    /// again, because there are more events.
    pub fn take(&self) -> (Vec<OwnerEvent>, bool) {
        let mut pending = self.lock();
        let are_calls = |event: &OwnerEvent| matches!(event, OwnerEvent::ToolCalls { .. });
        let calls = pending.events.iter().take(MAX_EVENTS).take_while(|event| are_calls(event)).count();
        let count = calls.max(1).min(pending.events.len());
        let events = pending.events.drain(..count).collect();
        pending.is_told = !pending.events.is_empty();
        (events, pending.is_told)
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
