//! Connections to brokers, and the thread that all of them share.

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, Weak};
use std::time::{Duration, Instant};

use async_nats::connection::State;
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, Message, Subject};
use bytes::Bytes;
use futures_util::{FutureExt, StreamExt};
use tokio::runtime::{Builder, Handle};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use crate::lock::lock;
use crate::packet::{Kind, Packet, packet};
use crate::room::Room;
use crate::servers::{Fleet, Login};

/// Messages that wait to be read. If there were more, some would be dropped and sent again.
const QUEUED_MESSAGES: usize = 1 << 16;
/// How long the first connection may take.
const CONNECT: Duration = Duration::from_secs(5);
/// Delay between two attempts to connect for the first time.
const RETRY: Duration = Duration::from_millis(50);
/// Delays between attempts to connect again. The first ones are short, because a broker may just have been restarted.
const FIRST_DELAY: Duration = Duration::from_millis(1);
const DELAY: Duration = Duration::from_millis(50);
const FIRST_DELAYS: usize = 3;
/// How often a quiet connection is checked.
const PING: Duration = Duration::from_secs(2);
/// How long after an absence of the broker the other end may take until it has connected again.
const GRACE: Duration = Duration::from_secs(2);

/// The runtime of all connections of this process. It has one thread, which starts with the first connection.
///
/// # Errors
///
/// The thread cannot be started.
pub fn runtime() -> Result<Handle, String> {
    static RUNTIME: OnceLock<Result<Handle, String>> = OnceLock::new();
    let start = || {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
        let handle = runtime.handle().clone();
        let drive = move || runtime.block_on(std::future::pending::<()>());
        let thread = std::thread::Builder::new().name("ses-remote".to_owned());
        thread.spawn(drive).map_err(|error| error.to_string())?;
        Ok(handle)
    };
    RUNTIME.get_or_init(start).clone()
}

/// Receives the messages for one part of an inbox. Called on the runtime's thread.
pub trait Recipient: Send + Sync {
    /// `at`: the rest of the subject.
    fn on_message(self: Arc<Self>, at: &str, message: Message);
}

/// A connection, which may be away for a while.
pub struct Network {
    pub client: Client,
    pub handle: Handle,
    /// The beginning of all subjects on which this end receives answers.
    pub inbox: String,
    /// Recipients by the part of the subject that follows the inbox. Any thread may hold it, for a few instructions.
    recipients: Mutex<HashMap<String, Weak<dyn Recipient>>>,
    /// Room of numbered messages of all sessions.
    pub room: Room,
    absence: Mutex<Absence>,
    /// The connection was established again.
    pub is_back: Notify,
}

/// When the broker was away.
#[derive(Clone, Copy, Debug)]
struct Absence {
    since: Option<Instant>,
    /// The end of the last absence.
    until: Option<Instant>,
}

impl Network {
    /// Connects, and tries again for a while.
    ///
    /// # Errors
    ///
    /// For people.
    async fn connect(fleet: &Fleet) -> Result<Arc<Self>, String> {
        let (addresses, login) = fleet.addresses()?;
        let start = Instant::now();
        let mut last = "it does not answer".to_owned();
        loop {
            let slot: Arc<OnceLock<Weak<Self>>> = Arc::default();
            let options = options(fleet, &login, slot.clone())?;
            let left = CONNECT.saturating_sub(start.elapsed());
            let error = match timeout(left, options.connect(addresses.as_slice())).await {
                Ok(Ok(client)) => return Self::over(client, &slot).await,
                Ok(Err(error)) => error,
                Err(_) => return Err(format!("the broker cannot be reached: {last}")),
            };
            let is_final = matches!(
                error.kind(),
                ConnectErrorKind::Authentication
                    | ConnectErrorKind::AuthorizationViolation
                    | ConnectErrorKind::ServerParse
            );
            if is_final || start.elapsed() + RETRY > CONNECT {
                return Err(format!("the broker cannot be reached: {error}"));
            }
            last = error.to_string();
            sleep(RETRY).await;
        }
    }

