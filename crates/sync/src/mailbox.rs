//! The channel to an executor thread. It differs from `std::sync::mpsc` in two ways. A sender holds no lock while it
//! wakes the receiver, because the receiver takes that lock first. The receiver can check for a message without taking
//! it.

use std::collections::VecDeque;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::spin::spin;

struct Mailbox<T> {
    state: Mutex<State<T>>,
    arrived: Condvar,
    /// Whether there is a message. Can be read without the lock.
    is_ready: AtomicBool,
}

struct State<T> {
    messages: VecDeque<T>,
    /// The receiver sleeps, or is about to.
    is_waiting: bool,
    /// The receiver is gone.
    is_closed: bool,
}

/// Sends from any thread.
pub struct Sender<T>(Arc<Mailbox<T>>);

/// Receives on one thread. Messages left when it is dropped are dropped too.
pub struct Receiver<T>(Arc<Mailbox<T>>);

/// A new channel.
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let state = State { messages: VecDeque::new(), is_waiting: false, is_closed: false };
    let mailbox =
        Arc::new(Mailbox { state: Mutex::new(state), arrived: Condvar::new(), is_ready: AtomicBool::new(false) });
    (Sender(mailbox.clone()), Receiver(mailbox))
}

impl<T> Sender<T> {
    /// Adds a message. Never waits for more than a few instructions of another thread.
    pub fn send(&self, message: T) {
        let mut state = self.0.lock();
        if state.is_closed {
            return;
        }
        state.messages.push_back(message);
        self.0.is_ready.store(true, Ordering::Release);
        let must_wake = mem::take(&mut state.is_waiting);
        // Unlocked before the wake-up: the receiver takes the lock first.
        drop(state);
        if must_wake {
            self.0.arrived.notify_one();
        }
    }
}

impl<T> Receiver<T> {
    /// Waits for the next message.
    pub fn recv(&self) -> T {
        spin(|| self.is_ready());
        self.0.wait()
    }

    /// Waits for the next message until `until`.
    pub fn recv_until(&self, until: Instant) -> Option<T> {
        spin(|| self.is_ready());
        self.0.wait_until(until)
    }

    /// The next message, if there is one.
    pub fn try_recv(&self) -> Option<T> {
        if !self.is_ready() {
            return None;
        }
        self.0.take(&mut self.0.lock())
    }

    /// Whether there is a message.
    pub fn is_ready(&self) -> bool {
        self.0.is_ready.load(Ordering::Acquire)
    }
}

impl<T> Mailbox<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self) -> T {
        let mut state = self.lock();
        loop {
            if let Some(message) = self.take(&mut state) {
                return message;
            }
            state.is_waiting = true;
            state = self.arrived.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn wait_until(&self, until: Instant) -> Option<T> {
        let mut state = self.lock();
        loop {
            if let Some(message) = self.take(&mut state) {
                return Some(message);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                state.is_waiting = false;
                return None;
            }
            state.is_waiting = true;
            state = self.arrived.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn take(&self, state: &mut State<T>) -> Option<T> {
        let message = state.messages.pop_front();
        self.is_ready.store(!state.messages.is_empty(), Ordering::Release);
        message
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.is_closed = true;
        let messages = mem::take(&mut state.messages);
        drop(state);
        drop(messages);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn messages_arrive_in_order_also_at_one_who_waits() {
        let (sender, receiver) = channel();
        let received = std::thread::spawn(move || (0..1_000).map(|_| receiver.recv()).collect::<Vec<u32>>());
        for message in 0..1_000 {
            sender.send(message);
        }
        assert_eq!(received.join().expect("no panic"), (0..1_000).collect::<Vec<u32>>());
    }

    #[test]
    fn who_waits_for_some_time_gets_what_comes_in_it() {
        let (sender, receiver) = channel();
        let soon = Instant::now() + Duration::from_millis(1);
        assert_eq!(receiver.recv_until(soon), None);
        assert!(Instant::now() >= soon);
        let late = Instant::now() + Duration::from_secs(3_600);
        let received = std::thread::spawn(move || receiver.recv_until(late));
        sender.send(1);
        assert_eq!(received.join().expect("no panic"), Some(1));
    }

    #[test]
    fn what_nobody_will_receive_is_dropped() {
        let (sender, receiver) = channel();
        let message = Arc::new(());
        sender.send(message.clone());
        assert!(receiver.is_ready());
        drop(receiver);
        sender.send(message.clone());
        assert_eq!(Arc::strong_count(&message), 1);
    }
}
