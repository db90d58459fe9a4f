//! Where isolates for Python come from.

use std::path::PathBuf;

/// What the maker of a folder of packages leaves in it (`lib/python/packages/`): what was added, for which Pyodide, and the
/// digests of its libraries.
pub const PACKAGES_LIST: &str = "ses-executor-packages.json";

/// Files and modules that an isolate with Python is made of. All paths are absolute.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PythonSpec {
    /// The folder of the npm package `pyodide`.
    pub pyodide: PathBuf,
    /// The script that joins guest code and host, which is evaluated in the isolate.
    pub guest: PathBuf,
    /// A folder of Python files that run before any guest code, joined in the order of their names.
    pub prelude: PathBuf,
    /// Modules that are imported before any guest code runs.
    pub modules: Vec<String>,
    /// Where what takes long to make is kept between processes; absent: nowhere.
    pub cache: Option<PathBuf>,
    /// A folder that guest code may have.
    pub mount: Option<MountSpec>,
    /// A folder of packages that guest code may import, with the list of them that its maker has left there.
    pub packages: Option<PathBuf>,
}

/// A folder of the host's, and whether guest code may only read it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MountSpec {
    pub root: PathBuf,
    pub read_only: bool,
}
