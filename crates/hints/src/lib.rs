//! Guesses what the author of the code meant when it names something that does not exist, or makes a mistake that
//! models often make.
//!
//! V8's message says what is missing, and the realm is asked what exists instead. A message can be forged, but all it
//! can cause is a hint about names that the guest sees anyway.

use ses_protocol::Location;

mod methods;
mod mistakes;
mod names;
pub mod run_outcomes;
mod unknown;

use names::{Step, Tokens, is_part};

/// Longer names are not the result of a typing error.
const MAX_NAME: usize = 64;
/// Steps from the global to the examined value.
const MAX_STEPS: usize = 16;
/// Names of a namespace that are listed if none of them is similar.
const MAX_LISTED: usize = 12;

/// Maximum length of a shown expression that is undefined, in bytes.
const MAX_REACHED: usize = 100;

/// An error of guest code that nothing caught.
pub struct Uncaught<'a> {
    pub name: &'a str,
    pub message: &'a str,
    /// Its place in `source`.
    pub at: Option<Location>,
    /// The original code.
    pub source: &'a str,
}

/// What exists at a place that code names.
#[derive(Clone)]
pub struct LookUp {
    /// The kind of the member: its type, "missing", or "accessor" if only a getter knows it; or, for the place itself,
    /// "nothing" or "unknown".
    pub kind: String,
    /// Existing names. For the global, those of the guest and the host.
    pub names: Vec<String>,
    /// For the global, the language's own names.
    pub built_ins: Vec<String>,
}

/// The realm in which the code has run.
pub trait Realm {
    /// Where `path` leads from the global, and its `member`. Asked at most once per error. `None`: unknown.
    fn look_up(&mut self, path: &[String], member: &str) -> Option<LookUp>;
    /// Whether there is a tool, or a namespace of tools, with this name.
    fn is_tool(&self, name: &str) -> bool;
    /// Whether the global has a tool that returns promises or an async function by this name, or by these names with
    /// dots between them.
    fn is_async(&mut self, function: &str) -> bool;
    /// Whether the value of a variable comes from the host and is frozen.
    fn is_frozen(&mut self, variable: &str) -> bool;
    /// Whether the host has provided any frozen value.
    fn has_frozen(&self) -> bool;
    /// Whether a program of the session contains `text`.
    fn is_in_a_program(&self, text: &str) -> bool;
}

/// What to do about the error, if more is known than the message says: the first rule that applies.
pub fn hint(realm: &mut impl Realm, error: &Uncaught) -> Option<String> {
    let tokens = Tokens::of(error.source)?;
    let offset = offset_of(error.source, error.at?)?;
    let code = Code { tokens: &tokens, at: tokens.at(offset)?, line: line_of(error.source, error.at?)? };
    mistakes::hint(realm, error, &code)
        .or_else(|| unknown::name(realm, error, &code))
        .or_else(|| unknown_method(realm, error, &code))
        .or_else(|| member_of_nothing(realm, error, &code))
        .or_else(|| not_iterable(realm, error, &code))
}

/// The source of an error.
struct Code<'a> {
    tokens: &'a Tokens<'a>,
    /// The token at the error, or the last one before it.
    at: usize,
    line: &'a str,
}

impl Code<'_> {
    /// Whether a name may refer to something other than the global's property.
    fn is_local(&self, name: &str) -> bool {
        self.tokens.declared(name).inside
    }
}

/// `rows.fliter is not a function`, as V8 renders the called expression.
fn unknown_method(realm: &mut impl Realm, error: &Uncaught, code: &Code) -> Option<String> {
    let called = error.message.strip_suffix(" is not a function").filter(|_| error.name == "TypeError")?;
    let Some((receiver, method)) = called.rsplit_once('.') else {
        let path = path_of(called)?;
        let LookUp { kind, names, .. } = look_up(realm, &path, "")?;
        return if kind == "missing" { listed(called, &names) } else { None };
    };
    let path = path_of(receiver).filter(|path| !code.is_local(&path[0]));
    let LookUp { kind, names, .. } = look_up(realm, path.as_deref().unwrap_or(&[UNKNOWN.to_owned()]), method)?;
    let known = path.map(|_| receiver);
    match (kind.as_str(), known) {
        ("missing", Some(receiver)) if is_promise(&names) => Some(awaited(receiver)),
        ("missing", Some(receiver)) => {
            let listed = || listed(receiver, &names);
            let foreign = methods::foreign(receiver, Some(&names), method);
            foreign.or_else(|| methods::misplaced(receiver, Some(&names), method)).or_else(|| {
                match nearest(method, &names) {
                    Some(near) => Some(format!("`{receiver}` has no `{method}`. Did you mean `{near}`?")),
                    None => listed(),
                }
            })
        }
        ("accessor", _) if method == "size" => {
            Some("`size` is a property, not a function: leave out the parentheses.".to_owned())
        }
        ("unknown" | "missing", _) if method == "length" || method == "size" => Some(
            "An array or a string has `length`, a Map or a Set has `size`: write it without parentheses.".to_owned(),
        ),
        ("unknown" | "missing", _) if names.iter().any(|name| name == method) => {
            methods::misplaced(receiver, None, method)
        }
        ("unknown" | "missing", _) => {
            let foreign = methods::foreign(receiver, None, method);
            foreign.or_else(|| Some(format!("Did you mean `{}`?", nearest(method, &names)?)))
        }
        ("nothing" | "accessor", _) => None,
        (kind, Some(receiver)) => Some(format!("`{receiver}.{method}` is {}, not a function.", with_article(kind))),
        (_, None) => None,
    }
}

