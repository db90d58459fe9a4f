// Generated from lib/contract/boundary-numbers.ts by scripts/generate.mjs. Do not edit: run `npm run generate`.
//! Numbers by which the facade and the addon name kinds of values, deliveries and endings.

pub mod value_kind {
    pub const PLAIN: u32 = 0;
    pub const LATIN1: u32 = 1;
    pub const BYTES: u32 = 2;
    pub const WIRE: u32 = 3;
}

pub mod reply_kind {
    pub const ERROR: u32 = 4;
    pub const PROMISE: u32 = 5;
}

pub mod delivery {
    pub const SETTLED: u32 = 0;
    pub const TOOL_CALLS: u32 = 1;
    pub const LOGS: u32 = 2;
    pub const NOTHING: u32 = 3;
}

pub mod ending {
    pub const DONE: u32 = 0;
    pub const VALUE: u32 = 1;
    pub const FINAL: u32 = 2;
    pub const ERROR: u32 = 3;
}
