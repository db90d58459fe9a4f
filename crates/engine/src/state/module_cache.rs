//! Modules that an isolate has loaded.

use std::collections::HashMap;

use deno_core::v8;

/// Modules of one isolate by specifier.
#[derive(Default)]
pub struct ModuleCache {
    /// Modules that were evaluated or have failed with their own errors. Both states are final.
    pub finished: HashMap<String, v8::Global<v8::Module>>,
    /// Modules that the run under way has loaded.
    pub loaded: HashMap<String, v8::Global<v8::Module>>,
    /// Export values of synthetic modules that were not evaluated yet.
    pub exports: Vec<(v8::Global<v8::Module>, v8::Global<v8::Object>)>,
    /// The code of a module is running.
    pub is_evaluating: bool,
}

impl ModuleCache {
    pub fn get(&self, specifier: &str) -> Option<&v8::Global<v8::Module>> {
        self.finished.get(specifier).or_else(|| self.loaded.get(specifier))
    }
}
