//! Adds to programs of `SandboxManager` the code that they need, on a thread of Node.js's pool. The programs need not
//! have been checked before.

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Result, Task};
use napi_derive::napi;

use ses_prepare::{CallStyle, PrepareOptions, SdkProgramKind, SdkProgramRequest};
use ses_protocol::Language;

/// `kit`: the global through which insertions reach the preparation of the isolate.
#[napi(object, object_to_js = false)]
pub struct NativeSdkProgramRequest {
    pub code: String,
    pub kit: String,
    #[napi(ts_type = "'search' | 'execute' | 'mutate'")]
    pub kind: String,
    #[napi(ts_type = "'auto' | 'sync' | 'async'")]
    pub style: String,
}

/// `at` is a position in UTF-16 units.
#[napi(object, object_from_js = false)]
pub struct NativeInsertion {
    pub at: u32,
    pub text: String,
}

#[napi(object, object_from_js = false)]
pub struct NativeSdkProgram {
    #[napi(ts_type = "'sync' | 'async'")]
    pub style: &'static str,
    pub insertions: Vec<NativeInsertion>,
}

/// One request, on a thread of the pool.
pub struct SdkProgramTask {
    code: String,
    request: SdkProgramRequest,
}

impl Task for SdkProgramTask {
    type Output = NativeSdkProgram;
    type JsValue = NativeSdkProgram;

    fn compute(&mut self) -> Result<Self::Output> {
        let options = PrepareOptions { language: Language::Auto, ..PrepareOptions::unlimited() };
        let program = ses_prepare::sdk_program(&self.code, &self.request, &options);
        let (mut bytes, mut units) = (0, 0);
        let insertions = program.insertions.into_iter().map(|insertion| {
            // The insertions are in order, so the text is measured once.
            units += self.code.get(bytes..insertion.at).map_or(0, |part| part.encode_utf16().count());
            bytes = insertion.at;
            NativeInsertion { at: units as u32, text: insertion.text }
        });
        let style = if program.style == CallStyle::Sync { "sync" } else { "async" };
        Ok(NativeSdkProgram { style, insertions: insertions.collect() })
    }

    fn resolve(&mut self, _: Env, output: Self::Output) -> Result<Self::JsValue> {
        Ok(output)
    }
}

/// Adds to a program the code that it needs to call the SDK.
#[napi(ts_return_type = "Promise<NativeSdkProgram>")]
pub fn sdk_program(request: NativeSdkProgramRequest) -> AsyncTask<SdkProgramTask> {
    let NativeSdkProgramRequest { code, kit, kind, style } = request;
    let kind = match kind.as_str() {
        "search" => SdkProgramKind::Search,
        "mutate" => SdkProgramKind::Mutate,
        _ => SdkProgramKind::Execute,
    };
    let style = match style.as_str() {
        "sync" => Some(CallStyle::Sync),
        "async" => Some(CallStyle::Async),
        _ => None,
    };
    AsyncTask::new(SdkProgramTask { code, request: SdkProgramRequest { kit, kind, style } })
}
