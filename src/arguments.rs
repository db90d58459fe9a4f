//! Arguments of the facade, which has already checked them.

use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;

use ses_protocol::{Language, ModuleBody, ModuleSpec, MountSpec, PythonSpec, ToolSpec};

/// A separate process. `surroundings`: `NAME=value` of time zone and locale.
#[napi(object, object_to_js = false)]
pub struct NativeIsolation {
    pub sandbox: String,
    pub spares: Option<f64>,
    pub surroundings: Vec<String>,
}

/// Where Python comes from: absolute paths of the folder of npm's `pyodide`, of the script and the folder of the prelude that are
/// run in each isolate, of a folder for what takes long to make, and of one with packages; names of modules to import first.
#[napi(object, object_to_js = false)]
pub struct NativePython {
    pub pyodide: String,
    pub guest: String,
    pub prelude: String,
    pub modules: Vec<String>,
    pub cache: Option<String>,
    pub mount: Option<NativeMount>,
    pub packages: Option<String>,
}

/// A folder that guest code may mount.
#[napi(object, object_to_js = false)]
pub struct NativeMount {
    pub root: String,
    pub read_only: bool,
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

impl From<NativePython> for PythonSpec {
    fn from(python: NativePython) -> Self {
        let NativePython { pyodide, guest, prelude, modules, cache, mount, packages } = python;
        Self {
            pyodide: pyodide.into(),
            guest: guest.into(),
            prelude: prelude.into(),
            modules,
            cache: cache.map(Into::into),
            mount: mount.map(|NativeMount { root, read_only }| MountSpec { root: root.into(), read_only }),
            packages: packages.map(Into::into),
        }
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
