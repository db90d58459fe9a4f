//! Finds the functions of `pyodide.asm.wasm` that the scripts around it call.

use std::collections::HashMap;

/// Identifiers of Pyodide's scripts, with the number of their occurrences.
pub struct UsedNames<'a>(HashMap<&'a [u8], u32>);

/// The number of occurrences that a function's declaration accounts for. Emscripten declares a variable for each export
/// and sets it, once also as a property (`_f = Module["_f"] = exports["f"]`).
const DECLARED: u32 = 3;

impl<'a> UsedNames<'a> {
    pub fn of(scripts: &[&'a [u8]]) -> Self {
        let mut counts = HashMap::new();
        for script in scripts {
            for word in script.split(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))) {
                *counts.entry(word).or_default() += 1;
            }
        }
        Self(counts)
    }

    /// Whether an exported function is called by its name: by the script's variable for it, or as a property.
    pub fn has(&self, export: &[u8]) -> bool {
        let variable = [b"_", export].concat();
        match self.0.get(variable.as_slice()) {
            Some(&count) => count > DECLARED,
            None => self.0.contains_key(export),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_is_what_is_more_than_declared() {
        let glue =
            br#"var _f,_g;_f=Module["_f"]=wasmExports["f"];_g=Module["_g"]=wasmExports["g"];wasmExports["h"]();"#;
        let names = UsedNames::of(&[glue, b"Module._g(1)"]);
        assert_eq!(["f", "g", "h", "i"].map(|name| names.has(name.as_bytes())), [false, true, true, false]);
    }
}
