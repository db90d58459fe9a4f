//! Tests of guests over a context that has its commands from the start.

mod build;
#[cfg(target_os = "linux")]
pub mod own_process;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use ses_protocol::{
    Command, Config, ErrorCode, Event, Language, RunLimits, SessionId, Success, ToolError, ToolReply, ToolSpec, Value,
};

use ses_prepare::{PrepareOptions, Programs};

use crate::realm::boot::Booted;
use crate::realm::guest::Guest;
use crate::{GuestContext, Interrupt};

pub struct Context {
    session: SessionId,
    pub config: Config,
    commands: RefCell<VecDeque<Command>>,
    /// Commands that have arrived before the guest asks for the next one.
    ready: RefCell<VecDeque<Command>>,
    /// How often the guest has waited with a time limit.
    waits: Cell<u32>,
    pub events: RefCell<Vec<Event>>,
    is_given_up: Cell<bool>,
    /// Gives the session up right after the guest has checked whether that was done.
    rival: RefCell<Option<Interrupt>>,
}

impl Context {
    /// A context with these commands and this memory limit.
    pub fn new(commands: Vec<Command>, memory_limit_bytes: usize) -> Self {
        Self {
            session: 1,
            config: Config { memory_limit_bytes, ..config() },
            commands: RefCell::new(commands.into()),
            ready: RefCell::default(),
            waits: Cell::default(),
            events: RefCell::default(),
            is_given_up: Cell::new(false),
            rival: RefCell::default(),
        }
    }
}

impl GuestContext for Context {
    fn session(&self) -> SessionId {
        self.session
    }

    fn config(&self) -> &Config {
        &self.config
    }

    fn report(&self, event: Event) {
        self.events.borrow_mut().push(event);
    }

    fn next(&self) -> Option<Command> {
        let next = self.commands.borrow_mut().pop_front();
        if next.is_none() {
            self.is_given_up.set(true);
        }
        next
    }

    fn next_until(&self, until: Instant) -> Option<Option<Command>> {
        self.waits.set(self.waits.get() + 1);
        thread::sleep(until.saturating_duration_since(Instant::now()));
        None
    }

    fn ready(&self) -> Option<Command> {
        self.ready.borrow_mut().pop_front()
    }

    fn sends_raw(&self) -> bool {
        false
    }

    fn is_given_up(&self) -> bool {
        let is_given_up = self.is_given_up.get();
        if let Some(rival) = self.rival.take() {
            self.is_given_up.set(true);
            rival.terminate();
        }
        is_given_up
    }
}

include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/fixtures/config.rs"));

fn config() -> Config {
    Config {
        max_log_bytes: 100_000,
        memory_limit_bytes: 64 << 20,
        keep_state: false,
        max_parked_bytes: 1,
        stream_logs: true,
        language: Language::JavaScript,
        ..plain_config()
    }
}

fn guest(commands: Vec<Command>) -> (Guest, Rc<Context>) {
    guest_with(&Arc::default(), commands)
}

/// A guest that shares prepared programs with others.
fn guest_with(programs: &Arc<Programs>, commands: Vec<Command>) -> (Guest, Rc<Context>) {
    let context = Rc::new(Context::new(commands, 64 << 20));
    let booted = Booted::new(context.config.memory_limit_bytes, Rc::new(|_| {})).expect("there is memory");
    (Guest::new(booted, context.clone(), programs.clone()), context)
}

/// The texts that runs returned.
fn texts(context: &Context) -> Vec<String> {
    let text = |event| match event {
        Event::Settled { result: Ok(Success::Output { value: Value::Latin1(text), .. }), .. } => {
            Some(String::from_utf8_lossy(&text).into_owned())
        }
        Event::Settled { result: Err(failure), .. } => Some(format!("{failure:?}")),
        _ => None,
    };
    context.events.take().into_iter().filter_map(text).collect()
}

pub fn run(job: u64, code: &str) -> Command {
    let limits = RunLimits {
        max_operations: 1e6,
        timeout_ms: 1e6,
        cpu_ms: None,
        reports_waits: false,
        now_ms: None,
        seed: None,
        language: Language::JavaScript,
    };
    Command::Run { job, code: code.to_owned(), limits }
}

