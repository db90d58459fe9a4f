//! Makes the start-up snapshot: an isolate's heap in which SES lockdown has run and the bootstrap is in place.
//!
//! The bootstrap runs three times. The first run asks V8 which built-ins it adds when a context is created from a
//! snapshot, and to which objects. The second run locks down and reports which names are alive then. The third run has
//! only those names in the heap that all isolates of a process share. It makes the blob that the crate embeds.
//!
//! Numbered patches change the npm packages of the bootstrap (patches/README.md).
//!
//! On Linux, V8 adds its newest built-ins during the last two runs, and not to the contexts of the blob
//! (src/platform/newest_built_ins.rs). On other systems, the objects that they extend are frozen only after V8 has
//! added them.

use std::path::{Path, PathBuf};

use deno_core::serde::{self, Deserialize};
use deno_core::{JsRuntime, serde_json, v8};

#[path = "src/bridge"]
mod bridge {
    pub mod interface;
    pub mod ops;
}
#[path = "src/realm/instance.rs"]
mod instance;
#[path = "build/lines.rs"]
mod lines;
#[path = "build/patches.rs"]
mod patches;

use bridge::ops;
use instance::{Instance, external_references};
use lines::lines;

/// A script of the bootstrap: its name in the snapshot and its text.
type Script = (&'static str, String);

/// The same as the constant of this name in the addon's build.rs.
const NEWEST_BUILT_INS: &str =
    "_ZN2v88internal7Genesis28InitializeExperimentalGlobalEv=ses_executor_no_newest_built_ins";

fn main() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-link-arg=-Wl,--defsym={NEWEST_BUILT_INS}");
    }
    for source in ["build", "js", "patches"] {
        println!("cargo:rerun-if-changed={source}");
    }
    println!("cargo:rerun-if-changed=src/bridge/interface.rs");
    println!("cargo:rerun-if-changed=src/bridge/ops.rs");
    println!("cargo:rerun-if-changed=src/realm/instance.rs");

    // Makes the blob reproducible.
    v8::V8::set_flags_from_string("--predictable --random-seed=42 --no-freeze-flags-after-init");
    JsRuntime::init_platform(None);
    let late = late_built_ins(&root);
    let scripts = vec![
        ("ext:ses_executor/00_capture.js", own(&root, "00_capture.js")),
        ("ext:ses_executor/05_late_built_ins.js", late_built_ins_script(&root, &late)),
        ("ext:ses_executor/06_plain_arrays.js", own(&root, "06_plain_arrays.js")),
        ("ext:ses_executor/07_array_reading.js", own(&root, "07_array_reading.js")),
        ("ext:ses_executor/08_array_making.js", own(&root, "08_array_making.js")),
        ("ext:ses_executor/09_other_loops.js", own(&root, "09_other_loops.js")),
        ("ext:ses_executor/10_defer_freezing.js", own(&root, "10_defer_freezing.js")),
        ("ext:ses_executor/11_ses.js", ses(&root)),
        ("ext:ses_executor/12_lockdown.js", own(&root, "12_lockdown.js")),
        ("ext:ses_executor/13_regexp.js", own(&root, "13_regexp.js")),
        ("ext:ses_executor/14_locale_numbers.js", own(&root, "14_locale_numbers.js")),
        ("ext:ses_executor/15_guest_globals.js", own(&root, "15_guest_globals.js")),
        ("ext:ses_executor/20_inspect_natives.js", own(&root, "20_inspect_natives.js")),
        ("ext:ses_executor/21_inspect_library.js", inspect_library(&root)),
        ("ext:ses_executor/22_inspect.js", own(&root, "22_inspect.js")),
        ("ext:ses_executor/25_harden.js", own(&root, "25_harden.js")),
        ("ext:ses_executor/30_guard.js", own(&root, "30_guard.js")),
        ("ext:ses_executor/40_console.js", own(&root, "40_console.js")),
        ("ext:ses_executor/50_values.js", own(&root, "50_values.js")),
        ("ext:ses_executor/56_pure_globals.js", own(&root, "56_pure_globals.js")),
        ("ext:ses_executor/57_bodies.js", own(&root, "57_bodies.js")),
        ("ext:ses_executor/58_optional_globals.js", own(&root, "58_optional_globals.js")),
        ("ext:ses_executor/60_tools.js", own(&root, "60_tools.js")),
        ("ext:ses_executor/62_tool_errors.js", own(&root, "62_tool_errors.js")),
        ("ext:ses_executor/65_hints.js", own(&root, "65_hints.js")),
        ("ext:ses_executor/70_modules.js", own(&root, "70_modules.js")),
        ("ext:ses_executor/90_seal.js", own(&root, "90_seal.js")),
    ];
    std::fs::write(out.join("audit.js"), audit_script(&root)).expect("OUT_DIR is writable");
    let sources = sources_of(&scripts);
    let has_newest = std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux");
    let names = names_of(booted(&scripts, sources, &[], has_newest), sources);
    let blob = shared(booted(&scripts, sources, &names, has_newest), sources);
    std::fs::write(out.join("hardened.bin"), blob).expect("OUT_DIR is writable");
    write_sources(&out, sources);
}

