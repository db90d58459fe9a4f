//! Creates isolates on workers of a fleet.

use std::sync::Arc;

use ses_peer::{ANSWER, Confinement, Peer, PeerLink, longest_body};
use ses_protocol::frames::Control;
use ses_protocol::{Config, EngineSpec, Failure};
use ses_session::{Backend, Boot, Link, Watchdog};

use crate::claim::Claim;
use crate::client::session::RemoteSession;
use crate::network::{LinkToBroker, runtime};
use crate::servers::{Fleet, is_name};

/// Creates isolates on workers of a fleet.
pub struct RemoteBackend {
    fleet: Fleet,
    link: Arc<LinkToBroker>,
    engine: Arc<EngineSpec>,
    confinement: Confinement,
    environment: Vec<String>,
    watchdog: Arc<Watchdog>,
}

impl RemoteBackend {
    /// Does not connect yet. `environment`: time zone and locale, in the form `NAME=value`.
    pub fn new(
        fleet: Fleet,
        engine: Arc<EngineSpec>,
        confinement: Confinement,
        environment: Vec<String>,
        watchdog: Arc<Watchdog>,
    ) -> Self {
        let link = LinkToBroker::of(&fleet);
        Self { fleet, link, engine, confinement, environment, watchdog }
    }
}

impl Backend for RemoteBackend {
    fn expect(&self, _config: &Config) {}

    /// Workers run on Linux.
    fn is_local(&self) -> bool {
        false
    }

    fn boot(&self, Boot { session, config, events }: Boot) -> Result<Arc<dyn Link>, Failure> {
        let most = longest_body(&config);
        let number = u32::try_from(session).map_err(|_| Failure::init("there were too many sessions"))?;
        if !is_name(&self.fleet.pool) {
            return Err(Failure::init("the name of the pool must have 1 to 64 letters, digits, - and _ only"));
        }
        if !self.engine.folders.is_empty() {
            return Err(Failure::init("a worker of a fleet has no folders of the host"));
        }
        let handle = runtime().map_err(Failure::init)?;
        let claim = Claim {
            memory_limit_bytes: config.memory_limit_bytes,
            confinement: self.confinement.into(),
            engine: self.engine.name.clone(),
            settings: self.engine.settings.clone(),
            environment: self.environment.clone(),
        };
        let peer = Peer::new(self.confinement, config.clone(), events);
        let session_state = peer.session_state();
        let session = RemoteSession::new(peer, claim, self.fleet.pool.clone(), most, handle.clone());
        let link = Arc::new(PeerLink::new(number, session.clone(), session_state, self.watchdog.clone(), ANSWER));
        link.open(&Control::Open(config));
        handle.spawn(session.open(self.link.clone()));
        Ok(link)
    }

    fn parks(&self) -> bool {
        false
    }
}
