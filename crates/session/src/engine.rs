//! What executors share.

use std::sync::Arc;

use crate::backend::Backend;
use crate::counters::Counters;
use crate::watchdog::Watchdog;

/// What makes the isolates of executors, what watches over their deadlines, and what counts them.
pub struct Engine {
    pub backend: Arc<dyn Backend>,
    pub watchdog: Arc<Watchdog>,
    pub counters: Arc<Counters>,
}
