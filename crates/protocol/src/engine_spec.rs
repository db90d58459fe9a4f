//! The engine of an executor's isolates, with its settings.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// An engine and its settings. Two executors with equal specs may share isolates that were made ahead of need.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EngineSpec {
    /// The engine's name in `crates/engine/src/engines.rs`.
    pub name: String,
    /// Values by name. Only the engine interprets them.
    pub settings: BTreeMap<String, Vec<String>>,
    /// The folder in which the engine stores results that take long to compute, for later processes. `None`: it stores
    /// nothing.
    pub cache: Option<PathBuf>,
    /// Host folders that isolates can access.
    pub folders: Vec<FolderSpec>,
}

/// A folder of the host.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FolderSpec {
    /// The purpose for which the engine uses the folder.
    pub name: String,
    /// Absolute path of the folder.
    pub root: PathBuf,
    /// Guest code may not write to it.
    pub read_only: bool,
    /// The name of a file in the folder that lists the code in the folder. `None`: the folder contains data of guests,
    /// and no code that isolates are made from.
    pub list: Option<String>,
}

impl EngineSpec {
    /// The engine without settings and folders.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), settings: BTreeMap::new(), cache: None, folders: Vec::new() }
    }

    /// The spec as a single argument for a process.
    ///
    /// # Errors
    ///
    /// A path is not UTF-8.
    pub fn to_argument(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// Parses the output of [`Self::to_argument`]. `None` for any other text.
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
