//! A worker of a fleet: its sessions, and what it says about itself.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use async_nats::{Client, Message, Subject, Subscriber};
use futures_util::StreamExt;
use futures_util::stream::select;
use tokio::sync::Notify;
use tokio::time::{MissedTickBehavior, interval, timeout};

use ses_peer::Confinement;
use ses_protocol::frames::VERSION;

use crate::claim::{Claim, Claimed, bytes_of, read};
use crate::lock::lock;
use crate::network::{LinkToBroker, Network, wait_for};
use crate::packet::{Kind, packet};
use crate::pings::{Ping, Progress, Token, token_of, token_text};
use crate::servers::{Fleet, is_name};
use crate::status::Status;
use crate::subjects::{self, Arrived, arrived};
use crate::supervisor::counters::Counters;
use crate::supervisor::offers::{Backends, Offer, Offers};
use crate::supervisor::queue_group::{self, Owner};
use crate::supervisor::session::Session;
use crate::supervisor::tokens::random_token;

/// Interval at which sessions are checked.
const CHECK: Duration = Duration::from_millis(250);
/// A worker that does not check sessions for so long was stopped itself.
const PAUSE: Duration = Duration::from_secs(2);
/// How long a worker may take to leave after its last session.
const LEAVE: Duration = Duration::from_secs(1);

/// How a worker serves.
pub struct WorkerOptions {
    pub fleet: Fleet,
    /// The worker's name, which no other worker has.
    pub name: String,
    /// The name of the machine.
    pub node: String,
    /// The version of the package.
    pub version: String,
    /// Sessions at the same time.
    pub capacity: usize,
    /// The least confinement of a session's process.
    pub confinement: Confinement,
    /// The largest memory limit of a session.
    pub max_memory_bytes: usize,
    pub offers: Vec<Offer>,
    pub backends: Backends,
}

/// The state of a worker at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkerStats {
    pub capacity: usize,
    pub sessions: usize,
    pub opened: u64,
    pub refused: u64,
    pub lost: u64,
    pub sent_bytes: u64,
    pub received_bytes: u64,
    pub is_draining: bool,
    pub is_connected: bool,
    /// How long the broker has been away, in milliseconds.
    pub away_ms: u64,
}

/// A worker, which serves until it is dropped.
pub struct Supervisor {
    inner: Arc<Inner>,
}

struct Inner {
    options: Settings,
    offers: Offers,
    backends: Backends,
    network: Arc<Network>,
    started: Instant,
    counters: Arc<Counters>,
    /// Any thread may hold it, for a few instructions.
    sessions: Mutex<HashMap<Token, Arc<Session>>>,
    is_draining: AtomicBool,
    /// There is room, there is none any more, or the worker is drained.
    changed: Notify,
    /// A process has ended.
    has_ended: Notify,
    /// No session has a process.
    is_empty: Notify,
}

/// The options without what is used elsewhere.
struct Settings {
    fleet: Fleet,
    name: String,
    node: String,
    version: String,
    capacity: usize,
}

impl Supervisor {
    /// Connects and takes sessions. Waits until it does.
    ///
    /// # Errors
    ///
    /// For people.
    pub fn start(options: WorkerOptions) -> Result<Self, String> {
        if !is_name(&options.name) || !is_name(&options.fleet.pool) {
            return Err("names of workers and pools have letters, digits, - and _ only".to_owned());
        }
        wait_for(async move {
            // Its own connection: that of executors in the same process may be used by other tenants.
            let network = LinkToBroker::new(&options.fleet).network().await?;
            let WorkerOptions { fleet, name, node, version, capacity, confinement, max_memory_bytes, offers, backends } =
                options;
            let inner = Arc::new(Inner {
                options: Settings { fleet, name, node, version, capacity },
                offers: Offers::new(offers, confinement, max_memory_bytes),
                backends,
                network,
                started: Instant::now(),
                counters: Arc::default(),
                sessions: Mutex::default(),
                is_draining: AtomicBool::new(false),
                changed: Notify::new(),
                has_ended: Notify::new(),
                is_empty: Notify::new(),
            });
            inner.serve().await.map_err(|error| error.to_string())?;
            Ok(Self { inner })
        })?
    }

    pub fn stats(&self) -> WorkerStats {
        self.inner.stats()
    }

    /// Takes no more sessions.
    pub fn drained(&self) -> Drained {
        self.inner.is_draining.store(true, Ordering::Release);
        self.inner.changed.notify_one();
        self.inner.all().iter().for_each(|session| session.drain());
        Drained(self.inner.clone())
    }
}

/// A worker that takes no more sessions.
pub struct Drained(Arc<Inner>);

