//! The hardened realm as an engine.

use std::rc::Rc;
use std::sync::Arc;

use crate::control::interrupt::Interrupt;
use crate::memory::parking::{OnParked, set_thread_isolate};
use crate::memory::single_isolate::OnLost;
#[cfg(target_os = "linux")]
use crate::platform::compile_thread;
use crate::realm::boot::Booted;
use crate::realm::guest::Guest;
use crate::state::context::GuestContext;
use crate::state::engine;
use ses_prepare::Programs;
use ses_protocol::Failure;

/// It has no settings: everything is in the snapshot.
pub struct Realm;

impl engine::Engine for Realm {
    fn held_bytes(&self) -> usize {
        2 << 20
    }

    fn boot(&self, limit_bytes: usize, on_parked: OnParked) -> Result<Box<dyn engine::Booted>, Failure> {
        Ok(Box::new(Booted::new(limit_bytes, on_parked)?))
    }

    fn read(&self) -> Result<Box<dyn engine::Confined>, String> {
        Ok(Box::new(Self))
    }
}

impl engine::Confined for Realm {
    fn refuse_folders(&mut self, _reason: &str) -> Result<(), String> {
        Ok(())
    }

    fn boot(
        self: Box<Self>,
        limit_bytes: usize,
        on_parked: OnParked,
        on_lost: OnLost,
    ) -> Result<Box<dyn engine::Booted>, Failure> {
        Ok(Box::new(Booted::single(limit_bytes, on_parked, on_lost)?))
    }
}

impl engine::Booted for Booted {
    fn warm_up(&mut self) {
        #[cfg(target_os = "linux")]
        compile_thread::start_ahead();
        self.run_empty_program();
    }

    fn set_owner(&self, on_parked: OnParked) {
        set_thread_isolate(on_parked, self.buffers.clone());
    }

    fn interrupt(&self) -> Interrupt {
        Interrupt::with_request(&self.guarded.instance.isolate, self.stop.clone())
    }

    fn into_guest(self: Box<Self>, context: Rc<dyn GuestContext>, programs: &Arc<Programs>) -> Box<dyn engine::Guest> {
        #[cfg(target_os = "linux")]
        compile_thread::open();
        Box::new(Guest::new(*self, context, programs.clone()))
    }
}

impl engine::Guest for Guest {
    fn serve(&mut self) {
        self.serve_session();
    }
}
