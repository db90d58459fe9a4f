//! What native code knows about the run under way. Guest code may claim that a tool has failed or that a limit was
//! reached. Such a claim counts only if it is recorded here.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Map, Value, json};

use ses_protocol::{ErrorCode, ToolCallId, ToolError};

/// The most failed calls of one run that are kept. If there are more, the oldest are dropped.
const MAX_FAILED: usize = 1_024;
/// The most characters of an exception's message, as in the prelude.
const MAX_CHARS: usize = 5_000;

/// Facts about the run under way, or about the last command.
#[derive(Default)]
pub struct Facts {
    failed: RefCell<Failed>,
    /// Tools that have returned containers, which the prelude may be unable to convert.
    answered: RefCell<HashSet<u32>>,
    /// Memory was refused to the interpreter.
    lacks_memory: Cell<bool>,
    /// Guest code has begun to run.
    has_begun: Cell<bool>,
}

#[derive(Default)]
struct Failed {
    calls: HashMap<ToolCallId, FailedCall>,
    order: VecDeque<ToolCallId>,
}

/// A call of a tool that has failed.
#[derive(Clone)]
pub struct FailedCall {
    tool: String,
    error: ToolError,
}

impl Facts {
    /// Clears the facts, because a command begins.
    pub fn begin(&self) {
        self.failed.take();
        self.answered.take();
        self.lacks_memory.set(false);
        self.has_begun.set(false);
    }

    pub fn add_failed(&self, call: ToolCallId, tool: String, error: ToolError) {
        let Failed { calls, order } = &mut *self.failed.borrow_mut();
        calls.insert(call, FailedCall { tool, error });
        order.push_back(call);
        if order.len() > MAX_FAILED
            && let Some(first) = order.pop_front()
        {
            calls.remove(&first);
        }
    }

    pub fn failed(&self, call: ToolCallId) -> Option<FailedCall> {
        self.failed.borrow().calls.get(&call).cloned()
    }

    pub fn add_answered(&self, tool: u32) {
        self.answered.borrow_mut().insert(tool);
    }

    /// Whether a tool for which `is_meant` is true has returned a container.
    pub fn has_answered(&self, is_meant: impl Fn(u32) -> bool) -> bool {
        self.answered.borrow().iter().any(|tool| is_meant(*tool))
    }

    pub fn note_refused_memory(&self) {
        self.lacks_memory.set(true);
    }

    pub fn lacks_memory(&self) -> bool {
        self.lacks_memory.get()
    }

    pub fn note_begin(&self) {
        self.has_begun.set(true);
    }

    pub fn has_begun(&self) -> bool {
        self.has_begun.get()
    }
}

impl FailedCall {
    /// The first lines of the failure's message, in the form in which the prelude writes them.
    pub fn head(&self) -> String {
        let ToolError { name, message, .. } = &self.error;
        let text = if name == "Error" { message.clone() } else { format!("{name}: {message}") };
        if text.is_empty() { "ToolError".to_owned() } else { format!("ToolError: {}", shortened(&text)) }
    }

    /// The fields of `details` that describe the call.
    pub fn details(&self, call: ToolCallId) -> Map<String, Value> {
        let ToolError { name, message, code, bridge, .. } = &self.error;
        let code = match code {
            Some(ErrorCode::Text(code)) => json!(code),
            Some(ErrorCode::Number(code)) => json!(code),
            None => Value::Null,
        };
        let mut details = Map::new();
        for (key, value) in [
            ("name", json!(name)),
            ("message", json!(message)),
            ("tool", json!(self.tool)),
            ("code", code),
            ("call", json!(call)),
        ] {
            details.insert(key.to_owned(), value);
        }
        if *bridge {
            details.insert("bridge".to_owned(), json!(true));
        }
        details
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}... {} more characters", &text[..end], text[end..].chars().count()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(name: &str, message: &str) -> ToolError {
        ToolError { name: name.to_owned(), message: message.to_owned(), code: None, bridge: false, details: None }
    }

    #[test]
    fn heads_of_failed_calls_are_what_the_prelude_writes() {
        let head = |name, message: &str| FailedCall { tool: "t".to_owned(), error: error(name, message) }.head();
        assert_eq!(head("Error", "boom"), "ToolError: boom");
        assert_eq!(head("TypeError", "boom"), "ToolError: TypeError: boom");
        assert_eq!(head("Error", ""), "ToolError");
        assert_eq!(head("Error", &"ä".repeat(5_002)), format!("ToolError: {}... 2 more characters", "ä".repeat(5_000)));
    }

    #[test]
    fn the_last_failed_calls_are_kept() {
        let facts = Facts::default();
        for call in 0..=MAX_FAILED as ToolCallId {
            facts.add_failed(call, "t".to_owned(), error("Error", "boom"));
        }
        assert_eq!((facts.failed(0).is_some(), facts.failed(1).is_some()), (false, true));
        facts.begin();
        assert!(facts.failed(1).is_none());
    }
}
