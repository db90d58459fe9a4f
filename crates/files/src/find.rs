//! `find`: paths by glob pattern.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use super::Limits;
use super::budget::Budget;
use super::error::FileError;
use super::names::shown;
use super::output::{Details, Output, limit_notice};
use super::pool::Stop;
use super::root::{Root, RootPath};
use super::truncate::{format_size, truncate_head};
use super::walk::Walk;

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
    let pattern = Pattern::parse(&request.pattern)?;
    let path = RootPath::parse(root, request.path.as_deref().unwrap_or("."))?;
    if !root.metadata(&path, "Path")?.is_dir() {
        return Err(FileError::new("ENOTDIR", format!("Not a directory: {}", path.text)));
    }
    let limit = request.limit.unwrap_or(DEFAULT_LIMIT).min(limits.max_results);
    let mut budget = Budget::new(limits, stop);
    let mut walk = Walk::new(root.dir(), root.resolve(&path, "Path")?, None, &mut budget);
    let (mut count, mut text) = (0, String::new());
    // What is beyond the byte limit is cut anyway.
    while count < limit && text.len() <= limits.max_bytes {
        let Some(found) = walk.next(&mut budget) else { break };
        if pattern.matches(&found.path) {
            if count > 0 {
                text.push('\n');
            }
            let slash = if found.file_type.is_dir() { "/" } else { "" };
            text.push_str(&shown(&format!("{}{slash}", display(&found.path))));
            count += 1;
        }
    }
    Ok(render(limits, limit, count, &text, &budget))
}

fn render(limits: &Limits, limit: usize, count: usize, text: &str, budget: &Budget) -> Output {
    let (shown, truncation) = truncate_head(text, usize::MAX, limits.max_bytes);
    let mut notices = Vec::new();
    let reached = count >= limit;
    if reached {
        notices.push(limit_notice(limit, limits.max_results, "results", ", or refine pattern", "Refine pattern"));
    }
    if truncation.is_some() {
        notices.push(format!("{} limit reached", format_size(limits.max_bytes as u64)));
    }
    notices.extend(budget.notice());
    let shown = if count == 0 { "No files found matching pattern" } else { shown };
    let details = Details {
        truncation,
        result_limit_reached: reached.then_some(limit),
        stopped_by: budget.stopped_by(),
        ..Details::default()
    };
    Output::with_notices(shown.to_owned(), &notices, details)
}

/// A path with slashes on all systems.
pub fn display(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}

/// A glob without a `./` in front, which paths below the folder of the search do not have.
pub fn relative(glob: &str) -> &str {
    glob.strip_prefix("./").unwrap_or(glob)
}

/// A glob. Without a slash it is about names, at any depth; with one about paths below the folder of the search.
struct Pattern {
    matcher: GlobMatcher,
    of_names: bool,
}

impl Pattern {
    fn parse(text: &str) -> Result<Self, FileError> {
        let invalid = |reason: String| FileError::new("ERR_INVALID_PATTERN", format!("Invalid glob pattern: {reason}"));
        if text.is_empty() {
            return Err(invalid("it is empty".to_owned()));
        }
        if text.len() > MAX_PATTERN_BYTES {
            return Err(invalid(format!("it has {} bytes, {MAX_PATTERN_BYTES} are allowed", text.len())));
        }
        let relative = relative(text);
        let glob = GlobBuilder::new(relative)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|error| invalid(error.to_string()))?;
        Ok(Self { matcher: glob.compile_matcher(), of_names: !relative.contains('/') })
    }

    fn matches(&self, path: &Path) -> bool {
        match path.file_name() {
            Some(name) if self.of_names => self.matcher.is_match(name),
            _ => self.matcher.is_match(path),
        }
    }
}
