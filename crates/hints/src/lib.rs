//! What the writer of the code may have meant where it names something that is not there, or makes a mistake that models often make.
//!
//! V8's message says what is missing; the realm is asked what there is instead. A message can be forged: all that comes of it
//! is a hint about names that the guest sees anyway.

use ses_protocol::Location;

mod mistakes;

/// Longer names are none that somebody has mistyped.
const MAX_NAME: usize = 64;
/// Steps from the global to a value that is looked at.
const MAX_STEPS: usize = 16;
/// Names of a namespace that are listed where none of them is near.
const MAX_LISTED: usize = 12;

/// An error of guest code that nothing handled.
pub struct Uncaught<'a> {
    pub name: &'a str,
    pub message: &'a str,
    /// Where it comes from, in `source`.
    pub at: Option<Location>,
    /// The code as it was given.
    pub source: &'a str,
}

/// What there is at a place that code names.
#[derive(Clone)]
pub struct LookUp {
    /// What the member is: its type, or "missing"; or "nothing" or "unknown" of the place itself.
    pub kind: String,
    /// Names that there are.
    pub names: Vec<String>,
}

/// What hints are about, where the code has run.
pub trait Realm {
    /// What `path` leads to from the global, and its `member`; asked once for an error at most. `None`: it cannot be told.
    fn look_up(&mut self, path: &[String], member: &str) -> Option<LookUp>;
    /// Whether a tool of this name gives promises.
    fn is_async(&self, tool: &str) -> bool;
    /// Whether a variable of this name is the host's, and frozen.
    fn is_frozen(&self, variable: &str) -> bool;
}

/// What to do about the error, if something is known beyond the message: the first rule that has something to say.
pub fn hint(realm: &mut impl Realm, error: &Uncaught) -> Option<String> {
    mistakes::hint(realm, error)
        .or_else(|| unknown_name(realm, error))
        .or_else(|| unknown_method(realm, error))
        .or_else(|| member_of_nothing(realm, error))
}

/// `serch is not defined`.
fn unknown_name(realm: &mut impl Realm, error: &Uncaught) -> Option<String> {
    let name = error.message.strip_suffix(" is not defined").filter(|_| error.name == "ReferenceError")?;
    if is_type_argument(error, name) {
        return Some(format!(
            "`<{name}>` is TypeScript, and this was read as JavaScript: leave the type arguments out."
        ));
    }
    if MATH.contains(&name) {
        return Some(format!("Did you mean `Math.{name}`?"));
    }
    let LookUp { names, .. } = look_up(realm, &[], name)?;
    Some(format!("Did you mean `{}`?", nearest(name, &names)?))
}

/// Functions of `Math` whose names stand alone in other languages.
const MATH: [&str; 10] = ["abs", "ceil", "floor", "max", "min", "pow", "random", "round", "sqrt", "trunc"];

/// Whether the name is where the error is, as `string` in `new Set<string>(…)`.
fn is_type_argument(error: &Uncaught, name: &str) -> bool {
    let Some((before, after)) = error.at.and_then(|at| split_at(error.source, at)) else { return false };
    let is_of_a_name = before.strip_suffix('<').is_some_and(|of| of.ends_with(|c: char| c.is_alphanumeric()));
    is_of_a_name && after.strip_prefix(name).is_some_and(|behind| behind.starts_with(['>', ',', '[']))
}

/// `rows.fliter is not a function`, as V8 renders what was called.
fn unknown_method(realm: &mut impl Realm, error: &Uncaught) -> Option<String> {
    let called = error.message.strip_suffix(" is not a function").filter(|_| error.name == "TypeError")?;
    let Some((receiver, method)) = called.rsplit_once('.') else {
        let path = path_of(called)?;
        let LookUp { kind, names } = look_up(realm, &path, "")?;
        return if kind == "missing" { listed(called, &names) } else { None };
    };
    let path = path_of(receiver).filter(|path| !is_local(error.source, &path[0]));
    let LookUp { kind, names } = look_up(realm, path.as_deref().unwrap_or(&[UNKNOWN.to_owned()]), method)?;
    let receiver = path.map(|_| receiver);
    match (kind.as_str(), receiver) {
        ("missing", Some(receiver)) if is_promise(&names) => Some(awaited(receiver)),
        ("missing", Some(receiver)) => match nearest(method, &names) {
            Some(near) => Some(format!("`{receiver}` has no `{method}`. Did you mean `{near}`?")),
            None => listed(receiver, &names),
        },
        ("unknown" | "missing", _) if method == "length" || method == "size" => {
            Some(format!("`{method}` is no function: leave out the parentheses."))
        }
        ("unknown" | "missing", _) => Some(format!("Did you mean `{}`?", nearest(method, &names)?)),
        ("nothing", _) => None,
        (kind, Some(receiver)) => Some(format!("`{receiver}.{method}` is {}, not a function.", with_article(kind))),
        (_, None) => None,
    }
}

