//! Modules that an isolate has loaded.

use std::collections::HashMap;

use deno_core::v8;

/// Modules of one isolate by specifier.
#[derive(Default)]
pub struct ModuleCache {
    /// Evaluated, or failed by errors of their own: that is for good.
    pub finished: HashMap<String, v8::Global<v8::Module>>,
    /// Those that the run under way has loaded.
    pub loaded: HashMap<String, v8::Global<v8::Module>>,
    /// Export values of synthetic modules that have not been evaluated.
    pub exports: Vec<(v8::Global<v8::Module>, v8::Global<v8::Object>)>,
    /// The code of one runs at this moment.
    pub is_evaluating: bool,
}

impl ModuleCache {
    pub fn get(&self, specifier: &str) -> Option<&v8::Global<v8::Module>> {
        self.finished.get(specifier).or_else(|| self.loaded.get(specifier))
    }
}
