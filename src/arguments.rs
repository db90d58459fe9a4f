//! Arguments of the facade, which has already checked them.

use std::collections::HashMap;

use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;

use ses_protocol::{EngineSpec, FolderSpec, Language, ModuleBody, ModuleSpec, ToolSpec};

/// A separate process. `surroundings`: `NAME=value` of time zone and locale.
#[napi(object, object_to_js = false)]
pub struct NativeIsolation {
    pub sandbox: String,
    pub spares: Option<f64>,
    pub surroundings: Vec<String>,
}

/// An engine by its name, and what it makes isolates of. `settings`: values that only the engine reads; `cache`: absolute path of a
/// folder for results that take long to make.
#[napi(object, object_to_js = false)]
pub struct NativeEngine {
    pub name: String,
    pub settings: HashMap<String, Vec<String>>,
    pub cache: Option<String>,
    pub folders: Vec<NativeFolder>,
}

/// A folder that isolates have. `root`: absolute path; `list`: the name of the file in it that lists its code.
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

/// An ES module: `source`, or `names` and `values` (wire of an array) and `functions`.
#[napi(object, object_to_js = false)]
pub struct NativeModule {
    pub specifier: String,
    pub source: Option<String>,
    pub names: Option<Vec<String>>,
    pub values: Option<Uint8Array>,
    pub functions: Option<Vec<NativeTool>>,
}

/// The facade passes no other names.
pub fn language(name: &str) -> Language {
    Language::named(name).unwrap_or_default()
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
