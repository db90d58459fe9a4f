//! One isolate with its hardened realm, and what runs in it.

pub mod boot;
pub mod early_errors;
pub mod entry;
pub mod evaluate;
pub mod exceptions;
pub mod guest;
mod hints;
pub mod instance;
pub mod interrupt;
pub mod module_cache;
pub mod modules;
pub mod origin;
mod reruns;
pub mod scripts;
pub mod stop;
