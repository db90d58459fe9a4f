//! Hints about methods that belong to values of another class.

use crate::{is_part, own_list};

/// Maximum length of a shown receiver, in bytes.
const MAX_RECEIVER: usize = 100;

/// The most frequent classes of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Number,
    Text,
    Array,
    Date,
    Map,
    Set,
}

use Class::{Array, Date, Map, Number, Set, Text};

/// Methods that only one class of values has.
const METHODS: [(Class, &[&str]); 4] = [
    (Number, &["toExponential", "toFixed", "toPrecision"]),
    (
        Text,
        &[
            "charAt",
            "charCodeAt",
            "codePointAt",
            "endsWith",
            "localeCompare",
            "match",
            "matchAll",
            "normalize",
            "padEnd",
            "padStart",
            "repeat",
            "replace",
            "replaceAll",
            "split",
            "startsWith",
            "substr",
            "substring",
            "toLowerCase",
            "toUpperCase",
            "trim",
            "trimEnd",
            "trimStart",
        ],
    ),
    (
        Array,
        &[
            "every",
            "filter",
            "find",
            "findIndex",
            "findLast",
            "flat",
            "flatMap",
            "join",
            "map",
            "pop",
            "push",
            "reduce",
            "reverse",
            "shift",
            "some",
            "sort",
            "splice",
            "toSorted",
            "unshift",
        ],
    ),
    (
        Date,
        &[
            "getDate",
            "getDay",
            "getFullYear",
            "getHours",
            "getMinutes",
            "getMonth",
            "getSeconds",
            "getTime",
            "toDateString",
            "toISOString",
            "toLocaleDateString",
            "toLocaleTimeString",
        ],
    ),
];

/// The hint if `receiver`, as V8 renders it, has no `method` because it is of another class. `names`: the names that it
/// has.
pub fn misplaced(receiver: &str, names: Option<&[String]>, method: &str) -> Option<String> {
    if !is_shown(receiver) {
        return None;
    }
    let receiver = receiver.replace("(...)", "(…)");
    let class = names.and_then(class_of);
    if class == Some(Array) && matches!(method, "max" | "min") {
        return Some(format!("`{receiver}` is an array: write `Math.{method}(...{receiver})`."));
    }
    let (of, _) = METHODS.iter().find(|(_, methods)| methods.contains(&method))?;
    let what = match class {
        Some(class) => format!("is {}", noun(class)),
        None => format!("is not {}", noun(*of)),
    };
    let instead = match (class, of) {
        (Some(Text) | None, Number) => Some(format!("Number({receiver}).{method}(…)")),
        (Some(Text | Number) | None, Date) => Some(format!("new Date({receiver}).{method}()")),
        (Some(Number), Text) => Some(format!("String({receiver}).{method}(…)")),
        (Some(Map | Set), Array) => Some(format!("[...{receiver}].{method}(…)")),
        _ => None,
    };
    Some(match (instead, class) {
        (Some(instead), _) => format!("`{receiver}` {what}: write `{instead}`."),
        (None, Some(_)) => format!("`{receiver}` {what}, which has no `{method}`."),
        (None, None) => match names.and_then(own_list) {
            Some(own) => format!("`{receiver}` {what}: it has {own}."),
            None => format!("`{receiver}` {what}."),
        },
    })
}

/// Names of methods in other languages, with the JavaScript to write instead, by class.
const FOREIGN: [(&str, &[(Class, &str)]); 17] = [
    ("contains", &[(Array, "includes(…)"), (Text, "includes(…)"), (Set, "has(…)"), (Map, "has(…)")]),
    ("append", &[(Array, "push(…)"), (Set, "add(…)")]),
    ("add", &[(Array, "push(…)"), (Map, "set(…)")]),
    ("push", &[(Set, "add(…)")]),
    ("put", &[(Map, "set(…)")]),
    ("containsKey", &[(Map, "has(…)")]),
    ("remove", &[(Set, "delete(…)"), (Map, "delete(…)")]),
    ("size", &[(Array, "length"), (Text, "length")]),
    ("length", &[(Set, "size"), (Map, "size")]),
    ("first", &[(Array, "at(0)")]),
    ("last", &[(Array, "at(-1)")]),
    ("each", &[(Array, "forEach(…)"), (Set, "forEach(…)"), (Map, "forEach(…)")]),
    ("flatten", &[(Array, "flat()")]),
    ("isEmpty", &[(Array, "length === 0"), (Text, "length === 0"), (Set, "size === 0"), (Map, "size === 0")]),
    ("strip", &[(Text, "trim()")]),
    ("lower", &[(Text, "toLowerCase()")]),
    ("upper", &[(Text, "toUpperCase()")]),
];

/// The hint for a `method` of another language. `names`: the names that `receiver`, as V8 renders it, has.
pub fn foreign(receiver: &str, names: Option<&[String]>, method: &str) -> Option<String> {
    let (_, instead) = FOREIGN.iter().find(|(foreign, _)| *foreign == method)?;
    let Some(names) = names else {
        let of = |&(class, instead): &(Class, &str)| format!("{} has `{instead}`", noun(class));
        let list = instead.iter().map(of).collect::<Vec<_>>().join(", ");
        let (first, rest) = list.split_at_checked(1)?;
        return Some(format!("{}{rest}.", first.to_uppercase()));
    };
    let class = class_of(names)?;
    let (_, instead) = instead.iter().find(|(of, _)| *of == class)?;
    is_shown(receiver).then(|| format!("`{receiver}` is {}: write `{receiver}.{instead}`.", noun(class)))
}

/// Whether a hint can quote a receiver as V8 renders it.
fn is_shown(receiver: &str) -> bool {
    let is_shown = |c: char| is_part(c) || ".[]()?".contains(c);
    receiver.len() <= MAX_RECEIVER && receiver.starts_with(is_part) && receiver.chars().all(is_shown)
}

pub fn is_map(names: &[String]) -> bool {
    class_of(names) == Some(Map)
}

/// The class of a value with these names.
fn class_of(names: &[String]) -> Option<Class> {
    let has = |wanted: &[&str]| wanted.iter().all(|wanted| names.iter().any(|name| name == wanted));
    let classes: [(&[&str], Class); 6] = [
        (&["charCodeAt", "padStart"], Text),
        (&["copyWithin", "push"], Array),
        (&["toPrecision", "toFixed"], Number),
        (&["getUTCDay", "toISOString"], Date),
        (&["add", "clear", "isSubsetOf"], Set),
        (&["clear", "delete", "entries", "forEach", "get", "has", "keys", "set", "size", "values"], Map),
    ];
    classes.into_iter().find(|(names, _)| has(names)).map(|(_, class)| class)
}

fn noun(class: Class) -> &'static str {
    match class {
        Number => "a number",
        Text => "a string",
        Array => "an array",
        Date => "a Date",
        Map => "a Map",
        Set => "a Set",
    }
}