/// `Cannot read properties of undefined (reading 'street')`: the code says what is undefined.
fn member_of_nothing(realm: &mut impl Realm, error: &Uncaught) -> Option<String> {
    let rest = error.message.strip_prefix("Cannot ").filter(|_| error.name == "TypeError")?;
    let rest = rest.strip_prefix("read properties of ").or_else(|| rest.strip_prefix("set properties of "))?;
    let (what, rest) = rest.split_once(" (")?;
    let (_, member) = rest.strip_suffix("')")?.split_once(" '")?;
    let receiver = receiver_at(error.source, error.at?, member)?;
    let path = path_of(receiver)?;
    let (last, parents) = path.split_last()?;
    if parents.is_empty() || is_local(error.source, &path[0]) {
        return (receiver != what).then(|| format!("`{receiver}` is {what}."));
    }
    let parent = &receiver[..receiver.rfind(['.', '['])?].trim_end_matches('?');
    let LookUp { kind, names } = look_up(realm, parents, last)?;
    match (kind.as_str(), nearest(last, &names)) {
        ("missing", _) if is_promise(&names) => Some(awaited(parent)),
        ("missing", Some(near)) => Some(format!("`{parent}` has no `{last}`. Did you mean `{near}`?")),
        ("missing", None) => Some(format!("`{parent}` has no `{last}`.")),
        _ => Some(format!("`{receiver}` is {what}.")),
    }
}

/// Bytes in which the parentheses round a name are looked for.
const MAX_PARAMETERS: usize = 512;
/// Places of a name that are looked at.
const MAX_PLACES: usize = 64;

/// Whether a name seems to be a parameter, or declared in a block, somewhere: what is on the global by that name may not be meant.
fn is_local(source: &str, name: &str) -> bool {
    let mut places = source.match_indices(name).take(MAX_PLACES).filter_map(|(at, _)| {
        let (before, after) = (&source[..at], &source[at + name.len()..]);
        (!before.ends_with(|c| is_part(c) || c == '.') && !after.starts_with(is_part)).then_some((before, after))
    });
    places.any(|(before, after)| {
        let is_declared = ["const", "let", "var"].iter().any(|kind| before.trim_end().ends_with(kind));
        let is_in_block = || before.matches('{').count() > before.matches('}').count();
        after.trim_start().starts_with("=>") || (is_declared && is_in_block()) || is_parameter(before, after)
    })
}

/// Whether what is between the two texts stands in the parentheses of an arrow function, a function or a `catch` clause.
fn is_parameter(before: &str, after: &str) -> bool {
    let mut depth = 0;
    let open = before.char_indices().rev().take(MAX_PARAMETERS).find_map(|(at, c)| {
        depth += i32::from(c == ')') - i32::from(c == '(');
        (depth < 0).then_some(at)
    });
    depth = 0;
    let close = after.char_indices().take(MAX_PARAMETERS).find_map(|(at, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (depth < 0).then_some(at + 1)
    });
    let (Some(open), Some(close)) = (open, close) else { return false };
    let head = before[..open].trim_end();
    let named = head.trim_end_matches(is_part).trim_end();
    after[close..].trim_start().starts_with("=>")
        || ["function", "function*"].iter().any(|of| head.ends_with(of) || named.ends_with(of))
        || head.ends_with("catch")
}

/// Whether names are those of a promise.
fn is_promise(names: &[String]) -> bool {
    ["then", "catch", "finally"].iter().all(|&of_promises| names.iter().any(|name| name == of_promises))
}

fn awaited(promise: &str) -> String {
    format!("`{promise}` is a promise: write `(await {promise})`.")
}

/// A name that no guest can have, for what cannot be looked up.
const UNKNOWN: &str = "__smol_unknown";

fn look_up(realm: &mut impl Realm, path: &[String], member: &str) -> Option<LookUp> {
    if member.len() > MAX_NAME {
        return None;
    }
    let LookUp { kind, mut names } = realm.look_up(path, member)?;
    // Others cannot be written behind a dot, and may be of several lines.
    names.retain(|name| name.split('.').all(is_identifier));
    Some(LookUp { kind, names })
}

/// The steps of `rows[0].name` or `a?.b`; `None` for anything else.
fn path_of(text: &str) -> Option<Vec<String>> {
    let mut path = Vec::new();
    for part in text.split('.') {
        let part = part.strip_suffix('?').unwrap_or(part);
        let (name, indices) = part.split_at(part.find('[').unwrap_or(part.len()));
        if !is_identifier(name) {
            return None;
        }
        path.push(name.to_owned());
        for index in indices.split_terminator(']') {
            let index = index.strip_prefix('[')?;
            if index.is_empty() || !index.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            path.push(index.to_owned());
        }
    }
    (path.len() <= MAX_STEPS).then_some(path)
}

fn is_identifier(name: &str) -> bool {
    name.len() <= MAX_NAME && name.chars().all(is_part) && name.chars().next().is_some_and(|c| !c.is_ascii_digit())
}

