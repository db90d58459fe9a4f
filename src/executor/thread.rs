//! The executor thread: one isolate, one command after the other.

use std::sync::Arc;

use super::mailbox::Receiver;
use super::messages::{Command, Event};
use super::session::Shared;
use super::watchdog::timers;
use crate::runtime::Engine;

/// Boots an isolate and serves it until the session is given up.
pub fn main(shared: Arc<Shared>, inbox: Receiver<Command>) {
    // Reports the end of the thread after everything else here has been dropped, the isolate included.
    let _closed = Closed(shared.clone());
    // V8 posts delayed tasks of the isolates that this thread makes to the timers.
    let _timers = timers().ok().map(tokio::runtime::Handle::enter);
    shared.set_cpu_clock();
    let mut engine = match Engine::boot(shared.clone(), inbox) {
        Ok(engine) => engine,
        Err(failure) => {
            (shared.sink)(Event::Initialized { session: shared.id, result: Err(failure) });
            return;
        }
    };
    (shared.sink)(Event::Initialized { session: shared.id, result: Ok(()) });
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
    }
}
