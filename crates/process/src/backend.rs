//! Creates isolates in separate processes, and keeps some ready.

use std::sync::Arc;

use ses_peer::{ANSWER, Confinement, Peer, PeerLink, SPARE_ANSWER, longest_body};
use ses_protocol::frames::{Control, Hello};
use ses_protocol::{Config, Failure};
use ses_session::{Backend, Boot, Counters, Folders, Link, Pool, Watchdog};

use crate::launch::{Installation, Kind};
use crate::worker::{ByteListener, Intake, Worker};

/// Creates isolates in separate processes.
pub struct ProcessBackend {
    installation: Arc<Installation>,
    confinement: Confinement,
    pool: Pool<Worker>,
    watchdog: Arc<Watchdog>,
}

impl ProcessBackend {
    /// Keeps `spares` processes ready.
    pub fn new(
        installation: Arc<Installation>,
        confinement: Confinement,
        spares: usize,
        watchdog: Arc<Watchdog>,
        counters: Arc<Counters>,
    ) -> Self {
        let own = installation.clone();
        let pool = Pool::new(spares, watchdog.clone(), counters, move |memory_limit_bytes, booting| {
            let kind = Kind { confinement, memory_limit_bytes };
            Worker::start(own.clone(), kind, move |worker| booting.ready(worker))
        });
        Self { installation, confinement, pool, watchdog }
    }

    /// A process for a session: one from the pool if possible. Also returns the greeting of a process from the pool.
    fn worker(&self, kind: Kind, mut intake: Intake) -> std::io::Result<(Worker, Option<Hello>)> {
        let folders = Folders::now(&self.installation.engine);
        while let Some(worker) = self.pool.take(kind.memory_limit_bytes) {
            match worker.attach(intake, &folders) {
                Ok(hello) => return Ok((worker, Some(hello))),
                // The process has ended while it waited, or the folders at the configured paths are other ones now.
                Err(returned) => intake = returned,
            }
        }
        Ok((Worker::start_attached(self.installation.clone(), kind, intake)?, None))
    }

    /// A process whose frames are passed on as they are, to a host that is elsewhere. Also returns the greeting of a
    /// process from the pool, which the listener does not receive.
    ///
    /// # Errors
    ///
    /// No thread is available.
    pub fn relay(&self, memory_limit_bytes: usize, listener: ByteListener) -> std::io::Result<(Worker, Option<Hello>)> {
        self.pool.expect(memory_limit_bytes);
        let kind = Kind { confinement: self.confinement, memory_limit_bytes };
        self.worker(kind, Intake::Bytes(listener))
    }
}

impl Backend for ProcessBackend {
    fn expect(&self, config: &Config) {
        self.pool.expect(config.memory_limit_bytes);
    }

    fn boot(&self, Boot { session, config, events }: Boot) -> Result<Arc<dyn Link>, Failure> {
        let kind = Kind { confinement: self.confinement, memory_limit_bytes: config.memory_limit_bytes };
        let most = longest_body(&config);
        let session = u32::try_from(session).map_err(|_| Failure::init("there were too many sessions"))?;
        let mut peer = Peer::new(self.confinement, config.clone(), events);
        let session_state = peer.session_state();
        let started =
            self.worker(kind, Intake::Frames { most, listener: Box::new(move |event| peer.on_worker_event(event)) });
        let (worker, hello) = started.map_err(|error| Failure::init(format!("no worker process: {error}")))?;
        if let Some(hello) = hello {
            session_state.greet(self.confinement, hello)?;
        }
        let link = Arc::new(PeerLink::new(session, Arc::new(worker), session_state, self.watchdog.clone(), ANSWER));
        let control = Control::Open(config);
        match hello {
            Some(_) => link.open_spare(control, SPARE_ANSWER),
            None => link.open(&control),
        }
        Ok(link)
    }

    fn parks(&self) -> bool {
        false
    }
}
