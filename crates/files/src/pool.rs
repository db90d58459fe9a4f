//! Threads that file tools work on, so that neither the Node.js thread waits for a disk nor the pool that Node.js uses
//! for its own files and look-ups is taken.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

/// Calls that are worked on at the same time; further ones wait.
const THREADS: usize = 4;

type Job = Box<dyn FnOnce() + Send>;

/// Never dropped: idle threads wait for work and end with the process.
static POOL: OnceLock<Pool> = OnceLock::new();

#[derive(Debug)]
pub struct Pool {
    jobs: Mutex<Sender<Job>>,
}

/// The pool of the process.
///
/// # Errors
///
/// The operating system refused a thread.
pub fn pool() -> io::Result<&'static Pool> {
    if let Some(pool) = POOL.get() {
        return Ok(pool);
    }
    let pool = Pool::start()?;
    // If another thread was faster, the threads of this one end, since their channel does.
    Ok(POOL.get_or_init(|| pool))
}

impl Pool {
    fn start() -> io::Result<Self> {
        let (jobs, waiting) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..THREADS {
            let waiting = waiting.clone();
            thread::Builder::new().name("ses-files".to_owned()).spawn(move || work(&waiting))?;
        }
        Ok(Self { jobs: Mutex::new(jobs) })
    }

    /// Runs `job` on one of the threads, after those that came before.
    pub fn run(&self, job: impl FnOnce() + Send + 'static) {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        // The receiver lives as long as the threads, which never end while this sender is there.
        let _ = jobs.send(Box::new(job));
    }
}

/// Guards the receiver: held by the one thread that waits for the next job, never while a job runs.
fn work(waiting: &Mutex<Receiver<Job>>) {
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match job {
            // A job that panics is a bug, but must not take the thread from those behind it.
            Ok(job) => drop(catch_unwind(AssertUnwindSafe(job))),
            Err(_) => return,
        }
    }
}
