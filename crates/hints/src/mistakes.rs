//! Hints about mistakes that models often make: they change values that cannot be changed, or forget `await`. V8's
//! message is read together with the source before the error.

use crate::names::{Step, is_name};
use crate::{Code, LookUp, Realm, Uncaught, is_part, look_up};

/// Bytes of a line that are searched. 2 KiB.
const MAX_LINE_BYTES: usize = 2 << 10;
/// Tokens before the place of a write that may be its operator.
const MAX_OPERATOR: usize = 3;
/// Tokens after the place of a member that may be the place where it is read.
const MAX_STEP: usize = 8;
/// What follows the name in V8's rendering of a call.
const CALL: &str = "(...)";

/// What to do about the error, if it is a known mistake.
pub fn hint(realm: &mut impl Realm, error: &Uncaught, code: &Code) -> Option<String> {
    given_to_json(error)
        .or_else(|| no_room(error))
        .or_else(|| missing_semicolon(error, code))
        .or_else(|| early(error, code))
        .or_else(|| no_list_of_promises(realm, error, code))
        .or_else(|| missing_await(realm, error, code))
        .or_else(|| constant(realm, error, code))
        .or_else(|| frozen(realm, error, code))
}

/// `JSON.parse(search(q))`, or `JSON.parse` of a value that is already parsed.
fn given_to_json(error: &Uncaught) -> Option<String> {
    let given = error.message.strip_suffix(" is not valid JSON").filter(|_| error.name == "SyntaxError")?;
    let told = match given {
        "\"[object Object]\"" => "`JSON.parse` takes text, but was given an object: use the object as it is.",
        given if given.ends_with(", \"[object Obj\"...") => {
            "`JSON.parse` takes text, but was given a list of objects: use the list as it is."
        }
        given if given.ends_with(", \"[object Promise]\"") => {
            "`JSON.parse` was given a promise: write `JSON.parse(await …)`."
        }
        _ => return None,
    };
    Some(told.to_owned())
}

/// Two statements that V8 reads as one: `const a = b` and, on the next line, `[1].map(f)` or `(() => {})()`.
fn missing_semicolon(error: &Uncaught, code: &Code) -> Option<String> {
    let Code { tokens, at, .. } = *code;
    let is_of = |text: &str, bracket: usize| tokens.text(bracket) == text && tokens.goes_on(bracket);
    let is_called = error.message.ends_with(" is not a function");
    let bracket = if is_called && is_of("(", at + 1) {
        Some(at + 1)
    } else if is_called || error.message.starts_with("Cannot read properties of ") {
        let end = tokens.end_of_receiver(tokens.member_at(at)).filter(|&end| tokens.text(end) == "]");
        end.and_then(|end| tokens.partner(end)).filter(|&open| is_of("[", open))
    } else if too_early(error).is_some() {
        tokens.bracket(at).filter(|&open| is_of("[", open))
    } else {
        None
    };
    let line = tokens.line(bracket?);
    Some(format!("Line {line} continues the expression of the line above: end that line with `;`."))
}

/// `let rows = rows.map(f)`, or a variable that is declared further down.
fn early(error: &Uncaught, code: &Code) -> Option<String> {
    let name = too_early(error)?;
    // The place may be that of `return`.
    let at = (code.at..code.at + 2).find(|&at| code.tokens.text(at) == name)?;
    let declared = code.tokens.declared_once(name)?;
    let line = code.tokens.line(declared);
    Some(if declared > at {
        format!("`{name}` has no value before line {line}, where it is declared.")
    } else if code.tokens.line(at) == line && (declared..at).all(|at| code.tokens.text(at) != ";") {
        format!(
            "`{name}` here is the variable that this line declares, which has no value yet: give the new variable another name."
        )
    } else {
        format!("`{name}` has no value until its declaration on line {line} is complete.")
    })
}

/// The variable that V8 reports as not initialized.
fn too_early<'a>(error: &Uncaught<'a>) -> Option<&'a str> {
    quoted(error.message, "Cannot access '", "' before initialization").filter(|_| error.name == "ReferenceError")
}

