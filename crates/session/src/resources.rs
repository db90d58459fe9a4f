//! What executors share.

use std::sync::Arc;

use crate::backend::Backend;
use crate::counters::Counters;
use crate::watchdog::Watchdog;

/// What executors share: the backend that makes isolates, the watchdog for their deadlines, and the counters.
pub struct Resources {
    pub backend: Arc<dyn Backend>,
    pub watchdog: Arc<Watchdog>,
    pub counters: Arc<Counters>,
}
