//! VALIDATE and TRANSFORM without a run, with the early errors that only V8 finds, such as a name that is declared twice.
//!
//! V8 looks at the text as it was written while that is prepared. What it finds there need not be wrong in what will run, such
//! as types; then it looks at that, too.

use std::rc::Rc;
use std::sync::{Arc, Once};
use std::time::Duration;

use deno_core::v8;

use crate::memory::budget::BufferBudget;
use crate::memory::limits::MemoryGuard;
use crate::memory::parking::set_thread_isolate;
use crate::memory::stop::stop_without_memory;
use crate::process::platform::prepare_v8;
use crate::process::service::{Allowance, NoAnswer, Questions, Service};
use crate::process::snapshot;
use crate::realm::early_errors::{self, EarlyError};
use crate::realm::instance::Instance;
use ses_prepare::{self as prepare, PrepareOptions, Program, Programs};
use ses_protocol::Diagnostic;

/// What the checking isolate may hold: V8 takes up to 300 bytes for each of a text. 512 MiB.
const LIMIT_BYTES: usize = 512 << 20;
/// A text up to this size is waited for longer if the machine is busy: it takes a few milliseconds. 32 KiB.
const SHORT_BYTES: usize = 32 << 10;
/// How much longer.
const BUSY: u32 = 100;

type Prepared = Result<Arc<Program>, Vec<Diagnostic>>;

enum Text {
    /// As the guest wrote it.
    Written(Arc<str>),
    Prepared(Arc<Program>),
}

/// Prepares programs, and has V8 compile them, on two threads that start when they are asked first. What is prepared is kept for
/// the isolates, too.
pub struct Checker {
    programs: Arc<Programs>,
    preparer: Service<(Arc<str>, PrepareOptions), Prepared>,
    compiler: Service<Text, Option<EarlyError>>,
    keeps_shared_heap: Once,
}

/// Prepares. The program is kept behind the answer.
fn prepare_all(questions: &Questions<(Arc<str>, PrepareOptions), Prepared>, programs: &Programs) {
    while let Some(((code, options), reply)) = questions.next() {
        let kept = programs.kept(&code, &options);
        let prepared = kept.map_or_else(|| prepare::prepare(&code, &options).map(Arc::new), Ok);
        // Nobody waits any more if the environment of the asking thread is gone.
        let _ = reply.send(prepared.clone());
        if let Ok(program) = prepared {
            programs.keep(&code, &options, &program);
        }
    }
}

/// Has V8 compile texts.
fn compile_all(questions: &Questions<Text, Option<EarlyError>>) {
    let buffers = BufferBudget::new(LIMIT_BYTES);
    // Who asked for what it is parked with stops to wait.
    set_thread_isolate(Rc::new(|_| ()), buffers.clone());
    // Without V8 there is no answer either.
    if prepare_v8().is_err() {
        return;
    }
    let params = v8::CreateParams::default().heap_limits(0, LIMIT_BYTES);
    // What is compiled never runs, so that the realm needs no bridge and no finishing. The snapshot is that of all
    // other isolates, because V8 shares the read-only part of its heap among them.
    let mut instance = snapshot::hardened(params);
    let memory = MemoryGuard::install(&mut instance.isolate, buffers);
    stop_without_memory(&mut instance.isolate);
    while let Some((text, reply)) = questions.next() {
        let found = compile(&mut instance, &text);
        if memory.is_exceeded() {
            // Without an answer, after which there is another isolate.
            break;
        }
        let _ = reply.send(found);
    }
    // The isolate calls the guard back until it is gone.
    drop(instance);
    drop(memory);
}

impl Checker {
    /// What was prepared lately.
    pub fn programs(&self) -> &Arc<Programs> {
        &self.programs
    }

    /// Validates a guest program and rewrites it for execution, as a run would, and waits for no more than `time`.
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
        // A text that is refused for its size is not read, and one that may be refused for what V8 would take is not read yet.
        let is_read = code.len() <= options.max_code_bytes && !prepare::may_be_costly(&code);
        let written = is_read.then(|| self.compiler.ask(Text::Written(code.clone())));
        let program = self.preparer.wait(&prepared, &mut allowance).map_err(unchecked).and_then(|prepared| prepared);
        let program = program.inspect_err(|_| {
            // Nobody asks any more what V8 makes of it.
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

    /// Keeps one isolate alive for good. V8 drops the read-only heap that isolates share with the last one of them, and reads it
    /// from the snapshot again for the next one.
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

/// All that is to be said of a program that V8 refuses.
fn refused(reason: Diagnostic, program: &Program) -> Vec<Diagnostic> {
    std::iter::once(reason).chain(program.diagnostics.iter().cloned()).collect()
}

/// What V8 finds wrong with a text.
fn compile(instance: &mut Instance, text: &Text) -> Option<EarlyError> {
    v8::scope_with_context!(scope, &mut instance.isolate, &instance.context);
    match text {
        Text::Written(code) => early_errors::of_program(scope, code),
        // Within parentheses V8 expects a call, and parses a function for good rather than for its errors.
        Text::Prepared(program) => {
            let code = &program.code;
            let text = code.strip_prefix('(').and_then(|code| code.strip_suffix(')')).unwrap_or(code);
            early_errors::of_script(scope, text)
        }
    }
}
