//! Options of one executor, checked by the facade and fixed at construction.

use crate::{LEVELS, Language};

/// What `new SESExecutor(options)` fixed.
#[derive(Debug)]
pub struct Config {
    /// Guarded loop iterations per run; may be invalid, which `prepare` then reports.
    pub max_operations: f64,
    /// Deadline of a run in milliseconds; may be invalid, which `prepare` then reports.
    pub timeout_ms: f64,
    /// `runConcurrency: "queue"`; else a second run is refused.
    pub queue_runs: bool,
    pub max_queued_runs: usize,
    pub authorized_imports: Vec<String>,
    /// UTF-8 bytes of log text that one run may leave.
    pub max_log_bytes: usize,
    /// Console levels that are collected, by the index in [`LEVELS`].
    pub levels: [bool; LEVELS.len()],
    /// One budget for heap and array buffers, in bytes.
    pub memory_limit_bytes: usize,
    /// UTF-8 bytes of code that one run may have.
    pub max_code_bytes: usize,
    /// Tool calls that one run may make.
    pub max_tool_calls: u64,
    /// Calls of asynchronous tools that the host works on at the same time; further ones wait their turn.
    pub max_concurrent_tool_calls: usize,
    /// Bytes of wire that one value may take, and that the arguments of all unanswered calls may take together.
    pub max_transfer_bytes: usize,
    /// Processor time of a run on the isolate's thread, in milliseconds; absent: not limited.
    pub max_cpu_ms: Option<f64>,
    /// Parked isolates in the process from which on no further isolate is made.
    pub max_parked_isolates: usize,
    /// Isolates that the process keeps ready; absent: as many as before.
    pub warm_pool: Option<usize>,
    /// Whether log entries are reported while the run goes on.
    pub stream_logs: bool,
    pub modules: Vec<ModuleSpec>,
    /// Of guest code, unless a run says otherwise, and of the texts in `modules`.
    pub language: Language,
}

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
    /// `values`: wire of an array, in the order of `names`; `functions`: path[0] is the export.
    Exports { names: Vec<String>, values: Vec<u8>, functions: Vec<ToolSpec> },
}

/// A host function that guests can call.
#[derive(Clone, Debug)]
pub struct ToolSpec {
    /// Namespace keys from the global down to the function's own name.
    pub path: Vec<String>,
    pub id: u32,
    /// Gives the guest a promise at once; else the guest waits for the call to return.
    pub is_async: bool,
    /// `Function.prototype.length` of the host's function.
    pub length: u32,
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
    /// Processor time; absent: not limited.
    pub cpu_ms: Option<f64>,
    pub language: Language,
}
