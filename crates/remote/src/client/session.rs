//! One session on a worker of a fleet, as the client sees it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use async_nats::{Message, StatusCode, Subject};
use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use ses_peer::{Connection, INVALID_MESSAGE, Peer, WorkerEvent};
use ses_protocol::frames::{FromWorker, Malformed, Message as _, Status, VERSION};
use ses_protocol::{Failure, FailureKind};
use ses_session::Machine;

use crate::channel::{Channel, Route};
use crate::claim::{Claim, Claimed, bytes_of, read};
use crate::client::claims::{Answer, Asked, Claims};
use crate::client::frames::FrameBuffer;
use crate::client::pair::{Member, Pair, causes};
use crate::lock::lock;
use crate::network::{LinkToBroker, Network, Recipient};
use crate::packet::{Kind, Packet, packet};
use crate::pings::{Progress, Token, token_of};
use crate::servers::is_name;
use crate::subjects;

/// How long a worker may take to answer a claim. After that, another claim is sent, perhaps to another worker.
const CLAIM: Duration = Duration::from_millis(250);
/// How long claims are sent if no worker answers.
const OPEN: Duration = Duration::from_secs(5);
/// How long claims are sent after a worker has answered that it is full.
const FULL: Duration = Duration::from_millis(250);
/// Delay after the first answer that a worker is full. Doubles with each further answer, up to a limit.
const FULL_DELAY: Duration = Duration::from_millis(4);
const MAX_FULL_DELAY: Duration = Duration::from_millis(50);
/// Workers that may be lost before they have begun the session.
const MAX_WORKERS: u32 = 3;
/// The longest time by which a deadline is later. A worker decides how fast it answers pings.
const MAX_LATENCY: Duration = Duration::from_secs(1);
/// How long a worker may take until the process of a session has ended.
const CLOSE: Duration = Duration::from_secs(1);

/// The reason for `ERR_NO_WORKER`.
mod reasons {
    pub const NONE: &str = "none";
    pub const FULL: &str = "full";
    pub const SILENT: &str = "silent";
    pub const BROKER: &str = "broker";
    pub const REFUSED: &str = "refused";
}

/// One session.
pub struct RemoteSession {
    own: Weak<Self>,
    claim: Claim,
    pool: String,
    /// Bytes of the longest body that the worker may send.
    most: usize,
    handle: Handle,
    /// Only the runtime's thread holds it, while it handles a message.
    peer: Mutex<Reader>,
    /// Any thread may hold it, for a few instructions.
    state: Mutex<State>,
    /// The session was given up, or a claim was answered.
    changed: Notify,
}

/// Checks what the worker sends. Dropped frames belong to a worker that was replaced.
struct Reader {
    peer: Peer,
    frames: FrameBuffer,
    is_over: bool,
}

#[derive(Default)]
struct State {
    network: Option<Arc<Network>>,
    /// The part of the inbox that belongs to the session.
    name: String,
    claims: Claims,
    /// Frames that another worker would need if this one is lost before it has begun the session.
    opening: Vec<Vec<u8>>,
    is_initialized: bool,
    worker: Option<Worker>,
    /// Workers that have taken the session.
    workers: u32,
    machine: Option<Arc<Machine>>,
    /// The worker ends soon.
    is_draining: bool,
    /// The host has given the session up. A verdict is reported to it.
    is_given_up: bool,
    verdict: Option<&'static str>,
    cause: Option<&'static str>,
    is_closed: bool,
}

/// The worker that has the session.
#[derive(Clone)]
struct Worker {
    /// The claim that the worker has answered. Messages for other ones are of no interest.
    claim: u32,
    pair: Arc<Pair>,
    token: Token,
    channel: Arc<Channel>,
}

static NUMBERS: AtomicU64 = AtomicU64::new(1);

