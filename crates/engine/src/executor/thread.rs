//! The executor thread: one isolate, one command after the other.

#[cfg(target_os = "linux")]
use std::ffi::CString;
use std::sync::Arc;
use std::sync::mpsc::channel;

use super::mailbox::Receiver;
use super::messages::{Command, Event};
use super::pool::{self, Warm};
use super::session::{self, Shared};
use super::stats::LiveIsolate;
use super::watchdog::CpuClock;
use crate::memory::parking::Owner;
use crate::process::priority;
use crate::process::syntax_check::keep_shared_heap;
use crate::realm::boot::Booted;
use crate::realm::engine::Engine;

/// What a warm thread gets to serve a session.
pub struct Handover {
    pub shared: Arc<Shared>,
    pub inbox: Receiver<Command>,
    pub live: LiveIsolate,
}

/// Boots an isolate for a session and serves it until the session is given up.
pub fn cold(Handover { shared, inbox, live }: Handover) {
    let closed = Closed(shared.clone());
    shared.set_cpu_clock(CpuClock::of_this_thread());
    let booted = match Booted::new(shared.config.memory_limit_bytes, Owner::Session(shared.clone())) {
        Ok(booted) => booted,
        Err(failure) => {
            drop(live);
            (shared.sink)(Event::Initialized { session: shared.id, result: Err(failure) });
            return;
        }
    };
    shared.set_interrupt(booted.interrupt());
    let engine = Engine::new(booted, shared.clone(), inbox, live);
    (shared.sink)(Event::Initialized { session: shared.id, result: Ok(()) });
    serve(&shared, engine, closed);
}

/// Boots an isolate for the pool, waits there for a session, and serves it.
pub fn warm(limit_bytes: usize) {
    let booting = Booting(());
    let Ok(mut booted) = Booted::new(limit_bytes, Owner::Pool) else { return };
    booted.warm_up();
    let (handover, handovers) = channel();
    pool::offer(Warm { limit_bytes, interrupt: booted.interrupt(), cpu_clock: CpuClock::of_this_thread(), handover });
    drop(booting);
    // The pool has dropped the isolate if nothing comes.
    let Ok(Handover { shared, inbox, live }) = handovers.recv() else { return };
    let closed = Closed(shared.clone());
    name_thread(&session::thread_name(shared.id));
    booted.set_owner(Owner::Session(shared.clone()));
    serve(&shared, Engine::new(booted, shared.clone(), inbox, live), closed);
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

fn serve(shared: &Shared, mut engine: Engine, closed: Closed) {
    priority::lower(priority::GUEST_NICE);
    while !shared.is_abandoned() {
        let Some(command) = engine.next_command() else { break };
        let job = match &command {
            Command::SetVariables { job, .. } | Command::SetTools { job, .. } | Command::Run { job, .. } => job.clone(),
            // Left over from a run that has ended.
            Command::ToolReplies(_) | Command::Wake => continue,
        };
        shared.set_current(Some(job.clone()));
        let (outcome, sound) = match command {
            Command::SetVariables { names, values, .. } => engine.set_variables(&names, values),
            Command::SetTools { tools, .. } => engine.set_tools(tools),
            Command::Run { code, .. } => engine.run(&job, code),
            Command::ToolReplies(_) | Command::Wake => continue,
        };
        shared.set_current(None);
        if !job.claim() {
            // Settled by another thread, which has given the session up.
            break;
        }
        let outcome = engine.with_report(outcome, &job);
        let installs = sound && engine.has_sent();
        shared.settle(job, outcome, sound, installs);
        engine.keep_program();
        if !sound || (installs && !install(shared, &mut engine)) {
            break;
        }
    }
    // No guest code runs any more: whoever waits for that need not wait until V8 has taken the isolate apart.
    engine.retire();
    priority::lower(priority::FREEING_NICE);
    drop(closed);
    if !pool::is_on() {
        // Else an isolate of the pool does that.
        keep_shared_heap();
    }
    drop(engine);
}

/// Installs the variables that the last job has left for later, before any guest code runs. False: the session cannot go on.
fn install(shared: &Shared, engine: &mut Engine) -> bool {
    let result = engine.install_sent();
    let is_sound = result.is_ok();
    (shared.sink)(Event::Installed { session: shared.id, result });
    is_sound
}

/// Reports the end of the session when dropped.
struct Closed(Arc<Shared>);

impl Drop for Closed {
    fn drop(&mut self) {
        (self.0.sink)(Event::Closed { session: self.0.id, panicked: std::thread::panicking() });
    }
}

/// An isolate is being made for the pool, which makes one at a time.
struct Booting(());

impl Drop for Booting {
    fn drop(&mut self) {
        pool::booted();
    }
}