#[test]
fn a_guest_needs_no_more_than_its_context() {
    let tool = ToolSpec { path: vec!["tool".to_owned()], id: 3, is_async: false, length: 1, is_limited: false };
    let code = Some(ErrorCode::Number(7.0));
    let error =
        ToolError { name: "RangeError".to_owned(), message: "no".to_owned(), code, bridge: false, details: None };
    let answer = ToolReply::Error(error);
    let (mut guest, context) = guest(vec![
        Command::SetTools { job: 1, tools: vec![tool] },
        run(2, "console.log('a'); let all; try { tool(1) } catch (e) { all = `${e.name} ${e.message} ${e.code}` } all"),
        // The first call of the first session.
        Command::ToolReplies { replies: vec![((1 << 32) + 1, answer)], now_ms: None },
    ]);
    guest.serve_session();
    let mut seen = Vec::new();
    for event in context.events.take() {
        match event {
            Event::Log { job, entry } => seen.push(format!("{job} logs {}", entry.message)),
            Event::ToolCalls(calls) => seen.extend(
                calls.iter().map(|call| format!("call {} of {}, the {}st", call.id - (1 << 32), call.tool, call.made)),
            ),
            Event::Settled {
                job,
                result: Ok(Success::Output { value: Value::Latin1(text), .. }),
                sound,
                figures,
                ..
            } => {
                let text = String::from_utf8_lossy(&text).into_owned();
                seen.push(format!("{job} gives {text}, {} calls, sound {sound}", figures.tool_calls));
            }
            Event::Settled { job, result, .. } => seen.push(format!("{job} {result:?}")),
            _ => {}
        }
    }
    let expected = ["1 Ok(Done)", "2 logs a", "call 1 of 3, the 1st", "2 gives RangeError no 7, 1 calls, sound true"];
    assert_eq!(seen, expected);
}

/// The serialized bytes of the value of a program.
fn wire_of(code: &str) -> Vec<u8> {
    let (mut guest, context) = guest(vec![run(1, code)]);
    guest.serve_session();
    let wire = |event| match event {
        Event::Settled { result: Ok(Success::Output { value: Value::Wire(wire), .. }), .. } => Some(wire),
        _ => None,
    };
    context.events.take().into_iter().find_map(wire).expect("an object")
}

/// What a guest sees of an error of a tool with these details.
fn seen_of(details: &[u8], max_transfer_bytes: usize, harden_tool_results: bool) -> String {
    let tool = ToolSpec { path: vec!["tool".to_owned()], id: 3, is_async: false, length: 0, is_limited: false };
    let (name, message) = ("AggregateError".to_owned(), "all".to_owned());
    let error = ToolError { name, message, code: None, bridge: false, details: Some(details.to_vec()) };
    let code = "const see = (e) => e && [e.constructor.name, e.name, e.message, e.code, e.status].join();
        let error; try { tool() } catch (thrown) { error = thrown }
        const { cause, errors, data } = error;
        [see(error), error.stack.split('\\n')[0], see(cause), errors?.join(), data?.a].join(' | ')
            + [cause, errors, data].map(Object.isFrozen)";
    let commands = vec![
        Command::SetTools { job: 1, tools: vec![tool] },
        run(2, code),
        Command::ToolReplies { replies: vec![((1 << 32) + 1, ToolReply::Error(error))], now_ms: None },
    ];
    let mut context = Context::new(commands, 64 << 20);
    context.config = Config { max_transfer_bytes, harden_tool_results, ..context.config };
    let context = Rc::new(context);
    let booted = Booted::new(context.config.memory_limit_bytes, Rc::new(|_| {})).expect("there is memory");
    Guest::new(booted, context.clone(), Arc::default()).serve_session();
    texts(&context).concat()
}

#[test]
fn errors_of_tools_have_their_details() {
    let details = wire_of(
        "({ isAggregate: true, cause: ['TypeError', 'why', 'E_WHY', { status: 1 }], errors: [[1], ['E', 'two', 2, undefined]],
            status: 404, data: { a: [1], text: 'x'.repeat(300) } })",
    );
    let whole =
        "AggregateError,AggregateError,all,,404 | AggregateError: all | TypeError,TypeError,why,E_WHY,1 | 1,E: two | 1";
    let bare = "Error,AggregateError,all,, | AggregateError: all |  |  | true,true,true";
    let bytes = details.len();
    assert_eq!(seen_of(&details, bytes, false), format!("{whole}false,false,false"));
    assert_eq!(seen_of(&details, bytes, true), format!("{whole}true,true,true"));
    // Without room for them, the error itself arrives. The same holds for bytes that V8 cannot read.
    assert_eq!(seen_of(&details, bytes - 1, false), bare);
    assert_eq!(seen_of(&details[..bytes - 2], bytes, false), bare);
}

#[test]
fn calls_of_any_session_have_numbers_that_javascript_has_too() {
    let number = |session| {
        let tool = ToolSpec { path: vec!["tool".to_owned()], id: 3, is_async: false, length: 0, is_limited: false };
        let commands = vec![Command::SetTools { job: 1, tools: vec![tool] }, run(2, "tool()")];
        let context = Rc::new(Context { session, ..Context::new(commands, 64 << 20) });
        let booted = Booted::new(context.config.memory_limit_bytes, Rc::new(|_| {})).expect("there is memory");
        Guest::new(booted, context.clone(), Arc::default()).serve_session();
        let call = |event| if let Event::ToolCalls(calls) = event { calls.first().map(|call| call.id) } else { None };
        context.events.take().into_iter().find_map(call).expect("the tool is called")
    };
    let numbers = [1, 2, (1 << 20) - 1, 1 << 21, u64::from(u32::MAX)].map(number);
    assert_eq!(numbers, [1, 2, (1 << 20) - 1, 0, (1 << 20) - 1].map(|session: u64| (session << 32) + 1));
    assert!(numbers.into_iter().all(|number| number < 1 << 53));
}