/// Reads a file of the project's own bootstrap.
fn own(root: &Path, name: &str) -> String {
    read(&root.join("js").join(name))
}

/// Reads a file of an npm package. The packages are development dependencies with exact versions.
fn package(root: &Path, path: &str) -> String {
    let file = root.join("../../node_modules").join(path);
    println!("cargo:rerun-if-changed={}", file.display());
    if !file.exists() {
        fail(&format!("{} is missing: run `node scripts/setup.mjs` first", file.display()));
    }
    read(&file)
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| fail(&format!("cannot read {}: {error}", file.display())))
}

/// One clear line instead of a panic's backtrace.
fn fail(message: &str) -> ! {
    eprintln!("error: {message}");
    std::process::exit(1)
}

/// An npm package's file after its patches.
fn patched(root: &Path, name: &str, text: String) -> String {
    patches::patched(text, &root.join("patches").join(name)).unwrap_or_else(|error| fail(&error))
}

/// The SES shim.
fn ses(root: &Path) -> String {
    patched(root, "ses", package(root, "ses/dist/lockdown.umd.js"))
}

fn late_built_ins_script(root: &Path, late: &str) -> String {
    let script = own(root, "05_late_built_ins.js");
    let script = replace_once(&script, "WALK_REALM;", &format!("{};", own(root, "walk_realm.js").trim_end()));
    replace_once(&script, "LATE_BUILT_INS;", &format!("{late};"))
}

/// The script that tests evaluate in a finished realm.
fn audit_script(root: &Path) -> String {
    let audit = own(root, "audit.js");
    replace_once(&audit, "WALK_REALM;", &format!("{};", own(root, "walk_realm.js").trim_end()))
}

/// The inspect library as a function. Its parameters are natives that replace its stand-ins for Node's bindings.
fn inspect_library(root: &Path) -> String {
    // The package has no other form of it.
    let minified = package(root, "node-inspect-extracted/dist/inspect.js");
    let library = patched(root, "node-inspect-extracted", lines(&minified));
    format!(
        "\"use strict\";\nglobalThis.__smol_boot.inspectModule = (natives) => {{\n\
         const module = {{ exports: {{}} }}, exports = module.exports;\n{library}\nreturn module.exports;\n}};\n"
    )
}

fn replace_once(text: &str, from: &str, to: &str) -> String {
    if text.matches(from).count() != 1 {
        fail(&format!("expected exactly one `{from}` in a script of the bootstrap"));
    }
    text.replacen(from, to, 1)
}

/// JSON of the properties that V8 adds when an isolate starts, in the format of `lateBuiltIns`.
fn late_built_ins(root: &Path) -> String {
    let scripts = [
        ("ext:ses_executor/00_capture.js", own(root, "00_capture.js")),
        ("ext:ses_executor/05_late_built_ins.js", late_built_ins_script(root, "{ homes: [], added: [] }")),
        ("ext:ses_executor/record.js", "globalThis.__smol_boot.recordRealm();".to_owned()),
    ];
    let sources = sources_of(&scripts);
    let mut instance = Instance::new(booted(&scripts, sources, &[], false), sources, v8::CreateParams::default());
    v8::scope_with_context!(scope, &mut instance.isolate, &instance.context);
    let text = v8::String::new(scope, "globalThis.__smol_boot.lateBuiltIns()").expect("it is short");
    execute(scope, "changed", text).to_rust_string_lossy(scope)
}

/// The texts of the scripts, in the form that blobs refer to.
fn sources_of(scripts: &[Script]) -> &'static [v8::OneByteConst] {
    let texts = scripts.iter().map(|(_, text)| ascii(text).leak().as_bytes());
    texts.map(v8::String::create_external_onebyte_const).collect::<Vec<_>>().leak()
}

