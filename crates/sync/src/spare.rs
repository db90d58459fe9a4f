//! A thread that waits for its work, so that the thread which has some need not make one first: that of Node.js would take longer for it
//! than for all else that it does for a session.

use std::io;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::spin::spin;

type Work = Box<dyn FnOnce() + Send>;

/// A thread that has waited for so long ends.
const PATIENCE: Duration = Duration::from_secs(2);

/// At most one thread that waits.
pub struct Spare {
    stack_bytes: usize,
    place: Mutex<Place>,
    came: Condvar,
    /// Whether there is work for who waits, for one that looks without the lock.
    has_work: AtomicBool,
}

enum Place {
    /// Nobody waits.
    Empty,
    /// One sleeps, or is about to.
    Waiting,
    /// One was woken, since work comes soon.
    Expecting,
    /// Given to who waits.
    Given(Work),
}

impl Spare {
    /// Nobody waits at first. All threads have a stack of `stack_bytes`.
    pub fn new(stack_bytes: usize) -> Self {
        Self { stack_bytes, place: Mutex::new(Place::Empty), came: Condvar::new(), has_work: AtomicBool::new(false) }
    }

    /// Wakes who waits: to do so takes longer than what is left to do until there is work.
    pub fn expect(&self) {
        let mut place = self.lock();
        if matches!(*place, Place::Waiting) {
            *place = Place::Expecting;
            drop(place);
            self.came.notify_one();
        }
    }

    /// Has `work` done by the thread that waits, or by a new one.
    ///
    /// # Errors
    ///
    /// None waits, and the system gives no other one.
    pub fn run(&self, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let mut place = self.lock();
        let sleeps = match *place {
            Place::Waiting => true,
            Place::Expecting => false,
            Place::Empty | Place::Given(_) => {
                drop(place);
                return self.spawn(work);
            }
        };
        *place = Place::Given(Box::new(work));
        self.has_work.store(true, Ordering::Release);
        drop(place);
        if sleeps {
            self.came.notify_one();
        }
        Ok(())
    }

    /// Makes a thread that waits if there is none, and if the system gives one.
    pub fn provide(self: &Arc<Self>) {
        let mut place = self.lock();
        if matches!(*place, Place::Empty) {
            let own = self.clone();
            if self.spawn(move || own.wait()).is_ok() {
                *place = Place::Waiting;
            }
        }
    }

    fn spawn(&self, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        thread::Builder::new().name("ses-spare".to_owned()).stack_size(self.stack_bytes).spawn(work).map(drop)
    }

    fn wait(&self) {
        let is_waiting = |place: &mut Place| matches!(place, Place::Waiting);
        let mut place = self.lock();
        let given = loop {
            if matches!(*place, Place::Expecting) {
                drop(place);
                spin(|| self.has_work.load(Ordering::Acquire));
                place = self.lock();
                if matches!(*place, Place::Expecting) {
                    *place = Place::Waiting;
                }
            }
            let waited = self.came.wait_timeout_while(place, PATIENCE, is_waiting);
            (place, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if !matches!(*place, Place::Expecting) {
                break mem::replace(&mut *place, Place::Empty);
            }
        };
        self.has_work.store(false, Ordering::Relaxed);
        drop(place);
        if let Place::Given(work) = given {
            work();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread::ThreadId;

    use super::*;

    const STACK_BYTES: usize = 64 << 10;

    fn thread_of(spare: &Spare) -> ThreadId {
        let (sender, receiver) = channel();
        spare.run(move || sender.send(thread::current().id()).expect("awaited")).expect("a thread");
        receiver.recv().expect("it runs")
    }

    #[test]
    fn work_is_done_by_the_thread_that_waits_and_once_it_is_gone_by_a_new_one() {
        let spare = Arc::new(Spare::new(STACK_BYTES));
        let first = thread_of(&spare);
        spare.provide();
        spare.provide();
        assert!(matches!(*spare.lock(), Place::Waiting));
        let (second, third) = (thread_of(&spare), thread_of(&spare));
        assert!(first != second && second != third && third != first);
        assert!(matches!(*spare.lock(), Place::Empty));
    }

    #[test]
    fn who_expects_work_does_it_or_sleeps_again() {
        let spare = Arc::new(Spare::new(STACK_BYTES));
        spare.expect();
        assert!(matches!(*spare.lock(), Place::Empty), "nobody waits");
        spare.provide();
        spare.expect();
        spare.expect();
        while !matches!(*spare.lock(), Place::Waiting) {
            thread::yield_now();
        }
        let (first, second) = (thread_of(&spare), thread_of(&spare));
        assert!(first != second);
        for _ in 0..100 {
            spare.provide();
            spare.expect();
            let (sender, receiver) = channel();
            spare.run(move || sender.send(()).expect("awaited")).expect("a thread");
            receiver.recv().expect("it runs");
            while !matches!(*spare.lock(), Place::Empty) || spare.has_work.load(Ordering::Relaxed) {
                thread::yield_now();
            }
        }
    }

    #[test]
    fn nobody_waits_for_ever() {
        let spare = Arc::new(Spare::new(STACK_BYTES));
        spare.provide();
        while !matches!(*spare.lock(), Place::Empty) {
            thread::yield_now();
        }
        // Its own handle is dropped behind that.
        while Arc::strong_count(&spare) > 1 {
            thread::yield_now();
        }
    }
}
