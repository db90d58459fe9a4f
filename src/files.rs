//! The file tools: each call returns a promise of an outcome.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use napi::bindgen_prelude::{Object, Uint8Array};
use napi::{Env, Error, Result};
use napi_derive::napi;

use ses_files::pool::{Queue, Receipt, Stop, Work};
use ses_files::{
    Block, Details, FileError, FileTools, FindRequest, GrepRequest, LeftOutCounts, Limits, LsRequest, Output, Parts,
    ReadRequest, Stat, Truncation,
};

use crate::resources::file_pool;

#[napi(object, object_to_js = false)]
pub struct NativeFileLimits {
    pub max_lines: f64,
    pub max_bytes: f64,
    pub max_image_bytes: f64,
    pub max_file_bytes: f64,
    pub max_results: f64,
    pub max_entries: f64,
    pub max_search_ms: f64,
}

#[napi(object, object_to_js = false)]
pub struct NativeGrep {
    pub pattern: String,
    pub path: Option<String>,
    pub glob: Option<String>,
    pub ignore_case: Option<bool>,
    pub literal: Option<bool>,
    pub context: Option<f64>,
    pub limit: Option<f64>,
}

/// Results of at least this size are counted until they are taken. 1 MiB.
const LARGE_BYTES: usize = 1 << 20;

/// Either `content` and `details`, or `text`, or `bytes`, or `stat`, or `code` and `message` of an error. `receipt`:
/// present for a large result.
#[napi(object, object_from_js = false)]
#[derive(Default)]
pub struct NativeFileOutcome {
    pub content: Option<Vec<NativeBlock>>,
    pub details: Option<NativeFileDetails>,
    pub text: Option<String>,
    pub bytes: Option<Uint8Array>,
    pub stat: Option<NativeFileStat>,
    pub code: Option<&'static str>,
    pub message: Option<String>,
    pub receipt: Option<NativeFileReceipt>,
}

/// The file or folder at a path. `modifiedMs`: milliseconds since the Unix epoch.
#[napi(object, object_from_js = false)]
pub struct NativeFileStat {
    #[napi(ts_type = "'file' | 'directory' | 'other'")]
    pub r#type: &'static str,
    pub size: f64,
    pub modified_ms: Option<f64>,
}

/// If `type` is "text", `text` is present. If it is "image", the other fields are.
#[napi(object, object_from_js = false)]
pub struct NativeBlock {
    #[napi(ts_type = "'text' | 'image'")]
    pub r#type: &'static str,
    pub text: Option<String>,
    pub mime_type: Option<&'static str>,
    pub data: Option<String>,
}

/// Only fields that apply are present.
#[napi(object, object_from_js = false)]
pub struct NativeFileDetails {
    pub truncation: Option<NativeTruncation>,
    pub diff: Option<String>,
    pub diff_truncated: Option<bool>,
    pub first_changed_line: Option<f64>,
    pub match_limit_reached: Option<f64>,
    pub lines_truncated: Option<bool>,
    pub result_limit_reached: Option<f64>,
    pub left_out: Option<NativeLeftOut>,
    pub entry_limit_reached: Option<f64>,
    pub stopped_by: Option<&'static str>,
}

/// Only counts above 0 are present.
#[napi(object, object_from_js = false)]
pub struct NativeLeftOut {
    pub ignored_folders: Option<f64>,
    pub ignored_files: Option<f64>,
    pub binary_files: Option<f64>,
    pub utf16_files: Option<f64>,
    pub large_files: Option<f64>,
    pub unreadable: Option<f64>,
}

#[napi(object, object_from_js = false)]
pub struct NativeTruncation {
    pub truncated: bool,
    pub truncated_by: &'static str,
    pub total_lines: f64,
    pub total_bytes: f64,
    pub output_lines: f64,
    pub output_bytes: f64,
    pub first_line_exceeds_limit: bool,
    pub max_lines: f64,
    pub max_bytes: f64,
}

/// The file tools over one root; see `lib/files/tools.ts` for the public contract.
#[napi]
pub struct NativeFileTools {
    tools: Arc<FileTools>,
    queue: Queue,
}

/// Ends calls of file tools whose results are no longer needed.
#[napi]
#[derive(Default)]
pub struct NativeFileStop {
    stop: Stop,
}

