//! Hints about mistakes that models often make: they think of values that they may change, or forget `await`. What V8's message says
//! is read together with the source in front of the place that it is about.

use crate::names::{Step, is_name};
use crate::{Code, LookUp, Realm, Uncaught, is_part, look_up};

/// Bytes of a line that is looked through. 2 KiB.
const MAX_LINE_BYTES: usize = 2 << 10;
/// Tokens in front of the place of a write among which its operator is.
const MAX_OPERATOR: usize = 3;
/// Tokens behind the place of a member that is read among which it is.
const MAX_STEP: usize = 8;
/// What follows the name in V8's rendering of a call.
const CALL: &str = "(...)";

/// What to do about the error, if it is a known mistake.
pub fn hint(realm: &mut impl Realm, error: &Uncaught, code: &Code) -> Option<String> {
    promise_as_json(error)
        .or_else(|| no_room(error))
        .or_else(|| missing_await(realm, error, code))
        .or_else(|| constant(realm, error, code))
        .or_else(|| frozen(realm, error, code))
}

/// `JSON.parse(search(q))`.
fn promise_as_json(error: &Uncaught) -> Option<String> {
    let is_promise = error.name == "SyntaxError" && error.message.ends_with(", \"[object Promise]\" is not valid JSON");
    is_promise.then(|| "`JSON.parse` was given a promise: write `JSON.parse(await …)`.".to_owned())
}

/// `new Uint8Array(1e9)`.
fn no_room(error: &Uncaught) -> Option<String> {
    let is_refused = error.name == "RangeError" && error.message == "Array buffer allocation failed";
    is_refused.then(|| {
        "Array buffers count for `memoryLimitMb`, which leaves no room for this one: work on smaller pieces.".to_owned()
    })
}

/// `search(q).results`, where `search` gives a promise.
fn missing_await(realm: &mut impl Realm, error: &Uncaught, code: &Code) -> Option<String> {
    if error.name != "TypeError" {
        return None;
    }
    if let Some(name) = error.message.strip_suffix(" is not a function or its return value is not iterable") {
        return gives_promise(realm, code, name).then(|| awaited_value(name));
    }
    // V8's for functions of earlier runs.
    if error.message == "object is not iterable (cannot read property Symbol(Symbol.iterator))" {
        let name = code.tokens.called(code.at)?;
        return gives_promise(realm, code, &name).then(|| awaited_value(&name));
    }
    if let Some((call, member)) =
        error.message.strip_suffix(" is not a function").and_then(|called| called.rsplit_once('.'))
        && let Some(name) = call.strip_suffix(CALL)
    {
        return gives_promise(realm, code, name).then(|| awaited_call(name, &format!(".{member}")));
    }
    // The place may be that of an earlier step, if each stands in a line of its own.
    let mut near = code.at..code.at + MAX_STEP;
    if let Some(value) = error.message.strip_suffix(" is not iterable") {
        // V8 leaves calls out.
        let Some((_, member)) = value.rsplit_once('.') else { return taken_from_promise(realm, code, value) };
        let at = near.find(|&at| code.tokens.text(at) == member && code.tokens.before(at) == ".")?;
        return member_of_promise(realm, code, &code.tokens.chain(at));
    }
    let member = error.message.strip_prefix("Cannot read properties of undefined (reading '")?.strip_suffix("')")?;
    let at = near.find(|&at| code.tokens.text(at) == member && matches!(code.tokens.before(at), "." | "["))?;
    let is_optional = at >= 3 && code.tokens.before(at - 1) == "?";
    let end = at.checked_sub(if is_optional { 3 } else { 2 })?;
    match code.tokens.chain(end)[..] {
        [Step::Name(name)] => taken_from_promise(realm, code, name),
        ref steps => member_of_promise(realm, code, steps),
    }
}

/// Of the steps `search(q).results`.
fn member_of_promise(realm: &mut impl Realm, code: &Code, steps: &[Step]) -> Option<String> {
    let call = steps.iter().position(|step| *step == Step::Call)?;
    let name = steps[..call].iter().map(|step| match step {
        Step::Name(name) => Some(*name),
        Step::Index(_) | Step::Call => None,
    });
    let name = name.collect::<Option<Vec<_>>>()?.join(".");
    let member = match steps.get(call + 1)? {
        Step::Name("then" | "catch" | "finally") | Step::Call => return None,
        Step::Name(member) => format!(".{member}"),
        Step::Index(index) => format!("[{index}]"),
    };
    gives_promise(realm, code, &name).then(|| awaited_call(&name, &member))
}

/// Of a name that `const { results } = search(q)` declares.
fn taken_from_promise(realm: &mut impl Realm, code: &Code, name: &str) -> Option<String> {
    let function = code.tokens.taken_from_call(name)?;
    gives_promise(realm, code, &function).then(|| awaited_value(&function))
}

/// Whether a function gives promises: one that the source declares, or another one that the global has.
fn gives_promise(realm: &mut impl Realm, code: &Code, function: &str) -> bool {
    let root = function.split('.').next().unwrap_or(function);
    let declared = code.tokens.declared(root);
    if declared.at_top || declared.inside {
        return code.tokens.is_async_function(function);
    }
    realm.is_async(function)
}

