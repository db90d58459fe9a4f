//! The connection to an isolate's thread.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use ses_engine::Interrupt;
use ses_protocol::{Command, JobId};
use ses_session::{Link, Process};
use ses_sync::priority::Thread;
use ses_sync::{CpuClock, Sender};

/// State that an isolate's thread shares with the threads that may interrupt it.
#[derive(Default)]
pub struct Control {
    /// Set once by the isolate's thread. Terminates guest code from any thread.
    interrupt: OnceLock<Interrupt>,
    /// Set once by the isolate's thread, before it receives commands.
    cpu_clock: OnceLock<CpuClock>,
    /// Set like `cpu_clock`.
    thread: OnceLock<Thread>,
    /// The session was given up: the thread ends as soon as it can.
    is_given_up: AtomicBool,
}

impl Control {
    /// Called on the isolate's thread before there is an isolate.
    pub fn begin(&self) {
        // A second call cannot happen: a thread boots one isolate.
        let _ = self.thread.set(Thread::this());
        if let Some(clock) = CpuClock::of_this_thread() {
            let _ = self.cpu_clock.set(clock);
        }
    }

    /// Called on the isolate's thread once the isolate exists.
    pub fn set_interrupt(&self, interrupt: Interrupt) {
        // A second call cannot happen here either.
        let _ = self.interrupt.set(interrupt);
        if self.is_given_up() {
            self.terminate();
        }
    }

    pub fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Acquire)
    }

    fn terminate(&self) {
        if let Some(interrupt) = self.interrupt.get() {
            interrupt.terminate();
        }
    }
}

/// The owner's end of the connection to an isolate's thread.
pub struct ThreadLink {
    control: Arc<Control>,
    /// `None` makes the thread check whether the session was given up.
    commands: Sender<Option<Command>>,
}

impl ThreadLink {
    pub fn new(control: Arc<Control>, commands: Sender<Option<Command>>) -> Self {
        Self { control, commands }
    }

    /// Makes a waiting thread check whether the session was given up.
    fn wake(&self) {
        self.commands.send(None);
    }
}

impl Link for ThreadLink {
    fn send(&self, command: Command) {
        self.commands.send(Some(command));
    }

    fn ask(&self, job: JobId) -> bool {
        let is_asked = self.control.interrupt.get().is_some_and(|interrupt| interrupt.ask(job));
        if is_asked {
            self.wake();
        }
        is_asked
    }

    fn interrupt(&self) {
        // Set before guest code is terminated, so that the thread takes no other job after it has unwound.
        self.control.is_given_up.store(true, Ordering::Release);
        self.control.terminate();
        // A thread that waits for a tool is not in V8, so termination does not reach it.
        self.wake();
    }

    fn thread(&self) -> Option<Thread> {
        self.control.thread.get().copied()
    }

    fn cpu_clock(&self) -> Option<CpuClock> {
        self.control.cpu_clock.get().copied()
    }

    fn process(&self) -> Option<Process> {
        None
    }
}

impl Drop for ThreadLink {
    fn drop(&mut self) {
        self.interrupt();
    }
}