/// The blob of an isolate in which `scripts` have run, in order. `names` go into the heap that isolates share. While
/// that heap is writable, V8 puts everything that it encounters there. Nothing is ever collected in it, and each
/// isolate enters all of it in its table of names. `has_newest`: V8's newest built-ins are in the blob.
fn booted(
    scripts: &[Script],
    sources: &'static [v8::OneByteConst],
    names: &[String],
    has_newest: bool,
) -> &'static [u8] {
    write_shared_heap(true);
    let mut isolate = v8::Isolate::snapshot_creator(Some(external_references(sources).into()), None);
    {
        v8::scope!(let scope, &mut isolate);
        let template = v8::ObjectTemplate::new(scope);
        // Guests cannot add an object to the global's prototype chain.
        template.set_immutable_proto();
        let options = v8::ContextOptions { global_template: Some(template), ..Default::default() };
        let context = v8::Context::new(scope, options);
        scope.set_default_context(context);
        // The default context of V8, for isolates with another realm. All isolates of a process must start from one
        // blob.
        let plain = v8::Context::new(scope, v8::ContextOptions::default());
        if has_newest {
            add_newest_built_ins(&mut v8::ContextScope::new(scope, plain));
        }
        scope.add_context(plain);
        for name in names {
            let name = v8::String::new_from_utf8(scope, name.as_bytes(), v8::NewStringType::Internalized);
            assert!(name.is_some(), "it is in a heap already");
        }
    }
    write_shared_heap(false);
    extended(blob_of(isolate), sources, |scope| {
        define_natives(scope);
        fix_array_constructor(scope);
        let known = ["RegExp", "Map", "Set", "WeakMap", "WeakSet"].map(|class| KnownLayout::new(scope, class));
        let mut result = None;
        for ((name, _), source) in scripts.iter().zip(sources) {
            let text = v8::String::new_from_onebyte_const(scope, source).expect("it is a source");
            result = Some(execute(scope, name, text));
        }
        if has_newest {
            add_newest_built_ins(scope);
        }
        if let Some(Ok(hand_over)) = result.map(v8::Local::<v8::Function>::try_from) {
            let args = [v8::Boolean::new(scope, has_newest).into()];
            let receiver = v8::undefined(scope).into();
            assert!(hand_over.call(scope, receiver, &args).is_some(), "hardening can be finished");
        }
        for layout in known {
            layout.update(scope);
        }
    })
}

/// Makes V8 add to the current context what it adds to contexts created from a snapshot. V8 does not add it while a
/// snapshot is being made, because its flags can still change.
fn add_newest_built_ins(scope: &mut v8::PinScope) {
    // SAFETY: the name is that of `v8::internal::Genesis::InitializeExperimentalGlobal`.
    unsafe extern "C" {
        fn _ZN2v88internal7Genesis28InitializeExperimentalGlobalEv(genesis: *mut usize);
    }
    let context = scope.get_current_context();
    // The isolate, the result, the context, and fields that are not used here. An isolate is a pointer, and so is a
    // handle.
    let mut genesis = [0; 64];
    // SAFETY: the call is the one that V8 makes when it creates a context, and that context is the current one.
    unsafe {
        genesis[0] = std::mem::transmute::<v8::UnsafeRawIsolatePtr, usize>(scope.as_raw_isolate_ptr());
        genesis[2] = std::mem::transmute::<v8::Local<v8::Context>, usize>(context);
        _ZN2v88internal7Genesis28InitializeExperimentalGlobalEv(genesis.as_mut_ptr());
    }
}

/// Moves everything in `blob` that isolates can share to the shared heap.
fn shared(blob: &'static [u8], sources: &'static [v8::OneByteConst]) -> &'static [u8] {
    write_shared_heap(true);
    extended(blob, sources, |_| {})
}

/// Whether isolates from which blobs are made can write to the heap that isolates share.
fn write_shared_heap(is_on: bool) {
    v8::V8::set_flags_from_string(if is_on { "--extensible-ro-snapshot" } else { "--no-extensible-ro-snapshot" });
}

