//! Makes the start-up snapshot: an isolate's heap in which SES lockdown has run and the bootstrap is in place.
//!
//! Two passes. The first asks V8 which built-ins it extends when a context is created from a snapshot, because those
//! must not be frozen yet; the second locks down and makes the blob that the crate embeds.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use deno_core::snapshot::{CreateSnapshotOptions, create_snapshot};
use deno_core::{Extension, ExtensionFileSource, JsRuntime, RuntimeOptions, v8};

#[path = "src/runtime"]
mod runtime {
    pub mod bridge;
    pub mod extension;
    pub mod ops;
}

/// A script of the bootstrap: its name in the snapshot and its text.
type Script = (&'static str, String);

/// What deno_core calls with a context's global before its own bootstrap.
type Middleware = for<'s, 'i> fn(&mut v8::PinScope<'s, 'i>, v8::Local<'s, v8::Object>);

fn main() {
    napi();
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/js");
    println!("cargo:rerun-if-changed=src/runtime/audit.js");
    println!("cargo:rerun-if-changed=src/runtime/bridge.rs");
    println!("cargo:rerun-if-changed=src/runtime/extension.rs");
    println!("cargo:rerun-if-changed=src/runtime/ops.rs");

    let homes = late_homes(&root);
    std::fs::write(out.join("late_homes.json"), &homes).expect("OUT_DIR is writable");
    let scripts = vec![
        ("ext:ses_executor/00_capture.js", own(&root, "00_capture.js")),
        ("ext:ses_executor/05_late_homes.js", late_homes_script(&root, &homes)),
        ("ext:ses_executor/10_defer_freezing.js", own(&root, "10_defer_freezing.js")),
        ("ext:ses_executor/11_ses.js", ses(&root)),
        ("ext:ses_executor/12_lockdown.js", own(&root, "12_lockdown.js")),
        ("ext:ses_executor/13_regexp.js", own(&root, "13_regexp.js")),
        ("ext:ses_executor/15_guest_globals.js", own(&root, "15_guest_globals.js")),
        ("ext:ses_executor/20_inspect_natives.js", own(&root, "20_inspect_natives.js")),
        ("ext:ses_executor/21_inspect_library.js", inspect_library(&root)),
        ("ext:ses_executor/22_inspect.js", own(&root, "22_inspect.js")),
        ("ext:ses_executor/25_harden.js", own(&root, "25_harden.js")),
        ("ext:ses_executor/30_guard.js", own(&root, "30_guard.js")),
        ("ext:ses_executor/40_console.js", own(&root, "40_console.js")),
        ("ext:ses_executor/50_values.js", own(&root, "50_values.js")),
        ("ext:ses_executor/60_tools.js", own(&root, "60_tools.js")),
        ("ext:ses_executor/70_modules.js", own(&root, "70_modules.js")),
        ("ext:ses_executor/90_seal.js", own(&root, "90_seal.js")),
    ];
    std::fs::write(out.join("audit.js"), audit_script(&root)).expect("OUT_DIR is writable");
    std::fs::write(out.join("hardened.bin"), snapshot(scripts, Some(keep_malleable))).expect("OUT_DIR is writable");
}

/// A file of the project's own bootstrap.
fn own(root: &Path, name: &str) -> String {
    read(&root.join("src/js").join(name))
}

/// An npm package's file. The packages are exact-pinned development dependencies.
fn package(root: &Path, path: &str) -> String {
    let file = root.join("node_modules").join(path);
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

/// The SES shim. Its bundle links modules through closures that every module's scope would keep alive, and with them
/// the whole shim: they are dropped when a module has run.
fn ses(root: &Path) -> String {
    const HEAD: &str = "({imports:$h\u{34f}_imports,";
    const DROP: &str = ";$h\u{34f}_imports=$h\u{34f}_live=$h\u{34f}_once=$h\u{34f}_import=$h\u{34f}____meta=null}()";
    let bundle = package(root, "ses/dist/lockdown.umd.min.js");
    let modules = bundle.matches(HEAD).count();
    let between = format!("}}(),{HEAD}");
    if modules < 2 || bundle.matches(&between).count() != modules - 1 {
        fail("the SES bundle is not linked as build.rs expects; was it upgraded?");
    }
    let bundle = bundle.replace(&between, &format!("{DROP},{HEAD}"));
    replace_once(&bundle, "}()])();", &format!("{DROP}])();"))
}

fn late_homes_script(root: &Path, homes: &str) -> String {
    let script = own(root, "05_late_homes.js");
    let script = replace_once(&script, "WALK_REALM;", &format!("{};", own(root, "walk_realm.js").trim_end()));
    replace_once(&script, "LATE_HOMES.", &format!("{homes}."))
}

/// What tests evaluate in a finished realm.
fn audit_script(root: &Path) -> String {
    let audit = read(&root.join("src/runtime/audit.js"));
    replace_once(&audit, "WALK_REALM;", &format!("{};", own(root, "walk_realm.js").trim_end()))
}

/// The inspect library as a function of the natives that take the place of its stand-ins for Node's bindings.
fn inspect_library(root: &Path) -> String {
    let mut library = package(root, "node-inspect-extracted/dist/inspect.js");
    // Module bodies, by the library's bundle: from one module's head to the next one's.
    for (head, next, body) in [
        ("499(t,e,n){", "},302(t,e,n){", "t.exports=natives.types"),
        ("878(t){", "},727(t,e,n){", "t.exports=class URL{}"),
        ("727(t,e,n){", "}};const e=", "t.exports=natives.util"),
    ] {
        library = replace_between(&library, head, next, body);
    }
    for (from, to) in [
        // The names of the guest's global, not those that happen to be there while the snapshot is made.
        ("new Mt(f(yt(ve),t=>null!==It(/^[A-Z][a-zA-Z0-9]+$/,t)))", "new Mt(natives.builtinNames)"),
        // By the engine's own mark, so that nothing is called.
        ("isError:t=>l?.(t)||s(i,t)", "isError:t=>natives.types.isNativeError(t)||s(i,t)"),
        ("ObjectGetOwnPropertyDescriptor:pt,", ""),
        ("n(302);let $n,Pn,Sn;", "n(302),pt=natives.describe;let $n,Pn,Sn;"),
        // As Node.js 20 prints symbol keys, sizes of buffers and proxies.
        ("s=t.stylize(e,\"symbol\")}", "s=`[${t.stylize(e,\"symbol\")}]`}"),
        ("!1===i.enumerable&&(s=`[${s}]`)", "!1===i.enumerable&&\"symbol\"!=typeof r&&(s=`[${s}]`)"),
        (
            "`${t.stylize(`[${r}]`,\"string\")}: ${i}`",
            "`${an(e)?t.stylize(`[${r}]`,\"string\"):t.stylize(r,\"name\")}: ${i}`",
        ),
        ("{ [byteLength]: ", "{ byteLength: "),
        ("if(0!==s)for(let e=0;e<s;e++)u=", "if(!1)for(let e=0;e<s;e++)u="),
        ("for(let n=0;n<s;n++)e=`${t.stylize(\"Proxy(\"", "for(let n=s;n<s;n++)e=`${t.stylize(\"Proxy(\""),
        // Only needed to load: the bootstrap empties both.
        ("x(e,null),S(e),t.exports=e}", "x(e,null),natives.primordials=e,t.exports=e}"),
        ("}};const e={};return function n(r)", "}};const e=natives.loaded;return function n(r)"),
        ("new r[o](e)", "new natives.typedArrays[o](e)"),
        // What SES made an accessor, so that instances can override it, is still the method that it was.
        (
            "{defineProperty:n,getOwnPropertyDescriptor:r,ownKeys:o}=Reflect",
            "{ownKeys:o}=Reflect,n=natives.defineMalleable,r=natives.describe",
        ),
        // The defaults are the executor's: guests meet `inspect` in their own inspect.custom methods.
        (",ft(Nn,\"defaultOptions\",{__proto__:null,get:()=>_n,set:t=>(dn(t,\"options\"),ut(_n,t))});", ";"),
        // Its copies of frozen properties are read-only.
        ("e.StringPrototypeReplaceAll=e.StringPrototypeReplaceAll||e._stringPrototypeReplaceAll,", ""),
        // Guests have no URL class; asking for `href` would run their getters.
        ("function(t){return Pn=Pn||n(812),\"string\"==typeof t.href&&t instanceof Pn.URL}(e)", "(!1)"),
    ] {
        library = replace_once(&library, from, to);
    }
    format!(
        "\"use strict\";\nglobalThis.__smol_boot.inspectModule = (natives) => {{\n\
         const module = {{ exports: {{}} }}, exports = module.exports;\n{library}\nreturn module.exports;\n}};\n"
    )
}

fn replace_once(text: &str, from: &str, to: &str) -> String {
    if text.matches(from).count() != 1 {
        fail(&format!("expected exactly one `{from}` in a bootstrap source; was a package upgraded?"));
    }
    text.replacen(from, to, 1)
}

fn replace_between(text: &str, head: &str, next: &str, body: &str) -> String {
    let found = text.find(head).and_then(|at| {
        let start = at + head.len();
        text[start..].find(next).map(|length| (start, start + length))
    });
    let (Some((start, end)), 1) = (found, text.matches(head).count()) else {
        fail(&format!("expected exactly one module `{head}` in the inspect library; was it upgraded?"));
    };
    format!("{}{body}{}", &text[..start], &text[end..])
}

/// JSON array of paths of the objects that V8 extends at isolate start.
fn late_homes(root: &Path) -> String {
    let scripts = vec![
        ("ext:ses_executor/00_capture.js", own(root, "00_capture.js")),
        ("ext:ses_executor/05_late_homes.js", late_homes_script(root, "[]")),
        ("ext:ses_executor/record.js", "globalThis.__smol_boot.recordRealm();".to_owned()),
    ];
    let blob = snapshot(scripts, None);
    let mut runtime = JsRuntime::new(RuntimeOptions {
        startup_snapshot: Some(Box::leak(blob)),
        extensions: vec![runtime::extension::ses_executor::init()],
        ..Default::default()
    });
    let value = runtime
        .execute_script(
            "changed",
            "JSON.stringify(JSON.parse(globalThis.__smol_boot.changedHomes()).map((h) => h.path))",
        )
        .unwrap_or_else(|error| fail(&format!("cannot compare realms: {error}")));
    deno_core::scope!(scope, &mut runtime);
    v8::Local::new(scope, value).to_rust_string_lossy(scope)
}

/// The blob of an isolate in which `scripts` have run, in order; `before`: what runs before deno_core's bootstrap.
fn snapshot(scripts: Vec<Script>, before: Option<Middleware>) -> Box<[u8]> {
    let mut extension: Extension = runtime::extension::ses_executor::init();
    extension.js_files = scripts
        .into_iter()
        .map(|(name, text)| ExtensionFileSource::new_computed(name, Arc::from(ascii(&text))))
        .collect();
    extension.global_object_middleware = before;
    let output = create_snapshot(
        CreateSnapshotOptions {
            cargo_manifest_dir: env!("CARGO_MANIFEST_DIR"),
            startup_snapshot: None,
            skip_op_registration: false,
            extensions: vec![extension],
            extension_transpiler: None,
            with_runtime_cb: None,
        },
        None,
    );
    output.unwrap_or_else(|error| fail(&format!("cannot make the snapshot: {error}"))).output
}

/// Runs before deno_core's own JavaScript, which freezes its copies of all built-ins and makes a ring of thousands of
/// elements: 90_seal.js takes apart what no isolate will use. 00_capture.js puts the originals back.
fn keep_malleable<'s, 'i>(scope: &mut v8::PinScope<'s, 'i>, _global: v8::Local<'s, v8::Object>) {
    const SCRIPT: &str = "globalThis.__smol_originals = { freeze: Object.freeze, fill: Array.prototype.fill };
        Object.freeze = (object) => object;
        Array.prototype.fill = function () { this.length = 0; return this; };";
    let text = v8::String::new(scope, SCRIPT).expect("it is short");
    v8::Script::compile(scope, text, None).and_then(|script| script.run(scope)).expect("it does not throw");
}

/// Escapes what is not ASCII, so that V8 can use the text in place as an external one-byte string. All sources keep
/// such characters in identifiers, strings and regular expressions, where an escape means the same.
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

/// How the addon is linked.
fn napi() {
    napi_build::setup();
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-B{}/scripts/linker", env!("CARGO_MANIFEST_DIR"));
        println!("cargo:rustc-cdylib-link-arg=-fuse-ld=bfd");
        println!("cargo:rerun-if-changed=scripts/linker");
    }
}