    async fn over(client: Client, slot: &OnceLock<Weak<Self>>) -> Result<Arc<Self>, String> {
        let inbox = client.new_inbox();
        let mut messages = client.subscribe(format!("{inbox}.>")).await.map_err(|error| error.to_string())?;
        let network = Arc::new(Self {
            client,
            handle: Handle::current(),
            inbox,
            recipients: Mutex::default(),
            room: Room::default(),
            absence: Mutex::new(Absence { since: None, until: None }),
            is_back: Notify::new(),
        });
        let _ = slot.set(Arc::downgrade(&network));
        let receiver = Arc::downgrade(&network);
        network.handle.spawn(async move {
            while let Some(message) = messages.next().await {
                let Some(network) = receiver.upgrade() else { return };
                network.dispatch(message);
            }
        });
        Ok(network)
    }

    fn dispatch(&self, message: Message) {
        let subject = message.subject.clone();
        let Some(at) = subject.strip_prefix(self.inbox.as_str()).and_then(|at| at.strip_prefix('.')) else { return };
        let (name, rest) = at.split_once('.').unwrap_or((at, ""));
        let recipient = lock(&self.recipients).get(name).and_then(Weak::upgrade);
        match recipient {
            Some(recipient) => recipient.on_message(rest, message),
            None => self.answer_probe(&message),
        }
    }

    /// Answers a worker that asks about a session which has ended here. The message that said so may have been lost.
    pub fn answer_probe(&self, message: &Message) {
        let is_probe = Packet::read(message.payload.clone()).is_some_and(|read| read.kind == Kind::Probe);
        if let Some(reply) = message.reply.clone().filter(|_| is_probe) {
            self.publish(reply, None, packet(Kind::Kill, 0, Vec::new()));
        }
    }

    /// Passes messages for this part of the inbox on, as long as the recipient lives.
    pub fn add(&self, name: &str, recipient: Weak<dyn Recipient>) {
        lock(&self.recipients).insert(name.to_owned(), recipient);
    }

    pub fn remove(&self, name: &str) {
        lock(&self.recipients).remove(name);
    }

    /// Removes a recipient that no longer lives.
    pub fn remove_ended(&self, name: &str) {
        let mut recipients = lock(&self.recipients);
        if recipients.get(name).is_some_and(|recipient| recipient.strong_count() == 0) {
            recipients.remove(name);
        }
    }

    /// Sends a message without waiting. Only an overfull queue drops it. All messages that matter are sent again.
    pub fn publish(&self, to: Subject, reply: Option<Subject>, payload: Bytes) {
        // The budget that tokio gives to each task must not keep this from being tried.
        let _ = match reply {
            Some(reply) => {
                tokio::task::unconstrained(self.client.publish_with_reply(to, reply, payload)).now_or_never()
            }
            None => tokio::task::unconstrained(self.client.publish(to, payload)).now_or_never(),
        };
    }

    pub fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Something was noticed that only an absence of the broker explains.
    pub fn note_absence(&self) {
        let mut absence = lock(&self.absence);
        absence.since.get_or_insert_with(Instant::now);
    }

    /// The broker answers.
    pub fn note_presence(&self) {
        let mut absence = lock(&self.absence);
        if absence.since.take().is_some() {
            absence.until = Some(Instant::now());
        }
    }

    /// This process did nothing for a while, perhaps because the machine was stopped. It could hear nobody.
    pub fn note_pause(&self) {
        lock(&self.absence).until = Some(Instant::now());
    }

    /// How long the broker has been away.
    pub fn away_for(&self) -> Option<Duration> {
        lock(&self.absence).since.map(|since| since.elapsed())
    }

    /// Whether the other end may be without a connection, because the broker is away or was a moment ago.
    pub fn may_be_alone(&self) -> bool {
        self.was_away_within(GRACE)
    }

    /// Whether the broker is away, or was away less than `grace` ago.
    pub fn was_away_within(&self, grace: Duration) -> bool {
        let absence = *lock(&self.absence);
        absence.since.is_some() || absence.until.is_some_and(|until| until.elapsed() < grace)
    }

    fn on_event(&self, event: &Event) {
        match event {
            Event::Disconnected | Event::Closed => self.note_absence(),
            Event::Connected => {
                self.note_presence();
                self.is_back.notify_waiters();
            }
            _ => {}
        }
    }
}