/// The blob of an isolate that started from `blob`, after `work` in its first context.
fn extended(
    blob: &'static [u8],
    sources: &'static [v8::OneByteConst],
    work: impl FnOnce(&mut v8::PinScope),
) -> &'static [u8] {
    let references = Some(external_references(sources).into());
    let mut isolate = v8::Isolate::snapshot_creator_from_existing_snapshot(blob.into(), references, None);
    {
        v8::scope!(let scope, &mut isolate);
        let context = v8::Context::new(scope, v8::ContextOptions::default());
        scope.set_default_context(context);
        let plain = v8::Context::from_snapshot(scope, 0, v8::ContextOptions::default()).expect("it was added");
        scope.add_context(plain);
        work(&mut v8::ContextScope::new(scope, context));
    }
    blob_of(isolate)
}

fn blob_of(isolate: v8::OwnedIsolate) -> &'static [u8] {
    let blob = isolate.create_blob(v8::FunctionCodeHandling::Keep);
    blob.unwrap_or_else(|| fail("cannot make the snapshot")).to_vec().leak()
}

/// The names in the name table of an isolate that started from `blob`, read from a snapshot of its heap (the format of
/// Chrome's developer tools).
fn names_of(blob: &'static [u8], sources: &'static [v8::OneByteConst]) -> Vec<String> {
    #[derive(Deserialize)]
    #[serde(crate = "serde")]
    struct Heap {
        snapshot: Snapshot,
        nodes: Vec<usize>,
        edges: Vec<usize>,
        strings: Vec<String>,
    }
    #[derive(Deserialize)]
    #[serde(crate = "serde")]
    struct Snapshot {
        meta: Meta,
    }
    #[derive(Deserialize)]
    #[serde(crate = "serde")]
    struct Meta {
        node_fields: Vec<String>,
        edge_fields: Vec<String>,
    }
    let mut json = Vec::new();
    extended(blob, sources, |scope| {
        scope.take_heap_snapshot(|bytes| {
            json.extend_from_slice(bytes);
            true
        });
    });
    let Heap { snapshot: Snapshot { meta }, nodes, edges, strings } =
        serde_json::from_slice(&json).unwrap_or_else(|error| fail(&format!("V8's snapshot of the heap: {error}")));
    let at = |fields: &[String], field| fields.iter().position(|name| name == field).expect("V8 writes it");
    let (name, edge_count) = (at(&meta.node_fields, "name"), at(&meta.node_fields, "edge_count"));
    let to_node = at(&meta.edge_fields, "to_node");
    let mut edges = edges.chunks(meta.edge_fields.len());
    for node in nodes.chunks(meta.node_fields.len()) {
        let own = edges.by_ref().take(node[edge_count]);
        if strings[node[name]] == "(Internalized strings)" {
            return own.map(|edge| strings[nodes[edge[to_node] + name]].clone()).collect();
        }
        own.for_each(drop);
    }
    fail("V8's snapshot of the heap has no table of names")
}

/// Defines `__smol_natives`, which 00_capture.js takes and removes.
fn define_natives(scope: &mut v8::PinScope) {
    let natives = v8::Object::new(scope);
    for (name, callback) in ops::table() {
        let function = v8::Function::builder_raw(callback)
            .constructor_behavior(v8::ConstructorBehavior::Throw)
            .build(scope)
            .expect("there is memory");
        let name = v8::String::new(scope, name).expect("it is short");
        natives.set(scope, name.into(), function.into());
    }
    let name = v8::String::new(scope, "__smol_natives").expect("it is short");
    scope.get_current_context().global(scope).set(scope, name.into(), natives.into());
}

/// The slot of the context that stores the initial layout (`Map`) of a class's prototype. V8 has fast paths for regular
/// expressions, such as in `split` and `replace`, and for building a `Map` or `Set`. They apply as long as the
/// prototype has the stored layout, because then no property was added or removed. The layout also records whether
/// properties were assigned. Hardening gives the prototype another layout. After that nothing can change, so the new
/// layout is stored.
struct KnownLayout<'s> {
    prototype: v8::Local<'s, v8::Object>,
    /// Index in words from the start of the context.
    slot: usize,
}

