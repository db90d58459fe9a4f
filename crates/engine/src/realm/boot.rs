//! An isolate on its own thread before it has a session: made from the snapshot, hardened, and held to its memory
//! limit.

use std::sync::Arc;

use deno_core::v8;

use crate::control::stop::Stop;
use crate::errors::stacks;
use crate::memory::array_buffers;
use crate::memory::budget::BufferBudget;
use crate::memory::limits::{MemoryGuard, close_account, old_bytes, young_bytes};
use crate::memory::parking::{OnParked, set_thread_isolate};
use crate::memory::single_isolate::{self, OnLost};
use crate::memory::stop::stop_without_memory;
use crate::memory::thread_leftovers::ThreadLeftovers;
use crate::platform::idle;
use crate::platform::startup::prepare_v8;
use crate::realm::instance::Instance;
use crate::realm::snapshot;
use crate::state::entry::Realm;
use crate::state::origin::origin;
use ses_prepare::{self as prepare, PrepareOptions};
use ses_protocol::Failure;

/// Address space of the stack of a thread that may have an isolate. Pages are touched only when used. V8 uses 1 MiB of
/// it in the hardened realm, and up to 24 MiB in other engines. The parser of programs asks for 18 MiB for the deepest
/// nesting possible in 3 KiB of source, and 6 KiB per bracket. Sources longer than agents write are parsed on a
/// separate stack. 32 MiB.
pub const ISOLATE_STACK_BYTES: usize = 32 << 20;

/// An isolate and the guard of its memory. Dropped in this order, because the isolate calls the guard until it is gone.
pub struct Guarded {
    pub instance: Instance,
    pub memory: Box<MemoryGuard>,
    pub leftovers: ThreadLeftovers,
}

impl Guarded {
    /// Holds an isolate to its budget. On the isolate's thread.
    pub fn new(mut instance: Instance, buffers: Arc<BufferBudget>) -> Self {
        let memory = MemoryGuard::install(&mut instance.isolate, buffers.clone());
        stop_without_memory(&mut instance.isolate);
        Self { instance, memory, leftovers: ThreadLeftovers::new(buffers) }
    }
}

impl Drop for Guarded {
    /// The teardown of the isolate is not held to its limit.
    fn drop(&mut self) {
        idle::end();
        close_account();
    }
}

/// An isolate that is ready for any session.
pub struct Booted {
    pub realm: Realm,
    pub buffers: Arc<BufferBudget>,
    pub stop: Arc<Stop>,
    pub guarded: Guarded,
}

impl Booted {
    /// Makes an isolate on the calling thread with one limit for heap and array buffers, and finishes its hardening.
    /// `on_parked` is called if the memory does not suffice even for that.
    pub fn new(limit_bytes: usize, on_parked: OnParked) -> Result<Self, Failure> {
        Self::boot(BufferBudget::new(limit_bytes), on_parked)
    }

    /// As [`Self::new`], for the only isolate that the process will ever have. V8 compiles on another thread. `on_lost`
    /// ends the process if compilation would exceed the limit by far.
    pub fn single(limit_bytes: usize, on_parked: OnParked, on_lost: OnLost) -> Result<Self, Failure> {
        let buffers = BufferBudget::new(limit_bytes);
        single_isolate::declare(buffers.clone(), on_lost);
        Self::boot(buffers, on_parked)
    }

