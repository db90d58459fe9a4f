//! Matches the lines of a `.gitignore` file in the same way as git: byte by byte, directly from the text.
//!
//! Nothing is compiled. Guests write these files, and a compiled pattern takes up to 2 KB for each byte of its text,
//! and as much time. This module holds the text and 24 bytes for each pattern; `ignore_rules` limits the text.

use std::ops::Range;
use std::path::Path;

use super::budget::Budget;

/// The patterns of one file.
#[derive(Debug, Default)]
pub struct Patterns {
    text: Vec<u8>,
    patterns: Vec<Pattern>,
    segments: Vec<Segment>,
}

#[derive(Debug)]
struct Pattern {
    /// Range in `Patterns::segments`.
    segments: Range<u32>,
    is_whitelist: bool,
    is_only_dir: bool,
}

/// The part between two slashes, in `Patterns::text`.
#[derive(Clone, Debug, PartialEq)]
enum Segment {
    /// `**`: any number of folders.
    AnyDepth,
    Name(Range<u32>),
}

/// The verdict of a file on a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    Ignored,
    Kept,
}

impl Patterns {
    /// Skips lines that are not patterns. `text` has less than 4 GiB.
    pub fn parse(text: &str) -> Self {
        let mut patterns = Self { text: text.as_bytes().to_vec(), ..Self::default() };
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let ended = line.strip_suffix('\n').unwrap_or(line);
            patterns.add_line(at, ended.strip_suffix('\r').unwrap_or(ended));
            at += line.len();
        }
        patterns
    }

    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The verdict of the last pattern that matches. `path` is relative to the folder of the file. `None`: no pattern
    /// matches, or the budget has no time left.
    pub fn verdict(&self, path: &Path, is_dir: bool, budget: &mut Budget) -> Option<Verdict> {
        let names: Vec<&[u8]> = path.iter().map(|name| name.as_encoded_bytes()).collect();
        for pattern in self.patterns.iter().rev() {
            if pattern.is_only_dir && !is_dir {
                continue;
            }
            let segments = &self.segments[pattern.segments.start as usize..pattern.segments.end as usize];
            let is_match = Matching { text: &self.text, budget }.path(segments, &names);
            if budget.stopped_by().is_some() {
                return None;
            }
            if is_match {
                return Some(if pattern.is_whitelist { Verdict::Kept } else { Verdict::Ignored });
            }
        }
        None
    }

    /// `start` is the position of `line` in the text.
    fn add_line(&mut self, start: usize, line: &str) {
        if line.starts_with('#') {
            return;
        }
        let mut line = if line.ends_with("\\ ") { line } else { line.trim_end() };
        if line.is_empty() {
            return;
        }
        let (mut at, mut is_whitelist, mut is_anchored) = (start, false, false);
        // A leading `!` or `#` after a backslash is literal, like other characters.
        if let Some(rest) = line.strip_prefix('!') {
            (is_whitelist, line, at) = (true, rest, at + 1);
        }
        if let Some(rest) = line.strip_prefix('/') {
            (is_anchored, line, at) = (true, rest, at + 1);
        }
        let mut is_only_dir = false;
        if let Some(rest) = line.strip_suffix('/') {
            is_only_dir = true;
            line = rest.strip_suffix('\\').unwrap_or(rest);
        }
        let Some(names) = split(line.as_bytes()) else { return };
        let first = self.segments.len();
        if !is_anchored && !line.contains('/') {
            self.segments.push(Segment::AnyDepth);
        }
        for name in names {
            let segment = match &line.as_bytes()[name.clone()] {
                b"**" => Segment::AnyDepth,
                _ => Segment::Name((at + name.start) as u32..(at + name.end) as u32),
            };
            // Two in a row match the same as one, but take longer.
            if segment != Segment::AnyDepth || self.segments[first..].last() != Some(&Segment::AnyDepth) {
                self.segments.push(segment);
            }
        }
        let segments = first as u32..self.segments.len() as u32;
        self.patterns.push(Pattern { segments, is_whitelist, is_only_dir });
    }
}

