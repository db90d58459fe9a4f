//! The bytes of each kind of message. Another build, or another program, may expect exactly these bytes: increment the
//! version when you change any of them.

use std::iter;
use std::sync::Arc;

use super::{Control, Frames, FromWorker, HEAD_BYTES, Hello, Message, Status, ToWorker, VERSION};
use crate::{
    Block, Command, Config, ErrorCode, Event, Failure, FailureKind, Figures, Language, LogEntry, ModuleBody,
    ModuleSpec, RunLimits, Seed, Success, ToolCall, ToolError, ToolReply, ToolSpec, Value, Values,
};

/// Session and version of the golden frames.
const SESSION: u32 = 7;

fn text(text: &str) -> Value {
    Value::Latin1(Block::copy_of(text.as_bytes()).expect("memory"))
}

fn config() -> Config {
    let add = ToolSpec { path: vec!["math".into(), "add".into()], id: 3, is_async: true, length: 2, is_limited: false };
    let exports = ModuleBody::Exports { names: vec!["one".into()], values: vec![1, 2], functions: vec![add] };
    Config {
        max_operations: 1e6,
        timeout_ms: 30_000.0,
        queue_runs: true,
        max_queued_runs: 8,
        authorized_imports: vec!["lodash".into()],
        max_log_bytes: 1024,
        levels: [true, true, true, true, false],
        memory_limit_bytes: 128 << 20,
        max_code_bytes: 1 << 20,
        max_tool_calls: 1000,
        max_concurrent_tool_calls: 64,
        max_transfer_bytes: 64 << 20,
        harden_tool_results: true,
        keep_state: true,
        max_cpu_ms: Some(5_000.0),
        owner: "me".into(),
        max_parked_bytes: 4,
        warm_pool: None,
        stream_logs: true,
        modules: vec![
            ModuleSpec { specifier: "a".into(), body: ModuleBody::Source("export {}".into()) },
            ModuleSpec { specifier: "b".into(), body: exports },
        ],
        language: Language::TypeScript,
        globals: vec!["timers".into()],
        services: vec![ToolSpec { path: vec!["wake".into()], id: 4, is_async: true, length: 1, is_limited: false }],
    }
}

fn to_worker() -> Vec<ToWorker> {
    let limits = RunLimits {
        max_operations: 10.0,
        timeout_ms: 20.0,
        cpu_ms: None,
        reports_waits: true,
        now_ms: Some(1.7e12),
        seed: Some(Seed([1, 2, 3, 4])),
        language: Language::Auto,
    };
    let values = vec![
        Value::Undefined,
        Value::Null,
        Value::Bool(true),
        Value::Number(1.5),
        text("a\u{e9}"),
        Value::Utf16(vec![0x20AC, 0xD800]),
        Value::Bytes(Block::copy_of(&[1, 2, 3]).expect("memory")),
        Value::Wire(vec![0xFF, 15, b'_']),
    ];
    let thrown = ToolError {
        name: "E".into(),
        message: "no".into(),
        code: Some(ErrorCode::Number(2.0)),
        bridge: true,
        details: None,
    };
    let coded = ToolError {
        code: Some(ErrorCode::Text("ENOENT".into())),
        bridge: false,
        details: Some(vec![0xFF, 15, b'_']),
        ..thrown.clone()
    };
    let replies = vec![
        (9, ToolReply::Value(text("ok"))),
        (10, ToolReply::Promise),
        (11, ToolReply::Error(thrown)),
        (12, ToolReply::Error(coded)),
    ];
    let commands = [
        Command::SetVariables { job: 1, names: vec!["x".into()], values: Values::List(values) },
        Command::SetVariables { job: 2, names: vec![], values: Values::Wire(vec![0xFF, 15, b'A', 0]) },
        Command::SetTools { job: 3, tools: config().modules.into_iter().flat_map(functions).collect() },
        Command::Run { job: 4, limits, code: "1 + 1".into() },
        Command::ToolReplies { replies, now_ms: Some(1.7e12) },
        Command::Checkpoint { job: 5 },
        Command::Restore { job: 6, state: vec![1, 2, 3] },
    ];
    let controls = [Control::Open(Arc::new(config())), Control::Stop(4)];
    let keep = ToWorker::Control(Control::KeepDeadlines { limits_calls: true });
    let controls = controls.into_iter().map(ToWorker::Control);
    controls.chain(commands.into_iter().map(ToWorker::Command)).chain([keep]).collect()
}

