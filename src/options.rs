// Generated from lib/contract/option-table.ts by scripts/generate.mjs. Do not edit: run `npm run generate`.
//! The options of executors as JavaScript passes them.

use napi::bindgen_prelude::{Array, FromNapiValue};
use napi::{Error, Result, Status, sys};
use napi_derive::napi;
use ses_protocol::{Config, LEVELS};

use crate::arguments::{NativeModule, NativeTool, language};

/// A list, in the order of the table. Reading this many properties by name would take a tenth of the time for making an
/// executor.
pub struct NativeOptions {
    pub max_operations: f64,
    pub timeout_ms: f64,
    pub run_concurrency: String,
    pub max_queued_runs: f64,
    pub authorized_imports: Vec<String>,
    pub max_log_bytes: f64,
    pub collect_console_levels: Vec<String>,
    pub memory_limit_mb: f64,
    pub max_code_bytes: f64,
    pub max_tool_calls: f64,
    pub max_concurrent_tool_calls: f64,
    pub max_transfer_bytes: f64,
    pub harden_tool_results: bool,
    pub keep_state: bool,
    pub max_cpu_ms: Option<f64>,
    pub owner: String,
    pub max_parked_mb: f64,
    pub warm_pool: Option<f64>,
    pub language: String,
    pub modules: Vec<NativeModule>,
    pub globals: Vec<String>,
    pub services: Vec<NativeTool>,
    pub stream_logs: bool,
}

impl FromNapiValue for NativeOptions {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> Result<Self> {
        // SAFETY: the caller's contract is the same.
        let parts = unsafe { Array::from_napi_value(env, value) }?;
        Ok(Self {
            max_operations: part(&parts, 0)?,
            timeout_ms: part(&parts, 1)?,
            run_concurrency: part(&parts, 2)?,
            max_queued_runs: part(&parts, 3)?,
            authorized_imports: part(&parts, 4)?,
            max_log_bytes: part(&parts, 5)?,
            collect_console_levels: part(&parts, 6)?,
            memory_limit_mb: part(&parts, 7)?,
            max_code_bytes: part(&parts, 8)?,
            max_tool_calls: part(&parts, 9)?,
            max_concurrent_tool_calls: part(&parts, 10)?,
            max_transfer_bytes: part(&parts, 11)?,
            harden_tool_results: part(&parts, 12)?,
            keep_state: part(&parts, 13)?,
            max_cpu_ms: part(&parts, 14)?,
            owner: part(&parts, 15)?,
            max_parked_mb: part(&parts, 16)?,
            warm_pool: part(&parts, 17)?,
            language: part(&parts, 18)?,
            modules: part(&parts, 19)?,
            globals: part(&parts, 20)?,
            services: part(&parts, 21)?,
            stream_logs: part(&parts, 22)?,
        })
    }
}

fn part<T: FromNapiValue>(parts: &Array, index: u32) -> Result<T> {
    parts.get(index)?.ok_or_else(|| Error::new(Status::InvalidArg, format!("option {index} is missing")))
}

/// The options that VALIDATE and TRANSFORM depend on.
#[napi(object, object_to_js = false)]
pub struct NativePrepareOptions {
    pub max_operations: f64,
    pub timeout_ms: f64,
    pub authorized_imports: Vec<String>,
    pub max_log_bytes: f64,
    pub max_code_bytes: f64,
    pub language: String,
    pub globals: Vec<String>,
}

impl From<NativeOptions> for Config {
    fn from(options: NativeOptions) -> Self {
        Self {
            max_operations: options.max_operations,
            timeout_ms: options.timeout_ms,
            queue_runs: options.run_concurrency == "queue",
            max_queued_runs: options.max_queued_runs as usize,
            authorized_imports: options.authorized_imports,
            max_log_bytes: options.max_log_bytes as usize,
            levels: LEVELS.map(|level| options.collect_console_levels.iter().any(|name| name == level)),
            memory_limit_bytes: (options.memory_limit_mb * f64::from(1 << 20)) as usize,
            max_code_bytes: options.max_code_bytes as usize,
            max_tool_calls: options.max_tool_calls as u64,
            max_concurrent_tool_calls: options.max_concurrent_tool_calls as usize,
            max_transfer_bytes: options.max_transfer_bytes as usize,
            harden_tool_results: options.harden_tool_results,
            keep_state: options.keep_state,
            max_cpu_ms: options.max_cpu_ms,
            owner: options.owner,
            max_parked_bytes: (options.max_parked_mb * f64::from(1 << 20)) as usize,
            warm_pool: options.warm_pool.map(|value| value as usize),
            language: language(&options.language),
            modules: options.modules.into_iter().map(Into::into).collect(),
            globals: options.globals,
            services: options.services.into_iter().map(Into::into).collect(),
            stream_logs: options.stream_logs,
        }
    }
}
