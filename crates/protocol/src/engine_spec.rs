//! Which engine makes an executor's isolates, and from what.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// An engine and its settings. Two executors with equal ones may share isolates that were made in advance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EngineSpec {
    /// The engine's name in `crates/engine/src/engines.rs`.
    pub name: String,
    /// Values by name. Only the engine knows what they mean.
    pub settings: BTreeMap<String, Vec<String>>,
    /// The folder in which the engine keeps results between processes that take long to make. `None`: nowhere.
    pub cache: Option<PathBuf>,
    /// Folders of the host that an isolate has.
    pub folders: Vec<FolderSpec>,
}

/// A folder of the host.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FolderSpec {
    /// What the engine uses it for.
    pub name: String,
    /// Absolute.
    pub root: PathBuf,
    /// Guest code may not write to it.
    pub read_only: bool,
    /// The name of a file in the folder that lists the code in it. `None`: the folder has data of guests, and none of what isolates are
    /// made of.
    pub list: Option<String>,
}

impl EngineSpec {
    /// The engine without settings and folders.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), settings: BTreeMap::new(), cache: None, folders: Vec::new() }
    }

    /// The spec as one argument of a process.
    ///
    /// # Errors
    ///
    /// A path is not UTF-8.
    pub fn to_argument(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// Reads what [`Self::to_argument`] has written. `None`: something else.
    pub fn from_argument(argument: &str) -> Option<Self> {
        serde_json::from_str(argument).ok()
    }
}

/// The hardened realm.
impl Default for EngineSpec {
    fn default() -> Self {
        Self::named("realm")
    }
}
