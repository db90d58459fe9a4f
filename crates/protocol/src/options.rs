// Generated from lib/contract/option-table.ts by scripts/generate.mjs. Do not edit: run `npm run generate`.
//! What the facade has checked and passes on.

use crate::{LEVELS, Language, ModuleSpec, frames};

/// What `new SESExecutor(options)` fixed.
#[derive(Debug)]
pub struct Config {
    /// Guarded loop iterations per run; may be invalid, which `prepare` then reports.
    pub max_operations: f64,
    /// Deadline of a run in milliseconds; may be invalid, which `prepare` then reports.
    pub timeout_ms: f64,
    /// `runConcurrency: "queue"`; else a second run is refused.
    pub queue_runs: bool,
    /// How many calls of `run()`, `sendVariables()` and `sendTools()` may wait for their turn. Another call fails
    /// with `ERR_INVALID_STATE`. Only used with `runConcurrency: "queue"`.
    pub max_queued_runs: usize,
    /// Names of the modules that guest code may `import()`. Names are compared exactly (section 5.3). Empty strings
    /// are not allowed.
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
    /// How many tool calls of a run the host handles at the same time, for tools that are `async` or return
    /// promises. Further calls wait for their turn. Whether a function that is not `async` returns promises is
    /// known after its first call, which therefore does not wait. Calls that earlier runs have abandoned do not
    /// count.
    pub max_concurrent_tool_calls: usize,
    /// Bytes of wire that one value may take, and that the arguments of all unanswered calls may take together.
    pub max_transfer_bytes: usize,
    /// Results of tools are hardened, as variables are.
    pub harden_tool_results: bool,
    /// A run that is ended early is asked to end first, so that the isolate can go on.
    pub keep_state: bool,
    /// Processor time of a run on the isolate's thread, in milliseconds; absent: not limited.
    pub max_cpu_ms: Option<f64>,
    /// Whose executor this is.
    pub owner: String,
    /// Memory of isolates that are parked or do not end, of this owner, from which on no further isolate is made,
    /// in bytes.
    pub max_parked_bytes: usize,
    /// Isolates that are kept ready; absent: those of the default engine.
    pub warm_pool: Option<usize>,
    /// Of guest code, unless a run says otherwise, and of the texts in `modules`.
    pub language: Language,
    /// Modules that guest code can import if `authorizedImports` contains their names. A source text may have up to
    /// 8 MiB. reports/libraries.md in the repository lists npm libraries that work.
    ///
    /// The constructor clones exported values. It throws a `TypeError` with the path of a value that cannot be
    /// cloned.
    pub modules: Vec<ModuleSpec>,
    /// Whether log entries are reported while the run goes on.
    pub stream_logs: bool,
}

frames::record!(Config {
    max_operations,
    timeout_ms,
    queue_runs,
    max_queued_runs,
    authorized_imports,
    max_log_bytes,
    levels,
    memory_limit_bytes,
    max_code_bytes,
    max_tool_calls,
    max_concurrent_tool_calls,
    max_transfer_bytes,
    harden_tool_results,
    keep_state,
    max_cpu_ms,
    owner,
    max_parked_bytes,
    warm_pool,
    language,
    modules,
    stream_logs
});

/// An option's bounds, both inclusive, and what holds if it is absent.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    pub min: f64,
    pub max: f64,
    pub default: f64,
}

impl Range {
    /// Whether a value is an integer within the bounds.
    pub fn takes(&self, value: f64) -> bool {
        value.fract() == 0.0 && (self.min..=self.max).contains(&value)
    }
}

/// Bounds and default of `maxOperations`, of which any number is taken: VALIDATE reports those that are not valid.
pub const MAX_OPERATIONS: Range = Range { min: 1.0, max: 9007199254740991.0, default: 50000.0 };

/// Bounds and default of `timeoutMs`, of which any number is taken: VALIDATE reports those that are not valid.
pub const TIMEOUT_MS: Range = Range { min: 1.0, max: 2147483647.0, default: 10000.0 };
