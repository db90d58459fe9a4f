//! `fixtures/*.js` are programs; the `*.out.js` beside them are the transformed ones. `UPDATE_FIXTURES=1 cargo test`
//! rewrites them.

use std::fs;
use std::path::{Path, PathBuf};

use super::{options, prepared};
use crate::prepare_module;

#[test]
fn programs_become_what_is_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/fixtures");
    let mut inputs: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the fixtures are next to the tests")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| {
            let name = path.to_string_lossy();
            name.ends_with(".js") && !name.ends_with(".out.js")
        })
        .collect();
    inputs.sort();
    assert!(inputs.len() >= 10, "found {inputs:?}");
    for input in inputs {
        let source = fs::read_to_string(&input).expect("a readable fixture");
        let name = input.file_stem().unwrap_or_default().to_string_lossy();
        let code = if name.starts_with("module") {
            prepare_module(&source, "m", &options()).expect("a valid module").code
        } else {
            prepared(&source).code
        };
        let output = input.with_extension("out.js");
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            fs::write(&output, &code).expect("a writable fixture");
        }
        let expected = fs::read_to_string(&output).unwrap_or_default();
        assert_eq!(code, expected, "{} differs; run with UPDATE_FIXTURES=1 to record it", output.display());
    }
}
