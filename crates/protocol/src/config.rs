//! Parts of the options of executors and runs.

use crate::Language;

/// An authorized module that the host provides.
#[derive(Debug)]
pub struct ModuleSpec {
    pub specifier: String,
    pub body: ModuleBody,
}

#[derive(Debug)]
pub enum ModuleBody {
    /// Source text of an ES module.
    Source(String),
    /// `values`: serialized bytes of an array, in the order of `names`. `functions`: `path[0]` is the name of the
    /// export.
    Exports { names: Vec<String>, values: Vec<u8>, functions: Vec<ToolSpec> },
}

/// A host function that guests can call.
#[derive(Clone, Debug)]
pub struct ToolSpec {
    /// Namespace keys from the global down to the function's own name.
    pub path: Vec<String>,
    pub id: u32,
    /// The guest receives a promise immediately. Otherwise it waits until the call returns.
    pub is_async: bool,
    /// `Function.prototype.length` of the host's function.
    pub length: u32,
    /// Each call of the tool is answered within a time limit, whatever the limits of the run are.
    pub is_limited: bool,
}

impl ToolSpec {
    /// The name shown to people: `Host.readDoc`.
    pub fn display_name(&self) -> String {
        self.path.join(".")
    }
}

/// Limits of one run, and the language of its code.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits {
    pub max_operations: f64,
    pub timeout_ms: f64,
    /// Limit of the processor time. Absent: no limit.
    pub cpu_ms: Option<f64>,
    /// The isolate reports when the guest only waits for tool calls ([`crate::Event::Idle`]).
    pub reports_waits: bool,
    pub language: Language,
}
