//! How the addon is linked.

fn main() {
    napi_build::setup();
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-B{}/scripts/linker", env!("CARGO_MANIFEST_DIR"));
        println!("cargo:rustc-cdylib-link-arg=-fuse-ld=bfd");
        println!("cargo:rerun-if-changed=scripts/linker");
        // How V8 ends the process without asking: crates/engine/src/memory/parking.rs has the functions that are called instead.
        for name in ["_ZN2v84base21FatalNoSecurityImpactEPKcz", "_ZN2v84base8FatalOOMENS0_7OOMTypeEPKc"] {
            println!("cargo:rustc-cdylib-link-arg=-Wl,--wrap={name}");
        }
    }
    println!("cargo:rerun-if-changed=build.rs");
}
