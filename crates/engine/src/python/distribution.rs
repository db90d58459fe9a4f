//! Pyodide's files, and the data that is made from them once per process.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use deno_core::v8;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::platform::{flags, traps};
use crate::python::image::Image;
use crate::python::import_memory::{Importing, import_memory};
use crate::python::machine_code;
use crate::python::parallel::in_parallel;
use crate::python::shell;
use crate::python::spec::PythonSpec;
use crate::python::used_names::UsedNames;
use ses_protocol::FolderSpec;

/// The only version from which snapshots are made. The parts of a snapshot outside the memory depend on Pyodide's
/// internals.
const SNAPSHOT_VERSION: &str = "314.0.7";

/// The interval between two checks of V8's optimized code, how many checks in a row must find nothing new, and the most
/// checks.
const LOOK: Duration = Duration::from_millis(50);
const QUIET_LOOKS: u32 = 8;
const MAX_LOOKS: u32 = 200;

/// An ASCII string that isolates use in place.
pub type Text = &'static v8::OneByteConst;

/// Pyodide's files on disk, read once, and the data that isolates share.
pub struct Distribution {
    pub spec: PythonSpec,
    pub version: String,
    /// `pyodide.mjs`, `pyodide.asm.mjs`.
    pub loader: Text,
    pub module: Text,
    pub wasm: Importing,
    pub stdlib: Vec<u8>,
    pub lock: String,
    pub guest: String,
    pub prelude: String,
    /// Whether libraries of packages may be linked to the module.
    pub links: bool,
    /// Digest of what the interpreter's memory depends on.
    pub build: [u8; 32],
    /// Digest of everything that a snapshot depends on.
    pub digest: [u8; 32],
    compiled: OnceLock<v8::CompiledWasmModule>,
    image: Mutex<Option<Option<Arc<Image>>>>,
}

/// The distributions that were read. They stay in memory, because isolates use their strings in place.
static READ: Mutex<BTreeMap<PythonSpec, Arc<Distribution>>> = Mutex::new(BTreeMap::new());

impl Distribution {
    /// The distribution of `spec`, read on the first call.
    ///
    /// # Errors
    ///
    /// A message for people that says what is missing or broken.
    pub fn of(spec: &PythonSpec) -> Result<Arc<Self>, String> {
        // The mount does not affect the distribution. Of the packages, it only matters whether there are any.
        let packages = spec.packages.as_ref().map(|_| FolderSpec::default());
        let spec = &PythonSpec { mount: None, packages, ..spec.clone() };
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(distribution) = read.get(spec) {
            return Ok(distribution.clone());
        }
        let distribution = Arc::new(Self::read(spec)?);
        read.insert(spec.clone(), distribution.clone());
        Ok(distribution)
    }

    fn read(spec: &PythonSpec) -> Result<Self, String> {
        let in_package = |name: &str| bytes(&spec.pyodide.join(name));
        let package: Value = serde_json::from_slice(&in_package("package.json")?)
            .map_err(|error| format!("package.json of Pyodide cannot be read: {error}"))?;
        let version = package["version"].as_str().unwrap_or_default().to_owned();
        let loader = in_package("pyodide.mjs")?;
        let module = in_package("pyodide.asm.mjs")?;
        let wasm = in_package("pyodide.asm.wasm")?;
        let stdlib = in_package("python_stdlib.zip")?;
        let lock = text(&spec.pyodide.join("pyodide-lock.json"))?;
        let guest = text(&spec.guest)?;
        let prelude = joined(&spec.prelude)?;
        let modules = spec.modules.join("\n");
        // For other versions, it is unknown what their scripts need.
        let links = spec.packages.is_some() || version != SNAPSHOT_VERSION;
        let parts = [
            &loader,
            &module,
            &wasm,
            &stdlib,
            lock.as_bytes(),
            guest.as_bytes(),
            prelude.as_bytes(),
            modules.as_bytes(),
            shell::TEXT.as_bytes(),
            &[u8::from(links)],
        ];
        let of_engine = [
            shell::REHEARSAL_TEXT.as_bytes(),
            v8::V8::get_version().as_bytes(),
            flags::OF_ALL.as_bytes(),
            flags::OF_COMPILING.as_bytes(),
            &[u8::from(traps::are_enabled())],
        ];
        let rewrite = || {
            let names = UsedNames::of(&[&module, &loader]);
            import_memory(&wasm, |name| links || names.has(name))
        };
        // Both functions take about the same time.
        let (build, wasm) = in_parallel(|| digest_of(&parts), rewrite);
        let mut all_parts = vec![build.as_slice()];
        all_parts.extend(of_engine);
        let digest = digest_of(&all_parts);
        let wasm = wasm.ok_or("pyodide.asm.wasm is not a module that this version can run")?;
        Ok(Self {
            spec: spec.clone(),
            version,
            loader: shared("pyodide.mjs", loader)?,
            module: shared("pyodide.asm.mjs", module)?,
            wasm,
            stdlib,
            lock,
            guest,
            prelude,
            links,
            build,
            digest,
            compiled: OnceLock::new(),
            image: Mutex::new(None),
        })
    }

