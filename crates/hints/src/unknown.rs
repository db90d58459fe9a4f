//! Hints about names that are not defined.

use crate::names::Declared;
use crate::{Code, LookUp, Realm, Uncaught, is_other_word, look_up, nearest, plain, split_at};

/// Tokens before and after the place of an error that may be the name.
const TOKENS_BEFORE: usize = 3;
const TOKENS_AFTER: usize = 16;
/// Shorter names do not count as mistyped names of the language.
const MIN_MISTYPED: usize = 3;
/// Shorter names count as mistyped only if exactly one name of the language is similar.
const MIN_AMBIGUOUS: usize = 5;

/// Names of Python, with the JavaScript to write instead.
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

/// Functions of `Math` that are global in other languages.
const MATH: [&str; 10] = ["abs", "ceil", "floor", "max", "min", "pow", "random", "round", "sqrt", "trunc"];

/// Names of the language with a capital letter that can be called without `new`.
const CALLED: [&str; 9] = ["Array", "BigInt", "Boolean", "Date", "Error", "Number", "Object", "String", "Symbol"];

/// The members of the language's objects that programs use.
const MEMBERS: [(&str, &[&str]); 12] = [
    ("JSON", &["parse", "stringify"]),
    (
        "Math",
        &[
            "E", "PI", "abs", "acos", "asin", "atan", "atan2", "cbrt", "ceil", "cos", "exp", "floor", "hypot", "log",
            "log10", "log2", "max", "min", "pow", "random", "round", "sign", "sin", "sqrt", "tan", "trunc",
        ],
    ),
    ("Object", &["assign", "create", "entries", "freeze", "fromEntries", "groupBy", "hasOwn", "is", "keys", "values"]),
    ("Array", &["from", "fromAsync", "isArray", "of"]),
    ("Promise", &["all", "allSettled", "any", "race", "reject", "resolve", "withResolvers"]),
    (
        "Number",
        &["EPSILON", "MAX_SAFE_INTEGER", "isFinite", "isInteger", "isNaN", "isSafeInteger", "parseFloat", "parseInt"],
    ),
    ("Date", &["UTC", "now", "parse"]),
    ("String", &["fromCharCode", "fromCodePoint", "raw"]),
    ("Symbol", &["asyncIterator", "iterator"]),
    ("Intl", &["Collator", "DateTimeFormat", "ListFormat", "NumberFormat", "PluralRules", "RelativeTimeFormat"]),
    ("Reflect", &["apply", "get", "has", "ownKeys"]),
    ("console", &["debug", "error", "info", "log", "table", "warn"]),
];

/// How code uses a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use<'a> {
    Call,
    New,
    /// The name of the member.
    Member(&'a str),
    Written,
    /// Read and written, as with `+=`.
    Updated,
    /// As a named argument of Python, `f(name=1)`.
    Argument,
    Read,
}

/// `serch is not defined`.
pub fn name(realm: &mut impl Realm, error: &Uncaught, code: &Code) -> Option<String> {
    let name = error.message.strip_suffix(" is not defined").filter(|_| error.name == "ReferenceError")?;
    if is_type_argument(error, name) {
        return Some(format!(
            "`<{name}>` is TypeScript, but the program was read as JavaScript: leave out the type arguments."
        ));
    }
    let used = use_of(name, code)?;
    match (code.tokens.declared(name), used) {
        (Declared { at_top: false, inside: true }, _) => Some(format!(
            "`{name}` is declared only inside a block or function: declare it before that block to use it here."
        )),
        (_, Use::Argument) => Some(format!(
            "JavaScript has no named arguments: pass the value alone, or `{{ {name}: … }}` if an object is expected."
        )),
        (Declared { at_top: false, .. }, Use::Written) => Some(undeclared(name)),
        (Declared { at_top: false, .. }, Use::Updated) => near(realm, name, used).or_else(|| Some(undeclared(name))),
        (declared, _) => python(name, used).or_else(|| near(realm, name, used)).or_else(|| {
            let is_elsewhere = !declared.at_top && !declared.inside;
            (is_elsewhere && is_in_another(realm, name)).then(|| {
                format!(
                    "`{name}` was declared in another run, but only inside a block or function, or that run ended before it \
                     was kept. Declare it again."
                )
            })
        }),
    }
}

/// Whether another program of the session declares the name in one of the usual forms. `var` and functions exist from
/// the start of a run.
fn is_in_another(realm: &impl Realm, name: &str) -> bool {
    let starts = ["const", "let"].iter();
    starts
        .flat_map(|kind| [" ", "=", ":"].map(|end| format!("{kind} {name}{end}")))
        .any(|text| realm.is_in_a_program(&text))
}

fn undeclared(name: &str) -> String {
    format!("`{name}` is not declared: write `let {name} = …`.")
}

