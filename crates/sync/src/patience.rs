//! How the executor thread waits for the host.

use std::cell::Cell;
use std::hint;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use crate::mailbox::Receiver;

/// How long an answer is waited for without sleep: a few times what it takes to wake a thread.
const SPIN: Duration = Duration::from_micros(25);
/// Looks at the mailbox between two looks at the clock.
const LOOKS: u32 = 32;
/// Answers in time that are remembered.
const MAX_TRUST: u32 = 4;
/// After as many waits that began with sleep, one is tried without.
const RETRY_AFTER: u32 = 64;

/// Waits a moment without sleep as long as that pays: most tools answer sooner than a thread is woken.
#[derive(Default)]
pub struct Patience {
    /// Answers that came in time, less those that did not.
    trust: Cell<u32>,
    /// Waits since the last one that began without sleep.
    slept: Cell<u32>,
}

impl Patience {
    /// The next message; waits.
    pub fn receive<T>(&self, inbox: &Receiver<T>) -> T {
        if !inbox.is_ready() {
            if has_several_processors() && (self.trust.get() > 0 || self.slept.get() >= RETRY_AFTER) {
                self.slept.set(0);
                let trust = self.trust.get();
                self.trust.set(if spin(inbox) { (trust + 1).min(MAX_TRUST) } else { trust.saturating_sub(1) });
            } else {
                self.slept.set(self.slept.get() + 1);
            }
        }
        inbox.recv()
    }
}

/// Waits for a message. Returns whether there is one.
fn spin<T>(inbox: &Receiver<T>) -> bool {
    let until = Instant::now() + SPIN;
    loop {
        for _ in 0..LOOKS {
            if inbox.is_ready() {
                return true;
            }
            hint::spin_loop();
        }
        if Instant::now() >= until {
            return false;
        }
    }
}

/// With one processor, whoever is to answer waits for this thread.
fn has_several_processors() -> bool {
    static SEVERAL: OnceLock<bool> = OnceLock::new();
    *SEVERAL.get_or_init(|| thread::available_parallelism().is_ok_and(|processors| processors.get() > 1))
}
