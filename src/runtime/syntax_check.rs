//! VALIDATE and TRANSFORM without a run, with the early errors that only V8 finds, such as a name that is declared twice.

use std::sync::{Arc, Mutex, Once, PoisonError, mpsc};

use deno_core::v8;

use super::evaluate::refused_by_v8;
use super::instance::Instance;
use super::modules::origin;
use super::platform::prepare_v8;
use super::snapshot;
use crate::executor::mailbox::{self, Sender};
use crate::prepare::{self, Diagnostic, PrepareOptions, Program};

/// Address space of the thread's stack: the parser runs on it, and on one of its own only for a text that needs more.
const STACK_BYTES: usize = 64 << 20;

/// What V8 says of a program that it does not compile; line and column of the transformed text, both from 1.
struct SyntaxError {
    message: String,
    line: u32,
    column: u32,
}

type Checked = Result<Arc<Program>, Vec<Diagnostic>>;

struct Request {
    code: String,
    options: PrepareOptions,
    reply: mpsc::Sender<Checked>,
}

/// The way to the thread that prepares. The Node.js thread holds the lock while it sends.
static CHECKER: Mutex<Option<Sender<Request>>> = Mutex::new(None);

/// Validates a guest program and rewrites it for execution, as a run would, and waits.
///
/// # Errors
///
/// All diagnostics, at least one of which is an ERROR.
pub fn prepare_checked(code: &str, options: &PrepareOptions) -> Checked {
    // Without the thread, only what V8 alone finds stays unknown.
    ask(code, options).unwrap_or_else(|| prepare::prepare(code, options).map(Arc::new))
}

/// Has the thread do it. `None` if there is none.
fn ask(code: &str, options: &PrepareOptions) -> Option<Checked> {
    let (reply, answer) = mpsc::channel();
    {
        let mut checker = CHECKER.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = match &*checker {
            Some(sender) => sender,
            None => checker.insert(start()?),
        };
        sender.send(Request { code: code.to_owned(), options: options.clone(), reply });
    }
    answer.recv().ok()
}

/// Keeps one isolate alive for good. V8 drops the read-only heap that isolates share with the last one of them, and reads it
/// from the snapshot again for the next one.
pub fn keep_shared_heap() {
    static KEPT: Once = Once::new();
    KEPT.call_once(|| drop(ask("1", &PrepareOptions::unlimited())));
}

/// Starts the thread. It lives as long as the process, since it is the process's only one.
fn start() -> Option<Sender<Request>> {
    let (sender, requests) = mailbox::channel::<Request>();
    let work = move || {
        prepare_v8();
        // What is compiled never runs, so that the realm needs no bridge and no finishing. The snapshot is that of all
        // other isolates, because V8 shares the read-only part of its heap among them.
        let mut instance = snapshot::hardened(v8::CreateParams::default());
        loop {
            let Request { code, options, reply } = requests.recv();
            let prepared =
                prepare::kept(&code, &options).map_or_else(|| prepare::prepare(&code, &options).map(Arc::new), Ok);
            // Nobody waits any more if the environment of the asking thread is gone.
            let _ = reply.send(prepared.clone().and_then(|program| check(&mut instance, program)));
            if let Ok(program) = prepared {
                prepare::keep(&code, &options, &program);
            }
        }
    };
    std::thread::Builder::new().name("ses-syntax".to_owned()).stack_size(STACK_BYTES).spawn(work).ok()?;
    Some(sender)
}

/// The program, unless V8 finds it wrong.
fn check(instance: &mut Instance, program: Arc<Program>) -> Checked {
    let Some(error) = compile(instance, &program.code) else { return Ok(program) };
    let refused = refused_by_v8(error.message, program.positions.original(error.line, error.column));
    Err(std::iter::once(refused).chain(program.diagnostics.iter().cloned()).collect())
}

/// What V8 finds wrong with a program.
fn compile(instance: &mut Instance, program: &str) -> Option<SyntaxError> {
    // Within parentheses V8 expects a call, and parses a function for good rather than for its errors.
    let program = program.strip_prefix('(').and_then(|program| program.strip_suffix(')')).unwrap_or(program);
    v8::scope_with_context!(scope, &mut instance.isolate, &instance.context);
    v8::tc_scope!(let attempt, scope);
    let text = v8::String::new(attempt, program)?;
    let name = v8::String::new(attempt, "check.js")?;
    let origin = origin(attempt, name, false);
    if v8::Script::compile(attempt, text, Some(&origin)).is_some() {
        return None;
    }
    let message = attempt.message()?;
    let text = message.get(attempt).to_rust_string_lossy(attempt);
    Some(SyntaxError {
        message: text.trim_start_matches("Uncaught ").trim_start_matches("SyntaxError: ").to_owned(),
        line: message.get_line_number(attempt)? as u32,
        column: message.get_start_column() as u32 + 1,
    })
}
