//! VALIDATE and TRANSFORM without a run, including the early errors that only V8 finds, such as a name that is declared
//! twice.
//!
//! V8 checks the source as it was written while the program is being prepared. An error there need not be an error in
//! the generated code: TypeScript types, for example. In that case V8 checks the generated code too.

use std::rc::Rc;
use std::sync::{Arc, Once};
use std::time::Duration;

use deno_core::v8;

use crate::errors::early_errors::{self, EarlyError};
use crate::memory::budget::BufferBudget;
use crate::memory::parking::set_thread_isolate;
use crate::platform::idle;
use crate::platform::service::{Allowance, NoAnswer, Questions, Service};
use crate::platform::startup::prepare_v8;
use crate::realm::boot::Guarded;
use crate::realm::instance::Instance;
use crate::realm::snapshot;
use ses_prepare::{self as prepare, PrepareOptions, Program, Programs};
use ses_protocol::Diagnostic;

/// The limit of the checking isolate. V8 uses up to 300 bytes per byte of source. 512 MiB.
const LIMIT_BYTES: usize = 512 << 20;
/// The most bytes on its heap between two questions. Nothing of a source is needed after its question, but V8 itself
/// would wait for most of the limit. This is the garbage of about ten thousand short sources. It takes some
/// milliseconds to collect. 16 MiB.
const MAX_LEFT_BYTES: usize = 16 << 20;
/// The same when no question comes for a while. 4 MiB.
const MAX_RESTING_BYTES: usize = 4 << 20;
/// The wait for a source up to this size is longer if the machine is busy, because it takes only a few milliseconds. 32
/// KiB.
const SHORT_BYTES: usize = 32 << 10;
/// The factor for the longer wait.
const BUSY: u32 = 100;

type Prepared = Result<Arc<Program>, Vec<Diagnostic>>;

enum Text {
    /// As the guest wrote it.
    Written(Arc<str>),
    Prepared(Arc<Program>),
}

/// Prepares programs and makes V8 compile them, on two threads that start with the first question. Prepared programs
/// are cached for the isolates too.
pub struct Checker {
    programs: Arc<Programs>,
    preparer: Service<(Arc<str>, PrepareOptions), Prepared>,
    compiler: Service<Text, Option<EarlyError>>,
    keeps_shared_heap: Once,
}

/// Prepares programs. Each is stored in the cache after its answer.
fn prepare_all(questions: &Questions<(Arc<str>, PrepareOptions), Prepared>, programs: &Programs) {
    while let Some(((code, options), reply)) = questions.next() {
        let kept = programs.kept(&code, &options);
        let prepared = kept.map_or_else(|| prepare::prepare(&code, &options).map(Arc::new), Ok);
        // The receiver is gone if the asking thread's environment is gone.
        let _ = reply.send(prepared.clone());
        if let Ok(program) = prepared {
            programs.keep(&code, &options, &program);
        }
    }
}

/// Compiles sources with V8.
fn compile_all(questions: &Questions<Text, Option<EarlyError>>) {
    // Without V8 there is no answer.
    let Some(mut guarded) = isolate() else { return };
    while let Some((text, reply)) = questions.next_or_rest(|| rest(&mut guarded.instance.isolate)) {
        let found = compile(&mut guarded.instance, &text);
        if guarded.memory.is_exceeded() {
            // Sends no answer; the next question gets another isolate.
            break;
        }
        let _ = reply.send(found);
        work_unwatched(&mut guarded.instance.isolate);
    }
}

/// Work after an answer. The amount of garbage is worth checking only after V8 has collected the young generation.
fn work_unwatched(isolate: &mut v8::Isolate) {
    if idle::work(isolate) {
        collect_above(MAX_LEFT_BYTES, isolate);
    }
}

/// The calling thread's isolate, which only compiles.
fn isolate() -> Option<Guarded> {
    let buffers = BufferBudget::new(LIMIT_BYTES);
    // If the isolate is parked on a question, the asking thread stops waiting.
    set_thread_isolate(Rc::new(|_| ()), buffers.clone());
    prepare_v8().ok()?;
    let params = v8::CreateParams::default().heap_limits(0, LIMIT_BYTES);
    // The compiled code never runs, so the realm needs no bridge and no finished hardening. The snapshot is the same as
    // for all other isolates, because V8 shares the read-only part of its heap among them.
    let guarded = Guarded::new(snapshot::hardened(params), buffers);
    idle::begin(&guarded.instance.isolate);
    Some(guarded)
}

/// Frees the garbage of earlier sources.
fn rest(isolate: &mut v8::Isolate) {
    collect_above(MAX_RESTING_BYTES, isolate);
    idle::rest(isolate);
}

