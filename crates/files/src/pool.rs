//! The threads of the file tools. The Node.js thread does not wait for a disk, and Node.js's own pool stays free for
//! its files and look-ups.
//!
//! Each set of tools has a queue for searches and one for everything else. Only a few calls of a queue run at a time,
//! and queues are served in rotation: however many calls one set has, those of another wait for at most a few. A queue with large
//! results that wait to be taken starts no further call, because files are read faster than the host can pass them on.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Calls of one queue that run at the same time.
const MAX_RUNNING: usize = 2;
/// Bytes of waiting results above which a queue starts no call. 32 MiB.
const MAX_UNTAKEN_BYTES: usize = 32 << 20;
/// Threads are started when needed, up to this number, and stay.
const MAX_THREADS: usize = 16;
/// The number of threads that searches may use.
const MAX_SEARCHES: usize = 12;

type Job = Box<dyn FnOnce(io::Result<Receipt>) + Send>;

/// The kind of a call's work, by how long it may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// `grep` and `find`: up to their time limit.
    Search,
    /// One file or one folder.
    Access,
}

/// The waiting calls of one set of tools.
pub struct Queue {
    id: u64,
    pool: Arc<Pool>,
}

impl Queue {
    pub fn new(pool: Arc<Pool>) -> Self {
        let id = pool.shared.queues.fetch_add(1, Ordering::Relaxed);
        Self { id, pool }
    }

    /// Runs `job` on a thread of the pool, after earlier jobs of the same kind. Its result counts for as long as the
    /// receipt lives. If there is no thread and the system refuses one, the job gets the error immediately.
    pub fn run(&self, work: Work, job: impl FnOnce(io::Result<Receipt>) + Send + 'static) {
        Shared::add(&self.pool.shared, (self.id, work), Box::new(job));
    }
}

type Key = (u64, Work);

/// Travels with the result of a call. Dropped when the result has been taken.
pub struct Receipt {
    shared: Arc<Shared>,
    key: Key,
    bytes: usize,
}

impl Receipt {
    /// Sets the size of the result in bytes.
    pub fn set_bytes(&mut self, bytes: usize) {
        let before = mem::replace(&mut self.bytes, bytes);
        let state = &mut *self.shared.state();
        if let Some(line) = state.lines.get_mut(&self.key) {
            line.untaken += bytes;
            line.untaken -= before;
        }
    }
}

impl Drop for Receipt {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let state = &mut *self.shared.state();
        if let Some(line) = state.lines.get_mut(&self.key) {
            line.untaken -= self.bytes;
        }
        state.settle(self.key);
        self.shared.call_threads(state);
    }
}

/// Threads that the queues of an engine share. They end with it after their current jobs.
#[derive(Default)]
pub struct Pool {
    shared: Arc<Shared>,
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.state().is_closed = true;
        self.shared.has_work.notify_all();
    }
}

#[derive(Default)]
struct Shared {
    /// Held for a few instructions by the Node.js thread and the threads of the pool; never while a job runs.
    state: Mutex<State>,
    has_work: Condvar,
    /// The number of queues created.
    queues: AtomicU64,
}

#[derive(Default)]
struct State {
    /// Lines with calls.
    lines: HashMap<Key, Line>,
    /// Lines with a waiting call that may start, each once, in their order.
    accesses: VecDeque<Key>,
    searches: VecDeque<Key>,
    running_searches: usize,
    threads: usize,
    /// Threads that look for a call, or are about to.
    idle: usize,
    /// The pool has no owner any more.
    is_closed: bool,
}

/// The calls of one queue and kind.
#[derive(Default)]
struct Line {
    waiting: VecDeque<Job>,
    running: usize,
    /// Bytes of results that have not been taken.
    untaken: usize,
    is_queued: bool,
}

