//! Rule `forbidden_global_access`: names of other environments, which a guest program cannot reach.

use super::super::diagnostics::{Diagnostic, Location, Severity};

const NODE: &str = "Node.js is not reachable; ask the host for a tool or a variable that provides what is needed";
const MODULES: &str = "Use `await import(name)` with an authorized module";
const EXPORTS: &str = "End the program with an expression, or call final_answer(value), to return a value";
const GLOBAL: &str = "Use globalThis, or declare a variable: top-level declarations persist between runs";
const NETWORK: &str = "Ask the host for a tool that makes the request";
const BROWSER: &str = "There is no browser; ask the host for a tool";
const TIMER: &str = "Ask the host for a tool such as sleepTool(ms)";
const MEMORY: &str = "Use ordinary arrays and typed arrays; there is only one thread";
const CODE: &str = "Code from strings is off; write the code itself, or use a function";
const BYTES: &str = "Use Uint8Array";
const PATHS: &str = "Programs have no file; ask the host for a tool or a variable";

/// Each name with what to do instead. A name's index is its bit in the sets of [`Names`].
const FORBIDDEN: [(&str, &str); 29] = [
    ("process", NODE),
    ("require", MODULES),
    ("module", EXPORTS),
    ("exports", EXPORTS),
    ("global", GLOBAL),
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
    ("self", GLOBAL),
    ("clearInterval", TIMER),
    ("clearImmediate", TIMER),
    ("localStorage", BROWSER),
    ("navigator", BROWSER),
];

/// A set of forbidden names, one bit each.
#[derive(Debug, Clone, Copy, Default)]
pub(in super::super) struct Names(u32);

impl Names {
    pub(in super::super) fn insert(&mut self, name: ForbiddenName) {
        self.0 |= 1 << name.0;
    }

    pub(in super::super) fn contains(self, name: ForbiddenName) -> bool {
        self.0 & (1 << name.0) != 0
    }
}

/// An index into [`FORBIDDEN`].
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct ForbiddenName(u8);

impl ForbiddenName {
    pub(in super::super) fn find(name: &str) -> Option<Self> {
        // Nearly all identifiers stop here.
        if !(3..=17).contains(&name.len()) {
            return None;
        }
        FORBIDDEN.iter().position(|(forbidden, _)| *forbidden == name).map(|index| ForbiddenName(index as u8))
    }

    pub(in super::super) fn diagnostic(self, at: Location) -> Diagnostic {
        let (name, fix) = FORBIDDEN[usize::from(self.0)];
        Diagnostic::new(
            "forbidden_global_access",
            Severity::Warning,
            format!("{name} is not available unless the host provides it"),
        )
        .at(at)
        .with_fix(fix)
    }
}