#[test]
fn a_guest_that_stopped_itself_can_go_on() {
    let (mut guest, _) = guest(Vec::new());
    guest.interrupt().terminate();
    guest.cancel_termination();
    assert!(guest.can_run());
}

#[test]
fn a_termination_from_outside_is_not_taken_back() {
    for comes_before in [true, false] {
        let (mut guest, context) = guest(Vec::new());
        // The guest stops itself, and at the same time another thread gives the session up.
        guest.interrupt().terminate();
        match comes_before {
            true => context.is_given_up.set(true),
            false => *context.rival.borrow_mut() = Some(guest.interrupt()),
        }
        guest.cancel_termination();
        assert!(!guest.can_run(), "the other one comes before: {comes_before}");
    }
}

#[test]
fn the_bytecode_of_a_program_that_comes_again_serves_later_isolates() {
    let programs = Arc::<Programs>::default();
    let code = format!(
        "/* {} */\nconst never = () => 'was not called';\nconst at = () => new Error('here').stack.split('\\n')[1];\nString(at) + at()",
        "x".repeat(256)
    );
    let options = PrepareOptions::of(&config(), Language::JavaScript, 1e6, 1e6);
    let bytecode =
        || programs.kept(&code, &options).and_then(|program| program.bytecode.get().map(|bytes| bytes.len()));
    // The fourth session gives its program another name, as a session does that has run something before.
    let runs = [vec![run(1, &code)], vec![run(1, &code)], vec![run(1, &code)], vec![run(1, "'before'"), run(2, &code)]];
    let mut seen = Vec::new();
    for commands in runs {
        let (mut guest, context) = guest_with(&programs, commands);
        guest.serve_session();
        seen.push((texts(&context).pop().expect("it has an output"), bytecode().is_some()));
    }
    let shown = |step| format!("() => new Error('here').stack.split('\\n')[1]    at at (step-{step}.js:3:18)");
    let expected = [(shown(1), false), (shown(1), true), (shown(1), true), (shown(2), true)];
    assert_eq!(seen, expected);
    let program = programs.kept(&code, &options).expect("it is kept");
    assert!(guest(Vec::new()).0.takes_bytecode(&program), "V8 uses what another isolate has made");
}

#[test]
fn a_command_that_has_come_is_not_kept_waiting() {
    let (mut guest, context) = guest(vec![run(1, "'first'")]);
    context.ready.borrow_mut().push_back(run(2, "'second'"));
    guest.serve_session();
    assert_eq!(texts(&context), ["first", "second"]);
    // Only after the last run.
    assert_eq!(context.waits.get(), 1);
}

#[test]
fn who_waits_for_a_time_waits_for_it_though_a_command_is_kept() {
    let (guest, context) = guest(Vec::new());
    context.ready.borrow_mut().push_back(run(1, "1"));
    assert!(guest.host().has_come());
    assert!(!guest.host().wait_until(Instant::now()));
    assert_eq!(context.waits.get(), 1);
    assert!(guest.host().has_come() && guest.host().next_command().is_some() && !guest.host().has_come());
}

#[test]
fn bytecode_that_v8_cannot_use_does_no_harm() {
    let programs = Arc::<Programs>::default();
    let code = format!("/* {} */ const f = () => 'runs'; f()", "x".repeat(256));
    let (mut first, _) = guest_with(&programs, vec![run(1, &code)]);
    first.serve_session();
    drop(first);
    let options = PrepareOptions::of(&config(), Language::JavaScript, 1e6, 1e6);
    let program = programs.kept(&code, &options).expect("it is kept");
    programs.keep_bytecode(&code, &options, &program, vec![7; 1_000].into());
    let (mut second, context) = guest_with(&programs, vec![run(1, &code)]);
    assert!(!second.takes_bytecode(&program));
    second.serve_session();
    assert_eq!(texts(&context), ["runs"]);
}

#[test]
fn what_runs_leave_is_collected_between_them() {
    for iterations in (2_000..40_000).step_by(2_000) {
        let (mut guest, context) = guest(vec![run(1, &format!("for (let i = 0; i < {iterations}; i++) [i];"))]);
        guest.serve_session();
        let events = context.events.take();
        assert!(matches!(events[..], [Event::Settled { result: Ok(_), .. }]), "{events:?}");
        let (used, room) = guest.young();
        assert!(used < room / 2, "{used} bytes of {room} after {iterations} arrays");
    }
}
