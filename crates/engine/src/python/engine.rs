//! Python as an engine.

use std::rc::Rc;
use std::sync::Arc;

use crate::control::interrupt::Interrupt;
use crate::memory::parking::{OnParked, set_thread_isolate};
use crate::memory::single_isolate::OnLost;
#[cfg(target_os = "linux")]
use crate::platform::compile_thread;
use crate::python::boot::{Booted, make_snapshot, read_python};
use crate::python::folders::Folders;
use crate::python::guest::Guest;
use crate::python::spec::PythonSpec;
use crate::state::context::GuestContext;
use crate::state::engine;
use ses_prepare::Programs;
use ses_protocol::{EngineSpec, Failure};

pub struct Python(PythonSpec);

/// Python whose files are read and whose folders are open.
struct Confined {
    spec: PythonSpec,
    folders: Folders,
}

impl Python {
    /// # Errors
    ///
    /// A message that says which setting is missing.
    pub fn new(spec: &EngineSpec) -> Result<Self, String> {
        PythonSpec::of(spec).map(Self)
    }
}

impl engine::Engine for Python {
    fn held_bytes(&self) -> usize {
        32 << 20
    }

    fn boot(&self, limit_bytes: usize, on_parked: OnParked) -> Result<Box<dyn engine::Booted>, Failure> {
        Ok(Box::new(Booted::new(&self.0, None, limit_bytes, on_parked)?))
    }

    fn read(&self) -> Result<Box<dyn engine::Confined>, String> {
        Ok(Box::new(Confined { spec: self.0.clone(), folders: read_python(&self.0)? }))
    }

    fn fill_cache(&self) {
        make_snapshot(&self.0);
    }
}

impl engine::Confined for Confined {
    fn refuse_folders(&mut self, reason: &str) -> Result<(), String> {
        if self.folders.packages.is_some() {
            return Err(reason.to_owned());
        }
        self.folders.refuse(reason);
        Ok(())
    }

    fn boot(
        self: Box<Self>,
        limit_bytes: usize,
        on_parked: OnParked,
        _on_lost: OnLost,
    ) -> Result<Box<dyn engine::Booted>, Failure> {
        Ok(Box::new(Booted::new(&self.spec, Some(self.folders), limit_bytes, on_parked)?))
    }
}

impl engine::Booted for Booted {
    fn warm_up(&mut self) {
        // The snapshot was made from an isolate that had already run.
        #[cfg(target_os = "linux")]
        compile_thread::start_ahead();
    }

    fn set_owner(&self, on_parked: OnParked) {
        set_thread_isolate(on_parked, self.buffers.clone());
    }

    fn interrupt(&self) -> Interrupt {
        Interrupt::with_request(&self.guarded.instance.isolate, self.signal.clone())
    }

    fn into_guest(self: Box<Self>, context: Rc<dyn GuestContext>, _programs: &Arc<Programs>) -> Box<dyn engine::Guest> {
        #[cfg(target_os = "linux")]
        compile_thread::open();
        Box::new(Guest::new(*self, context))
    }
}

impl engine::Guest for Guest {
    fn serve(&mut self) {
        self.serve_session();
    }
}
