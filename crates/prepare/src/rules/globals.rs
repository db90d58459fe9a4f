//! Rule `forbidden_global_access`: names of other environments that a guest program cannot reach.

use super::super::options::PrepareOptions;
use super::imports::NONE_AUTHORIZED;
use ses_protocol::{Diagnostic, Location, Severity};

const NODE: &str = "Node.js is not available; ask the host for a tool or a variable that provides what you need";
const MODULES: &str = "Use `await import(name)` with an authorized module";
const EXPORTS: &str = "End the program with an expression, or call final_answer(value), to return a value";
const NETWORK: &str = "Ask the host for a tool that makes the request";
const BROWSER: &str = "There is no browser; ask the host for a tool";
const TIMER: &str = "Ask the host for a tool such as sleepTool(ms)";
const MEMORY: &str = "Use ordinary arrays and typed arrays; there is only one thread";
const CODE: &str = "Code cannot be built from strings; write the code itself, or use a function";
const BYTES: &str = "Use Uint8Array";
const CLOCK: &str = "Use Date.now()";
const SECRETS: &str = "Ask the host for a tool, or use Math.random() where nothing has to be secret";
const STREAMS: &str = "Use arrays, generators or async generators";
const SIGNALS: &str = "Leave it out: the host ends programs that take too long";
const PATHS: &str = "A program has no path; ask the host for a tool or a variable";

/// Each name with advice on what to do instead.
const FORBIDDEN: [(&str, &str); 41] = [
    ("process", NODE),
    ("require", MODULES),
    ("module", EXPORTS),
    ("exports", EXPORTS),
    ("fetch", NETWORK),
    ("Deno", NODE),
    ("Bun", NODE),
    ("window", BROWSER),
    ("document", BROWSER),
    ("XMLHttpRequest", NETWORK),
    ("WebSocket", NETWORK),
    ("setTimeout", TIMER),
    ("setInterval", TIMER),
    ("setImmediate", TIMER),
    ("clearTimeout", TIMER),
    ("WebAssembly", CODE),
    ("SharedArrayBuffer", MEMORY),
    ("Atomics", MEMORY),
    ("eval", CODE),
    ("Function", CODE),
    ("__dirname", PATHS),
    ("__filename", PATHS),
    ("Buffer", BYTES),
    ("clearInterval", TIMER),
    ("clearImmediate", TIMER),
    ("localStorage", BROWSER),
    ("navigator", BROWSER),
    ("sessionStorage", BROWSER),
    ("indexedDB", BROWSER),
    ("requestAnimationFrame", BROWSER),
    ("performance", CLOCK),
    ("crypto", SECRETS),
    ("AbortController", SIGNALS),
    ("AbortSignal", SIGNALS),
    ("Blob", BYTES),
    ("Headers", NETWORK),
    ("FormData", NETWORK),
    ("EventSource", NETWORK),
    ("ReadableStream", STREAMS),
    ("WritableStream", STREAMS),
    ("TransformStream", STREAMS),
];

/// Each group of the option `globals` with its names. `crates/engine/js/58_optional_globals.js` defines them.
const OPTIONAL: [(&str, &[&str]); 5] = [
    ("timers", &["setTimeout", "clearTimeout", "setInterval", "clearInterval"]),
    ("crypto", &["crypto"]),
    ("performance", &["performance"]),
    ("abort", &["AbortController", "AbortSignal"]),
    ("fetch", &["fetch", "Blob", "File", "FormData", "Headers", "Request", "Response"]),
];

/// The group of the option `globals` that has this name.
fn group_of(name: &str) -> Option<&'static str> {
    OPTIONAL.iter().find(|(_, names)| names.contains(&name)).map(|(group, _)| *group)
}

/// Whether a global gives access to all others: through its properties, or as `Function("return this")()`.
pub(in super::super) fn is_whole(name: &str) -> bool {
    matches!(name, "globalThis" | "self" | "global" | "Function")
}

/// An index into [`FORBIDDEN`].
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct ForbiddenName(u8);

impl ForbiddenName {
    pub(in super::super) fn find(name: &str, options: &PrepareOptions) -> Option<Self> {
        // Nearly all identifiers stop here.
        if !(3..=21).contains(&name.len()) {
            return None;
        }
        let index = FORBIDDEN.iter().position(|(forbidden, _)| *forbidden == name)?;
        let is_given = group_of(name).is_some_and(|group| options.globals.iter().any(|given| given == group));
        (!is_given).then_some(ForbiddenName(index as u8))
    }

    pub(in super::super) fn diagnostic(self, at: Location, options: &PrepareOptions) -> Diagnostic {
        let (name, fix) = FORBIDDEN[usize::from(self.0)];
        let fix = if fix == MODULES && options.authorized_imports.is_empty() { NONE_AUTHORIZED } else { fix };
        let fix = match group_of(name) {
            Some(group) => format!("{fix}; hosts can allow it with globals: [\"{group}\"]"),
            None => fix.to_owned(),
        };
        Diagnostic::new(
            "forbidden_global_access",
            Severity::Warning,
            format!("{name} is not available unless the host provides it"),
        )
        .at(at)
        .with_fix(fix)
    }
}
