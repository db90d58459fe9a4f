//! VALIDATE and TRANSFORM without a run, with the early errors that only V8 finds, such as a name that is declared twice.
//!
//! V8 looks at the text as it was written while that is prepared. What it finds there need not be wrong in what will run, such
//! as types; then it looks at that, too.

use std::sync::{Arc, Mutex, Once, PoisonError, mpsc};

use deno_core::v8;

use crate::process::platform::prepare_v8;
use crate::process::snapshot;
use crate::realm::evaluate::refused_by_v8;
use crate::realm::instance::Instance;
use crate::realm::modules::origin;
use ses_prepare::{self as prepare, PrepareOptions, Program};
use ses_protocol::Diagnostic;
use ses_sync::{Receiver, Sender, channel};

/// Address space of a thread's stack: the parser runs on it, and on one of its own only for a text that needs more.
const STACK_BYTES: usize = 64 << 20;

/// What V8 says of a program that it does not compile; line and column of the program's text, both from 1.
struct SyntaxError {
    message: String,
    line: u32,
    column: u32,
}

type Prepared = Result<Arc<Program>, Vec<Diagnostic>>;

/// Prepares. The program is kept behind the answer.
static PREPARER: Service<(Arc<str>, PrepareOptions), Prepared> = Service::new("ses-prepare", |requests| {
    loop {
        let ((code, options), reply) = requests.recv();
        let prepared =
            prepare::kept(&code, &options).map_or_else(|| prepare::prepare(&code, &options).map(Arc::new), Ok);
        // Nobody waits any more if the environment of the asking thread is gone.
        let _ = reply.send(prepared.clone());
        if let Ok(program) = prepared {
            prepare::keep(&code, &options, &program);
        }
    }
});

/// Has V8 compile a text.
static CHECKER: Service<Text, Option<SyntaxError>> = Service::new("ses-syntax", |requests| {
    prepare_v8();
    // What is compiled never runs, so that the realm needs no bridge and no finishing. The snapshot is that of all
    // other isolates, because V8 shares the read-only part of its heap among them.
    let mut instance = snapshot::hardened(v8::CreateParams::default());
    loop {
        let (text, reply) = requests.recv();
        let _ = reply.send(compile(&mut instance, &text));
    }
});

enum Text {
    /// As the guest wrote it.
    Written(Arc<str>),
    Prepared(Arc<Program>),
}

/// Validates a guest program and rewrites it for execution, as a run would, and waits.
///
/// # Errors
///
/// All diagnostics, at least one of which is an ERROR.
pub fn prepare_checked(code: &str, options: &PrepareOptions) -> Prepared {
    let code: Arc<str> = code.into();
    let prepared = PREPARER.ask((code.clone(), options.clone()));
    // A text that is refused for its size is not read.
    let is_short_enough = code.len() <= options.max_code_bytes;
    let written = is_short_enough.then(|| CHECKER.ask(Text::Written(code.clone())));
    // Without the thread it takes this one's time.
    let program = prepared.wait().unwrap_or_else(|| prepare::prepare(&code, options).map(Arc::new))?;
    if let Some(None) = written.and_then(Answer::wait) {
        return Ok(program);
    }
    // Without the thread, only what V8 alone finds stays unknown.
    let found = CHECKER.ask(Text::Prepared(program.clone())).wait().flatten();
    let Some(SyntaxError { message, line, column }) = found else { return Ok(program) };
    let refused = refused_by_v8(message, program.positions.original(line, column));
    Err(std::iter::once(refused).chain(program.diagnostics.iter().cloned()).collect())
}

/// Keeps one isolate alive for good. V8 drops the read-only heap that isolates share with the last one of them, and reads it
/// from the snapshot again for the next one.
pub fn keep_shared_heap() {
    static KEPT: Once = Once::new();
    KEPT.call_once(|| drop(CHECKER.ask(Text::Written("".into())).wait()));
}

/// A thread that answers. It starts with the first question and lives as long as the process, which has no other one for it.
struct Service<Q, A> {
    name: &'static str,
    work: fn(Receiver<Question<Q, A>>),
    /// The way to the thread. The Node.js thread holds the lock while it sends.
    sender: Mutex<Option<Sender<Question<Q, A>>>>,
}

type Question<Q, A> = (Q, mpsc::Sender<A>);

impl<Q: Send + 'static, A: Send + 'static> Service<Q, A> {
    const fn new(name: &'static str, work: fn(Receiver<Question<Q, A>>)) -> Self {
        Self { name, work, sender: Mutex::new(None) }
    }

    fn ask(&self, question: Q) -> Answer<A> {
        let (reply, answer) = mpsc::channel();
        let mut sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        if sender.is_none() {
            *sender = self.start();
        }
        // Without a thread the way back is dropped.
        if let Some(sender) = &*sender {
            sender.send((question, reply));
        }
        Answer(answer)
    }

    fn start(&self) -> Option<Sender<Question<Q, A>>> {
        let (sender, questions) = channel();
        let work = self.work;
        let thread = std::thread::Builder::new().name(self.name.to_owned()).stack_size(STACK_BYTES);
        thread.spawn(move || work(questions)).ok()?;
        Some(sender)
    }
}

/// Where an answer will come.
struct Answer<A>(mpsc::Receiver<A>);

impl<A> Answer<A> {
    /// Waits. `None`: there is no thread.
    fn wait(self) -> Option<A> {
        self.0.recv().ok()
    }
}

/// What V8 finds wrong with a text.
fn compile(instance: &mut Instance, text: &Text) -> Option<SyntaxError> {
    let program = match text {
        Text::Written(code) => &format!("async () => {{\"use strict\";\n{code}\n}}"),
        // Within parentheses V8 expects a call, and parses a function for good rather than for its errors.
        Text::Prepared(program) => {
            let code = &program.code;
            code.strip_prefix('(').and_then(|code| code.strip_suffix(')')).unwrap_or(code)
        }
    };
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
