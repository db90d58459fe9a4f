//! The room of numbered messages that are on their way over one connection.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Weak};

use crate::lock::lock;

/// Room of one connection. The broker cuts a connection that has not read 64 MiB. 16 MiB.
const MAX_BYTES: usize = 16 << 20;

/// Sends messages that wait for room.
pub trait Sender: Send + Sync {
    fn send_queued(&self);
}

#[derive(Default)]
pub struct Room {
    /// Room of messages that are on their way.
    used: AtomicUsize,
    /// Any thread may hold it, for a few instructions.
    waiting: Mutex<Waiting>,
}

/// Senders that wait for room, each once, in the order in which they came.
#[derive(Default)]
struct Waiting {
    senders: VecDeque<Weak<dyn Sender>>,
    /// Their addresses, which no others have while these exist.
    addresses: HashSet<usize>,
}

impl Room {
    /// Takes room for a message. If there is none, calls [`Sender::send_queued`] of the sender when there may be some.
    pub fn reserve(&self, room: usize, sender: impl FnOnce() -> Weak<dyn Sender>) -> bool {
        let fits = |used: usize| Some(used + room).filter(|&used| used <= MAX_BYTES);
        let take = || self.used.fetch_update(Ordering::AcqRel, Ordering::Acquire, fits).is_ok();
        if take() {
            return true;
        }
        lock(&self.waiting).add(sender());
        // All room may have been given back before the sender was in the list. Then nothing would call it.
        take()
    }

    /// Gives room back, and lets senders that wait for it go on.
    pub fn release(&self, room: usize) {
        if room == 0 {
            return;
        }
        self.used.fetch_sub(room, Ordering::AcqRel);
        let waiting = std::mem::take(&mut *lock(&self.waiting));
        for sender in waiting.senders.iter().filter_map(Weak::upgrade) {
            sender.send_queued();
        }
    }
}

impl Waiting {
    fn add(&mut self, sender: Weak<dyn Sender>) {
        if self.addresses.insert(sender.as_ptr().addr()) {
            self.senders.push_back(sender);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// The senders that were called, in order.
    type Called = Arc<Mutex<Vec<usize>>>;

    struct Named(usize, Called);

    impl Sender for Named {
        fn send_queued(&self) {
            lock(&self.1).push(self.0);
        }
    }

    fn senders(count: usize) -> (Vec<Arc<dyn Sender>>, Called) {
        let called = Called::default();
        let named = |name| Arc::new(Named(name, called.clone())) as Arc<dyn Sender>;
        ((0..count).map(named).collect(), called)
    }

    #[test]
    fn senders_are_called_once_and_in_order_however_often_they_ask() {
        let (senders, called) = senders(3);
        let room = Room::default();
        assert!(room.reserve(MAX_BYTES, || unreachable!("there is room")));
        for _ in 0..1_000 {
            assert!(senders.iter().all(|sender| !room.reserve(1, || Arc::downgrade(sender))));
        }
        assert_eq!(lock(&room.waiting).senders.len(), 3);
        room.release(MAX_BYTES);
        assert_eq!(*lock(&called), [0, 1, 2]);
        room.release(0);
        assert!(room.reserve(MAX_BYTES, || unreachable!("there is room")));
        assert!(!room.reserve(1, || Arc::downgrade(&senders[2])));
        room.release(1);
        assert_eq!(*lock(&called), [0, 1, 2, 2]);
    }

    #[test]
    fn a_sender_that_has_ended_is_not_called() {
        let (senders, called) = senders(1);
        let room = Room::default();
        assert!(room.reserve(MAX_BYTES, || unreachable!("there is room")));
        assert!(!room.reserve(1, || Arc::downgrade(&senders[0])));
        drop(senders);
        room.release(MAX_BYTES);
        assert!(lock(&called).is_empty());
    }
}
