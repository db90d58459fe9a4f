//! The executor thread: one isolate, one command after the other.

#[cfg(target_os = "linux")]
use std::ffi::CString;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use super::messages::{Command, Event};
use super::pool::{self, Warm};
use super::session::{self, Shared};
use super::stats::LiveIsolate;
use super::watchdog::{CpuClock, timers};
use crate::runtime::{Booted, Engine, Owner};

/// What a warm thread gets to serve a session.
pub struct Handover {
    pub shared: Arc<Shared>,
    pub inbox: Receiver<Command>,
    pub live: LiveIsolate,
}

/// Boots an isolate for a session and serves it until the session is given up.
pub fn cold(Handover { shared, inbox, live }: Handover) {
    // Reports the end of the thread after everything else here has been dropped, the isolate included.
    let _closed = Closed(shared.clone());
    // V8 posts delayed tasks of the isolates that this thread makes to the timers.
    let _timers = timers().ok().map(tokio::runtime::Handle::enter);
    shared.set_cpu_clock(CpuClock::of_this_thread());
    let mut booted = match Booted::new(shared.config.memory_limit_bytes, Owner::Session(shared.clone())) {
        Ok(booted) => booted,
        Err(failure) => {
            (shared.sink)(Event::Initialized { session: shared.id, result: Err(failure) });
            return;
        }
    };
    shared.set_interrupt(booted.interrupt());
    let engine = Engine::new(booted, shared.clone(), inbox, live);
    (shared.sink)(Event::Initialized { session: shared.id, result: Ok(()) });
    serve(&shared, engine);
}

/// Boots an isolate for the pool, waits there for a session, and serves it.
pub fn warm(limit_bytes: usize) {
    let _timers = timers().ok().map(tokio::runtime::Handle::enter);
    let booting = Booting(());
    let Ok(mut booted) = Booted::new(limit_bytes, Owner::Pool) else { return };
    let (handover, handovers) = channel();
    pool::offer(Warm { limit_bytes, interrupt: booted.interrupt(), cpu_clock: CpuClock::of_this_thread(), handover });
    drop(booting);
    // The pool has dropped the isolate if nothing comes.
    let Ok(Handover { shared, inbox, live }) = handovers.recv() else { return };
    let _closed = Closed(shared.clone());
    name_thread(&session::thread_name(shared.id));
    booted.set_owner(Owner::Session(shared.clone()));
    serve(&shared, Engine::new(booted, shared.clone(), inbox, live));
}

/// Renames the calling thread, where the system can.
fn name_thread(name: &str) {
    #[cfg(target_os = "linux")]
    if let Ok(name) = CString::new(name) {
        // SAFETY: the text ends with a zero and is only read; the system takes its first 15 bytes.
        unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr()) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = name;
}

fn serve(shared: &Shared, mut engine: Engine) {
    while !shared.is_abandoned() {
        let Some(command) = engine.next_command() else { break };
        let job = match &command {
            Command::SetVariables { job, .. } | Command::SetTools { job, .. } | Command::Run { job, .. } => job.clone(),
            // Left over from a run that has ended.
            Command::ToolReply { .. } | Command::Wake => continue,
        };
        shared.set_current(Some(job.clone()));
        let (outcome, sound) = match command {
            Command::SetVariables { names, values, .. } => engine.set_variables(&names, &values),
            Command::SetTools { tools, .. } => engine.set_tools(tools),
            Command::Run { code, .. } => engine.run(&job, code),
            Command::ToolReply { .. } | Command::Wake => continue,
        };
        shared.set_current(None);
        if !job.claim() {
            // Settled by another thread, which has given the session up.
            break;
        }
        let outcome = engine.with_report(outcome, &job);
        shared.settle(job, outcome, sound);
        if !sound {
            break;
        }
    }
}

struct Closed(Arc<Shared>);

impl Drop for Closed {
    fn drop(&mut self) {
        (self.0.sink)(Event::Closed { session: self.0.id, panicked: std::thread::panicking() });
        // The processor that the session had is free for its successor.
        pool::refill();
    }
}

/// An isolate is being made for the pool, which makes one at a time.
struct Booting(());

impl Drop for Booting {
    fn drop(&mut self) {
        pool::booted();
    }
}
