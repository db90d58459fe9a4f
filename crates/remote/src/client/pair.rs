//! Whether a worker is there: pings between this client and one worker, for all sessions that they have together.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, Weak};
use std::time::{Duration, Instant};

use async_nats::{Message, StatusCode, Subject};
use bytes::Bytes;
use tokio::sync::Notify;
use tokio::time::{MissedTickBehavior, interval};

use crate::lock::lock;
use crate::network::{Network, Recipient};
use crate::pings::{Ping, Progress, Token};
use crate::subjects;

/// Interval of pings.
const PING: Duration = Duration::from_millis(250);
/// How much earlier than an interval a ping may be judged.
const SLACK: Duration = Duration::from_millis(50);
/// Intervals without an answer after which a worker counts as hung, if the broker has brought an echo in each.
const MISSED: u32 = 5;
/// Pings whose answers are still measured. Longer than a broker whose echo is missing counts as present.
const MEASURED: usize = 8;
/// A broker whose echo takes longer counts as away.
const ECHO: Duration = Duration::from_millis(600);
/// How long the broker may be away.
const BROKER_BUDGET: Duration = Duration::from_secs(10);
/// Interval at which each session tells the worker where it receives messages.
const TOUCH: Duration = Duration::from_secs(10);
/// In an inbox: the echo of a ping.
const ECHOES: &str = "echo";

/// Why sessions were lost: `details.reason` of the error.
pub mod causes {
    pub const GONE: &str = "gone";
    pub const HUNG: &str = "hung";
    pub const BROKER: &str = "broker";
    pub const DRAINING: &str = "draining";
    pub const VERSION: &str = "version";
}

/// A session of a pair.
pub trait Member: Send + Sync {
    /// How far this session has come with the messages of the worker.
    fn progress(&self) -> Progress;

    /// How far the worker has come.
    fn on_ping(&self, progress: Progress);

    /// Tells the worker where this session receives messages.
    fn touch(&self);

    /// The worker is lost, for this reason.
    fn lose(&self, cause: &'static str, reason: &str);
}

/// This client and one worker.
pub struct Pair {
    worker: String,
    network: Arc<Network>,
    /// The part of the inbox that receives answers.
    name: String,
    /// Any thread may hold it, for a few instructions.
    sessions: Mutex<HashMap<Token, Weak<dyn Member>>>,
    state: Mutex<State>,
    /// The measured round trip, in microseconds.
    round_trip: AtomicU64,
    /// Asks for a ping before the next interval.
    soon: Arc<Notify>,
}

#[derive(Default)]
struct State {
    /// The number of the last ping.
    number: u32,
    /// The last pings, and when they were sent.
    sent: VecDeque<(u32, Instant)>,
    /// Since the last ping. Over a long distance an echo or an answer may belong to an earlier one.
    has_echo: bool,
    has_answer: bool,
    missed: u32,
    /// When the first ping was sent of those since the last echo.
    without_echo: Option<Instant>,
}

/// All pairs of this process, by the inbox of the connection and the name of the worker.
static PAIRS: LazyLock<Mutex<HashMap<Key, Weak<Pair>>>> = LazyLock::new(Mutex::default);

type Key = (String, String);

impl Pair {
    /// The pair with this worker. Its pings begin with its first session.
    pub fn with(worker: &str, network: &Arc<Network>) -> Arc<Self> {
        let key = (network.inbox.clone(), worker.to_owned());
        let mut pairs = lock(&PAIRS);
        if let Some(pair) = pairs.get(&key).and_then(Weak::upgrade) {
            return pair;
        }
        let soon = Arc::new(Notify::new());
        let pair = Arc::new(Self {
            worker: worker.to_owned(),
            network: network.clone(),
            name: format!("p-{worker}"),
            sessions: Mutex::default(),
            state: Mutex::default(),
            round_trip: AtomicU64::new(0),
            soon: soon.clone(),
        });
        pairs.retain(|_, pair| pair.strong_count() > 0);
        pairs.insert(key, Arc::downgrade(&pair));
        let recipient: Weak<dyn Recipient> = Arc::<Self>::downgrade(&pair);
        network.add(&pair.name, recipient);
        network.handle.spawn(watch(Arc::downgrade(&pair), soon, network.clone()));
        pair
    }

    pub fn add(&self, token: Token, session: Weak<dyn Member>) {
        lock(&self.sessions).insert(token, session);
    }

    pub fn remove(&self, token: &Token) {
        lock(&self.sessions).remove(token);
    }

    /// The time that a message and its answer take.
    pub fn round_trip(&self) -> Duration {
        Duration::from_micros(self.round_trip.load(Ordering::Relaxed))
    }

