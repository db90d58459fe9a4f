//! One isolate with its hardened realm, and what runs in it.

pub mod boot;
pub mod early_errors;
pub mod entry;
pub mod error_texts;
pub mod evaluate;
pub mod exceptions;
pub mod guest;
mod hints;
pub mod instance;
pub mod interrupt;
pub mod marks;
pub mod module_cache;
pub mod modules;
pub mod origin;
pub mod positions;
mod reruns;
pub mod scripts;
pub mod stacks;
pub mod stop;
