//! Engines of the process's executors.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use napi_derive::napi;
#[cfg(unix)]
use ses_process::{Confinement, ProcessBackend};
use ses_session::{Backend, Counters, Engine, EngineStats, Watchdog};
use ses_thread::ThreadBackend;

#[cfg(unix)]
use crate::worker;

/// Isolates that the default engine keeps ready.
const DEFAULT_POOL: usize = 1;

/// Watches over the deadlines of all engines.
static WATCHDOG: LazyLock<Arc<Watchdog>> = LazyLock::new(Arc::default);
/// Counts the isolates of all engines.
static COUNTERS: LazyLock<Arc<Counters>> = LazyLock::new(Arc::default);
/// That of all executors that ask for no other one.
static DEFAULT: LazyLock<Arc<Engine>> = LazyLock::new(|| engine(&Place::Thread { warm_pool: DEFAULT_POOL }));

/// Those of executors that ask for other ones. Each is gone with the last of its executors.
static OTHERS: Mutex<BTreeMap<Place, Weak<Engine>>> = Mutex::new(BTreeMap::new());

/// Where isolates live, and how many are kept ready there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Thread {
        warm_pool: usize,
    },
    #[cfg(unix)]
    Process {
        confinement: Confinement,
        spares: usize,
    },
}

impl Place {
    /// Of executors on threads.
    pub fn thread(warm_pool: Option<usize>) -> Self {
        Self::Thread { warm_pool: warm_pool.unwrap_or(DEFAULT_POOL) }
    }

    /// Of executors in processes.
    #[cfg(unix)]
    pub fn process(confinement: Confinement, spares: Option<usize>) -> Self {
        Self::Process { confinement, spares: spares.unwrap_or(DEFAULT_POOL) }
    }
}

/// The engine of an executor, which it shares with those that have the same place.
pub fn engine_for(place: Place) -> Arc<Engine> {
    if place == (Place::Thread { warm_pool: DEFAULT_POOL }) {
        return DEFAULT.clone();
    }
    let mut others = OTHERS.lock().unwrap_or_else(PoisonError::into_inner);
    others.get(&place).and_then(Weak::upgrade).unwrap_or_else(|| {
        let made = engine(&place);
        others.insert(place, Arc::downgrade(&made));
        made
    })
}

fn engine(place: &Place) -> Arc<Engine> {
    let (watchdog, counters) = (WATCHDOG.clone(), COUNTERS.clone());
    let backend: Arc<dyn Backend> = match *place {
        Place::Thread { warm_pool } => Arc::new(ThreadBackend::new(warm_pool, watchdog.clone(), counters.clone())),
        #[cfg(unix)]
        Place::Process { confinement, spares } => {
            let installation = worker::installation();
            let (watchdog, counters) = (watchdog.clone(), counters.clone());
            Arc::new(ProcessBackend::new(installation, confinement, spares, watchdog, counters))
        }
    };
    Arc::new(Engine { backend, watchdog, counters })
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
    let EngineStats { live, warm, parked, parked_bytes, stuck, stuck_bytes, terminated } = COUNTERS.now();
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