impl RemoteSession {
    pub fn new(peer: Peer, claim: Claim, pool: String, most: usize, handle: Handle) -> Arc<Self> {
        let reader = Reader { peer, frames: FrameBuffer::default(), is_over: false };
        let name = format!("s-{}", NUMBERS.fetch_add(1, Ordering::Relaxed));
        Arc::new_cyclic(|own| Self {
            own: own.clone(),
            claim,
            pool,
            most,
            handle,
            peer: Mutex::new(reader),
            state: Mutex::new(State { name, ..State::default() }),
            changed: Notify::new(),
        })
    }

    /// Connects, and finds a worker.
    pub async fn open(self: Arc<Self>, link: Arc<LinkToBroker>) {
        match link.network().await {
            Ok(network) => {
                let recipient: Weak<dyn Recipient> = self.own.clone();
                let name = {
                    let mut state = lock(&self.state);
                    state.network = Some(network.clone());
                    state.name.clone()
                };
                network.add(&name, recipient);
                self.find(network).await;
            }
            Err(error) => self.fail(no_worker(reasons::BROKER, &error)),
        }
    }

    /// Finds a worker and sends it what begins the session.
    async fn find(self: Arc<Self>, network: Arc<Network>) {
        let start = Instant::now();
        let mut delay = FULL_DELAY;
        let mut asked = Asked::WithRoom;
        loop {
            if self.is_given_up() {
                return self.finish("the session was given up");
            }
            let full_for = lock(&self.state).claims.full_for();
            if full_for.is_some_and(|time| time >= FULL) {
                return self.fail(all_full());
            }
            if start.elapsed() > OPEN {
                let is_away = network.away_for().is_some();
                return self.fail(match is_away {
                    true => no_worker(reasons::BROKER, "the broker is unreachable"),
                    false => no_worker(reasons::SILENT, "no worker of the pool answers"),
                });
            }
            self.send_claim(&network, asked);
            let limit = full_for.map_or(CLAIM, |time| CLAIM.min(FULL.saturating_sub(time)));
            let answered = timeout(limit, self.answered()).await;
            asked = Asked::WithRoom;
            match answered {
                Ok(Some(Answer::Claimed(claimed, number))) => {
                    if self.begin(&network, &claimed, number) {
                        return;
                    }
                }
                // Workers without room receive no claims, except those that ask them.
                Ok(Some(Answer::NoRoom)) => asked = Asked::WithoutRoom,
                Ok(Some(Answer::NoWorker)) if network.may_be_alone() => sleep(CLAIM / 5).await,
                Ok(Some(Answer::NoWorker)) => {
                    return self.fail(no_worker(reasons::NONE, "the pool has no worker of this version"));
                }
                Ok(Some(Answer::Full)) => {
                    if full_for.unwrap_or_default() + delay > FULL {
                        return self.fail(all_full());
                    }
                    sleep(delay).await;
                    delay = (delay * 2).min(MAX_FULL_DELAY);
                }
                Ok(Some(Answer::Refused(reason))) => return self.fail(no_worker(reasons::REFUSED, &reason)),
                // Given up, or no answer.
                Ok(None) | Err(_) => {}
            }
        }
    }

    fn send_claim(&self, network: &Network, asked: Asked) {
        let subject = match asked {
            Asked::WithRoom => subjects::open(&self.pool),
            Asked::WithoutRoom => subjects::full(&self.pool),
        };
        let number = lock(&self.state).claims.add(asked);
        network.publish(subject.into(), Some(self.inbox(network, number)), bytes_of(&self.claim).into());
    }

    /// Where the answer to a claim arrives, and what the worker that has answered it sends after that.
    fn inbox(&self, network: &Network, claim: u32) -> Subject {
        Subject::from(format!("{}.{}.{claim}", network.inbox, lock(&self.state).name))
    }

    /// `None`: the session was given up.
    async fn answered(&self) -> Option<Answer> {
        loop {
            {
                let mut state = lock(&self.state);
                if let Some(answer) = state.claims.take() {
                    return Some(answer);
                }
                if state.is_given_up {
                    return None;
                }
            }
            self.changed.notified().await;
        }
    }