impl Drained {
    /// Waits until its sessions are over or have moved, at most for `grace`. Then ends the rest.
    ///
    /// # Errors
    ///
    /// The runtime has no thread.
    pub fn wait(self, grace: Duration) -> Result<(), String> {
        let Self(inner) = self;
        wait_for(async move {
            let _ = timeout(grace, inner.emptied()).await;
            inner.all().iter().for_each(|session| session.kill());
            let _ = timeout(LEAVE, inner.emptied()).await;
            let _ = timeout(LEAVE, inner.network.client.flush()).await;
        })
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.inner.is_draining.store(true, Ordering::Release);
        self.inner.changed.notify_one();
        self.inner.all().iter().for_each(|session| session.kill());
    }
}

impl Owner for Inner {
    fn client(&self) -> &Client {
        &self.network.client
    }

    fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Acquire)
    }

    fn changed(&self) -> &Notify {
        &self.changed
    }

    fn pool(&self) -> &str {
        &self.options.fleet.pool
    }

    fn has_room(&self) -> bool {
        let sessions = lock(&self.sessions);
        // Sessions without a process wait until their last message has arrived.
        let capacity = self.options.capacity;
        !self.is_draining() && live(&sessions) < capacity && sessions.len() < 2 * capacity
    }

    fn on_claim(self: &Arc<Self>, message: Message) {
        let Some(reply) = message.reply else { return };
        if !self.has_room() {
            return self.answer(reply, Kind::Full, Vec::new());
        }
        let claim = read::<Claim>(&message.payload).ok_or_else(|| "the claim is of another version".to_owned());
        let Some(Arrived { tenant, .. }) = arrived(&message.subject) else { return };
        let begun = claim.and_then(|claim| {
            let request = self.offers.find(&claim)?;
            let token = random_token().map_err(|error| error.to_string())?;
            Ok((request, token, claim.memory_limit_bytes))
        });
        let (request, token, memory_limit_bytes) = match begun {
            Ok(begun) => begun,
            Err(reason) => return self.answer(reply, Kind::Refused, reason.into_bytes()),
        };
        self.counters.opened.fetch_add(1, Ordering::Relaxed);
        let own = Arc::downgrade(self);
        let on_end = move || {
            if let Some(own) = own.upgrade() {
                own.has_ended.notify_one();
                own.changed.notify_one();
            }
        };
        let (network, counters) = (self.network.clone(), self.counters.clone());
        let session = Session::new(network, token, tenant.to_owned(), reply.clone(), counters, on_end);
        lock(&self.sessions).insert(token, session.clone());
        let Settings { name: worker, node, .. } = &self.options;
        let claimed = Claimed { worker: worker.clone(), node: node.clone(), token: token_text(&token) };
        self.answer(reply, Kind::Claimed, bytes_of(&claimed));
        session.start(&(self.backends)(request), memory_limit_bytes);
        if !self.has_room() {
            self.changed.notify_one();
        }
    }

    fn on_claim_when_full(&self, message: Message) {
        if let Some(reply) = message.reply {
            self.answer(reply, Kind::Full, Vec::new());
        }
    }
}

impl Inner {
    /// Subscribes to everything that a worker receives.
    async fn serve(self: &Arc<Self>) -> Result<(), async_nats::SubscribeError> {
        let own = self.subscribe_twice(&subjects::worker(&self.options.name)).await?;
        let asked = self.subscribe_twice(&subjects::status(&self.options.fleet.pool)).await?;
        self.each(own, Self::on_own);
        self.each(asked, Self::on_status_request);
        queue_group::join(self).await?;
        // The broker knows the subscriptions when this returns.
        let _ = self.network.client.flush().await;
        let checked = Arc::downgrade(self);
        self.network.handle.spawn(check(checked));
        Ok(())
    }

    /// As a client of the same account names the subject, and as tenants do.
    async fn subscribe_twice(&self, subject: &str) -> Result<[Subscriber; 2], async_nats::SubscribeError> {
        let client = &self.network.client;
        Ok([client.subscribe(subject.to_owned()).await?, client.subscribe(subjects::of_tenants(subject)).await?])
    }

    /// Handles messages as long as the worker lives.
    fn each(self: &Arc<Self>, [plain, of_tenants]: [Subscriber; 2], handle: fn(&Arc<Self>, Message)) {
        let own = Arc::downgrade(self);
        self.network.handle.spawn(async move {
            let mut messages = select(plain, of_tenants);
            while let Some(message) = messages.next().await {
                let Some(own) = own.upgrade() else { return };
                handle(&own, message);
            }
        });
    }

    fn answer(&self, to: Subject, kind: Kind, payload: Vec<u8>) {
        if kind != Kind::Claimed {
            self.counters.refused.fetch_add(1, Ordering::Relaxed);
        }
        self.network.publish(to, None, packet(kind, 0, payload));
    }

