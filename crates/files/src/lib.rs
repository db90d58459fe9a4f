//! File tools for agents within one folder: `read`, `write`, `edit`, `grep`, `find` and `ls` for models, and whole
//! files for code.
//!
//! Pure: nothing here uses napi or V8. Every access goes through [`root::Root`], a directory capability, so that
//! confinement holds by construction: no code here could open a path of the host. The text of a result is written for a
//! model. It names paths as the caller passed them, never those of the host.

mod atomic;
mod budget;
mod diff;
mod edit;
mod edit_explain;
mod edit_match;
mod encoding;
mod error;
mod find;
mod grep;
mod grep_format;
mod grep_lines;
mod ignore_pattern;
mod ignore_rules;
mod left_out;
mod ls;
pub mod mount;
mod names;
mod output;
pub mod pool;
mod read;
mod relocate;
mod root;
#[cfg(test)]
mod tests;
mod truncate;
mod walk;
mod whole_file;
mod write;

pub use error::FileError;
pub use find::FindRequest;
pub use grep::GrepRequest;
pub use ls::LsRequest;
pub use output::{Block, Details, LeftOutCounts, Output};
pub use read::ReadRequest;
pub use truncate::Truncation;
pub use whole_file::{Parts, Stat};

use std::path::Path;
use std::time::Duration;

use pool::Stop;
use root::Root;

/// What one call may read, hold and return. Every field is positive.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Lines that one result shows.
    pub max_lines: usize,
    /// UTF-8 bytes that one result shows, notices aside.
    pub max_bytes: usize,
    /// Bytes of an image file, before base64.
    pub max_image_bytes: u64,
    /// Bytes of a text file that is read, edited, written or searched.
    pub max_file_bytes: u64,
    /// Matches, paths or entries that one call returns, whatever `limit` it asks for.
    pub max_results: usize,
    /// Folder entries that one call looks at.
    pub max_entries: usize,
    /// Maximum time of one search.
    pub max_search: Duration,
}

/// The tools over one root. Calls may come from several threads; callers order those that change files.
#[derive(Debug)]
pub struct FileTools {
    root: Root,
    limits: Limits,
}

impl FileTools {
    /// # Errors
    ///
    /// `root` is missing, is not a folder, or cannot be opened. The message names the path of the host.
    pub fn open(root: &Path, limits: Limits) -> Result<Self, FileError> {
        Ok(Self { root: Root::open(root)?, limits })
    }

    pub fn read(&self, request: &ReadRequest, stop: &Stop) -> Result<Output, FileError> {
        read::read(&self.root, &self.limits, request, stop)
    }

    pub fn read_text(&self, path: &str) -> Result<String, FileError> {
        whole_file::read_text(&self.root, path, self.limits.max_file_bytes)
    }

    /// Like [`Self::read_text`]. The error for a file of more than `most` bytes, or of too many parts, contains
    /// `instead`.
    pub fn read_parts(&self, path: &str, parts: Parts, most: u64, instead: &str) -> Result<String, FileError> {
        whole_file::read_parts(&self.root, path, self.limits.max_file_bytes, parts, most, instead)
    }

    pub fn read_bytes(&self, path: &str) -> Result<Vec<u8>, FileError> {
        whole_file::read_bytes(&self.root, path, self.limits.max_file_bytes)
    }

    pub fn stat(&self, path: &str) -> Result<Stat, FileError> {
        whole_file::stat(&self.root, path)
    }

    pub fn relocate(&self, from: &str, to: &str, overwrite: bool) -> Result<Output, FileError> {
        relocate::relocate(&self.root, from, to, overwrite)
    }

    pub fn remove(&self, path: &str, recursive: bool, stop: &Stop) -> Result<Output, FileError> {
        relocate::remove(&self.root, &self.limits, path, recursive, stop)
    }

    pub fn write(&self, path: &str, content: &str) -> Result<Output, FileError> {
        write::write(&self.root, &self.limits, path, content)
    }

    pub fn edit(&self, path: &str, old_text: &str, new_text: &str) -> Result<Output, FileError> {
        edit::edit(&self.root, &self.limits, path, old_text, new_text)
    }

    pub fn grep(&self, request: &GrepRequest, stop: &Stop) -> Result<Output, FileError> {
        grep::grep(&self.root, &self.limits, request, stop)
    }

    pub fn find(&self, request: &FindRequest, stop: &Stop) -> Result<Output, FileError> {
        find::find(&self.root, &self.limits, request, stop)
    }

    pub fn ls(&self, request: &LsRequest, stop: &Stop) -> Result<Output, FileError> {
        ls::ls(&self.root, &self.limits, request, stop)
    }
}
