//! Parts of the options of executors and runs.

use crate::Language;

/// An authorized module that the host provides.
#[derive(Debug)]
pub struct ModuleSpec {
    pub specifier: String,
    pub body: ModuleBody,
}

#[derive(Debug)]
pub enum ModuleBody {
    /// Source text of an ES module.
    Source(String),
    /// `values`: serialized bytes of an array, in the order of `names`. `functions`: `path[0]` is the name of the
    /// export.
    Exports { names: Vec<String>, values: Vec<u8>, functions: Vec<ToolSpec> },
}

/// A host function that guests can call.
#[derive(Clone, Debug)]
pub struct ToolSpec {
    /// Namespace keys from the global down to the function's own name.
    pub path: Vec<String>,
    pub id: u32,
    /// The guest receives a promise immediately. Otherwise it waits until the call returns.
    pub is_async: bool,
    /// `Function.prototype.length` of the host's function.
    pub length: u32,
    /// Each call of the tool is answered within a time limit, whatever the limits of the run are.
    pub is_limited: bool,
}

impl ToolSpec {
    /// For services, which globals of guests call: whether calls are tool calls. The others are neither counted nor
    /// limited as such. [`crate::Config::services`].
    pub fn is_request(&self) -> bool {
        self.path == ["fetch"]
    }

    /// The name shown to people: `Host.readDoc`.
    pub fn display_name(&self) -> String {
        self.path.join(".")
    }
}

/// Limits of one run, and the language of its code.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits {
    pub max_operations: f64,
    pub timeout_ms: f64,
    /// Limit of the processor time. Absent: no limit.
    pub cpu_ms: Option<f64>,
    /// The isolate reports when the guest only waits for tool calls ([`crate::Event::Idle`]).
    pub reports_waits: bool,
    /// The run is deterministic: the guest's clock stands still, at this time in milliseconds since the Unix epoch, and
    /// answers of tools are taken one list at a time.
    pub now_ms: Option<f64>,
    /// From now on, the random numbers of the session follow from this seed.
    pub seed: Option<Seed>,
    pub language: Language,
}

/// The seed of a deterministic session's random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub [u64; 4]);

impl Seed {
    pub fn of_bytes(bytes: [u8; 32]) -> Self {
        let mut words = [0; 4];
        for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        }
        Self(words)
    }

    pub fn bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (chunk, word) in bytes.chunks_exact_mut(8).zip(self.0) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}
