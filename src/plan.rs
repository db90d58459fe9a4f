//! The tools that a program can call, from its text alone.

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Result, Task};
use napi_derive::napi;

use ses_prepare::{PlanRequest, PrepareOptions};

use crate::options::NativePrepareOptions;

/// `tools`: the keys from the global to each tool. `earlier`: the programs that the session has run, if they are known.
/// `front`: the name of a function that calls the value of the program.
#[napi(object, object_to_js = false)]
pub struct NativePlanRequest {
    pub tools: Vec<Vec<String>>,
    pub earlier: Option<Vec<String>>,
    pub front: Option<String>,
}

/// The plan of a program as JSON. The caller waits.
#[napi]
pub fn plan_program(code: String, request: NativePlanRequest, options: NativePrepareOptions) -> String {
    ses_prepare::plan(&code, &request.into(), &options.into())
}

/// The same on a thread of the pool.
#[napi(ts_return_type = "Promise<string>")]
pub fn plan_program_later(
    code: String,
    request: NativePlanRequest,
    options: NativePrepareOptions,
) -> AsyncTask<PlanTask> {
    AsyncTask::new(PlanTask { code, request: request.into(), options: options.into() })
}

/// One plan, on a thread of the pool.
pub struct PlanTask {
    code: String,
    request: PlanRequest,
    options: PrepareOptions,
}

impl Task for PlanTask {
    type Output = String;
    type JsValue = String;

    fn compute(&mut self) -> Result<Self::Output> {
        Ok(ses_prepare::plan(&self.code, &self.request, &self.options))
    }

    fn resolve(&mut self, _: Env, output: Self::Output) -> Result<Self::JsValue> {
        Ok(output)
    }
}

impl From<NativePlanRequest> for PlanRequest {
    fn from(request: NativePlanRequest) -> Self {
        let NativePlanRequest { tools, earlier, front } = request;
        Self { tools, earlier, front }
    }
}
