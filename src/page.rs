//! Programs for pages of a browser, on a thread of Node.js's pool.

use std::sync::Arc;

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Result, Task};
use napi_derive::napi;

use ses_prepare::{Observed, PositionMap, PrepareOptions};

use crate::arguments::language;
use crate::prepare::NativeDiagnostic;

/// `is_lasting`: the page has run other programs, or will.
#[napi(object, object_to_js = false)]
pub struct NativePageRequest {
    pub code: String,
    pub language: String,
    pub timeout_ms: f64,
    pub max_code_bytes: u32,
    pub is_lasting: bool,
}

/// A place in the code that was given, both from 1, the column in UTF-16 units.
#[napi(object, object_from_js = false)]
pub struct NativePlace {
    pub line: u32,
    pub column: u32,
}

/// `code` is a function without parameters that gives the value of the program, or a promise of it; empty if the code was
/// refused.
#[napi]
pub struct NativePageProgram {
    code: String,
    diagnostics: Vec<NativeDiagnostic>,
    module: Option<String>,
    positions: Option<Arc<PositionMap>>,
}

#[napi]
impl NativePageProgram {
    #[napi(getter)]
    pub fn code(&self) -> String {
        self.code.clone()
    }

    #[napi(getter)]
    pub fn diagnostics(&self) -> Vec<NativeDiagnostic> {
        self.diagnostics.clone()
    }

    /// The module that the code was refused for.
    #[napi(getter)]
    pub fn module(&self) -> Option<String> {
        self.module.clone()
    }

    /// The place in the code that was given for one in `code`; null for what is not of the program.
    #[napi]
    pub fn original(&self, line: u32, column: u32) -> Option<NativePlace> {
        let at = self.positions.as_ref()?.original(line, column)?;
        Some(NativePlace { line: at.line, column: at.column })
    }
}

/// One request, on a thread of the pool.
pub struct PageTask(NativePageRequest);

impl Task for PageTask {
    type Output = NativePageProgram;
    type JsValue = NativePageProgram;

    fn compute(&mut self) -> Result<Self::Output> {
        let NativePageRequest { code, language: name, timeout_ms, max_code_bytes, is_lasting } = &self.0;
        let (language, max_code_bytes) = (language(name), *max_code_bytes as usize);
        let options =
            PrepareOptions { language, timeout_ms: *timeout_ms, max_code_bytes, ..PrepareOptions::unlimited() };
        let observed = if *is_lasting { Observed::everything() } else { Observed::default() };
        Ok(match ses_prepare::prepare_page(&observed, code, &options) {
            Ok(program) => NativePageProgram {
                code: program.code,
                diagnostics: program.diagnostics.into_iter().map(Into::into).collect(),
                module: None,
                positions: Some(program.positions),
            },
            Err(diagnostics) => NativePageProgram {
                code: String::new(),
                module: diagnostics.iter().find_map(|diagnostic| diagnostic.module.clone()),
                diagnostics: diagnostics.into_iter().map(Into::into).collect(),
                positions: None,
            },
        })
    }

    fn resolve(&mut self, _: Env, output: Self::Output) -> Result<Self::JsValue> {
        Ok(output)
    }
}

/// What becomes of a program that a page runs.
#[napi(ts_return_type = "Promise<NativePageProgram>")]
pub fn prepare_page(request: NativePageRequest) -> AsyncTask<PageTask> {
    AsyncTask::new(PageTask(request))
}
