//! Hints about mistakes that models often make: they think of another language, of values that they may change, or forget
//! `await`. What V8's message says is read together with the line of the source that it is about.

use crate::{Realm, Uncaught, is_local, is_part, line_of};

/// Bytes of a line that is looked through. 2 KiB.
const MAX_LINE_BYTES: usize = 2 << 10;

/// Names of Python with what to write instead.
const PYTHON: [(&str, &str); 12] = [
    ("print", "`console.log(…)`"),
    ("None", "`null`"),
    ("True", "`true`"),
    ("False", "`false`"),
    ("len", "`value.length`, or `value.size` of a Map or Set"),
    ("range", "a `for` loop, or `[...Array(n).keys()]`"),
    ("str", "`String(value)`"),
    ("int", "`Math.trunc(value)`, or `parseInt(text, 10)`"),
    ("float", "`Number(text)`"),
    ("dict", "an object, or `new Map()`"),
    ("list", "`Array.from(values)`"),
    ("sorted", "`values.toSorted(…)`"),
];

/// What to do about the error, if it is a known mistake.
pub fn hint(realm: &impl Realm, error: &Uncaught) -> Option<String> {
    python_name(error).or_else(|| {
        let line = short_line_of(error)?;
        missing_await(realm, error, line).or_else(|| frozen(realm, error, line))
    })
}

fn python_name(error: &Uncaught) -> Option<String> {
    let name = error.message.strip_suffix(" is not defined").filter(|_| error.name == "ReferenceError")?;
    let (_, instead) = PYTHON.iter().find(|(python, _)| *python == name)?;
    Some(format!("`{name}` is Python. In JavaScript write {instead}."))
}

/// `search(q).results`, where `search` gives a promise.
fn missing_await(realm: &impl Realm, error: &Uncaught, line: &str) -> Option<String> {
    let is_about_a_member = error.name == "TypeError"
        && (error.message.ends_with(" is not a function")
            || error.message.ends_with(" is not iterable")
            || error.message.starts_with("Cannot read properties of undefined"));
    if !is_about_a_member {
        return None;
    }
    if let Some(name) = error.message.strip_suffix(" is not a function or its return value is not iterable") {
        return realm.is_async(name).then(|| format!("`{name}` gives a promise: write `await {name}(…)`."));
    }
    calls_in(line).find_map(|(name, before, after)| {
        let member: String = after.strip_prefix('.')?.chars().take_while(|&c| is_part(c)).collect();
        let is_handled = matches!(member.as_str(), "then" | "catch" | "finally" | "");
        let is_awaited = before.trim_end().ends_with("await");
        (!is_handled && !is_awaited && realm.is_async(name))
            .then(|| format!("`{name}` gives a promise: write `(await {name}(…)).{member}`."))
    })
}

/// Something that may not be changed: a constant of an earlier run, or a value of the host's.
fn frozen(realm: &impl Realm, error: &Uncaught, line: &str) -> Option<String> {
    if error.name != "TypeError" || error.message.ends_with(" of a built-in") {
        return None;
    }
    let constant = quoted(error.message, "Cannot assign to read only property '", "' of object ")
        .or_else(|| quoted(error.message, "Cannot set property ", " of "))
        .filter(|name| is_assigned(line, name));
    if let Some(name) = constant {
        return Some(format!(
            "`{name}` is a constant of an earlier run. Declare it again to change it: `let {name} = …`."
        ));
    }
    let is_change = ["Cannot assign to read only property ", "Cannot add property ", "Cannot delete property "]
        .iter()
        .any(|beginning| error.message.starts_with(beginning));
    let is_of_host = |name: &&str| realm.is_frozen(name) && !is_local(error.source, name);
    let name = owners_in(line).find(|name| is_change && is_of_host(name))?;
    Some(format!(
        "`{name}` is a variable of the host's, and frozen. Change a copy: `const copy = JSON.parse(JSON.stringify({name}))`."
    ))
}

/// The line of the source where the error is, unless it is longer than anybody writes one: what looks through it takes the
/// square of its length.
fn short_line_of<'a>(error: &Uncaught<'a>) -> Option<&'a str> {
    line_of(error.source, error.at?).filter(|line| line.len() <= MAX_LINE_BYTES)
}

fn quoted<'a>(message: &'a str, before: &str, after: &str) -> Option<&'a str> {
    message.strip_prefix(before)?.split_once(after).map(|(name, _)| name)
}

/// Whether the name itself is written to, not a property.
fn is_assigned(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        let is_name = !before.ends_with(|c| is_part(c) || c == '.') && !after.starts_with(is_part);
        let after = after.trim_start();
        let is_plain = after.starts_with('=') && !after.starts_with("==");
        let is_update = after.starts_with("++") || after.starts_with("--") || before.trim_end().ends_with(['+', '-']);
        let is_compound =
            after.find('=').is_some_and(|at| (1..=3).contains(&at) && after[..at].bytes().all(is_operator));
        is_name && (is_plain || is_update || is_compound)
    })
}

fn is_operator(byte: u8) -> bool {
    b"+-*/%&|^?<>".contains(&byte)
}

/// Names of which a property is named: `rows` in `rows.a` and `rows[0]`.
fn owners_in(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices(['.', '[']).filter_map(|(at, _)| {
        let before = line[..at].trim_end_matches('?');
        let outer = before.trim_end_matches(is_part);
        let name = &before[outer.len()..];
        (!name.is_empty() && !outer.ends_with('.')).then_some(name)
    })
}

/// Calls in a line: the path of the function, what is in front of it, and what comes behind its arguments.
fn calls_in(line: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    line.match_indices('(').filter_map(|(open, _)| {
        let name = line[..open]
            .rfind(|c: char| !is_part(c) && c != '.')
            .map_or(0, |at| at + line[at..].chars().next().map_or(1, char::len_utf8));
        let mut depth = 0_usize;
        let close = line[open..].char_indices().find_map(|(at, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(open + at + 1)
        })?;
        (name < open).then(|| (&line[name..open], &line[..name], line[close..].trim_start_matches('?')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_with_what_is_round_them() {
        let calls: Vec<_> = calls_in("const r = a.b(f(1), \"x\")?.results;").collect();
        assert_eq!(calls, [("a.b", "const r = ", ".results;"), ("f", "const r = a.b(", ", \"x\")?.results;")]);
        assert_eq!(calls_in("(1").count(), 0);
        assert_eq!(calls_in("é(1)").map(|(name, ..)| name).collect::<Vec<_>>(), ["é"]);
    }

    #[test]
    fn writes_to_a_name_are_told_from_writes_to_properties() {
        for line in ["K = 2", "x; K += 1", "K++", "--K", "K ??= 1", "  K  =  2"] {
            assert!(is_assigned(line, "K"), "{line}");
        }
        for line in ["o.K = 2", "K == 2", "K.a = 2", "KK = 2", "[K]", "f(K)"] {
            assert!(!is_assigned(line, "K"), "{line}");
        }
    }
}
