//! What workers say about themselves.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::{Message, Subject};
use serde::Serialize;
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use crate::lock::lock;
use crate::network::{LinkToBroker, Recipient, wait_for};
use crate::servers::Fleet;
use crate::subjects;

/// Answers beyond this number are dropped.
const MAX_ANSWERS: usize = 10_000;
/// The longest answer that is kept. 64 KiB.
const MAX_BYTES: usize = 64 << 10;
/// How long the next answer may take after one has come.
const QUIET: Duration = Duration::from_millis(100);
/// Requests of this process, each with its own part of the inbox.
static REQUESTS: AtomicU64 = AtomicU64::new(1);

/// A worker at one moment.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status<'a> {
    pub worker: &'a str,
    pub pool: &'a str,
    pub node: &'a str,
    pub version: &'a str,
    pub frames: u32,
    pub pid: u32,
    /// `ready`, `full` or `draining`.
    pub state: &'static str,
    pub capacity: usize,
    pub sessions: usize,
    /// Sessions by tenant. Absent in answers to tenants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenants: Option<BTreeMap<String, usize>>,
    /// Mean number of runnable tasks of the machine, over 1, 5 and 15 minutes.
    pub load: Vec<f64>,
    pub cpus: usize,
    pub opened: u64,
    pub refused: u64,
    pub lost: u64,
    pub uptime_ms: u64,
}

/// Which workers are asked.
pub struct StatusRequest {
    pub fleet: Fleet,
    /// How long the first answer may take.
    pub timeout: Duration,
}

#[derive(Default)]
struct Answers {
    /// Any thread may hold it, for a few instructions.
    texts: Mutex<Vec<String>>,
    has_come: Notify,
}

impl Recipient for Answers {
    fn on_message(self: Arc<Self>, _at: &str, message: Message) {
        // Also without a worker: the broker says so.
        self.has_come.notify_one();
        let mut texts = lock(&self.texts);
        if message.status.is_none()
            && message.payload.len() <= MAX_BYTES
            && texts.len() < MAX_ANSWERS
            && let Ok(text) = std::str::from_utf8(&message.payload)
        {
            texts.push(text.to_owned());
        }
    }
}

/// The answers of all workers of a pool, as JSON texts, which are not checked. Waits.
///
/// # Errors
///
/// For people: the broker cannot be reached.
pub fn statuses(request: StatusRequest) -> Result<Vec<String>, String> {
    wait_for(async move {
        let StatusRequest { fleet, timeout: limit } = request;
        let network = LinkToBroker::of(&fleet).network().await?;
        let answers = Arc::new(Answers::default());
        let recipient: Arc<dyn Recipient> = answers.clone();
        let name = format!("q-{}", REQUESTS.fetch_add(1, Ordering::Relaxed));
        network.add(&name, Arc::downgrade(&recipient));
        let reply = Subject::from(format!("{}.{name}", network.inbox));
        network.publish(subjects::status(&fleet.pool).into(), Some(reply), Vec::new().into());
        let mut wait = limit;
        while timeout(wait, answers.has_come.notified()).await.is_ok() {
            wait = QUIET;
            // Without a worker nothing follows.
            if lock(&answers.texts).is_empty() {
                sleep(Duration::from_millis(1)).await;
                break;
            }
        }
        network.remove(&name);
        Ok(std::mem::take(&mut *lock(&answers.texts)))
    })?
}
