//! One isolate with its hardened realm, and the code that runs programs in it.

pub mod boot;
pub mod checker;
pub mod engine;
pub mod evaluate;
pub mod guest;
pub mod instance;
mod reruns;
pub mod snapshot;