fn awaited_value(name: &str) -> String {
    format!("`{name}` gives a promise: write `await {name}(…)`.")
}

fn awaited_call(name: &str, member: &str) -> String {
    format!("`{name}` gives a promise: write `(await {name}(…)){member}`.")
}

/// `Assignment to constant variable.`: V8 does not say which.
fn constant(realm: &mut impl Realm, error: &Uncaught, code: &Code) -> Option<String> {
    if error.name != "TypeError" || error.message != "Assignment to constant variable." {
        return None;
    }
    let name = match target(code)[..] {
        [Step::Name(name)] => name,
        _ => Some(code.tokens.text(code.at)).filter(|name| is_name(name))?,
    };
    let declared = code.tokens.declared(name);
    if declared.at_top || declared.inside {
        let is_constant = code.tokens.declared_once(name).is_some_and(|at| code.tokens.is_constant(at));
        return is_constant
            .then(|| format!("`{name}` is a constant. Declare it by `let` to change it: `let {name} = …`."));
    }
    constant_name(realm, code, name)
}

/// Something that may not be changed: what the host or the language has given, or a constant of an earlier run.
fn frozen(realm: &mut impl Realm, error: &Uncaught, code: &Code) -> Option<String> {
    if error.name != "TypeError" || error.message.ends_with(" of a built-in") {
        return None;
    }
    let constant = quoted(error.message, "Cannot assign to read only property '", "' of object ")
        .or_else(|| quoted(error.message, "Cannot set property ", " of "));
    let is_change = ["Cannot assign to read only property ", "Cannot add property ", "Cannot delete property "]
        .iter()
        .any(|beginning| error.message.starts_with(beginning));
    if constant.is_none() && !is_change {
        return None;
    }
    let target = target(code);
    match (constant, &target[..]) {
        (Some(name), [Step::Name(written)]) if name == *written => constant_name(realm, code, name),
        // The place of an update is not that of its operator.
        (Some(name), []) if is_assigned(code.line, name) => constant_name(realm, code, name),
        (_, [Step::Name(name), _, ..]) if is_change && realm.is_frozen(name) && !code.is_local(name) => Some(format!(
            "`{name}` is a variable of the host's, and frozen. Change a copy: `const copy = structuredClone({name})`."
        )),
        (_, target) if is_change => of_the_host(realm, error, code, target),
        _ => None,
    }
}

/// A write to an object that is frozen, of which it is not known where it comes from.
fn of_the_host(realm: &mut impl Realm, error: &Uncaught, code: &Code, target: &[Step]) -> Option<String> {
    if !realm.has_frozen() || !is_of_data(error.message) || FREEZING.iter().any(|name| code.tokens.has(name)) {
        return None;
    }
    let root = match target {
        // What a call gives comes from anywhere.
        target if target.contains(&Step::Call) => None,
        // What is changed is the first argument.
        [Step::Name("Object"), Step::Name("assign")] => {
            let open = (code.at..code.at + MAX_STEP).find(|&at| code.tokens.text(at) == "(");
            open.map(|open| code.tokens.text(open + 1)).filter(|name| is_name(name))
        }
        [Step::Name(root), ..] => Some(*root),
        _ => None,
    };
    if let Some(root) = root {
        if let Some(host) = code.tokens.taken_from(root).filter(|host| realm.is_frozen(host) && !code.is_local(host)) {
            return Some(format!(
                "`{root}` is a part of `{host}`, a variable of the host's, and frozen. Change a copy: \
                 `const copy = structuredClone({host})`."
            ));
        }
        let is_own = code.is_local(root) || code.tokens.declared(root).at_top;
        if !is_own && (realm.is_tool(root) || look_up(realm, &[], root)?.built_ins.iter().any(|name| name == root)) {
            return None;
        }
    }
    Some(
        "The object is frozen, as everything is that the host gives, and all that is in it. \
         Change a copy of that: `const copy = structuredClone(…)`."
            .to_owned(),
    )
}

/// Whether V8 says this of an object or array that can be frozen data: not of what is inherited of a class.
fn is_of_data(message: &str) -> bool {
    if let Some(name) = quoted(message, "Cannot add property ", ", object is not extensible") {
        return !INHERITED.contains(&name);
    }
    let found = quoted_with_rest(message, "Cannot assign to read only property '", "' of object '")
        .or_else(|| quoted_with_rest(message, "Cannot delete property '", "' of "));
    let Some((name, of)) = found else { return false };
    match of.trim_end_matches('\'') {
        "[object Array]" => name == "length" || name.bytes().all(|byte| byte.is_ascii_digit()),
        "[object Object]" | "#<Object>" => !INHERITED.contains(&name),
        _ => false,
    }
}

/// What all objects inherit.
const INHERITED: [&str; 7] =
    ["constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf"];

