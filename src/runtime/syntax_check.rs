//! Early errors that only V8 finds, such as a name that is declared twice, for VALIDATE without a run.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, Once, PoisonError};

use deno_core::{JsRuntime, RuntimeOptions, v8};

use super::engine::prepare_v8;
use super::modules::origin;
use super::{extension, snapshot};
use crate::executor::timers;

/// What V8 says of a program that it does not compile; line and column of the transformed text, both from 1.
#[derive(Clone, Debug)]
pub struct SyntaxError {
    pub message: String,
    pub line: u32,
    pub column: u32,
}

struct Request {
    program: String,
    reply: Sender<Option<SyntaxError>>,
}

/// The way to the thread that compiles. The Node.js thread holds the lock while it sends.
static CHECKER: Mutex<Option<Sender<Request>>> = Mutex::new(None);

/// Compiles `program`, the text that TRANSFORM made, without running it, and waits. `None`: it compiles, or no
/// isolate could be made to find out.
pub fn check_syntax(program: &str) -> Option<SyntaxError> {
    let (reply, answer) = channel();
    let request = Request { program: program.to_owned(), reply };
    {
        let mut checker = CHECKER.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = match &*checker {
            Some(sender) => sender.clone(),
            None => checker.insert(start()?).clone(),
        };
        sender.send(request).ok()?;
    }
    answer.recv().ok()?
}

/// Keeps one isolate alive for good. V8 drops the read-only heap that isolates share with the last one of them, and reads it
/// from the snapshot again for the next one.
pub fn keep_shared_heap() {
    static KEPT: Once = Once::new();
    KEPT.call_once(|| drop(check_syntax("")));
}

/// Starts the thread. It lives as long as the process, since it is the process's only one.
fn start() -> Option<Sender<Request>> {
    let (sender, requests) = channel::<Request>();
    let work = move || {
        prepare_v8();
        let _timers = timers().ok().map(tokio::runtime::Handle::enter);
        // What is compiled never runs, so that the realm needs no bridge and no finishing. The snapshot is that of all
        // other isolates, because V8 shares the read-only part of its heap among them.
        let Ok(mut isolate) = JsRuntime::try_new(RuntimeOptions {
            startup_snapshot: Some(snapshot::hardened()),
            extensions: vec![extension::ses_executor::init()],
            skip_op_registration: true,
            ..Default::default()
        }) else {
            return;
        };
        for Request { program, reply } in requests {
            // Nobody waits any more if the environment of the asking thread is gone.
            let _ = reply.send(compile(&mut isolate, &program));
        }
    };
    std::thread::Builder::new().name("ses-syntax".to_owned()).stack_size(4 << 20).spawn(work).ok()?;
    Some(sender)
}

fn compile(isolate: &mut JsRuntime, program: &str) -> Option<SyntaxError> {
    deno_core::scope!(scope, isolate);
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
