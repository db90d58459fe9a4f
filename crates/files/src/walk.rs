//! Walks a folder tree for `find` and `grep`, in the order of names and without following links.
//!
//! The walk lists folders and opens files only through the root's capability, by their path below it. If a folder is
//! exchanged for a link meanwhile, it can at worst show another folder of the root, never one outside. This is why it
//! does not use the walker of the crate `ignore`, which opens paths of the host. It keeps one list per level instead of
//! recursing and holds no handle open, so that deep trees cost neither stack nor file descriptors.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::vec;

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, FileType};
use ignore::overrides::Override;

use super::budget::Budget;
use super::ignore_rules::{IgnoreReader, IgnoreRules, is_ignored};
use super::left_out::LeftOut;
use super::names::display;

/// Folders that are neither entered nor listed, unless the search begins in them. They do not count as left out: the
/// descriptions of the tools name them.
const SKIPPED: [&str; 2] = [".git", "node_modules"];

/// An entry below the folder where the search began.
pub struct Found {
    /// Relative to that folder.
    pub path: PathBuf,
    pub file_type: FileType,
}

pub struct Walk<'a> {
    root: &'a Dir,
    /// The start of the search, relative to the root, without links and dots.
    base: PathBuf,
    /// The files that the caller wants, if not all.
    filter: Option<Override>,
    ignore: IgnoreReader,
    /// Whether an ignored entry counts as left out: without the rules, the search would use it.
    wanted: &'a dyn Fn(&Found) -> bool,
    /// The remaining entries of each level.
    levels: Vec<Level>,
}

struct Level {
    /// Relative to `base`.
    folder: PathBuf,
    rules: Option<Rc<IgnoreRules>>,
    entries: vec::IntoIter<(OsString, FileType)>,
}

impl<'a> Walk<'a> {
    pub fn new(
        root: &'a Dir,
        base: PathBuf,
        filter: Option<Override>,
        wanted: &'a dyn Fn(&Found) -> bool,
        budget: &mut Budget,
        left_out: &mut LeftOut,
    ) -> Self {
        let mut ignore = IgnoreReader::default();
        let rules = ignore.enter_all(root, &base);
        let mut walk = Self { root, base, filter, ignore, wanted, levels: Vec::new() };
        let entries = walk.list(Path::new(""), budget, left_out);
        walk.levels.push(Level { folder: PathBuf::new(), rules, entries });
        walk
    }

    /// The next entry. A folder comes before its contents. `None` at the end, or when the budget is spent.
    pub fn next(&mut self, budget: &mut Budget, left_out: &mut LeftOut) -> Option<Found> {
        loop {
            if !budget.has_time() {
                return None;
            }
            let level = self.levels.last_mut()?;
            let Some((name, file_type)) = level.entries.next() else {
                self.levels.pop();
                continue;
            };
            let found = Found { path: level.folder.join(&name), file_type };
            let is_dir = file_type.is_dir();
            let rules = level.rules.clone();
            if SKIPPED.iter().any(|skipped| name == *skipped)
                || self.filter.as_ref().is_some_and(|filter| filter.matched(&found.path, is_dir).is_ignore())
            {
                continue;
            }
            let place = self.base.join(&found.path);
            let is_ignored = is_ignored(rules.as_ref(), &place, is_dir, budget);
            if budget.stopped_by().is_some() {
                return None;
            }
            if is_ignored {
                if (self.wanted)(&found) {
                    left_out.add_ignored(&found.path, is_dir);
                }
                continue;
            }
            if is_dir {
                let entries = self.list(&found.path, budget, left_out);
                let rules = self.ignore.enter(self.root, &place, rules);
                self.levels.push(Level { folder: found.path.clone(), rules, entries });
            }
            return Some(found);
        }
    }

    /// What the model has to know about the rules that left out entries.
    pub fn notice(&self) -> Option<String> {
        self.ignore.notice()
    }

    /// The entries of a folder by name. A folder that cannot be listed has none, and counts as left out.
    fn list(&self, folder: &Path, budget: &mut Budget, left_out: &mut LeftOut) -> vec::IntoIter<(OsString, FileType)> {
        let path = self.base.join(folder);
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { &path };
        let mut entries = Vec::new();
        match self.root.open_dir_nofollow(path).and_then(|dir| dir.entries()) {
            Ok(listed) => {
                for entry in listed.flatten() {
                    if !budget.take_entry() {
                        break;
                    }
                    if let Ok(file_type) = entry.file_type() {
                        entries.push((entry.file_name(), file_type));
                    }
                }
            }
            Err(_) if folder.as_os_str().is_empty() => left_out.unreadable.add("./"),
            Err(_) => left_out.unreadable.add(&format!("{}/", display(folder))),
        }
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        entries.into_iter()
    }
}
