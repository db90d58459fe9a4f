//! The interface of engines. An engine is a kind of isolate. Each engine has a folder, and `engines.rs` lists them.
//! Threads, worker processes and the addon know only these traits.

use std::rc::Rc;
use std::sync::Arc;

use crate::control::interrupt::Interrupt;
use crate::memory::parking::OnParked;
use crate::memory::single_isolate::OnLost;
use crate::state::context::GuestContext;
use ses_prepare::Programs;
use ses_protocol::Failure;

/// An engine with its settings.
pub trait Engine {
    /// Memory that an isolate holds in the process outside V8's heap, in bytes. It is reported to the host's garbage
    /// collector, so that the collector looks for executors that are no longer referenced.
    fn held_bytes(&self) -> usize;

    /// Makes an isolate on the calling thread, with one limit for all of its memory. `on_parked` is called if the
    /// memory does not suffice even for that.
    fn boot(&self, limit_bytes: usize, on_parked: OnParked) -> Result<Box<dyn Booted>, Failure>;

    /// Reads all files that isolates are made from and opens the folders, for a process that is about to lose its
    /// access to files.
    ///
    /// # Errors
    ///
    /// A message for people that names the missing or broken file.
    fn read(&self) -> Result<Box<dyn Confined>, String>;

    /// Fills the cache, if parts of it are missing. Called on a thread with a large stack. Confined processes may not
    /// write to the cache.
    fn fill_cache(&self) {}
}

/// An engine in a process that will have only one isolate and no access to files.
pub trait Confined: Send {
    /// Makes the folders unavailable to guest code, because nothing would confine the process to them.
    ///
    /// # Errors
    ///
    /// The isolate cannot be made without its folders.
    fn refuse_folders(&mut self, reason: &str) -> Result<(), String>;

    /// Like [`Engine::boot`]. `on_lost` ends the process.
    fn boot(
        self: Box<Self>,
        limit_bytes: usize,
        on_parked: OnParked,
        on_lost: OnLost,
    ) -> Result<Box<dyn Booted>, Failure>;
}

/// An isolate without a session, on its thread.
pub trait Booted {
    /// Does the one-time work that the first run would otherwise do.
    fn warm_up(&mut self);

    /// Sets the callback for the case that V8 has no memory left.
    fn set_owner(&self, on_parked: OnParked);

    /// Returns a handle that ends guest code from any thread.
    fn interrupt(&self) -> Interrupt;

    /// Gives the isolate to a session. `programs`: a cache of prepared programs.
    fn into_guest(self: Box<Self>, context: Rc<dyn GuestContext>, programs: &Arc<Programs>) -> Box<dyn Guest>;
}

/// An isolate in a session, on its thread.
pub trait Guest {
    /// Executes commands one after the other, until the session is given up or the isolate is lost.
    fn serve(&mut self);
}
