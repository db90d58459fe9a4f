//! An isolate with Python before it has a session. Pyodide has booted in it, from a snapshot if there is one, and it is
//! sealed.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use deno_core::v8;
use v8::script_compiler::{self, CachedData, CompileOptions, NoCacheReason};

use crate::memory::array_buffers;
use crate::memory::budget::BufferBudget;
use crate::memory::parking::{OnParked, set_thread_isolate};
use crate::platform::startup::prepare_v8;
use crate::python::calls;
use crate::python::distribution::{Distribution, Text};
use crate::python::facts::Facts;
use crate::python::folders::{Folder, Folders, Packages};
use crate::python::image::{Image, PAGE_BYTES};
use crate::python::libraries::Libraries;
use crate::python::mount;
use crate::python::natives::{self, Origin};
use crate::python::shell::{PARTS, REHEARSAL_TEXT, Shell, evaluate};
use crate::python::signal::Signal;
use crate::python::spec::PythonSpec;
use crate::python::stack;
use crate::realm::boot::{Guarded, ISOLATE_STACK_BYTES};
use crate::realm::instance::Instance;
use crate::realm::snapshot;
use crate::state::origin::origin;
use ses_protocol::Failure;

/// The part of a limit for V8's heap and array buffers: Pyodide's own JavaScript, and values in transfer. 48 MiB.
const HEAP_BYTES: usize = 48 << 20;
/// The limit for making a snapshot, which is not guest work. 512 MiB.
const MAKER_LIMIT_BYTES: usize = 512 << 20;
/// The part of the thread's stack that V8 may use. It is so large that CPython's own stack limit applies first. 24 MiB.
const STACK_BYTES: usize = 24 << 20;
// Includes the stack that the thread has already used, and V8's own functions below the limit.
const _: () = assert!(STACK_BYTES + (4 << 20) <= ISOLATE_STACK_BYTES);
/// The folder of guest packages, which is on `sys.path` (shell.js).
const PACKAGES_PATH: &str = "/packages";
/// Timers that booting may wait for.
const MAX_TURNS: usize = 1_000;

/// Reads all files that isolates are made of and opens their folders, for a process that will have no access to files.
///
/// # Errors
///
/// A message for people that says what is missing or broken.
pub fn read_python(spec: &PythonSpec) -> Result<Folders, String> {
    let distribution = Distribution::of(spec)?;
    distribution.load_image();
    Ok(Folders::of(spec, &distribution.version)?.opened())
}

/// Makes a snapshot in the cache if there is none, for processes that may not write to it. Needs a thread with a large
/// stack.
pub fn make_snapshot(spec: &PythonSpec) {
    if prepare_v8().is_ok()
        && let Ok(distribution) = Distribution::of(spec)
    {
        snapshot_of(&distribution, &(Rc::new(|_| {}) as OnParked));
    }
}

/// The snapshot, made if there is none.
fn snapshot_of(distribution: &Arc<Distribution>, on_parked: &OnParked) -> Option<Arc<Image>> {
    distribution.image(|| {
        Unsealed::boot(distribution.clone(), None, MAKER_LIMIT_BYTES, on_parked.clone(), true).ok()?.into_image()
    })
}

/// An isolate that is ready for any session.
pub struct Booted {
    pub shell: Shell,
    /// The folder that guest code may use.
    pub folder: Option<Folder>,
    pub buffers: Arc<BufferBudget>,
    pub signal: Arc<Signal>,
    /// Digest of what the interpreter's memory depends on.
    pub build: [u8; 32],
    pub has_packages: bool,
    pub guarded: Guarded,
}

impl Booted {
    /// Makes an isolate on the calling thread with one limit for Python's memory, V8's heap and array buffers.
    /// `on_parked` is called if the memory does not suffice even for that. `folders`: those of `spec`, if they are open
    /// already.
    pub fn new(
        spec: &PythonSpec,
        folders: Option<Folders>,
        limit_bytes: usize,
        on_parked: OnParked,
    ) -> Result<Self, Failure> {
        prepare_v8()?;
        let distribution = Distribution::of(spec).map_err(Failure::init)?;
        let folders = match folders {
            Some(folders) => folders,
            None => Folders::of(spec, &distribution.version).map_err(Failure::init)?,
        };
        let image = snapshot_of(&distribution, &on_parked);
        Unsealed::boot(distribution, image, limit_bytes, on_parked, false)?.seal(folders)
    }
}

/// An isolate in which Pyodide has booted. It still has everything that only booting needs.
struct Unsealed {
    shell: Shell,
    module: v8::Global<v8::Module>,
    origin: Rc<Origin>,
    buffers: Arc<BufferBudget>,
    guarded: Guarded,
}

