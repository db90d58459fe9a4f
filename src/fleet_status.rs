//! What the workers of a fleet say about themselves.

use std::time::Duration;

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Error, Result, Task};
use napi_derive::napi;

use ses_remote::{StatusRequest, statuses};

use crate::arguments::NativeFleet;

pub struct Asking(Option<StatusRequest>);

impl Task for Asking {
    type Output = Vec<String>;
    type JsValue = Vec<String>;

    fn compute(&mut self) -> Result<Vec<String>> {
        let request = self.0.take().ok_or_else(|| Error::from_reason("it was asked already"))?;
        statuses(request).map_err(Error::from_reason)
    }

    fn resolve(&mut self, _env: Env, answers: Vec<String>) -> Result<Vec<String>> {
        Ok(answers)
    }
}

/// The answers of all workers of a pool, as JSON texts. `timeout_ms`: how long the first answer may take.
#[napi(ts_return_type = "Promise<string[]>")]
pub fn fleet_status(fleet: NativeFleet, timeout_ms: f64) -> AsyncTask<Asking> {
    let request = StatusRequest { fleet: fleet.into(), timeout: Duration::from_millis(timeout_ms as u64) };
    AsyncTask::new(Asking(Some(request)))
}
