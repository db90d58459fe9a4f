//! One isolate with its hardened realm, and how it runs programs.

pub mod boot;
pub mod checker;
pub mod evaluate;
pub mod guest;
pub mod instance;
mod reruns;
pub mod snapshot;
