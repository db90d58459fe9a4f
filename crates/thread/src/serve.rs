//! The thread of an isolate.

use std::cell::RefCell;
#[cfg(target_os = "linux")]
use std::ffi::CString;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc;

use ses_engine::{Booted, Checker, Guest, ISOLATE_STACK_BYTES, OnParked, engine_of};
use ses_protocol::{Command, Config, EngineSpec, Event, Failure, SessionId};
use ses_session::{Booting, Counters, Events, Folders, Reporter, Watchdog};
use ses_sync::{Receiver, priority};

use crate::Warm;
use crate::context::ThreadContext;
use crate::link::Control;

/// What a thread needs to serve a session.
pub struct Handover {
    pub session: SessionId,
    pub config: Arc<Config>,
    pub events: Events,
    pub inbox: Receiver<Option<Command>>,
    pub control: Arc<Control>,
    pub checker: Arc<Checker>,
    pub watchdog: Arc<Watchdog>,
    /// No other isolate keeps V8's shared heap alive.
    pub keeps_shared_heap: bool,
}

impl Handover {
    /// The object that must keep V8's shared heap alive from then on.
    fn keeper(&self) -> Option<Arc<Checker>> {
        self.keeps_shared_heap.then(|| self.checker.clone())
    }
}

/// Name of the thread that serves a session.
pub fn thread_name(session: SessionId) -> String {
    format!("ses-executor-{session}")
}

/// Starts a thread that may have an isolate.
pub fn spawn(name: String, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name(name).stack_size(ISOLATE_STACK_BYTES).spawn(work).map(drop)
}

/// Boots an isolate for a session. Serves the session until it is given up.
pub fn cold(engine: &EngineSpec, handover: Handover) {
    priority::use_guest_priority();
    let closed = Closed(handover.events.clone());
    let events = handover.events.clone();
    handover.control.begin();
    let booted = match boot(engine, handover.config.memory_limit_bytes, parked_of(&events)) {
        Ok(booted) => booted,
        Err(failure) => {
            events(Event::Initialized(Err(failure)));
            return;
        }
    };
    handover.control.set_interrupt(booted.interrupt());
    let keeper = handover.keeper();
    let guest = guest(booted, handover);
    events(Event::Initialized(Ok(())));
    serve(guest, keeper, closed);
}

/// Boots an isolate for the pool, waits for a session, and serves it.
pub fn warm(engine: &EngineSpec, limit_bytes: usize, booting: Booting<Warm>, counters: Arc<Counters>) {
    priority::use_guest_priority();
    let folders = Folders::now(engine);
    let control = Arc::new(Control::default());
    control.begin();
    let booting = Rc::new(RefCell::new(Some(booting)));
    let on_parked: OnParked = {
        let booting = booting.clone();
        Rc::new(move |bytes| {
            counters.lost_isolates.add_parked(None, bytes);
            if let Some(booting) = booting.borrow_mut().take() {
                booting.parked();
            }
        })
    };
    let Ok(mut booted) = boot(engine, limit_bytes, on_parked) else { return };
    booted.warm_up();
    control.set_interrupt(booted.interrupt());
    let (handover, handovers) = mpsc::channel();
    if let Some(booting) = booting.borrow_mut().take() {
        booting.ready(Warm { folders, control, handover });
    }
    // The channel closes without a message if the pool has dropped the isolate.
    let Ok(handover) = handovers.recv() else { return };
    let closed = Closed(handover.events.clone());
    name_thread(&thread_name(handover.session));
    booted.set_owner(parked_of(&handover.events));
    let keeper = handover.keeper();
    serve(guest(booted, handover), keeper, closed);
}

fn boot(engine: &EngineSpec, limit_bytes: usize, on_parked: OnParked) -> Result<Box<dyn Booted>, Failure> {
    engine_of(engine).map_err(Failure::init)?.boot(limit_bytes, on_parked)
}

/// Reports to a session that its isolate is parked.
fn parked_of(events: &Events) -> OnParked {
    let events = events.clone();
    Rc::new(move |bytes| events(Event::Parked { bytes }))
}

fn guest(booted: Box<dyn Booted>, handover: Handover) -> Box<dyn Guest> {
    let Handover { session, config, events, inbox, control, checker, watchdog, .. } = handover;
    let reporter = Reporter::new(events, watchdog);
    let context = ThreadContext { session, config, reporter, inbox, control };
    booted.into_guest(Rc::new(context), checker.programs())
}

fn serve(mut guest: Box<dyn Guest>, keeper: Option<Arc<Checker>>, closed: Closed) {
    guest.serve();
    // No guest code runs any more. Threads that wait for that need not wait until V8 has torn down the isolate.
    drop(closed);
    if let Some(checker) = keeper {
        checker.keep_shared_heap();
    }
    drop(guest);
}

/// Renames the calling thread, where the system can.
fn name_thread(name: &str) {
    #[cfg(target_os = "linux")]
    if let Ok(name) = CString::new(name) {
        // SAFETY: the name ends with a zero byte and is only read. The system takes its first 15 bytes.
        unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr()) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = name;
}

/// Reports the end of the session when dropped.
struct Closed(Events);

impl Drop for Closed {
    fn drop(&mut self) {
        (self.0)(Event::Closed { panicked: std::thread::panicking() });
    }
}