/// `Cannot read properties of undefined (reading 'street')`: the code shows what is undefined.
fn member_of_nothing(realm: &mut impl Realm, error: &Uncaught, code: &Code) -> Option<String> {
    let rest = error.message.strip_prefix("Cannot ").filter(|_| error.name == "TypeError")?;
    let rest = rest.strip_prefix("read properties of ").or_else(|| rest.strip_prefix("set properties of "))?;
    let (what, rest) = rest.split_once(" (")?;
    let (_, member) = rest.strip_suffix("')")?.split_once(" '")?;
    let receiver = receiver_at(error.source, error.at?, member).unwrap_or_default();
    let Some(path) = path_of(receiver) else { return Some(format!("`{}` is {what}.", reached(code, member)?)) };
    let (last, parents) = path.split_last()?;
    if parents.is_empty() || code.is_local(&path[0]) {
        return (receiver != what).then(|| format!("`{receiver}` is {what}."));
    }
    let parent = &receiver[..receiver.rfind(['.', '['])?].trim_end_matches('?');
    let LookUp { kind, mut names, .. } = look_up(realm, parents, last)?;
    if kind == "missing" && is_promise(&names) {
        return Some(awaited(parent));
    }
    // A list has no names for its indices.
    if kind != "missing" || !is_identifier(last) {
        return Some(format!("`{receiver}` is {what}."));
    }
    let is_map = methods::is_map(&names);
    // Inherited names are methods, but data was meant.
    names.truncate(own_names(&names).len());
    Some(match nearest(last, &names) {
        Some(near) => format!("`{parent}` has no `{last}`. Did you mean `{near}`?"),
        None if is_map => format!("`{parent}` is a Map: write `{parent}.get('{last}')`."),
        None => format!("`{parent}` has no `{last}`."),
    })
}

/// The expression that `member` is read from, if it contains a call or an index that is not a number: `rows.find(…)`,
/// `rows[i]`.
fn reached(code: &Code, member: &str) -> Option<String> {
    let at = code.tokens.member_at(code.at);
    let is_there = code.tokens.text(at) == member || code.tokens.text(at) == "[";
    let steps = code.tokens.chain(code.tokens.end_of_receiver(at).filter(|_| is_there)?);
    let text: String = steps
        .iter()
        .enumerate()
        .map(|(at, step)| match step {
            Step::Name(name) if at == 0 => (*name).to_owned(),
            Step::Name(name) => format!(".{name}"),
            Step::Index(index) => format!("[{index}]"),
            Step::Call => "(…)".to_owned(),
        })
        .collect();
    (steps.len() > 1 && text.len() <= MAX_REACHED).then_some(text)
}

/// `rows is not iterable`.
fn not_iterable(realm: &mut impl Realm, error: &Uncaught, code: &Code) -> Option<String> {
    let value = error.message.strip_suffix(" is not iterable").filter(|_| error.name == "TypeError")?;
    let path = path_of(value).filter(|path| !code.is_local(&path[0]))?;
    let LookUp { kind, names, .. } = look_up(realm, &path, "")?;
    match kind.as_str() {
        "missing" if is_promise(&names) => Some(format!("`{value}` is a promise: write `await {value}`.")),
        "missing" => Some(format!("`{value}` is not iterable: it has {}.", own_list(&names)?)),
        _ => None,
    }
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
    let LookUp { kind, mut names, built_ins } = realm.look_up(path, member)?;
    let is_of_texts = names.iter().any(|name| name == "charCodeAt");
    // Other names cannot be written after a dot, and may span lines.
    names.retain(|name| name.split('.').all(is_identifier) && !(is_of_texts && HTML.contains(&name.as_str())));
    Some(LookUp { kind, names, built_ins })
}

