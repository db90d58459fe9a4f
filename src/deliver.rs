//! Deliveries to the facade: outcomes, tool calls and log entries.

use napi::bindgen_prelude::{Float64Array, JsValuesTupleIntoVec, ToNapiValue, Uint8Array, Uint32Array};
use napi::{Result, sys};
use napi_derive::napi;
use serde_json::Value;

use ses_protocol::{Failure, LogEntry, LogIndex, Outcome, Report, Success, ToolCall};
use ses_session::Delivery;

use crate::numbers::{delivery, ending};
use crate::values::{NativeValue, push_values, rust_text};

/// The outcome of a call that was decided immediately. Without `error`: success.
#[napi(object, object_from_js = false)]
pub struct NativeOutcome {
    pub error: Option<NativeError>,
}

/// A failure as the fields of `ExecutorError`. `details` is JSON text.
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
    fn from(outcome: Outcome) -> Self {
        Self { error: outcome.result.err().map(Into::into) }
    }
}

impl From<Failure> for NativeError {
    fn from(failure: Failure) -> Self {
        Self {
            code: failure.kind.code(),
            severity: failure.kind.severity(),
            retryable: failure.kind.retryable(),
            message: failure.kind.message(),
            tool_call_id: failure.tool_call.map(|call| call as f64),
            details: Value::Object(failure.details).to_string(),
        }
    }
}

/// The number of positional arguments for a tool call with two arguments.
const USUAL_ARGS: usize = 6;

/// A call of the `deliver` callback. Its positional arguments are the executor's number, the kind of the delivery, and
/// the parts of that kind.
pub struct DeliveryCall {
    pub executor: u64,
    pub delivery: Delivery,
}

impl JsValuesTupleIntoVec for DeliveryCall {
    fn into_vec(self, env: sys::napi_env) -> Result<Vec<sys::napi_value>> {
        let Delivery { settled, tool_calls, logs } = self.delivery;
        // SAFETY: napi passes the live environment of the thread that this runs on.
        unsafe {
            let executor = f64::to_napi_value(env, self.executor as f64)?;
            if let Some((call, outcome)) = settled {
                return settled_args(env, executor, call, *outcome);
            }
            if !tool_calls.is_empty() {
                return tool_calls_args(env, executor, tool_calls);
            }
            if logs.is_empty() {
                return Ok(vec![executor, u32::to_napi_value(env, delivery::NOTHING)?]);
            }
            let (logs, index) = joined(&logs);
            let mut args = vec![executor, u32::to_napi_value(env, delivery::LOGS)?];
            push_logs(env, logs, index, &mut args)?;
            Ok(args)
        }
    }
}

/// `executor, 1`, then for each call: call, tool, isAsync, and its arguments as in [`push_values`].
///
/// # Safety
///
/// `env` is the live environment of the calling thread.
unsafe fn tool_calls_args(
    env: sys::napi_env,
    executor: sys::napi_value,
    calls: Vec<ToolCall>,
) -> Result<Vec<sys::napi_value>> {
    // SAFETY: the caller's contract.
    unsafe {
        let mut args = Vec::with_capacity(2 + calls.len() * USUAL_ARGS);
        args.extend([executor, u32::to_napi_value(env, delivery::TOOL_CALLS)?]);
        for ToolCall { id, tool, is_async, args: values, .. } in calls {
            args.push(f64::to_napi_value(env, id as f64)?);
            args.push(u32::to_napi_value(env, tool)?);
            args.push(bool::to_napi_value(env, is_async)?);
            push_values(env, values, &mut args)?;
        }
        Ok(args)
    }
}

/// `executor, 0, call, ending, payload`. For runs, the figures follow, and the log entries if there are any. The
/// arguments are positional, because it costs several times as much to make an object property by property through
/// Node-API.
///
/// # Safety
///
/// `env` is the live environment of the calling thread.
unsafe fn settled_args(
    env: sys::napi_env,
    executor: sys::napi_value,
    call: f64,
    Outcome { result, report }: Outcome,
) -> Result<Vec<sys::napi_value>> {
    // SAFETY: the caller's contract.
    unsafe {
        let (how, payload) = match result {
            Ok(Success::Done) => (ending::DONE, <()>::to_napi_value(env, ())?),
            Ok(Success::Output { value, is_final_answer }) => (
                if is_final_answer { ending::FINAL } else { ending::VALUE },
                NativeValue::to_napi_value(env, NativeValue(value))?,
            ),
            Err(failure) => (ending::ERROR, NativeError::to_napi_value(env, failure.into())?),
        };
        let mut args = Vec::with_capacity(13);
        args.extend([executor, u32::to_napi_value(env, delivery::SETTLED)?, f64::to_napi_value(env, call)?]);
        args.extend([u32::to_napi_value(env, how)?, payload]);
        let Some(Report { logs, log_index, duration_ms, figures }) = report else { return Ok(args) };
        args.push(f64::to_napi_value(env, duration_ms)?);
        for figure in [figures.operations, figures.tool_calls, figures.heap_used_bytes] {
            args.push(f64::to_napi_value(env, figure as f64)?);
        }
        if !log_index.levels.is_empty() {
            push_logs(env, logs, log_index, &mut args)?;
        }
        Ok(args)
    }
}

/// The entries as the text of a log, with their positions in the text.
fn joined(entries: &[LogEntry]) -> (String, LogIndex) {
    let mut logs = String::with_capacity(entries.iter().map(|entry| entry.message.len() + 1).sum());
    let mut index = LogIndex::default();
    entries.iter().for_each(|entry| index.push(&mut logs, entry));
    (logs, index)
}

/// Adds the entries of a log: text, levels, times, lengths.
///
/// # Safety
///
/// As for [`settled_args`].
unsafe fn push_logs(env: sys::napi_env, logs: String, index: LogIndex, args: &mut Vec<sys::napi_value>) -> Result<()> {
    let LogIndex { levels, at_ms, lengths } = index;
    // SAFETY: the caller's contract.
    unsafe {
        args.push(rust_text(env, &logs)?);
        args.push(Uint8Array::to_napi_value(env, Uint8Array::new(levels))?);
        args.push(Float64Array::to_napi_value(env, Float64Array::new(at_ms))?);
        args.push(Uint32Array::to_napi_value(env, Uint32Array::new(lengths))?);
    }
    Ok(())
}