fn functions(module: ModuleSpec) -> Vec<ToolSpec> {
    match module.body {
        ModuleBody::Source(_) => Vec::new(),
        ModuleBody::Exports { functions, .. } => functions,
    }
}

fn from_worker() -> Vec<FromWorker> {
    let figures = Figures { operations: 2, tool_calls: 3, heap_used_bytes: 4, dropped_calls: 5 };
    let output = Success::Output { value: Value::Number(2.0), is_final_answer: true };
    let failed = Failure {
        kind: FailureKind::Runtime { cause: "Error: no".into() },
        details: Failure::new(FailureKind::ValidationFailed).with("line", 1).details,
        tool_call: Some(9),
    };
    let settled = |result| Event::Settled { job: 4, result, figures, sound: true };
    let args = Values::List(vec![Value::Null]);
    let events = [
        Event::Initialized(Ok(())),
        Event::Initialized(Err(Failure::new(FailureKind::InitFailed { details: "no memory".into() }))),
        settled(Ok(output)),
        settled(Err(failed)),
        settled(Ok(Success::Done)),
        Event::ToolCalls(vec![ToolCall { id: 9, tool: 3, is_async: true, args, made: 1 }]),
        Event::Log { job: 4, entry: LogEntry { level: 2, message: "caf\u{e9}".into(), at_ms: 1e12 } },
        Event::Closed { panicked: false },
        Event::Progress { operations: 5, tool_calls: 6 },
        Event::Parked { bytes: 7 },
        Event::Lost { reason: "gone".into() },
        Event::Idle { answers: 8 },
        Event::Taken { bytes: 9 },
        Event::CpuSpent { job: 4 },
        Event::TimeOver { job: 4 },
        Event::GraceOver { job: 4 },
    ];
    let hello = Hello { version: VERSION, landlock: true, seccomp: false };
    iter::once(FromWorker::Status(Status::Hello(hello))).chain(events.into_iter().map(FromWorker::Event)).collect()
}

fn framed(message: &impl Message) -> Vec<u8> {
    let mut frame = Vec::new();
    message.write(SESSION, &mut frame).expect("short enough");
    frame
}

fn frames() -> Vec<Vec<u8>> {
    let host = to_worker().iter().map(framed).collect::<Vec<_>>();
    host.into_iter().chain(from_worker().iter().map(framed)).collect()
}

