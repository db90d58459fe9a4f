//! Arguments from the facade, which has already checked them.

use std::collections::HashMap;

use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;

use ses_protocol::{EngineSpec, FolderSpec, Language, ModuleBody, ModuleSpec, ToolSpec};
use ses_remote::Fleet;

/// A separate process for each isolate. `environment`: time zone and locale as `NAME=value`. `remote`: if absent, the
/// processes are on this machine.
#[napi(object, object_to_js = false)]
pub struct NativeIsolation {
    pub sandbox: String,
    pub spares: Option<f64>,
    pub environment: Vec<String>,
    pub remote: Option<NativeFleet>,
}

/// The fleet whose workers have the processes. `credentials`: path of a file.
#[napi(object, object_to_js = false)]
pub struct NativeFleet {
    pub servers: Vec<String>,
    pub pool: String,
    pub credentials: Option<String>,
}

/// An engine by its name, with its settings. `settings`: values that only the engine reads. `cache`: absolute path of a
/// folder for results that take long to compute.
#[napi(object, object_to_js = false)]
pub struct NativeEngine {
    pub name: String,
    pub settings: HashMap<String, Vec<String>>,
    pub cache: Option<String>,
    pub folders: Vec<NativeFolder>,
}

/// A folder that isolates can access. `root`: absolute path. `list`: name of the file in the folder that lists the code
/// in it.
#[napi(object, object_to_js = false)]
pub struct NativeFolder {
    pub name: String,
    pub root: String,
    pub read_only: bool,
    pub list: Option<String>,
}

/// A host function: `path` leads from the global to it.
#[napi(object, object_to_js = false)]
pub struct NativeTool {
    pub path: Vec<String>,
    pub id: u32,
    pub is_async: bool,
    pub length: u32,
    pub is_limited: bool,
}

/// An ES module: either `source`, or `names`, `values` (serialized bytes of an array) and `functions`.
#[napi(object, object_to_js = false)]
pub struct NativeModule {
    pub specifier: String,
    pub source: Option<String>,
    pub names: Option<Vec<String>>,
    pub values: Option<Uint8Array>,
    pub functions: Option<Vec<NativeTool>>,
}

/// The language with this name. The facade passes only valid names.
pub fn language(name: &str) -> Language {
    Language::named(name).unwrap_or_default()
}

impl From<NativeFleet> for Fleet {
    fn from(NativeFleet { servers, pool, credentials }: NativeFleet) -> Self {
        Self { servers, pool, credentials }
    }
}

impl From<NativeEngine> for EngineSpec {
    fn from(NativeEngine { name, settings, cache, folders }: NativeEngine) -> Self {
        let settings = settings.into_iter().collect();
        Self { name, settings, cache: cache.map(Into::into), folders: folders.into_iter().map(Into::into).collect() }
    }
}

impl From<NativeFolder> for FolderSpec {
    fn from(NativeFolder { name, root, read_only, list }: NativeFolder) -> Self {
        Self { name, root: root.into(), read_only, list }
    }
}

impl From<NativeTool> for ToolSpec {
    fn from(NativeTool { path, id, is_async, length, is_limited }: NativeTool) -> Self {
        Self { path, id, is_async, length, is_limited }
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
