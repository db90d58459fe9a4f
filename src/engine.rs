//! Engines of the process's executors.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use napi_derive::napi;
use ses_session::{Counters, Engine, EngineStats, Watchdog};
use ses_thread::ThreadBackend;

/// Isolates that the default engine keeps ready.
const DEFAULT_POOL: usize = 1;

/// Watches over the deadlines of all engines.
static WATCHDOG: LazyLock<Arc<Watchdog>> = LazyLock::new(Arc::default);
/// Counts the isolates of all engines.
static COUNTERS: LazyLock<Arc<Counters>> = LazyLock::new(Arc::default);
/// That of all executors that ask for no other one.
static DEFAULT: LazyLock<Arc<Engine>> = LazyLock::new(|| engine(DEFAULT_POOL));

/// Those of executors that ask for other pools, by the size of that. Each is gone with the last of its executors.
static OTHERS: Mutex<BTreeMap<usize, Weak<Engine>>> = Mutex::new(BTreeMap::new());

/// The engine of an executor, which it shares with those that ask for as many isolates to be kept ready.
pub fn engine_for(warm_pool: Option<usize>) -> Arc<Engine> {
    let size = match warm_pool {
        None | Some(DEFAULT_POOL) => return DEFAULT.clone(),
        Some(size) => size,
    };
    let mut others = OTHERS.lock().unwrap_or_else(PoisonError::into_inner);
    others.get(&size).and_then(Weak::upgrade).unwrap_or_else(|| {
        let made = engine(size);
        others.insert(size, Arc::downgrade(&made));
        made
    })
}

fn engine(warm_pool: usize) -> Arc<Engine> {
    let (watchdog, counters) = (WATCHDOG.clone(), COUNTERS.clone());
    let backend = Arc::new(ThreadBackend::new(warm_pool, watchdog.clone(), counters.clone()));
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
