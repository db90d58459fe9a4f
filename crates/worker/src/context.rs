//! A session, as the isolate of a worker process sees it.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ses_engine::{GuestContext, Interrupt};
use ses_protocol::frames::{Control, Frames, Message, ToWorker};
use ses_protocol::{Command, Config, Event, JobId, RunLimits, SessionId};
use ses_session::{Deadline, Reporter, Watchdog};
use ses_sync::{CpuClock, is_readable, spin};

use crate::event_writer::EventWriter;
use crate::exit::exit;

pub struct PipeContext {
    session: u32,
    config: Arc<Config>,
    commands: RefCell<Frames<File>>,
    out: Arc<EventWriter>,
    reporter: Reporter,
    interrupt: Interrupt,
    /// The run under way; 0: none.
    running: Cell<JobId>,
    watchdog: Arc<Watchdog>,
    /// The deadline for the processor time of the run under way.
    cpu_deadline: Cell<Option<Deadline>>,
}

impl PipeContext {
    pub fn new(
        session: u32,
        config: Arc<Config>,
        commands: Frames<File>,
        out: Arc<EventWriter>,
        interrupt: Interrupt,
        watchdog: Arc<Watchdog>,
    ) -> Self {
        let (commands, running, cpu_deadline) = (RefCell::new(commands), Cell::default(), Cell::default());
        let events = out.clone();
        let reporter = Reporter::new(Arc::new(move |event| events.report(event)), watchdog.clone());
        Self { session, config, commands, out, reporter, interrupt, running, watchdog, cpu_deadline }
    }

    /// Whether a command has arrived. A part of one suffices, because the rest is on its way.
    fn has_come(&self, timeout: Duration) -> bool {
        let commands = self.commands.borrow();
        commands.has_begun() || is_readable(commands.source(), timeout)
    }

    /// Waits for the next command.
    fn read(&self) -> Option<Command> {
        let mut commands = self.commands.borrow_mut();
        // Fails if the host has closed its end, because it has given the session up. The host's frames are always of
        // this version.
        let Ok(Some((head, body))) = commands.next(usize::MAX) else { exit() };
        match ToWorker::read(head.kind, body) {
            Ok(ToWorker::Command(command)) => {
                if let Command::Run { job, limits, .. } = &command {
                    self.begin(*job, limits);
                }
                Some(command)
            }
            Ok(ToWorker::Control(Control::Stop(job))) => {
                // A request to end an earlier run must not end the present one.
                if self.running.get() == job {
                    self.interrupt.ask(job);
                }
                None
            }
            Ok(ToWorker::Control(Control::Open(_))) | Err(_) => exit(),
        }
    }

    /// Reports to the host when a run has used up its processor time, so that the host ends the run.
    fn begin(&self, job: JobId, limits: &RunLimits) {
        self.running.set(job);
        let (Some(cpu_ms), Some(clock)) = (limits.cpu_ms, CpuClock::of_this_thread()) else { return };
        let out = self.out.clone();
        let budget = Duration::from_secs_f64(cpu_ms / 1e3);
        match self.watchdog.arm_cpu(clock, budget, move || out.report(Event::CpuSpent { job })) {
            Ok(deadline) => self.cpu_deadline.set(deadline),
            // The limit could not be enforced. This does not happen, because the watchdog's thread has already started.
            Err(_) => exit(),
        }
    }
}

impl GuestContext for PipeContext {
    fn session(&self) -> SessionId {
        self.session.into()
    }

    fn config(&self) -> &Config {
        &self.config
    }

    fn report(&self, event: Event) {
        if let Event::Settled { .. } = event {
            self.cpu_deadline.set(None);
            self.running.set(0);
        }
        self.reporter.report(event);
    }

    fn next(&self) -> Option<Command> {
        self.reporter.wait();
        spin(|| self.has_come(Duration::ZERO));
        self.read()
    }

    fn next_until(&self, until: Instant) -> Option<Option<Command>> {
        self.reporter.wait();
        spin(|| self.has_come(Duration::ZERO));
        self.has_come(until.saturating_duration_since(Instant::now())).then(|| self.read())
    }

    fn ready(&self) -> Option<Command> {
        if self.has_come(Duration::ZERO) { self.read() } else { None }
    }

    fn sends_raw(&self) -> bool {
        true
    }

    /// Always false: the host kills a process whose session it gives up.
    fn is_given_up(&self) -> bool {
        false
    }
}