    /// A ping, or a message of a session.
    fn on_own(self: &Arc<Self>, message: Message) {
        let subject = message.subject.clone();
        let Some(Arrived { tenant, rest }) = arrived(&subject) else { return };
        let Some(at) = rest.strip_prefix("w.").and_then(|rest| rest.strip_prefix(self.options.name.as_str())) else {
            return;
        };
        if at == ".ping" {
            return self.on_ping(tenant, message);
        }
        let Some(token) = at.strip_prefix(".s.").and_then(token_of) else { return };
        let session = lock(&self.sessions).get(&token).cloned();
        if let Some(session) = session {
            session.on_client(tenant, message);
        }
    }

    fn on_ping(&self, tenant: &str, message: Message) {
        let (Some(reply), Some(ping)) = (message.reply, Ping::read(&message.payload)) else { return };
        let answered = |(token, progress): (Token, Option<Progress>)| {
            let session = lock(&self.sessions).get(&token).cloned();
            (token, session.and_then(|session| session.on_ping(tenant, progress.unwrap_or_default())))
        };
        let answer = Ping { number: ping.number, sessions: ping.sessions.into_iter().map(answered).collect() };
        self.network.publish(reply, None, answer.write().into());
    }

    fn on_status_request(self: &Arc<Self>, message: Message) {
        let Some(reply) = message.reply else { return };
        let is_own = arrived(&message.subject).is_some_and(|arrived| arrived.tenant.is_empty());
        let Settings { fleet, name, node, version, capacity } = &self.options;
        let stats = self.stats();
        let status = Status {
            worker: name,
            pool: &fleet.pool,
            node,
            version,
            frames: VERSION,
            pid: std::process::id(),
            state: match stats {
                WorkerStats { is_draining: true, .. } => "draining",
                WorkerStats { sessions, .. } if sessions >= *capacity => "full",
                _ => "ready",
            },
            capacity: *capacity,
            sessions: stats.sessions,
            tenants: is_own.then(|| self.tenants()),
            load: load(),
            cpus: std::thread::available_parallelism().map_or(1, usize::from),
            opened: stats.opened,
            refused: stats.refused,
            lost: stats.lost,
            uptime_ms: u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        self.network.publish(reply, None, bytes_of(&status).into());
    }

    fn tenants(&self) -> BTreeMap<String, usize> {
        let mut tenants = BTreeMap::new();
        for session in lock(&self.sessions).values().filter(|session| !session.has_ended()) {
            *tenants.entry(session.tenant.clone()).or_default() += 1;
        }
        tenants
    }

    fn stats(&self) -> WorkerStats {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let counters = &self.counters;
        let away = self.network.away_for();
        WorkerStats {
            capacity: self.options.capacity,
            sessions: live(&lock(&self.sessions)),
            opened: of(&counters.opened),
            refused: of(&counters.refused),
            lost: of(&counters.lost),
            sent_bytes: of(&counters.sent_bytes),
            received_bytes: of(&counters.received_bytes),
            is_draining: self.is_draining(),
            is_connected: self.network.is_connected(),
            away_ms: away.map_or(0, |away| u64::try_from(away.as_millis()).unwrap_or(u64::MAX)),
        }
    }

    fn all(&self) -> Vec<Arc<Session>> {
        lock(&self.sessions).values().cloned().collect()
    }

    /// Forgets sessions that are over, and ends those whose client is gone.
    fn check_sessions(&self) {
        if !self.network.is_connected() {
            self.network.note_absence();
        }
        let is_draining = self.is_draining();
        for session in self.all() {
            if session.check() {
                lock(&self.sessions).remove(&session.token);
                self.changed.notify_one();
            } else if is_draining && !session.has_ended() {
                // The first message may have been lost.
                session.drain();
            }
        }
    }

    /// Waits until no session has a process.
    async fn emptied(&self) {
        loop {
            if lock(&self.sessions).is_empty() {
                return;
            }
            // The signal may have come just before.
            let _ = timeout(CHECK, self.is_empty.notified()).await;
        }
    }
}

/// The number of sessions that have a process.
fn live(sessions: &HashMap<Token, Arc<Session>>) -> usize {
    sessions.values().filter(|session| !session.has_ended()).count()
}

/// Checks sessions as long as the worker lives, and whenever a process has ended.
async fn check(worker: Weak<Inner>) {
    let mut ticks = interval(CHECK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut checked = Instant::now();
    loop {
        let Some(owner) = worker.upgrade() else { return };
        tokio::select! {
            _ = ticks.tick() => {}
            () = owner.has_ended.notified() => {}
        }
        if checked.elapsed() > PAUSE {
            owner.network.note_pause();
        }
        checked = Instant::now();
        owner.check_sessions();
        if lock(&owner.sessions).is_empty() {
            owner.is_empty.notify_waiters();
        }
    }
}

/// The machine's load, where the system tells it.
fn load() -> Vec<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().take(3).filter_map(|number| number.parse().ok()).collect()
}
