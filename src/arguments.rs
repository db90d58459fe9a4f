//! Arguments of the facade, checked there already.

use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;

use ses_protocol::{Config, LEVELS, Language, ModuleBody, ModuleSpec, ToolSpec};

#[napi(object, object_to_js = false)]
pub struct NativeOptions {
    pub max_operations: f64,
    pub timeout_ms: f64,
    pub queue: bool,
    pub max_queued_runs: f64,
    pub authorized_imports: Vec<String>,
    pub max_log_bytes: f64,
    pub levels: Vec<String>,
    pub memory_limit_mb: f64,
    pub stream_logs: bool,
    pub max_code_bytes: f64,
    pub max_tool_calls: f64,
    pub max_concurrent_tool_calls: f64,
    pub max_transfer_bytes: f64,
    pub max_cpu_ms: Option<f64>,
    pub max_parked_isolates: f64,
    pub warm_pool: Option<f64>,
    pub modules: Vec<NativeModule>,
    pub language: String,
}

/// A host function: `path` leads from the global to it.
#[napi(object, object_to_js = false)]
pub struct NativeTool {
    pub path: Vec<String>,
    pub id: u32,
    pub is_async: bool,
    pub length: u32,
}

/// An ES module: `source`, or `names` and `values` (wire of an array) and `functions`.
#[napi(object, object_to_js = false)]
pub struct NativeModule {
    pub specifier: String,
    pub source: Option<String>,
    pub names: Option<Vec<String>>,
    pub values: Option<Uint8Array>,
    pub functions: Option<Vec<NativeTool>>,
}

impl From<NativeOptions> for Config {
    fn from(options: NativeOptions) -> Self {
        Self {
            max_operations: options.max_operations,
            timeout_ms: options.timeout_ms,
            queue_runs: options.queue,
            max_queued_runs: options.max_queued_runs as usize,
            authorized_imports: options.authorized_imports,
            max_log_bytes: options.max_log_bytes as usize,
            levels: LEVELS.map(|level| options.levels.iter().any(|name| name == level)),
            memory_limit_bytes: (options.memory_limit_mb * f64::from(1 << 20)) as usize,
            stream_logs: options.stream_logs,
            max_code_bytes: options.max_code_bytes as usize,
            max_tool_calls: options.max_tool_calls as u64,
            max_concurrent_tool_calls: options.max_concurrent_tool_calls as usize,
            max_transfer_bytes: options.max_transfer_bytes as usize,
            max_cpu_ms: options.max_cpu_ms,
            max_parked_isolates: options.max_parked_isolates as usize,
            warm_pool: options.warm_pool.map(|count| count as usize),
            modules: options.modules.into_iter().map(Into::into).collect(),
            language: language(&options.language),
        }
    }
}

/// The facade lets no other names through.
pub fn language(name: &str) -> Language {
    Language::named(name).unwrap_or_default()
}

impl From<NativeTool> for ToolSpec {
    fn from(NativeTool { path, id, is_async, length }: NativeTool) -> Self {
        Self { path, id, is_async, length }
    }
}

impl From<NativeModule> for ModuleSpec {
    fn from(module: NativeModule) -> Self {
        let body = match module.source {
            Some(source) => ModuleBody::Source(source),
            None => ModuleBody::Exports {
                names: module.names.unwrap_or_default(),
                values: module.values.map(|bytes| bytes.to_vec()).unwrap_or_default(),
                functions: module.functions.unwrap_or_default().into_iter().map(Into::into).collect(),
            },
        };
        Self { specifier: module.specifier, body }
    }
}
