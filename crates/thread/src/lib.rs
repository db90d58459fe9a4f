//! Isolates on threads of this process.

mod context;
mod link;
mod serve;

use std::iter;
use std::sync::Arc;
use std::sync::mpsc;

use ses_engine::Checker;
use ses_protocol::{Config, EngineSpec, Event, Failure};
use ses_session::{Backend, Boot, Counters, Folders, Link, Pool, Watchdog};
use ses_sync::channel;

use link::{Control, ThreadLink};
use serve::Handover;

/// An isolate that waits for a session.
struct Warm {
    /// The folders as they were before the isolate was made.
    folders: Folders,
    control: Arc<Control>,
    /// Dropping it ends the thread.
    handover: mpsc::Sender<Handover>,
}

/// Makes isolates on threads of this process and keeps some ready.
pub struct ThreadBackend {
    pool: Arc<Pool<Warm>>,
    engine: Arc<EngineSpec>,
    checker: Arc<Checker>,
    watchdog: Arc<Watchdog>,
}

impl ThreadBackend {
    /// Makes isolates of one engine, and keeps `pool_size` of them ready.
    pub fn new(
        engine: Arc<EngineSpec>,
        pool_size: usize,
        checker: Arc<Checker>,
        watchdog: Arc<Watchdog>,
        counters: Arc<Counters>,
    ) -> Self {
        let (own, kind) = (counters.clone(), engine.clone());
        let boot = move |limit_bytes, booting| {
            let (counters, kind) = (own.clone(), kind.clone());
            serve::spawn("ses-warm".to_owned(), move || serve::warm(&kind, limit_bytes, booting, counters))
        };
        let pool = Arc::new(Pool::new(pool_size, watchdog.clone(), counters, boot));
        Self { pool, engine, checker, watchdog }
    }
}

impl Backend for ThreadBackend {
    fn expect(&self, config: &Config) {
        self.pool.expect(config.memory_limit_bytes);
    }

    fn boot(&self, Boot { session, config, events }: Boot) -> Result<Arc<dyn Link>, Failure> {
        let folders = Folders::now(&self.engine);
        let mut ready = iter::from_fn(|| self.pool.take(config.memory_limit_bytes));
        // The other isolates have folders that are no longer the ones at their path.
        let warm = ready.find(|warm| warm.folders == folders);
        let (commands, inbox) = channel();
        // If the pool is on, one of its isolates keeps the heap alive.
        let keeps_shared_heap = !self.pool.is_on();
        let (checker, watchdog) = (self.checker.clone(), self.watchdog.clone());
        let for_isolate = events.clone();
        let handover = |control| {
            let events = for_isolate;
            Handover { session, config, events, inbox, control, checker, watchdog, keeps_shared_heap }
        };
        let control = match warm {
            Some(Warm { control, handover: to_thread, .. }) => {
                // The thread of a warm isolate only waits for this message.
                let _ = to_thread.send(handover(control.clone()));
                events(Event::Initialized(Ok(())));
                control
            }
            None => {
                let control = Arc::new(Control::default());
                let handover = handover(control.clone());
                let engine = self.engine.clone();
                serve::spawn(serve::thread_name(session), move || serve::cold(&engine, handover))
                    .map_err(|error| Failure::init(format!("no thread: {error}")))?;
                control
            }
        };
        Ok(Arc::new(ThreadLink::new(control, commands)))
    }

    fn parks(&self) -> bool {
        true
    }
}