    /// The module in the current isolate. It is made from the image's machine code, or compiled if no other isolate has
    /// done so.
    pub fn compiled<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        image: Option<&Image>,
    ) -> Option<v8::Local<'s, v8::WasmModuleObject>> {
        if let Some(compiled) = self.compiled.get() {
            return v8::WasmModuleObject::from_compiled_module(scope, compiled);
        }
        let module = image
            .filter(|image| !image.machine_code.is_empty())
            .and_then(|image| machine_code::deserialize(scope, &self.wasm.bytes, &image.machine_code))
            .or_else(|| v8::WasmModuleObject::compile(scope, &self.wasm.bytes))?;
        // If two threads compile at the same time, the first result is kept.
        let _ = self.compiled.set(module.get_compiled_module());
        Some(module)
    }

    /// The optimized machine code of the module. Waits until V8, which optimizes on its own threads, has stopped making
    /// more. Empty if there is none.
    pub fn settled_machine_code(&self) -> Vec<u8> {
        let of_now = || self.compiled.get().and_then(machine_code::serialize).unwrap_or_default();
        let mut length = of_now().len();
        let mut quiet = 0;
        for _ in 0..MAX_LOOKS {
            if quiet == QUIET_LOOKS || (length == 0 && !machine_code::is_compiling()) {
                break;
            }
            std::thread::sleep(LOOK);
            // On a busy machine, V8 may need long for code that it is still optimizing.
            if machine_code::is_compiling() {
                quiet = 0;
                continue;
            }
            let found = of_now().len();
            quiet = if found == length { quiet + 1 } else { 0 };
            length = found;
        }
        of_now()
    }

    /// The snapshot that isolates start from. The first call loads it or makes it with `make`; other callers wait
    /// meanwhile. `None`: Pyodide must boot without a snapshot.
    pub fn image(&self, make: impl FnOnce() -> Option<Image>) -> Option<Arc<Image>> {
        if self.version != SNAPSHOT_VERSION {
            return None;
        }
        let mut image = self.image.lock().unwrap_or_else(PoisonError::into_inner);
        image.get_or_insert_with(|| self.load().or_else(make).map(Arc::new)).clone()
    }

    /// Loads the snapshot if it is in the cache.
    pub fn load_image(&self) {
        let mut image = self.image.lock().unwrap_or_else(PoisonError::into_inner);
        if image.is_none() {
            *image = self.load().map(|loaded| Some(Arc::new(loaded)));
        }
    }

    fn load(&self) -> Option<Image> {
        Image::load(&self.path()?, &self.digest)
    }

    /// A snapshot of these parts, which is also stored in the cache.
    pub fn keep(&self, header: Vec<u8>, code_cache: Vec<u8>, machine_code: Vec<u8>, memory: &[u8]) -> Option<Image> {
        let image = Image::new(header, code_cache, machine_code, memory).ok()?;
        if let Some(path) = self.path() {
            // Without the file, the next process only takes longer to start.
            let _ = image.save(&path, &self.digest, memory);
        }
        Some(image)
    }

    fn path(&self) -> Option<PathBuf> {
        let name: String = self.digest[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        Some(self.spec.cache.as_ref()?.join(format!("python-{}-{name}.image", self.version)))
    }
}

fn digest_of(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// A string in memory that is never freed.
fn shared(name: &str, text: Vec<u8>) -> Result<Text, String> {
    if !text.is_ascii() {
        return Err(format!("{name} of Pyodide is not of the form that this version can run"));
    }
    Ok(Box::leak(Box::new(v8::String::create_external_onebyte_const(text.leak()))))
}

fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
}

/// The files of a folder in the order of their names, separated by empty lines.
fn joined(folder: &Path) -> Result<String, String> {
    let listed = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut paths: Vec<PathBuf> = listed.map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "py"));
    paths.sort();
    Ok(paths.iter().map(|path| text(path)).collect::<Result<Vec<_>, _>>()?.join("\n"))
}

fn text(path: &Path) -> Result<String, String> {
    String::from_utf8(bytes(path)?).map_err(|error| format!("{} is not UTF-8: {error}", path.display()))
}
