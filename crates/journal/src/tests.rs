//! The form of a journal, byte for byte, and journals that nobody has written.

use std::sync::mpsc::channel;

use ses_protocol::frames::Message;
use ses_protocol::{
    Command, Event, Figures, Language, LogEntry, RunLimits, Seed, Success, ToolCall, ToolReply, ToolSpec, Value, Values,
};

use crate::chain::{Chain, Keys};
use crate::entry::{answers_frame, checkpoint_frame, head_frame, message_frame, note_frame, restart_frame, seed_frame};
use crate::{Content, EntryKind, Flaw, FlawKind, Journal};

const ID: &str = "order/7";

fn keys() -> Keys {
    Keys { sign: Some(b"a key".to_vec()), verify: Vec::new() }
}

fn frame(run: u32, message: &impl Message) -> Vec<u8> {
    message_frame(run, message).expect("a small message")
}

/// A session with a variable, a tool, a finished run and one that has not ended.
fn frames() -> Vec<Vec<u8>> {
    let run = |job, code: &str, seed| {
        let limits = RunLimits {
            max_operations: 50_000.0,
            timeout_ms: 30_000.0,
            cpu_ms: None,
            reports_waits: true,
            now_ms: Some(1.7e12),
            seed,
            language: Language::Auto,
        };
        Command::Run { job, code: code.to_owned(), limits }
    };
    let done = |job, result| Event::Settled { job, result: Ok(result), figures: Figures::default(), sound: true };
    let call = |id, made| {
        let args = Values::List(vec![Value::Number(made as f64)]);
        Event::ToolCalls(vec![ToolCall { id, tool: 0, is_async: true, args, made }])
    };
    let replies = vec![(1, ToolReply::Value(Value::Bool(true)))];
    let pay = ToolSpec { path: vec!["pay".to_owned()], id: 0, is_async: true, length: 1, is_limited: false };
    let log = LogEntry { level: 0, message: "hi".to_owned(), at_ms: 1.7e12 };
    vec![
        head_frame(r#"{"format":1}"#),
        seed_frame(0, Seed([1, 2, 3, 4])),
        frame(
            0,
            &Command::SetVariables { job: 1, names: vec!["n".to_owned()], values: Values::List(vec![Value::Null]) },
        ),
        frame(0, &done(1, Success::Done)),
        frame(0, &Command::SetTools { job: 2, tools: vec![pay] }),
        frame(0, &done(2, Success::Done)),
        frame(1, &run(3, "await pay(1)", Some(Seed([1, 2, 3, 4])))),
        frame(1, &call(1, 1)),
        frame(1, &Command::ToolReplies { replies, now_ms: Some(1.7e12) }),
        frame(1, &Event::Log { job: 3, entry: log }),
        frame(1, &done(3, Success::Output { value: Value::Bool(true), is_final_answer: false })),
        frame(2, &run(4, "await pay(2)", None)),
        frame(2, &call(2, 1)),
        note_frame(2, r#"{"waiting":{"call":1}}"#),
    ]
}

/// The same session, whose last call gets an answer that is not kept, and which begins again.
fn further_frames() -> Vec<Vec<u8>> {
    let command = Command::ToolReplies { replies: vec![(2, ToolReply::Promise)], now_ms: Some(1.7e12) };
    let answers = answers_frame(2, &[(2, [7; 32])], &command).expect("a small message");
    let mut frames = frames();
    frames.extend([answers, restart_frame(2, r#"{"format":1}"#), seed_frame(2, Seed([1, 2, 3, 4]))]);
    frames.extend(checkpoint_frame(2, "an engine", &[1, 2, 3]));
    frames
}

fn signed(keys: Keys, frames: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut chain = Chain::new(ID.to_owned(), keys);
    frames.into_iter().map(|frame| chain.sign(frame)).collect()
}

fn entries(keys: Keys) -> Vec<Vec<u8>> {
    signed(keys, frames())
}

/// A journal with these entries, which nobody has read yet.
fn journal(keys: Keys, entries: Vec<Vec<u8>>) -> Journal {
    let journal = Journal::new(ID.to_owned(), keys, 1 << 20);
    entries.into_iter().for_each(|entry| journal.add(entry));
    journal
}

fn load(keys: Keys, entries: Vec<Vec<u8>>) -> Result<Content, Flaw> {
    journal(keys, entries).load(None, None)
}

#[test]
fn entries_are_written_byte_for_byte_as_ever() {
    let hex = |bytes: &Vec<u8>| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let written = signed(keys(), further_frames()).iter().map(hex).collect::<Vec<_>>();
    let golden: Vec<&str> = include_str!("golden.txt").lines().filter(|line| !line.starts_with('#')).collect();
    let lines = written.join("\n");
    assert!(
        written == golden,
        "journals change: increment FORMAT in lib/durable/head.ts, and replace the lines of golden.txt after its comment by:\n{lines}"
    );
}

#[test]
fn a_journal_is_read_as_it_was_written() {
    let Ok(content) = load(keys(), entries(keys())) else { panic!("it is a journal") };
    assert_eq!((content.head.as_str(), content.next, content.runs), (r#"{"format":1}"#, 14, 2));
    assert_eq!(content.tools.iter().map(|tool| tool.path.join(".")).collect::<Vec<_>>(), ["pay"]);
    assert_eq!(content.notes, [r#"{"waiting":{"call":1}}"#]);
    assert_eq!(content.programs.as_deref(), Some(&["await pay(1)".to_owned()][..]));
    let open = content.open.expect("the second run has not ended");
    assert_eq!((open.run, open.code.as_str()), (2, "await pay(2)"));
    assert_eq!(open.calls.iter().map(|call| (call.number, call.tool)).collect::<Vec<_>>(), [(1, 0)]);
}

#[test]
fn entries_are_found_by_their_kind_and_run() {
    let journal = journal(keys(), signed(keys(), further_frames()));
    let found = |kind| [0, 1, 2].map(|run| journal.find(kind, run));
    assert_eq!(found(EntryKind::Note), [vec![], vec![], vec![13]]);
    assert_eq!(found(EntryKind::Calls), [vec![], vec![7], vec![12]]);
    assert_eq!(found(EntryKind::Answers), [vec![], vec![8], vec![14]]);
    let is_of = |number, run| journal.entry(number).is_some_and(|entry| entry.run == run);
    assert!(is_of(7, 1) && is_of(14, 2) && journal.entry(18).is_none());
}

#[test]
fn an_answer_that_is_not_kept_is_accepted_if_it_is_the_same_again() {
    let mut frames = frames();
    let answer = |n| ToolReply::Value(Value::Number(n));
    let command = Command::ToolReplies { replies: vec![(0, answer(7.0))], now_ms: None };
    let chain = Chain::new(ID.to_owned(), keys());
    let digest = chain.digest((2, 1), &frame(0, &command));
    let command = Command::ToolReplies { replies: vec![(2, ToolReply::Promise)], now_ms: None };
    frames.extend(answers_frame(2, &[(2, digest)], &command));
    let journal = journal(keys(), signed(keys(), frames));
    let Ok(content) = journal.load(None, None) else { panic!("it is a journal") };
    assert_eq!(content.withheld.iter().map(|it| (it.run, it.call.number, it.entry)).collect::<Vec<_>>(), [(2, 1, 14)]);
    assert!(content.open.expect("the second run has not ended").calls.is_empty());
    assert!(!journal.provide(2, 1, answer(8.0)));
    assert!(!journal.provide(1, 1, answer(7.0)));
    assert!(journal.provide(2, 1, answer(7.0)));
    assert!(!journal.provide(2, 1, answer(7.0)));
}

#[test]
fn what_comes_before_a_restart_is_not_repeated() {
    let Ok(content) = load(keys(), signed(keys(), further_frames())) else { panic!("it is a journal") };
    assert_eq!((content.runs, content.next, content.is_seeded), (2, 18, true));
    assert!(content.open.is_none() && content.tools.is_empty() && content.withheld.is_empty());
}

#[test]
fn a_checkpoint_replaces_what_comes_before_it_for_its_engine_only() {
    let mut frames = frames();
    frames.truncate(11);
    let before = signed(keys(), frames.clone()).iter().map(Vec::len).sum::<usize>();
    frames.extend(checkpoint_frame(1, "an engine", &[1, 2, 3]));
    let entries = signed(keys(), frames.clone());
    let load = |engine| {
        let Ok(content) = journal(keys(), entries.clone()).load(None, engine) else { panic!("it is a journal") };
        (content.replayed_bytes, content.looked_at, content.runs, content.tools.len())
    };
    assert_eq!(load(Some("an engine")), (0, Some(1), 1, 1));
    let whole = before + entries[11].len();
    assert_eq!(load(Some("another engine")), (whole, None, 1, 1));
    assert_eq!(load(None), (whole, None, 1, 1));
    // The job after it has not ended.
    frames.extend([frame(1, &Command::SetTools { job: 4, tools: Vec::new() })]);
    frames.extend(checkpoint_frame(1, "an engine", &[1, 2, 3]));
    let Err(Flaw { kind, entry, .. }) = journal(keys(), signed(keys(), frames)).load(None, None) else {
        panic!("nobody writes it")
    };
    assert_eq!((kind, entry), (FlawKind::Order, 13));
}

#[test]
fn results_that_are_not_kept_prevent_checkpoints_until_the_session_begins_again() {
    let reason_of = |journal: &Journal| {
        let (tell, recorded) = channel();
        journal.checkpoint("an engine".to_owned(), Box::new(move |result| tell.send(result).unwrap()));
        recorded.recv().unwrap().unwrap_err()
    };
    let reason_after = |count: usize| {
        let journal = journal(keys(), signed(keys(), further_frames()[..count].to_vec()));
        assert!(journal.load(None, None).is_ok());
        (reason_of(&journal), journal)
    };
    let (withheld, no_isolate) = ("it has had results that must not be kept", "it is at work");
    assert_eq!(reason_after(14).0, no_isolate);
    let (reason, journal) = reason_after(15);
    assert_eq!(reason, withheld);
    journal.restart("{}", Seed([1, 2, 3, 4]));
    assert_eq!(reason_of(&journal), no_isolate);
    assert_eq!(reason_after(16).0, no_isolate);
    let full = Journal::new(ID.to_owned(), keys(), 1);
    full.begin("{}", Seed([1, 2, 3, 4]));
    assert_eq!(reason_of(&full), "the journal has no room");
}

/// A session continues with the highest number, so the entries that it adds would belong to another run.
#[test]
fn an_entry_of_a_run_that_has_not_begun_is_refused() {
    for (entry, number) in [(2, 1), (6, 2), (6, u32::MAX), (9, 2), (13, 3), (13, 1)] {
        let mut frames = frames();
        frames[entry][5..9].copy_from_slice(&u32::to_le_bytes(number));
        let Err(flaw) = load(Keys::default(), signed(Keys::default(), frames)) else { panic!("entry {entry}") };
        assert_eq!((flaw.kind, flaw.entry), (FlawKind::Order, entry as u64));
    }
}

/// A reader that reads what is in them as entries again recurses, and the process ends when its stack does.
#[test]
fn answers_within_answers_are_refused() {
    const LEVELS: usize = 60_000;
    const BYTES_PER_LEVEL: usize = 13;
    let answers = further_frames().remove(14);
    let mut nested = Vec::new();
    for level in (1..=LEVELS).rev() {
        let length = (answers.len() + level * BYTES_PER_LEVEL - size_of::<u32>()) as u32;
        nested.extend(length.to_le_bytes());
        nested.push(answers[4]);
        nested.extend(2_u32.to_le_bytes());
        // No answer of this level is withheld.
        nested.extend(0_u32.to_le_bytes());
    }
    nested.extend(answers);
    let mut frames = frames();
    frames.push(nested);
    let Err(Flaw { kind, entry, .. }) = load(Keys::default(), signed(Keys::default(), frames)) else {
        panic!("nobody writes it")
    };
    assert_eq!((kind, entry), (FlawKind::Form, 14));
}

/// Numbers that are the same in each run of the tests.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// Without keys, so that the changes are not found by their codes.
#[test]
fn journals_that_nobody_has_written_are_read_or_refused() {
    let mut numbers = Numbers(1);
    let good = signed(Keys::default(), further_frames());
    let (mut read, mut refused) = (0, [0; 4]);
    for _ in 0..20_000 {
        let mut changed = good.clone();
        for _ in 0..=numbers.below(3) {
            let at = numbers.below(changed.len());
            match numbers.below(6) {
                0 => {
                    let other = numbers.below(changed.len());
                    changed.swap(at, other);
                }
                1 => changed.insert(at, good[numbers.below(good.len())].clone()),
                2 if changed.len() > 1 => drop(changed.remove(at)),
                3 => {
                    let end = numbers.below(changed[at].len() + 1);
                    changed[at].truncate(end);
                }
                _ => {
                    let length = changed[at].len().max(1);
                    if let Some(byte) = changed[at].get_mut(numbers.below(length)) {
                        *byte ^= 1 << numbers.below(8);
                    }
                }
            }
        }
        match load(Keys::default(), changed) {
            Ok(_) => read += 1,
            Err(flaw) => refused[flaw.kind as usize] += 1,
        }
    }
    // Each outcome that is possible without keys occurs.
    assert!(read > 0 && refused[FlawKind::Form as usize] > 0 && refused[FlawKind::Order as usize] > 0);
    assert_eq!((refused[FlawKind::Mac as usize], refused[FlawKind::Limit as usize]), (0, 0));
}

#[test]
fn entries_are_kept_until_there_is_room_for_them() {
    let journal = Journal::new(ID.to_owned(), Keys::default(), 1 << 20);
    journal.begin("{}", Seed([1, 2, 3, 4]));
    let Err(bytes) = journal.take(0) else { panic!("no room is needed") };
    assert_eq!(journal.take(bytes - 1).err(), Some(bytes));
    let Ok(Some(batch)) = journal.take(bytes) else { panic!("they do not fit") };
    let head = head_frame("{}");
    let mut room = vec![0; bytes + 1];
    assert_eq!(batch.write(&mut room), bytes);
    assert_eq!(room[..12], [0; 12]);
    assert_eq!(room[12..16], (head.len() as u32).to_le_bytes());
    assert_eq!(room[16..][..head.len()], head);
    assert!(matches!(journal.take(0), Ok(None)));
}