/// Whether the name is a type argument at the error, such as `string` in `new Set<string>(…)`.
fn is_type_argument(error: &Uncaught, name: &str) -> bool {
    let Some((before, after)) = error.at.and_then(|at| split_at(error.source, at)) else { return false };
    let is_of_a_name = before.strip_suffix('<').is_some_and(|of| of.ends_with(|c: char| c.is_alphanumeric()));
    is_of_a_name && after.strip_prefix(name).is_some_and(|rest| rest.starts_with(['>', ',', '[']))
}

/// How the name is used at the error.
fn use_of<'a>(name: &str, code: &Code<'a>) -> Option<Use<'a>> {
    let Code { tokens, at, .. } = *code;
    let following = at + 1..at + TOKENS_AFTER;
    let mut near = (at.saturating_sub(TOKENS_BEFORE)..=at).rev().chain(following);
    let is_member = |index| tokens.before(index) == "." && !tokens.is_spread(index);
    let index = near.find(|&index| tokens.text(index) == name && !is_member(index))?;
    Some(match (tokens.text(index + 1), tokens.text(index + 2)) {
        ("=", next) if !matches!(next, "=" | ">") => {
            if tokens.is_argument(index) {
                Use::Argument
            } else {
                Use::Written
            }
        }
        ("+" | "-" | "*", "=") | ("+", "+") | ("-", "-") => Use::Updated,
        _ if tokens.before(index) == "new" => Use::New,
        ("(", _) => Use::Call,
        (".", member) => Use::Member(member),
        ("?", ".") => Use::Member(tokens.text(index + 3)),
        _ => Use::Read,
    })
}

fn python(name: &str, used: Use) -> Option<String> {
    let (_, instead) = PYTHON.iter().find(|(python, _)| *python == name)?;
    let is_value = matches!(name, "None" | "True" | "False");
    (is_value || used == Use::Call).then(|| format!("`{name}` is Python. In JavaScript write {instead}."))
}

/// The name that was meant.
fn near(realm: &mut impl Realm, name: &str, used: Use) -> Option<String> {
    if used == Use::Call && MATH.contains(&name) {
        return Some(format!("Did you mean `Math.{name}`?"));
    }
    let LookUp { mut names, built_ins, .. } = look_up(realm, &[], name)?;
    // Functions of namespaces.
    names.retain(|name| used == Use::Call || !name.contains('.'));
    let near = near_built_in(name, used, &built_ins).or_else(|| nearest(name, &names))?;
    Some(format!("Did you mean `{near}`?"))
}

/// The language's name that was meant, if it is used in the same way.
fn near_built_in<'a>(name: &str, used: Use, built_ins: &'a [String]) -> Option<&'a str> {
    let wanted = plain(name);
    let fits = |built_in: &str| match used {
        Use::Call => CALLED.contains(&built_in) || built_in.starts_with(|c: char| c.is_lowercase()),
        Use::New => built_in.starts_with(|c: char| c.is_uppercase()),
        Use::Member(member) => MEMBERS.iter().any(|(of, members)| *of == built_in && members.contains(&member)),
        Use::Written | Use::Updated | Use::Argument | Use::Read => false,
    };
    let is_near = |built_in: &str| {
        let plain = plain(built_in);
        let is_mistyped = || {
            name.len() >= MIN_MISTYPED
                && wanted.chars().next() == plain.chars().next()
                && !is_other_word(&wanted, &plain)
                && strsim::osa_distance(&wanted, &plain) == 1
        };
        plain == wanted || is_mistyped()
    };
    let built_ins = built_ins.iter().map(String::as_str);
    let near: Vec<&str> = built_ins.filter(|&built_in| fits(built_in) && is_near(built_in)).collect();
    let same = near.iter().copied().find(|built_in| plain(built_in) == wanted);
    same.or_else(|| near.first().copied().filter(|_| near.len() == 1 || name.len() >= MIN_AMBIGUOUS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_language_are_meant_where_they_are_used_as_such() {
        let built_ins = ["JSON", "Math", "Date", "Map", "String", "EvalError", "URL", "console", "parseInt"];
        let built_ins = built_ins.map(str::to_owned);
        let near = |name, used| near_built_in(name, used, &built_ins);
        assert_eq!(near("json", Use::Member("stringify")), Some("JSON"));
        assert_eq!(near("consle", Use::Member("log")), Some("console"));
        assert_eq!(near("parse_int", Use::Call), Some("parseInt"));
        assert_eq!(near("string", Use::Call), Some("String"));
        assert_eq!(near("map", Use::New), Some("Map"));
        assert_eq!(near("Mapp", Use::New), Some("Map"));
        assert_eq!(near("JSN", Use::Member("parse")), Some("JSON"));
        for (name, used) in [
            ("data", Use::Read),
            ("data", Use::Member("length")),
            ("path", Use::Member("join")),
            ("url", Use::Member("split")),
            ("map", Use::Call),
            ("date", Use::Read),
            ("ValueError", Use::New),
            ("Data", Use::New),
            ("JSN", Use::Member("length")),
            ("date", Use::Written),
        ] {
            assert_eq!(near(name, used), None, "{name}");
        }
    }
}