/// The frame that results from reading a body and writing it again.
fn rewritten(kind: u8, body: &[u8]) -> Vec<u8> {
    if kind < 0x80 {
        framed(&ToWorker::read(kind, body).expect("of the host"))
    } else {
        framed(&FromWorker::read(kind, body).expect("of the worker"))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn messages_are_written_byte_for_byte_as_ever() {
    let written: Vec<String> = frames().iter().map(|frame| hex(frame)).collect();
    let golden: Vec<&str> = include_str!("golden.txt").lines().filter(|line| !line.starts_with('#')).collect();
    let lines = written.join("\n");
    assert!(written == golden, "increment VERSION, and replace the lines of golden.txt after its comment by:\n{lines}");
}

#[test]
fn what_is_read_is_what_was_written() {
    let all = frames().concat();
    let mut stream = Frames::new(all.as_slice());
    for frame in frames() {
        let (head, body) = stream.next(1 << 20).expect("a frame").expect("another frame");
        assert_eq!(head.session, SESSION);
        assert_eq!(hex(&rewritten(head.kind, body)), hex(&frame));
    }
    assert!(stream.next(0).expect("the end").is_none());
}

#[test]
fn a_part_of_a_frame_is_refused() {
    for frame in frames() {
        let kind = frame[4];
        for length in HEAD_BYTES..frame.len() {
            let body = &frame[HEAD_BYTES..length];
            assert!(ToWorker::read(kind, body).is_err() && FromWorker::read(kind, body).is_err());
            let mut stream = Frames::new(&frame[..length]);
            let error = stream.next(1 << 20).expect_err("a part");
            assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof);
        }
        let more = [&frame[HEAD_BYTES..], &[0]].concat();
        assert!(ToWorker::read(kind, &more).is_err() && FromWorker::read(kind, &more).is_err());
    }
}

#[test]
fn the_other_peers_messages_and_unknown_kinds_are_refused() {
    for frame in frames() {
        let (kind, body) = (frame[4], &frame[HEAD_BYTES..]);
        assert_eq!(ToWorker::read(kind, body).is_ok(), kind < 0x80);
        assert_eq!(FromWorker::read(kind, body).is_ok(), kind >= 0x80);
    }
    let known: Vec<u8> = frames().iter().map(|frame| frame[4]).collect();
    for kind in (0..=u8::MAX).filter(|kind| !known.contains(kind)) {
        assert!(ToWorker::read(kind, &[]).is_err() && FromWorker::read(kind, &[]).is_err());
    }
}

#[test]
fn lengths_that_the_bytes_do_not_bear_out_take_no_memory() {
    let many = u32::MAX.to_le_bytes();
    // The largest possible number of replies, names, and undefined values, which would take 32 times as many bytes in
    // memory.
    assert!(ToWorker::read(5, &many).is_err());
    assert!(ToWorker::read(2, &[&[0; 8], many.as_slice()].concat()).is_err());
    let values = [&[0; 12], [0].as_slice(), &(8u32 << 20).to_le_bytes(), &vec![0; 8 << 20]].concat();
    assert!(ToWorker::read(2, &values).is_err());
}

#[test]
fn a_frame_that_is_too_long_is_refused_before_its_body_comes() {
    let mut stream = Frames::new([0xFF; HEAD_BYTES].as_slice());
    assert_eq!(stream.next(1 << 20).expect_err("too long").kind(), std::io::ErrorKind::InvalidData);
    let mut stream = Frames::new([4, 0, 0, 0, 1, 0, 0, 0, 0].as_slice());
    assert_eq!(stream.next(1 << 20).expect_err("too short").kind(), std::io::ErrorKind::InvalidData);
}

#[test]
fn levels_states_and_details_that_are_none_are_refused() {
    let entry = |level: u8| [[0; 8].as_slice(), &[level], &[0; 8], &[0; 4]].concat();
    assert!(FromWorker::read(0x86, &entry(4)).is_ok());
    assert!(FromWorker::read(0x86, &entry(5)).is_err());
    let failure = |state: &[u8], details: &[u8]| {
        let state = [&(state.len() as u32).to_le_bytes(), state].concat();
        let details = [&(details.len() as u32).to_le_bytes(), details].concat();
        [[1, 0].as_slice(), &state, &details, &[0]].concat()
    };
    assert!(FromWorker::read(0x82, &failure(b"READY", b"{}")).is_ok());
    assert!(FromWorker::read(0x82, &failure(b"STEADY", b"{}")).is_err());
    assert!(FromWorker::read(0x82, &failure(b"READY", b"[]")).is_err());
    let deep = [b"{\"a\":".as_slice(), &[b'['; 4096], &[b']'; 4096], b"}"].concat();
    assert!(FromWorker::read(0x82, &failure(b"READY", &deep)).is_err());
    let long = [b"{\"a\":\"".as_slice(), &vec![b'x'; 4 << 20], b"\"}"].concat();
    assert!(FromWorker::read(0x82, &failure(b"READY", &long)).is_err());
}

#[test]
fn a_frame_larger_than_the_buffer_and_one_across_its_end_arrive_whole() {
    let limits = RunLimits {
        max_operations: 1.0,
        timeout_ms: 1.0,
        cpu_ms: None,
        reports_waits: false,
        now_ms: None,
        seed: None,
        language: Language::Auto,
    };
    let frame = framed(&ToWorker::Command(Command::Run { job: 1, limits, code: "x".repeat(200_000) }));
    let stop = framed(&ToWorker::Control(Control::Stop(1)));
    let all = [stop.repeat(5_000), frame.clone(), stop.clone()].concat();
    let mut stream = Frames::new(all.as_slice());
    for _ in 0..5_000 {
        let (head, body) = stream.next(1 << 20).expect("a frame").expect("a short one");
        assert_eq!(hex(&rewritten(head.kind, body)), hex(&stop));
    }
    let (head, body) = stream.next(1 << 20).expect("a frame").expect("the large one");
    assert!(rewritten(head.kind, body) == frame);
    let (head, _) = stream.next(1 << 20).expect("a frame").expect("the last");
    assert_eq!(head.kind, 8);
    assert!(stream.next(1 << 20).expect("the end").is_none());
}