#[napi]
impl NativeFileStop {
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// From now on, calls that received this object do not start, and their searches end.
    #[napi]
    pub fn stop(&self) {
        self.stop.stop();
    }
}

/// Delays calls while too many results wait to be taken. A collected result counts as taken.
#[napi]
pub struct NativeFileReceipt {
    receipt: Option<Receipt>,
}

#[napi]
impl NativeFileReceipt {
    /// The result has been taken.
    #[napi]
    pub fn sign(&mut self) {
        self.receipt = None;
    }
}

#[napi]
impl NativeFileTools {
    /// Throws if the root cannot be opened. Each call resolves with its outcome. It rejects only if no thread can be
    /// started.
    #[napi(constructor)]
    pub fn new(root: String, limits: NativeFileLimits) -> Result<Self, &'static str> {
        let tools =
            FileTools::open(Path::new(&root), limits.into()).map_err(|error| Error::new(error.code, error.message))?;
        Ok(Self { tools: Arc::new(tools), queue: Queue::new(file_pool()) })
    }

    #[napi(ts_return_type = "Promise<NativeFileOutcome>")]
    pub fn read<'env>(
        &self,
        env: &'env Env,
        path: String,
        offset: Option<f64>,
        limit: Option<f64>,
        stop: &NativeFileStop,
    ) -> Result<Object<'env>> {
        let request = ReadRequest { path, offset: offset.map(count), limit: limit.map(count) };
        self.start(env, Work::Access, stop, move |tools, stop| tools.read(&request, stop))
    }

    #[napi(ts_return_type = "Promise<NativeFileOutcome>")]
    pub fn read_text<'env>(&self, env: &'env Env, path: String, stop: &NativeFileStop) -> Result<Object<'env>> {
        self.start(env, Work::Access, stop, move |tools, _| tools.read_text(&path))
    }

    /// Reads a text file that the caller splits immediately, as JSON or into lines. `instead`: what to do with a file
    /// of more than `most` bytes, or of too many parts.
    #[napi(ts_return_type = "Promise<NativeFileOutcome>")]
    pub fn read_parts<'env>(
        &self,
        env: &'env Env,
        path: String,
        is_json: bool,
        most: f64,
        instead: String,
        stop: &NativeFileStop,
    ) -> Result<Object<'env>> {
        let parts = if is_json { Parts::Json } else { Parts::Lines };
        self.start(env, Work::Access, stop, move |tools, _| tools.read_parts(&path, parts, most as u64, &instead))
    }

    #[napi(ts_return_type = "Promise<NativeFileOutcome>")]
    pub fn read_bytes<'env>(&self, env: &'env Env, path: String, stop: &NativeFileStop) -> Result<Object<'env>> {
        self.start(env, Work::Access, stop, move |tools, _| tools.read_bytes(&path))
    }

    #[napi(ts_return_type = "Promise<NativeFileOutcome>")]
    pub fn stat<'env>(&self, env: &'env Env, path: String, stop: &NativeFileStop) -> Result<Object<'env>> {
        self.start(env, Work::Access, stop, move |tools, _| tools.stat(&path))
    }

    #[napi(js_name = "move", ts_return_type = "Promise<NativeFileOutcome>")]
    pub fn relocate<'env>(
        &self,
        env: &'env Env,
        from: String,
        to: String,
        overwrite: bool,
        stop: &NativeFileStop,
    ) -> Result<Object<'env>> {
        self.start(env, Work::Access, stop, move |tools, _| tools.relocate(&from, &to, overwrite))
    }

    #[napi(ts_return_type = "Promise<NativeFileOutcome>")]
    pub fn remove<'env>(
        &self,
        env: &'env Env,
        path: String,
        recursive: bool,
        stop: &NativeFileStop,
    ) -> Result<Object<'env>> {
        self.start(env, Work::Access, stop, move |tools, stop| tools.remove(&path, recursive, stop))
    }

    #[napi(ts_return_type = "Promise<NativeFileOutcome>")]
    pub fn write<'env>(
        &self,
        env: &'env Env,
        path: String,
        content: String,
        stop: &NativeFileStop,
    ) -> Result<Object<'env>> {
        self.start(env, Work::Access, stop, move |tools, _| tools.write(&path, &content))
    }

    #[napi(ts_return_type = "Promise<NativeFileOutcome>")]
    pub fn edit<'env>(
        &self,
        env: &'env Env,
        path: String,
        old_text: String,
        new_text: String,
        stop: &NativeFileStop,
    ) -> Result<Object<'env>> {
        self.start(env, Work::Access, stop, move |tools, _| tools.edit(&path, &old_text, &new_text))
    }

    #[napi(ts_return_type = "Promise<NativeFileOutcome>")]
    pub fn grep<'env>(&self, env: &'env Env, request: NativeGrep, stop: &NativeFileStop) -> Result<Object<'env>> {
        let request = GrepRequest::from(request);
        self.start(env, Work::Search, stop, move |tools, stop| tools.grep(&request, stop))
    }

    #[napi(ts_return_type = "Promise<NativeFileOutcome>")]
    pub fn find<'env>(
        &self,
        env: &'env Env,
        pattern: String,
        path: Option<String>,
        limit: Option<f64>,
        stop: &NativeFileStop,
    ) -> Result<Object<'env>> {
        let request = FindRequest { pattern, path, limit: limit.map(count) };
        self.start(env, Work::Search, stop, move |tools, stop| tools.find(&request, stop))
    }

    #[napi(ts_return_type = "Promise<NativeFileOutcome>")]
    pub fn ls<'env>(
        &self,
        env: &'env Env,
        path: Option<String>,
        limit: Option<f64>,
        stop: &NativeFileStop,
    ) -> Result<Object<'env>> {
        let request = LsRequest { path, limit: limit.map(count) };
        self.start(env, Work::Access, stop, move |tools, stop| tools.ls(&request, stop))
    }

    /// A promise of the outcome of `call`, which runs on the pool and keeps the event loop alive meanwhile.
    fn start<'env, T: Send + 'static>(
        &self,
        env: &'env Env,
        work: Work,
        stop: &NativeFileStop,
        call: impl FnOnce(&FileTools, &Stop) -> std::result::Result<T, FileError> + Send + 'static,
    ) -> Result<Object<'env>>
    where
        NativeFileOutcome: From<T>,
    {
        let (deferred, promise) = env.create_deferred()?;
        let (tools, stop) = (self.tools.clone(), stop.stop.clone());
        let work_on = move || {
            if stop.is_stopped() {
                return Err(FileError::stopped());
            }
            // A panic is a bug in a tool. It must not leave the caller waiting.
            let result = catch_unwind(AssertUnwindSafe(|| call(&tools, &stop)))
                .unwrap_or_else(|_| Err(FileError::new("ERR_INTERNAL", "The file tool failed because of a bug in it")));
            // The results of a stopped search are incomplete.
            if stop.is_stopped() { Err(FileError::stopped()) } else { result }
        };
        let job = move |receipt: io::Result<Receipt>| {
            let no_thread = |error| {
                FileError::new("EIO", format!("The operating system cannot start a thread for file tools: {error}"))
            };
            let (result, receipt) = match receipt {
                Ok(receipt) => (work_on(), Some(receipt)),
                Err(error) => (Err(no_thread(error)), None),
            };
            let mut outcome = outcome(result);
            let bytes = outcome.bytes();
            if let Some(mut receipt) = receipt.filter(|_| bytes >= LARGE_BYTES) {
                receipt.set_bytes(bytes);
                outcome.receipt = Some(NativeFileReceipt { receipt: Some(receipt) });
            }
            deferred.resolve(move |_| Ok(outcome));
        };
        self.queue.run(work, job);
        Ok(promise)
    }
}