    /// The broker has reported that nothing receives messages for the worker. The next ping confirms it.
    pub fn request_ping(&self) {
        self.soon.notify_one();
    }

    fn all(&self) -> Vec<(Token, Arc<dyn Member>)> {
        let mut sessions = lock(&self.sessions);
        sessions.retain(|_, session| session.strong_count() > 0);
        sessions.iter().filter_map(|(token, session)| Some((*token, session.upgrade()?))).collect()
    }

    fn lose_all(&self, cause: &'static str, reason: &str) {
        for (token, session) in self.all() {
            self.remove(&token);
            session.lose(cause, reason);
        }
    }

    /// Judges the last ping and sends the next one.
    fn tick(&self) {
        let network = &self.network;
        let mut state = lock(&self.state);
        if !network.is_connected() || state.without_echo.is_some_and(|since| since.elapsed() > ECHO) {
            network.note_absence();
        }
        // Not after a ping that was sent soon after the one before.
        let is_due = state.sent.back().is_some_and(|(_, sent)| sent.elapsed() + SLACK >= PING);
        if is_due && state.has_echo {
            state.missed = if state.has_answer { 0 } else { state.missed + 1 };
        }
        let is_hung = state.missed >= MISSED;
        let is_away = network.away_for().is_some_and(|away| away > BROKER_BUDGET);
        if is_hung || is_away {
            drop(state);
            return match is_away {
                true => self.lose_all(causes::BROKER, "the broker was unreachable for too long"),
                false => self.lose_all(causes::HUNG, "the worker does not answer"),
            };
        }
        state.number = state.number.wrapping_add(1);
        let number = state.number;
        state.sent.push_back((number, Instant::now()));
        if state.sent.len() > MEASURED {
            state.sent.pop_front();
        }
        (state.has_echo, state.has_answer) = (false, false);
        state.without_echo.get_or_insert_with(Instant::now);
        drop(state);
        if !network.is_connected() {
            return;
        }
        let sessions = self.all().into_iter().map(|(token, session)| (token, Some(session.progress()))).collect();
        let reply = |name: &str| Subject::from(format!("{}.{}{name}", network.inbox, self.name));
        for ping in Ping::parts(number, sessions) {
            network.publish(subjects::ping(&self.worker).into(), Some(reply("")), ping.write().into());
        }
        let echo = Bytes::copy_from_slice(&number.to_le_bytes());
        network.publish(reply(&format!(".{ECHOES}")), None, echo);
    }

    fn on_echo(&self) {
        self.network.note_presence();
        let mut state = lock(&self.state);
        state.has_echo = true;
        state.without_echo = None;
    }

    fn on_answer(&self, answer: Ping) {
        let mut state = lock(&self.state);
        state.has_answer = true;
        if let Some((_, sent)) = state.sent.iter().find(|(number, _)| *number == answer.number) {
            let measured = u64::try_from(sent.elapsed().as_micros()).unwrap_or(u64::MAX);
            self.round_trip.store(measured, Ordering::Relaxed);
        }
        state.missed = 0;
        drop(state);
        let sessions = lock(&self.sessions);
        let known: Vec<_> = answer
            .sessions
            .into_iter()
            .filter_map(|(token, progress)| Some((token, progress, sessions.get(&token)?.upgrade()?)))
            .collect();
        drop(sessions);
        for (token, progress, session) in known {
            match progress {
                Some(progress) => session.on_ping(progress),
                None => {
                    self.remove(&token);
                    session.lose(causes::GONE, "the worker no longer has the session");
                }
            }
        }
    }
}

impl Recipient for Pair {
    fn on_message(self: Arc<Self>, at: &str, message: Message) {
        if message.status == Some(StatusCode::NO_RESPONDERS) {
            // After an absence of the broker, the client may be back before the worker.
            if !self.network.may_be_alone() {
                self.lose_all(causes::GONE, "the worker is gone");
            }
        } else if at == ECHOES {
            self.on_echo();
        } else if let Some(answer) = Ping::read(&message.payload) {
            self.on_answer(answer);
        }
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        // A new pair with the same worker may have taken the name already.
        self.network.remove_ended(&self.name);
    }
}

/// Pings as long as the pair has sessions.
async fn watch(pair: Weak<Pair>, soon: Arc<Notify>, network: Arc<Network>) {
    let mut ticks = interval(PING);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut touched = Instant::now();
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = soon.notified() => {}
            () = network.is_back.notified() => {}
        }
        // Not held while this waits: the pair ends with its last session.
        let Some(pair) = pair.upgrade() else { return };
        pair.tick();
        if touched.elapsed() > TOUCH {
            touched = Instant::now();
            pair.all().into_iter().for_each(|(_, session)| session.touch());
        }
    }
}