fn options(fleet: &Fleet, login: &Login, slot: Arc<OnceLock<Weak<Network>>>) -> Result<ConnectOptions, String> {
    let options = ConnectOptions::new()
        .name("ses-executor")
        .ping_interval(PING)
        .connection_timeout(CONNECT)
        .client_capacity(QUEUED_MESSAGES)
        .subscription_capacity(QUEUED_MESSAGES)
        .reconnect_delay_callback(|attempt| if attempt < FIRST_DELAYS { FIRST_DELAY } else { DELAY })
        .event_callback(move |event| {
            if let Some(network) = slot.get().and_then(Weak::upgrade) {
                network.on_event(&event);
            }
            std::future::ready(())
        });
    let options = match login {
        Login::None => options,
        Login::User(user, password) => options.user_and_password(user.clone(), password.clone()),
        Login::Token(token) => options.token(token.clone()),
    };
    let Some(path) = &fleet.credentials else { return Ok(options) };
    let text = std::fs::read_to_string(path).map_err(|error| format!("the credentials cannot be read: {error}"))?;
    options.credentials(&text).map_err(|error| format!("the credentials cannot be used: {error}"))
}

/// The connection of all executors of this process with the same brokers and credentials.
pub struct LinkToBroker {
    fleet: Fleet,
    /// Held while a connection is established.
    state: tokio::sync::Mutex<LinkState>,
    /// Attempts that have failed.
    failures: AtomicU64,
}

#[derive(Default)]
enum LinkState {
    #[default]
    Unconnected,
    /// The last attempt has failed, for this reason.
    Failed(String),
    Connected(Arc<Network>),
}

/// What a connection depends on.
type Key = (Vec<String>, Option<String>);

static LINKS: LazyLock<Mutex<BTreeMap<Key, Weak<LinkToBroker>>>> = LazyLock::new(Mutex::default);

impl LinkToBroker {
    pub fn of(fleet: &Fleet) -> Arc<Self> {
        let key = (fleet.servers.clone(), fleet.credentials.clone());
        let mut links = lock(&LINKS);
        if let Some(link) = links.get(&key).and_then(Weak::upgrade) {
            return link;
        }
        let link = Arc::new(Self::new(fleet));
        links.retain(|_, link| link.strong_count() > 0);
        links.insert(key, Arc::downgrade(&link));
        link
    }

    /// A connection that is not shared.
    pub fn new(fleet: &Fleet) -> Self {
        Self { fleet: fleet.clone(), state: tokio::sync::Mutex::default(), failures: AtomicU64::new(0) }
    }

    /// The connection, which is established first if necessary. Callers that wait at the same time share one attempt.
    ///
    /// # Errors
    ///
    /// For people.
    pub async fn network(&self) -> Result<Arc<Network>, String> {
        let failures = self.failures.load(Ordering::Acquire);
        let mut state = self.state.lock().await;
        match &*state {
            LinkState::Connected(network) => return Ok(network.clone()),
            // This attempt was under way when the caller began to wait.
            LinkState::Failed(error) if self.failures.load(Ordering::Acquire) > failures => return Err(error.clone()),
            _ => {}
        }
        match Network::connect(&self.fleet).await {
            Ok(network) => {
                *state = LinkState::Connected(network.clone());
                Ok(network)
            }
            Err(error) => {
                *state = LinkState::Failed(error.clone());
                self.failures.fetch_add(1, Ordering::AcqRel);
                Err(error)
            }
        }
    }
}

/// Does work on the runtime and waits for its end. Not for the runtime's own thread.
///
/// # Errors
///
/// The runtime has no thread.
pub fn wait_for<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Result<T, String> {
    let (tell, told) = std::sync::mpsc::channel();
    runtime()?.spawn(async move {
        let _ = tell.send(work.await);
    });
    told.recv().map_err(|_| "the connection's thread has ended".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_that_wait_at_the_same_time_share_a_failure() {
        // Nothing listens on this port.
        let servers = vec!["nats://127.0.0.1:1".to_owned()];
        let link = Arc::new(LinkToBroker::new(&Fleet { servers, pool: "default".to_owned(), credentials: None }));
        let own = link.clone();
        let errors = wait_for(async move {
            let callers = (0..3).map(|_| own.network());
            futures_util::future::join_all(callers).await.into_iter().filter_map(Result::err).collect::<Vec<_>>()
        })
        .expect("a runtime");
        assert_eq!(errors.len(), 3);
        assert!(errors.iter().all(|error| error == &errors[0]), "{errors:?}");
        assert_eq!(link.failures.load(Ordering::Acquire), 1);
    }
}
