//! One end of a session: numbered messages in both directions, and the room for them.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

use async_nats::Subject;

use crate::incoming::{Arrival, Incoming};
use crate::lock::lock;
use crate::network::Network;
use crate::outgoing::Outgoing;
use crate::packet::{Kind, Packet, packet};
use crate::pings::Progress;
use crate::room::Sender;

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

    /// Sends a numbered message, and waits until everything is on its way. Returns false if the session is over, which
    /// also ends the wait.
    pub fn send_waiting(&self, kind: Kind, bytes: Vec<u8>) -> bool {
        self.send(kind, bytes);
        let mut state = lock(&self.state);
        while state.outgoing.has_queued() && !state.is_over {
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.is_over
    }

    fn flush(&self, state: &mut State) {
        let Some(route) = &state.route else { return };
        let reserve = |room| self.network.room.reserve(room, || Weak::<Self>::clone(&self.own));
        while let Some(part) = state.outgoing.next_part(reserve) {
            self.network.publish(route.to.clone(), Some(route.reply.clone()), part);
        }
        if !state.outgoing.has_queued() {
            self.room.notify_all();
        }
    }

    /// Sends a message without a number. The message acknowledges what was consumed.
    pub fn send_unnumbered(&self, kind: Kind) {
        self.publish_unnumbered(&mut lock(&self.state), kind);
    }

    fn publish_unnumbered(&self, state: &mut State, kind: Kind) {
        if let Some(Route { to, reply }) = &state.route {
            let bytes = packet(kind, state.incoming.acknowledge(), Vec::new());
            self.network.publish(to.clone(), Some(reply.clone()), bytes);
        }
    }

    /// Takes a message from the other end. Returns a numbered message when it is the next one.
    pub fn take(&self, message: Packet) -> Option<Packet> {
        let mut state = lock(&self.state);
        match message.kind {
            Kind::Data | Kind::Wake | Kind::Lost => match state.incoming.take(message.number, &message.payload) {
                Arrival::Next => return Some(message),
                Arrival::Repeated | Arrival::Early => {}
                Arrival::Gap => {
                    if let Some(Route { to, reply }) = &state.route {
                        let again = packet(Kind::Resend, state.incoming.next(), Vec::new());
                        self.network.publish(to.clone(), Some(reply.clone()), again);
                    }
                }
            },
            Kind::Resend => {
                let freed = state.outgoing.arrived(message.number);
                self.repeat(&mut state);
                self.on_freed(state, freed);
            }
            _ => {
                let freed = state.outgoing.consumed(message.number);
                self.on_freed(state, freed);
            }
        }
        None
    }

    /// A ping says how far the other end has come. Sends messages again that should have arrived.
    pub fn on_ping(&self, progress: Progress) {
        let mut state = lock(&self.state);
        let (freed, is_late) = state.outgoing.on_ping(progress);
        if is_late {
            self.repeat(&mut state);
        }
        self.on_freed(state, freed);
    }

    fn repeat(&self, state: &mut State) {
        let State { route: Some(Route { to, reply }), outgoing, .. } = state else { return };
        for part in outgoing.repeat(Instant::now()) {
            self.network.publish(to.clone(), Some(reply.clone()), part.clone());
        }
    }

    /// The other end may have consumed messages. `freed`: room of the connection that is free again.
    fn on_freed(&self, mut state: MutexGuard<'_, State>, freed: usize) {
        self.flush(&mut state);
        drop(state);
        // Without the lock, because other sessions may go on.
        self.network.room.release(freed);
    }

    /// The message with this number was consumed, and all before it.
    pub fn consumed(&self, number: u32) {
        let mut state = lock(&self.state);
        if state.incoming.consume(number) {
            self.publish_unnumbered(&mut state, Kind::Ack);
        }
    }

    /// How far this end has come with the messages of the other one.
    pub fn progress(&self) -> Progress {
        lock(&self.state).incoming.progress()
    }

    /// The room of messages that are not consumed.
    pub fn held(&self) -> usize {
        lock(&self.state).incoming.held()
    }

    /// Whether all messages have arrived at the other end.
    pub fn is_delivered(&self) -> bool {
        lock(&self.state).outgoing.is_empty()
    }

    /// Sends no more numbered messages, and ends waits for room.
    pub fn end(&self) {
        let mut state = lock(&self.state);
        if std::mem::replace(&mut state.is_over, true) {
            return;
        }
        let freed = std::mem::take(&mut state.outgoing).sent_room();
        drop(state);
        self.room.notify_all();
        self.network.room.release(freed);
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
