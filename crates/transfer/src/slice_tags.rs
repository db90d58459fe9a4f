// Generated from lib/contract/boundary-numbers.ts by scripts/generate.mjs. Do not edit: run `npm run generate`.
//! Tags of a value that is written in slices.

pub mod slice_tag {
    pub const SLICES: u8 = 0xFE;
    pub const END: u8 = 0x0;
    pub const BATCH: u8 = 0x1;
    pub const OPEN: u8 = 0x2;
    pub const OPEN_SPARSE: u8 = 0x3;
}