impl NativeFileOutcome {
    /// The size of the outcome's large parts in bytes.
    fn bytes(&self) -> usize {
        let of_block =
            |block: &NativeBlock| [&block.text, &block.data].into_iter().flatten().map(String::len).sum::<usize>();
        self.content.iter().flatten().map(of_block).sum::<usize>()
            + self.text.as_ref().map_or(0, String::len)
            + self.bytes.as_ref().map_or(0, |bytes| bytes.len())
    }
}

fn outcome<T>(result: std::result::Result<T, FileError>) -> NativeFileOutcome
where
    NativeFileOutcome: From<T>,
{
    match result {
        Ok(given) => given.into(),
        Err(error) => <NativeFileOutcome as From<FileError>>::from(error),
    }
}

/// A whole number that the facade has checked. A number beyond the machine's range becomes the largest one.
fn count(number: f64) -> usize {
    number as usize
}

impl From<NativeFileLimits> for Limits {
    fn from(limits: NativeFileLimits) -> Self {
        Self {
            max_lines: count(limits.max_lines),
            max_bytes: count(limits.max_bytes),
            max_image_bytes: limits.max_image_bytes as u64,
            max_file_bytes: limits.max_file_bytes as u64,
            max_results: count(limits.max_results),
            max_entries: count(limits.max_entries),
            max_search: Duration::from_millis(limits.max_search_ms as u64),
        }
    }
}