/// `Promise.all(search(a), search(b))`.
fn no_list_of_promises(realm: &mut impl Realm, error: &Uncaught, code: &Code) -> Option<String> {
    let Code { tokens, at, .. } = *code;
    let is_of_iterables = error.name == "TypeError"
        && error.message.ends_with(NOT_ITERABLE)
        && matches!(tokens.chain(at)[..], [Step::Name("Promise"), Step::Name("all" | "allSettled" | "any" | "race")])
        && tokens.text(at + 1) == "(";
    if !is_of_iterables {
        return None;
    }
    let function = format!("Promise.{}", tokens.text(at));
    let end = tokens.partner(at + 1)?;
    let has_more = (at + 2..end).any(|index| tokens.text(index) == "," && tokens.bracket(index) == Some(at + 1));
    let given = tokens.called(at + 2).filter(|name| !has_more && gives_promise(realm, code, name));
    Some(match given {
        Some(name) => format!("`{name}` returns a promise: write `{function}(await {name}(…))`."),
        None if has_more => format!("`{function}` takes one list: write `{function}([…])`."),
        None => format!("`{function}` takes a list of promises."),
    })
}

/// V8's message for values that its own functions iterate.
const NOT_ITERABLE: &str = " is not iterable (cannot read property Symbol(Symbol.iterator))";

/// `new Uint8Array(1e9)`.
fn no_room(error: &Uncaught) -> Option<String> {
    let is_refused = error.name == "RangeError" && error.message == "Array buffer allocation failed";
    is_refused.then(|| {
        "Array buffers count towards `memoryLimitMb`, and this one does not fit: work on smaller pieces.".to_owned()
    })
}

/// `search(q).results`, where `search` returns a promise.
fn missing_await(realm: &mut impl Realm, error: &Uncaught, code: &Code) -> Option<String> {
    if error.name != "TypeError" {
        return None;
    }
    let iterated = error.message.strip_suffix(" is not a function or its return value is not iterable").or_else(|| {
        error.message.strip_suffix(" is not a function or its return value is not async iterable")?.strip_suffix(CALL)
    });
    if let Some(name) = iterated {
        return gives_promise(realm, code, name).then(|| awaited_value(name));
    }
    // V8's rendering for functions of earlier runs.
    if error.message.strip_suffix(NOT_ITERABLE) == Some("object") {
        let name = code.tokens.called(code.at)?;
        return gives_promise(realm, code, &name).then(|| awaited_value(&name));
    }
    if let Some((call, member)) =
        error.message.strip_suffix(" is not a function").and_then(|called| called.rsplit_once('.'))
        && let Some(name) = call.strip_suffix(CALL)
    {
        return gives_promise(realm, code, name).then(|| awaited_call(name, &format!(".{member}")));
    }
    // The place may be that of an earlier step, if each step is on its own line.
    let mut near = code.at..code.at + MAX_STEP;
    if let Some(value) = error.message.strip_suffix(" is not iterable") {
        // V8 omits calls.
        let Some((_, member)) = value.rsplit_once('.') else { return taken_from_promise(realm, code, value) };
        let at = near.find(|&at| code.tokens.text(at) == member && code.tokens.before(at) == ".")?;
        return member_of_promise(realm, code, &code.tokens.chain(at));
    }
    let member = error.message.strip_prefix("Cannot read properties of undefined (reading '")?.strip_suffix("')")?;
    let at = near.find(|&at| code.tokens.text(at) == member && matches!(code.tokens.before(at), "." | "["))?;
    let member = if code.tokens.before(at) == "[" { at - 1 } else { at };
    match code.tokens.chain(code.tokens.end_of_receiver(member)?)[..] {
        [Step::Name(name)] => taken_from_promise(realm, code, name),
        ref steps => member_of_promise(realm, code, steps),
    }
}

/// For the steps `search(q).results`.
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

/// For a name that `const { results } = search(q)` declares.
fn taken_from_promise(realm: &mut impl Realm, code: &Code, name: &str) -> Option<String> {
    let function = code.tokens.taken_from_call(name)?;
    gives_promise(realm, code, &function).then(|| awaited_value(&function))
}

/// Whether a function returns promises. The source declares it, or the global has it.
fn gives_promise(realm: &mut impl Realm, code: &Code, function: &str) -> bool {
    let root = function.split('.').next().unwrap_or(function);
    let declared = code.tokens.declared(root);
    if declared.at_top || declared.inside {
        return code.tokens.is_async_function(function);
    }
    PROMISING.contains(&function) || realm.is_async(function)
}

/// Functions of the language that return promises.
const PROMISING: [&str; 8] = [
    "Array.fromAsync",
    "Promise.all",
    "Promise.allSettled",
    "Promise.any",
    "Promise.race",
    "Promise.reject",
    "Promise.resolve",
    "Promise.try",
];

