//! What the executors in this process share.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError, Weak};

use napi_derive::napi;
use ses_engine::Checker;
use ses_files::pool::Pool as FilePool;
use ses_journal::{Journal, JournalBackend};
use ses_peer::Confinement;
#[cfg(unix)]
use ses_process::ProcessBackend;
use ses_protocol::EngineSpec;
use ses_remote::{Fleet, RemoteBackend};
use ses_session::{Backend, Counters, EngineStats, Resources, Watchdog};
use ses_thread::ThreadBackend;

#[cfg(unix)]
use crate::worker;

/// Isolates that a backend keeps ready by default.
const DEFAULT_POOL: usize = 1;

/// The state that all executors of the process share.
static RESOURCES: LazyLock<AllResources> = LazyLock::new(AllResources::default);

/// The resources of all executors, and the parts that are the same for all of them.
#[derive(Default)]
struct AllResources {
    /// Watches over all deadlines.
    watchdog: Arc<Watchdog>,
    /// Counts all isolates.
    counters: Arc<Counters>,
    /// Prepares and checks programs that do not run.
    checker: Arc<Checker>,
    /// Threads of the file tools.
    files: Arc<FilePool>,
    /// The resources of all executors without special options.
    default: OnceLock<Arc<Resources>>,
    /// The resources of all other executors. They are freed with the last executor at their place.
    others: Mutex<BTreeMap<Place, Weak<Resources>>>,
}

/// Where isolates live, and how many of them are kept ready.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Thread {
        engine: Arc<EngineSpec>,
        warm_pool: usize,
    },
    #[cfg(unix)]
    Process {
        engine: Arc<EngineSpec>,
        confinement: Confinement,
        spares: usize,
        /// Time zone and locale of the workers, in the form `NAME=value`.
        environment: Vec<String>,
    },
    Remote {
        engine: Arc<EngineSpec>,
        confinement: Confinement,
        environment: Vec<String>,
        fleet: Fleet,
    },
}

impl Place {
    /// The place of executors on threads.
    pub fn thread(engine: Arc<EngineSpec>, warm_pool: Option<usize>) -> Self {
        Self::Thread { engine, warm_pool: warm_pool.unwrap_or(DEFAULT_POOL) }
    }

    /// The place of executors in processes.
    #[cfg(unix)]
    pub fn process(
        engine: Arc<EngineSpec>,
        confinement: Confinement,
        spares: Option<usize>,
        environment: Vec<String>,
    ) -> Self {
        Self::Process { engine, confinement, spares: spares.unwrap_or(DEFAULT_POOL), environment }
    }
}

impl AllResources {
    fn at(&self, place: Place) -> Arc<Resources> {
        if place == Place::thread(Arc::default(), None) {
            return self.default.get_or_init(|| self.make(&place)).clone();
        }
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        others.get(&place).and_then(Weak::upgrade).unwrap_or_else(|| {
            let made = self.make(&place);
            others.retain(|_, resources| resources.strong_count() > 0);
            others.insert(place, Arc::downgrade(&made));
            made
        })
    }

    fn make(&self, place: &Place) -> Arc<Resources> {
        let (watchdog, counters) = (self.watchdog.clone(), self.counters.clone());
        let backend: Arc<dyn Backend> = match place {
            Place::Thread { engine, warm_pool } => {
                let (engine, checker) = (engine.clone(), self.checker.clone());
                Arc::new(ThreadBackend::new(engine, *warm_pool, checker, watchdog.clone(), counters.clone()))
            }
            #[cfg(unix)]
            Place::Process { engine, confinement, spares, environment } => {
                let installation = worker::installation(engine.clone(), environment);
                let (watchdog, counters) = (watchdog.clone(), counters.clone());
                Arc::new(ProcessBackend::new(installation, *confinement, *spares, watchdog, counters))
            }
            Place::Remote { engine, confinement, environment, fleet } => {
                let (engine, environment) = (engine.clone(), environment.clone());
                Arc::new(RemoteBackend::new(fleet.clone(), engine, *confinement, environment, watchdog.clone()))
            }
        };
        Arc::new(Resources { backend, watchdog, counters })
    }
}

/// The confinement for a value of `options.sandbox`.
pub fn confinement(sandbox: &str) -> Confinement {
    match sandbox {
        "off" => Confinement::Off,
        "best-effort" => Confinement::BestEffort,
        _ => Confinement::Required,
    }
}

/// The backend of processes for a worker of a fleet.
#[cfg(unix)]
pub fn processes(request: ses_remote::Request, spares: usize) -> Arc<ProcessBackend> {
    let ses_remote::Request { engine, confinement, environment } = request;
    let installation = worker::installation(engine, &environment);
    Arc::new(ProcessBackend::new(
        installation,
        confinement,
        spares,
        RESOURCES.watchdog.clone(),
        RESOURCES.counters.clone(),
    ))
}

/// The resources of an executor. Executors at the same place share them.
pub fn resources_for(place: Place) -> Arc<Resources> {
    RESOURCES.at(place)
}

/// The resources of an executor whose session is recorded.
pub fn recorded(resources: &Resources, journal: Arc<Journal>) -> Arc<Resources> {
    let backend = Arc::new(JournalBackend::new(resources.backend.clone(), journal));
    Arc::new(Resources { backend, watchdog: resources.watchdog.clone(), counters: resources.counters.clone() })
}

/// The threads for calls of file tools.
pub fn file_pool() -> Arc<FilePool> {
    RESOURCES.files.clone()
}

/// Prepares and checks programs that do not run.
pub fn checker() -> &'static Checker {
    &RESOURCES.checker
}

/// Counters of the process.
#[napi(object, object_from_js = false)]
pub struct NativeEngineStats {
    pub live: f64,
    pub warm: f64,
    pub parked: f64,
    pub parked_bytes: f64,
    pub stuck: f64,
    pub stuck_bytes: f64,
    pub terminated: f64,
}

#[napi]
pub fn engine_stats() -> NativeEngineStats {
    let EngineStats { live, warm, parked, parked_bytes, stuck, stuck_bytes, terminated } = RESOURCES.counters.now();
    NativeEngineStats {
        live: live as f64,
        warm: warm as f64,
        parked: parked as f64,
        parked_bytes: parked_bytes as f64,
        stuck: stuck as f64,
        stuck_bytes: stuck_bytes as f64,
        terminated: terminated as f64,
    }
}
