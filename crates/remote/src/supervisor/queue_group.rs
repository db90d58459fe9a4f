//! How a worker takes sessions: it belongs to the queue group of its pool only while it has room.

use std::sync::{Arc, Weak};

use async_nats::{Client, Message, SubscribeError, Subscriber};
use futures_util::StreamExt;
use futures_util::stream::select_all;
use tokio::sync::Notify;

use crate::subjects::{self, GROUP};

/// A worker that takes sessions.
pub trait Owner: Send + Sync + 'static {
    fn client(&self) -> &Client;

    fn pool(&self) -> &str;

    /// Whether the worker takes another session.
    fn has_room(&self) -> bool;

    /// Whether the worker takes no more sessions at all.
    fn is_draining(&self) -> bool;

    /// Signals that one of these may have changed.
    fn changed(&self) -> &Notify;

    /// A claim of a client.
    fn on_claim(self: &Arc<Self>, message: Message);

    /// A claim that found no worker with room.
    fn on_claim_when_full(&self, message: Message);
}

/// Takes sessions from now on.
///
/// # Errors
///
/// The connection was closed.
pub async fn join<O: Owner>(worker: &Arc<O>) -> Result<(), SubscribeError> {
    let full = subscribe(&**worker, &subjects::full(worker.pool())).await?;
    let group = subscribe(&**worker, &subjects::open(worker.pool())).await?;
    tokio::spawn(refuse(Arc::downgrade(worker), full));
    tokio::spawn(serve_claims(Arc::downgrade(worker), group));
    Ok(())
}

/// As clients of the same account name the subject, and as tenants do.
async fn subscribe(worker: &impl Owner, subject: &str) -> Result<[Subscriber; 2], SubscribeError> {
    let client = worker.client();
    let plain = client.queue_subscribe(subject.to_owned(), GROUP.to_owned()).await?;
    Ok([plain, client.queue_subscribe(subjects::of_tenants(subject), GROUP.to_owned()).await?])
}

/// Answers claims that found no worker with room, until the subscriptions end.
async fn refuse<O: Owner>(worker: Weak<O>, group: [Subscriber; 2]) {
    let mut claims = select_all(group);
    while let Some(message) = claims.next().await {
        let Some(worker) = worker.upgrade() else { return };
        worker.on_claim_when_full(message);
    }
}

/// Leaves the group when there is no room, and joins it again, until the worker is drained.
async fn serve_claims<O: Owner>(worker: Weak<O>, mut group: [Subscriber; 2]) {
    while take_claims(&worker, &mut group).await {
        for member in &mut group {
            let _ = member.unsubscribe().await;
        }
        // Claims that were on their way.
        refuse(worker.clone(), group).await;
        let Some(owner) = worker.upgrade() else { return };
        while !owner.has_room() {
            if owner.is_draining() {
                return;
            }
            owner.changed().notified().await;
        }
        match subscribe(&*owner, &subjects::open(owner.pool())).await {
            Ok(joined) => group = joined,
            Err(_) => return,
        }
    }
}

/// Takes claims as long as there is room. Returns false if the worker or its connection is gone.
async fn take_claims<O: Owner>(worker: &Weak<O>, [plain, of_tenants]: &mut [Subscriber; 2]) -> bool {
    loop {
        let Some(owner) = worker.upgrade() else { return false };
        if !owner.has_room() {
            return true;
        }
        let message = tokio::select! {
            message = plain.next() => message,
            message = of_tenants.next() => message,
            () = owner.changed().notified() => continue,
        };
        let Some(message) = message else { return false };
        owner.on_claim(message);
    }
}
