//! Checks the contents of a worker's events. Values are rewritten for Node.js, because Node.js trusts the bytes that it
//! reads.

use ses_protocol::{Event, MAX_LISTED, Success, ToolCall, Value, Values, are_facts};
use ses_transfer::for_node_of_anybody;

/// The event with its values in the form that Node.js reads. `None`: no worker sends such an event. Time and memory are
/// linear in the length of the event.
pub fn readable(event: Event, max_transfer_bytes: usize) -> Option<Event> {
    let value = |value| match value {
        Value::Wire(wire) => Some(Value::Wire(for_node_of_anybody(wire, max_transfer_bytes).ok()?)),
        simple => Some(simple),
    };
    let args = |args| match args {
        Values::Wire(wire) if is_array(&wire) => {
            Some(Values::Wire(for_node_of_anybody(wire, max_transfer_bytes).ok()?))
        }
        Values::List(list) if list.len() <= MAX_LISTED && !list.iter().any(|value| matches!(value, Value::Wire(_))) => {
            Some(Values::List(list))
        }
        _ => None,
    };
    Some(match event {
        Event::Settled { job, result: Ok(Success::Output { value: output, is_final_answer }), figures, sound } => {
            let result = Ok(Success::Output { value: value(output)?, is_final_answer });
            Event::Settled { job, result, figures, sound }
        }
        Event::ToolCalls(calls) => {
            let calls = calls.into_iter().map(|call| Some(ToolCall { args: args(call.args)?, ..call }));
            Event::ToolCalls(calls.collect::<Option<_>>()?)
        }
        Event::Settled { result: Err(ref failure), .. } | Event::Initialized(Err(ref failure)) => {
            are_facts(&failure.details).then_some(event)?
        }
        event => event,
    })
}

/// Whether the serialized bytes contain an array, provided that V8 wrote them.
fn is_array(wire: &[u8]) -> bool {
    matches!(wire.get(2), Some(b'A' | b'a'))
}

#[cfg(test)]
mod tests {
    use ses_protocol::{Block, Failure, FailureKind, Figures};

    use super::*;

    /// 64 MiB.
    const MAX_BYTES: usize = 64 << 20;

    fn output(value: Value) -> Event {
        let result = Ok(Success::Output { value, is_final_answer: false });
        Event::Settled { job: 1, result, figures: Figures::default(), sound: true }
    }

    fn call(args: Values) -> Event {
        Event::ToolCalls(vec![ToolCall { id: 1, tool: 1, is_async: false, args, made: 1 }])
    }

    fn failed(details: serde_json::Value) -> Event {
        let mut failure = Failure::new(FailureKind::ValidationFailed);
        failure.details = details.as_object().unwrap().clone();
        let (result, figures) = (Err(failure), Figures::default());
        Event::Settled { job: 1, result, figures, sound: true }
    }

    #[test]
    fn what_an_isolate_writes_is_readable() {
        let text = || Value::Latin1(Block::copy_of(b"text").unwrap());
        let found = serde_json::json!({
            "line": 1,
            "column": 2,
            "message": "m",
            "name": null,
            "names": ["a"],
            "diagnostics": [
                { "rule": "r", "severity": "ERROR", "message": "m", "location": { "line": 1, "column": 2 }, "fix": "f" },
                { "rule": "r", "severity": "INFO", "message": "m" },
            ],
        });
        for event in [
            output(Value::Wire(b"\xFF\x0F0".to_vec())),
            output(text()),
            call(Values::Wire(b"\xFF\x0FA\x01T$\0\x01".to_vec())),
            call(Values::List((0..MAX_LISTED).map(|_| text()).collect())),
            failed(found),
        ] {
            let written = format!("{event:?}");
            assert_eq!(readable(event, MAX_BYTES).map(|event| format!("{event:?}")), Some(written));
        }
    }

    #[test]
    fn large_values_are_made_ready_here() {
        let wire = [b"\xFF\x0FA\x80\xB5\x18".as_slice(), &b"I\x02".repeat(400_000), b"$\0\x80\xB5\x18"].concat();
        let Some(Event::Settled { result: Ok(Success::Output { value: Value::Wire(ready), .. }), .. }) =
            readable(output(Value::Wire(wire)), MAX_BYTES)
        else {
            panic!("no output");
        };
        assert_eq!(ready.first(), Some(&0xFE));
    }

    #[test]
    fn what_no_isolate_writes_is_not() {
        let nested = || Value::Wire(b"\xFF\x0FA\0$\0\0".to_vec());
        for event in [
            output(Value::Wire(Vec::new())),
            output(Value::Wire(b"\xFF\x0FA\xFF\xFF\x03$\0\0".to_vec())),
            call(Values::Wire(b"\xFF\x0F0".to_vec())),
            call(Values::Wire(Vec::new())),
            call(Values::List(vec![nested()])),
            call(Values::List((0..=MAX_LISTED).map(|_| Value::Null).collect())),
            failed(serde_json::json!({ "diagnostics": 5 })),
            failed(serde_json::json!({ "diagnostics": [null] })),
            failed(serde_json::json!({ "diagnostics": [{ "rule": "r", "severity": "INFO", "message": 1 }] })),
            failed(serde_json::json!({
                "diagnostics": [{ "rule": "r", "severity": "INFO", "message": "m", "location": null }],
            })),
            failed(serde_json::json!({ "name": {} })),
            // Code frames are drawn from these details.
            failed(serde_json::json!({ "line": "1" })),
            failed(serde_json::json!({ "line": 1, "column": null })),
            failed(serde_json::json!({ "message": 1 })),
            failed(serde_json::json!({ "names": [{}] })),
            Event::Initialized(Err(Failure::init("").with("diagnostics", 5))),
        ] {
            let written = format!("{event:?}");
            assert!(readable(event, MAX_BYTES).is_none(), "{written}");
        }
    }
}
