// Generated from lib/contract/lifecycle.ts by scripts/generate.mjs. Do not edit: run `npm run generate`.
//! Reasons why a call is refused or ended: `details.hint` of `ERR_INVALID_STATE`.

pub const NOT_READY: &str = "it is legal in state READY only";
pub const NO_ISOLATE: &str = "await init() first";
pub const HAS_ISOLATE: &str = "call cleanup() before init()";
pub const DIRTY: &str = "call cleanup() and init() first";
pub const LEFT_DIRTY: &str = "an earlier call left the executor DIRTY; call cleanup() and init()";
pub const CLEANED_UP: &str = "cleanup() was called";
pub const BUSY: &str = "a run is under way; wait for it";
pub const NO_QUEUE: &str = "a run is under way; wait for it, or use runConcurrency: \"queue\" and maxQueuedRuns";
pub const WITHIN: &str = "it is called within the run that it would wait for";
pub const QUEUE_FULL: &str = "the queue is full; raise maxQueuedRuns or wait";
