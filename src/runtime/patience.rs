//! How the executor thread waits for the host.

use std::cell::Cell;
use std::hint;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

/// What a thread that sleeps takes to be woken, several times over: how long an answer may take that is waited for
/// without sleep.
const SPIN: Duration = Duration::from_micros(40);
/// Looks at the channel between two looks at the clock.
const LOOKS: u32 = 16;
/// Answers in time that are remembered.
const MAX_TRUST: u32 = 4;
/// After as many waits that began with sleep, one is tried without.
const RETRY_AFTER: u32 = 32;

/// Waits a moment without sleep as long as that pays: most tools answer sooner than a thread is woken.
#[derive(Default)]
pub struct Patience {
    /// Answers that came in time, less those that did not.
    trust: Cell<u32>,
    /// Waits since the last one that began without sleep.
    slept: Cell<u32>,
}

impl Patience {
    /// The next message. `None`: nobody can send one any more.
    pub fn receive<T>(&self, inbox: &Receiver<T>) -> Option<T> {
        match inbox.try_recv() {
            Ok(message) => return Some(message),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => {}
        }
        if self.must_spin() {
            self.slept.set(0);
            match spin(inbox) {
                Ok(message) => {
                    self.trust.set((self.trust.get() + 1).min(MAX_TRUST));
                    return Some(message);
                }
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) => self.trust.set(self.trust.get().saturating_sub(1)),
            }
        } else {
            self.slept.set(self.slept.get() + 1);
        }
        inbox.recv().ok()
    }

    fn must_spin(&self) -> bool {
        has_several_processors() && (self.trust.get() > 0 || self.slept.get() >= RETRY_AFTER)
    }
}

fn spin<T>(inbox: &Receiver<T>) -> Result<T, TryRecvError> {
    let until = Instant::now() + SPIN;
    loop {
        for _ in 0..LOOKS {
            match inbox.try_recv() {
                Err(TryRecvError::Empty) => hint::spin_loop(),
                done => return done,
            }
        }
        if Instant::now() >= until {
            return Err(TryRecvError::Empty);
        }
    }
}

/// With one processor, whoever is to answer waits for this thread.
fn has_several_processors() -> bool {
    static SEVERAL: OnceLock<bool> = OnceLock::new();
    *SEVERAL.get_or_init(|| thread::available_parallelism().is_ok_and(|processors| processors.get() > 1))
}
