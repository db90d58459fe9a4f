//! The settings of Python.

use std::path::PathBuf;

use ses_protocol::{EngineSpec, FolderSpec};

/// The files, modules and folders that an isolate with Python is made from. All paths are absolute.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PythonSpec {
    /// The folder of the npm package `pyodide`.
    pub pyodide: PathBuf,
    /// The script that connects guest code with the host. It is evaluated in the isolate.
    pub guest: PathBuf,
    /// A folder of Python files that run before any guest code. They are joined in the order of their names.
    pub prelude: PathBuf,
    /// Modules that are imported before any guest code runs.
    pub modules: Vec<String>,
    /// The folder for results that take long to compute, for later processes. Absent: nothing is stored.
    pub cache: Option<PathBuf>,
    /// A folder that guest code may use.
    pub mount: Option<FolderSpec>,
    /// A folder of packages that guest code may import. It contains the list that was written when the folder was made
    /// (`lib/python/packages/`).
    pub packages: Option<FolderSpec>,
}

impl PythonSpec {
    /// # Errors
    ///
    /// A message that says which setting is missing.
    pub fn of(spec: &EngineSpec) -> Result<Self, String> {
        let path = |name: &str| match spec.settings.get(name).map(Vec::as_slice) {
            Some([path]) => Ok(PathBuf::from(path)),
            _ => Err(format!("the engine {} lacks the setting {name}", spec.name)),
        };
        let folder = |name: &str| spec.folders.iter().find(|folder| folder.name == name).cloned();
        Ok(Self {
            pyodide: path("pyodide")?,
            guest: path("guest")?,
            prelude: path("prelude")?,
            modules: spec.settings.get("modules").cloned().unwrap_or_default(),
            cache: spec.cache.clone(),
            mount: folder("mount"),
            packages: folder("packages"),
        })
    }
}
