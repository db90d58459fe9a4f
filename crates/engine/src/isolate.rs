//! The two kinds of isolates in threads and worker processes.

use std::rc::Rc;
use std::sync::Arc;

use crate::control::interrupt::Interrupt;
use crate::memory::parking::OnParked;
use crate::memory::single_isolate::OnLost;
#[cfg(target_os = "linux")]
use crate::platform::compile_thread;
use crate::python;
use crate::python::folders::Folders;
use crate::realm::boot::Booted as BootedRealm;
use crate::realm::guest::Guest as RealmGuest;
use crate::state::context::GuestContext;
use ses_prepare::Programs;
use ses_protocol::{Failure, PythonSpec};

/// An isolate without a session.
pub enum Booted {
    Realm(BootedRealm),
    Python(python::boot::Booted),
}

impl Booted {
    /// Makes an isolate with one memory limit on the calling thread: the hardened realm, or Python if `python` says
    /// where to load it from. `on_parked` is called if the memory does not suffice even for that.
    pub fn new(python: Option<&PythonSpec>, limit_bytes: usize, on_parked: OnParked) -> Result<Self, Failure> {
        match python {
            None => BootedRealm::new(limit_bytes, on_parked).map(Self::Realm),
            Some(spec) => python::boot::Booted::new(spec, None, limit_bytes, on_parked).map(Self::Python),
        }
    }

    /// As [`Self::new`], in a separate process that opens no more files. With Python, the folders are those of `spec`.
    /// `on_lost` ends that process.
    pub fn confined(
        python: Option<(PythonSpec, Folders)>,
        limit_bytes: usize,
        on_parked: OnParked,
        on_lost: OnLost,
    ) -> Result<Self, Failure> {
        let Some((spec, folders)) = python else {
            return BootedRealm::single(limit_bytes, on_parked, on_lost).map(Self::Realm);
        };
        python::boot::Booted::new(&spec, Some(folders), limit_bytes, on_parked).map(Self::Python)
    }

    /// Does in advance the one-time work that the first run would do.
    pub fn warm_up(&mut self) {
        #[cfg(target_os = "linux")]
        compile_thread::start_ahead();
        match self {
            Self::Realm(realm) => realm.warm_up(),
            // The snapshot was made from an isolate that had already run.
            Self::Python(_) => {}
        }
    }

    /// Sets the callback for the case that V8 has no memory left.
    pub fn set_owner(&self, on_parked: OnParked) {
        match self {
            Self::Realm(realm) => realm.set_owner(on_parked),
            Self::Python(python) => python.set_owner(on_parked),
        }
    }

    /// Ends guest code from any thread.
    pub fn interrupt(&self) -> Interrupt {
        match self {
            Self::Realm(realm) => realm.interrupt(),
            Self::Python(python) => python.interrupt(),
        }
    }
}

/// An isolate in a session, on its thread.
pub enum Guest {
    Realm(Box<RealmGuest>),
    Python(python::guest::Guest),
}

impl Guest {
    /// Gives the calling thread's isolate to a session. `programs`: programs that need not be prepared again.
    pub fn new(booted: Booted, context: Rc<dyn GuestContext>, programs: &Arc<Programs>) -> Self {
        #[cfg(target_os = "linux")]
        compile_thread::open();
        match booted {
            Booted::Realm(realm) => Self::Realm(Box::new(RealmGuest::new(realm, context, programs.clone()))),
            Booted::Python(python) => Self::Python(python::guest::Guest::new(python, context)),
        }
    }

    /// Executes commands one after the other, until the session is given up or the isolate is lost.
    pub fn serve(&mut self) {
        match self {
            Self::Realm(guest) => guest.serve(),
            Self::Python(guest) => guest.serve(),
        }
    }
}