impl State {
    /// Queues a line whose next call may start.
    fn offer(&mut self, key: Key) {
        let Some(line) = self.lines.get_mut(&key) else { return };
        let is_full = line.running == MAX_RUNNING || line.untaken > MAX_UNTAKEN_BYTES;
        if line.is_queued || line.waiting.is_empty() || is_full {
            return;
        }
        line.is_queued = true;
        match key.1 {
            Work::Search => self.searches.push_back(key),
            Work::Access => self.accesses.push_back(key),
        }
    }

    /// The next call to run.
    fn take(&mut self) -> Option<(Key, Job)> {
        let key = match self.accesses.pop_front() {
            Some(key) => key,
            None if self.running_searches < MAX_SEARCHES => {
                let key = self.searches.pop_front()?;
                self.running_searches += 1;
                key
            }
            None => return None,
        };
        let line = self.lines.get_mut(&key)?;
        line.is_queued = false;
        let job = line.waiting.pop_front()?;
        line.running += 1;
        self.offer(key);
        Some((key, job))
    }

    fn end(&mut self, key: Key) {
        if key.1 == Work::Search {
            self.running_searches -= 1;
        }
        if let Some(line) = self.lines.get_mut(&key) {
            line.running -= 1;
        }
        self.settle(key);
    }