    /// A worker has claimed the session. Returns false if the answer is not one of a worker.
    fn begin(&self, network: &Arc<Network>, claimed: &Claimed, claim: u32) -> bool {
        let Some(token) = token_of(&claimed.token).filter(|_| is_name(&claimed.worker)) else { return false };
        let pair = Pair::with(&claimed.worker, network);
        let channel = Channel::new(network.clone());
        let to = Subject::from(subjects::session(&claimed.worker, &claimed.token));
        let reply = self.inbox(network, claim);
        let mut state = lock(&self.state);
        state.worker = Some(Worker { claim, pair: pair.clone(), token, channel: channel.clone() });
        state.workers += 1;
        state.machine =
            Some(Arc::new(Machine { worker: claimed.worker.clone(), node: claimed.node.chars().take(64).collect() }));
        let member: Weak<dyn Member> = self.own.clone();
        pair.add(token, member);
        channel.set_route(Route { to, reply });
        // Under the lock, so that frames keep their order.
        state.opening.iter().for_each(|frame| channel.send(Kind::Data, frame.clone()));
        let is_given_up = state.is_given_up;
        drop(state);
        if is_given_up {
            self.close();
        }
        true
    }

    fn is_given_up(&self) -> bool {
        lock(&self.state).is_given_up
    }

    fn worker(&self) -> Option<Worker> {
        lock(&self.state).worker.clone()
    }

    /// No worker was found.
    fn fail(&self, failure: Failure) {
        self.report(WorkerEvent::Unstarted(failure));
    }

    /// The session is over.
    fn finish(&self, reason: &str) {
        let verdict = lock(&self.state).verdict;
        self.report(WorkerEvent::Lost(verdict.unwrap_or(reason).to_owned()));
    }

    /// Reports the last event.
    fn report(&self, event: WorkerEvent) {
        let (network, name) = {
            let mut state = lock(&self.state);
            state.is_closed = true;
            state.opening = Vec::new();
            (state.network.take(), state.name.clone())
        };
        if let Some(network) = network {
            network.remove(&name);
        }
        let mut reader = lock(&self.peer);
        if !std::mem::replace(&mut reader.is_over, true) {
            // The worker is gone already.
            let _ = reader.peer.on_worker_event(event);
        }
    }

    /// The host has given the session up: ends the process, and waits a while for its end.
    fn close(&self) {
        self.changed.notify_one();
        let Some(own) = self.own.upgrade() else { return };
        let Some(worker) = self.worker() else { return };
        worker.channel.send_unnumbered(Kind::Kill);
        self.handle.spawn(async move {
            sleep(CLOSE).await;
            own.on_closed();
        });
    }

    fn on_closed(&self) {
        if let Some(worker) = lock(&self.state).worker.take() {
            worker.pair.remove(&worker.token);
            worker.channel.end();
        }
        if !lock(&self.state).is_closed {
            self.finish("the session was given up");
        }
    }

    /// A message of the worker that has the session.
    fn on_packet(&self, worker: &Worker, message: Packet) {
        match message.kind {
            Kind::Closed => {
                if self.is_given_up() {
                    self.on_closed();
                } else {
                    self.lose(causes::GONE, "the worker has ended the session");
                }
            }
            Kind::Drain => {
                lock(&self.state).is_draining = true;
                self.leave_if_idle();
            }
            _ => {
                let Some(message) = worker.channel.take(message) else { return };
                let number = message.number;
                let result = match message.kind {
                    Kind::Data => self.on_data(&message.payload),
                    Kind::Lost => {
                        let reason = String::from_utf8_lossy(&message.payload);
                        return match self.is_given_up() {
                            true => self.on_closed(),
                            false => self.lose(causes::GONE, &reason),
                        };
                    }
                    _ => Ok(()),
                };
                worker.channel.consumed(number);
                if let Err(reason) = result {
                    self.lose_for(reason);
                }
                if lock(&self.state).is_draining {
                    self.leave_if_idle();
                }
            }
        }
    }

