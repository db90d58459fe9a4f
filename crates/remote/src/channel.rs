//! One end of a session: numbered messages in both directions, and the room for them.

use std::sync::{Arc, Condvar, Mutex, Weak};

use async_nats::Subject;

use crate::incoming::{Arrival, Incoming};
use crate::network::{Network, Sender, lock};
use crate::outgoing::Outgoing;
use crate::words::{Kind, Word, word};

/// Bytes after which they are acknowledged. 256 KiB: a quarter of the window.
const ACK_BYTES: usize = 256 << 10;

/// Where messages go, and where answers to them go.
#[derive(Clone, Debug)]
pub struct Route {
    pub to: Subject,
    pub reply: Subject,
}

/// One end of a session.
pub struct Channel {
    network: Arc<Network>,
    own: Weak<Self>,
    /// Any thread may hold it, to change it and to pass messages on to the connection.
    state: Mutex<State>,
    /// Signals room for a thread that waits in [`Channel::send_waiting`].
    room: Condvar,
}

#[derive(Default)]
struct State {
    route: Option<Route>,
    outgoing: Outgoing,
    incoming: Incoming,
    /// The number of the first message that is not consumed, and the bytes that were consumed since the last
    /// acknowledgement.
    consumed: u32,
    unacknowledged: usize,
    /// Bytes of messages that have arrived and are not consumed.
    held: usize,
    is_over: bool,
}

impl Channel {
    pub fn new(network: Arc<Network>) -> Arc<Self> {
        Arc::new_cyclic(|own| Self { network, own: own.clone(), state: Mutex::default(), room: Condvar::new() })
    }

    /// Sets where messages go. Those that waited for it are sent.
    pub fn set_route(&self, route: Route) {
        let mut state = lock(&self.state);
        state.route = Some(route);
        self.flush(&mut state);
    }

    /// Changes the subject on which the other end receives messages.
    pub fn set_target(&self, to: Subject) {
        if let Some(route) = &mut lock(&self.state).route {
            route.to = to;
        }
    }

    /// Sends a numbered message as soon as there is room.
    pub fn send(&self, kind: Kind, bytes: Vec<u8>) {
        let mut state = lock(&self.state);
        if !state.is_over {
            state.outgoing.push(kind, bytes);
            self.flush(&mut state);
        }
    }

    /// Sends a numbered message, and waits until everything is on its way. Returns false if the session is over.
    pub fn send_waiting(&self, kind: Kind, bytes: Vec<u8>) -> bool {
        self.send(kind, bytes);
        let mut state = lock(&self.state);
        while state.outgoing.has_queued() && !state.is_over {
            state = self.room.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        !state.is_over
    }

    fn flush(&self, state: &mut State) {
        let Some(route) = &state.route else { return };
        let mut is_refused = false;
        let mut reserve = |bytes| {
            let fits = self.network.reserve(bytes);
            is_refused = !fits;
            fits
        };
        while let Some(part) = state.outgoing.next_part(&mut reserve) {
            self.network.publish(route.to.clone(), Some(route.reply.clone()), part);
        }
        if is_refused {
            self.network.when_room(self.own.clone());
        }
        if !state.outgoing.has_queued() {
            self.room.notify_all();
        }
    }

    /// Sends a message without a number. The message acknowledges what was consumed.
    pub fn say(&self, kind: Kind) {
        self.say_of(&mut lock(&self.state), kind);
    }

    fn say_of(&self, state: &mut State, kind: Kind) {
        if let Some(Route { to, reply }) = &state.route {
            state.unacknowledged = 0;
            self.network.publish(to.clone(), Some(reply.clone()), word(kind, state.consumed, Vec::new()));
        }
    }

    /// Takes a message from the other end. Returns a numbered message when it is the next one.
    pub fn take(&self, message: Word) -> Option<Word> {
        let mut state = lock(&self.state);
        match message.kind {
            Kind::Data | Kind::Wake | Kind::Lost => match state.incoming.take(message.number) {
                Arrival::Next => {
                    state.held += message.payload.len();
                    return Some(message);
                }
                Arrival::Repeated | Arrival::Early => {}
                Arrival::Gap => {
                    if let Some(Route { to, reply }) = &state.route {
                        let again = word(Kind::Again, state.incoming.next(), Vec::new());
                        self.network.publish(to.clone(), Some(reply.clone()), again);
                    }
                }
            },
            Kind::Again => {
                let freed = state.outgoing.acked(message.number);
                self.repeat(&state);
                self.on_freed(state, freed);
            }
            _ => {
                let freed = state.outgoing.acked(message.number);
                self.on_freed(state, freed);
            }
        }
        None
    }

    /// A ping says what the other end has consumed. Sends messages again that should have arrived.
    pub fn on_ping(&self, ack: u32) {
        let mut state = lock(&self.state);
        let freed = state.outgoing.acked(ack);
        if state.outgoing.is_late(ack) {
            self.repeat(&state);
        }
        self.on_freed(state, freed);
    }

    fn repeat(&self, state: &State) {
        let Some(Route { to, reply }) = &state.route else { return };
        for part in state.outgoing.unacknowledged() {
            self.network.publish(to.clone(), Some(reply.clone()), part.clone());
        }
    }

    fn on_freed(&self, mut state: std::sync::MutexGuard<'_, State>, freed: usize) {
        if freed > 0 {
            self.flush(&mut state);
            drop(state);
            // Without the lock, because other sessions may go on.
            self.network.release(freed);
        }
    }

    /// A message with this number was consumed: its bytes take no more room here.
    pub fn consumed(&self, number: u32, bytes: usize) {
        let mut state = lock(&self.state);
        state.consumed = number.wrapping_add(1);
        state.held = state.held.saturating_sub(bytes);
        state.unacknowledged += bytes;
        if state.unacknowledged >= ACK_BYTES {
            self.say_of(&mut state, Kind::Ack);
        }
    }

    /// The number of the first message that is not consumed.
    pub fn next(&self) -> u32 {
        lock(&self.state).consumed
    }

    /// Bytes of messages that are not consumed.
    pub fn held(&self) -> usize {
        lock(&self.state).held
    }

    /// Whether all messages have arrived at the other end.
    pub fn is_delivered(&self) -> bool {
        lock(&self.state).outgoing.is_empty()
    }

    /// Nothing more is sent.
    pub fn end(&self) {
        let mut state = lock(&self.state);
        if std::mem::replace(&mut state.is_over, true) {
            return;
        }
        let freed = std::mem::take(&mut state.outgoing).sent_bytes();
        drop(state);
        self.room.notify_all();
        self.network.release(freed);
    }
}

impl Sender for Channel {
    fn send_queued(&self) {
        self.flush(&mut lock(&self.state));
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.end();
    }
}
