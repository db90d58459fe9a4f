// Generated from lib/contract/option-table.ts by scripts/generate.mjs. Do not edit: run `npm run generate`.
//! Options that the facade has checked.

use crate::{LEVELS, Language, ModuleSpec, ToolSpec, encoding};

/// The options of one executor, fixed when it was constructed.
#[derive(Debug)]
pub struct Config {
    /// Guarded loop iterations per run. May be invalid: `prepare` reports that.
    pub max_operations: f64,
    /// Deadline of a run in milliseconds. May be invalid: `prepare` reports that.
    pub timeout_ms: f64,
    /// Whether `runConcurrency` is `"queue"`. Otherwise a second run is refused.
    pub queue_runs: bool,
    /// How many calls of `run()`, `sendVariables()` and `sendTools()` may wait in the queue. Another call fails
    /// with `ERR_INVALID_STATE`. Only used with `runConcurrency: "queue"`.
    pub max_queued_runs: usize,
    /// Names of the modules that guest code may `import()`. Names are compared exactly (section 5.3). Empty strings
    /// are not allowed.
    pub authorized_imports: Vec<String>,
    /// Maximum number of UTF-8 bytes in the log of one run.
    pub max_log_bytes: usize,
    /// Console levels that are collected, by the index in [`LEVELS`].
    pub levels: [bool; LEVELS.len()],
    /// Limit for heap and array buffers together, in bytes.
    pub memory_limit_bytes: usize,
    /// Maximum number of UTF-8 bytes in the code of one run.
    pub max_code_bytes: usize,
    /// Maximum number of tool calls in one run.
    pub max_tool_calls: u64,
    /// How many tool calls of a run the host handles at the same time, for tools that are `async` or return
    /// promises. Further calls wait. The first call shows whether a function that is not `async` returns promises,
    /// so this call does not wait. Calls that earlier runs have abandoned do not count.
    pub max_concurrent_tool_calls: usize,
    /// Maximum serialized size of one value in bytes, and of the arguments of all unanswered calls together.
    pub max_transfer_bytes: usize,
    /// Whether results of tools are hardened, as variables are.
    pub harden_tool_results: bool,
    /// Whether a run that must end early is first asked to end by itself, so that the isolate can go on.
    pub keep_state: bool,
    /// Limit of a run's processor time on the isolate's thread, in milliseconds. Absent: no limit.
    pub max_cpu_ms: Option<f64>,
    /// Name of the tenant that the executor belongs to.
    pub owner: String,
    /// If isolates of this owner that are parked or do not end hold this many bytes, no further isolate is made.
    pub max_parked_bytes: usize,
    /// Number of isolates that are kept ready. Absent: the number of the default engine.
    pub warm_pool: Option<usize>,
    /// Language of guest code, unless a run sets another one, and of the sources in `modules`.
    pub language: Language,
    /// Modules that guest code can import if `authorizedImports` contains their names. A source text may have up to
    /// 8 MiB. reports/libraries.md in the repository lists npm libraries that work.
    ///
    /// The constructor clones exported values. It throws a `TypeError` with the path of a value that cannot be
    /// cloned.
    pub modules: Vec<ModuleSpec>,
    /// Additional globals for guest code, in groups.
    pub globals: Vec<String>,
    /// Functions of the host that `globals` need, by the names in their paths.
    pub services: Vec<ToolSpec>,
    /// Whether log entries are reported while the run is in progress.
    pub stream_logs: bool,
}

encoding::record!(Config {
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
    globals,
    services,
    stream_logs
});

/// The bounds of an option, both inclusive, and its default.
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

/// Bounds and default of `maxOperations`, which accepts any number: VALIDATE reports invalid ones.
pub const MAX_OPERATIONS: Range = Range { min: 1.0, max: 9007199254740991.0, default: 50000.0 };

/// Bounds and default of `timeoutMs`, which accepts any number: VALIDATE reports invalid ones.
pub const TIMEOUT_MS: Range = Range { min: 1.0, max: 2147483647.0, default: 10000.0 };