    /// The worker has broken a rule, or the session has ended by itself.
    fn lose_for(&self, reason: &'static str) {
        lock(&self.state).is_given_up = true;
        let cause = if reason == OTHER_VERSION { causes::VERSION } else { causes::GONE };
        self.lose(cause, reason);
    }

    fn on_data(&self, bytes: &[u8]) -> Result<(), &'static str> {
        let mut reader = lock(&self.peer);
        let Reader { peer, frames, is_over } = &mut *reader;
        if *is_over {
            return Ok(());
        }
        let result = frames.add(bytes, self.most, |head, body| {
            let message = FromWorker::read(head.kind, body)?;
            peer.on_worker_event(match message {
                FromWorker::Status(Status::Hello(hello)) if hello.version == VERSION => WorkerEvent::Ready(hello),
                FromWorker::Status(Status::Hello(_)) => return Err(Refusal(OTHER_VERSION)),
                FromWorker::Event(event) => WorkerEvent::Event(event),
            })
            .map_err(Refusal)
        });
        if peer.is_initialized() {
            let mut state = lock(&self.state);
            state.is_initialized = true;
            state.opening = Vec::new();
        }
        result.map_err(|Refusal(reason)| reason)
    }

    /// Gives up a worker that ends soon, if the session has no work under way.
    fn leave_if_idle(&self) {
        let is_idle = lock(&self.peer).peer.session_state().is_idle();
        if is_idle && !self.is_given_up() {
            self.lose(causes::DRAINING, "the worker ends, because it is drained");
        }
    }
}

