//! Going through a folder tree for `find` and `grep`: in the order of names, without following links.
//!
//! The walk lists folders and opens files only through the root's capability, by their path below it. A folder that is
//! exchanged for a link meanwhile can therefore show another folder of the root at worst, never one outside; that is why
//! this is not `ignore`'s own walker, which opens paths of the host. It keeps one list per level instead of recursing
//! and holds no handle open, so that deep trees cost neither stack nor file descriptors.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::vec;

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, FileType};
use ignore::overrides::Override;

use super::budget::Budget;
use super::ignore_rules::{IgnoreReader, IgnoreRules, is_ignored};

/// Folders that are never entered, and not listed, unless the search begins in them.
const SKIPPED: [&str; 2] = [".git", "node_modules"];

/// An entry below the folder where the search began.
pub struct Found {
    /// Relative to that folder.
    pub path: PathBuf,
    pub file_type: FileType,
}

pub struct Walk<'a> {
    root: &'a Dir,
    /// Where the search began, relative to the root, without links and dots.
    base: PathBuf,
    /// Which files the caller wants, if not all.
    filter: Option<Override>,
    ignore: IgnoreReader,
    /// One level each: entries that are still to come.
    levels: Vec<Level>,
}

struct Level {
    /// Relative to `base`.
    folder: PathBuf,
    rules: Option<Rc<IgnoreRules>>,
    entries: vec::IntoIter<(OsString, FileType)>,
}

impl<'a> Walk<'a> {
    pub fn new(root: &'a Dir, base: PathBuf, filter: Option<Override>, budget: &mut Budget) -> Self {
        let mut ignore = IgnoreReader::default();
        let rules = ignore.enter_all(root, &base);
        let mut walk = Self { root, base, filter, ignore, levels: Vec::new() };
        let entries = walk.list(Path::new(""), budget);
        walk.levels.push(Level { folder: PathBuf::new(), rules, entries });
        walk
    }

    /// The next entry; folders come before what is in them. `None` at the end, or when the budget is spent.
    pub fn next(&mut self, budget: &mut Budget) -> Option<Found> {
        loop {
            if !budget.has_time() {
                return None;
            }
            let level = self.levels.last_mut()?;
            let Some((name, file_type)) = level.entries.next() else {
                self.levels.pop();
                continue;
            };
            let path = level.folder.join(&name);
            let is_dir = file_type.is_dir();
            let rules = level.rules.clone();
            if SKIPPED.iter().any(|skipped| name == *skipped)
                || is_ignored(rules.as_ref(), &self.base.join(&path), is_dir, budget)
                || self.filter.as_ref().is_some_and(|filter| filter.matched(&path, is_dir).is_ignore())
            {
                continue;
            }
            if budget.stopped_by().is_some() {
                return None;
            }
            if is_dir {
                let entries = self.list(&path, budget);
                let rules = self.ignore.enter(self.root, &self.base.join(&path), rules);
                self.levels.push(Level { folder: path.clone(), rules, entries });
            }
            return Some(Found { path, file_type });
        }
    }

    /// What the model has to know of the rules by which entries were left out.
    pub fn notice(&self) -> Option<String> {
        self.ignore.notice()
    }

    /// The entries of a folder by name. One that cannot be listed has none.
    fn list(&self, folder: &Path, budget: &mut Budget) -> vec::IntoIter<(OsString, FileType)> {
        let path = self.base.join(folder);
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { &path };
        let mut entries = Vec::new();
        if let Ok(listed) = self.root.open_dir_nofollow(path).and_then(|dir| dir.entries()) {
            for entry in listed.flatten() {
                if !budget.take_entry() {
                    break;
                }
                if let Ok(file_type) = entry.file_type() {
                    entries.push((entry.file_name(), file_type));
                }
            }
        }
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        entries.into_iter()
    }
}
