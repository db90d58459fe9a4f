//! `find`: paths by glob pattern.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use super::Limits;
use super::budget::Budget;
use super::error::FileError;
use super::left_out::LeftOut;
use super::names::{display, shown};
use super::output::{Details, Output, bytes_notice, limit_notice};
use super::pool::Stop;
use super::root::{Root, RootPath};
use super::truncate::truncate_head;
use super::walk::{Found, Walk};

pub const DEFAULT_LIMIT: usize = 1000;
/// The compiler of patterns recurses into nested alternatives.
const MAX_PATTERN_BYTES: usize = 1024;

#[derive(Debug)]
pub struct FindRequest {
    pub pattern: String,
    pub path: Option<String>,
    pub limit: Option<usize>,
}

pub fn find(root: &Root, limits: &Limits, request: &FindRequest, stop: &Stop) -> Result<Output, FileError> {
    let path = RootPath::parse(root, request.path.as_deref().unwrap_or("."))?;
    if !root.metadata(&path, "Path")?.is_dir() {
        return Err(FileError::new("ENOTDIR", format!("Not a directory: {}", path.text)));
    }
    let folder = root.resolve(&path, "Path")?;
    let pattern = Pattern::parse(root, &folder, &request.pattern)?;
    let limit = request.limit.unwrap_or(DEFAULT_LIMIT).min(limits.max_results);
    let mut budget = Budget::new(limits, stop);
    let mut left_out = LeftOut::default();
    // What is in an ignored folder is not known.
    let wanted = |found: &Found| found.file_type.is_dir() || pattern.matches(found);
    let mut walk = Walk::new(root.dir(), folder, None, &wanted, &mut budget, &mut left_out);
    let (mut count, mut text) = (0, String::new());
    // Text beyond the byte limit is cut anyway.
    while count < limit && text.len() <= limits.max_bytes {
        let Some(found) = walk.next(&mut budget, &mut left_out) else { break };
        if pattern.matches(&found) {
            if count > 0 {
                text.push('\n');
            }
            let slash = if found.file_type.is_dir() { "/" } else { "" };
            text.push_str(&shown(&format!("{}{slash}", display(&found.path))));
            count += 1;
        }
    }
    let (shown, truncation) = truncate_head(&text, usize::MAX, limits.max_bytes);
    let mut notices = Vec::new();
    let reached = count >= limit;
    if reached {
        notices.push(limit_notice(limit, limits.max_results, "results", ", or refine pattern", "Refine pattern"));
    }
    if truncation.is_some() {
        notices.push(bytes_notice(limits.max_bytes, "Narrow pattern or path"));
    }
    notices.extend(budget.notice());
    let mut of_left_out = left_out.notices(limits.max_file_bytes);
    of_left_out.extend(walk.notice());
    let shown = if count == 0 { "No files found matching pattern" } else { shown };
    let details = Details {
        truncation,
        result_limit_reached: reached.then_some(limit),
        left_out: left_out.counts(),
        stopped_by: budget.stopped_by(),
        ..Details::default()
    };
    Ok(Output::with_notices(shown.to_owned(), &notices, details).with_block_of(&of_left_out))
}

/// A glob in the form of paths below the folder of the search: without a leading slash, and without empty and dot
/// parts.
pub struct RelativeGlob {
    pub text: String,
    /// It applies to names at any depth: it has one part, and no leading slash.
    pub of_names: bool,
    /// It ends with a slash.
    pub of_folders: bool,
}

impl RelativeGlob {
    /// `folder` is the folder of the search, relative to the root.
    ///
    /// # Errors
    ///
    /// The glob names nothing below `folder`; the text says why.
    pub fn parse(root: &Root, folder: &Path, glob: &str) -> Result<Self, String> {
        let (below, is_anchored) = match root.inside(glob) {
            Some(path) => {
                let below = path.strip_prefix(folder).map_err(|_| "it is not below the path of the search")?;
                (display(below), true)
            }
            None => (glob.to_owned(), glob.starts_with('/')),
        };
        let parts: Vec<_> = below.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        if parts.contains(&"..") {
            return Err("it has a '..', give the folder of the search as path".to_owned());
        }
        if parts.is_empty() {
            return Err("it is the folder of the search itself, use '**' for what is in it".to_owned());
        }
        let of_names = parts.len() == 1 && !is_anchored;
        Ok(Self { text: parts.join("/"), of_names, of_folders: glob.ends_with('/') })
    }
}

struct Pattern {
    matcher: GlobMatcher,
    of_names: bool,
    of_folders: bool,
}

impl Pattern {
    fn parse(root: &Root, folder: &Path, text: &str) -> Result<Self, FileError> {
        let invalid = |reason: String| FileError::new("ERR_INVALID_PATTERN", format!("Invalid glob pattern: {reason}"));
        if text.is_empty() {
            return Err(invalid("it is empty".to_owned()));
        }
        if text.len() > MAX_PATTERN_BYTES {
            return Err(invalid(format!("it has {} bytes, {MAX_PATTERN_BYTES} are allowed", text.len())));
        }
        let RelativeGlob { text, of_names, of_folders } = RelativeGlob::parse(root, folder, text).map_err(invalid)?;
        let glob = GlobBuilder::new(&text)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|error| invalid(error.to_string()))?;
        Ok(Self { matcher: glob.compile_matcher(), of_names, of_folders })
    }

    fn matches(&self, found: &Found) -> bool {
        if self.of_folders && !found.file_type.is_dir() {
            return false;
        }
        match found.path.file_name() {
            Some(name) if self.of_names => self.matcher.is_match(name),
            _ => self.matcher.is_match(&found.path),
        }
    }
}
