//! What is delivered to the facade.

use napi::bindgen_prelude::{Float64Array, JsValuesTupleIntoVec, ToNapiValue, Uint8Array, Uint32Array};
use napi::{Result, sys};
use napi_derive::napi;
use serde_json::Value;

use super::values::{NativeValue, push_values};
use crate::executor::LEVELS;
use crate::executor::failure::Failure;
use crate::executor::logs::LogEntry;
use crate::executor::messages::{Delivery, Outcome, Report, Stats, Success, ToolCall};

/// How a call ended: `error`, or a value on success.
#[napi(object, object_from_js = false)]
pub struct NativeOutcome {
    /// "ok", "value", "final" or "error".
    pub kind: &'static str,
    pub value: Option<NativeValue>,
    pub logs: Option<String>,
    /// Per entry of the log: index of its level, milliseconds since the Unix epoch, UTF-16 units in `logs`.
    pub log_levels: Option<Uint8Array>,
    pub log_times: Option<Float64Array>,
    pub log_lengths: Option<Uint32Array>,
    pub stats: Option<NativeStats>,
    pub error: Option<NativeError>,
}

/// One console call.
#[napi(object, object_from_js = false)]
pub struct NativeLog {
    pub level: &'static str,
    pub message: String,
    /// Milliseconds since the Unix epoch.
    pub ts: f64,
}

/// Figures of one run.
#[napi(object, object_from_js = false)]
pub struct NativeStats {
    pub duration_ms: f64,
    pub operations: f64,
    pub tool_calls: f64,
    pub heap_used_bytes: f64,
}

/// A failure as fields of `ExecutorError`; `details` is JSON text.
#[napi(object, object_from_js = false)]
pub struct NativeError {
    pub code: &'static str,
    pub severity: &'static str,
    pub retryable: bool,
    pub message: String,
    pub details: String,
    pub tool_call_id: Option<f64>,
}

impl From<Outcome> for NativeOutcome {
    fn from(Outcome { result, report }: Outcome) -> Self {
        let (kind, value, error) = match result {
            Ok(Success::Done) => ("ok", None, None),
            Ok(Success::Output { value, is_final_answer: false }) => ("value", Some(value), None),
            Ok(Success::Output { value, is_final_answer: true }) => ("final", Some(value), None),
            Err(failure) => ("error", None, Some(failure.into())),
        };
        let mut outcome = Self {
            kind,
            value: value.map(NativeValue),
            logs: None,
            log_levels: None,
            log_times: None,
            log_lengths: None,
            stats: None,
            error,
        };
        if let Some(Report { logs, log_index, stats }) = report {
            outcome.logs = Some(logs);
            outcome.log_levels = Some(Uint8Array::new(log_index.levels));
            outcome.log_times = Some(Float64Array::new(log_index.at_ms));
            outcome.log_lengths = Some(Uint32Array::new(log_index.lengths));
            outcome.stats = Some(stats.into());
        }
        outcome
    }
}

impl From<Failure> for NativeError {
    fn from(failure: Failure) -> Self {
        Self {
            code: failure.code(),
            severity: failure.severity(),
            retryable: failure.retryable(),
            message: failure.message(),
            tool_call_id: failure.tool_call.map(|call| call as f64),
            details: Value::Object(failure.details).to_string(),
        }
    }
}

impl From<LogEntry> for NativeLog {
    fn from(LogEntry { level, message, at_ms }: LogEntry) -> Self {
        Self { level: LEVELS[level], message, ts: at_ms }
    }
}

impl From<Stats> for NativeStats {
    fn from(Stats { duration_ms, operations, tool_calls, heap_used_bytes }: Stats) -> Self {
        Self { duration_ms, operations, tool_calls, heap_used_bytes }
    }
}

/// Positional arguments of the `deliver` callback: the kind, then what the kind carries.
pub enum DeliverArgs {
    Nothing,
    One(Delivery),
    /// Call, tool, isAsync, then as [`push_values`], and so on.
    ToolCalls(Vec<ToolCall>),
}

impl JsValuesTupleIntoVec for DeliverArgs {
    fn into_vec(self, env: sys::napi_env) -> Result<Vec<sys::napi_value>> {
        // SAFETY: napi passes the live environment of the thread that this runs on.
        unsafe {
            Ok(match self {
                Self::One(Delivery::Settled { call, outcome }) => vec![
                    u32::to_napi_value(env, 0)?,
                    f64::to_napi_value(env, call)?,
                    NativeOutcome::to_napi_value(env, (*outcome).into())?,
                ],
                Self::One(Delivery::ToolCall(call)) => Self::ToolCalls(vec![call]).into_vec(env)?,
                Self::ToolCalls(calls) => {
                    let mut args = vec![u32::to_napi_value(env, 1)?];
                    for ToolCall { id, tool, is_async, args: values } in calls {
                        args.push(f64::to_napi_value(env, id as f64)?);
                        args.push(u32::to_napi_value(env, tool)?);
                        args.push(bool::to_napi_value(env, is_async)?);
                        push_values(env, values, &mut args)?;
                    }
                    args
                }
                Self::One(Delivery::Logs(entries)) => vec![
                    u32::to_napi_value(env, 2)?,
                    Vec::<NativeLog>::to_napi_value(env, entries.into_iter().map(Into::into).collect())?,
                ],
                Self::Nothing => vec![u32::to_napi_value(env, 3)?],
            })
        }
    }
}