impl Unsealed {
    fn boot(
        distribution: Arc<Distribution>,
        image: Option<Arc<Image>>,
        limit_bytes: usize,
        on_parked: OnParked,
        makes_snapshot: bool,
    ) -> Result<Self, Failure> {
        let heap_bytes = HEAP_BYTES.min(limit_bytes / 2);
        let max_pages = (limit_bytes - heap_bytes) / PAGE_BYTES;
        let buffers = BufferBudget::new(heap_bytes);
        set_thread_isolate(on_parked, buffers.clone());
        let mut guarded = isolate(&buffers, heap_bytes);
        let origin = Rc::new(Origin { distribution, image, max_pages: max_pages as u32, printed: RefCell::default() });
        let Instance { isolate, context } = &mut guarded.instance;
        isolate.set_slot(buffers.clone());
        isolate.set_slot(origin.clone());
        isolate.set_slot(Rc::<Facts>::default());
        let (shell, module) = {
            v8::scope_with_context!(scope, isolate, &*context);
            v8::tc_scope!(let attempt, scope);
            match start(attempt, &origin, makes_snapshot) {
                Ok(started) => started,
                Err(reason) => {
                    let thrown = attempt.exception().map(|thrown| describe(attempt, thrown));
                    return Err(boot_failed(&origin, thrown.as_deref().unwrap_or(reason)));
                }
            }
        };
        Ok(Self { shell, module, origin, buffers, guarded })
    }

    /// Removes everything that only booting needs, and lets `guest.js` connect.
    fn seal(self, Folders { mount: folder, packages }: Folders) -> Result<Booted, Failure> {
        let Self { shell, origin, buffers, mut guarded, .. } = self;
        let signal = Arc::<Signal>::default();
        let (build, has_packages) = (origin.distribution.build, packages.is_some());
        let Instance { isolate, context } = &mut guarded.instance;
        isolate.set_slot(signal.clone());
        isolate.set_allow_wasm_code_generation_callback(refuse_wasm);
        {
            v8::scope_with_context!(scope, isolate, &*context);
            v8::tc_scope!(let attempt, scope);
            attempt.get_current_context().set_allow_generation_from_strings(false);
            let sealed = (|| {
                let has_packages = v8::Boolean::new(attempt, has_packages).into();
                if let Some(Packages { mount, libraries }) = packages {
                    attempt.set_slot(Rc::new(Libraries::new(libraries)));
                    let path = v8::String::new(attempt, PACKAGES_PATH)?.into();
                    mount::mount(attempt, &shell, mount, path)?;
                }
                let args = [signal.buffer(attempt)?.into(), calls::functions(attempt, 0)?.into(), has_packages];
                shell.call(attempt, "seal", &args)
            })();
            attempt.perform_microtask_checkpoint();
            if sealed.is_none() {
                let thrown = attempt.exception().map(|thrown| describe(attempt, thrown));
                return Err(boot_failed(&origin, thrown.as_deref().unwrap_or("the guest could not be connected")));
            }
        }
        isolate.remove_slot::<Rc<Origin>>();
        Ok(Booted { shell, folder, buffers, signal, build, has_packages, guarded })
    }

    /// Makes a snapshot of the isolate, which is consumed.
    fn into_image(mut self) -> Option<Image> {
        let Instance { isolate, context } = &mut self.guarded.instance;
        v8::scope_with_context!(scope, isolate, &*context);
        v8::tc_scope!(let attempt, scope);
        let header = v8::Local::<v8::Uint8Array>::try_from(self.shell.call(attempt, "takeSnapshot", &[])?).ok()?;
        let mut head = vec![0; header.byte_length()];
        header.copy_contents(&mut head);
        let module = v8::Local::new(attempt, &self.module);
        let code_cache = module.get_unbound_module_script(attempt).create_code_cache()?.to_vec();
        let memory = self.shell.memory(attempt)?;
        let buffer = memory.buffer();
        let base = buffer.data()?;
        // SAFETY: these are the bytes of the buffer, and nothing in the isolate runs while they are read.
        let memory = unsafe { std::slice::from_raw_parts(base.cast::<u8>().as_ptr(), buffer.byte_length()) }.to_vec();
        // Later changes of the memory are not kept.
        let program = v8::String::new(attempt, REHEARSAL_TEXT)?.into();
        let is_rehearsed = self.shell.call(attempt, "rehearse", &[program]).is_some();
        let machine_code = if is_rehearsed { self.origin.distribution.settled_machine_code() } else { Vec::new() };
        self.origin.distribution.keep(head, code_cache, machine_code, &memory)
    }
}

/// A plain isolate with its own context.
fn isolate(buffers: &Arc<BufferBudget>, heap_bytes: usize) -> Guarded {
    let young_bytes = heap_bytes / 8;
    let here = 0u32;
    let limit = (&raw const here).addr().saturating_sub(STACK_BYTES);
    let params = v8::CreateParams::default()
        .set_max_old_generation_size_in_bytes(heap_bytes - young_bytes)
        .set_max_young_generation_size_in_bytes(young_bytes)
        .array_buffer_allocator(array_buffers::allocator(buffers).make_shared());
    let mut instance = snapshot::plain(params);
    // SAFETY: this is the isolate's thread. Its stack has `ISOLATE_STACK_BYTES`, of which little is in use.
    unsafe { stack::set_limit(&mut instance.isolate, limit) };
    Guarded::new(instance, buffers.clone())
}

