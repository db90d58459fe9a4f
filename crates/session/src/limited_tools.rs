//! Which calls of a guest stop the clock of its run.

use std::collections::HashSet;

use ses_protocol::{Config, ModuleBody, ToolCall, ToolSpec};

use crate::run_clock::RunClock;

/// The tools of a session, as far as they matter for the deadlines of its runs.
#[derive(Default)]
pub struct LimitedTools {
    /// Tools with a time limit. The host keeps these limits (`lib/contract/tool-times.ts`).
    limited: HashSet<u32>,
    /// Functions that globals of the guest call. The clock does not stop for them, and goes on as if they were not
    /// called.
    services: HashSet<u32>,
}

impl LimitedTools {
    /// The tools that a session has from its beginning.
    pub fn new(config: &Config) -> Self {
        let services = config.services.iter().filter(|service| !service.is_request()).map(|service| service.id);
        let mut tools = Self { limited: HashSet::new(), services: services.collect() };
        tools.add(config.modules.iter().flat_map(|module| match &module.body {
            ModuleBody::Source(_) => [].as_slice(),
            ModuleBody::Exports { functions, .. } => functions,
        }));
        tools
    }

    pub fn add<'a>(&mut self, tools: impl IntoIterator<Item = &'a ToolSpec>) {
        for tool in tools {
            if tool.is_limited {
                self.limited.insert(tool.id);
            } else {
                self.limited.remove(&tool.id);
            }
        }
    }

    /// Whether the clock of a run can stop. `limits_calls`: all calls of the run have a time limit.
    pub fn may_stop_clock(&self, limits_calls: bool) -> bool {
        limits_calls || !self.limited.is_empty()
    }

    /// Reports calls of a run to its clock.
    pub fn on_calls(&self, clock: &mut RunClock, calls: &[ToolCall]) {
        for call in calls.iter().filter(|call| !self.services.contains(&call.tool)) {
            clock.on_call(call.id, self.limited.contains(&call.tool));
        }
    }
}