    fn boot(buffers: Arc<BufferBudget>, on_parked: OnParked) -> Result<Self, Failure> {
        let limit_bytes = buffers.limit();
        set_thread_isolate(on_parked, buffers.clone());
        prepare_v8()?;
        let params = v8::CreateParams::default()
            .set_max_old_generation_size_in_bytes(old_bytes(limit_bytes))
            .set_max_young_generation_size_in_bytes(young_bytes(limit_bytes))
            .array_buffer_allocator(array_buffers::allocator(&buffers).make_shared());
        let mut guarded = Guarded::new(snapshot::hardened(params), buffers.clone());
        #[cfg(test)]
        tests::fail(&mut guarded.instance.isolate, &buffers)?;
        let Instance { isolate, context } = &mut guarded.instance;
        isolate.set_capture_stack_trace_for_uncaught_exceptions(false, 0);
        isolate.set_prepare_stack_trace_callback(stacks::prepare_stack_trace);
        let realm = {
            v8::scope_with_context!(scope, isolate, &*context);
            v8::tc_scope!(let attempt, scope);
            attempt.get_current_context().set_allow_generation_from_strings(false);
            let realm = Realm::take(attempt).ok_or_else(|| Failure::init("the snapshot has no realm"))?;
            if realm.finish_hardening(attempt).is_none() {
                let reason = attempt.exception().map(|thrown| thrown.to_rust_string_lossy(attempt));
                return Err(Failure::init(reason.unwrap_or_default()));
            }
            realm
        };
        Ok(Self { realm, buffers, stop: Arc::default(), guarded })
    }

    /// Runs an empty program as a session would. V8, the parser and the allocator then do their one-time work per
    /// isolate or thread in advance. The program leaves nothing in the realm.
    pub fn run_empty_program(&mut self) {
        let Ok(program) = prepare::prepare("1", &PrepareOptions::unlimited()) else { return };
        let Instance { isolate, context } = &mut self.guarded.instance;
        v8::scope_with_context!(scope, isolate, &*context);
        v8::tc_scope!(let attempt, scope);
        self.realm.begin(attempt, 1.0);
        run_once(attempt, &program.code);
        attempt.perform_microtask_checkpoint();
        self.realm.finish(attempt, true);
    }
}

/// Calls the function that `program` evaluates to.
fn run_once(scope: &mut v8::PinScope, program: &str) -> Option<()> {
    let text = v8::String::new(scope, program)?;
    let name = v8::String::new(scope, "step-0.js")?;
    let origin = origin(scope, name, false);
    let function = v8::Script::compile(scope, text, Some(&origin))?.run(scope)?;
    let receiver = v8::undefined(scope).into();
    v8::Local::<v8::Function>::try_from(function).ok()?.call(scope, receiver, &[]).map(drop)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;
    use std::thread;

    use super::*;

    thread_local! {
        /// The holders of the budget when the isolate of a failed boot is torn down. `None`: boots do not fail.
        static AT_END: Cell<Option<Holders>> = const { Cell::new(None) };
    }

    /// Holders of the budget: the guard, and values that are dropped after the isolate.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    struct Holders {
        when_failed: usize,
        when_taken_apart: usize,
    }

    /// Dropped by V8's isolate.
    struct Witness {
        buffers: Arc<BufferBudget>,
        when_failed: usize,
    }

    impl Drop for Witness {
        fn drop(&mut self) {
            let when_taken_apart = Arc::strong_count(&self.buffers);
            AT_END.set(Some(Holders { when_failed: self.when_failed, when_taken_apart }));
        }
    }

    /// Makes a boot fail if boots on this thread are to fail.
    pub fn fail(isolate: &mut v8::Isolate, buffers: &Arc<BufferBudget>) -> Result<(), Failure> {
        if AT_END.get().is_none() {
            return Ok(());
        }
        let buffers = buffers.clone();
        let when_failed = Arc::strong_count(&buffers);
        isolate.set_slot(Witness { buffers, when_failed });
        Err(Failure::init("as the test asked"))
    }

    /// Regression: the guard was dropped first, but an isolate calls it until it is gone.
    #[test]
    fn the_isolate_of_a_boot_that_fails_is_gone_before_its_guard() {
        let run = || {
            AT_END.set(Some(Holders::default()));
            let failed = Booted::new(64 << 20, Rc::new(|_| {}));
            assert!(failed.is_err_and(|failure| failure.kind.message().contains("as the test asked")));
            let Holders { when_failed, when_taken_apart } = AT_END.get().expect("set above");
            assert!(when_failed > 0);
            assert_eq!(when_taken_apart, when_failed);
        };
        thread::Builder::new().stack_size(8 << 20).spawn(run).expect("a thread").join().expect("no panic");
    }
}