    /// Removes an empty line, or queues it.
    fn settle(&mut self, key: Key) {
        match self.lines.get(&key) {
            Some(line) if line.running == 0 && line.untaken == 0 && line.waiting.is_empty() => {
                drop(self.lines.remove(&key))
            }
            _ => self.offer(key),
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(self: &Arc<Self>, key: Key, job: Job) {
        let mut guard = self.state();
        let state = &mut *guard;
        if state.threads == 0
            && let Err(error) = self.make_thread(state)
        {
            drop(guard);
            return job(Err(error));
        }
        state.lines.entry(key).or_default().waiting.push_back(job);
        state.offer(key);
        self.call_threads(state);
    }

    /// Wakes or starts a thread for the queued lines.
    fn call_threads(self: &Arc<Self>, state: &mut State) {
        let queued = state.accesses.len() + state.searches.len();
        if queued == 0 {
            return;
        }
        if state.idle < queued && state.threads < MAX_THREADS {
            // Without a new thread, the existing threads do the work later.
            let _ = self.make_thread(state);
        }
        self.has_work.notify_one();
    }

    fn make_thread(self: &Arc<Self>, state: &mut State) -> io::Result<()> {
        let shared = self.clone();
        thread::Builder::new().name("ses-files".to_owned()).spawn(move || shared.work())?;
        state.threads += 1;
        state.idle += 1;
        Ok(())
    }

    /// The main loop of each thread.
    fn work(self: &Arc<Self>) {
        let mut guard = self.state();
        loop {
            let state = &mut *guard;
            let Some((key, job)) = state.take() else {
                if state.is_closed {
                    return;
                }
                guard = self.has_work.wait(guard).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.idle -= 1;
            self.call_threads(state);
            drop(guard);
            // A job that panics is a bug, but must not stop the thread, which later jobs need.
            let receipt = Receipt { shared: self.clone(), key, bytes: 0 };
            drop(catch_unwind(AssertUnwindSafe(|| job(Ok(receipt)))));
            guard = self.state();
            guard.idle += 1;
            guard.end(key);
        }
    }
}

/// Tells a call that its result is not needed any more.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn calls_of_one_kind_begin_in_order_and_others_do_not_wait_for_them() {
        let pool = Arc::<Pool>::default();
        let (many, other) = (Queue::new(pool.clone()), Queue::new(pool));
        let (begun, begins) = channel();
        let (release, released) = channel::<()>();
        let released = Arc::new(Mutex::new(released));
        for number in 0..50 {
            let (begun, released) = (begun.clone(), released.clone());
            let job = move |_| {
                begun.send(number).expect("the test waits");
                let _ = released.lock().unwrap_or_else(PoisonError::into_inner).recv();
            };
            many.run(Work::Search, job);
        }
        let mut first: Vec<_> = (0..MAX_RUNNING).map(|_| begins.recv().expect("it begins")).collect();
        first.sort_unstable();
        assert_eq!(first, [0, 1]);
        // All searches of the first queue that may run are running.
        for (queue, work) in [(&other, Work::Search), (&other, Work::Access), (&many, Work::Access)] {
            let (done, is_done) = channel();
            queue.run(work, move |_| done.send(()).expect("the test waits"));
            is_done.recv().expect("it is done");
        }
        assert!(begins.try_recv().is_err());
        drop(release);
        assert_eq!(begins.iter().take(48).max(), Some(49));
    }

    #[test]
    fn searches_leave_threads_to_other_calls() {
        let (release, released) = channel::<()>();
        let released = Arc::new(Mutex::new(released));
        let pool = Arc::<Pool>::default();
        let queues: Vec<_> = (0..MAX_THREADS).map(|_| Queue::new(pool.clone())).collect();
        for queue in &queues {
            for _ in 0..MAX_RUNNING {
                let released = released.clone();
                let job = move |_| {
                    let _ = released.lock().unwrap_or_else(PoisonError::into_inner).recv();
                };
                queue.run(Work::Search, job);
            }
        }
        let (done, is_done) = channel();
        Queue::new(pool).run(Work::Access, move |_| done.send(()).expect("the test waits"));
        is_done.recv().expect("it is done");
        drop(release);
    }

    #[test]
    fn a_queue_with_large_results_that_nobody_takes_begins_nothing() {
        const CALLS: usize = 10;
        let pool = Arc::<Pool>::default();
        let (large, other) = (Queue::new(pool.clone()), Queue::new(pool.clone()));
        let (result, results) = channel();
        let begun = Arc::<AtomicU64>::default();
        for _ in 0..CALLS {
            let (result, begun) = (result.clone(), begun.clone());
            let job = move |receipt: io::Result<Receipt>| {
                let mut receipt = receipt.expect("a thread");
                begun.fetch_add(1, Ordering::Relaxed);
                receipt.set_bytes(MAX_UNTAKEN_BYTES + 1);
                result.send(receipt).expect("the test waits");
            };
            large.run(Work::Access, job);
        }
        for taken in 1..=CALLS {
            let receipt = results.recv().expect("it is done");
            // Other queues are served in between, and its searches do not wait.
            for queue in [&other; CALLS].into_iter().chain([&large]) {
                let (done, is_done) = channel();
                let work = if std::ptr::eq(queue, &large) { Work::Search } else { Work::Access };
                queue.run(work, move |_| done.send(()).expect("the test waits"));
                is_done.recv().expect("it is done");
            }
            assert!(begun.load(Ordering::Relaxed) as usize <= taken - 1 + MAX_RUNNING);
            drop(receipt);
        }
        let until = Instant::now() + Duration::from_secs(60);
        while !pool.shared.state().lines.is_empty() {
            assert!(Instant::now() < until, "a line has been kept");
            thread::yield_now();
        }
    }

    #[test]
    fn its_threads_end_with_a_pool() {
        let pool = Arc::<Pool>::default();
        let (shared, queue) = (Arc::downgrade(&pool.shared), Queue::new(pool));
        let (done, is_done) = channel();
        queue.run(Work::Access, move |_| done.send(()).expect("the test waits"));
        drop(queue);
        is_done.recv().expect("what waits is done");
        let until = Instant::now() + Duration::from_secs(60);
        while shared.strong_count() > 0 {
            assert!(Instant::now() < until, "the threads have not ended");
            thread::yield_now();
        }
    }

    #[test]
    fn a_panic_takes_no_thread() {
        let queue = Queue::new(Arc::default());
        for _ in 0..2 * MAX_THREADS {
            queue.run(Work::Access, |_| panic!("a bug"));
        }
        let (done, is_done) = channel();
        queue.run(Work::Access, move |_| done.send(()).expect("the test waits"));
        is_done.recv().expect("it is done");
    }
}