fn awaited_value(name: &str) -> String {
    format!("`{name}` returns a promise: write `await {name}(…)`.")
}

fn awaited_call(name: &str, member: &str) -> String {
    format!("`{name}` returns a promise: write `(await {name}(…)){member}`.")
}

/// `Assignment to constant variable.`: V8 does not say which one.
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
            .then(|| format!("`{name}` is a constant. Declare it with `let` to change it: `let {name} = …`."));
    }
    constant_name(realm, code, name)
}

/// Something that cannot be changed: a value of the host or the language, or a constant of an earlier run.
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
            "`{name}` is a variable from the host, and frozen. Change a copy: `const copy = structuredClone({name})`."
        )),
        (_, target) if is_change => {
            let root = root(code, target);
            let of_language = root.filter(|root| is_of_the_language(realm, code, root));
            match of_language {
                Some(name) => Some(format!(
                    "`{name}` is part of the language and cannot be changed: declare your own variable or function."
                )),
                None => of_the_host(realm, error, code, root),
            }
        }
        _ => None,
    }
}

/// The name of the changed value, as far as the code shows.
fn root<'a>(code: &Code<'a>, target: &[Step<'a>]) -> Option<&'a str> {
    match target {
        // The result of a call may come from anywhere.
        target if target.contains(&Step::Call) => None,
        // The first argument is changed.
        [Step::Name("Object"), Step::Name("assign")] => {
            let open = (code.at..code.at + MAX_STEP).find(|&at| code.tokens.text(at) == "(");
            open.map(|open| code.tokens.text(open + 1)).filter(|name| is_name(name))
        }
        [Step::Name(root), ..] => Some(*root),
        _ => None,
    }
}

/// Whether `name` belongs to the language, such as `Math` and `Array`.
fn is_of_the_language(realm: &mut impl Realm, code: &Code, name: &str) -> bool {
    let is_own = code.is_local(name) || code.tokens.declared(name).at_top || realm.is_tool(name);
    let is_global = matches!(name, "globalThis" | "self" | "global");
    !is_own
        && !is_global
        && look_up(realm, &[], name).is_some_and(|found| found.built_ins.iter().any(|built_in| built_in == name))
}

/// A write to a frozen object of unknown origin. `root`: the changed value, if it has a name.
fn of_the_host(realm: &mut impl Realm, error: &Uncaught, code: &Code, root: Option<&str>) -> Option<String> {
    let is_own = || FREEZING.iter().chain(&INSIDE).any(|name| code.tokens.has(name));
    if !realm.has_frozen() || !is_of_data(error.message) || is_own() {
        return None;
    }
    if let Some(root) = root {
        if let Some(host) = code.tokens.taken_from(root).filter(|host| realm.is_frozen(host) && !code.is_local(host)) {
            return Some(format!(
                "`{root}` is part of `{host}`, a frozen variable from the host. Change a copy: \
                 `const copy = structuredClone({host})`."
            ));
        }
        let is_own = code.is_local(root) || code.tokens.declared(root).at_top;
        if !is_own && realm.is_tool(root) {
            return None;
        }
    }
    if FREEZING.iter().any(|name| realm.is_in_a_program(name)) {
        return None;
    }
    Some(
        "The object is frozen, like every value from the host and everything in it. \
         Change a copy: `const copy = structuredClone(…)`."
            .to_owned(),
    )
}

/// Whether V8's message is about an object or array that can be frozen data, and not about members that a class
/// inherits.
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

/// The members that all objects inherit.
const INHERITED: [&str; 7] =
    ["constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf"];

/// The guest may have frozen the object itself with these.
const FREEZING: [&str; 6] = ["freeze", "seal", "preventExtensions", "harden", "defineProperty", "defineProperties"];
/// The guest may access objects of the language with these.
const INSIDE: [&str; 4] = ["prototype", "__proto__", "getPrototypeOf", "constructor"];

/// The target of the write at the error.
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
        return Some("`final_answer` is a function. Call it: `final_answer(value)`.".to_owned());
    }
    if realm.is_tool(name) {
        return Some(format!("`{name}` is a tool: give the variable another name."));
    }
    let LookUp { names, built_ins, .. } = look_up(realm, &[], name)?;
    if built_ins.iter().any(|built_in| built_in == name) {
        return Some(format!("`{name}` is a built-in name: give the variable another name."));
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

/// Whether the name itself is assigned, not a property.
fn is_assigned(line: &str, name: &str) -> bool {
    // The time of the search grows with the square of the line's length.
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