impl<'s> KnownLayout<'s> {
    fn new(scope: &mut v8::PinScope<'s, '_>, class: &str) -> Self {
        let mut object = scope.get_current_context().global(scope);
        for name in [class, "prototype"] {
            let name = v8::String::new(scope, name).expect("it is short");
            object = object.get(scope, name.into()).and_then(|value| value.to_object(scope)).expect("it is there");
        }
        let layout = Self::of(&object);
        // SAFETY: a context is an array: its layout, its length as a small integer, and that number of words.
        let words = unsafe {
            let start = Self::words(&scope.get_current_context());
            std::slice::from_raw_parts(start, 2 + (start.add(1).read() >> 32))
        };
        let slots: Vec<usize> = (2..words.len()).filter(|&slot| words[slot] == layout).collect();
        let [slot] = slots[..] else {
            fail(&format!("the layout of {class}.prototype is at {slots:?} of the context"))
        };
        Self { prototype: object, slot }
    }

    /// Stores the layout that the prototype has now.
    fn update(&self, scope: &mut v8::PinScope) {
        // SAFETY: the slot belongs to the context, and the prototype keeps its layout alive.
        unsafe { Self::words(&scope.get_current_context()).add(self.slot).write(Self::of(&self.prototype)) };
    }

    fn of(object: &v8::Local<v8::Object>) -> usize {
        // SAFETY: the first word of an object is its layout.
        unsafe { Self::words(object).read() }
    }

    /// # Safety
    ///
    /// `value` is on the heap, where nothing moves until it is used.
    unsafe fn words<T>(value: &v8::Local<T>) -> *mut usize {
        /// The tag bit that distinguishes pointers to objects from small integers.
        const TAG: usize = 1;
        // SAFETY: a handle points to a word, which points to the object.
        let tagged = unsafe { std::ptr::from_ref::<T>(value).cast::<usize>().read() };
        (tagged - TAG) as *mut usize
    }
}

/// Makes `Array.prototype.constructor` read-only. If a script redefined it, V8 would treat it as a different
/// constructor. Methods that make arrays would then look up the constructor each time, which is twenty times as slow.
/// V8 does not notice an accessor that it replaces by a data property on the first read.
fn fix_array_constructor(scope: &mut v8::PinScope) {
    let array = v8::Array::new(scope, 0);
    let prototype = array.get_prototype(scope).and_then(|prototype| prototype.to_object(scope)).expect("it has one");
    let name = v8::String::new(scope, "constructor").expect("it is short");
    let constructor = prototype.get(scope, name.into()).expect("it has one");
    let attributes = v8::PropertyAttribute::READ_ONLY | v8::PropertyAttribute::DONT_ENUM;
    let effect = || v8::SideEffectType::HasSideEffect;
    prototype.set_lazy_data_property_with_data(
        scope,
        name.into(),
        give_data,
        constructor,
        attributes,
        effect(),
        effect(),
    );
    assert!(prototype.get(scope, name.into()) == Some(constructor), "V8 keeps the value");
}

fn give_data(
    _scope: &mut v8::PinScope,
    _name: v8::Local<v8::Name>,
    args: v8::PropertyCallbackArguments,
    mut value: v8::ReturnValue<v8::Value>,
) {
    value.set(args.data());
}

/// The value of a script that does not throw.
fn execute<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    name: &str,
    text: v8::Local<'s, v8::String>,
) -> v8::Local<'s, v8::Value> {
    v8::tc_scope!(let attempt, scope);
    let resource = v8::String::new(attempt, name).expect("it is short");
    let origin = v8::ScriptOrigin::new(attempt, resource.into(), 0, 0, false, -1, None, false, false, false, None);
    let script = v8::Script::compile(attempt, text, Some(&origin));
    match script.and_then(|script| script.run(attempt)) {
        Some(value) => value,
        None => {
            let thrown = attempt.exception().map(|thrown| thrown.to_rust_string_lossy(attempt));
            fail(&format!("{name}: {}", thrown.unwrap_or_default()))
        }
    }
}

/// Writes the texts, and `sources.rs` with an array of them.
fn write_sources(out: &Path, sources: &[v8::OneByteConst]) {
    let mut array = String::from("[\n");
    for (index, source) in sources.iter().enumerate() {
        let name = format!("source_{index}.js");
        std::fs::write(out.join(&name), source.as_str()).expect("OUT_DIR is writable");
        array.push_str(&format!("    include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}\")),\n"));
    }
    array.push(']');
    std::fs::write(out.join("sources.rs"), array).expect("OUT_DIR is writable");
}

/// Escapes characters that are not ASCII, so that V8 can use the text in place as an external one-byte string. Sources
/// have such characters only in identifiers, strings and regular expressions, where an escape has the same meaning.
fn ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for unit in text.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\u{unit:04x}")),
        }
    }
    out
}
