//! Modules that an isolate has loaded.

use std::collections::HashMap;

use deno_core::v8;

/// Modules of one isolate by specifier.
#[derive(Default)]
pub struct ModuleCache {
    pub modules: HashMap<String, v8::Global<v8::Module>>,
    /// Export values of synthetic modules that have not been evaluated.
    pub exports: Vec<(v8::Global<v8::Module>, v8::Global<v8::Object>)>,
    /// The code of one runs at this moment.
    pub is_evaluating: bool,
}