/// A reason for ending a worker.
struct Refusal(&'static str);

impl From<Malformed> for Refusal {
    fn from(_: Malformed) -> Self {
        Self(INVALID_MESSAGE)
    }
}

/// The worker uses other frames than this client.
const OTHER_VERSION: &str = "the worker is of another version of ses-executor";

fn all_full() -> Failure {
    no_worker(reasons::FULL, "all workers of the pool are full")
}

fn no_worker(reason: &str, text: &str) -> Failure {
    Failure::new(FailureKind::NoWorker { reason: text.to_owned() }).with("reason", reason)
}

impl Member for RemoteSession {
    fn progress(&self) -> Progress {
        self.worker().map_or_else(Progress::default, |worker| worker.channel.progress())
    }

    fn on_ping(&self, progress: Progress) {
        if let Some(worker) = self.worker() {
            worker.channel.on_ping(progress);
        }
    }

    fn touch(&self) {
        if let Some(worker) = self.worker() {
            worker.channel.send_unnumbered(Kind::Ack);
        }
    }

    /// Finds another worker if this one had not begun the session. Called on the runtime's thread.
    fn lose(&self, cause: &'static str, reason: &str) {
        let mut state = lock(&self.state);
        let worker = state.worker.take();
        let may_move = !state.is_initialized && !state.is_given_up && state.workers < MAX_WORKERS;
        // A worker that is drained ends what does not end by itself.
        let cause = if state.is_draining && cause == causes::GONE { causes::DRAINING } else { cause };
        state.cause.get_or_insert(cause);
        let network = state.network.clone();
        if may_move {
            state.cause = None;
            state.is_draining = false;
            // Messages of the worker that was lost are ignored from now on.
            state.claims.restart();
        }
        drop(state);
        if let Some(worker) = worker {
            worker.pair.remove(&worker.token);
            worker.channel.send_unnumbered(Kind::Kill);
            worker.channel.end();
        }
        match (network, self.own.upgrade()) {
            (Some(network), Some(own)) if may_move => {
                lock(&self.peer).frames = FrameBuffer::default();
                self.handle.spawn(own.find(network));
            }
            _ => self.finish(reason),
        }
    }
}

impl Recipient for RemoteSession {
    fn on_message(self: Arc<Self>, at: &str, message: Message) {
        let Ok(claim) = at.parse::<u32>() else { return };
        let (worker, is_current) = {
            let state = lock(&self.state);
            let is_current = match &state.worker {
                Some(worker) => worker.claim == claim,
                None => state.claims.is_current(claim),
            };
            (state.worker.clone(), is_current)
        };
        if message.status == Some(StatusCode::NO_RESPONDERS) {
            match worker {
                Some(worker) if is_current => worker.pair.request_ping(),
                None if is_current => self.on_answer(|claims| claims.add_unreceived(claim)),
                _ => {}
            }
            return;
        }
        // Of a worker that was replaced.
        if !is_current && let Some(network) = lock(&self.state).network.clone() {
            network.answer_probe(&message);
        }
        let Some(packet) = Packet::read(message.payload) else { return };
        match (packet.kind, worker) {
            (Kind::Claimed, worker) => {
                let Some(claimed) = read::<Claimed>(&packet.payload) else { return };
                let is_wanted = is_current && worker.is_none() && {
                    let state = lock(&self.state);
                    !state.is_given_up && !state.claims.is_claimed()
                };
                if is_wanted {
                    self.on_answer(|claims| claims.answer(Answer::Claimed(claimed, claim)));
                } else if let Some(network) = lock(&self.state).network.clone() {
                    release(&network, &claimed);
                }
            }
            (Kind::Full, None) if is_current => self.on_answer(|claims| claims.answer(Answer::Full)),
            (Kind::Refused, None) if is_current => {
                let reason = String::from_utf8_lossy(&packet.payload).chars().take(500).collect();
                self.on_answer(|claims| claims.answer(Answer::Refused(reason)));
            }
            (_, Some(worker)) if is_current => self.on_packet(&worker, packet),
            _ => {}
        }
    }
}

impl RemoteSession {
    /// Records the answer to a claim.
    fn on_answer(&self, record: impl FnOnce(&mut Claims)) {
        record(&mut lock(&self.state).claims);
        self.changed.notify_one();
    }
}

/// Frees a worker that has claimed a session too late.
fn release(network: &Network, claimed: &Claimed) {
    if is_name(&claimed.worker) && token_of(&claimed.token).is_some() {
        let to = Subject::from(subjects::session(&claimed.worker, &claimed.token));
        let kill: Bytes = packet(Kind::Kill, 0, Vec::new());
        network.publish(to, None, kill);
    }
}

impl Connection for RemoteSession {
    fn send(&self, frame: Vec<u8>) {
        let mut state = lock(&self.state);
        if !state.is_initialized && !state.is_closed {
            state.opening.push(frame.clone());
        }
        // Under the lock, so that frames keep their order.
        if let Some(worker) = &state.worker {
            worker.channel.send(Kind::Data, frame);
        }
    }

    fn wake(&self) {
        if let Some(worker) = &lock(&self.state).worker {
            worker.channel.send(Kind::Wake, Vec::new());
        }
    }

    /// Not used: the supervisor replaces processes that were started ahead of need.
    fn replace(&self, _frame: Vec<u8>) {
        self.kill();
    }

    fn kill(&self) {
        let is_new = !std::mem::replace(&mut lock(&self.state).is_given_up, true);
        if is_new {
            self.close();
        }
    }

    fn end(&self, reason: &'static str) {
        {
            let mut state = lock(&self.state);
            if !state.is_given_up {
                state.verdict = Some(reason);
                state.cause.get_or_insert(causes::HUNG);
            }
        }
        self.kill();
    }

    fn pid(&self) -> Option<u32> {
        None
    }

    fn machine(&self) -> Option<Arc<Machine>> {
        lock(&self.state).machine.clone()
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn latency(&self) -> Duration {
        self.worker().map_or(Duration::ZERO, |worker| worker.pair.round_trip()).min(MAX_LATENCY)
    }

    fn lost_cause(&self) -> Option<&'static str> {
        lock(&self.state).cause
    }
}
