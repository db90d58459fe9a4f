//! One session of a worker: bytes between a process and the broker.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use async_nats::{Message, StatusCode, Subject};

use ses_peer::Connection;
use ses_process::{ByteListener, Bytes, ProcessBackend, Worker};
use ses_protocol::frames::{Hello, Message as _, Status};

use crate::channel::{Channel, Route};
use crate::lock::lock;
use crate::network::{Network, Recipient};
use crate::outgoing::WINDOW_BYTES;
use crate::packet::{Kind, PART_BYTES, Packet};
use crate::pings::{Progress, Token, token_text};
use crate::supervisor::counters::Counters;

/// A session whose client is silent for so long is asked whether it exists.
const QUIET: Duration = Duration::from_secs(1);
/// A session whose client is silent for so long is ended. Longer than a client waits for the broker.
const LEASE: Duration = Duration::from_secs(12);
/// How long the last message may take to arrive.
const LAST_WORDS: Duration = Duration::from_secs(12);

/// One session.
pub struct Session {
    pub token: Token,
    pub tenant: String,
    network: Arc<Network>,
    channel: Arc<Channel>,
    counters: Arc<Counters>,
    /// Any thread may hold it, for a few instructions.
    state: Mutex<State>,
    /// The process has ended, or never started.
    has_ended: AtomicBool,
    on_end: Box<dyn Fn() + Send + Sync>,
}

struct State {
    process: Option<Arc<Worker>>,
    heard: Instant,
    probed: Instant,
    /// The client has ended the session, or broken a rule.
    is_killed: bool,
    /// When the last message was sent.
    ended: Option<Instant>,
}

impl Session {
    /// `reply`: where the client receives messages. `on_end`: called when the process has ended, twice.
    pub fn new(
        network: Arc<Network>,
        token: Token,
        tenant: String,
        reply: Subject,
        counters: Arc<Counters>,
        on_end: impl Fn() + Send + Sync + 'static,
    ) -> Arc<Self> {
        let channel = Channel::new(network.clone());
        let name = token_text(&token);
        channel.set_route(Route { to: reply, reply: Subject::from(format!("{}.{name}", network.inbox)) });
        let now = Instant::now();
        let state = State { process: None, heard: now, probed: now, is_killed: false, ended: None };
        let session = Arc::new(Self {
            token,
            tenant,
            network: network.clone(),
            channel,
            counters,
            state: Mutex::new(state),
            has_ended: AtomicBool::new(false),
            on_end: Box::new(on_end),
        });
        let recipient: Weak<dyn Recipient> = Arc::<Self>::downgrade(&session);
        network.add(&name, recipient);
        session
    }

    /// Starts the process, or takes one that is ready.
    pub fn start(self: &Arc<Self>, backend: &ProcessBackend, memory_limit_bytes: usize) {
        let own = self.clone();
        let listener: ByteListener = Box::new(move |bytes| own.on_bytes(bytes));
        match backend.relay(memory_limit_bytes, listener) {
            Ok((process, hello)) => {
                let process = Arc::new(process);
                let mut state = lock(&self.state);
                state.process = Some(process.clone());
                let is_killed = state.is_killed;
                drop(state);
                if let Some(hello) = hello {
                    self.greet(hello);
                }
                if is_killed {
                    process.kill();
                }
            }
            Err(error) => self.end(&format!("no worker process: {error}")),
        }
    }

