//! `NativeFleetWorker`: serves sessions of a fleet.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Error, Result, Task};
use napi_derive::napi;

use ses_process::ProcessBackend;
use ses_protocol::EngineSpec;
use ses_remote::{Backends, Drained, Offer, Request, Supervisor, WorkerOptions, WorkerStats};

use crate::arguments::{NativeEngine, NativeFleet};
use crate::resources;

/// Backends that are kept: clients choose the time zone and the locale of their sessions.
const MAX_BACKENDS: usize = 16;

/// An engine that a worker has besides the realm. `digest`: of its code. `packages`: those in its folders, each as
/// `name==version digest`.
#[napi(object, object_to_js = false)]
pub struct NativeOffer {
    pub engine: NativeEngine,
    pub digest: String,
    pub packages: Vec<String>,
}

/// Options of a worker. `sandbox`: the least that each session has.
#[napi(object, object_to_js = false)]
pub struct NativeFleetWorkerOptions {
    pub fleet: NativeFleet,
    pub name: String,
    pub node: String,
    pub version: String,
    pub capacity: f64,
    pub sandbox: String,
    pub spares: f64,
    pub max_memory_mb: f64,
    pub offers: Vec<NativeOffer>,
}

impl From<NativeOffer> for Offer {
    fn from(NativeOffer { engine, digest, packages }: NativeOffer) -> Self {
        Self { engine: engine.into(), digest: Some(digest), packages: packages.into_iter().collect() }
    }
}

/// The state of a worker at one moment.
#[napi(object, object_from_js = false)]
pub struct NativeFleetWorkerStats {
    pub capacity: f64,
    pub sessions: f64,
    pub opened: f64,
    pub refused: f64,
    pub lost: f64,
    pub sent_bytes: f64,
    pub received_bytes: f64,
    pub is_draining: bool,
    pub is_connected: bool,
    pub away_ms: f64,
}

/// A worker that has not started yet, or serves.
#[napi]
pub struct NativeFleetWorker {
    supervisor: Arc<Mutex<Option<Supervisor>>>,
    options: Option<WorkerOptions>,
}

#[napi]
impl NativeFleetWorker {
    #[napi(constructor)]
    pub fn new(options: NativeFleetWorkerOptions) -> Self {
        let NativeFleetWorkerOptions { fleet, name, node, version, capacity, sandbox, .. } = options;
        let spares = options.spares as usize;
        let realm = Offer { engine: EngineSpec::default(), digest: None, packages: BTreeSet::new() };
        let offers = std::iter::once(realm).chain(options.offers.into_iter().map(Into::into)).collect();
        let options = WorkerOptions {
            fleet: fleet.into(),
            name,
            node,
            version,
            capacity: capacity as usize,
            confinement: resources::confinement(&sandbox),
            max_memory_bytes: (options.max_memory_mb * f64::from(1 << 20)) as usize,
            offers,
            backends: backends(spares),
        };
        Self { supervisor: Arc::default(), options: Some(options) }
    }

    /// Connects and takes sessions.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn start(&mut self) -> AsyncTask<Step> {
        AsyncTask::new(Step {
            supervisor: self.supervisor.clone(),
            work: Some(Work::Start(self.options.take().map(Box::new))),
        })
    }

    /// Takes no more sessions from now on, waits until those that it has are over, and ends the rest after `grace_ms`.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn drain(&self, grace_ms: f64) -> AsyncTask<Step> {
        let grace = Duration::from_millis(grace_ms as u64);
        let drained = {
            let supervisor = self.supervisor.lock().unwrap_or_else(PoisonError::into_inner);
            supervisor.as_ref().map(Supervisor::drained)
        };
        AsyncTask::new(Step { supervisor: self.supervisor.clone(), work: Some(Work::Drain(drained, grace)) })
    }

    #[napi(getter)]
    pub fn stats(&self) -> NativeFleetWorkerStats {
        let supervisor = self.supervisor.lock().unwrap_or_else(PoisonError::into_inner);
        let stats = supervisor.as_ref().map_or_else(WorkerStats::default, Supervisor::stats);
        NativeFleetWorkerStats {
            capacity: stats.capacity as f64,
            sessions: stats.sessions as f64,
            opened: stats.opened as f64,
            refused: stats.refused as f64,
            lost: stats.lost as f64,
            sent_bytes: stats.sent_bytes as f64,
            received_bytes: stats.received_bytes as f64,
            is_draining: stats.is_draining,
            is_connected: stats.is_connected,
            away_ms: stats.away_ms as f64,
        }
    }
}

/// Something that takes a while.
enum Work {
    Start(Option<Box<WorkerOptions>>),
    Drain(Option<Drained>, Duration),
}

pub struct Step {
    supervisor: Arc<Mutex<Option<Supervisor>>>,
    work: Option<Work>,
}

impl Task for Step {
    type Output = ();
    type JsValue = ();

    fn compute(&mut self) -> Result<()> {
        match self.work.take() {
            Some(Work::Start(Some(options))) => {
                let made = Supervisor::start(*options).map_err(Error::from_reason)?;
                *self.supervisor.lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
                Ok(())
            }
            Some(Work::Drain(drained, grace)) => {
                drained.map_or(Ok(()), |drained| drained.wait(grace)).map_err(Error::from_reason)
            }
            _ => Err(Error::from_reason("the worker was started before")),
        }
    }

    fn resolve(&mut self, _env: Env, (): ()) -> Result<()> {
        Ok(())
    }
}

/// Backends by their requests, and the requests in the order in which they came.
#[derive(Default)]
struct Kept {
    backends: BTreeMap<Request, Arc<ProcessBackend>>,
    order: VecDeque<Request>,
}

/// Makes the backend of each request once, as long as there are few. The oldest is dropped first; its sessions go on.
fn backends(spares: usize) -> Backends {
    let kept: Mutex<Kept> = Mutex::default();
    Arc::new(move |request| {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let Kept { backends, order } = &mut *kept;
        if let Some(backend) = backends.get(&request) {
            return backend.clone();
        }
        if order.len() >= MAX_BACKENDS
            && let Some(oldest) = order.pop_front()
        {
            backends.remove(&oldest);
        }
        let backend = resources::processes(request.clone(), spares);
        order.push_back(request.clone());
        backends.insert(request, backend.clone());
        backend
    })
}
