//! Origins of guest code: translates positions in generated code to positions in the source.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use ses_prepare::PositionMap;
use ses_protocol::Location;

/// Bytes of the scripts that are kept for stack traces and code frames. Functions of dropped scripts still run, but
/// their frames have no positions.
const MAX_KEPT_BYTES: usize = 4 << 20;

/// The prefix of names of programs.
const PROGRAM: &str = "step-";

/// The name of the program of a run.
pub fn program_name(run: u64) -> String {
    format!("{PROGRAM}{run}.js")
}

/// Whether a script with this name is a program. Otherwise it is a module.
pub fn is_program(name: &str) -> bool {
    name.starts_with(PROGRAM)
}

/// One program or module.
pub struct Script {
    pub name: Rc<str>,
    /// V8's name. A program that runs again has the name of the one that V8 has compiled.
    pub resource_name: Rc<str>,
    pub source: String,
    positions: Arc<PositionMap>,
}

impl Script {
    /// Memory that the script takes.
    fn bytes(&self) -> usize {
        // Includes the counters of its owners and its place in the list.
        let names = 2 * size_of::<[usize; 2]>() + self.name.len() + self.resource_name.len();
        size_of::<Self>() + size_of::<[usize; 3]>() + names + self.source.len() + self.positions.bytes()
    }

    /// The position in the source for a 1-based position in the transformed program.
    pub fn original(&self, line: u32, column: u32) -> Option<Location> {
        self.positions.original(line, column)
    }

    /// The text of the function or class at a 1-based position in the transformed program.
    pub fn function_at(&self, line: u32, column: u32) -> Option<&str> {
        self.source.get(self.positions.function_at(line, column)?)
    }
}

/// The scripts of one isolate, oldest first.
#[derive(Default)]
pub struct Scripts {
    scripts: VecDeque<Rc<Script>>,
    /// V8's name for the last program.
    program: Option<Rc<str>>,
    kept_bytes: usize,
}

impl Scripts {
    /// Adds a script, and drops the oldest ones if they take too much memory. `compiled_as`: V8's name, if it differs.
    pub fn add(
        &mut self,
        name: &str,
        compiled_as: Option<Rc<str>>,
        source: String,
        positions: Arc<PositionMap>,
    ) -> Rc<Script> {
        let name = Rc::from(name);
        let resource_name = compiled_as.unwrap_or_else(|| Rc::clone(&name));
        if is_program(&name) {
            self.program = Some(Rc::clone(&resource_name));
        }
        let script = Rc::new(Script { name, resource_name, source, positions });
        self.kept_bytes += script.bytes();
        self.scripts.push_back(script.clone());
        while self.kept_bytes > MAX_KEPT_BYTES && self.scripts.len() > 1 {
            if let Some(oldest) = self.scripts.pop_front() {
                self.kept_bytes -= oldest.bytes();
            }
        }
        script
    }

    /// The script with this name in stacks.
    pub fn named(&self, name: &str) -> Option<Rc<Script>> {
        self.scripts.iter().rev().find(|script| *script.name == *name).cloned()
    }

    /// Whether this is V8's name for the last program.
    pub fn is_last_program(&self, resource_name: &str) -> bool {
        self.program.as_deref() == Some(resource_name)
    }

    /// Whether the source of a kept program contains `text`.
    pub fn has_program_with(&self, text: &str) -> bool {
        self.scripts.iter().any(|script| is_program(&script.name) && script.source.contains(text))
    }

    /// The script with this V8 name. Of programs that ran again, the last one.
    pub fn get(&self, resource_name: &str) -> Option<Rc<Script>> {
        self.scripts.iter().rev().find(|script| *script.resource_name == *resource_name).cloned()
    }
}

#[cfg(test)]
mod tests {
    use ses_prepare::{PrepareOptions, prepare};

    use super::*;

    /// An agent makes hundreds of thousands of short runs on one executor. Their sources are small, but their other
    /// data is not.
    #[test]
    fn short_scripts_count_with_all_that_they_take() {
        let positions = prepare("1", &PrepareOptions::unlimited()).expect("a program").positions;
        let mut scripts = Scripts::default();
        for number in 0..100_000 {
            scripts.add(&format!("step-{number}.js"), None, "1".to_owned(), positions.clone());
        }
        assert!(scripts.kept_bytes <= MAX_KEPT_BYTES);
        assert!(scripts.scripts.len() * size_of::<Script>() < MAX_KEPT_BYTES);
        assert!(scripts.get("step-99999.js").is_some() && scripts.get("step-0.js").is_none());
    }
}