/// The names of a pattern: the parts between slashes outside classes. `None` if it cannot match anything: a range of a
/// class is reversed, or the last character is a backslash.
fn split(pattern: &[u8]) -> Option<Vec<Range<usize>>> {
    let (mut names, mut start, mut at) = (Vec::new(), 0, 0);
    // After a class without an end there are no classes.
    let mut has_classes = true;
    while let Some(&byte) = pattern.get(at) {
        match byte {
            b'\\' if at + 1 == pattern.len() => return None,
            b'\\' if pattern[at + 1] == b'/' => {
                names.push(start..at);
                start = at + 2;
                at += 1;
            }
            b'\\' => at += 1,
            b'[' if has_classes => match Class::parse(&pattern[at..]) {
                Some(class) if !class.is_ordered() => return None,
                Some(class) => at += class.length - 1,
                None => has_classes = false,
            },
            b'/' => {
                names.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    names.push(start..pattern.len());
    Some(names)
}

/// A class like `[!a-z]`.
struct Class<'a> {
    is_negated: bool,
    items: &'a [u8],
    /// Length of the whole class, in bytes.
    length: usize,
}

impl<'a> Class<'a> {
    /// The class at the start of `pattern`. `None` if it has no end. A bracket that comes first in a class does not end
    /// it.
    fn parse(pattern: &'a [u8]) -> Option<Self> {
        let is_negated = matches!(pattern.get(1), Some(b'!' | b'^'));
        let first = 1 + usize::from(is_negated);
        let end = first + 1 + pattern.get(first + 1..)?.iter().position(|&byte| byte == b']')?;
        Some(Self { is_negated, items: &pattern[first..end], length: end + 1 })
    }

    /// Calls back with each range until the callback returns true.
    fn any(&self, mut found: impl FnMut(u8, u8) -> bool) -> bool {
        let mut at = 0;
        while let Some(&low) = self.items.get(at) {
            let high = match self.items.get(at + 1..at + 3) {
                Some(&[b'-', high]) => high,
                _ => low,
            };
            let length = if self.items.get(at + 1) == Some(&b'-') && at + 2 < self.items.len() { 3 } else { 1 };
            if found(low, high) {
                return true;
            }
            at += length;
        }
        false
    }

    fn is_ordered(&self) -> bool {
        !self.any(|low, high| low > high)
    }

    fn contains(&self, byte: u8) -> bool {
        byte != b'/' && self.any(|low, high| (low..=high).contains(&byte)) != self.is_negated
    }
}

/// A pattern that is compared with a path. Both `path` and `name` remember only the last star: the text that it matches
/// grows, and earlier stars never need to change. The number of steps is therefore at most the product of both lengths.
struct Matching<'a> {
    text: &'a [u8],
    budget: &'a mut Budget,
}

impl Matching<'_> {
    fn path(&mut self, segments: &[Segment], names: &[&[u8]]) -> bool {
        // Most patterns are of this kind.
        if let [Segment::AnyDepth, Segment::Name(_)] = segments {
            return names.last().is_some_and(|name| self.segment(&segments[1], name));
        }
        let (mut at, mut next) = (0, 0);
        let mut star = None;
        while next < names.len() {
            if !self.budget.take_steps(1) {
                return false;
            }
            match segments.get(at) {
                Some(Segment::AnyDepth) => {
                    at += 1;
                    star = Some((at, next));
                    // At the end it matches at least one name: the contents of a folder, and not the folder.
                    if at == segments.len() {
                        return true;
                    }
                    continue;
                }
                Some(segment) if self.segment(segment, names[next]) => {
                    (at, next) = (at + 1, next + 1);
                    continue;
                }
                _ => {}
            }
            let Some((after, from)) = star else { return false };
            star = Some((after, from + 1));
            (at, next) = (after, from + 1);
        }
        at == segments.len()
    }

    fn segment(&mut self, segment: &Segment, name: &[u8]) -> bool {
        match segment {
            Segment::AnyDepth => true,
            Segment::Name(range) => self.name(&self.text[range.start as usize..range.end as usize], name),
        }
    }

    fn name(&mut self, pattern: &[u8], name: &[u8]) -> bool {
        let (mut at, mut next) = (0, 0);
        let mut star = None;
        while next < name.len() {
            if !self.budget.take_steps(1) {
                return false;
            }
            let byte = name[next];
            let length = match pattern.get(at) {
                Some(b'*') => {
                    at += 1;
                    star = Some((at, next));
                    continue;
                }
                Some(b'?') => Some(1),
                Some(b'\\') => (pattern.get(at + 1) == Some(&byte)).then_some(2),
                Some(b'[') => match Class::parse(&pattern[at..]) {
                    Some(class) => {
                        self.budget.take_steps(class.length);
                        class.contains(byte).then_some(class.length)
                    }
                    None => {
                        self.budget.take_steps(pattern.len() - at);
                        (byte == b'[').then_some(1)
                    }
                },
                Some(&literal) => (literal == byte).then_some(1),
                None => None,
            };
            if let Some(length) = length {
                (at, next) = (at + length, next + 1);
                continue;
            }
            let Some((after, from)) = star else { return false };
            star = Some((after, from + 1));
            (at, next) = (after, from + 1);
        }
        pattern[at.min(pattern.len())..].iter().all(|&byte| byte == b'*')
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ignore::Match;
    use ignore::gitignore::GitignoreBuilder;

    use super::*;
    use crate::Limits;
    use crate::pool::Stop;

    fn budget() -> Budget {
        let limits = Limits {
            max_lines: 1,
            max_bytes: 1,
            max_image_bytes: 1,
            max_file_bytes: 1,
            max_results: 1,
            max_entries: 1,
            max_search: Duration::from_secs(600),
        };
        Budget::new(&limits, &Stop::default())
    }

    fn verdict(rules: &str, path: &str, is_dir: bool) -> Option<Verdict> {
        Patterns::parse(rules).verdict(Path::new(path), is_dir, &mut budget())
    }

    /// The verdict of the crate `ignore`, which compiles expressions.
    fn compiled(rules: &str, path: &str, is_dir: bool) -> Option<Verdict> {
        let mut builder = GitignoreBuilder::new("");
        for line in rules.lines() {
            let _ = builder.add_line(None, line);
        }
        match builder.build().unwrap().matched(path, is_dir) {
            Match::Ignore(_) => Some(Verdict::Ignored),
            Match::Whitelist(_) => Some(Verdict::Kept),
            Match::None => None,
        }
    }

    #[test]
    fn patterns_match_as_those_of_git_do() {
        for (rules, ignored, kept) in [
            ("*.log", vec!["a.log", "b/a.log", ".log"], vec!["a.logs", "a.log/b"]),
            ("/a.log", vec!["a.log"], vec!["b/a.log"]),
            ("a/b", vec!["a/b"], vec!["c/a/b", "b"]),
            ("a/**/b", vec!["a/b", "a/c/b", "a/c/d/b"], vec!["ab", "b"]),
            ("a/**", vec!["a/b", "a/b/c"], vec!["a", "b/a/c"]),
            ("**/a/b", vec!["a/b", "c/a/b", "c/d/a/b"], vec!["ca/b"]),
            ("**", vec!["a", "a/b"], vec![]),
            ("a**b", vec!["ab", "acb", "x/ab"], vec!["a/b"]),
            ("a?c", vec!["abc"], vec!["ac", "a/c"]),
            ("[!a-c]x", vec!["dx", "-x"], vec!["ax", "bx", "x"]),
            ("a[/]b", vec![], vec!["a/b"]),
            ("\\#a\n\\!b", vec!["#a", "!b"], vec!["a", "b"]),
            ("a\\ \nb \nc\\*", vec!["a ", "b", "c*"], vec!["a", "b ", "cd"]),
            ("a\r\nb\\ \r\n", vec!["a", "b "], vec!["b"]),
            ("[a", vec!["[a"], vec!["a"]),
            ("[z-a]\na\\", vec![], vec!["z", "a", "a\\"]),
            ("*\n!*.c", vec!["a"], vec!["b.c"]),
            ("*a*b*c*", vec!["abc", "xaybzc", "aabbccdd"], vec!["acb", "ab"]),
            ("a\\/b", vec!["a/b"], vec!["a"]),
        ] {
            for path in ignored {
                assert_eq!(verdict(rules, path, false), Some(Verdict::Ignored), "{rules:?} {path:?}");
            }
            for path in kept {
                assert_ne!(verdict(rules, path, false), Some(Verdict::Ignored), "{rules:?} {path:?}");
            }
        }
        assert_eq!([false, true].map(|is_dir| verdict("a/", "a", is_dir)), [None, Some(Verdict::Ignored)]);
    }

    #[test]
    fn patterns_match_what_compiled_ones_match() {
        const PARTS: [&str; 16] =
            ["a", "b", "*", "**", "/", "/**/", "**/", "?", "[ab]", "[!/a]", "\\*", ".", "!", "]", "ab", "[a-c]"];
        // The test has its own generator, so that every run uses the same patterns.
        let mut state = 1_u64;
        let mut next = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % bound
        };
        let paths =
            ["a", "b", "ab", "a.b", "*", "a/b", "b/a", "a/b/a", "ab/a", "a/ab/b", "c", "a/c/b/a", "[a", "!a", "a/[b"];
        let mut differences = Vec::new();
        // The crate lets an empty name match everything, and `[!a]` match a slash.
        let is_known = |line: &str| line == "!" || line == "!/" || line.contains("//");
        for _ in 0..3_000 {
            let mut rules = String::new();
            for _ in 0..=next(2) {
                for _ in 0..=next(5) {
                    rules.push_str(PARTS[next(PARTS.len())]);
                }
                rules.push('\n');
            }
            if rules.lines().any(is_known) {
                continue;
            }
            for path in paths {
                for is_dir in [false, true] {
                    let [own, other] = [verdict, compiled].map(|of| of(rules.as_str(), path, is_dir));
                    if own != other {
                        differences.push(format!("{rules:?} {path} {is_dir}: {own:?}, not {other:?}"));
                    }
                }
            }
        }
        assert_eq!(differences, [""; 0]);
    }
}
