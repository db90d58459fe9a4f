//! Adds the parts of a sandbox to programs, on a thread of Node.js's pool. The programs need not have been checked
//! before.

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Result, Task};
use napi_derive::napi;

use ses_prepare::{CallStyle, PrepareOptions, SandboxKind, SandboxRequest};
use ses_protocol::Language;

/// `kit`: the global through which insertions reach the sandbox.
#[napi(object, object_to_js = false)]
pub struct NativeSandboxRequest {
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
pub struct NativeSandboxProgram {
    #[napi(ts_type = "'sync' | 'async'")]
    pub style: &'static str,
    pub insertions: Vec<NativeInsertion>,
}

/// One request, on a thread of the pool.
pub struct SandboxTask {
    code: String,
    request: SandboxRequest,
}

impl Task for SandboxTask {
    type Output = NativeSandboxProgram;
    type JsValue = NativeSandboxProgram;

    fn compute(&mut self) -> Result<Self::Output> {
        let options = PrepareOptions { language: Language::Auto, ..PrepareOptions::unlimited() };
        let program = ses_prepare::sandbox_program(&self.code, &self.request, &options);
        let (mut bytes, mut units) = (0, 0);
        let insertions = program.insertions.into_iter().map(|insertion| {
            // The insertions are in order, so the text is measured once.
            units += self.code.get(bytes..insertion.at).map_or(0, |part| part.encode_utf16().count());
            bytes = insertion.at;
            NativeInsertion { at: units as u32, text: insertion.text }
        });
        let style = if program.style == CallStyle::Sync { "sync" } else { "async" };
        Ok(NativeSandboxProgram { style, insertions: insertions.collect() })
    }

    fn resolve(&mut self, _: Env, output: Self::Output) -> Result<Self::JsValue> {
        Ok(output)
    }
}

/// Adds the parts of a sandbox to a program.
#[napi(ts_return_type = "Promise<NativeSandboxProgram>")]
pub fn sandbox_program(request: NativeSandboxRequest) -> AsyncTask<SandboxTask> {
    let NativeSandboxRequest { code, kit, kind, style } = request;
    let kind = match kind.as_str() {
        "search" => SandboxKind::Search,
        "mutate" => SandboxKind::Mutate,
        _ => SandboxKind::Execute,
    };
    let style = match style.as_str() {
        "sync" => Some(CallStyle::Sync),
        "async" => Some(CallStyle::Async),
        _ => None,
    };
    AsyncTask::new(SandboxTask { code, request: SandboxRequest { kit, kind, style } })
}