/// Loads Pyodide's scripts and boots it. `Err` without an exception: a message that says what is missing.
fn start(
    scope: &mut v8::PinScope,
    origin: &Origin,
    makes_snapshot: bool,
) -> Result<(Shell, v8::Global<v8::Module>), &'static str> {
    let distribution = &origin.distribution;
    let natives = natives::environment(scope, 0).ok_or("no memory")?;
    let shell = Shell::new(scope, natives).ok_or("the shell does not start")?;
    let cached = origin.image.as_ref().map(|image| image.code_cache.as_slice());
    let module = load(scope, "pyodide.asm.mjs", distribution.module, cached).ok_or("pyodide.asm.mjs does not load")?;
    let loader = load(scope, "pyodide.mjs", distribution.loader, None).ok_or("pyodide.mjs does not load")?;
    let create = export(scope, module, "default").ok_or("pyodide.asm.mjs exports nothing")?;
    let load_pyodide = export(scope, loader, "loadPyodide").ok_or("pyodide.mjs exports nothing")?;
    let scripts = [("guest.js", distribution.guest.as_str())].into_iter().chain(PARTS);
    let scripts = scripts.map(|(name, text)| evaluate(scope, name, text)).collect::<Option<Vec<_>>>();
    let scripts = v8::Array::new_with_elements(scope, &scripts.ok_or("the shell's scripts do not load")?).into();
    let makes_snapshot = v8::Boolean::new(scope, makes_snapshot).into();
    let links = v8::Boolean::new(scope, distribution.links).into();
    let booted = shell.call(scope, "boot", &[create, load_pyodide, scripts, makes_snapshot, links]);
    let booted =
        booted.and_then(|promise| v8::Local::<v8::Promise>::try_from(promise).ok()).ok_or("it does not boot")?;
    for _ in 0..MAX_TURNS {
        scope.perform_microtask_checkpoint();
        match booted.state() {
            v8::PromiseState::Fulfilled => return Ok((shell, v8::Global::new(scope, module))),
            v8::PromiseState::Rejected => {
                let reason = booted.result(scope);
                scope.throw_exception(reason);
                return Err("it does not boot");
            }
            v8::PromiseState::Pending => shell.call(scope, "runTimer", &[]).ok_or("a timer failed")?,
        };
    }
    Err("it waits for something that does not come")
}

/// Evaluates a module of Pyodide.
fn load<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    name: &str,
    text: Text,
    cached: Option<&[u8]>,
) -> Option<v8::Local<'s, v8::Module>> {
    let name = v8::String::new(scope, name)?;
    let origin = origin(scope, name, true);
    let text = v8::String::new_from_onebyte_const(scope, text)?;
    let (mut source, options) = match cached {
        Some(cached) => {
            let cached = CachedData::new(cached);
            (
                script_compiler::Source::new_with_cached_data(text, Some(&origin), cached),
                CompileOptions::ConsumeCodeCache,
            )
        }
        None => (script_compiler::Source::new(text, Some(&origin)), CompileOptions::NoCompileOptions),
    };
    let module = script_compiler::compile_module2(scope, &mut source, options, NoCacheReason::NoReason)?;
    module.instantiate_module(scope, no_import)?;
    let evaluated = v8::Local::<v8::Promise>::try_from(module.evaluate(scope)?).ok()?;
    scope.perform_microtask_checkpoint();
    (evaluated.state() == v8::PromiseState::Fulfilled).then_some(module)
}

/// The scripts import only modules that they request at run time.
fn no_import<'s>(
    _context: v8::Local<'s, v8::Context>,
    _specifier: v8::Local<'s, v8::String>,
    _attributes: v8::Local<'s, v8::FixedArray>,
    _referrer: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Module>> {
    None
}

fn export<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    module: v8::Local<'s, v8::Module>,
    name: &str,
) -> Option<v8::Local<'s, v8::Value>> {
    let namespace = v8::Local::<v8::Object>::try_from(module.get_module_namespace()).ok()?;
    let name = v8::String::new(scope, name)?;
    namespace.get(scope, name.into()).filter(|value| value.is_function())
}

/// Guest code compiles no WebAssembly.
unsafe extern "C" fn refuse_wasm(_context: v8::Local<v8::Context>, _source: v8::Local<v8::String>) -> bool {
    false
}

/// The text of an error for people, with its stack if there is one.
fn describe(scope: &mut v8::PinScope, thrown: v8::Local<v8::Value>) -> String {
    let stack = v8::Local::<v8::Object>::try_from(thrown).ok().and_then(|error| {
        let key = v8::String::new(scope, "stack")?;
        error.get(scope, key.into()).filter(|stack| stack.is_string())
    });
    stack.unwrap_or(thrown).to_rust_string_lossy(scope)
}

fn boot_failed(origin: &Origin, reason: &str) -> Failure {
    let printed = origin.printed.take();
    Failure::init(format!("Pyodide {} does not boot: {reason}", origin.distribution.version)).with("printed", printed)
}