impl From<NativeGrep> for GrepRequest {
    fn from(request: NativeGrep) -> Self {
        Self {
            pattern: request.pattern,
            path: request.path,
            glob: request.glob,
            ignore_case: request.ignore_case.unwrap_or_default(),
            literal: request.literal.unwrap_or_default(),
            context: request.context.map(count).unwrap_or_default(),
            limit: request.limit.map(count),
        }
    }
}

impl From<FileError> for NativeFileOutcome {
    fn from(FileError { code, message }: FileError) -> Self {
        Self { code: Some(code), message: Some(message), ..Self::default() }
    }
}

impl From<Output> for NativeFileOutcome {
    fn from(Output { content, details }: Output) -> Self {
        Self {
            content: Some(content.into_iter().map(Into::into).collect()),
            details: (details != Details::default()).then(|| details.into()),
            ..Self::default()
        }
    }
}

impl From<String> for NativeFileOutcome {
    fn from(text: String) -> Self {
        Self { text: Some(text), ..Self::default() }
    }
}

impl From<Vec<u8>> for NativeFileOutcome {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes: Some(Uint8Array::new(bytes)), ..Self::default() }
    }
}

impl From<Stat> for NativeFileOutcome {
    fn from(Stat { kind, size, modified_ms }: Stat) -> Self {
        Self { stat: Some(NativeFileStat { r#type: kind, size: size as f64, modified_ms }), ..Self::default() }
    }
}

impl From<Block> for NativeBlock {
    fn from(block: Block) -> Self {
        match block {
            Block::Text(text) => Self { r#type: "text", text: Some(text), mime_type: None, data: None },
            Block::Image { mime_type, data } => {
                Self { r#type: "image", text: None, mime_type: Some(mime_type), data: Some(data) }
            }
        }
    }
}

impl From<Details> for NativeFileDetails {
    fn from(details: Details) -> Self {
        let number = |value: Option<usize>| value.map(|value| value as f64);
        Self {
            truncation: details.truncation.map(Into::into),
            diff: details.diff,
            diff_truncated: details.diff_truncated.then_some(true),
            first_changed_line: number(details.first_changed_line),
            match_limit_reached: number(details.match_limit_reached),
            lines_truncated: details.lines_truncated.then_some(true),
            result_limit_reached: number(details.result_limit_reached),
            left_out: details.left_out.map(Into::into),
            entry_limit_reached: number(details.entry_limit_reached),
            stopped_by: details.stopped_by,
        }
    }
}

impl From<LeftOutCounts> for NativeLeftOut {
    fn from(counts: LeftOutCounts) -> Self {
        let number = |count: usize| (count > 0).then_some(count as f64);
        Self {
            ignored_folders: number(counts.ignored_folders),
            ignored_files: number(counts.ignored_files),
            binary_files: number(counts.binary_files),
            utf16_files: number(counts.utf16_files),
            large_files: number(counts.large_files),
            unreadable: number(counts.unreadable),
        }
    }
}

impl From<Truncation> for NativeTruncation {
    fn from(cut: Truncation) -> Self {
        Self {
            truncated: true,
            truncated_by: cut.truncated_by,
            total_lines: cut.total_lines as f64,
            total_bytes: cut.total_bytes as f64,
            output_lines: cut.output_lines as f64,
            output_bytes: cut.output_bytes as f64,
            first_line_exceeds_limit: cut.first_line_exceeds_limit,
            max_lines: cut.max_lines as f64,
            max_bytes: cut.max_bytes as f64,
        }
    }
}