/// By these the guest may have frozen the object itself, or look at what the language has given.
const FREEZING: [&str; 10] = [
    "freeze",
    "seal",
    "preventExtensions",
    "harden",
    "defineProperty",
    "defineProperties",
    "prototype",
    "__proto__",
    "getPrototypeOf",
    "constructor",
];

/// What is written to where the error is.
fn target<'a>(code: &Code<'a>) -> Vec<Step<'a>> {
    let Code { tokens, at, .. } = *code;
    let first = match tokens.text(at) {
        "delete" => Some(at + 1),
        "+" | "-" if tokens.text(at + 1) == tokens.text(at) && is_name(tokens.text(at + 2)) => Some(at + 2),
        name if is_name(name) && tokens.before(at) == "." => return tokens.chain(at),
        name if is_name(name) && is_operator(tokens.text(at + 1)) => Some(at),
        _ => None,
    };
    if let Some(first) = first {
        return tokens.chain(tokens.end_of_members(first));
    }
    let Some(mut end) = (at.saturating_sub(MAX_OPERATOR)..=at).rev().find(|&index| is_operator(tokens.text(index)))
    else {
        return Vec::new();
    };
    while end > 0 && is_operator(tokens.text(end)) {
        end -= 1;
    }
    tokens.chain(end)
}

/// A write to a name that the global has fixed.
fn constant_name(realm: &mut impl Realm, code: &Code, name: &str) -> Option<String> {
    if code.is_local(name) {
        return None;
    }
    if name == "final_answer" {
        return Some("`final_answer` is a function, which is called: `final_answer(value)`.".to_owned());
    }
    if realm.is_tool(name) {
        return Some(format!("`{name}` is a tool of the host's: give the variable another name."));
    }
    let LookUp { names, built_ins, .. } = look_up(realm, &[], name)?;
    if built_ins.iter().any(|built_in| built_in == name) {
        return Some(format!("`{name}` is a name of the language's: give the variable another name."));
    }
    let is_known = names.iter().any(|known| known == name);
    is_known
        .then(|| format!("`{name}` is a constant of an earlier run. Declare it again to change it: `let {name} = …`."))
}

fn quoted<'a>(message: &'a str, before: &str, after: &str) -> Option<&'a str> {
    quoted_with_rest(message, before, after).map(|(name, _)| name)
}

fn quoted_with_rest<'a>(message: &'a str, before: &str, after: &str) -> Option<(&'a str, &'a str)> {
    message.strip_prefix(before)?.split_once(after)
}

/// Whether the name itself is written to, not a property.
fn is_assigned(line: &str, name: &str) -> bool {
    // What looks through it takes the square of its length.
    if line.len() > MAX_LINE_BYTES {
        return false;
    }
    line.match_indices(name).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        let is_name = !before.ends_with(|c| is_part(c) || c == '.') && !after.starts_with(is_part);
        let after = after.trim_start();
        let is_plain = after.starts_with('=') && !after.starts_with("==");
        let is_update = after.starts_with("++") || after.starts_with("--") || before.trim_end().ends_with(['+', '-']);
        let is_compound = after
            .find('=')
            .is_some_and(|at| (1..=3).contains(&at) && after[..at].bytes().all(|byte| OPERATORS.contains(&byte)));
        is_name && (is_plain || is_update || is_compound)
    })
}

const OPERATORS: &[u8] = b"+-*/%&|^?<>";

fn is_operator(token: &str) -> bool {
    token == "=" || (token.len() == 1 && OPERATORS.contains(&token.as_bytes()[0]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Tokens;

    #[test]
    fn writes_to_a_name_are_told_from_writes_to_properties() {
        for line in ["K = 2", "x; K += 1", "K++", "--K", "K ??= 1", "  K  =  2"] {
            assert!(is_assigned(line, "K"), "{line}");
        }
        for line in ["o.K = 2", "K == 2", "K.a = 2", "KK = 2", "[K]", "f(K)"] {
            assert!(!is_assigned(line, "K"), "{line}");
        }
    }

    #[test]
    fn what_is_written_to_is_in_front_of_the_operator() {
        use Step::{Index, Name};
        let target_at = |source: &'static str, offset| {
            let tokens = Box::leak(Box::new(Tokens::of(source).expect("it is short")));
            let at = tokens.at(offset).expect("a token");
            target(&Code { tokens, at, line: source })
        };
        assert_eq!(target_at("K = 2", 2), [Name("K")]);
        assert_eq!(target_at("K=2", 2), [Name("K")]);
        assert_eq!(target_at("K ??= 2", 0), [Name("K")]);
        assert_eq!(target_at("a; ++K", 3), [Name("K")]);
        assert_eq!(target_at("const l = c.l; c.l = l + 1", 19), [Name("c"), Name("l")]);
        assert_eq!(target_at("d.items[0].n = 2", 13), [Name("d"), Name("items"), Index("0"), Name("n")]);
        assert_eq!(target_at("d.list.push(2)", 7), [Name("d"), Name("list"), Name("push")]);
        assert_eq!(target_at("delete d.list", 0), [Name("d"), Name("list")]);
        assert_eq!(target_at("f(1)", 0), []);
    }
}