fn collect_above(bytes: usize, isolate: &mut v8::Isolate) {
    if isolate.get_heap_statistics().used_heap_size() > bytes {
        isolate.low_memory_notification();
    }
}

impl Checker {
    /// Programs that were prepared recently.
    pub fn programs(&self) -> &Arc<Programs> {
        &self.programs
    }

    /// Validates a guest program and rewrites it for execution, as a run would. Waits for at most `time`.
    ///
    /// # Errors
    ///
    /// All diagnostics, at least one of which is an ERROR.
    pub fn prepare(&self, code: &str, options: &PrepareOptions, time: Duration) -> Prepared {
        let busy = if code.len() <= SHORT_BYTES { BUSY } else { 1 };
        let mut allowance = Allowance::new(time, time.saturating_mul(busy));
        let unchecked = |reason: NoAnswer| match reason {
            NoAnswer::Late => vec![prepare::not_checked_in_time(time)],
            NoAnswer::Lost => vec![prepare::not_checked()],
        };
        let code: Arc<str> = code.into();
        let prepared = self.preparer.ask((code.clone(), options.clone()));
        // A source that is refused for its size is not compiled. A source that V8 may need too much memory for is not
        // compiled yet.
        let is_read = code.len() <= options.max_code_bytes && !prepare::may_be_costly(&code);
        let written = is_read.then(|| self.compiler.ask(Text::Written(code.clone())));
        let program = self.preparer.wait(&prepared, &mut allowance).map_err(unchecked).and_then(|prepared| prepared);
        let program = program.inspect_err(|_| {
            // V8's answer for the written source is no longer needed.
            written.iter().filter(|_| code.len() > SHORT_BYTES).for_each(|written| self.compiler.give_up(written));
        })?;
        if let Some(written) = written {
            match self.compiler.wait(&written, &mut allowance).map_err(unchecked)? {
                None => return Ok(program),
                Some(error) if program.is_doubtful => return Err(refused(error.diagnostic(&code), &program)),
                Some(_) => {}
            }
        }
        let found = self
            .compiler
            .wait(&self.compiler.ask(Text::Prepared(program.clone())), &mut allowance)
            .map_err(unchecked)?;
        let Some(EarlyError { message, line, column }) = found else { return Ok(program) };
        Err(refused(early_errors::diagnostic(message, program.positions.original(line, column), &code), &program))
    }

    /// Keeps one isolate alive for good. V8 drops the read-only heap that isolates share together with the last of
    /// them. It would read it from the snapshot again for the next one.
    pub fn keep_shared_heap(&self) {
        self.keeps_shared_heap.call_once(|| {
            let _ = self.compiler.wait(&self.compiler.ask(Text::Written("".into())), &mut Allowance::endless());
        });
    }
}

impl Default for Checker {
    fn default() -> Self {
        let programs = Arc::<Programs>::default();
        let own = programs.clone();
        Self {
            programs,
            preparer: Service::new("ses-prepare", move |questions| prepare_all(questions, &own)),
            compiler: Service::new("ses-syntax", compile_all),
            keeps_shared_heap: Once::new(),
        }
    }
}

/// All diagnostics of a program that V8 refuses.
fn refused(reason: Diagnostic, program: &Program) -> Vec<Diagnostic> {
    std::iter::once(reason).chain(program.diagnostics.iter().cloned()).collect()
}

/// The early error that V8 finds in a source.
fn compile(instance: &mut Instance, text: &Text) -> Option<EarlyError> {
    v8::scope_with_context!(scope, &mut instance.isolate, &instance.context);
    match text {
        Text::Written(code) => early_errors::of_program(scope, code),
        // Inside parentheses V8 expects a call, and parses a function fully instead of only for errors.
        Text::Prepared(program) => {
            let code = &program.code;
            let text = code.strip_prefix('(').and_then(|code| code.strip_suffix(')')).unwrap_or(code);
            early_errors::of_script(scope, text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_small_texts_leave_is_collected() {
        let compile_many = || {
            let mut guarded = isolate().expect("there is V8");
            let mut most = 0;
            for number in 0..40_000 {
                let text = Text::Written(format!("const x{number} = {number}; x{number}.foo(1)").into());
                assert!(compile(&mut guarded.instance, &text).is_none());
                let isolate = &mut guarded.instance.isolate;
                work_unwatched(isolate);
                most = most.max(isolate.get_heap_statistics().used_heap_size());
            }
            rest(&mut guarded.instance.isolate);
            (most, guarded.instance.isolate.get_heap_statistics().used_heap_size())
        };
        let (most, rests_with) = std::thread::spawn(compile_many).join().expect("no panic");
        assert!(most < 2 * MAX_LEFT_BYTES && rests_with < MAX_RESTING_BYTES, "{most}, then {rests_with}");
    }
}
