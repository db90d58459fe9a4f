//! Programs for pages of a browser, and hints for their errors, on a thread of Node.js's pool.

use std::sync::{Arc, Mutex, PoisonError};

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Result, Task};
use napi_derive::napi;

use ses_hints::{LookUp, Uncaught};
use ses_prepare::{Observed, PositionMap, PrepareOptions, Program};
use ses_protocol::{Diagnostic, Location};

use crate::arguments::language;
use crate::prepare::NativeDiagnostic;

#[napi(object, object_to_js = false)]
pub struct NativePageRequest {
    pub code: String,
    pub language: String,
    pub timeout_ms: f64,
    pub max_code_bytes: u32,
}

/// What earlier programs have left on a page, for later programs.
#[napi]
pub struct NativePageHistory {
    observed: Arc<Mutex<Observed>>,
}

#[napi]
impl NativePageHistory {
    /// The history of a new page.
    #[napi(constructor)]
    pub fn new() -> Self {
        Self { observed: Arc::new(Mutex::new(Observed::everything())) }
    }
}

/// A position in the original code. Line and column count from 1. The column is in UTF-16 units.
#[napi(object, object_from_js = false)]
pub struct NativePlace {
    pub line: u32,
    pub column: u32,
}

/// `code` is a function without parameters. It returns the value of the program, or a promise of the value. It is empty
/// if the program was refused.
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

    /// The module whose import was refused.
    #[napi(getter)]
    pub fn module(&self) -> Option<String> {
        self.module.clone()
    }

    /// The position in the original code for a position in `code`. Null outside the program.
    #[napi]
    pub fn original(&self, line: u32, column: u32) -> Option<NativePlace> {
        let at = self.positions.as_ref()?.original(line, column)?;
        Some(NativePlace { line: at.line, column: at.column })
    }

    /// A message of the browser, in terms of the original program.
    #[napi]
    pub fn written(&self, message: String) -> String {
        ses_prepare::guest_text(&message).into_owned()
    }
}

/// One request, on a thread of the pool.
pub struct PageTask {
    request: NativePageRequest,
    history: Option<Arc<Mutex<Observed>>>,
}

impl PageTask {
    /// Like [`ses_prepare::prepare_page`], for a page with this history. Adds what the program will leave to the
    /// history.
    fn prepare(&self, options: &PrepareOptions) -> std::result::Result<Program, Vec<Diagnostic>> {
        let code = &self.request.code;
        let Some(history) = &self.history else {
            return ses_prepare::prepare_page(&Observed::default(), code, options);
        };
        // If a thread panicked while it updated the history, the history contains at most one program too many.
        let mut observed = history.lock().unwrap_or_else(PoisonError::into_inner);
        let program = ses_prepare::prepare_page(&observed, code, options)?;
        observed.add(&program.lookups);
        Ok(program)
    }
}

impl Task for PageTask {
    type Output = NativePageProgram;
    type JsValue = NativePageProgram;

    fn compute(&mut self) -> Result<Self::Output> {
        let NativePageRequest { language: name, timeout_ms, max_code_bytes, .. } = &self.request;
        let (language, max_code_bytes) = (language(name), *max_code_bytes as usize);
        let options =
            PrepareOptions { language, timeout_ms: *timeout_ms, max_code_bytes, ..PrepareOptions::unlimited() };
        Ok(match self.prepare(&options) {
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

/// Prepares a program that a page runs. `history`: for a page that runs several programs.
#[napi(ts_return_type = "Promise<NativePageProgram>")]
pub fn prepare_page(request: NativePageRequest, history: Option<&NativePageHistory>) -> AsyncTask<PageTask> {
    let history = history.map(|history| history.observed.clone());
    AsyncTask::new(PageTask { request, history })
}

/// An error that a program on a page has thrown, with facts about the page.
#[napi(object, object_to_js = false)]
pub struct NativePageError {
    pub name: String,
    pub message: String,
    /// The original code.
    pub source: String,
    /// The position of the error in the original code.
    pub line: Option<u32>,
    pub column: Option<u32>,
    /// Tools that return promises.
    pub async_tools: Vec<String>,
    /// The page's answer to the question of an earlier [`page_hint`].
    pub found: Option<NativeLookUp>,
}

/// The value at a path on a page: see `LookUp` of crates/hints.
#[napi(object, object_to_js = false)]
pub struct NativeLookUp {
    pub kind: String,
    pub names: Vec<String>,
    pub built_ins: Vec<String>,
}

/// `hint`: what to do about the error. Otherwise, if `member` is present, the page must be asked for the value at
/// `path`, which starts at its global, and for the member of that value.
#[napi(object, object_from_js = false)]
pub struct NativePageHint {
    pub hint: Option<String>,
    pub path: Vec<String>,
    pub member: Option<String>,
}

/// A page of which only the answer to one question is known.
struct Page<'a> {
    async_tools: &'a [String],
    found: Option<LookUp>,
    asked: Option<(Vec<String>, String)>,
}

impl ses_hints::Realm for Page<'_> {
    fn look_up(&mut self, path: &[String], member: &str) -> Option<LookUp> {
        self.asked = Some((path.to_vec(), member.to_owned()));
        self.found.take()
    }

    fn is_tool(&self, name: &str) -> bool {
        self.async_tools.iter().any(|tool| tool == name)
    }

    /// Only for tools. The page is asked only once.
    fn is_async(&mut self, function: &str) -> bool {
        self.is_tool(function)
    }

    fn is_frozen(&mut self, _variable: &str) -> bool {
        false
    }

    fn has_frozen(&self) -> bool {
        false
    }

    fn is_in_a_program(&self, _text: &str) -> bool {
        false
    }
}

/// One error, on a thread of the pool.
pub struct HintTask(NativePageError);

impl Task for HintTask {
    type Output = NativePageHint;
    type JsValue = NativePageHint;

    fn compute(&mut self) -> Result<Self::Output> {
        let NativePageError { name, message, source, line, column, async_tools, found } = &mut self.0;
        let at = line.zip(*column).map(|(line, column)| Location { line, column });
        let found = found.take().map(|NativeLookUp { kind, names, built_ins }| LookUp { kind, names, built_ins });
        let mut page = Page { async_tools, found, asked: None };
        let hint = ses_hints::hint(&mut page, &Uncaught { name, message, at, source });
        let (path, member) = page.asked.unzip();
        Ok(NativePageHint { hint, path: path.unwrap_or_default(), member })
    }

    fn resolve(&mut self, _: Env, output: Self::Output) -> Result<Self::JsValue> {
        Ok(output)
    }
}

/// The hint for an error, or the question that the page must answer first.
#[napi(ts_return_type = "Promise<NativePageHint>")]
pub fn page_hint(error: NativePageError) -> AsyncTask<HintTask> {
    AsyncTask::new(HintTask(error))
}
