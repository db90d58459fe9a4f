//! Limits how much of a folder tree one call may visit.

use std::time::Instant;

use super::Limits;
use super::pool::Stop;

/// Steps of matching between two looks at the clock. A look takes longer than most patterns.
const STEPS_PER_LOOK: usize = 1 << 16;

/// Counts entries and checks the time. Once spent, it stays spent.
#[derive(Debug)]
pub struct Budget {
    max_entries: usize,
    entries_left: usize,
    max_seconds: f64,
    deadline: Option<Instant>,
    stop: Stop,
    /// Steps of matching since the last look at the clock.
    steps: usize,
    stopped_by: Option<&'static str>,
}

impl Budget {
    pub fn new(limits: &Limits, stop: &Stop) -> Self {
        Self {
            max_entries: limits.max_entries,
            entries_left: limits.max_entries,
            max_seconds: limits.max_search.as_secs_f64(),
            deadline: Instant::now().checked_add(limits.max_search),
            stop: stop.clone(),
            steps: 0,
            stopped_by: None,
        }
    }

    /// Whether there is time left. A stopped call has none, because its result is not used.
    pub fn has_time(&mut self) -> bool {
        if self.stop.is_stopped() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.stopped_by.get_or_insert("time");
        }
        self.stopped_by.is_none()
    }

    /// Counts steps of matching, and looks at the clock from time to time. False: there is no time left.
    pub fn take_steps(&mut self, steps: usize) -> bool {
        self.steps += steps;
        if self.steps < STEPS_PER_LOOK {
            return true;
        }
        self.steps = 0;
        self.has_time()
    }

    /// Whether one more entry may be visited.
    pub fn take_entry(&mut self) -> bool {
        match self.entries_left.checked_sub(1) {
            Some(left) => self.entries_left = left,
            None => {
                self.stopped_by.get_or_insert("entries");
            }
        }
        self.has_time()
    }

    /// The reason why the call ended early, if it did: "entries" or "time".
    pub fn stopped_by(&self) -> Option<&'static str> {
        self.stopped_by
    }

    /// The same as a notice for the model.
    pub fn notice(&self) -> Option<String> {
        let reached = match self.stopped_by? {
            "time" => format!("{} seconds", self.max_seconds),
            _ => format!("{} entries", self.max_entries),
        };
        Some(format!("Stopped early after {reached}, there may be more. Use a path further down"))
    }
}