    /// Called on the thread that reads from the process.
    fn on_bytes(&self, bytes: Bytes) -> Result<(), &'static str> {
        match bytes {
            Bytes::Ready(hello) => self.greet(hello),
            Bytes::Some(bytes) => {
                self.counters.sent_bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                if !self.channel.send_waiting(Kind::Data, bytes) {
                    return Err("the session is over");
                }
            }
            Bytes::Lost(reason) => self.end(&reason),
            Bytes::Unstarted(failure) => self.end(&failure.kind.message()),
        }
        Ok(())
    }

    fn greet(&self, hello: Hello) {
        let mut frame = Vec::new();
        if Status::Hello(hello).write(0, &mut frame).is_ok() {
            self.channel.send(Kind::Data, frame);
        }
    }

    /// The process has ended. `on_end` is called when there is room for another session, and when nothing is left to
    /// say.
    fn end(&self, reason: &str) {
        self.has_ended.store(true, Ordering::Release);
        // Before the client hears of it: its next claim finds the room.
        (self.on_end)();
        // Read after the end was recorded: a kill comes before this, or tells the client itself.
        if lock(&self.state).is_killed {
            self.channel.send_unnumbered(Kind::Closed);
        } else {
            self.counters.lost.fetch_add(1, Ordering::Relaxed);
            self.channel.send(Kind::Lost, reason.as_bytes().to_vec());
        }
        lock(&self.state).ended = Some(Instant::now());
        (self.on_end)();
    }

    /// A message of the client, on the subject of the session.
    pub fn on_client(&self, tenant: &str, message: Message) {
        if tenant != self.tenant {
            return;
        }
        let Some(packet) = Packet::read(message.payload).filter(|packet| packet.payload.len() <= PART_BYTES) else {
            return self.kill();
        };
        if let Some(reply) = message.reply {
            self.channel.set_target(reply);
        }
        lock(&self.state).heard = Instant::now();
        if packet.kind == Kind::Kill {
            return self.kill();
        }
        let Some(packet) = self.channel.take(packet) else { return };
        let number = packet.number;
        self.counters.received_bytes.fetch_add(packet.payload.len() as u64, Ordering::Relaxed);
        let Some(process) = lock(&self.state).process.clone() else { return };
        match packet.kind {
            Kind::Data => process.send(packet.payload.into()),
            Kind::Wake => process.wake(),
            // Only a worker says this.
            _ => return self.kill(),
        }
        if self.channel.held() > WINDOW_BYTES {
            return self.kill();
        }
        // Held until the process has read it, so that a client cannot send faster than the process reads.
        let channel = self.channel.clone();
        process.when_written(move || channel.consumed(number));
    }

    /// The client has named the session in a ping. Returns how far this end has come with the messages of the client.
    pub fn on_ping(&self, tenant: &str, progress: Progress) -> Option<Progress> {
        if tenant != self.tenant {
            return None;
        }
        lock(&self.state).heard = Instant::now();
        self.channel.on_ping(progress);
        Some(self.channel.progress())
    }

    /// Ends the process, and the channel: the thread that reads from the process may wait for room in it.
    pub fn kill(&self) {
        let mut state = lock(&self.state);
        state.is_killed = true;
        let process = state.process.clone();
        drop(state);
        self.channel.end();
        match process {
            _ if self.has_ended.load(Ordering::Acquire) => self.channel.send_unnumbered(Kind::Closed),
            Some(process) => process.kill(),
            None => {}
        }
    }

    /// Tells the client that the worker ends soon.
    pub fn drain(&self) {
        self.channel.send_unnumbered(Kind::Drain);
    }

    /// Checks whether the client still exists. Returns whether the session can be forgotten.
    pub fn check(&self) -> bool {
        let mut state = lock(&self.state);
        if let Some(ended) = state.ended {
            let is_over = state.is_killed || self.channel.is_delivered() || ended.elapsed() > LAST_WORDS;
            drop(state);
            if is_over {
                self.channel.end();
            }
            return is_over;
        }
        let silence = state.heard.elapsed();
        if silence > LEASE && self.network.is_connected() && !self.network.was_away_within(LEASE) {
            drop(state);
            self.kill();
        } else if silence > QUIET && state.probed.elapsed() > QUIET {
            state.probed = Instant::now();
            drop(state);
            self.channel.send_unnumbered(Kind::Probe);
        }
        false
    }

    pub fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }
}

/// Answers to probes, and those of the broker.
impl Recipient for Session {
    fn on_message(self: Arc<Self>, _at: &str, message: Message) {
        let is_refused = message.status == Some(StatusCode::NO_RESPONDERS);
        // The client does not have the session any more.
        if Packet::read(message.payload).is_some_and(|packet| packet.kind == Kind::Kill) {
            return self.kill();
        }
        // The client may have sent something from elsewhere meanwhile, so only a silent one is gone.
        if is_refused && lock(&self.state).heard.elapsed() > QUIET && !self.network.may_be_alone() {
            self.kill();
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.network.remove(&token_text(&self.token));
    }
}