/// Methods of strings that are never meant.
const HTML: [&str; 13] = [
    "anchor",
    "big",
    "blink",
    "bold",
    "fixed",
    "fontcolor",
    "fontsize",
    "italics",
    "link",
    "small",
    "strike",
    "sub",
    "sup",
];

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

/// The expression that `member` is read from, at the place of the source that V8 reports.
fn receiver_at<'a>(source: &'a str, at: Location, member: &str) -> Option<&'a str> {
    let (before, after) = split_at(source, at)?;
    let before = if after.starts_with(member) { before.trim_end().strip_suffix('.')? } else { before };
    let before = before.strip_suffix('?').unwrap_or(before);
    let is_of_path = |c: char| is_part(c) || ".?[]".contains(c);
    let from = before.char_indices().rev().take_while(|&(_, c)| is_of_path(c)).last()?.0;
    Some(&before[from..])
}

/// Where a line begins; `\r\n` ends one line.
fn line_start(source: &str, line: u32) -> Option<usize> {
    let mut start = 0;
    for _ in 1..line {
        let end = start + source[start..].find(LINE_ENDS)?;
        let ending = &source[end..];
        let length = if ending.starts_with("\r\n") { 2 } else { ending.chars().next().map_or(1, char::len_utf8) };
        start = end + length;
    }
    (line > 0).then_some(start)
}

const LINE_ENDS: [char; 4] = ['\n', '\r', '\u{2028}', '\u{2029}'];

/// The line of a place.
pub fn line_of(source: &str, at: Location) -> Option<&str> {
    source[line_start(source, at.line)?..].split(LINE_ENDS).next()
}

/// The line of a place, split into the part before the place and the rest.
fn split_at(source: &str, at: Location) -> Option<(&str, &str)> {
    let line = line_of(source, at)?;
    let mut units = 0;
    let start = line.char_indices().find(|&(_, c)| {
        units += c.len_utf16();
        units >= at.column as usize
    })?;
    Some(line.split_at(start.0))
}

/// The byte offset of a place. A place beyond its line is at the end of the line.
fn offset_of(source: &str, at: Location) -> Option<usize> {
    let line = line_of(source, at)?.len();
    Some(line_start(source, at.line)? + split_at(source, at).map_or(line, |(before, _)| before.len()))
}

/// A name without differences of style.
fn plain(name: &str) -> String {
    name.replace('_', "").to_lowercase()
}

/// The name that was meant: one that differs only in case and `_`, or one that differs in few letters. For a name of
/// two letters, the only name that has both and one more.
fn nearest<'a>(wanted: &str, names: &'a [String]) -> Option<&'a str> {
    // The name that failed is not advice.
    let names = names.iter().filter(|name| *name != wanted);
    let wanted = plain(wanted);
    let most = match wanted.chars().count() {
        2 => return completed(&wanted, names),
        0..=2 => 0,
        3..=5 => 1,
        6..=9 => 2,
        _ => 3,
    };
    let distances = names.map(|name| {
        // For a function in a namespace, only the function's own name counts.
        let own = plain(name.rsplit_once('.').map_or(name.as_str(), |(_, own)| own));
        let distance = strsim::osa_distance(&wanted, &own);
        (if is_other_word(&wanted, &own) { distance + most } else { distance }, name.as_str())
    });
    distances.filter(|&(distance, _)| distance <= most).min_by_key(|&(distance, _)| distance).map(|(_, name)| name)
}

/// The only name of three letters that has one more letter than `wanted` after the first, or that differs only in case.
fn completed<'a>(wanted: &str, names: impl Iterator<Item = &'a String> + Clone) -> Option<&'a str> {
    let same = names.clone().find(|name| plain(name) == wanted);
    let is_near = |name: &&String| {
        let name = plain(name);
        name.chars().count() == 3
            && name.chars().next() == wanted.chars().next()
            && strsim::osa_distance(wanted, &name) == 1
    };
    let mut near = names.filter(is_near);
    let only = near.next().filter(|_| near.next().is_none());
    same.or(only).map(String::as_str)
}

/// Whether two short names have the same length and different letters: `max` and `map` are two words.
fn is_other_word(a: &str, b: &str) -> bool {
    let letters = |name: &str| {
        let mut letters: Vec<char> = name.chars().collect();
        letters.sort_unstable();
        letters
    };
    let (a, b) = (letters(a), letters(b));
    a.len() == b.len() && a.len() <= 4 && a != b
}