/// Of a name.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// What `member` is read of at a place of the source, where V8 has found it.
fn receiver_at<'a>(source: &'a str, at: Location, member: &str) -> Option<&'a str> {
    let (before, after) = split_at(source, at)?;
    let before = if after.starts_with(member) { before.trim_end().strip_suffix('.')? } else { before };
    let before = before.strip_suffix('?').unwrap_or(before);
    let is_of_path = |c: char| is_part(c) || ".?[]".contains(c);
    let from = before.char_indices().rev().take_while(|&(_, c)| is_of_path(c)).last()?.0;
    Some(&before[from..])
}

/// The line of a place.
fn line_of(source: &str, at: Location) -> Option<&str> {
    source.split(['\n', '\r', '\u{2028}', '\u{2029}']).nth(at.line.checked_sub(1)? as usize)
}

/// The line of a place, before it and from it on.
fn split_at(source: &str, at: Location) -> Option<(&str, &str)> {
    let line = line_of(source, at)?;
    let mut units = 0;
    let start = line.char_indices().find(|&(_, c)| {
        units += c.len_utf16();
        units >= at.column as usize
    })?;
    Some(line.split_at(start.0))
}

/// The name that was meant: the same but for case and `_`, or one that differs in few letters.
fn nearest<'a>(wanted: &str, names: &'a [String]) -> Option<&'a str> {
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    // What has failed is no advice.
    let names = names.iter().filter(|name| *name != wanted);
    let wanted = plain(wanted);
    let most = match wanted.chars().count() {
        0..=2 => 0,
        3..=5 => 1,
        6..=9 => 2,
        _ => 3,
    };
    let distances = names.map(|name| {
        // Of a function in a namespace, its own name counts.
        let own = name.rsplit_once('.').map_or(name.as_str(), |(_, own)| own);
        (strsim::osa_distance(&wanted, &plain(own)), name.as_str())
    });
    distances.filter(|&(distance, _)| distance <= most).min_by_key(|&(distance, _)| distance).map(|(_, name)| name)
}

/// The members of a namespace of tools.
fn listed(receiver: &str, names: &[String]) -> Option<String> {
    let own: Vec<_> = names.iter().take_while(|name| *name != "constructor").collect();
    let is_list = own.iter().any(|name| *name == "length");
    if own.is_empty() || own.len() > MAX_LISTED || is_list {
        return None;
    }
    let own: Vec<_> = own.into_iter().map(|name| format!("`{name}`")).collect();
    Some(format!("`{receiver}` has {}.", own.join(", ")))
}

fn with_article(kind: &str) -> String {
    match kind {
        "undefined" => kind.to_owned(),
        _ if kind.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_names_and_indices() {
        let path = |text: &str| path_of(text).map(|path| path.join(" "));
        assert_eq!(path("rows"), Some("rows".to_owned()));
        assert_eq!(path("a.b[0][12].c?.d"), Some("a b 0 12 c d".to_owned()));
        for other in ["", "a.", "a[i]", "(intermediate value)", "f()", "a..b", "2", "a[]", "this."] {
            assert_eq!(path(other), None, "{other}");
        }
    }

    #[test]
    fn the_receiver_is_in_front_of_the_member() {
        let at = |line, column| Location { line, column };
        assert_eq!(receiver_at("x;\nf(user.adress.street)", at(2, 15), "street"), Some("user.adress"));
        assert_eq!(receiver_at("\u{1F600}; user?.name", at(1, 11), "name"), Some("user"));
        assert_eq!(receiver_at("f().x", at(1, 5), "x"), None);
        assert_eq!(receiver_at("", at(1, 1), "x"), None);
        assert_eq!(receiver_at("a", at(7, 1), "x"), None);
    }

    #[test]
    fn a_name_is_local_where_it_is_a_parameter_or_of_a_block() {
        for code in [
            "list.map(rows => rows.a)",
            "list.map((x, rows) => rows.a)",
            "list.map(({ rows }) => f(rows))",
            "function f(a, rows) {}",
            "const f = function (rows) {}",
            "try {} catch (rows) {}",
            "{ const rows = 1; }",
            "function f() { let rows; }",
        ] {
            assert!(is_local(code, "rows"), "{code}");
        }
        for code in [
            "rows.a",
            "f(rows)",
            "const rows = 1; { rows }",
            "let rowsOf = (a) => 1",
            "a.rows => 1",
            "f((rows), () => 1)",
        ] {
            assert!(!is_local(code, "rows"), "{code}");
        }
    }

    #[test]
    fn the_nearest_name_differs_in_few_letters() {
        let names: Vec<String> = ["filter", "find", "map", "Host.readDoc", "search", "Map"].map(str::to_owned).to_vec();
        assert_eq!(nearest("fliter", &names), Some("filter"));
        assert_eq!(nearest("read_doc", &names), Some("Host.readDoc"));
        assert_eq!(nearest("serch", &names), Some("search"));
        assert_eq!(nearest("mpa", &names), Some("map"));
        assert_eq!(nearest("xy", &names), None);
        assert_eq!(nearest("total", &names), None);
    }
}
