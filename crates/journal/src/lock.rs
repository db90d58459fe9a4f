//! A mutex whose content stays valid if its holder panics.

use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Default)]
pub struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    pub fn new(content: T) -> Self {
        Self(Mutex::new(content))
    }

    pub fn get(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