/// The members of a namespace of tools.
fn listed(receiver: &str, names: &[String]) -> Option<String> {
    Some(format!("`{receiver}` has {}.", own_list(names)?))
}

/// The names that are not inherited, of an object with few names.
fn own_list(names: &[String]) -> Option<String> {
    let own = own_names(names);
    let is_list = own.iter().any(|name| *name == "length");
    if own.is_empty() || own.len() > MAX_LISTED || is_list {
        return None;
    }
    let own: Vec<_> = own.iter().map(|name| format!("`{name}`")).collect();
    Some(own.join(", "))
}

/// The names that are not inherited.
fn own_names(names: &[String]) -> &[String] {
    &names[..names.iter().position(|name| name == "constructor").unwrap_or(names.len())]
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

    /// A realm about which nothing is known.
    struct Nowhere;

    impl Realm for Nowhere {
        fn look_up(&mut self, _: &[String], _: &str) -> Option<LookUp> {
            None
        }

        fn is_tool(&self, _: &str) -> bool {
            false
        }

        fn is_async(&mut self, _: &str) -> bool {
            false
        }

        fn is_frozen(&mut self, _: &str) -> bool {
            false
        }

        fn has_frozen(&self) -> bool {
            false
        }

        fn is_in_a_program(&self, _: &str) -> bool {
            false
        }
    }

    #[test]
    fn what_is_undefined_is_called_as_it_is_written() {
        let hint = |source: &str, column, member: &str| {
            let message = format!("Cannot read properties of undefined (reading '{member}')");
            let line = source.lines().count() as u32;
            let at = Some(Location { line, column });
            hint(&mut Nowhere, &Uncaught { name: "TypeError", message: &message, at, source })
        };
        assert_eq!(hint("rows[i].a", 9, "a").as_deref(), Some("`rows[i]` is undefined."));
        assert_eq!(hint("rows[i + 1][0]", 12, "0").as_deref(), Some("`rows[…]` is undefined."));
        assert_eq!(hint("f(1).a", 5, "a").as_deref(), Some("`f(…)` is undefined."));
        assert_eq!(hint("f(1).a.b", 8, "b").as_deref(), Some("`f(…).a` is undefined."));
        assert_eq!(hint("this.f()?.a.b", 13, "b").as_deref(), Some("`this.f(…).a` is undefined."));
        assert_eq!(hint("x; rows.find(f).a", 16, "a").as_deref(), Some("`rows.find(…)` is undefined."));
        for (source, column) in [
            ("(await f()).a", 12),
            ("return (await f()).a", 19),
            ("if (x) (await f()).a", 19),
            ("[1][i].a", 7),
            ("f(1).b", 5),
            ("f(...a", 6),
            ("f(1)", 1),
            ("a", 9),
        ] {
            assert_eq!(hint(source, column, "a"), None, "{source}");
        }
    }

    #[test]
    fn lines_end_as_in_the_language() {
        let line = |line| line_of("a\r\nb\nc\rd\u{2028}e\n\nf", Location { line, column: 1 });
        let lines: Vec<_> = (0..=8).map(line).collect();
        assert_eq!(lines, [None, Some("a"), Some("b"), Some("c"), Some("d"), Some("e"), Some(""), Some("f"), None]);
    }

    #[test]
    fn the_nearest_name_differs_in_few_letters() {
        let names: Vec<String> = ["filter", "find", "map", "Host.readDoc", "search", "Map"].map(str::to_owned).to_vec();
        assert_eq!(nearest("fliter", &names), Some("filter"));
        assert_eq!(nearest("read_doc", &names), Some("Host.readDoc"));
        assert_eq!(nearest("serch", &names), Some("search"));
        assert_eq!(nearest("mpa", &names), Some("map"));
        assert_eq!(nearest("max", &names), None);
        assert_eq!(nearest("maps", &names), Some("map"));
        assert_eq!(nearest("xy", &names), None);
        assert_eq!(nearest("total", &names), None);
        let names: Vec<String> = ["get", "set", "add", "all", "any", "tools.max"].map(str::to_owned).to_vec();
        let near: Vec<_> = ["gt", "ad", "al", "an", "xt", "AD"].map(|name| nearest(name, &names)).to_vec();
        assert_eq!(near, [Some("get"), Some("add"), Some("all"), Some("any"), None, Some("add")]);
        let many: Vec<String> = ["max", "mix"].map(str::to_owned).to_vec();
        assert_eq!(nearest("mx", &many), None);
    }
}
