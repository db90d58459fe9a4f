//! Worker processes: the location of their program, and the function with which it starts.

use std::ffi::{CStr, OsStr, OsString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;

use ses_process::Installation;
use ses_protocol::EngineSpec;

/// The program is in the same folder as the addon.
const PROGRAM: &str = "ses-executor-worker";

/// The program, addon and settings that workers are started with. `environment`: time zone and locale, in the form
/// `NAME=value`.
pub fn installation(engine: Arc<EngineSpec>, environment: &[String]) -> Arc<Installation> {
    let addon = addon();
    let environment = environment.iter().map(OsString::from).collect();
    Arc::new(Installation { program: addon.with_file_name(PROGRAM), addon, environment, engine })
}

/// The path of the addon. Empty if the loader does not know it. Then no worker can be started.
fn addon() -> PathBuf {
    // SAFETY: all zeros is a valid `Dl_info`, which the loader fills.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    let own: fn() -> PathBuf = addon;
    // SAFETY: `info` is valid for the write. The address is only compared.
    let is_found = unsafe { libc::dladdr((own as *const ()).cast(), &raw mut info) } != 0;
    if !is_found || info.dli_fname.is_null() {
        return PathBuf::new();
    }
    // SAFETY: the loader's name of a library ends with a zero and lives as long as the library.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    OsStr::from_bytes(name.to_bytes()).into()
}

/// The main function of a worker process, called by `crates/worker/launcher/launcher.c`.
///
/// # Safety
///
/// `arguments` are `count` strings that end with a zero, like those of `main`, and the process has one thread.
// SAFETY: nothing else has this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ses_executor_worker(count: c_int, arguments: *const *const c_char) -> c_int {
    let count = usize::try_from(count).unwrap_or_default();
    // The first argument is the name of the program.
    let arguments = (1..count).map(|index| {
        // SAFETY: the caller's contract.
        let text = unsafe { CStr::from_ptr(*arguments.add(index)) };
        OsStr::from_bytes(text.to_bytes()).to_owned()
    });
    ses_worker::serve(&arguments.collect::<Vec<_>>())
}
