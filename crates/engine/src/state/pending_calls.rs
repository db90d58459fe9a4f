//! Tools of the realm, and tool calls that the host has not answered.

use std::collections::{HashMap, HashSet, VecDeque};

use deno_core::v8;

use crate::state::caller::Caller;
use ses_protocol::{ToolCallId, ToolSpec, Values};

/// Bits of a call's number that are the same in each isolate of a session.
const CALL_BITS: ToolCallId = (1 << 32) - 1;

/// The tools of the realm.
#[derive(Default)]
pub struct ToolTable {
    /// Names for messages.
    names: HashMap<u32, String>,
    /// Names of tools that return promises.
    asynchronous: HashSet<String>,
    /// Functions that globals of the guest call. Their calls are not tool calls.
    services: HashSet<u32>,
}

impl ToolTable {
    pub fn add(&mut self, tools: &[ToolSpec]) {
        self.names.extend(tools.iter().map(|tool| (tool.id, tool.display_name())));
        let asynchronous = tools.iter().filter(|tool| tool.is_async).map(ToolSpec::display_name);
        self.asynchronous.extend(asynchronous);
    }

    /// Adds functions that globals of the guest call.
    pub fn add_services(&mut self, services: &[ToolSpec]) {
        let (requests, others): (Vec<_>, Vec<_>) = services.iter().cloned().partition(ToolSpec::is_request);
        self.add(&requests);
        self.services.extend(others.iter().map(|service| service.id));
    }

    pub fn is_service(&self, id: u32) -> bool {
        self.services.contains(&id)
    }

    pub fn has(&self, id: u32) -> bool {
        self.names.contains_key(&id)
    }

    pub fn name(&self, id: u32) -> String {
        self.names.get(&id).cloned().unwrap_or_default()
    }

    /// Whether there is, or was, a tool with this name, or a tool in the namespace of this name.
    pub fn has_named(&self, name: &str) -> bool {
        self.names
            .values()
            .any(|tool| tool.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
    }

    /// Whether a tool with this name returns, or returned, promises.
    pub fn is_async(&self, name: &str) -> bool {
        self.asynchronous.contains(name)
    }
}

/// A call whose promise the guest holds.
pub struct PendingCall {
    pub resolver: v8::Global<v8::PromiseResolver>,
    pub tool: u32,
    /// The code that made the call.
    pub caller: Caller,
    pub args_bytes: usize,
    /// Of a global of the guest, not a tool call.
    pub is_service: bool,
}

/// A call that waits until the host works on fewer calls.
pub struct WaitingCall {
    pub number: ToolCallId,
    pub tool: u32,
    pub args: Values,
}

/// Calls of the run that the host has not answered.
pub struct PendingCalls {
    pub calls: HashMap<ToolCallId, PendingCall>,
    /// Calls with a promise that were not sent to the host yet.
    pub waiting: VecDeque<WaitingCall>,
    /// Calls among `calls` that the host works on.
    pub running: usize,
    /// Serialized bytes of the arguments of all `calls`.
    pub args_bytes: usize,
    next: ToolCallId,
}

impl PendingCalls {
    pub fn starting_at(next: ToolCallId) -> Self {
        Self { calls: HashMap::new(), waiting: VecDeque::new(), running: 0, args_bytes: 0, next }
    }

    pub fn take_number(&mut self) -> ToolCallId {
        self.next += 1;
        self.next
    }

    /// The number of the last call, without the part that differs between isolates.
    pub fn made(&self) -> ToolCallId {
        self.next & CALL_BITS
    }

    /// The next call has the number after that of an isolate that has made `made` calls.
    pub fn set_last_number(&mut self, made: ToolCallId) {
        self.next = (self.next & !CALL_BITS) | (made & CALL_BITS);
    }

    pub fn take(&mut self, number: ToolCallId) -> Option<PendingCall> {
        let call = self.calls.remove(&number)?;
        self.running = self.running.saturating_sub(usize::from(!call.is_service));
        self.args_bytes -= call.args_bytes;
        Some(call)
    }

    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Drops all resolvers, so that nothing of this run goes on in the next one. Returns the tools of calls that the
    /// program has not awaited: all of them if it ran to its end. If it `has_failed`, only those that nothing waits
    /// for.
    pub fn drop_all(&mut self, scope: &mut v8::PinScope, has_failed: bool) -> Vec<u32> {
        self.waiting.clear();
        self.running = 0;
        self.args_bytes = 0;
        let mut tools = Vec::new();
        for (_, call) in self.calls.drain() {
            v8::scope!(let handles, scope);
            let resolver = v8::Local::new(handles, &call.resolver);
            if call.is_service {
                continue;
            }
            if !has_failed || !resolver.get_promise(handles).has_handler() {
                tools.push(call.tool);
            }
        }
        tools.sort_unstable();
        tools
    }
}
